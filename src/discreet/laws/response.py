"""Randomised response: counts of records of which each was perturbed by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_poly, fmpz_poly

from discreet import check
from discreet.core.law import Law, Outcome
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints, balls, binomial, compositions, floats
from discreet.exact.balls import ball
from discreet.exact.draw import Source

MOST_TERMS = 10_000  # of the polynomial whose coefficients are all probabilities
MOST_RECORDS = 2_000  # whose ways to one outcome are summed up
_LISTING = 192  # bits


@dataclass(frozen=True)
class ResponseLaw(Law):
    """z counts records that keep their category with probability p = e^ε/(e^ε + k − 1).

    Else they get one of the other k − 1, each with probability q = 1/(e^ε + k − 1). In other
    words: with probability p − q a record tells its category, else it tells any of all k.
    """

    counts: Outcome = field(repr=False)  # private
    epsilon: Fraction

    @property
    def dimension(self) -> int:
        return len(self.counts)

    @cached_property
    def n(self) -> int:
        """How many records."""
        return sum(self.counts)

    @property
    def candidates(self) -> int:
        return compositions.count(self.n, self.dimension)

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_total(self) -> arb:
        return arb(0)

    @property
    def can_be_listed(self) -> bool:
        """Whether all probabilities together are quick to find."""
        terms: int = (self.n + 1) ** (self.dimension - 1)
        return terms <= MOST_TERMS

    def log_weight(self, z: Outcome) -> arb:
        """The log of the probability, as a sum over the number s of records that tell the truth.

        With m_i of them in category i, and the others anywhere, it is, as p − q = (e^ε − 1)·q,
        Σ_m Π C(c_i, m_i)·(e^ε − 1)^s·q^n·(n − s)!/Π (z_i − m_i)!, s = Σm. So one polynomial for
        each category, Σ_m C(c_i, m)·C(z_i, m)·m!·t^m, is enough.
        """
        if min(z) < 0 or sum(z) != self.n:
            return balls.NEVER
        if self.n > MOST_RECORDS:
            raise NotEnumerable(
                f"the probability of one outcome sums over too many ways to it: of {self.n} "
                f"records, at most {MOST_RECORDS} are feasible",
                self.n,
            )
        ways = fmpz_poly([1])
        for counted, reported in zip(self.counts, z, strict=True):
            ways *= fmpz_poly(_rooks(counted, reported))
        gain, total = ball(self.epsilon).expm1(), arb(0)
        for s, number in enumerate(ways.coeffs()):
            total += gain**s * arb(number * math.factorial(self.n - s))
        orders = math.prod(math.factorial(x) for x in z)
        return (total / orders).log() - self.n * (gain + self.dimension).log()

    def bounded_log_p(self) -> tuple[Floats, float]:
        return self._bounded

    @cached_property
    def _bounded(self) -> tuple[Floats, float]:
        """P(z) is the coefficient of x^z in Π_i (q·Σ_j x_j + (p − q)·x_i)^{c_i}.

        With x_j = t^{b_j} for places b_j of digits up to n, and 1 for the last, z is the number of
        a power of t.
        """
        if not self.can_be_listed:
            raise NotEnumerable(
                f"the law has {check.big(self.candidates)} outcomes of {self.n} records, too many "
                "to list with their probabilities",
                self.candidates,
            )
        places = [(self.n + 1) ** j for j in range(self.dimension - 1)] + [0]
        powers = self._rows @ np.array(places)
        with balls.precision(_LISTING):
            product = arb_poly([1])
            for place, count in zip(places, self.counts, strict=True):
                product *= self._one_record(places, place) ** count
            coefficients = product.coeffs()
            every = self.n * (ball(self.epsilon).exp() + (self.dimension - 1)).log()
            logs = [coefficients[power].log() - every for power in powers.tolist()]
        values = np.array([float(log.mid()) for log in logs])
        radius = max(float(log.rad()) for log in logs)
        return values, floats.up(radius + floats.U * float(np.abs(values).max()))

    def _one_record(self, places: list[int], own: int) -> arb_poly:
        """What a record of one category may report, times e^ε + k − 1."""
        terms = [arb(0)] * (max(places) + 1)
        for place in places:
            terms[place] = arb(1)
        terms[own] = ball(self.epsilon).exp()
        return arb_poly(terms)

    @cached_property
    def _rows(self) -> Ints:
        return compositions.rows(self.n, self.dimension)

    def _list(self) -> tuple[Ints, Floats]:
        return self._rows, self._bounded[0]

    def _draw(self, size: int, source: Source) -> Ints:
        """Every record tells its category with odds (e^ε − 1) : k, else it reports any category."""
        told = np.column_stack(
            [
                binomial.binomial(self._odds, np.full(size, count, dtype=np.int64), source)
                for count in self.counts
            ]
        )
        others = self.n - told.sum(axis=1)
        return np.asarray(told + binomial.spread_evenly(self.dimension, others, source))

    def _odds(self) -> arb:
        return ball(self.epsilon).expm1() / self.dimension


def _rooks(rows: int, columns: int) -> list[int]:
    """C(rows, m)·C(columns, m)·m! for all m from 0 on."""
    numbers = [1]
    for m in range(min(rows, columns)):
        numbers.append(numbers[-1] * (rows - m) * (columns - m) // (m + 1))
    return numbers
