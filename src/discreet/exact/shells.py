"""Exact draws from a unimodal law on a range of integers, at a cost that grows like log(range).

The weight falls on both sides of the mode. Dyadic shells [2^s, 2^{s+1}) of distances from the mode
are proposed in proportion to size × weight at the inner edge, a point uniformly inside, and kept
with probability weight/weight at the edge. Shells are chosen by integers: each gets an integer that
is an upper bound of 2^b × its proposal weight, computed from floats with a slack far above their
error; a ball decides whether the point is kept, and raises if it finds the bound violated.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb

from discreet.exact.balls import Real, ball
from discreet.exact.draw import Ints, Source, accept_each, below, until_accepted

Floats: TypeAlias = npt.NDArray[np.float64]

SLACK = 2.0**-14  # relative, on a weight whose logarithm is known to 1e-9 × 700
_BITS = 64


def _shells(mode: int, low: int, high: int) -> list[tuple[int, int]]:
    """(inner edge, size) of every shell; the inner edge is the point nearest to the mode."""
    shells = [(mode, 1)]
    for sign, reach in ((1, high - mode), (-1, mode - low)):
        for power in range(reach.bit_length()):
            inner, outer = 1 << power, min((2 << power) - 1, reach)
            shells.append((mode + sign * inner, outer - inner + 1))
    return shells


def envelope(log_weights: Floats, bits: int) -> list[int]:
    """Integers that are upper bounds of 2^bits·weight, never zero."""
    ceilings = np.exp(np.minimum(log_weights, 0.0)) * (1 + SLACK)
    return [int(np.ldexp(ceiling, bits)) + 1 for ceiling in ceilings]


def unimodal(
    mode: int,
    low: int,
    high: int,
    log_weights: Callable[[Ints], Floats],
    log_weight: Callable[[int], arb],
    size: int,
    source: Source,
) -> Ints:
    """Draw t in [low, high] with P(t) ∝ exp(log_weight(t)), which is 0 at the mode and falls off.

    `log_weights` is the same function in floats. Exact as long as the weight never rises on the way
    from the mode.
    """
    shells = _shells(mode, low, high)
    edges = np.array([edge for edge, _ in shells], dtype=np.int64)
    bits = _BITS + (high - low).bit_length()
    per_point = envelope(log_weights(edges), bits)
    cumulative = list(
        accumulate(weight * count for weight, (_, count) in zip(per_point, shells, strict=True))
    )

    def kept_with(point: int) -> Real:
        shell = _shell_of(point - mode, high - mode)
        return lambda: log_weight(point).exp() * arb(2) ** bits / ball(per_point[shell])

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
