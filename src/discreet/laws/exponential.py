"""The exponential mechanism's law: a posterior near the true one, P(r) ∝ exp(−κ·distance)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from typing import TypeAlias

import numpy as np
from flint import arb

from discreet import check, divergence
from discreet.core.law import Law, Outcome
from discreet.divergence.sensitivity import Distance
from discreet.errors import ExactnessError, NotEnumerable
from discreet.exact import Floats, Ints, balls, compositions, floats
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source, accept_each, below_many, until_accepted
from discreet.exact.shells import unimodal

Parameters: TypeAlias = tuple[Fraction, ...]

MOST_CANDIDATES = 60_000_000
# A table of n + 1 sums of positive logarithms is right to about n·2^-52, so −κ·D is right to 1e-8
# wherever the weight is not negligible; the slack is far above that, and a ball checks every
# candidate that is proposed.
SLACK = 2.0**-14
_BITS = 36  # 2^36 for the weight of the true posterior: sums of 6e7 fit 63 bits
_FEW = 1 << 22  # candidates whose envelopes are kept in memory


@dataclass(frozen=True)
class ExponentialLaw(Law):
    """P(r) ∝ exp(−κ·D(Dir(α + c), Dir(α + r))) over all r ≥ 0 with Σr = n.

    κ is a positive real number that may depend on the counts c; it is kept as a function that
    encloses it in a ball.
    """

    center: Outcome = field(repr=False)  # private
    prior: tuple[Fraction, ...]
    exponent: Real = field(repr=False)
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
        return self._log_weight(z)

    def _log_weight(self, z: Outcome) -> arb:
        """The same for candidates, with the exponent remembered."""
        return arb(0) if z == self.center else -self._exponent() * self._distance(z)

    def _distance(self, z: Outcome) -> arb:
        here = [a + c for a, c in zip(self.prior, self.center, strict=True)]
        there = [a + c for a, c in zip(self.prior, z, strict=True)]
        if self.distance == "hellinger":
            return divergence.hellinger_ball(here, there)
        return _total_variation(tuple(here), tuple(there), balls.working_bits())

    @cached_property
    def _exponent(self) -> Real:
        return balls.memo(self.exponent)

    @cached_property
    def _float_exponent(self) -> float:
        return balls.nearest(self._exponent)

    def _blocks(self) -> Iterator[Floats]:
        """−κ·D in floats for every candidate, in lexicographic order."""
        self._require_few()
        if self.distance == "total_variation":
            yield -self._float_exponent * self._total_variations()
            return
        tables = [
            divergence.half_excess_table(float(a), c, self._n)
            for a, c in zip(self.prior, self.center, strict=True)
        ]
        for exponents in compositions.table_sums(tables, self._n):
            yield -self._float_exponent * np.sqrt(-np.expm1(-exponents))

    def _total_variations(self) -> Floats:
        """Two categories: the distance to every candidate, by balls where floats lose digits."""
        ones = np.arange(self._n + 1, dtype=np.float64)
        a, b = (float(alpha) for alpha in self.prior)
        result, sure = divergence.float_total_variation(
            np.full(len(ones), a + self.center[0]),
            np.full(len(ones), b + self.center[1]),
            a + ones,
            b + (self._n - ones),
        )
        for r in np.flatnonzero(~sure).tolist():
            result[r] = balls.nearest(partial(self._distance, (r, self._n - r)))
        return result

    @cached_property
    def log_normaliser(self) -> float:
        return math.log(math.fsum(float(np.exp(block).sum()) for block in self._blocks()))

    def bounded_log_p(self) -> tuple[Floats, float]:
        """−κ·H − ln Z in floats, with the error of each part carried along."""
        if self.distance != "hellinger":
            return super().bounded_log_p()
        distances, error = divergence.hellinger_row(self.prior, self.center, self._n)
        with balls.precision(balls.PRECISION):
            ball_of_exponent = self._exponent()
            if not ball_of_exponent > 0:
                raise ExactnessError("the exponent of a law is not positive")
            exponent = float(ball_of_exponent.mid())
            off = float(abs(ball_of_exponent / exponent - 1).upper())
        log_weights = distances * -exponent
        # −κ·H is known relatively, so absolutely to that times the largest
        reach = float(-log_weights.min())
        error = (error + off) * (1 + error) * reach + floats.U * reach
        log_total, lost = floats.log_of_sum(floats.exp(log_weights), error + floats.EXP_ERROR)
        log_p = log_weights - log_total
        bound = floats.up(error + lost + floats.U * float(np.abs(log_p).max()))
        return log_p, bound if bound <= math.inf else math.inf

    def _list(self) -> tuple[Ints, Floats]:
        log_p = np.concatenate(list(self._blocks())) - self.log_normaliser
        return compositions.rows(self._n, self.dimension), log_p

    def require_drawable(self) -> None:
        if self.dimension > 2:
            self._require_few()

    def _require_few(self) -> None:
        if self.candidates > MOST_CANDIDATES or self.candidates * self.dimension > 10**9:
            raise NotEnumerable(
                f"the mechanism has {check.big(self.candidates)} candidates, too many to weigh one "
                "by one; use mechanism 'lattice', which has no such limit",
                self.candidates,
            )

    def _draw(self, size: int, source: Source) -> Ints:
        draw = self._draw_shells if self.dimension == 2 else self._draw_listed
        return draw(size, source)

    def _draw_shells(self, size: int, source: Source) -> Ints:
        """Two categories: the distance grows on both sides of the truth, so dyadic shells serve."""
        n = self._n

        def log_weight(ones: int) -> arb:
            return self._log_weight((ones, n - ones))

        ones = unimodal(self.center[0], 0, n, log_weight, size, source)
        return np.column_stack([ones, n - ones])

    def _draw_listed(self, size: int, source: Source) -> Ints:
        """Pick a candidate by its integer envelope, keep it with probability weight/envelope."""
        n, k = self._n, self.dimension
        few = [_envelope(block) for block in self._blocks()] if self.candidates < _FEW else None

        def blocks() -> Iterable[Ints]:
            return map(_envelope, self._blocks()) if few is None else few

        ends = np.cumsum([block.sum() for block in blocks()])
        envelopes: dict[int, int] = {}
        outcome_of = cache(lambda rank: compositions.unrank(rank, n, k))

        def kept_with(rank: int) -> Real:
            outcome, ceiling = outcome_of(rank), ball(envelopes[rank])
            return lambda: self._log_weight(outcome).exp() * arb(2) ** _BITS / ceiling

        def propose(attempts: int) -> Ints:
            targets = below_many(int(ends[-1]), attempts, source)
            order = np.argsort(targets)
            ranks = np.empty_like(targets)
            ranks[order] = _locate(targets[order], ends, blocks(), envelopes)
            return ranks[accept_each(kept_with, ranks, source)]

        distinct, places = np.unique(until_accepted(propose, size), return_inverse=True)
        rows = [outcome_of(rank) for rank in distinct.tolist()]
        return np.array(rows, dtype=np.int64).reshape(-1, k)[places.ravel()]


@lru_cache(maxsize=1 << 15)
def _total_variation(here: Parameters, there: Parameters, bits: int) -> arb:
    """Incomplete betas are slow to enclose: a calibration asks for the same ones many times."""
    return divergence.total_variation_ball(here, there)


def _locate(targets: Ints, ends: Ints, blocks: Iterable[Ints], envelopes: dict[int, int]) -> Ints:
    """The ranks whose envelope intervals hold the sorted targets; remembers their envelopes."""
    ranks = np.empty(len(targets), dtype=np.int64)
    first_rank = placed = start = 0
    for block, end in zip(blocks, ends, strict=True):
        until = int(np.searchsorted(targets, end, side="left"))
        if until > placed:
            cumulative = start + np.cumsum(block)
            inside = np.searchsorted(cumulative, targets[placed:until], side="right")
            ranks[placed:until] = first_rank + inside
            envelopes.update((first_rank + i, int(block[i])) for i in np.unique(inside).tolist())
            placed = until
        if placed == len(targets):
            break
        first_rank, start = first_rank + len(block), int(end)
    return ranks


def _envelope(log_weights: Floats) -> Ints:
    """Integers that are upper bounds of 2^36·weight, never zero."""
    scaled = np.exp(log_weights) * ((1 + SLACK) * 2.0**_BITS)
    return scaled.astype(np.int64) + 1
