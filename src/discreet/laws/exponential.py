"""The exponential mechanism's law: a posterior near the true one, P(r) ∝ exp(−κ·distance)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from discreet import divergence
from discreet.core.law import Floats, Ints, Law, Outcome
from discreet.errors import NotEnumerable
from discreet.exact import balls, compositions
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source, accept_each, below_many, until_accepted
from discreet.exact.shells import SLACK, unimodal
from discreet.sensitivity import Distance

MOST_CANDIDATES = 60_000_000
_BITS = 36  # 2^36 for the weight of the true posterior: sums of 6e7 fit 63 bits


@dataclass(frozen=True)
class ExponentialLaw(Law):
    """P(r) ∝ exp(−κ·D(Dir(α + c), Dir(α + r))) over all r ≥ 0 with Σr = n.

    κ is a positive real number that may depend on the counts c; it is kept as a function that
    encloses it in a ball.
    """

    center: Outcome
    prior: tuple[Fraction, ...]
    exponent: Real
    distance: Distance = "hellinger"

    @property
    def dimension(self) -> int:
        return len(self.center)

    @property
    def _n(self) -> int:
        return sum(self.center)

    @property
    def candidates(self) -> int:
        return compositions.count(self._n, self.dimension)

    def log_weight(self, z: Outcome) -> arb:
        if min(z) < 0 or sum(z) != self._n:
            return balls.NEVER
        return self._log_weight_with(self.exponent, z)

    def _log_weight_with(self, exponent: Real, z: Outcome) -> arb:
        if z == self.center:
            return arb(0)
        here = [a + c for a, c in zip(self.prior, self.center, strict=True)]
        there = [a + c for a, c in zip(self.prior, z, strict=True)]
        if self.distance == "hellinger":
            return -exponent() * divergence.hellinger_ball(here, there)
        return -exponent() * divergence.total_variation_ball(here, there)

    @cached_property
    def _float_exponent(self) -> float:
        return balls.nearest(self.exponent)

    def _half_excess(self, category: int, released: Ints) -> Floats:
        """One coordinate's share of −log of the Bhattacharyya coefficient."""
        alpha, count = self.prior[category], self.center[category]
        there = float(alpha) + released.astype(np.float64)
        step = (released - count).astype(np.float64)
        return divergence.half_excess(float(alpha + count), there, step)

    def _log_weights(self, ones: Ints) -> Floats:
        """Two categories: −κ·D in floats, for released counts (ones, n − ones)."""
        zeros = self._n - ones
        if self.distance == "hellinger":
            exponent = self._half_excess(0, ones) + self._half_excess(1, zeros)
            return np.asarray(-self._float_exponent * np.sqrt(-np.expm1(-exponent)))
        alpha = np.array([float(a) for a in self.prior])
        there = alpha + np.stack([ones, zeros], axis=-1)
        here = np.broadcast_to(alpha + np.array(self.center, dtype=np.float64), there.shape)
        return np.asarray(-self._float_exponent * divergence.beta_total_variation(here, there))

    def _blocks(self) -> Iterator[Floats]:
        """−κ·D in floats for every candidate, in lexicographic order."""
        if self.candidates > MOST_CANDIDATES or self.candidates * self.dimension > 10**9:
            raise NotEnumerable(
                f"the mechanism has {self.candidates} candidates, too many to weigh one by one; "
                "use mechanism 'lattice', which has no such limit",
                self.candidates,
            )
        n = self._n
        if self.dimension == 2:
            for start in range(0, n + 1, 1 << 16):
                ones = np.arange(start, min(start + (1 << 16), n + 1), dtype=np.int64)
                yield self._log_weights(ones)
            return
        values = np.arange(n + 1, dtype=np.int64)
        tables = [self._half_excess(category, values) for category in range(self.dimension)]
        for exponents in compositions.table_sums(tables, n):
            yield -self._float_exponent * np.sqrt(-np.expm1(-exponents))

    @cached_property
    def log_normaliser(self) -> float:
        return math.log(math.fsum(float(np.exp(block).sum()) for block in self._blocks()))

    def _list(self) -> tuple[Ints, Floats]:
        log_p = np.concatenate(list(self._blocks())) - self.log_normaliser
        return compositions.rows(self._n, self.dimension), log_p

    def _draw(self, size: int, source: Source) -> Ints:
        return (
            self._draw_shells(size, source)
            if self.dimension == 2
            else self._draw_listed(size, source)
        )

    def _draw_shells(self, size: int, source: Source) -> Ints:
        """Two categories: the distance grows on both sides of the truth, so dyadic shells serve."""
        exponent, n = balls.memo(self.exponent), self._n

        def log_weight(ones: int) -> arb:
            return self._log_weight_with(exponent, (ones, n - ones))

        ones = unimodal(self.center[0], 0, n, self._log_weights, log_weight, size, source)
        return np.column_stack([ones, n - ones])

    def _draw_listed(self, size: int, source: Source) -> Ints:
        """Pick a candidate by its integer envelope, keep it with probability weight/envelope."""
        exponent, n, k = balls.memo(self.exponent), self._n, self.dimension
        ends = np.cumsum([_envelope(block).sum() for block in self._blocks()])
        envelopes: dict[int, int] = {}

        def kept_with(rank: int) -> Real:
            outcome, ceiling = compositions.unrank(rank, n, k), ball(envelopes[rank])
            return lambda: (
                self._log_weight_with(exponent, outcome).exp() * arb(2) ** _BITS / ceiling
            )

        def propose(attempts: int) -> Ints:
            targets = below_many(int(ends[-1]), attempts, source)
            order = np.argsort(targets)
            ranks = np.empty_like(targets)
            ranks[order] = self._locate(targets[order], ends, envelopes)
            return ranks[accept_each(kept_with, ranks, source)]

        distinct, places = np.unique(until_accepted(propose, size), return_inverse=True)
        rows = [compositions.unrank(int(rank), n, k) for rank in distinct]
        return np.array(rows, dtype=np.int64).reshape(-1, k)[places.ravel()]

    def _locate(self, targets: Ints, ends: Ints, envelopes: dict[int, int]) -> Ints:
        """The ranks whose envelope intervals hold the sorted targets; remembers the envelopes."""
        ranks = np.empty(len(targets), dtype=np.int64)
        wanted = set(np.searchsorted(ends, targets, side="right").tolist())
        first_rank = first_target = 0
        for index, block in enumerate(self._blocks()):
            if index in wanted:
                weights = _envelope(block)
                start = int(ends[index - 1]) if index else 0
                last_target = int(np.searchsorted(targets, ends[index], side="left"))
                inside = np.searchsorted(
                    start + np.cumsum(weights), targets[first_target:last_target], side="right"
                )
                ranks[first_target:last_target] = first_rank + inside
                for place in np.unique(inside).tolist():
                    envelopes[first_rank + place] = int(weights[place])
                first_target = last_target
                if first_target == len(targets):
                    break
            first_rank += len(block)
        return ranks


def _envelope(log_weights: Floats) -> Ints:
    """Integers that are upper bounds of 2^36·weight, never zero."""
    scaled = np.exp(log_weights) * ((1 + SLACK) * 2.0**_BITS)
    return scaled.astype(np.int64) + 1
