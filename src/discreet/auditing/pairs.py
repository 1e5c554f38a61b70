"""The exact privacy loss over pairs of neighbouring data: noise that is added, or finite outputs.

What is audited is the law that a mechanism samples from, not what its settings say: rates and
variances are read off the laws of neighbouring data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flint import arb

from discreet import check
from discreet.auditing.additive import Shift, center_of, shift_between, worst_shifts
from discreet.auditing.audits import Audit, hockey_sticks, pair_loss
from discreet.core import Certificate, Mechanism, Witness
from discreet.core.law import Outcome
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats, Ints, balls, floats
from discreet.exact.balls import ball
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pair: TypeAlias = tuple[Outcome, Outcome]
Neighbours: TypeAlias = Callable[[Mechanism, bool], Iterable[Pair]]

MOST_PAIRS = 200_000
MOST_OUTPUTS = 20_000
_MOST_LOSS = 2**20  # an ε beyond which nothing is private


@dataclass(frozen=True)
class ContinuousAudit(Audit):
    """The privacy loss of a mechanism for numbers: that of its raw output, on its grid.

    `epsilon` is the least ε for which it is (ε, δ)-private with the δ of its guarantee, rounded up,
    `epsilon_lower` the same rounded down, and `witness` the neighbouring statistics, and the output
    at which the ratio of the probabilities is largest or, for Gaussian noise, where there is none,
    that without noise. δ(ε) is exact, but for rounding up, if one number is released; of several it
    is a bound that is close for wide noise. No data enter.
    """

    shifts: tuple[Shift, ...] = field(default=(), repr=False)
    pairs: tuple[Pair, ...] = field(default=(), repr=False)

    def _deltas(self, grid: Floats) -> Floats:
        if self.witness is None:
            return np.zeros(len(grid))
        if self.shifts:
            targets = [Fraction(epsilon) for epsilon in grid.tolist()]
            worst = [max(_up(_bound(s, target, 1)) for s in self.shifts) for target in targets]
            return np.array(worst)
        row, best = _rows(self.mechanism), np.zeros(len(grid))
        for here, there in track(self.pairs, "privacy profile"):
            best = np.maximum(best, hockey_sticks(row(here)[1:], row(there)[1:], grid))
        return np.where(grid < self.epsilon, np.minimum(best, 1.0), 0.0)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The privacy profile δ(ε), beside what is guaranteed."""
        guarantee, config = self.mechanism.guarantee, self.mechanism.config
        if guarantee.delta == 0:
            return super().plot(ax)
        from discreet.plots.normal import plot_delta

        claimed = float(guarantee.epsilon), float(guarantee.delta)
        grid = np.linspace(0, 1.2 * max(claimed[0], min(self.epsilon, 10 * claimed[0])), 101)
        return plot_delta(*self.profile(grid), claimed, ax, config.title)

    @property
    def certificate(self) -> Certificate:
        """What was found, with all that is needed to find it again: `dp.verify`."""
        if self.mechanism.guarantee.delta:
            raise InputError("certificates are of mechanisms with δ = 0", "audit")
        return super().certificate

    def __str__(self) -> str:
        made = self.mechanism
        at = f" at δ = {check.show(made.guarantee.delta)}" if made.guarantee.delta else ""
        lines = [
            f"{made.config}",
            f"  guaranteed: {made.guarantee}",
            f"  exact loss  {self.epsilon:.9g}{at}",
        ]
        if self.witness is not None:
            values, neighbour, output = self.witness
            what = "counts" if hasattr(made.config.model, "categories") else "sums"
            lines.append(f"  attained between {what} {values} and {neighbour} at output {output}")
        return "\n".join(lines)


def audit_neighbours(
    mechanism: Mechanism, total: int | None, neighbours: Neighbours
) -> ContinuousAudit:
    """Over the pairs that `neighbours(mechanism, added)` gives, `added` for noise that is added.

    Noise that is added is audited at any grid; mechanisms that choose one of finitely many outputs
    at all data sets of n records, which is for small grids and few records.

    Raises:
        NotEnumerable: there are too many data sets or outputs.
    """
    if total is not None:
        raise InputError(f"total is for counts under add-remove, got {check.brief(total)}", "total")
    n = mechanism.config.n
    if n == 0:
        return ContinuousAudit(mechanism, 0.0, 0.0, None)
    start = mechanism.make_raw_law((n or 0, *[0] * (mechanism.config.model.size - 1)))
    return audit_pairs(mechanism, neighbours(mechanism, shift_between(start, start) is not None))


def require_few(pairs: int) -> None:
    """Refuse, by public values, an audit of too many pairs of data sets."""
    if pairs > MOST_PAIRS:
        raise NotEnumerable(
            f"an audit would compare {check.big(pairs)} pairs of data sets, at most {MOST_PAIRS} "
            "are possible: choose a smaller grid or fewer records",
            pairs,
        )


