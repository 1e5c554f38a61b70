r"""What noisy tables say of one another's counts.

A table is a sum of orthogonal components, one for each subset of its variables, as in
`mechanisms.consistency`. The component on A of the counts behind a table over J is seen in every
table K that holds A, with the precision w_K/|K \ A|, w_K that of a cell and |K \ A| the number of
cells that are summed: the others' precisions add up, and their mean is weighted by them. Sums of
many cells have nearly normal noise. A table within J is a marginal of it, and its own noise is kept
as it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from discreet.exact import Floats, Ints
from discreet.noise_aware.kernels import Kernel

Names: TypeAlias = tuple[str, ...]

LEAST_VARIANCE = 0.05  # of a component: less would say no more about whole numbers


class Seen(NamedTuple):
    """A noisy table: of records, with the variance of its cells in directions that keep totals."""

    columns: Names
    shape: tuple[int, ...]
    z: Floats
    kernel: Kernel
    variance: float


class Noisy(NamedTuple):
    """Noisy counts of sums of cells: in which sum every cell is, and the noise around it."""

    sums: Ints
    z: Floats
    kernel: Kernel
    precision: float


class Known(NamedTuple):
    """Sums of cells that are known up to a normal law: −½(s − centre)ᵀ·precision·(s − centre)."""

    sums: Ints
    centre: Floats
    precision: Floats


def around(
    tables: Sequence[Seen | None], place: int, totals: bool
) -> tuple[list[Noisy], list[Known], int]:
    """What is seen of one table: in itself and in those within it, in the others; in how many.

    `totals`: the tables' totals are noisy too, and say something of one another.
    """
    mine = tables[place]
    assert mine is not None
    inside, others, used = [_noisy(mine, mine)], _Components(), 1
    for number, other in enumerate(tables):
        if other is None:
            continue
        common = tuple(name for name in mine.columns if name in other.columns)
        if number == place or not (common or totals):
            continue
        used += 1
        if len(common) == len(other.columns):
            inside.append(_noisy(mine, other))
        else:
            others.add(other, common, totals)
    return inside, others.joined(mine), used


def _noisy(table: Seen, part: Seen) -> Noisy:
    sums = places(table.columns, table.shape, part.columns)
    return Noisy(sums, part.z, part.kernel, 1 / max(part.variance, LEAST_VARIANCE))


def places(columns: Names, shape: tuple[int, ...], names: Names) -> Ints:
    """For every cell of a table its place in the marginal on some variables, in their order."""
    axes = [columns.index(name) for name in names]
    cells = np.indices(shape).reshape(len(shape), -1)
    if not axes:
        return np.zeros(cells.shape[1], dtype=np.int64)
    found = np.ravel_multi_index(tuple(cells[axes]), tuple(shape[axis] for axis in axes))
    return np.asarray(found, dtype=np.int64)


class _Components:
    """Sums of precisions, and of components times their precisions, by set of variables."""

    def __init__(self) -> None:
        self._precision: dict[frozenset[str], float] = {}
        self._total: dict[frozenset[str], Floats] = {}  # axes in alphabetical order

    def add(self, table: Seen, common: Names, totals: bool) -> None:
        """The components of a table on some of its variables."""
        for size in range(not totals, len(common) + 1):
            for names in itertools.combinations(sorted(common), size):
                part = _component(table, names)
                summed = len(table.z) // part.size
                precision = 1 / max(table.variance * summed, LEAST_VARIANCE)
                key = frozenset(names)
                self._precision[key] = self._precision.get(key, 0.0) + precision
                self._total[key] = self._total.get(key, 0.0) + precision * part

    def joined(self, table: Seen) -> list[Known]:
        """The same as quadratic forms of few marginals: the largest ones."""
        left = sorted(self._precision, key=lambda key: (-len(key), sorted(key)))
        found = []
        while left:
            largest, held = left[0], [key for key in left if key <= left[0]]
            left = [key for key in left if key not in held]
            names = tuple(name for name in table.columns if name in largest)
            shape = tuple(table.shape[table.columns.index(name)] for name in names)
            size = math.prod(shape)
            precision, centre = np.zeros((size, size)), np.zeros(shape)
            for key in held:
                axes = [i for i, name in enumerate(names) if name in key]
                cells = size // math.prod(shape[i] for i in axes)
                precision += self._precision[key] * cells * projection(shape, axes)
                mean = self._total[key] / self._precision[key] / cells
                order = np.argsort(np.argsort([names[i] for i in axes]))
                mean = mean.transpose(order) if axes else mean
                wide = [k if i in axes else 1 for i, k in enumerate(shape)]
                centre = centre + mean.reshape(wide)
            found.append(
                Known(places(table.columns, table.shape, names), centre.ravel(), precision)
            )
        return found


def _component(table: Seen, names: tuple[str, ...]) -> Floats:
    """The marginal on some variables, without what smaller marginals explain."""
    axes = [table.columns.index(name) for name in names]
    rest = tuple(axis for axis in range(len(table.shape)) if axis not in axes)
    part = np.asarray(table.z.reshape(table.shape).sum(axis=rest))
    part = part.transpose(np.argsort(np.argsort(axes))) if axes else part
    for axis in range(part.ndim):
        part = part - part.mean(axis=axis, keepdims=True)
    return part


def projection(shape: tuple[int, ...], axes: Sequence[int]) -> Floats:
    """The orthogonal projection of tables of this shape on one component."""
    result = np.ones((1, 1))
    for axis, k in enumerate(shape):
        even = np.full((k, k), 1 / k)
        result = np.kron(result, np.eye(k) - even if axis in axes else even)
    return result
