"""Distances from the posterior of some counts to those of many others.

Differences of counts are formed in integers, so that no digits are lost for large n.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.divergence import total_variation
from discreet.divergence.excess import dirichlet_kl, half_excess_table
from discreet.exact import Floats, Ints


def shifted(kind: str, prior: Sequence[Fraction], counts: Sequence[int], rows: Ints) -> Floats:
    """The distance from the posterior of the counts to that of each row."""
    if kind == "l1":
        return shift_l1(counts, rows)
    if kind == "kl":
        return shift_kl(prior, counts, rows)
    if kind == "hellinger":
        return shift_hellinger(prior, counts, rows)
    here = _parameters(prior, counts)
    return np.asarray(total_variation(here, here + _steps(counts, rows)))


def shift_l1(counts: Sequence[int], rows: Ints) -> Floats:
    """The l1 distances of the parameters."""
    return np.asarray(np.abs(_steps(counts, rows)).sum(axis=1))


def shift_kl(prior: Sequence[Fraction], counts: Sequence[int], rows: Ints) -> Floats:
    """KL(posterior of the counts ‖ posterior of each row)."""
    here, step = _parameters(prior, counts), _steps(counts, rows)
    return np.maximum(dirichlet_kl(np.broadcast_to(here, step.shape), here + step, step), 0.0)


def shift_hellinger(prior: Sequence[Fraction], counts: Sequence[int], rows: Ints) -> Floats:
    """Hellinger distances: by one table per category where all totals agree and the rows are near.

    −log of the Bhattacharyya coefficient is then Σ φ_i, φ_i a function of one count.
    """
    step = _steps(counts, rows)
    low = np.minimum(rows.min(axis=0), counts).tolist()
    high = np.maximum(rows.max(axis=0), counts).tolist()
    spans = [top - bottom for top, bottom in zip(high, low, strict=True)]
    if sum(spans) <= 4 * rows.size + 4096 and min(low) >= 0 and not step.sum(axis=1).any():
        exponent = np.zeros(len(rows))
        for i, (a, c) in enumerate(zip(prior, counts, strict=True)):
            table = half_excess_table(float(a + low[i]), c - low[i], spans[i])
            exponent += table[rows[:, i] - low[i]]
    else:
        here, half = _parameters(prior, counts), step / 2
        middle, first = here + half, np.broadcast_to(here, step.shape)
        to_first, to_second = (
            dirichlet_kl(middle, first, -half),
            dirichlet_kl(middle, here + step, half),
        )
        exponent = np.maximum(to_first + to_second, 0.0) / 2
    return np.asarray(np.sqrt(-np.expm1(-exponent)))


def _parameters(prior: Sequence[Fraction], counts: Sequence[int]) -> Floats:
    return np.array([float(a + c) for a, c in zip(prior, counts, strict=True)])


def _steps(counts: Sequence[int], rows: Ints) -> Floats:
    return (rows - np.array(counts, dtype=np.int64)).astype(np.float64)
