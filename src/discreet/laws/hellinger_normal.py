"""The exponential mechanism over a grid of normal posteriors, by their Hellinger distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.exact import Floats, Ints, balls
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source
from discreet.exact.shells import unimodal


@dataclass(frozen=True)
class HellingerNormalLaw(Law):
    """P(j) ∝ exp(−ε·H(center − t_j)/(2·H(shift))), t_j = −reach, …, reach in `points` equal steps.

    H(t)² = 1 − exp(−scale·t²) is the squared Hellinger distance of normal laws with equal variances
    whose means are as far apart as sums that differ by t.
    """

    center: int = field(repr=False)  # private
    reach: int
    points: int
    scale: Fraction
    shift: int
    epsilon: Fraction

    @property
    def dimension(self) -> int:
        return 1

    @property
    def candidates(self) -> int:
        return self.points

    @property
    def log_normaliser(self) -> float:
        return balls.nearest(self.log_total)

    def log_total(self) -> arb:
        return sum((self.log_weight((j,)).exp() for j in range(self.points)), arb(0)).log()

    def log_weight(self, z: Outcome) -> arb:
        if not 0 <= z[0] < self.points:
            return balls.NEVER
        away = self.center - place(z[0], self.reach, self.points)
        return -ball(self.epsilon / 2) * self._distance(away) / self._distance(self.shift)

    def _distance(self, away: Fraction | int) -> arb:
        return (-ball(-self.scale * away**2).expm1()).sqrt()

    def float_logs(self, centers: Floats) -> Floats:
        """`log_weight` in floats, a row for every center and a column for every point."""
        apart = centers[:, None] - np.linspace(-float(self.reach), float(self.reach), self.points)
        with balls.precision(balls.PRECISION):
            rate = float(ball(self.epsilon / 2) / self._distance(self.shift))
        return np.asarray(-rate * np.sqrt(-np.expm1(-float(self.scale) * apart**2)))

    def _list(self) -> tuple[Ints, Floats]:
        rows = np.arange(self.points, dtype=np.int64)[:, None]
        total = balls.memo(self.log_total)
        logs = [balls.nearest(partial(self._log_p, j, total)) for j in range(self.points)]
        return rows, np.array(logs)

    def _log_p(self, j: int, total: Real) -> arb:
        return self.log_weight((j,)) - total()

    def _draw(self, size: int, source: Source) -> Ints:
        """The weight falls on both sides of the point that is nearest to the center."""
        nearest = round(Fraction(self.center + self.reach, 2 * self.reach) * (self.points - 1))

        def log_weight(j: int) -> arb:
            return self.log_weight((j,))

        return unimodal(nearest, 0, self.points - 1, log_weight, size, source)[:, None]


def place(j: int, reach: int, points: int) -> Fraction:
    """t_j."""
    return Fraction(2 * reach * j, points - 1) - reach
