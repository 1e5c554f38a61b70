"""The laws behind P1's numbers: its tables' two columns, and the mechanisms as they are defined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import permutations

from discreet.core import Mechanism
from discreet.core.law import Law, Outcome
from discreet_papers.settings import made

EPSILON = DELTA = 0.8  # P1 prints neither; 0.8 gives every digit of its tables
TWO = (1, 1)  # prior
EIGHT: Outcome = (4, 4)  # the counts of Table 1
FORTY: Outcome = (20, 20)  # those that Table 2 speaks of
SIXTY: Outcome = (20, 20, 20)  # those that it shows


def over_local(counts: tuple[int, ...]) -> Mechanism:
    """The exponential columns: P(r) ∝ exp(−ε·H/LS), twice EHDL's exponent (erratum E7)."""
    return made("ehdl", (1,) * len(counts), sum(counts), 2 * EPSILON)


def usual(label: str, counts: Sequence[int], prior: float = 1) -> Mechanism:
    """A mechanism as defined, at P1's ε and δ."""
    return made(label, (prior,) * len(counts), sum(counts), EPSILON, DELTA)


def smoothness(candidates: int, epsilon: float = EPSILON, delta: float = DELTA) -> float:
    """γ = ln(1 − ε/(2·ln(δ/(2|R|)))), how fast M_H's smooth sensitivity falls with the distance."""
    return math.log1p(-epsilon / (2 * math.log(delta / (2 * candidates))))


def truncated(t: int) -> float:
    """P(noise = t) in the Laplace columns: Y of scale 2/ε rounded towards zero, not down.

    P(0) = 1 − e^{−ε/2}, and ½(e^{−|t|ε/2} − e^{−(|t|+1)ε/2}) for either sign of t.
    """
    rate, size = EPSILON / 2, abs(t)
    both = math.exp(-rate * size) - math.exp(-rate * (size + 1))
    return both / 2 if t else both


def truncated_chance(counts: Sequence[int], candidate: Sequence[int]) -> float:
    """The probability of a candidate in the Laplace columns: noise on all counts but the last."""
    pairs = zip(counts[:-1], candidate[:-1], strict=True)
    return math.prod(truncated(there - here) for here, there in pairs)


def chance(law: Law, candidates: Iterable[Sequence[int]]) -> float:
    """The probability that one of the candidates is released."""
    return math.fsum(law.probability(tuple(candidate)) for candidate in candidates)


def orders(candidate: Sequence[int]) -> list[tuple[int, ...]]:
    """A candidate with its counts in all orders: as far from balanced counts, each."""
    return sorted(set(permutations(candidate)))


def truncated_loss(k: int) -> float:
    """The privacy loss of the Laplace columns' noise, at the outputs where it is largest.

    A replaced record moves one noisy count by one (k = 2) or two of them (k ≥ 3), and the noise is
    0 more than e^{ε/2} times as often as ±1.
    """
    steps = range(-3, 4)
    one = max(math.log(truncated(t) / truncated(t - 1)) for t in steps)
    return one if k == 2 else 2 * one
