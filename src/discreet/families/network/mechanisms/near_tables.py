r"""Near noisy tables, in floats: those that agree, and none of which has a negative cell.

The nearest tables a that agree are found by least squares, weighted by the precision w of the
noise. Then

    minimise ½·Σ_J w_J·‖x_J − a_J‖² − Σ_J Σ_c α_Jc·ln x_Jc   over tables x that agree,

with α_Jc = 0.3·|J|·Π_i q_i(c_i) + 0.01, a weak Dirichlet prior around the product of the one-way
marginals q_i of a: by the alternating direction method of multipliers (ADMM), over-relaxed by 1.6
(Boyd et al. 2011, sections 3.1 and 3.4.3).

Tables agree on all that they share if they agree on every *closed* set of variables, one that is
the intersection of two tables or more. Going from the smaller to the larger of these, let every
table that holds S have the weighted mean of their marginals on S, the difference spread evenly over
the other variables. Smaller closed sets agree already, so that the difference vanishes on them, and
with it the marginal of what is added on any closed set that does not contain S: nothing is undone.
Tables that hold a set which is not closed all hold the least closed set around it, with weights in
the same proportion. So this is the closed form of `consistency`, with fewer sets.

What is computed from floats is made anew when a release is read, and has to be the same on every
machine. Marginals are sums by `np.bincount`, which adds one number after the other in the order of
its indices and does nothing but add; all else is done cell by cell with + − × / and √, each of them
correctly rounded and none fused, for each is a loop of its own. No order of a sum is left to numpy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from discreet.exact import Floats, Ints

STRENGTH = 0.3  # of the prior, in records for every cell
LEAST = 0.01  # prior of every cell, in records
RELAXED = 1.6
STEPS = 100
NEAR = 0.003  # standard deviations of the noise, where the iteration ends
RARE = 1e-5  # least share of a state

Scopes = tuple[tuple[str, ...], ...]
Shapes = tuple[tuple[int, ...], ...]


class Level(NamedTuple):
    """All closed sets of one size. A part is a table's marginal on such a set, flat."""

    cells: Ints  # of the tables, once for every set that a table holds
    part: Ints  # for each of these the cell of the part
    shared: Ints  # for every cell of a part that of the set
    table: Ints  # and its table
    share: Floats  # 1/(number of cells of the table that it sums)
    first: Ints  # and the first of these cells
    leader: Ints  # for every cell of a set that of the first part


class Layout(NamedTuple):
    """Several tables in one vector, and what they have in common."""

    sizes: Ints  # cells of every table
    table: Ints  # of every cell
    starts: Ints
    levels: tuple[Level, ...]
    states: tuple[Ints, ...]  # of every cell, by axis, which state; the last number is none
    numbers: tuple[int, ...]  # of states, of every variable


