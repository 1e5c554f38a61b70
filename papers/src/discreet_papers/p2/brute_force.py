"""Small networks of two-state nodes: all neighbouring data, and exact losses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.exact import Floats
from discreet.families.network.model import BayesNet
from discreet.laws.noise import NoiseLaw

Record = tuple[int, ...]


def binary(prior: Any = 1, **parents: str) -> BayesNet:
    """A network of two-state nodes, each with the letters of its parents."""
    graph = {node: list(above) for node, above in parents.items()}
    return BayesNet(graph, dict.fromkeys(parents, (0, 1)), prior)


ONE, PAIR = binary(a=""), binary(a="", b="a")
FORK, COLLIDER = binary(a="", b="a", c="a"), binary(a="", b="", c="ab")


def counts_of(net: BayesNet, records: Iterable[Record]) -> tuple[int, ...]:
    """The counts of all tables, one after the other."""
    found: list[int] = []
    seen = list(records)
    for family in net.families:
        places = [net.nodes.index(name) for name in family.columns]
        those = [tuple(record[place] for place in places) for record in seen]
        found += map(those.count, itertools.product((0, 1), repeat=len(places)))
    return tuple(found)


def neighbours(
    net: BayesNet, n: int, most: int | None = None
) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """All pairs of data that differ in one record, or in at most so many of its attributes."""
    world = list(itertools.product((0, 1), repeat=len(net.nodes)))
    for rest in itertools.combinations_with_replacement(world, n - 1):
        for one, other in itertools.combinations(world, 2):
            if most is None or sum(x != y for x, y in zip(one, other, strict=True)) <= most:
                yield (*rest, one), (*rest, other)


def noise_loss(net: BayesNet, n: int, rate: Fraction) -> tuple[int, float]:
    """The largest l1 change of the counts, and the exact loss of noisy counts cut to [0, n]."""
    logs = [NoiseLaw((c,), rate, "two-sided", 0, n).log_p for c in range(n + 1)]
    worst = np.array([[(p - q).max() for q in logs] for p in logs])  # of a cell, by its counts
    change, loss = 0, 0.0
    for one, other in neighbours(net, n):
        a, b = np.array(counts_of(net, one)), np.array(counts_of(net, other))
        change = max(change, int(np.abs(a - b).sum()))
        loss = max(loss, float(worst[a, b].sum()), float(worst[b, a].sum()))
    return change, loss


def cut_law(centre: int, n: int, scale: float) -> Floats:
    """Discrete Laplace noise of this scale on a count, cut to [0, n]."""
    rate = 1 / Fraction(scale)
    return np.asarray(np.exp(NoiseLaw((centre,), rate, "two-sided", 0, n).log_p))


def largest_of(logs: Sequence[Floats]) -> float:
    """The largest log ratio of any two laws on the same outputs."""
    return max(float((p - q).max()) for p, q in itertools.permutations(logs, 2))
