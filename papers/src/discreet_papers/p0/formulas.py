"""Formulas of P0 as printed, right or wrong."""

from __future__ import annotations

from math import exp, lgamma, sqrt


def floored(t: int, rate: float) -> float:
    """P(⌊Y⌋ = t) of Laplace noise with scale 1/rate: Lemma 6.1."""
    if t >= 0:
        return 0.5 * (exp(-rate * t) - exp(-rate * (t + 1)))
    return 0.5 * (exp(rate * (t + 1)) - exp(rate * t))


def first_distance(a: float, b: float) -> float:
    """The head of Table 1's second column, said to be c(1): without a root and a factor (E18)."""
    return 1 - exp(lgamma(a + 0.5) - lgamma(a) + lgamma(b - 0.5) - lgamma(b))


def bhattacharyya(a: float, b: float) -> float:
    """√(1 − 1/(a+1))·√(1 − 1/b), in the third column; c(2) needs b − 1 for b (E18)."""
    return sqrt(1 - 1 / (a + 1)) * sqrt(1 - 1 / b)


def second_distance(a: float, b: float) -> float:
    """The head of Table 1's third column, said to be c(2): without a root."""
    return 1 - bhattacharyya(a, b)
