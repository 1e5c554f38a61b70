"""Exact draws from a unimodal law on a range of integers, at a cost that grows like log(range).

The weight falls on both sides of the mode. Dyadic shells [2^s, 2^{s+1}) of distances from the mode
are proposed in proportion to size × weight at the inner edge, a point uniformly inside, and kept
with probability weight/weight at the edge. The edge weights are rounded up from balls to integers,
so shells are chosen by integers and every point is enclosed by its shell's integer; no float takes
part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from itertools import accumulate

import numpy as np
from flint import arb

from discreet.exact import Ints, balls
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source, accept_each, below, until_accepted

_BITS = 64


def _shells(mode: int, low: int, high: int) -> list[tuple[int, int]]:
    """(inner edge, size) of every shell; the inner edge is the point nearest to the mode."""
    shells = [(mode, 1)]
    for sign, reach in ((1, high - mode), (-1, mode - low)):
        for power in range(reach.bit_length()):
            inner, outer = 1 << power, min((2 << power) - 1, reach)
            shells.append((mode + sign * inner, outer - inner + 1))
    return shells


def _ceilings(
    shells: list[tuple[int, int]], log_weight: Callable[[int], arb], mode: int, bits: int
) -> list[int]:
    """Integers that are at least 2^bits·weight at the inner edges, and at least 1."""

    def ceiling(log: arb) -> int | None:
        scaled = log.exp() * arb(2) ** bits
        if not scaled.is_finite():
            return None
        top = max(1, -balls.floor(-scaled.upper()))
        return top if top == 1 or scaled.rel_accuracy_bits() > 10 else None

    ceilings: list[int] = []
    for edge, _ in shells:
        if ceilings and ceilings[-1] == 1 and abs(edge - mode) > 1:
            ceilings.append(1)  # the weight falls, so one is enough from here on
        else:
            ceilings.append(balls.refine(partial(log_weight, edge), ceiling, 64))
    return ceilings


def unimodal(
    mode: int,
    low: int,
    high: int,
    log_weight: Callable[[int], arb],
    size: int,
    source: Source,
) -> Ints:
    """Draw t in [low, high], P(t) ∝ exp(log_weight(t)), which never rises away from the mode."""
    shells = _shells(mode, low, high)
    bits = _BITS + (high - low).bit_length()
    ceilings = _ceilings(shells, log_weight, mode, bits)
    cumulative = list(
        accumulate(ceiling * count for ceiling, (_, count) in zip(ceilings, shells, strict=True))
    )

    def kept_with(point: int) -> Real:
        shell = _shell_of(point - mode, high - mode)
        return lambda: log_weight(point).exp() * arb(2) ** bits / ball(ceilings[shell])

    def propose(attempts: int) -> Ints:
        points = np.empty(attempts, dtype=np.int64)
        for index in range(attempts):
            edge, count = shells[bisect_right(cumulative, below(cumulative[-1], source))]
            offset = below(count, source) if count > 1 else 0
            points[index] = edge + offset if edge >= mode else edge - offset
        return points[accept_each(kept_with, points, source)]

    return until_accepted(propose, size)


def _shell_of(distance: int, right_reach: int) -> int:
    """The position in `_shells` of the shell that holds a point."""
    if distance == 0:
        return 0
    if distance > 0:
        return distance.bit_length()
    return right_reach.bit_length() + (-distance).bit_length()
