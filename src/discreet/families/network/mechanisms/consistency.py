r"""Tables that overlap, made to agree: weighted least squares in closed form, in exact fractions.

A table T over the variables J is a sum of components, one for each S ⊆ J: the marginal of T on S
without what the marginals on smaller sets explain. They are orthogonal. Two tables agree on their
common variables exactly if their components agree for every common S, so the least squares
Σ_J ‖T̂_J − T_J‖²/v_J under agreement falls apart into one weighted mean for each S: a component on S
has the variance v_J·c in the table over J, where c is the number of cells of J \ S. This holds for
any overlaps and numbers of states; nothing is iterated. S = ∅ is the total of a table, which all
have in common: where it is noisy, it is one more component.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError

Table: TypeAlias = NDArray[Any]  # of Python's integers or fractions
Names: TypeAlias = tuple[str, ...]

MOST_SHARED = 10  # variables of two tables
PARTS = 1 << 16  # weights are multiples of 1/PARTS, which keeps the fractions short


def agreeing(
    tables: Sequence[Sequence[int | Fraction]],
    scopes: Sequence[Names],
    shapes: Sequence[tuple[int, ...]],
    variances: Sequence[Fraction | None],
    parts: int | None = None,
    total: int | None = None,
) -> list[list[int | Fraction]]:
    """The nearest tables whose marginals agree, weighted by the inverse of the variances.

    A table whose variance is None was not measured: it becomes a marginal of those it lies in. If
    `parts` is given the totals are noisy and made to agree too, and tables are divided by it; if
    `total` is given it is the true one of all tables.
    """
    given = [np.array(t, dtype=object).reshape(s) for t, s in zip(tables, shapes, strict=True)]
    changes = [np.zeros(shape, dtype=object) for shape in shapes]
    if total is not None:
        for i, table in enumerate(given):
            changes[i] += PARTS * (total - table.sum())
    for subset in shared_sets(scopes, parts is not None):
        held = [i for i, names in enumerate(scopes) if subset <= set(names)]
        outside = [_cells(scopes[i], shapes[i], subset) for i in held]
        weights = rounded_weights(
            [precision(variances[i], c) for i, c in zip(held, outside, strict=True)]
        )
        order = [[scopes[i].index(name) for name in sorted(subset)] for i in held]
        found = [_component(given[i], axes) for i, axes in zip(held, order, strict=True)]
        mean = sum(w * component for w, component in zip(weights, found, strict=True))
        for i, axes, component in zip(held, order, found, strict=True):
            changes[i] += _spread(mean - PARTS * component, axes, given[i].ndim)
    return [_scaled(t, change, parts or 1) for t, change in zip(given, changes, strict=True)]


def shared_sets(scopes: Sequence[Names], totals: bool) -> list[frozenset[str]]:
    """Every set of variables that two tables or more have in common, the empty one for totals."""
    found = {frozenset(s) for overlap in _overlaps(tuple(scopes)) for s in _subsets(overlap)}
    return [frozenset()] * totals + sorted(found, key=sorted)


@lru_cache(maxsize=64)
def require_few_overlaps(scopes: tuple[Names, ...]) -> None:
    """Refuse, by the structure alone, tables that have too many sets of variables in common."""
    largest = max(map(len, _overlaps(tuple(scopes))), default=0)
    if largest > MOST_SHARED:
        raise InputError(
            f"tables that are made to agree share at most {MOST_SHARED} variables, got two that "
            f"share {largest}; use 'laplace_updates'",
            "mechanism",
        )


@lru_cache(maxsize=8)
def _overlaps(scopes: tuple[Names, ...]) -> set[frozenset[str]]:
    return {frozenset(a).intersection(b) for a, b in itertools.combinations(scopes, 2)}


def _subsets(names: Iterable[str]) -> Iterable[Names]:
    ordered = sorted(names)
    for size in range(1, len(ordered) + 1):
        yield from itertools.combinations(ordered, size)


def _cells(names: Names, shape: tuple[int, ...], subset: frozenset[str]) -> int:
    return math.prod(k for name, k in zip(names, shape, strict=True) if name not in subset)


def precision(variance: Fraction | None, cells: int) -> Fraction:
    """Of the sum of so many cells with this variance, None of those that were not measured."""
    return Fraction(0) if variance is None else 1 / (variance * cells)


def rounded_weights(precisions: Sequence[Fraction]) -> list[int]:
    """Whole numbers in proportion, PARTS in all."""
    total = sum(precisions)
    weights = [round(PARTS * p / total) for p in precisions]
    weights[max(range(len(weights)), key=weights.__getitem__)] += PARTS - sum(weights)
    return weights


def _component(table: Table, axes: list[int]) -> Table:
    """The component on these variables, in this order, times their number of cells."""
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    part = table.sum(axis=others) if others else table
    part = np.asarray(part, dtype=object).transpose(np.argsort(np.argsort(axes)))
    for axis in range(part.ndim):
        part = part.shape[axis] * part - part.sum(axis=axis, keepdims=True)
    return part


def _spread(component: Table | int, axes: list[int], dimensions: int) -> Table:
    """Back to the axes of the table, of length one where the component does not vary."""
    component, shape = np.asarray(component, dtype=object), [1] * dimensions
    for axis, length in zip(axes, component.shape, strict=True):
        shape[axis] = length
    return component.transpose(np.argsort(axes)).reshape(shape)


def _scaled(table: Table, change: Table, parts: int) -> list[int | Fraction]:
    """table + change/(PARTS·cells): both factors of a component are the cells of the table."""
    scale = PARTS * table.size
    cells = (scale * table + change).ravel().tolist()
    return [exact_ratio(x, scale * parts) for x in cells]


def exact_ratio(number: int, scale: int) -> int | Fraction:
    """number/scale, a whole number where it is one."""
    return Fraction(number, scale) if number % scale else number // scale
