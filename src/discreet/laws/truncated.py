"""A Dirichlet law cut off near the edges of the simplex, drawn and rounded to a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints, balls
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source, bernoulli
from discreet.exact.inverse import beta_between, gamma_between, inverse, rounded, uniform

FEW = 6  # states, of which one share is drawn after the other
_MOST_RATE = 1e15


@dataclass(frozen=True)
class TruncatedDirichletLaw(Law):
    """θ ~ Dir(parameters) given θ_i ≥ ω for all i, as whole numbers of grid steps that sum to grid.

    The partial sums θ_1 + … + θ_j are rounded to the nearest multiple of 1/grid. For two states θ_1
    comes through the inverse of its distribution function. For more, the states are taken from the
    smallest parameter upwards: each has a Beta law on what the earlier ones left, within the range
    that leaves ω for the later ones, and the whole vector is kept with probability
    Π_j Z_j(s_j)/Z_j(1 − jω), where Z_j(s) is the mass of that Beta law in its range if s is left.
    That probability falls exponentially in the number of states, so for more than six of them all
    but the one with the largest parameter are independent gamma variables: see `tilted`.
    """

    parameters: tuple[Fraction, ...] = field(repr=False)  # private
    omega: Fraction
    grid: int

    @property
    def dimension(self) -> int:
        return len(self.parameters)

    @property
    def candidates(self) -> int:
        if self.dimension > 2:
            return math.comb(self.grid + self.dimension - 1, self.dimension - 1)
        return self._last - self._first + 1

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_total(self) -> arb:
        return arb(0)

    @property
    def _first(self) -> int:
        return math.floor(self.omega * self.grid + Fraction(1, 2))

    @property
    def _last(self) -> int:
        return math.ceil((1 - self.omega) * self.grid - Fraction(1, 2))

    def log_weight(self, z: Outcome) -> arb:
        """For two states: the log of the mass of all θ_1 that are rounded to z_1."""
        if self.dimension > 2:
            raise NotEnumerable("samples of three or more states have no probabilities to list")
        if sum(z) != self.grid or not self._first <= z[0] <= self._last:
            return balls.NEVER
        centre, step = Fraction(z[0], self.grid), Fraction(1, 2 * self.grid)
        below = arb(0) if z[0] == self._first else self._share(ball(centre - step))
        above = arb(1) if z[0] == self._last else self._share(ball(centre + step))
        return (above - below).log()

    @cached_property
    def _share(self) -> Callable[[arb], arb]:
        ends = partial(ball, self.omega), partial(ball, 1 - self.omega)
        return beta_between(self.parameters[0], self.parameters[1], *ends).share

    def _list(self) -> tuple[Ints, Floats]:
        first = np.arange(self._first, self._last + 1, dtype=np.int64)
        rows = np.stack([first, self.grid - first], axis=1)
        logs = [balls.nearest(partial(self.log_weight, tuple(row))) for row in rows.tolist()]
        return rows, np.array(logs)

    def _draw(self, size: int, source: Source) -> Ints:
        return np.array([self._one(source) for _ in range(size)], dtype=np.int64)

    def _one(self, source: Source) -> list[int]:
        if self.dimension > FEW:
            return self._rounded(tilted(self.parameters, self.omega, source))
        order = sorted(range(self.dimension), key=lambda i: self.parameters[i])
        while True:
            parts, kept_with = _broken([self.parameters[i] for i in order], self.omega, source)
            if self.dimension == 2 or bernoulli(kept_with, 1, source)[0]:
                break
        return self._rounded([parts[order.index(i)] for i in range(self.dimension)])

    def _rounded(self, parts: Sequence[Real]) -> list[int]:
        shares = parts[:-1]
        sums = [0, *(rounded(_sum(shares[: j + 1]), self.grid) for j in range(len(shares)))]
        return [b - a for a, b in zip(sums, [*sums[1:], self.grid], strict=True)]


def _broken(
    parameters: Sequence[Fraction], omega: Fraction, source: Source
) -> tuple[list[Real], Real]:
    """One share after the other, and the probability with which they are kept."""
    shares: list[Real] = []
    ratios: list[tuple[Real, Real]] = []
    for j, a in enumerate(parameters[:-1]):
        later = len(parameters) - 1 - j
        beta = partial(beta_between, a, sum(parameters[j + 1 :], Fraction(0)))
        left = _rest(shares)
        low, high = _range(omega, later, left)
        between = beta(low, high)
        if j > 0:
            most = beta(*_range(omega, later, partial(ball, 1 - j * omega)))
            ratios.append((between.mass, most.mass))
        part = inverse(between, uniform(source))
        shares.append(_product(left, part))
    shares.append(_rest(shares))
    return shares, lambda: math.prod((z() / most() for z, most in ratios), start=arb(1))


def tilted(parameters: Sequence[Fraction], omega: Fraction, source: Source) -> list[Real]:
    """θ ~ Dir(parameters) given θ_i ≥ ω for all i, at a cost that grows like k^1.5 in k states.

    The density Π θ_i^{a_i−1} on Σθ_i = 1 is that of independent gamma variables of any common rate,
    as Π e^{−rate·θ_i} = e^{−rate} is constant. All but the one with the largest parameter are drawn
    between ω and 1 − (k − 1)ω; that one is what is left, x, and all are kept with probability
    f(x)/max f, f(x) = x^{a−1}e^{−rate·x} from ω on and 0 below. The rate, at which the means sum to
    one, decides how often that happens, about once in √k times, not what is drawn.
    """
    k, rate = len(parameters), _rate(parameters, omega)
    last = max(range(k), key=lambda i: parameters[i])
    a, most = parameters[last], 1 - (k - 1) * omega
    low, high = partial(ball, omega), partial(ball, most)
    others = [a for i, a in enumerate(parameters) if i != last]
    laws = {a: gamma_between(a, rate, low, high) for a in set(others)}
    peak = min(max((a - 1) / rate, omega), most)

    def kept_with(rest: Real) -> arb:
        x = rest()
        if x < ball(omega):
            return arb(0)
        ratio = ((ball(a) - 1) * (x / ball(peak)).log() - ball(rate) * (x - ball(peak))).exp()
        return ratio if x >= ball(omega) else ratio.union(arb(0))

    while True:
        shares = [inverse(laws[a], uniform(source)) for a in others]
        rest = balls.memo(_rest(shares))
        if bernoulli(partial(kept_with, rest), 1, source)[0]:
            return [*shares[:last], rest, *shares[last:]]


def _rate(parameters: Sequence[Fraction], omega: Fraction) -> Fraction:
    """Where the means of gamma variables above ω sum to one, nearly: floats are good enough."""
    from scipy.special import gammaincc

    shapes, least = np.array([float(a) for a in parameters]), float(omega)

    def total(rate: float) -> float:
        above = gammaincc(shapes, rate * least)
        far = above < 1e-200  # where the density falls like an exponential one
        slope = np.maximum(rate - (shapes - 1) / least, rate / 10)
        means = shapes / rate * gammaincc(shapes + 1, rate * least) / np.where(far, 1, above)
        return float(np.where(far, least + 1 / slope, means).sum())

    low = high = float(shapes.sum())
    while total(high) > 1 and high < _MOST_RATE:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if total(middle) > 1 else (low, middle)
    return Fraction(high)


def _range(omega: Fraction, later: int, left: Real) -> tuple[Real, Real]:
    """Of a share of what is left, such that it and each of the later ones are ω or more."""
    return (lambda: ball(omega) / left()), (lambda: 1 - later * ball(omega) / left())


def _rest(shares: Sequence[Real]) -> Real:
    return partial(_difference, tuple(shares))


def _difference(shares: tuple[Real, ...]) -> arb:
    return 1 - sum((share() for share in shares), arb(0))


def _product(one: Real, other: Real) -> Real:
    return lambda: one() * other()


def _sum(shares: Sequence[Real]) -> Real:
    return lambda: sum((share() for share in shares), arb(0))
