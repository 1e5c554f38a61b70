"""The law of a public function of an outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from flint import arb

from discreet import check
from discreet.core.law import Law, Outcome
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints, balls, floats
from discreet.exact.draw import Source

MOST_MAPPED = 2_000_000  # outcomes of the base law


@dataclass(frozen=True)
class MappedLaw(Law):
    """released(z) for z from a finite law: every outcome has the sum over what leads to it."""

    base: Law
    released: Callable[[Ints], Ints] = field(repr=False)

    @property
    def dimension(self) -> int:
        return self.base.dimension

    @property
    def candidates(self) -> int | None:
        """At most as many as before."""
        return self.base.candidates

    @property
    def log_normaliser(self) -> float:
        return self.base.log_normaliser

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """The outcomes, and for each outcome of the base law which of them it leads to."""
        if (before := self.base.candidates or 0) > MOST_MAPPED:
            raise NotEnumerable(
                f"the law maps {check.big(before)} outcomes, more than {MOST_MAPPED} are too many "
                "to list",
                before,
            )
        rows = self.released(self.base.support)
        if self.dimension == 2 and (rows.sum(axis=1) == rows[0].sum()).all():
            _, firsts, places = np.unique(rows[:, 0], return_index=True, return_inverse=True)
            return rows[firsts], places.ravel()  # the first count tells
        support, places = np.unique(rows, axis=0, return_inverse=True)
        return support, places.ravel()

    def log_total(self) -> arb:
        return self.base.log_total()

    def log_weight(self, z: Outcome) -> arb:
        support, places = self._groups
        match = np.flatnonzero((support == np.array(z)).all(axis=1))
        if not len(match):
            return balls.NEVER
        origins = self.base.support[places == match[0]].tolist()
        total = arb(0)
        for origin in origins:
            total += self.base.log_weight(tuple(origin)).exp()
        return total.log()

    def bounded_log_p(self) -> tuple[Floats, float]:
        """Sums of the base law's probabilities, each relative to its largest term.

        A sum of m such terms, between 1 and m, is known to EXP_ERROR + m·u and the error of the
        logs, relatively; the differences and the final sum are rounded once each.
        """
        log_p, error = self.base.bounded_log_p()
        highest = self._highest(log_p)
        terms = floats.exp(log_p - highest[self._groups[1]])
        logs, lost = floats.log(self._summed(terms))
        most = int(np.bincount(self._groups[1]).max())
        known = error + floats.EXP_ERROR + most * floats.U
        result = highest + logs
        rounded = 3 * floats.U * float(np.abs(log_p).max())
        return result, floats.up(lost + known * (1 + known) + rounded)

    def _highest(self, log_p: Floats) -> Floats:
        """The largest of each group."""
        support, places = self._groups
        highest = np.full(len(support), -np.inf)
        np.maximum.at(highest, places, log_p)
        return highest

    def _summed(self, terms: Floats) -> Floats:
        support, places = self._groups
        return np.bincount(places, weights=terms, minlength=len(support)).astype(np.float64)

    def _list(self) -> tuple[Ints, Floats]:
        log_p = self.base.log_p
        highest = self._highest(log_p)
        sums = self._summed(np.exp(log_p - highest[self._groups[1]]))
        return self._groups[0], highest + np.log(sums)

    def _draw(self, size: int, source: Source) -> Ints:
        return self.released(self.base._draw(size, source))


@dataclass(frozen=True)
class PostprocessedLaw(Law):
    """released(z) for z from a law of infinitely many outcomes: drawn, but not listed."""

    raw: Law
    released: Callable[[Ints], Ints] = field(repr=False)

    @property
    def dimension(self) -> int:
        return self.raw.dimension

    @property
    def candidates(self) -> None:
        return None

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_weight(self, z: Outcome) -> arb:
        raise NotEnumerable("the outcomes that are released have too many origins to sum over")

    def require_drawable(self) -> None:
        self.raw.require_drawable()

    def _list(self) -> tuple[Ints, Floats]:
        raise NotEnumerable("the law has infinitely many outcomes")

    def _draw(self, size: int, source: Source) -> Ints:
        return self.released(self.raw._draw(size, source))
