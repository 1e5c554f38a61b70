"""A law given by integer weights, one for every vector of counts with sum n."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.exact import Floats, Ints, balls, compositions
from discreet.exact.draw import Source, below, below_many


@dataclass(frozen=True)
class TableLaw(Law):
    """P(r) = weight of r / sum of the weights, over the compositions r of n into k parts, in order.

    The weights are non-negative integers of any size.
    """

    n: int
    k: int
    weights: tuple[int, ...] = field(repr=False)  # a row of a private table

    @property
    def dimension(self) -> int:
        return self.k

    @property
    def candidates(self) -> int:
        return sum(weight > 0 for weight in self.weights)

    @property
    def log_normaliser(self) -> float:
        return math.log(sum(self.weights))

    def log_total(self) -> arb:
        return arb(sum(self.weights)).log()

    def log_weight(self, z: Outcome) -> arb:
        weight = self._by_outcome.get(tuple(z), 0)
        return arb(weight).log() if weight else balls.NEVER

    @cached_property
    def _by_outcome(self) -> dict[Outcome, int]:
        rows = compositions.rows(self.n, self.k).tolist()
        return {tuple(row): weight for row, weight in zip(rows, self.weights, strict=True)}

    def _list(self) -> tuple[Ints, Floats]:
        possible = np.array([weight > 0 for weight in self.weights])
        logs = np.array([math.log(weight) for weight in self.weights if weight])
        return compositions.rows(self.n, self.k)[possible], logs - self.log_normaliser

    def _draw(self, size: int, source: Source) -> Ints:
        """A uniform integer below the total falls into the interval of one outcome."""
        ends = list(accumulate(self.weights))
        if ends[-1] < 2**63:
            targets = below_many(ends[-1], size, source)
            places = np.searchsorted(np.array(ends, dtype=np.int64), targets, side="right")
        else:
            found = [bisect_right(ends, below(ends[-1], source)) for _ in range(size)]
            places = np.array(found, dtype=np.int64)
        return compositions.rows(self.n, self.k)[places]
