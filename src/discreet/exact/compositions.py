"""Compositions: the vectors of k non-negative integers with sum n, in lexicographic order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np

from discreet.exact.draw import Ints, Source, below_many
from discreet.exact.shells import Floats


def count(n: int, k: int) -> int:
    """How many there are: C(n+k−1, k−1)."""
    return comb(n + k - 1, k - 1)


def rows(n: int, k: int) -> Ints:
    """All of them, one a row."""
    left = np.array([n], dtype=np.int64)
    columns: list[Ints] = []
    for _ in range(k - 1):
        repeats = left + 1
        parents = np.repeat(np.arange(len(left)), repeats)
        starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
        value = np.arange(len(parents)) - starts
        columns = [column[parents] for column in columns]
        columns.append(value)
        left = left[parents] - value
    return np.column_stack([*columns, left])


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


def table_sums(tables: Sequence[Floats], n: int, block: int = 1 << 16) -> Iterator[Floats]:
    """For each composition c in order, Σ tables[i][c_i]; yielded in blocks of about that length.

    The last two entries of a composition make one slice: tables[-2] forwards plus tables[-1]
    backwards. Only the entries before them are walked one by one.
    """
    before_last, backwards = tables[-2], tables[-1][::-1]
    pending: list[Floats] = []
    length = 0
    for total, left in _prefix_sums(tables[:-2], n):
        pending.append(before_last[: left + 1] + backwards[n - left :] + total)
        length += left + 1
        if length >= block:
            yield np.concatenate(pending)
            pending, length = [], 0
    if pending:
        yield np.concatenate(pending)


def _prefix_sums(tables: Sequence[Floats], n: int) -> Iterator[tuple[float, int]]:
    """(Σ tables[i][c_i], n − Σ c_i) for every choice of the first entries, in order."""
    if not tables:
        yield 0.0, n
        return
    first = tables[0].tolist()
    for value in range(n + 1):
        for total, left in _prefix_sums(tables[1:], n - value):
            yield first[value] + total, left


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