def audit_pairs(mechanism: Mechanism, pairs: Iterable[Pair]) -> ContinuousAudit:
    """Over the given pairs of neighbouring statistics: each is what `make_raw_law` takes."""
    chosen = tuple(pairs)
    first = [mechanism.make_raw_law(values) for values in chosen[0]]
    if shift_between(*first) is None:
        return _finite(mechanism, chosen)
    found: dict[Shift, Pair] = {}
    for here, there in track(chosen, "audit"):
        laws = mechanism.make_raw_law(here), mechanism.make_raw_law(there)
        shift = shift_between(*laws)
        if shift is None:
            raise InputError("mechanism must have laws of one kind for all data", "mechanism")
        found.setdefault(shift, (here, there))
    shifts = sorted(worst_shifts(found), key=lambda s: (s.laplace, s.squares), reverse=True)
    lower, upper, worst = 0.0, 0.0, shifts[0]
    for shift in shifts:
        lower = _least_epsilon(shift, mechanism.guarantee.delta, 0, lower)
        loss = _least_epsilon(shift, mechanism.guarantee.delta, 1, upper)
        upper, worst = (loss, shift) if loss > upper else (upper, worst)
    here, there = found[worst]
    witness = Witness(here, there, center_of(mechanism.make_raw_law(here)))
    return ContinuousAudit(mechanism, upper, lower, witness, shifts=tuple(shifts))


def _bound(shift: Shift, epsilon: Fraction, side: int) -> arb:
    """A bound on δ(ε), below (0) or above (1), to many digits."""
    return balls.refine(
        lambda: shift.delta(epsilon)[side],
        lambda value: value if value.rel_accuracy_bits() > 40 or abs(value) < 1e-300 else None,
    )


def _least_epsilon(shift: Shift, delta: Fraction, side: int, least: float) -> float:
    """The least ε with δ(ε) ≤ delta, or `least`, by a bound on δ from below (0) or above (1)."""
    if math.isinf(least):
        return least
    if delta == 0:  # Gaussian noise loses without end, Laplace noise what its rates say
        if shift.squares or isinstance(shift.laplace, float):
            return math.inf
        near = float(shift.laplace)
        wrong = Fraction(near) < shift.laplace if side else Fraction(near) > shift.laplace
        return max(least, math.nextafter(near, math.inf if side else 0.0) if wrong else near)

    def enough(epsilon: float) -> bool:
        value = _bound(shift, Fraction(epsilon), side)
        with balls.precision(balls.PRECISION):
            return bool(value <= ball(delta)) if side else not value > ball(delta)

    low, high = least, max(1.0, 2 * least)
    if enough(low):
        return low
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST_LOSS:
            return math.inf
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if side else low


def _finite(mechanism: Mechanism, pairs: tuple[Pair, ...]) -> ContinuousAudit:
    row = _rows(mechanism)
    upper, highest, witness = 0.0, -1.0, None
    for here, there in track(pairs, "audit"):
        support, first, second = row(here)[0], row(here)[1:], row(there)[1:]
        loss, error, place, forward, _ = pair_loss(first, second)
        bound = floats.up(loss + error)
        upper = max(upper, bound) if bound <= math.inf else math.inf
        if loss > highest:
            sides = (here, there) if forward else (there, here)
            highest, witness = loss, Witness(*sides, tuple(support[place].tolist()))
    assert witness is not None
    lower = _loss_at(mechanism, witness)
    return ContinuousAudit(mechanism, upper, lower, witness, pairs=pairs)


def _rows(mechanism: Mechanism) -> Callable[[Outcome], tuple[Ints, Floats, float]]:
    """All outputs, the logs of their probabilities and the error of these, computed once."""
    known: dict[Outcome, tuple[Ints, Floats, float]] = {}

    def row(values: Outcome) -> tuple[Ints, Floats, float]:
        if values not in known:
            law = mechanism.make_raw_law(values)
            if law.candidates is None or law.candidates > MOST_OUTPUTS:
                raise NotEnumerable(
                    f"an audit lists at most {MOST_OUTPUTS} outputs, got "
                    f"{'infinitely many' if law.candidates is None else law.candidates}",
                    law.candidates,
                )
            known[values] = (law.support, *law.bounded_log_p())
            first = next(iter(known.values()))[0]
            if not np.array_equal(first, law.support):
                raise InputError("mechanism must have the same outputs for all data", "mechanism")
        return known[values]

    return row


def _loss_at(mechanism: Mechanism, witness: Witness) -> float:
    """The log ratio at one output, in balls, rounded down."""
    laws = [mechanism.make_raw_law(values) for values in (witness.counts, witness.neighbour)]
    with balls.precision(balls.PRECISION):
        first, second = (law.log_weight(witness.output) - law.log_total() for law in laws)
        if second == balls.NEVER and first > balls.NEVER:
            return math.inf
        lowest = (first - second).lower()
        return max(0.0, math.nextafter(float(lowest), -math.inf)) if lowest.is_finite() else 0.0


def _up(value: arb) -> float:
    """A float that is not below, at most 1."""
    with balls.precision(balls.PRECISION):
        return 0.0 if value <= 0 else min(1.0, math.nextafter(float(value.upper()), math.inf))
