"""Integer noise that keeps the total: z with Σz = 0 and P(z) ∝ exp(−ε·½‖z‖₁).

And the ways back from noisy counts to possible ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.core.law import Law, Outcome, PointMass
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints, balls, compositions, draw, theta
from discreet.exact.balls import ball
from discreet.exact.draw import Source
from discreet.exact.shells import unimodal
from discreet.laws.noise import NoiseLaw

MOST_POINTS = 20_000_000  # lattice points behind a post-processed law
TAIL = 1e-14  # probability of the lattice points that such a law leaves out
_FEW = 64  # categories up to which plain rejection is the faster sampler


@dataclass(frozen=True)
class LatticeLaw(Law):
    """center + z, z ∈ Z^k with Σz = 0, P(z) = e^{−ε·½‖z‖₁}/Z.

    k independent discrete Laplace(ε/2) numbers given that they sum to zero.
    """

    center: Outcome = field(repr=False)  # private
    epsilon: Fraction

    @property
    def dimension(self) -> int:
        return len(self.center)

    @property
    def candidates(self) -> None:
        return None

    def require_drawable(self) -> None:
        draw.require_rate(self.epsilon / 2)

    @cached_property
    def log_normaliser(self) -> float:
        from scipy import special

        k, epsilon = len(self.center), float(self.epsilon)
        j = np.arange(k)
        terms = 2 * _log_binomials(k - 1) - epsilon * j
        return float(special.logsumexp(terms) - (k - 1) * math.log(-math.expm1(-epsilon)))

    def log_total(self) -> arb:
        return theta.log_lattice(len(self.center), self.epsilon)

    def log_weight(self, z: Outcome) -> arb:
        if sum(z) != sum(self.center):
            return balls.NEVER
        distance = sum(abs(a - b) for a, b in zip(z, self.center, strict=True)) // 2
        return -ball(self.epsilon) * distance

    def _list(self) -> tuple[Ints, Floats]:
        raise NotEnumerable("the law has infinitely many outcomes")

    def _draw(self, size: int, source: Source) -> Ints:
        k = len(self.center)
        if k <= _FEW:
            noise = draw.balanced_laplace(self.epsilon / 2, k, size, source)
        else:
            rows = [self._split(source) for _ in range(size)]
            noise = np.array(rows, dtype=np.int64).reshape(size, k)
        return noise + np.array(self.center, dtype=np.int64)

    def _split(self, source: Source) -> Ints:
        """One draw without rejection of whole vectors, for many categories.

        A discrete Laplace number is the difference of two geometric ones, so z = x − y where x and
        y are uniform compositions of the same number m, and P(m) ∝ C(m+k−1, m)²·e^{−ε·m}. Its
        generating function is (1−t)^{1−2k}·Σ_j C(k−1, j)²t^j, hence m = j + 2k−1 geometric numbers.
        """
        k = len(self.center)
        m = self._pairs(source) + int(draw.geometric(self.epsilon, 2 * k - 1, source).sum())
        return compositions.uniform(m, k, source) - compositions.uniform(m, k, source)

    def _pairs(self, source: Source) -> int:
        """j in 0 … k−1 with P(j) ∝ C(k−1, j)²·e^{−ε·j}, a unimodal law.

        The ratio of P(j+1) to P(j) is ((k−1−j)/(j+1))²·e^{−ε}, above 1 below the mode.
        """
        top = len(self.center) - 1
        _, crossing = balls.bounds(lambda: _crossing(top, self.epsilon), 0)
        mode = min(max(crossing, 0), top)

        def log_weight(j: int) -> arb:
            with balls.extra_precision(64):
                ratio = _log_binomial(top, j) - _log_binomial(top, mode)
                return 2 * ratio - ball(self.epsilon) * (j - mode)

        return int(unimodal(mode, 0, top, log_weight, 1, source)[0])


def _crossing(top: int, epsilon: Fraction) -> arb:
    root = (ball(epsilon) / 2).exp()
    return (top - root) / (1 + root)


def _log_binomial(n: int, j: int) -> arb:
    return arb(n + 1).lgamma() - arb(j + 1).lgamma() - arb(n - j + 1).lgamma()


def _log_binomials(n: int) -> Floats:
    """ln C(n, j) for j = 0 … n."""
    from scipy import special

    j = np.arange(n + 1)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(j + 1) - special.gammaln(n - j + 1))


@dataclass(frozen=True)
class PostprocessedLattice(Law):
    """The law of the released counts, for a raw lattice law and a public map.

    Listed by summing over the raw outcomes within a radius that leaves out at most `TAIL`: rarer
    outcomes are missing from `support`. Draws are exact; the privacy loss is that of the raw law.

    `keeps` says what the map leaves as it is: "counts" (every vector of counts), "positive" (those
    without a 0, which come from nothing but themselves), or "nothing" that is known.
    """

    raw: LatticeLaw
    released: Callable[[Ints], Ints] = field(repr=False)
    keeps: str = "nothing"

    @property
    def dimension(self) -> int:
        return self.raw.dimension

    @cached_property
    def _radius(self) -> int:
        """The least R with P(½‖z‖₁ > R) ≤ TAIL.

        P(½‖z‖₁ = s) is log-concave in s (a product of generating functions with that property), so
        what follows s + 1 is at most a geometric series with the ratio of the next two terms.
        """
        k, epsilon = self.dimension, float(self.raw.epsilon)
        s, points = 0, 0
        term = math.exp(-self.raw.log_normaliser)
        while True:
            points += shell_size(k, s)
            if points > MOST_POINTS:
                raise NotEnumerable(
                    f"the law sums over more than {MOST_POINTS} lattice points, too many to list",
                    points,
                )
            following = math.exp(
                math.log(shell_size(k, s + 1)) - epsilon * (s + 1) - self.raw.log_normaliser
            )
            if following < term and following / (1 - following / term) <= TAIL:
                return s
            s, term = s + 1, following

    @cached_property
    def _preimages(self) -> tuple[Ints, Ints, Ints]:
        """Released outcomes; for every raw outcome in the ball, which of them, and its radius."""
        noise = points(self.dimension, 0, self._radius)
        rows = self.released(noise + np.array(self.raw.center, dtype=np.int64))
        support, places = np.unique(rows, axis=0, return_inverse=True)
        return support, places.ravel(), np.abs(noise).sum(axis=1) // 2

    @property
    def candidates(self) -> int:
        return len(self._preimages[0])

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_total(self) -> arb:
        return arb(0)

    def log_weight(self, z: Outcome) -> arb:
        """The log of the probability: the raw outcomes within the radius, and at most the rest."""
        support, places, radii = self._preimages
        match = np.flatnonzero((support == np.array(z)).all(axis=1))
        x = (-ball(self.raw.epsilon)).exp()
        total = self.raw.log_total().exp()
        everything = sum(
            (shell_size(self.dimension, s) * x**s for s in range(self._radius + 1)), arb(0)
        )
        found = arb(0)
        if len(match):
            for s, times in enumerate(np.bincount(radii[places == match[0]]).tolist()):
                found += times * x**s
        if not found > 0:
            return arb(0, math.inf)  # somewhere below the tail that is left out
        return (found / total).union((found + total - everything) / total).log()

    def probability(self, z: Sequence[int] | NDArray[Any]) -> float:
        outcome = np.array(self._outcome(z))
        support, log_p = self._listed
        match = np.flatnonzero((support == outcome).all(axis=1))
        return float(np.exp(log_p[match[0]])) if len(match) else 0.0

    def _list(self) -> tuple[Ints, Floats]:
        support, places, radii = self._preimages
        weights = np.exp(-float(self.raw.epsilon) * radii)
        sums = np.bincount(places, weights=weights, minlength=len(support))
        return support, np.log(sums) - self.raw.log_normaliser

    def _draw(self, size: int, source: Source) -> Ints:
        return self.released(self.raw._draw(size, source))


def shell_size(k: int, s: int, total: int = 0) -> int:
    """How many z ∈ Z^k have Σz = total and negative entries that sum to −s, by their number j.

    With total 0 these are the z with ½‖z‖₁ = s.
    """
    if s == 0:
        return compositions.count(total, k)
    return sum(
        math.comb(k, j) * math.comb(s - 1, j - 1) * compositions.count(total + s, k - j)
        for j in range(1, min(k - 1, s) + 1)
    )


def points(k: int, total: int, reach: int) -> Ints:
    """All z ∈ Z^k with Σz = total whose negative entries sum to at least −reach, one a row.

    With total 0 it is the ball ½‖z‖₁ ≤ reach.
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    positive = np.zeros(1, dtype=np.int64)
    negative = np.zeros(1, dtype=np.int64)
    for _ in range(k - 1):
        low, high = -(reach - negative), total + reach - positive
        repeats = high - low + 1
        parents = np.repeat(np.arange(len(rows)), repeats)
        starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
        value = np.arange(len(parents)) - starts + low[parents]
        rows = np.column_stack([rows[parents], value])
        positive = positive[parents] + np.maximum(value, 0)
        negative = negative[parents] + np.maximum(-value, 0)
    # if the last entry is negative, its size and the others' are positive − total ≤ reach
    return np.column_stack([rows, total + negative - positive])


