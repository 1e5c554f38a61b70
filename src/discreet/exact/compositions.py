"""Compositions: the vectors of k non-negative integers with sum n, in lexicographic order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np

from discreet.exact import Floats, Ints
from discreet.exact.draw import Source, below_many


def count(n: int, k: int) -> int:
    """How many there are: C(n+k−1, k−1)."""
    return comb(n + k - 1, k - 1)


def rows(n: int, k: int) -> Ints:
    """All of them, one a row."""
    left = np.array([n], dtype=np.int64)
    columns: list[Ints] = []
    for _ in range(k - 1):
        parents, value = _children(left)
        columns = [*(column[parents] for column in columns), value]
        left = left[parents] - value
    return np.column_stack([*columns, left])


def _children(left: Ints) -> tuple[Ints, Ints]:
    """The next entry: for each row all values from 0 to what is left, and the row it belongs to."""
    repeats = left + 1
    parents = np.repeat(np.arange(len(left)), repeats)
    starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
    return parents, np.arange(len(parents)) - starts


def unrank(rank: int, n: int, k: int) -> tuple[int, ...]:
    """The composition at a position of the list."""
    result = []
    for parts in range(k, 1, -1):
        value = 0
        while rank >= (block := count(n - value, parts - 1)):
            rank -= block
            value += 1
        result.append(value)
        n -= value
    return (*result, n)


def table_sums(tables: Sequence[Floats], n: int, block: int = 1 << 18) -> Iterator[Floats]:
    """For each composition c in order, Σ tables[i][c_i]; yielded in blocks of about that length.

    The entries but the last two are listed at once; the last two only block by block.
    """
    sums, left = np.zeros(1), np.array([n], dtype=np.int64)
    for table in tables[:-2]:
        parents, value = _children(left)
        sums, left = sums[parents] + table[value], left[parents] - value
    ends = np.cumsum(left + 1)
    start = 0
    while start < len(left):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + block, side="right")))
        parents, value = _children(left[start:stop])
        rest = left[start:stop][parents] - value
        yield sums[start:stop][parents] + tables[-2][value] + tables[-1][rest]
        start = stop


def uniform(n: int, k: int, source: Source) -> Ints:
    """One composition, all equally likely.

    It is a row of n stars and k − 1 bars: a uniform subset of the n + k − 1 places for whichever
    of the two are fewer. The first so many distinct values of uniform draws are such a subset.
    """
    places, bars_fewer = n + k - 1, k - 1 <= n
    wanted = k - 1 if bars_fewer else n
    seen = np.empty(0, dtype=np.int64)
    firsts = seen
    while len(firsts) < wanted:
        seen = np.concatenate([seen, below_many(places, 2 * (wanted - len(firsts)) + 16, source)])
        firsts = np.sort(np.unique(seen, return_index=True)[1])
    chosen = np.sort(seen[firsts[:wanted]])
    if bars_fewer:
        return np.diff(np.concatenate([[-1], chosen, [places]])) - 1
    # a star at place p with s stars before it has p − s bars before it: its category
    return np.bincount(chosen - np.arange(n), minlength=k).astype(np.int64)
