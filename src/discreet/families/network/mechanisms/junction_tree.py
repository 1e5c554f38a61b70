"""A junction tree of tables: their marginals under a network, and whole numbers that agree.

Floats as in `near_tables`: sums one number after the other, so the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats, Ints
from discreet.families.network.mechanisms.near_tables import Scopes, Shapes, marginal_places

MOST_CELLS = 1 << 19  # of all cliques together
LEAST = 1e-290


class Clique(NamedTuple):
    """One clique, its cells flat, and the tables at home in it."""

    parent: int  # its place; −1 of a root
    cells: int
    own: Ints  # for every cell that of the separator, of what it shares with its parent
    theirs: Ints  # for every cell of the parent that of the separator
    separator: int  # how many cells it has
    tables: tuple[tuple[int, Ints], ...]  # which, and for every cell that of the table


@lru_cache(maxsize=2)
def junction_tree(scopes: Scopes, shapes: Shapes) -> tuple[Clique, ...] | None:
    """Cliques, parents before children; None if they have more than `MOST_CELLS` cells."""
    states = {
        name: k
        for names, shape in zip(scopes, shapes, strict=True)
        for name, k in zip(names, shape, strict=True)
    }
    found = _eliminated(scopes, states)
    if found is None:
        return None
    cliques, parents = found
    sizes = [tuple(states[name] for name in clique) for clique in cliques]
    if sum(map(math.prod, sizes)) > MOST_CELLS:
        return None
    homes = _homes(scopes, cliques, sizes)
    return tuple(
        _clique(i, cliques, parents, sizes, homes.get(i, []), scopes) for i in range(len(cliques))
    )


def _eliminated(
    scopes: Scopes, states: dict[str, int]
) -> tuple[list[tuple[str, ...]], list[int]] | None:
    """Maximal cliques and the places of their parents, by eliminating with least fill."""
    near: dict[str, set[str]] = {name: set() for name in states}
    for names in scopes:
        for name in names:
            near[name].update(names)
    for name in near:
        near[name].discard(name)
    order = {name: i for i, name in enumerate(states)}

    def cost(name: str) -> tuple[int, int, int]:
        cells = math.prod(states[other] for other in near[name]) * states[name]
        return fill[name], cells, order[name]

    fill = {
        name: sum(len(beside - near[a]) - 1 for a in beside) // 2 for name, beside in near.items()
    }
    queue = [(cost(name), name) for name in near]
    heapq.heapify(queue)
    made: list[tuple[str, frozenset[str]]] = []
    while near:
        key, name = heapq.heappop(queue)
        if name not in near or key != cost(name):
            continue
        if key[1] > MOST_CELLS:
            return None
        beside = sorted(near[name], key=order.__getitem__)
        changed = set(beside)
        for a, b in itertools.combinations(beside, 2):
            if b not in near[a]:
                both = near[a] & near[b]
                for other in both:
                    fill[other] -= 1
                changed |= both
                fill[a] += len(near[a] - near[b])
                fill[b] += len(near[b] - near[a])
                near[a].add(b)
                near[b].add(a)
        for other in beside:
            fill[other] -= len(near[other] - near[name]) - 1
            near[other].discard(name)
        made.append((name, frozenset(beside)))
        del near[name]
        for other in sorted(changed - {name}, key=order.__getitem__):
            heapq.heappush(queue, (cost(other), other))
    return _joined(made, order)


def _joined(
    made: list[tuple[str, frozenset[str]]], order: dict[str, int]
) -> tuple[list[tuple[str, ...]], list[int]]:
    """The tree of the eliminated, a clique that lies in another one taken up by it."""
    turn = {name: i for i, (name, _) in enumerate(made)}
    cliques: list[frozenset[str]] = []
    parents: list[int] = []
    place: dict[str, int] = {}  # of the clique of a variable's elimination
    for name, beside in reversed(made):
        above = min(beside, key=turn.__getitem__) if beside else None
        home = -1 if above is None else place[above]
        clique = beside | {name}
        if home >= 0 and cliques[home] <= clique:  # only the parent's own can lie in it
            cliques[home], place[name] = clique, home
        else:
            place[name] = len(cliques)
            cliques.append(clique)
            parents.append(home)
    return [tuple(sorted(clique, key=order.__getitem__)) for clique in cliques], parents


def _homes(
    scopes: Scopes, cliques: list[tuple[str, ...]], sizes: list[tuple[int, ...]]
) -> dict[int, list[int]]:
    """For every clique the tables in it; a table is in the smallest that has its variables."""
    having: dict[str, set[int]] = {}
    for i, clique in enumerate(cliques):
        for name in clique:
            having.setdefault(name, set()).add(i)
    found: dict[int, list[int]] = {}
    for table, names in enumerate(scopes):
        able = set.intersection(*(having[name] for name in names))
        found.setdefault(min(able, key=lambda i: (math.prod(sizes[i]), i)), []).append(table)
    return found


def _clique(
    i: int,
    cliques: list[tuple[str, ...]],
    parents: list[int],
    sizes: list[tuple[int, ...]],
    tables: list[int],
    scopes: Scopes,
) -> Clique:
    own, parent = cliques[i], parents[i]
    shared = () if parent < 0 else tuple(name for name in own if name in cliques[parent])
    places, cells, _ = marginal_places(sizes[i], tuple(map(own.index, shared)))
    theirs = places[:0]
    if parent >= 0:
        theirs, _, _ = marginal_places(sizes[parent], tuple(map(cliques[parent].index, shared)))
    homes = [
        (table, marginal_places(sizes[i], tuple(map(own.index, scopes[table])))[0])
        for table in tables
    ]
    return Clique(parent, math.prod(sizes[i]), places, theirs, cells, tuple(homes))


def beliefs(tree: tuple[Clique, ...], conditional: list[Floats]) -> list[Floats]:
    """The law of every clique, of a network with these conditional tables."""
    up = []
    for clique in tree:
        potential = np.ones(clique.cells)
        for table, places in clique.tables:
            potential = potential * conditional[table][places]
        up.append(potential)
    messages = [np.ones(1)] * len(tree)
    for i in range(len(tree) - 1, -1, -1):
        clique = tree[i]
        if clique.parent >= 0:
            messages[i] = np.maximum(np.bincount(clique.own, up[i], clique.separator), LEAST)
            up[clique.parent] = up[clique.parent] * messages[i][clique.theirs]
    for i, clique in enumerate(tree):
        if clique.parent < 0:
            up[i] = up[i] / np.cumsum(up[i])[-1]
        else:
            above = np.bincount(clique.theirs, up[clique.parent], clique.separator)
            up[i] = up[i] * (above / messages[i])[clique.own]
    return up


def marginals(tree: tuple[Clique, ...], cliques: list[Floats], sizes: list[int]) -> list[Floats]:
    """The tables that the cliques have."""
    found = [np.zeros(0)] * len(sizes)
    for clique, law in zip(tree, cliques, strict=True):
        for table, places in clique.tables:
            found[table] = np.bincount(places, law, sizes[table]).astype(np.float64)
    return found


def apportioned(tree: tuple[Clique, ...], total: float, laws: list[Floats]) -> list[Floats]:
    """Whole numbers of that total, which agree, near the laws of the cliques.

    A clique shares out what its parent has in every cell of their separator: up to the end of each
    of its cells so much of it, rounded, as the law has up to there.
    """
    found: list[Floats] = []
    for clique, law in zip(tree, laws, strict=True):
        given = np.array([total])
        if clique.parent >= 0:
            given = np.bincount(clique.theirs, found[clique.parent], clique.separator)
        by_cell = np.argsort(clique.own, kind="stable").reshape(clique.separator, -1)
        ends = np.cumsum(np.maximum(law[by_cell], LEAST), axis=1)
        until = np.rint(given[:, None] * (ends / ends[:, -1:]))
        until[:, 1:] -= until[:, :-1].copy()
        whole = np.empty_like(law)
        whole[by_cell] = until
        found.append(whole)
    return found
