"""The exponential mechanism on a grid: the score of a cell is its posterior mass."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.exact import Floats, Ints, balls
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source, accept_each, below, until_accepted
from discreet.exact.inverse import tail_mass

_BITS = 64


@dataclass(frozen=True)
class MassLaw(Law):
    """P(j) ∝ exp(scale·m_j), m_j the mass of Beta(a, b) in the j-th of equal cells of [0, 1]."""

    a: Fraction = field(repr=False)  # private
    b: Fraction = field(repr=False)
    scale: Fraction
    cells: int

    @property
    def dimension(self) -> int:
        return 1

    @property
    def candidates(self) -> int:
        return self.cells

    @property
    def log_normaliser(self) -> float:
        return balls.nearest(self.log_total)

    def log_weight(self, z: Outcome) -> arb:
        if not 0 <= z[0] < self.cells:
            return balls.NEVER
        return ball(self.scale) * self._mass(Fraction(z[0], self.cells))

    def _mass(self, left: Fraction) -> arb:
        """Of the cell that begins there, by tails that do not hold the mean: these are quick."""
        right, mean = left + Fraction(1, self.cells), self.a / (self.a + self.b)
        if right <= mean:
            return self._below(right) - self._below(left)
        if left >= mean:
            return self._above(left) - self._above(right)
        return 1 - self._below(left) - self._above(right)

    def _below(self, edge: Fraction) -> arb:
        return _tail(self.a, self.b, edge, balls.working_bits())

    def _above(self, edge: Fraction) -> arb:
        return _tail(self.b, self.a, 1 - edge, balls.working_bits())

    def _list(self) -> tuple[Ints, Floats]:
        rows = np.arange(self.cells, dtype=np.int64)[:, None]
        total = balls.memo(self.log_total)
        logs = [balls.nearest(partial(self._log_p, j, total)) for j in range(self.cells)]
        return rows, np.array(logs)

    def _log_p(self, j: int, total: Real) -> arb:
        return self.log_weight((j,)) - total()

    def log_total(self) -> arb:
        return sum((self.log_weight((j,)).exp() for j in range(self.cells)), arb(0)).log()

    def _draw(self, size: int, source: Source) -> Ints:
        """Propose by integers that are upper bounds of the weights, and keep by balls."""
        logs = [balls.sharp(partial(self.log_weight, (j,))) for j in range(self.cells)]
        top = max(balls.fraction(log.upper()) for log in logs)
        with balls.precision(balls.PRECISION):
            scaled = [(log - ball(top)).exp() * arb(2) ** _BITS for log in logs]
            envelopes = [max(1, -balls.floor(-weight.upper())) for weight in scaled]
        ends = list(accumulate(envelopes))

        def kept_with(j: int) -> Real:
            return partial(self._kept, j, top, envelopes[j])

        def propose(attempts: int) -> Ints:
            picked = [bisect_right(ends, below(ends[-1], source)) for _ in range(attempts)]
            points = np.array(picked, dtype=np.int64)
            return points[accept_each(kept_with, points, source)]

        return until_accepted(propose, size)[:, None]

    def _kept(self, j: int, top: Fraction, envelope: int) -> arb:
        return (self.log_weight((j,)) - ball(top)).exp() * arb(2) ** _BITS / envelope


@lru_cache(maxsize=1 << 10)
def _tail(a: Fraction, b: Fraction, edge: Fraction, bits: int) -> arb:
    """The mass of Beta(a, b) below an edge; neighbouring cells ask for the same one."""
    whole = (ball(a).lgamma() + ball(b).lgamma() - ball(a + b).lgamma()).exp()
    return tail_mass(ball(edge), ball(a), ball(b)) / whole
