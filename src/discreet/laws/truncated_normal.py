"""A normal law given that it lies in a ball, drawn exactly and rounded to a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from discreet.exact.inverse import Between, inverse, normal_between, rounded, uniform

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class TruncatedNormalLaw(Law):
    """w with density ∝ exp(hᵀw − ½wᵀPw) where ‖w‖² ≤ square, as the nearest multiples of 1/grid.

    P is the precision and h = P·mean; both are exact. Draws come from the normal law of precision
    P + λI and linear part h, whose part along the mean is cut off where the ball ends, and are kept
    where ‖w‖² ≤ square with probability exp(−½λ(square − ‖w‖²)). Any λ ≥ 0 and any direction give
    the same law. They are chosen such that about one draw in √(π·d) is kept where P is nothing, and
    no fewer than a few in a hundred where the mean lies far outside the ball, for any P.
    """

    precision: tuple[Vector, ...] = field(repr=False)  # private
    linear: Vector = field(repr=False)
    square: Fraction
    grid: int

    @property
    def dimension(self) -> int:
        return len(self.linear)

    @property
    def candidates(self) -> int | None:
        return None if self.dimension > 1 else 2 * self._last + 1

    @property
    def _last(self) -> int:
        """The largest outcome of a single number."""
        return rounded(self._limit, self.grid)

    def _limit(self) -> arb:
        return ball(self.square).sqrt()

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_total(self) -> arb:
        return arb(0)

    def log_weight(self, z: Outcome) -> arb:
        """Of a single number: the log of the mass of what is rounded to it."""
        if self.dimension > 1:
            raise NotEnumerable("samples of two weights or more have no probabilities to list")
        if abs(z[0]) > self._last:
            return balls.NEVER
        step = Fraction(1, 2 * self.grid)
        centre, limit = Fraction(z[0], self.grid), self._limit()
        low = -limit if z[0] == -self._last else ball(centre - step)
        high = limit if z[0] == self._last else ball(centre + step)
        return (self._mass(low, high) / self._mass(-limit, limit)).log()

    def _mass(self, low: arb, high: arb) -> arb:
        """Twice the normal mass between two numbers, by the tails in which the mean is not."""
        precision = self.precision[0][0]
        root = (ball(precision) / 2).sqrt()
        mean = ball(self.linear[0] / precision)
        left, right = (low - mean) * root, (high - mean) * root
        if left > 0:
            return left.erfc() - right.erfc()
        return (-right).erfc() - (-left).erfc() if right < 0 else right.erf() - left.erf()

    def _list(self) -> tuple[Ints, Floats]:
        rows = np.arange(-self._last, self._last + 1, dtype=np.int64)[:, None]
        logs = [balls.nearest(partial(self.log_weight, (z,))) for z in rows[:, 0].tolist()]
        return rows, np.array(logs)

    def _draw(self, size: int, source: Source) -> Ints:
        return np.array([self._one(source) for _ in range(size)], dtype=np.int64)

    def _one(self, source: Source) -> list[int]:
        while True:
            vector = self._proposal(source)
            norm = balls.memo(partial(_square, vector))
            if not balls.refine(norm, self._inside):
                continue
            if self._tilt == 0 or bernoulli(partial(self._kept_with, norm), 1, source)[0]:
                entries = [partial(_entry, vector, j) for j in range(self.dimension)]
                return [rounded(entry, self.grid) for entry in entries]

    def _inside(self, norm: arb) -> bool | None:
        limit = ball(self.square)
        return True if norm <= limit else False if norm > limit else None

    def _kept_with(self, norm: Real) -> arb:
        return (-ball(self._tilt) * (ball(self.square) - norm()) / 2).exp()

    def _proposal(self, source: Source) -> Callable[[], list[arb]]:
        """The solution of Lᵀv = L⁻¹Hh + z, where H(P + λI)H = L·Lᵀ, reflected back: w = Hv.

        H is a reflection that takes the last axis to the mean. So v_last is found first, from a
        normal number z_last that is cut off where |v_last| exceeds the radius.
        """
        normals = [_normal(source) for _ in range(self.dimension - 1)]
        normals.append(inverse(self._along, uniform(source)))
        known: dict[int, list[arb]] = {}

        def vector() -> list[arb]:
            bits = balls.working_bits()
            if bits not in known:
                factor, inner = self._factor()
                right = [h + z() for h, z in zip(inner, normals, strict=True)]
                known[bits] = _reflected(self._axis, _back(factor, right))
            return known[bits]

        return vector

    @cached_property
    def _along(self) -> Between:
        """The law of z_last: normal, between the numbers where v_last is ∓ the radius."""

        def end(sign: int) -> arb:
            factor, inner = self._factor()
            return sign * self._limit() * factor[-1][-1] - inner[-1]

        return normal_between(partial(end, -1), partial(end, 1))

    @cached_property
    def _chosen(self) -> tuple[Fraction, tuple[Fraction, ...]]:
        """λ and the axis of the reflection, found in floats.

        ‖w‖² is about `square` on average, or λ is 0 if it is less without. Where the mean is far
        outside, λ is less by the share 2/(d + 1): what remains of the density then falls off from
        the edge inwards, as the ball does.
        """
        precision, linear = (np.array(x, dtype=np.float64) for x in (self.precision, self.linear))
        values, axes = np.linalg.eigh(precision)
        values = np.maximum(values, 1e-300)
        along, square, d = axes.T @ linear, float(self.square), self.dimension

        def means(tilt: float) -> Floats:
            return np.asarray(along / (values + tilt))

        def expected(tilt: float) -> float:
            with np.errstate(over="ignore"):
                return float(np.sum(1 / (values + tilt) + np.square(means(tilt))))

        low = high = 0.0
        if d > 1 and expected(0.0) > square:
            high = 1.0
            while expected(high) > square:
                high *= 2
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if expected(middle) > square else (low, middle)
        mean = axes @ means(high)
        length = float(np.linalg.norm(mean))
        outside = min(1.0, length**2 / square)
        tilt = Fraction(high * (1 - 2 * outside / (d + 1)))
        if length == 0 or not math.isfinite(length) or outside < 0.01:
            return tilt, ()
        axis = mean / length
        axis[-1] += 1.0 if axis[-1] >= 0 else -1.0  # not the difference, which may vanish
        return tilt, tuple(map(Fraction, axis.tolist()))

    @property
    def _tilt(self) -> Fraction:
        return self._chosen[0]

    @property
    def _axis(self) -> tuple[Fraction, ...]:
        return self._chosen[1]

    @cached_property
    def _factors(self) -> dict[int, tuple[list[list[arb]], list[arb]]]:
        return {}

    def _factor(self) -> tuple[list[list[arb]], list[arb]]:
        """Cholesky's L of H(P + λI)H, and L⁻¹Hh, at the working precision: computed once for it."""
        bits = balls.working_bits()
        if bits not in self._factors:
            self._factors[bits] = self._factorised()
        return self._factors[bits]

    def _factorised(self) -> tuple[list[list[arb]], list[arb]]:
        columns = [_reflected(self._axis, [ball(x) for x in row]) for row in self.precision]
        turned = [_reflected(self._axis, list(row)) for row in zip(*columns, strict=True)]
        linear = _reflected(self._axis, [ball(h) for h in self.linear])
        rows: list[list[arb]] = []
        inner: list[arb] = []
        for i, (row, h) in enumerate(zip(turned, linear, strict=True)):
            new: list[arb] = []
            for j, earlier in enumerate(rows):
                dot = sum((a * b for a, b in zip(new, earlier, strict=False)), arb(0))
                new.append((row[j] - dot) / earlier[j])
            own = row[i] + ball(self._tilt) - sum((a * a for a in new), arb(0))
            dot = sum((a * b for a, b in zip(new, inner, strict=True)), arb(0))
            new.append(own.sqrt())
            inner.append((h - dot) / new[i])
            rows.append(new)
        return rows, inner


