"""Independent laws side by side."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from flint import arb

from discreet.core.law import Law, Outcome
from discreet.exact import Floats, Ints, balls
from discreet.exact.draw import Source
from discreet.progress import track

_FEW = 100  # parts that are drawn in no time


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
        parts = track(self.parts, "Drawing") if len(self.parts) > _FEW else self.parts
        return np.hstack([part._draw(size, source) for part in parts])
