"""What P3's figures and claims have in common: settings, and the sensitivities of all counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats, Ints, compositions

M_H, OVER_S = "smooth_hellinger", "smooth_hellinger, doubled"
BETA, DIRICHLET = (7, 4), (7, 4, 5)  # the priors of Figures 2 and of 3, 4
EPSILON = DELTA = 0.8  # Figures 3 to 8; the captions of 5 to 8 do not say


class Case(NamedTuple):
    """One of the four settings in which P3 compares M_H with Laplace noise; the prior is 1."""

    figure: int
    counts: tuple[int, ...]

    @property
    def prior(self) -> tuple[int, ...]:
        """One for every category."""
        return (1,) * len(self.counts)


CASES = {
    case.figure: case
    for case in (
        Case(5, (49, 49)),
        Case(6, (20, 20, 20)),
        Case(7, (20, 20, 20, 20)),
        Case(8, (1, 1, 1, 77)),
    )
}


def laplace(k: int) -> str:
    """P3's Laplace mechanism: noise of scale 2/ε, rounded down."""
    return "ls_dim" if k == 2 else "ls_hist"


def local_of_all(prior: Sequence[int], n: int) -> tuple[Ints, Floats]:
    """All counts with sum n and their local sensitivities, in floats."""
    rows = compositions.rows(n, len(prior))
    products = np.ones(len(rows))
    for i, a in enumerate(prior):
        for j, b in enumerate(prior):
            if i != j:
                # with no record to take away the product is no smaller than any other
                out = np.append(1.0, _w(b, n))[rows[:, j]]
                found = np.where(rows[:, j] > 0, _w(a, n)[rows[:, i]] * out, 1.0)
                products = np.minimum(products, found)
    return rows, np.sqrt(1 - products)


def _w(a: int, n: int) -> Floats:
    """w(a), w(a+1), …, w(a+n), where w(a) = Γ(a+½)/(Γ(a)·√a)."""
    values = range(a, a + n + 1)
    return np.array([math.exp(math.lgamma(x + 0.5) - math.lgamma(x)) / x**0.5 for x in values])


def smooth_of(rows: Ints, local: Floats, place: int, gamma: float) -> float:
    """S_γ at rows[place]: the largest LS(c')·e^{−γ·d} over all counts c'."""
    away = np.abs(rows - rows[place]).sum(axis=1) / 2
    return float((local * np.exp(-gamma * away)).max())
