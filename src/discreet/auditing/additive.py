"""The privacy of integer noise that is added to whole numbers, read off the laws themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from discreet.core import Law, PointMass
from discreet.core.law import ProductLaw
from discreet.exact.balls import ball
from discreet.exact.hockey_stick import (
    LARGEST_PAIR,
    discrete_gaussian_delta,
    discrete_hockey_stick,
    discrete_pair_delta,
    least_gaussian_delta,
)
from discreet.laws.gaussian import DiscreteGaussianLaw, SummedGaussianLaw
from discreet.laws.noise import NoiseLaw


class Shift(NamedTuple):
    """How far the centers of two laws of noise are apart.

    `laplace` is Σ rate_i·|shift_i| over discrete Laplace noise, infinite where no noise hides a
    difference, and if only one number differs `lone` is by how much and the rate. `squares` is
    Σ (shift_i/σ_i)² over discrete Gaussian noise of `dimension` coordinates and least variance
    `least`, and if only one of these differs `single` is by how much and the variance. If two
    differ, by 1 each, `pair` is the variance.
    """

    laplace: Fraction | float
    lone: tuple[int, Fraction] | None = None
    squares: Fraction = Fraction(0)
    dimension: int = 0
    least: Fraction = Fraction(1)
    single: tuple[int, Fraction] | None = None
    pair: Fraction | None = None

    def delta(self, epsilon: Fraction) -> tuple[arb, arb]:
        """Bounds on δ(ε): the same ball for noise of one kind if one number differs.

        Laplace noise of loss ℓ beside Gaussian noise has at most δ(ε − ℓ) of the latter: given the
        one output, P_G(A) ≤ e^{ε − ℓ}·P'_G(A) + δ, and P_L ≤ e^ℓ·P'_L on average over it.
        """
        if isinstance(self.laplace, float):
            return arb(1), arb(1)
        if self.squares == 0:
            return _laplace_delta(self.laplace, self.lone, epsilon)
        if self.single is not None and self.laplace == 0:
            exact = discrete_hockey_stick(epsilon, *self.single)
            return exact, exact
        if self.pair is not None and self.pair <= LARGEST_PAIR and self.laplace == 0:
            exact = discrete_pair_delta(epsilon, self.pair)
            return exact, exact
        square = self.squares * self.least
        rest = epsilon - self.laplace
        upper = discrete_gaussian_delta(rest, square, self.least, self.dimension)
        return least_gaussian_delta(epsilon, square, self.least, self.dimension), upper


def _laplace_delta(
    loss: Fraction, lone: tuple[int, Fraction] | None, epsilon: Fraction
) -> tuple[arb, arb]:
    """One number: P(Z ≤ k) − e^ε·P(Z ≤ k − shift), k the last at which the log ratio exceeds ε.

    Several: at most (e^ℓ − e^ε)/(e^ℓ + 1), as of anything that loses ℓ (Kairouz, Oh and Viswanath
    2015).
    """
    if epsilon >= loss:
        return arb(0), arb(0)
    if lone is None:
        return arb(0), (1 - ball(epsilon - loss).exp()) / (1 + ball(-loss).exp())
    shift, rate = lone
    k = -(-(shift - epsilon / rate) // 2) - 1
    above = ball(-rate * (k + 1)).exp() + ball(epsilon - rate * (shift - k)).exp()
    exact = 1 - above / (1 + ball(-rate).exp())
    return exact, exact


def shift_between(here: Law, there: Law) -> Shift | None:
    """Between two laws of added noise; None if they are something else."""
    loss: Fraction | float = Fraction(0)
    gaussian: list[tuple[int, Fraction]] = []
    laplace: list[tuple[int, Fraction]] = []
    for p, q in zip(_parts(here), _parts(there), strict=True):
        if type(p) is not type(q):
            return None
        if isinstance(p, PointMass) and isinstance(q, PointMass):
            loss = loss if p.point == q.point else math.inf
        elif isinstance(p, NoiseLaw) and isinstance(q, NoiseLaw):
            if (p.low, p.high, p.total, p.shape) != (None, None, None, "two-sided"):
                return None
            loss = loss if p.rate == q.rate else math.inf
            laplace += [(abs(a - b), p.rate) for a, b in zip(p.center, q.center, strict=True)]
        elif isinstance(p, DiscreteGaussianLaw) and isinstance(q, DiscreteGaussianLaw):
            loss = loss if p.variances == q.variances else math.inf
            centers = zip(p.center, q.center, p.variances, strict=True)
            gaussian += [(abs(a - b), variance) for a, b, variance in centers]
        elif isinstance(p, SummedGaussianLaw) and isinstance(q, SummedGaussianLaw):
            # the noisy records are audited, of which only the replaced one changes
            loss = loss if p.variance == q.variance else math.inf
            gaussian.append((abs(p.center[0] - q.center[0]), p.variance))
        else:
            return None
    changed = [pair for pair in gaussian if pair[0]]
    moved = [pair for pair in laplace if pair[0]]
    return Shift(
        loss + sum((shift * rate for shift, rate in moved), Fraction(0)),
        moved[0] if len(moved) == 1 else None,
        sum((shift**2 / variance for shift, variance in changed), Fraction(0)),
        len(changed),  # the others are independent, and tell nothing
        min((variance for _, variance in changed), default=Fraction(1)),
        changed[0] if len(changed) == 1 else None,
        changed[0][1] if len(changed) == 2 and set(changed) == {(1, changed[0][1])} else None,
    )


def _parts(law: Law) -> Iterator[Law]:
    if isinstance(law, ProductLaw):
        for part in law.parts:
            yield from _parts(part)
    else:
        yield law


def center_of(law: Law) -> tuple[int, ...]:
    """The output without noise."""
    found: list[int] = []
    for part in _parts(law):
        if isinstance(part, PointMass):
            found += part.point
        else:
            assert isinstance(part, (NoiseLaw, DiscreteGaussianLaw, SummedGaussianLaw))
            found += part.center
    return tuple(found)


def worst_shifts(shifts: Iterable[Shift]) -> tuple[Shift, ...]:
    """Those that no other exceeds.

    δ(ε) grows with the shift: of one number it is the largest P(Z ≥ m) − e^ε·P(Z ≥ m + shift) over
    all m; of several the bounds grow with ℓ and with Σ (shift_i/σ_i)².
    """
    kept: dict[object, list[Shift]] = {}
    for shift in sorted(set(shifts), key=lambda s: (s.laplace, s.squares), reverse=True):
        alone = *(one and one[1] for one in (shift.lone, shift.single)), shift.pair
        front = kept.setdefault((shift.dimension, shift.least, alone), [])
        if not front or shift.squares > front[-1].squares:
            front.append(shift)
    return tuple(shift for front in kept.values() for shift in front)
