"""Laws: probability distributions on integer vectors. What is proved is what is drawn."""

from __future__ import annotations

import itertools
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import check
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats, Ints, balls, floats
from discreet.exact.draw import Source
from discreet.progress import track

_FEW_PARTS = 100  # parts that are drawn in no time

Outcome: TypeAlias = tuple[int, ...]
Value: TypeAlias = tuple[int | Fraction, ...]  # a post-processed outcome

MOST_CELLS = 200_000_000  # integers in a support that is listed


class Law(ABC):
    """One law: sampled, listed, audited and plotted from the same definition.

    `log_weight(z)` encloses the log of the weight of z in a ball, at flint's working precision;
    the probability is that weight divided by exp(`log_normaliser`). Every law is a dataclass.

    Example:
        >>> import discreet as dp
        >>> law = dp.mechanism("lattice", dp.BetaBinomial(), n=2, epsilon=1).law((1, 1))
        >>> law.support.tolist(), law.probability((1, 1)).__round__(3)
        ([[0, 2], [1, 1], [2, 0]], 0.462)
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The length of an outcome."""

    @property
    @abstractmethod
    def candidates(self) -> int | None:
        """How many outcomes there are; None if infinitely many."""

    @property
    @abstractmethod
    def log_normaliser(self) -> float:
        """The log of the sum of all weights."""

    @abstractmethod
    def log_weight(self, z: Outcome) -> arb:
        """The log of the weight of an outcome, as a ball; −∞ outside the support."""

    @abstractmethod
    def _list(self) -> tuple[Ints, Floats]:
        """All outcomes, one a row, and the logs of their probabilities."""

    @abstractmethod
    def _draw(self, size: int, source: Source) -> Ints:
        """Exact independent draws, one a row."""

    def log_total(self) -> arb:
        """The log of the sum of all weights, as a ball: `log_normaliser`, rigorously."""
        total = arb(0)
        for row in self.support.tolist():
            total += self.log_weight(tuple(row)).exp()
        return total.log()

    def bounded_log_p(self) -> tuple[Floats, float]:
        """`log_p` and a proved bound on the error of every finite entry; here by balls."""
        with balls.precision(balls.PRECISION):
            total = self.log_total()
            logs = [self.log_weight(tuple(row)) - total for row in self.support.tolist()]
            values = np.array([float(log.mid()) for log in logs])
            radius = max((float(log.rad()) for log in logs if log.is_finite()), default=0.0)
            if not all(log.is_finite() or log == balls.NEVER for log in logs):
                radius = math.inf  # one is unknown
        finite = np.abs(values[np.isfinite(values)])
        return values, floats.up(radius + floats.U * float(finite.max(initial=0.0)))

    @property
    def support(self) -> Ints:
        """All outcomes, one a row; `NotEnumerable` where they are too many."""
        return self._listed[0]

    @property
    def log_p(self) -> Floats:
        """The logs of the probabilities of `support`."""
        return self._listed[1]

    def probability(self, z: Sequence[int] | NDArray[Any]) -> float:
        """The probability of one outcome."""
        with balls.precision(balls.PRECISION):
            log_weight = float(self.log_weight(self._outcome(z)).mid())
        return 0.0 if log_weight == -math.inf else math.exp(log_weight - self.log_normaliser)

    def _outcome(self, z: object) -> Outcome:
        outcome = np.asarray(z, dtype=object).ravel().tolist()
        whole = all(isinstance(item, (int, np.integer)) for item in outcome)
        if len(outcome) != self.dimension or not whole:
            raise InputError(f"z must be {self.dimension} whole numbers, got {check.brief(z)}", "z")
        return tuple(map(int, outcome))

    @overload
    def sample(self, size: None = None, rng: np.random.Generator | None = None) -> Outcome: ...

    @overload
    def sample(self, size: int, rng: np.random.Generator | None = None) -> Ints: ...

    def sample(
        self, size: int | None = None, rng: np.random.Generator | None = None
    ) -> Outcome | Ints:
        """Draw exactly from the law: one outcome as a tuple, or `size` of them as rows.

        The random bits come from the operating system; with a numpy Generator they come from it,
        and the result is a reproducible simulation.
        """
        source = os.urandom if rng is None else check.generator(rng).bytes
        if size is None:
            return tuple(self._draw(1, source)[0].tolist())
        return self._draw(check.size(size), source)

    def spreads(self) -> Floats | None:
        """The standard deviation of every number, if the law is noise that is added; else None."""
        return None

    def require_drawable(self) -> None:  # noqa: B027 - most laws can always be drawn from
        """Refuse, before anything is paid for, what is too large to draw: public values decide."""

    @cached_property
    def _listed(self) -> tuple[Ints, Floats]:
        if self.candidates is None:
            raise NotEnumerable("the law has infinitely many outcomes")
        if self.candidates * self.dimension > MOST_CELLS:
            raise NotEnumerable(
                f"the law has {check.big(self.candidates)} outcomes of {self.dimension} counts, "
                "too many to list",
                self.candidates,
            )
        return self._list()

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class PointMass(Law):
    """The law of something certain."""

    point: Outcome = field(repr=False)  # private

    @property
    def dimension(self) -> int:
        return len(self.point)

    @property
    def candidates(self) -> int:
        return 1

    def spreads(self) -> Floats:
        return np.zeros(self.dimension)

    @property
    def log_normaliser(self) -> float:
        return 0.0

    def log_total(self) -> arb:
        return arb(0)

    def log_weight(self, z: Outcome) -> arb:
        return arb(0) if tuple(z) == self.point else balls.NEVER

    def _list(self) -> tuple[Ints, Floats]:
        return np.array([self.point], dtype=np.int64), np.zeros(1)

    def _draw(self, size: int, source: Source) -> Ints:
        return np.tile(np.array(self.point, dtype=np.int64), (size, 1))


@dataclass(frozen=True)
class ProductLaw(Law):
    """An outcome of every part, one after the other."""

    parts: tuple[Law, ...]

    @property
    def dimension(self) -> int:
        return sum(part.dimension for part in self.parts)

    @property
    def candidates(self) -> int | None:
        numbers = [part.candidates for part in self.parts]
        return None if None in numbers else math.prod(number or 0 for number in numbers)

    @property
    def log_normaliser(self) -> float:
        return math.fsum(part.log_normaliser for part in self.parts)

    def log_total(self) -> arb:
        return sum((part.log_total() for part in self.parts), arb(0))

    def log_weight(self, z: Outcome) -> arb:
        result, start = arb(0), 0
        for part in self.parts:
            weight = part.log_weight(z[start : start + part.dimension])
            if weight == balls.NEVER:
                return balls.NEVER
            result += weight
            start += part.dimension
        return result

    def spreads(self) -> Floats | None:
        found = [part.spreads() for part in self.parts]
        known = [spread for spread in found if spread is not None]
        return np.concatenate(known) if len(known) == len(found) else None

    def require_drawable(self) -> None:
        for part in self.parts:
            part.require_drawable()

    def _list(self) -> tuple[Ints, Floats]:
        listed = [
            zip(part.support.tolist(), part.log_p.tolist(), strict=True) for part in self.parts
        ]
        rows, logs = [], []
        for cells in itertools.product(*listed):
            rows.append([x for outcome, _ in cells for x in outcome])
            logs.append(math.fsum(log for _, log in cells))
        return np.array(rows, dtype=np.int64), np.array(logs)

    def _draw(self, size: int, source: Source) -> Ints:
        parts = track(self.parts, "Drawing") if len(self.parts) > _FEW_PARTS else self.parts
        return np.hstack([part._draw(size, source) for part in parts])