def _reflected(axis: tuple[Fraction, ...], vector: list[arb]) -> list[arb]:
    """(I − 2aaᵀ/aᵀa)·vector; the vector itself if there is no axis."""
    if not axis:
        return vector
    dot = sum((ball(a) * x for a, x in zip(axis, vector, strict=True)), arb(0))
    twice = 2 * dot / ball(sum((a * a for a in axis), Fraction(0)))
    return [x - twice * ball(a) for a, x in zip(axis, vector, strict=True)]


def _back(factor: list[list[arb]], right: list[arb]) -> list[arb]:
    """The solution of Lᵀw = right."""
    found: list[arb] = []  # from the last to the first
    last = len(right) - 1
    for i in range(last, -1, -1):
        dot = sum((factor[last - k][i] * x for k, x in enumerate(found)), arb(0))
        found.append((right[i] - dot) / factor[i][i])
    return found[::-1]


def _square(vector: Callable[[], list[arb]]) -> arb:
    """‖w‖²."""
    return sum((x * x for x in vector()), arb(0))


def _entry(vector: Callable[[], list[arb]], place: int) -> arb:
    return vector()[place]


def _normal(source: Source) -> Real:
    """A standard normal number: √2·erf⁻¹(2u − 1) for a uniform u."""
    u = uniform(source)
    return lambda: (2 * u() - 1).erfinv() * arb(2).sqrt()
