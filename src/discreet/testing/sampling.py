"""Whether a sampler draws from its law: a test for any law whose probabilities are known.

For any two laws P and Q with f = Q/(P + Q) both E_P[f] and E_Q[1 − f] are Σ PQ/(P + Q). So draws
from both are compared by two means of numbers between 0 and 1. By Hoeffding's inequality these
differ by more than √(ln(2/α)/N) with probability at most α, whatever the laws are.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.core import Law
from discreet.core.law import Outcome
from discreet.exact import Floats, Ints, balls

FALSE_ALARM = 1e-6
DRAWS = 3000
LIMIT = math.sqrt(math.log(2 / FALSE_ALARM) / DRAWS)


def drawn(law: Law, seed: int | None) -> Ints:
    """Draws of a simulation; without a seed as a release draws."""
    return law.sample(DRAWS, None if seed is None else np.random.default_rng(seed))


def apart(first: Law, second: Law, first_draws: Ints, second_draws: Ints) -> float:
    """By how much the two means differ that are equal if the draws are of these laws."""
    return abs(
        float(_shares(second, first, first_draws).mean())
        - float(_shares(first, second, second_draws).mean())
    )


def _shares(one: Law, other: Law, draws: Ints) -> Floats:
    """one/(one + other) at every draw."""
    known: dict[Outcome, float] = {}
    rows = [tuple(map(int, row)) for row in draws.tolist()]
    for row in rows:
        if row not in known:
            away = log_p(other, row) - log_p(one, row)
            known[row] = 1 / (1 + math.exp(min(away, 700.0))) if away > -math.inf else 1.0
    return np.array([known[row] for row in rows])


def log_p(law: Law, z: Outcome) -> float:
    """The log of the probability of an outcome."""
    with balls.precision(balls.PRECISION):
        return float(law.log_weight(z).mid()) - law.log_normaliser
