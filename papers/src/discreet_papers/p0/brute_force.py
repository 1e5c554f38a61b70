"""The local sensitivity by trying everything, without the triangle inequality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.divergence.sensitivity import local_sensitivity
from discreet.divergence.shifts import shifted
from discreet.exact import Floats, Ints, compositions
from discreet_papers.settings import model

CLOSE = 1e-9


def neighbours(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All counts with one record substituted."""
    for i in range(len(counts)):
        for j in range(len(counts)):
            if i != j and counts[j]:
                moved = list(counts)
                moved[i] += 1
                moved[j] -= 1
                yield tuple(moved)


def changes(prior: Sequence[int], counts: tuple[int, ...]) -> tuple[Ints, Floats, Floats]:
    """All candidates, their distances from the posterior, and how much one record changes those.

    The change at r is the largest |H(BI(x), r) − H(BI(y), r)| over the neighbours y of x.
    """
    alpha = [Fraction(a) for a in prior]
    rows = compositions.rows(sum(counts), len(counts))
    here = shifted("hellinger", alpha, counts, rows)
    moved = [np.abs(here - shifted("hellinger", alpha, y, rows)) for y in neighbours(counts)]
    return rows, here, np.max(moved, axis=0)


class Search(NamedTuple):
    """What trying all neighbours and all candidates found."""

    cases: int  # vectors of counts
    worst: float  # largest difference to the farthest neighbour's distance, and to our value
    elsewhere: int  # cases in which another candidate does as well as the true posterior


def search(grids: Iterable[tuple[int, int]]) -> Search:
    """At all counts of n records in k categories, prior 1, by k and n."""
    cases, worst, elsewhere = 0, 0.0, 0
    for k, n in grids:
        for row in compositions.rows(n, k).tolist():
            rows, distances, change = changes((1,) * k, tuple(row))
            near = np.abs(rows - np.array(row)).sum(axis=1) == 2
            largest = float(change.max())
            ways = (
                float(change[distances.argmin()]),
                float(distances[near].max()),
                local_sensitivity(model((1,) * k), tuple(row)),
            )
            cases += 1
            worst = max(worst, *(abs(way - largest) for way in ways))
            elsewhere += int((change > largest - CLOSE).sum() > 1)
    return Search(cases, worst, elsewhere)