def lattice_law(n: int, epsilon: Fraction, counts: Outcome) -> Law:
    """c + z with P(z) ∝ exp(−ε·½‖z‖₁) over Σz = 0."""
    if len(counts) == 2 or n == 0:
        return two_sided(n, epsilon, counts)
    return LatticeLaw(counts, epsilon)


def two_sided(n: int, epsilon: Fraction, counts: Outcome) -> Law:
    """Two categories: the geometric mechanism."""
    if n == 0:
        return PointMass(counts)
    return NoiseLaw(counts[:1], epsilon, "two-sided", total=n)


def clip(n: int, raw: Ints) -> Ints:
    """Every count to [0, n]."""
    return np.clip(raw, 0, n)


def project(n: int, raw: Ints) -> Ints:
    """The nearest vector of counts in l2: r ≥ 0 with Σr = n, for rows that sum to n.

    The Euclidean projection is max(z − τ, 0). All its positive entries have the same fractional
    part, so the largest remainders are ties, and rounding gives one more to the first categories.
    """
    if n == 0:
        return np.zeros_like(raw)
    descending = -np.sort(-raw, axis=1)
    excess = np.cumsum(descending, axis=1) - n
    places = np.arange(1, raw.shape[1] + 1)
    positive = (descending > excess // places).sum(axis=1)  # entries above τ
    excess = np.take_along_axis(excess, positive[:, None] - 1, axis=1)
    floor = -(-excess // positive[:, None])  # ⌈τ⌉
    released = np.maximum(raw - floor, 0)
    above = raw > excess // positive[:, None]
    missing = n - released.sum(axis=1, keepdims=True)
    return np.asarray(released + (above & (np.cumsum(above, axis=1) <= missing)))
