"""Independent integer noise, clamped to a range or not; and independent laws side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.exact import Floats, Ints, balls, draw, floats
from discreet.exact.balls import ball
from discreet.exact.draw import Source


@dataclass(frozen=True)
class NoiseLaw(Law):
    """center_i + noise, clamped to [low, high], followed by what is left of `total` if it is given.

    "two-sided": P(t) = tanh(rate/2)·e^{−rate·|t|}, the discrete Laplace law. "floored": ⌊Y⌋ for Y
    Laplace with scale 1/rate, P(t) = ½(1 − e^{−rate})·e^{−rate·t} for t ≥ 0, mirrored and shifted
    by one below zero. The center lies within the range.
    """

    center: Outcome = field(repr=False)  # private
    rate: Fraction
    shape: Literal["two-sided", "floored"]
    low: int | None = None
    high: int | None = None
    total: int | None = None

    @property
    def dimension(self) -> int:
        return len(self.center) + (self.total is not None)

    @property
    def candidates(self) -> int | None:
        if self.low is None or self.high is None:
            return None
        return int((self.high - self.low + 1) ** len(self.center))

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def require_drawable(self) -> None:
        draw.require_rate(self.rate)

    def spreads(self) -> Floats | None:
        """√Var of P(t) ∝ e^{−rate·|t|}, which is 1/(√2·sinh(rate/2))."""
        if (self.low, self.high, self.total, self.shape) != (None, None, None, "two-sided"):
            return None
        half = float(self.rate) / 2
        spread = 0.0 if half > 300 else 1 / (math.sqrt(2) * math.sinh(half))
        return np.full(self.dimension, spread)

    def log_total(self) -> arb:
        return arb(0)

    def bounded_log_p(self) -> tuple[Floats, float]:
        """`log_p`, and its error.

        Each count loses two roundings in rate·|t| and one in adding the constant; no term is
        positive, so the largest magnitude bounds them all.
        """
        log_p = self.log_p
        operations = 6 + len(self.center)
        return log_p, floats.up(operations * floats.U * float(np.abs(log_p).max()))

    def log_weight(self, z: Outcome) -> arb:
        """The log of the probability itself."""
        if self.total is not None:
            z, last = z[:-1], z[-1]
            if last != self._rest(sum(z)):
                return balls.NEVER
        result = arb(0)
        for value, center in zip(z, self.center, strict=True):
            if (self.low is not None and value < self.low) or (
                self.high is not None and value > self.high
            ):
                return balls.NEVER
            if value == self.low:
                result += self._at_most(value - center)
            elif value == self.high:
                result += self._at_most(self._mirror(value - center))
            else:
                result += self._at(value - center)
        return result

    def _rest(self, used: int) -> int:
        assert self.total is not None
        rest = self.total - used
        return rest if self.low is None else max(self.low, rest)

    def _mirror(self, t: int) -> int:
        """The noise is at least t as often as at most this."""
        return -t if self.shape == "two-sided" else -1 - t

    def _at(self, t: int) -> arb:
        """log P(noise = t)."""
        rate = ball(self.rate)
        if self.shape == "two-sided":
            return (rate / 2).tanh().log() - rate * abs(t)
        return ((-(-rate).expm1()) / 2).log() - rate * max(t, -1 - t)

    def _at_most(self, t: int) -> arb:
        """log P(noise ≤ t) for t ≤ 0: what is clamped at an end that the center does not exceed."""
        rate = ball(self.rate)
        if self.shape == "two-sided":
            return rate * t - (-rate).exp().log1p()  # e^{rate·t}/(1 + e^{−rate})
        if t < 0:
            return rate * (t + 1) - arb(2).log()  # P(⌊Y⌋ ≤ t) = P(Y < t + 1)
        return (-(-rate).exp() / 2).log1p()

    def _list(self) -> tuple[Ints, Floats]:
        assert self.low is not None
        assert self.high is not None
        values = np.arange(self.low, self.high + 1, dtype=np.int64)
        axes = [self._log_column(center, len(values)) for center in self.center]
        grid = np.stack(np.meshgrid(*[values] * len(axes), indexing="ij"), axis=-1)
        rows = grid.reshape(-1, len(axes))
        log_p = np.zeros(len(rows))
        for axis, column in enumerate(axes):
            log_p += column[rows[:, axis] - self.low]
        if self.total is not None:
            rest = np.maximum(self.total - rows.sum(axis=1), self.low)
            rows = np.column_stack([rows, rest])
        return rows, log_p

    def _log_column(self, center: int, length: int) -> Floats:
        """log P for one clamped count, over the whole range."""
        assert self.low is not None
        t = np.arange(length, dtype=np.int64) + (self.low - center)
        with balls.precision(balls.PRECISION):
            constant = float(self._at(0).mid())
            bottom = float(self._at_most(self.low - center).mid())
            assert self.high is not None
            top = float(self._at_most(self._mirror(self.high - center)).mid())
        magnitude = np.abs(t) if self.shape == "two-sided" else np.maximum(t, -1 - t)
        column = constant - float(self.rate) * magnitude
        column[0], column[-1] = bottom, top
        return column

    def _draw(self, size: int, source: Source) -> Ints:
        noise = draw.discrete_laplace if self.shape == "two-sided" else draw.floored_laplace
        flat = noise(self.rate, size * len(self.center), source)
        values = flat.reshape(size, len(self.center)) + np.array(self.center, dtype=np.int64)
        if self.low is not None or self.high is not None:
            values = np.clip(values, self.low, self.high)
        if self.total is None:
            return values
        rest = remainder(self.total, values)
        return np.column_stack([values, rest if self.low is None else np.maximum(rest, self.low)])


def remainder(total: int, rows: Ints) -> Ints:
    """total − the sum of each row, at least −1 − total, so that no 64-bit sum wraps."""
    if max(total, 1) * rows.shape[1] < 2**62:
        return np.asarray(total - rows.sum(axis=1))
    rest = [max(total - sum(row), -1 - total) for row in rows.tolist()]
    return np.array(rest, dtype=np.int64)
