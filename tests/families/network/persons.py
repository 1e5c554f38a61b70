"""Persons with several records in small networks: their tables, counted in Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

import discreet as dp
from discreet.core.counts import AVERAGED
from discreet.core.tables import Tables

Person: TypeAlias = tuple[tuple[Any, ...], ...]  # records
RULES: dict[str, dict[str, Any]] = {
    "cut": {"unit": "patient", "max_per_unit": 2},
    "average": {"unit": "patient", "per_unit": "average"},
}


def world(net: dp.BayesNet) -> list[tuple[Any, ...]]:
    """All records there can be."""
    return list(itertools.product(*net.states.values()))


def persons(net: dp.BayesNet, most: int) -> Iterator[Person]:
    """All that one to so many records can be, in whatever order."""
    for size in range(1, most + 1):
        yield from itertools.combinations_with_replacement(world(net), size)


def vector(net: dp.BayesNet, person: Sequence[tuple[Any, ...]], rule: str) -> Any:
    """What a person adds to all tables, one after the other; averaged in parts."""
    added = []
    for family in net.families:
        places = [net.nodes.index(name) for name in family.columns]
        cells = list(itertools.product(*(net.states[name] for name in family.columns)))
        table = np.zeros(len(cells), dtype=np.int64)
        for record in person:
            weight = AVERAGED // len(person) if rule == "average" else 1
            table[cells.index(tuple(record[place] for place in places))] += weight
        added.append(table)
    return np.concatenate(added)


def counted(net: dp.BayesNet, people: Iterable[Person], rule: str, **other: Any) -> Tables:
    """The tables of these persons."""
    total = sum((vector(net, person, rule) for person in people), np.zeros(net.size, dtype=int))
    ends = np.cumsum([family.cells for family in net.families])[:-1]
    columns = tuple(family.columns for family in net.families)
    values = tuple(tuple(part.tolist()) for part in np.split(total, ends))
    return Tables(columns, values, **(RULES[rule] | other))
