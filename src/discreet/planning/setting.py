"""What a plan depends on. All of it is public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from discreet import check, plots, registry
from discreet.core import Adjacency, Mechanism, Model, families
from discreet.errors import InputError
from discreet.planning import accuracy
from discreet.planning.errors import Errors, most_places
from discreet.planning.places import places
from discreet.planning.widths import Widths


@dataclass(frozen=True)
class Setting:
    """All that a plan depends on, and what any epsilon buys there."""

    mechanism: str
    errors: Errors
    widths: Widths
    quantile: float

    def value(self, kind: str, epsilon: Fraction) -> float:
        """The expected "error", a "quantile" of it, or the expected "width"."""
        if kind == "error":
            return self.errors.mean(epsilon)
        if kind == "quantile":
            return self.errors.quantile(epsilon, self.quantile)
        return self.widths.mean(epsilon)

    def words(self, kind: str) -> str:
        """Which value that is."""
        name = plots.DISTANCE_NAMES[self.errors.distance]
        return {
            "error": f"expected {name}",
            "quantile": f"{100 * self.quantile:.4g} % quantile of the {name}",
            "width": f"expected width of the {100 * self.widths.level:.4g} % interval",
        }[kind]


def require_categorical(model: object) -> None:
    """Refuse a model of anything but categories."""
    families.of_model(model)
    if not hasattr(model, "categories"):
        raise InputError(f"model must be a DirichletMultinomial, got {check.brief(model)}", "model")


def settle(
    model: Model,
    n: int,
    mechanism: str,
    options: Mapping[str, object],
    where: tuple[object, bool],
    quantile: float | None,
    level: float,
    distance: str,
) -> Setting:
    """Check all that a plan is asked for; `where` is (at, worst_case)."""
    require_categorical(model)
    records = check.whole("n", n, least=1)
    make = partial(_make, mechanism, model, records, dict(options))
    first = make(Fraction(1))
    if not first.guarantee.private:
        raise InputError(
            f"mechanism must be private to plan a release with it, got {mechanism!r}; ask for "
            "calibrate=True",
            "mechanism",
        )
    if first.guarantee.epsilon > first.config.epsilon:
        raise InputError(
            f"mechanism {mechanism!r} is not proved private for the epsilon it is given; ask for "
            "calibrate=True",
            "mechanism",
        )
    judged = places(model, records, *where, most_places(first, records))
    accuracy.validated(first, judged.counts[0], distance)
    share = 0.95 if quantile is None else float(check.share("quantile", quantile))
    return Setting(
        mechanism,
        Errors(make, model, judged, distance),
        Widths(make, model, judged, float(check.share("level", level))),
        share,
    )


def _make(
    name: str, model: Model, n: int, options: Mapping[str, object], epsilon: Fraction
) -> Mechanism:
    rest = dict(options)
    adjacency = Adjacency.of(rest.pop("adjacency", Adjacency.SUBSTITUTE))
    public = None if adjacency is Adjacency.ADD_REMOVE else n
    return registry.mechanism(name, model, public, epsilon=epsilon, adjacency=adjacency, **rest)
