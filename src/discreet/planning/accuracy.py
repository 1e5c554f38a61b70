"""`dp.accuracy`: how far the released posterior is from the true one, as a probability law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import check, plots
from discreet.core import Config, Counts, Mechanism
from discreet.core.counts import CountsLike, Unit
from discreet.core.mechanism import require_categories
from discreet.divergence.shifts import shifted
from discreet.errors import InputError
from discreet.exact import Floats, Ints, compositions
from discreet.families.dirichlet import bounds
from discreet.laws import predictive
from discreet.laws.exponential import ExponentialLaw
from discreet.laws.windows import MOST, likely
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DISTANCES = ("hellinger", "l1", "total_variation", "kl")
SAME = 1e-12  # distances that differ by less, relatively, are one
MOST_IN_TOTAL_VARIATION = 10**6
MOST_COUNTS = 50_000  # that an average over all counts runs through
OWNER = "for the data owner only"


@dataclass(frozen=True, eq=False, repr=False)
class ErrorLaw:
    """The law of the distance between the true posterior and the released one.

    `distances` are the possible errors in increasing order, `probabilities` theirs. It is computed
    from the counts without noise: if those are private, it is for the data owner only.

    Example:
        >>> import discreet as dp
        >>> law = dp.accuracy(dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1), (4, 5))
        >>> round(law.quantile(0.95), 3), round(law.tail(0.3), 3)
        (0.615, 0.198)
    """

    config: Config
    distance: str
    distances: Floats
    probabilities: Floats
    standard_error: float
    draws: int | None
    owner_only: bool
    steps: tuple[Ints, Floats]  # numbers of substitutions, and their probabilities

    @property
    def mean(self) -> float:
        """The expected error."""
        return float(self.distances @ self.probabilities)

    @property
    def exact(self) -> float:
        """The probability that the exact posterior is released: P(error = 0)."""
        steps, p = self.steps
        return float(p[steps == 0].sum())

    def quantile(self, q: float) -> float:
        """The smallest d with P(error ≤ d) ≥ q."""
        share = float(check.share("q", q))
        place = np.searchsorted(np.cumsum(self.probabilities), share - SAME)
        return float(self.distances[min(int(place), len(self.distances) - 1)])

    def tail(self, c: float) -> float:
        """P(error ≥ c); a distance that equals c up to rounding counts."""
        least = float(check.rational("c", c))
        return float(self.probabilities[self.distances >= least * (1 - SAME)].sum())

    def by_steps(self) -> dict[int, float]:
        """The probability by number of substitutions between the true and the released counts.

        P1 §3.4 counts errors so. If the sums differ it is the larger of total increase and total
        decrease. The same number of steps need not mean the same distance (erratum E10).
        """
        steps, p = self.steps
        return dict(zip(steps.tolist(), p.tolist(), strict=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """The cumulative probability of the error."""
        curve = {self.config.label: (self.distances, self.probabilities)}
        note = OWNER if self.owner_only else ""
        return plots.plot_errors(curve, self.distance, ax, note, self.config.title)

    def __repr__(self) -> str:
        error = f" ± {self.standard_error:.1g}" if self.draws else ""
        owner = f"; {OWNER}" if self.owner_only else ""
        return (
            f"<{self.distance} error of {self.config}: mean {self.mean:.4g}{error}, "
            f"95 % at most {self.quantile(0.95):.4g}{owner}>"
        )

    def __str__(self) -> str:
        how = f"{self.draws} draws" if self.draws else "exact"
        error = f" ± {self.standard_error:.1g} (standard error)" if self.draws else ""
        lines = [
            f"Distance between the true and the released posterior ({self.distance}, {how})",
            f"  mechanism          {self.config}",
            f"  mean               {self.mean:.4g}{error}",
            f"  median             {self.quantile(0.5):.4g}",
            f"  95 % at most       {self.quantile(0.95):.4g}",
            f"  exact posterior    with probability {self.exact:.4g}",
        ]
        return "\n".join([*lines, f"  {OWNER}"] if self.owner_only else lines)


def accuracy(
    mechanism: Mechanism,
    counts: CountsLike,
    distance: str = "hellinger",
    size: int = 20_000,
    rng: np.random.Generator | None = None,
) -> ErrorLaw:
    """The law of the error that a mechanism makes at given counts.

    Computed from the counts without noise: for the data owner only, unless the counts are public or
    made up. Exact where the likely outcomes can be listed (all but a probability of 1e-14), else
    estimated from draws, with the standard error of the mean stated.

    Args:
        mechanism: made by `dp.mechanism`.
        counts: the true counts.
        distance: "hellinger", "total_variation" (two categories), "kl" (of the released posterior
            from the true one, KL(true ‖ released)) or "l1" (of the parameters).
        size: the number of draws if the law cannot be listed.
        rng: a numpy Generator for these draws.

    Returns:
        An `ErrorLaw`: `mean`, `quantile(q)`, `tail(c)`, `distances`, `probabilities`.

    Raises:
        InputError: an argument is wrong, or the counts are not of the mechanism's n.

    Guarantee:
        None: computed without noise, for the data owner only.

    Example:
        >>> import discreet as dp
        >>> mechanism = dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1)
        >>> law = dp.accuracy(mechanism, (4, 5))
        >>> round(law.mean, 4), round(law.exact, 4)
        (0.1816, 0.4621)
    """
    return listed_or_drawn(mechanism, counts, distance, size, rng, MOST)


def listed_or_drawn(
    mechanism: Mechanism,
    counts: CountsLike,
    distance: str,
    size: int,
    rng: np.random.Generator | None,
    most: int,
) -> ErrorLaw:
    """`accuracy`, exact where at most so many outcomes are listed."""
    values = validated(mechanism, counts, distance)
    number = check.whole("size", size, least=2, most=10**8)
    source = np.random.default_rng() if rng is None else check.generator(rng)
    law = mechanism.law(values)
    listed = likely(law, most)
    rows = law.sample(number, source) if listed is None else listed[0]
    p = np.full(number, 1 / number) if listed is None else listed[1]
    errors = shifted(distance, mechanism.config.model.prior, values, rows)
    spread = float(errors.std(ddof=1)) / number**0.5 if listed is None else 0.0
    return ErrorLaw(
        mechanism.config,
        distance,
        *_grouped(errors, p),
        spread,
        number if listed is None else None,
        isinstance(counts, Counts),
        _grouped_steps(values, rows, p),
    )


def mean_error(
    mechanism: Mechanism, weights: str | Sequence[float] = "uniform", distance: str = "hellinger"
) -> float:
    """The expected error averaged over all counts with sum n.

    Weights: "uniform", "prior_predictive" (the Dirichlet-multinomial law of the counts before the
    data), or one number per vector of counts in lexicographic order. Public: no data enter.
    """
    n, model = mechanism.config.n, mechanism.config.model
    if n is None:
        raise InputError("mechanism must have a public n to average over all counts", "mechanism")
    k = len(model.prior)
    if (number := compositions.count(n, k)) > MOST_COUNTS:
        raise InputError(
            f"mechanism has {check.big(number)} possible counts, too many to average over (at most "
            f"{MOST_COUNTS})",
            "mechanism",
        )
    rows = compositions.rows(n, k)
    shares = _weights(weights, rows, model.prior)
    total = 0.0
    for row, share in track(list(zip(rows.tolist(), shares, strict=True)), "Averaging over counts"):
        if share > 0:
            total += share * accuracy(mechanism, row, distance, rng=np.random.default_rng(0)).mean
    return float(total)


def plot_bounds(mechanism: Mechanism, counts: CountsLike, ax: Axes | None = None) -> Axes:
    """How loose the papers' bounds are: the exact tail P(error ≥ c) with every bound that applies.

    The error is what the bounds speak of: the mechanism's own distance for exponential mechanisms,
    l1 for the Laplace ones. For the data owner only, unless the counts are public.
    """
    values = validated(mechanism, counts, "l1")
    law = mechanism.law(values)
    metric = law.distance if isinstance(law, ExponentialLaw) else "l1"
    errors = accuracy(mechanism, values, metric)
    c = np.linspace(0, float(errors.distances[-1]), 2000)
    curves = {
        label: (c, np.asarray(bound(c)))
        for label, bound in bounds.applicable(mechanism, values).items()
    }
    note = OWNER if isinstance(counts, Counts) else ""
    law_of_errors = (errors.distances, errors.probabilities)
    config = mechanism.config
    return plots.plot_tail(law_of_errors, curves, metric, config.label, ax, note, config.title)


def validated(mechanism: object, counts: CountsLike, distance: str) -> tuple[int, ...]:
    """The counts, if the error in that distance is defined for them."""
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"mechanism must be made by dp.mechanism, got {check.brief(mechanism)}", "mechanism"
        )
    require_categories(mechanism)
    if Unit.of(mechanism.config).averaged:
        raise InputError(
            "per_unit must be 'cut' here, got 'average': noise and error are close to those of one "
            "record of every unit, max_per_unit=1",
            "per_unit",
        )
    config = mechanism.config
    values = mechanism.domain(counts)
    check.choice("distance", distance, DISTANCES)
    if distance == "total_variation":
        if (k := len(values)) > 2:
            raise InputError(
                f"distance 'total_variation' is for two categories, got {k}", "distance"
            )
        if config.n is None or config.n > MOST_IN_TOTAL_VARIATION:
            raise InputError(
                "distance 'total_variation' needs a public n of at most "
                f"{MOST_IN_TOTAL_VARIATION}; use 'hellinger'",
                "distance",
            )
    if config.n != 0 and dict(config.options).get("postprocess", "") is None:
        raise InputError(
            "mechanism releases vectors that need not be a posterior, so that the error is not "
            "defined; choose postprocess='project' or 'clip'",
            "mechanism",
        )
    return values


def _grouped(errors: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Sorted distinct distances and their probabilities."""
    order = np.argsort(errors, kind="stable")
    ordered = errors[order]
    new = np.diff(ordered, prepend=-1.0) > SAME * ordered
    distances, sums = ordered[new], np.add.reduceat(p[order], np.flatnonzero(new))
    for array in (distances, sums):
        array.flags.writeable = False
    return distances, sums


def _grouped_steps(counts: Sequence[int], rows: Ints, p: Floats) -> tuple[Ints, Floats]:
    change = (rows - np.array(counts, dtype=np.int64)).astype(np.float64)
    up, down = np.maximum(change, 0).sum(axis=1), np.maximum(-change, 0).sum(axis=1)
    steps, places = np.unique(np.maximum(up, down), return_inverse=True)
    return steps.astype(np.int64), np.asarray(np.bincount(places.ravel(), p), dtype=np.float64)


def _weights(
    weights: str | Sequence[float], rows: Ints, prior: tuple[Fraction, ...]
) -> Sequence[float]:
    if isinstance(weights, str):
        check.choice("weights", weights, ("uniform", "prior_predictive"))
        if weights == "uniform":
            return [1 / len(rows)] * len(rows)
        return list(predictive.probabilities(rows, prior))
    given = check.reals("weights", check.by_position("weights", weights))
    if given.shape != (len(rows),) or not (np.isfinite(given) & (given >= 0)).all():
        raise InputError(
            f"weights must be {len(rows)} numbers that are not negative, one per vector of counts",
            "weights",
        )
    if not given.sum() > 0:
        raise InputError("weights must not all be zero", "weights")
    return list(given / given.sum())
