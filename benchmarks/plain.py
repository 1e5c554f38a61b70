"""EHDS the plain way, one object per candidate, as the authors of the papers enumerated it."""

from __future__ import annotations

import itertools
import math
import random


class Candidate:
    """A Dirichlet posterior that remembers its parameters."""

    def __init__(self, parameters: tuple[float, ...]) -> None:
        self.parameters = parameters

    def log_beta(self) -> float:
        return sum(map(math.lgamma, self.parameters)) - math.lgamma(sum(self.parameters))

    def hellinger(self, other: Candidate) -> float:
        middle = Candidate(
            tuple((a + b) / 2 for a, b in zip(self.parameters, other.parameters, strict=True))
        )
        exponent = middle.log_beta() - (self.log_beta() + other.log_beta()) / 2
        return math.sqrt(max(0.0, 1 - math.exp(exponent)))


def neighbours(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    found = []
    for i, j in itertools.permutations(range(len(counts)), 2):
        if counts[j]:
            changed = list(counts)
            changed[i], changed[j] = changed[i] + 1, changed[j] - 1
            found.append(tuple(changed))
    return found


def ehds(counts: tuple[int, ...], epsilon: float) -> tuple[int, ...]:
    """Enumerate all counts, scan them for the smooth sensitivity, weigh them, draw."""
    n, k = sum(counts), len(counts)
    everything = [c for c in itertools.product(range(n + 1), repeat=k - 1) if sum(c) <= n]
    candidates = {
        (*c, n - sum(c)): Candidate((*(x + 1.0 for x in c), n - sum(c) + 1.0)) for c in everything
    }
    smooth = 0.0
    for other, candidate in candidates.items():
        local = max(candidate.hellinger(candidates[near]) for near in neighbours(other))
        away = sum(abs(a - b) for a, b in zip(counts, other, strict=True)) / 2
        smooth = max(smooth, 1 / (1 / local + away))
    truth = candidates[counts]
    weights = [math.exp(-epsilon * truth.hellinger(c) / (4 * smooth)) for c in candidates.values()]
    return random.choices(list(candidates), weights)[0]