@lru_cache(maxsize=2)
def layout(scopes: Scopes, shapes: Shapes) -> Layout:
    """Of tables over these variables."""
    sizes = np.array([math.prod(shape) for shape in shapes], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    counts = {
        name: k
        for names, shape in zip(scopes, shapes, strict=True)
        for name, k in zip(names, shape, strict=True)
    }
    by_size: dict[int, list[frozenset[str]]] = {}
    for each in closed_sets(scopes) or ():
        by_size.setdefault(len(each), []).append(each)
    holders = _holders(scopes)
    levels = tuple(
        _level(sets, scopes, shapes, starts, holders) for _, sets in sorted(by_size.items())
    )
    table = np.repeat(np.arange(len(sizes)), sizes)
    return Layout(
        sizes, table, starts, levels, _states(scopes, shapes, counts), tuple(counts.values())
    )


@lru_cache(maxsize=8)
def work(scopes: Scopes, shapes: Shapes, most: int) -> int | None:
    """How many cells have to be summed; None if more than `most`."""
    sets = closed_sets(scopes, most)
    if sets is None:
        return None
    cells, holders = [math.prod(shape) for shape in shapes], _holders(scopes)
    found = 0
    for each in sets:
        found += sum(cells[i] for i in _holding(each, holders))
        if found > most:
            return None
    return found


def _holding(names: Iterable[str], holders: Mapping[str, Collection[int]]) -> list[int]:
    """The tables that hold all of these."""
    return sorted(set.intersection(*(set(holders[name]) for name in names)))


def closed_sets(scopes: Scopes, most: int = 1 << 30) -> list[frozenset[str]] | None:
    """All intersections of two tables or more, but the empty one; None if more than `most`."""
    tables = [frozenset(names) for names in scopes]
    holders = _holders(scopes)
    found: dict[frozenset[str], None] = {}
    pending = [
        tables[i] & tables[j]
        for i, j in sorted({p for h in holders.values() for p in itertools.combinations(h, 2)})
    ]
    while pending:
        new = dict.fromkeys(each for each in pending if each and each not in found)
        found |= new
        if len(found) > most:
            return None
        pending = [
            each & tables[i] for each in new for i in sorted({i for v in each for i in holders[v]})
        ]
    return sorted(found, key=sorted)


def _holders(scopes: Sequence[tuple[str, ...]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for i, names in enumerate(scopes):
        for name in names:
            found.setdefault(name, []).append(i)
    return found


def _level(
    sets: Iterable[frozenset[str]],
    scopes: Scopes,
    shapes: Shapes,
    starts: Ints,
    holders: dict[str, list[int]],
) -> Level:
    columns: list[list[Any]] = [[] for _ in range(6)]
    leaders: list[Any] = []
    parts = shared = 0
    for each in sets:
        names = sorted(each)
        for place, i in enumerate(_holding(names, holders)):
            axes = tuple(scopes[i].index(name) for name in names)
            local, size, first = marginal_places(shapes[i], axes)
            outside = len(local) // size
            row = (
                starts[i] + np.arange(len(local)),
                parts + local,
                shared + np.arange(size),
                np.full(size, i),
                np.full(size, 1 / outside),
                starts[i] + first,
            )
            for column, values in zip(columns, row, strict=True):
                column.append(values)
            if place == 0:
                leaders.append(parts + np.arange(size))
            parts += size
        shared += size
    return Level(*(np.concatenate(column) for column in (*columns, leaders)))


@lru_cache(maxsize=10_000)
def marginal_places(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[Ints, int, Ints]:
    """For every cell of a table its cell of the marginal on these axes; how many; their firsts."""
    local = np.zeros(math.prod(shape), dtype=np.int64)
    stride = 1
    for axis in reversed(axes):
        after = math.prod(shape[axis + 1 :])
        local += np.arange(len(local)) // after % shape[axis] * stride
        stride *= shape[axis]
    return local, stride, np.unique(local, return_index=True)[1]


def _states(scopes: Scopes, shapes: Shapes, counts: dict[str, int]) -> tuple[Ints, ...]:
    offsets = dict(zip(counts, itertools.accumulate(counts.values(), initial=0), strict=False))
    none = sum(counts.values())
    found = []
    for axis in range(max(map(len, scopes))):
        rows = [
            offsets[names[axis]] + marginal_places(shape, (axis,))[0]
            if axis < len(names)
            else np.full(math.prod(shape), none)
            for names, shape in zip(scopes, shapes, strict=True)
        ]
        found.append(np.concatenate(rows))
    return tuple(found)


def weights(plan: Layout, precision: Floats) -> list[Floats]:
    """Of every part in the mean of its set, by level; `precision` of one cell of every table."""
    found = []
    for level in plan.levels:
        own = precision[level.table] * level.share
        found.append(own / np.bincount(level.shared, own)[level.shared])
    return found


def agree(plan: Layout, part_weights: Sequence[Floats], total: float, tables: Floats) -> Floats:
    """The nearest tables of this total whose marginals agree."""
    missing = (total - np.bincount(plan.table, tables)) / plan.sizes
    result = tables + missing[plan.table]
    for level, weight in zip(plan.levels, part_weights, strict=True):
        part = np.bincount(level.part, result[level.cells])
        mean = np.bincount(level.shared, weight * part)
        change = (mean[level.shared] - part) * level.share
        result = result + np.bincount(level.cells, change[level.part], len(result))
    return result


def settle(plan: Layout, total: float, units: Floats) -> Floats:
    """Whole numbers that nearly agree, made to agree exactly: every sum is one below 2**53.

    The first table that holds a set decides. What another lacks goes into one cell for each of the
    set's, that in which its other variables are in their first state; the argument above holds for
    any way of spreading that is the same for all cells of the set.
    """
    result = units.copy()
    result[plan.starts] += total - np.bincount(plan.table, result)
    for level in plan.levels:
        part = np.bincount(level.part, result[level.cells])
        np.add.at(result, level.first, part[level.leader][level.shared] - part)
    return result


class Near(NamedTuple):
    """What noisy tables lead to."""

    agreeing: Floats  # the nearest tables that agree
    prior: Floats
    tables: Floats  # that agree, without negative cells but for what the iteration left


def near_tables(plan: Layout, precision: Floats, total: float, noisy: Floats) -> Near:
    """Of noisy tables with these precisions of their cells, and the total to have.

    A table of precision 0 lies in others and is their marginal; it has no prior of its own.
    """
    held = weights(plan, precision)
    agreeing = agree(plan, held, total, noisy)
    shares = product(plan, one_way(plan, agreeing))
    measured = precision[plan.table] > 0
    prior = np.where(measured, STRENGTH * plan.sizes[plan.table] * shares + LEAST, 0.0)
    quadruple = 4 * prior / np.where(measured, precision[plan.table], 1.0)
    enough = NEAR / math.sqrt(precision.max())
    positive, dual = np.maximum(agreeing, 0.0), np.zeros_like(agreeing)
    for _ in range(STEPS):
        found = agree(plan, held, total, (agreeing + positive - dual) / 2)
        target = RELAXED * found - (RELAXED - 1) * positive + dual
        before = positive
        positive = (target + np.sqrt(target * target + quadruple)) / 2
        dual = target - positive
        moved = np.maximum(np.abs(positive - before), np.abs(found - positive))
        if moved[measured].max() < enough:
            break
    return Near(agreeing, prior, agree(plan, held, total, positive))


def one_way(plan: Layout, tables: Floats) -> Floats:
    """The shares of every variable's states in tables that agree, none below `RARE`; then a 1."""
    states = sum(plan.numbers)
    sums = np.zeros(states + 1)
    for places in plan.states:
        sums = sums + np.bincount(places, tables, states + 1)
    rest = iter(sums.tolist())
    own = [list(itertools.islice(rest, k)) for k in plan.numbers]
    return np.array([x for each in own for x in _on_simplex(each)] + [1.0])


def _on_simplex(x: list[float]) -> list[float]:
    """The nearest shares (Held, Wolfe and Crowder 1974), none below `RARE`."""
    whole = math.fsum(x)
    x = [value / whole for value in x]
    above = shift = 0.0
    for i, value in enumerate(sorted(x, reverse=True), 1):
        above += value
        if value > (above - 1) / i:
            shift = (above - 1) / i
    shares = [max(value - shift, RARE) for value in x]
    whole = math.fsum(shares)
    return [share / whole for share in shares]


def product(plan: Layout, shares: Floats) -> Floats:
    """For every cell the product of the shares of its states."""
    result = shares[plan.states[0]]
    for states in plan.states[1:]:
        result = result * shares[states]
    return result


def evened(plan: Layout, total: float, least: float, tables: Floats) -> Floats:
    """With so little of the even spread, which agrees, that no cell is below `least`."""
    even = (total / plan.sizes)[plan.table]
    lacking = np.maximum(least - tables, 0.0)
    part = (lacking / (lacking + (even - least))).max()
    return np.asarray(tables + part * (even - tables))
