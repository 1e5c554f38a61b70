"""Small networks, tables counted in Python, and the exact privacy loss by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import discreet as dp
from discreet.core import Law
from discreet.core.law import ProductLaw
from discreet.core.tables import Tables
from discreet.exact import compositions
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw

STATES = {"a": (0, 1), "b": (0, 1)}
PAIR = dp.BayesNet({"b": ["a"]}, STATES)
CHAIN = dp.BayesNet({"b": ["a"], "c": ["b"]}, {**STATES, "c": ("x", "y", "z")})
FORK = dp.BayesNet({"b": ["a"], "c": ["a"]}, {**STATES, "c": (0, 1)})


def tables(net: dp.BayesNet, records: Iterable[tuple[Any, ...]]) -> Tables:
    """Counted in Python."""
    values, records = [], list(records)
    for family in net.families:
        places = [net.nodes.index(name) for name in family.columns]
        cells = itertools.product(*(net.states[name] for name in family.columns))
        values.append(
            tuple(sum(tuple(r[p] for p in places) == cell for r in records) for cell in cells)
        )
    return Tables(tuple(family.columns for family in net.families), tuple(values))


def logs(law: Law, n: int) -> list[dict[tuple[int, ...], float]]:
    """Of independent parts of the output: log probabilities, up to what is common to all data.

    Of additive noise at outputs that include every data set's own counts, where its largest ratio
    is attained; of other laws at all outputs.
    """
    if isinstance(law, ProductLaw):
        return [found for part in law.parts for found in logs(part, n)]
    if isinstance(law, NoiseLaw) and law.low is None:
        rate = float(law.rate)
        return [{(z,): -rate * abs(z - c) for z in range(-1, n + 2)} for c in law.center]
    if isinstance(law, LatticeLaw):
        rows = compositions.rows(n, law.dimension).tolist()
        return [{tuple(z): float(law.log_weight(tuple(z)).mid()) for z in rows}]
    return [dict(zip(map(tuple, law.support.tolist()), law.log_p.tolist(), strict=True))]


def neighbours(
    net: dp.BayesNet, n: int, attribute: bool
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """All pairs of data sets of n records of which one, or one attribute of it, differs."""
    world = list(itertools.product(*net.states.values()))
    for rest in itertools.combinations_with_replacement(world, n - 1):
        for one, other in itertools.combinations(world, 2):
            if not attribute or sum(x != y for x, y in zip(one, other, strict=True)) == 1:
                yield (*rest, one), (*rest, other)


def exact_loss(net: dp.BayesNet, made: dp.Mechanism, n: int) -> float:
    """The largest |log ratio| over all neighbouring data and all outputs."""
    found: dict[tuple[int, ...], list[dict[tuple[int, ...], float]]] = {}

    def law(records: tuple[Any, ...]) -> list[dict[tuple[int, ...], float]]:
        counted = tables(net, records)
        key = net.to_vector(counted)
        if key not in found:
            found[key] = logs(made.raw_law(counted), n)
        return found[key]

    worst = 0.0
    for one, other in neighbours(net, n, made.config.adjacency is dp.Adjacency.ATTRIBUTE):
        up = down = 0.0  # the parts are independent, so the worst output is worst in every part
        for p, q in zip(law(one), law(other), strict=True):
            assert p.keys() == q.keys()
            ratios = [p[z] - q[z] for z in p]
            up, down = up + max(ratios), down + max(-ratio for ratio in ratios)
        worst = max(worst, up, down)
    return worst
