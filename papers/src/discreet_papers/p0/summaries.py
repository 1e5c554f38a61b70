"""How accurate a mechanism is at given counts, in two numbers."""

from __future__ import annotations

from functools import cache

from discreet_papers.settings import law_of_error, made

TWO, THREE = (300, 300), (200, 200, 200)  # Figure 2, ε = 1
FIGURE_3 = ((500, 500), (5000, 5000))  # ε = 5


@cache
def summary(label: str, counts: tuple[int, ...], epsilon: float = 1) -> tuple[float, float]:
    """The probability of the exact posterior, and the mean error; prior 1."""
    found = law_of_error(made(label, (1,) * len(counts), sum(counts), epsilon), counts)
    return found.exact, found.mean


def exact(label: str, counts: tuple[int, ...], epsilon: float = 1) -> float:
    """The probability of the exact posterior."""
    return summary(label, counts, epsilon)[0]


def mean(label: str, counts: tuple[int, ...], epsilon: float = 1) -> float:
    """The mean Hellinger error."""
    return summary(label, counts, epsilon)[1]
