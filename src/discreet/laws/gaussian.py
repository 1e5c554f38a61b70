"""The discrete Gaussian: normal noise on the integers."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from discreet import check
from discreet.core.law import Law, Outcome
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Bools, Floats, Ints, balls, draw, floats, theta
from discreet.exact.balls import ball
from discreet.exact.draw import Source
from discreet.progress import track

LEAST_VARIANCE, MOST_VARIANCE = Fraction(1, 10**100), Fraction(10) ** 30
_AT_ONCE = 50_000  # summands that are drawn together
_UNSURE = 2.0**-40  # more than the error of a probability in floats


@dataclass(frozen=True)
class DiscreteGaussianLaw(Law):
    """Independent z_i with P(z_i) ∝ exp(−(z_i − center_i)²/(2·variance_i)) on the integers.

    Canonne, Kamath and Steinke 2020. The variance of z_i is at most variance_i, and equal to many
    digits from variance_i = 2 on.
    """

    center: Outcome = field(repr=False)  # private
    variances: tuple[Fraction, ...]

    @property
    def dimension(self) -> int:
        return len(self.center)

    @property
    def candidates(self) -> None:
        return None

    @property
    def log_normaliser(self) -> float:
        return balls.nearest(self.log_total)

    def spreads(self) -> Floats:
        return np.sqrt(np.array(self.variances, dtype=np.float64))

    def log_total(self) -> arb:
        return sum((theta.log_theta(variance) for variance in self.variances), arb(0))

    def log_weight(self, z: Outcome) -> arb:
        terms = zip(z, self.center, self.variances, strict=True)
        return ball(-sum((Fraction((x - c) ** 2) / (2 * v) for x, c, v in terms), Fraction(0)))

    def require_drawable(self) -> None:
        for place, variance in enumerate(self.variances):
            if not LEAST_VARIANCE <= variance <= MOST_VARIANCE:
                raise InputError(
                    f"variances[{place}] must lie between 1e-100 and 1e30, so that draws fit "
                    f"64-bit integers, got {check.show(variance)}",
                    "variances",
                )

    def _list(self) -> tuple[Ints, Floats]:
        raise NotEnumerable("the law has infinitely many outcomes")

    def _draw(self, size: int, source: Source) -> Ints:
        self.require_drawable()
        values = np.tile(np.array(self.center, dtype=np.int64), (size, 1))
        for variance in dict.fromkeys(self.variances):
            places = [i for i, other in enumerate(self.variances) if other == variance]
            noise = discrete_gaussian(variance, size * len(places), source)
            values[:, places] += noise.reshape(size, len(places))
        return values


def discrete_gaussian(variance: Fraction, size: int, source: Source) -> Ints:
    """Exact draws of P(z) ∝ exp(−z²/(2σ²)) (Canonne, Kamath and Steinke 2020, Algorithm 3).

    Proposed is discrete Laplace noise of rate 1/t, t = ⌊σ⌋ + 1, and kept with probability
    exp(−(|y| − σ²/t)²/(2σ²)): the product is the wanted weight times a constant.
    """
    t = math.isqrt(int(variance)) + 1  # ⌊√x⌋ = ⌊√⌊x⌋⌋

    def propose(attempts: int) -> Ints:
        noise = draw.discrete_laplace(Fraction(1, t), attempts, source)
        return noise[_kept(variance, t, np.abs(noise), source)]

    return draw.until_accepted(propose, size)


def _kept(variance: Fraction, t: int, magnitude: Ints, source: Source) -> Bools:
    """Which proposals are kept: 53 random bits are compared with a float, unclear ones by balls.

    With d = |y| − σ²/t and x = d²/(2σ²), the float of d is off by at most u·(|y| + σ²/t + |d|) and
    σ²/t < σ. For x ≤ 50 that moves x by at most 220u and the other operations by 200u; for
    larger x both the probability and its float are below 2⁻⁶⁰. `floats.exp` is right to 8u. All in
    all less than 2⁻⁴³.
    """
    distance = magnitude - float(variance / t)
    p = floats.exp(-(distance / float(variance) * distance / 2))
    bits = np.frombuffer(source(8 * len(magnitude)), dtype="<u8") >> np.uint64(11)
    below = bits.astype(np.float64) * 2.0**-53
    result: Bools = below < p
    for i in np.flatnonzero(np.abs(below - p) <= _UNSURE):
        rest = partial(_rest, variance, t, int(magnitude[i]), int(bits[i]))
        result[i] = bool(draw.bernoulli(rest, 1, source)[0])
    return result


def _rest(variance: Fraction, t: int, magnitude: int, bits: int) -> arb:
    """P(a uniform number that begins with these 53 bits lies below the probability)."""
    p = ball(-((magnitude - variance / t) ** 2) / (2 * variance)).exp()
    return (p * arb(2) ** 53 - bits).max(arb(0)).min(arb(1))


@dataclass(frozen=True)
class SummedGaussianLaw(Law):
    """center + the sum of `count` independent discrete Gaussians of one variance.

    log P(z) = −(z − c)²/(2mσ²) − ½·log(2πmσ²) − m·log(1 + ripple(σ²)), m the count, up to
    m·log(1/(1 − r)), r = ripple(σ²/2): by Poisson's formula a sum of k + 1 has the density of the
    normal law times a factor 1 ± ripple(σ²·k/(k + 1)) for the last. So it is enclosed, but not
    ever more tightly; draws are exact, since the summands are drawn.
    """

    center: Outcome = field(repr=False)  # private
    variance: Fraction
    count: int

    @property
    def dimension(self) -> int:
        return 1

    @property
    def candidates(self) -> None:
        return None

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def spreads(self) -> Floats:
        return np.full(1, math.sqrt(self.count * self.variance))

    def log_total(self) -> arb:
        return arb(0)

    def log_weight(self, z: Outcome) -> arb:
        whole = self.count * self.variance
        height = (2 * arb.pi() * ball(whole)).log() / 2
        height += self.count * theta.ripple(self.variance).log1p()
        unsure = -(-theta.ripple(self.variance / 2)).log1p() * self.count
        exponent = ball(Fraction((z[0] - self.center[0]) ** 2) / (2 * whole))
        return -exponent - height + unsure * arb(0, 1)

    def require_drawable(self) -> None:
        DiscreteGaussianLaw(self.center, (self.variance * self.count,)).require_drawable()

    def _list(self) -> tuple[Ints, Floats]:
        raise NotEnumerable("the law has infinitely many outcomes")

    def _draw(self, size: int, source: Source) -> Ints:
        self.require_drawable()
        rows, columns = max(1, _AT_ONCE // self.count), min(_AT_ONCE, self.count)
        blocks = list(itertools.product(range(0, size, rows), range(0, self.count, columns)))
        sums = np.full(size, self.center[0], dtype=np.int64)
        for row, column in track(blocks, "noise"):
            shape = min(rows, size - row), min(columns, self.count - column)
            noise = discrete_gaussian(self.variance, shape[0] * shape[1], source)
            sums[row : row + shape[0]] += noise.reshape(shape).sum(axis=1)
        return sums[:, None]
