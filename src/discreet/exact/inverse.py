"""Continuous draws: uniform bits through an inverse distribution function, all in balls.

A draw is a `Real`: it can be enclosed as tightly as a question about it needs, and more bits of the
same uniform number are fetched while it is undecided. So a draw that is rounded to a grid is
exactly the rounding of the ideal one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from discreet.exact import balls
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source

_STEPS = 400  # of the search for a root; it is certified, however it was found


def uniform(source: Source) -> Real:
    """A uniform number in [0, 1], whose bits are drawn when they are asked for."""
    word, bits = 0, 0

    def enclosed() -> arb:
        nonlocal word, bits
        missing = max(0, -(-(balls.working_bits() - bits) // 8))
        word = word << 8 * missing | int.from_bytes(source(missing), "big")
        bits += 8 * missing
        return (arb(2 * word + 1) + arb(0, 1)) / arb(2) ** (bits + 1)

    return enclosed


@dataclass(frozen=True)
class Between:
    """A law on the numbers between two others: distribution function, density, and its mass there.

    `mass` is what the law without the limits has between them, and `mode` where a search begins.
    """

    low: Real
    high: Real
    share: Callable[[arb], arb]
    density: Callable[[arb], arb]
    mass: Real
    mode: Fraction


def inverse(law: Between, u: Real) -> Real:
    """The x with share(x) = u."""
    return balls.memo(lambda: _enclosed_root(law, u()))


def _enclosed_root(law: Between, u: arb) -> arb:
    """A ball around the root: share is certainly below u at its left end and above at its right."""
    low, high = law.low(), law.high()
    width = (high - low).mid()
    root = _near_root(law, low.mid(), high.mid(), u.mid())
    radius = width * arb(2) ** (-3 * balls.working_bits() // 4)
    while radius < width:
        left, right = root - radius, root + radius
        if (left < low or law.share(left) < u) and (right > high or law.share(right) > u):
            return left.union(right)
        radius *= 1 << 12
    return low.union(high)


def _near_root(law: Between, low: arb, high: arb, u: arb) -> arb:
    """Newton's steps inside a bracket; where they would leave it, it is halved.

    From the mode they never would: the distribution function bends away from it on both sides.
    """
    close = (high - low) * arb(2) ** (-3 * balls.working_bits() // 4)
    x = ball(law.mode).mid()
    x = low if x < low else high if x > high else x
    for _ in range(_STEPS):
        value = (law.share(x) - u).mid()
        low, high = (low, x) if value > 0 else (x, high)
        following = (x - value / law.density(x)).mid()
        if not low <= following <= high:
            following = ((low + high) / 2).mid()
        if abs(following - x) < close:
            return following
        x = following
    return x


def rounded(real: Real, grid: int) -> int:
    """The multiple of 1/grid that is nearest to a real number."""

    def decided(value: arb) -> int | None:
        scaled = value * grid + arb(1) / 2
        if not scaled.is_finite():
            return None
        first, last = balls.floor(scaled.lower()), balls.floor(scaled.upper())
        return first if first == last else None

    return balls.refine(real, decided)


def beta_between(a: Fraction, b: Fraction, low: Real, high: Real) -> Between:
    """Beta(a, b) between two numbers.

    Differences are taken of tails in which the mean does not lie: they keep their digits, and are
    enclosed quickly.
    """
    with balls.precision(balls.PRECISION):
        mean = ball(a / (a + b)).mid()
        right = bool(low().mid() > mean)

    def mass_below(x: arb) -> arb:
        """Or minus the mass above, if the whole range lies to the right of the mean."""
        if not right and x.mid() <= mean:
            return tail_mass(x, ball(a), ball(b))
        above = tail_mass(1 - x, ball(b), ball(a))
        return -above if right else whole() - above

    def density(x: arb) -> arb:
        return x ** (ball(a) - 1) * (1 - x) ** (ball(b) - 1) / inside()

    def total() -> arb:
        return (ball(a).lgamma() + ball(b).lgamma() - ball(a + b).lgamma()).exp()

    whole = balls.memo(total)
    start = balls.memo(lambda: mass_below(low()))
    inside = balls.memo(lambda: mass_below(high()) - start())
    return Between(
        low,
        high,
        lambda x: (mass_below(x) - start()) / inside(),
        density,
        balls.memo(lambda: inside() / whole()),
        (a - 1) / (a + b - 2) if a > 1 and b > 1 else a / (a + b),
    )


def gamma_between(a: Fraction, rate: Fraction, low: Real, high: Real) -> Between:
    """Gamma(a) with a rate between two numbers, of which the second lies above the mean.

    By the mass above alone, which arb finds in no time; that below can take it seconds.
    """
    shape, scale = partial(ball, a), partial(ball, rate)

    def mass_below(x: arb) -> arb:
        """Minus the mass above."""
        return -(scale() * x).gamma_upper(shape())

    start = balls.memo(lambda: mass_below(low()))
    inside = balls.memo(lambda: mass_below(high()) - start())

    def density(x: arb) -> arb:
        z = scale() * x
        return scale() * ((shape() - 1) * z.log() - z).exp() / inside()

    return Between(
        low,
        high,
        lambda x: (mass_below(x) - start()) / inside(),
        density,
        balls.memo(lambda: inside() / shape().gamma()),
        max(Fraction(0), a - 1) / rate,
    )


def normal_between(low: Real, high: Real) -> Between:
    """The standard normal law between two numbers, by the tails in which 0 does not lie."""
    with balls.precision(balls.PRECISION):
        mirrored = bool(low().mid() + high().mid() < 0)

    def above(x: arb) -> arb:
        """Twice the mass above x, or minus that below, if most of the range lies below 0."""
        scaled = x / arb(2).sqrt()
        return -(-scaled).erfc() if mirrored else scaled.erfc()

    start = balls.memo(lambda: above(low()))
    inside = balls.memo(lambda: start() - above(high()))

    def density(x: arb) -> arb:
        return (-x * x / 2).exp() * (2 / arb.pi()).sqrt() / inside()

    return Between(
        low,
        high,
        lambda x: (start() - above(x)) / inside(),
        density,
        balls.memo(lambda: inside() / 2),
        Fraction(0),
    )


def tail_mass(x: arb, a: arb, b: arb) -> arb:
    """∫_0^x t^{a−1}(1 − t)^{b−1} dt.

    x^a(1 − x)^b/a·Σ_j Π_{i<j} x(a + b + i)/(a + 1 + i) for large parameters where the ratios begin
    below 0.95. They move towards x, so from a ratio r on the rest is at most a geometric series
    with ratio max(r, x). Elsewhere arb's own.
    """
    if not (a + b > 200 and x * (a + b) < 0.95 * (a + 1)):
        return x.beta_lower(a, b)
    term, total, least = arb(1), arb(1), arb(2) ** -balls.working_bits()
    above, below = x * (a + b), a + 1
    while True:
        for _ in range(16):
            term *= above / below
            total += term
            above, below = above + x, below + 1
        ratio = (above / below).max(x)
        rest = term * ratio / (1 - ratio)
        if rest < least * total:
            return x**a * (1 - x) ** b / a * (total + rest * arb(0.5, 0.5))
