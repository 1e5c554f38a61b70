"""What a plan depends on. All of it is public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol, cast

from discreet import check, plots
from discreet.core import Adjacency, CategoricalModel, Mechanism, families
from discreet.core.counts import AnyModel
from discreet.core.family import Family
from discreet.errors import InputError
from discreet.planning import accuracy
from discreet.planning.errors import Errors, most_places
from discreet.planning.places import places
from discreet.planning.widths import Widths


class Setting(Protocol):
    """All that a plan depends on, and what any epsilon buys there."""

    @property
    def mechanism(self) -> str:
        """Its name."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it can tell: the expected "error", a "quantile" of it, or the expected "width"."""

    @property
    def make(self) -> Callable[[Fraction], Mechanism]:
        """The mechanism of an epsilon."""

    @property
    def n(self) -> int:
        """The number of records."""

    @property
    def judged(self) -> str:
        """Where, in words."""

    def value(self, kind: str, epsilon: Fraction) -> float:
        """What an epsilon buys."""

    def floor(self, kind: str) -> float:
        """What is left without any noise."""

    def words(self, kind: str) -> str:
        """Which value that is."""

    def remark(self, kind: str) -> str:
        """Why no epsilon makes it arbitrarily small, if that is known."""


@dataclass(frozen=True)
class CategoricalSetting:
    """Of counts of categories: errors and widths at the places of the plan."""

    mechanism: str
    errors: Errors
    widths: Widths
    share: float

    @property
    def kinds(self) -> tuple[str, ...]:
        """All."""
        return "error", "quantile", "width"

    @property
    def make(self) -> Callable[[Fraction], Mechanism]:
        """The mechanism of an epsilon."""
        return self.errors.make

    @property
    def n(self) -> int:
        """The number of records."""
        return sum(self.errors.places.counts[0])

    @property
    def judged(self) -> str:
        """Where, in words."""
        return self.errors.places.words

    def floor(self, kind: str) -> float:
        """What is left without any noise."""
        return self.widths.without_noise if kind == "width" else 0.0

    def value(self, kind: str, epsilon: Fraction) -> float:
        """The expected "error", a "quantile" of it, or the expected "width"."""
        if kind == "error":
            return self.errors.mean(epsilon)
        if kind == "quantile":
            return self.errors.quantile(epsilon, self.share)
        return self.widths.mean(epsilon)

    def words(self, kind: str) -> str:
        """Which value that is."""
        name = plots.DISTANCE_NAMES[self.errors.distance]
        return {
            "error": f"expected {name}",
            "quantile": f"{100 * self.share:.4g} % quantile of the {name}",
            "width": f"expected width of the {100 * self.widths.level:.4g} % interval",
        }[kind]

    def remark(self, kind: str) -> str:
        """Why no epsilon makes it arbitrarily small, if that is known."""
        law = self.errors.any_law()
        if kind != "width" and getattr(law, "shape", "") == "floored":
            return ", because rounding down leaves an error that no epsilon removes"
        return ""


@dataclass(frozen=True)
class ExpectedSetting:
    """Of any family whose mechanisms say what error to expect."""

    make: Callable[[Fraction], Mechanism]
    n: int

    @property
    def mechanism(self) -> str:
        """Its name."""
        return self.make(Fraction(1)).name

    @property
    def kinds(self) -> tuple[str, ...]:
        """The error alone."""
        return ("error",)

    @property
    def judged(self) -> str:
        """Where, in words."""
        return "from public values alone"

    def value(self, kind: str, epsilon: Fraction) -> float:
        """The expected error."""
        return float(self.make(epsilon).expected_error(self.n).error)

    def floor(self, kind: str) -> float:
        """Not known: the error may be that of the records too."""
        return 0.0

    def words(self, kind: str) -> str:
        """Which value that is."""
        return "expected error"

    def remark(self, kind: str) -> str:
        """Why no epsilon makes it arbitrarily small, if that is known."""
        return ""


def require_categorical(model: object) -> None:
    """Refuse a model of anything but categories."""
    families.of_model(model)
    if not hasattr(model, "categories"):
        raise InputError(f"model must be a DirichletMultinomial, got {check.brief(model)}", "model")


def settle(
    model: AnyModel,
    n: int,
    mechanism: str | None,
    options: Mapping[str, object],
    where: tuple[object, bool],
    quantile: float | None,
    level: float,
    distance: str,
) -> Setting:
    """Check all that a plan is asked for; `where` is (at, worst_case)."""
    family = families.of_model(model)
    records = check.whole("n", n, least=1)
    make = partial(_make, mechanism, family, model, records, dict(options))
    _require_private(make(Fraction(1)))
    if not hasattr(model, "categories"):
        for argument, given in (("at", where[0]), ("quantile", quantile)):
            if given is not None:
                raise InputError(f"{argument} is for counts of categories", argument)
        for argument, other in (("worst_case", where[1]), ("distance", distance != "hellinger")):
            if other:
                raise InputError(f"{argument} is for counts of categories", argument)
        return ExpectedSetting(make, records)
    counts = cast("CategoricalModel", model)
    return _categorical(counts, make, records, where, quantile, level, distance)


def _require_private(first: Mechanism) -> None:
    if not first.guarantee.private:
        raise InputError(
            f"mechanism must be private to plan a release with it, got {first.name!r}; ask for "
            "calibrate=True",
            "mechanism",
        )
    if first.guarantee.epsilon > first.config.epsilon:
        raise InputError(
            f"mechanism {first.name!r} is not proved private for the epsilon it is given; ask for "
            "calibrate=True",
            "mechanism",
        )


def _categorical(
    model: CategoricalModel,
    make: Callable[[Fraction], Mechanism],
    n: int,
    where: tuple[object, bool],
    quantile: float | None,
    level: float,
    distance: str,
) -> CategoricalSetting:
    first = make(Fraction(1))
    judged = places(model, n, *where, most_places(first, n))
    accuracy.validated(first, judged.counts[0], distance)
    share = 0.95 if quantile is None else float(check.share("quantile", quantile))
    return CategoricalSetting(
        first.name,
        Errors(make, model, judged, distance),
        Widths(make, model, judged, float(check.share("level", level))),
        share,
    )


def _make(
    asked: str | None,
    family: Family,
    model: AnyModel,
    n: int,
    options: Mapping[str, object],
    epsilon: Fraction,
) -> Mechanism:
    rest = dict(options)
    adjacency = Adjacency(cast(str, rest.pop("adjacency", Adjacency.SUBSTITUTE)))
    public = None if adjacency is Adjacency.ADD_REMOVE else n
    name = family.choice(asked, model, public, epsilon, adjacency, rest).name
    return families.mechanism(name, model, public, epsilon=epsilon, adjacency=adjacency, **rest)
