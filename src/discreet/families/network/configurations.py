"""The rows of P(node | parents): the configurations of the parents, by place and in words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet


def configurations(net: BayesNet, node: str) -> list[tuple[Category, ...]]:
    """The states of the parents for every row, the last parent varying fastest."""
    states = net.states
    return list(itertools.product(*(states[name] for name in net.family(node).parents)))


def words(names: Sequence[str], states: Sequence[Category], quoted: bool = False) -> str:
    """smoke=yes, age=3."""
    return ", ".join(
        f"{name}={state!r}" if quoted else f"{name}={state}"
        for name, state in zip(names, states, strict=True)
    )


def cell_labels(net: BayesNet, node: str) -> tuple[str, ...]:
    """The cells of a family's table in words; quoted where 1 and "1" would look alike."""
    family, states = net.family(node), net.states
    cells = list(itertools.product(*(states[name] for name in family.columns)))
    labels = tuple(words(family.columns, cell) for cell in cells)
    if len(set(labels)) < len(labels):
        labels = tuple(words(family.columns, cell, quoted=True) for cell in cells)
    return labels


def place(net: BayesNet, node: str, configuration: object) -> int:
    """The row of a configuration: its place, or the states of the parents as tuple or mapping."""
    family = net.family(node)
    if configuration is None:
        if family.parents:
            raise _wrong(family.parents, node, configuration)
        return 0
    if isinstance(configuration, (int, np.integer)):
        return check.whole("configuration", configuration, most=family.rows - 1)
    if isinstance(configuration, Mapping):
        if set(configuration) != set(family.parents):
            raise _wrong(family.parents, node, configuration)
        given = [configuration[name] for name in family.parents]
    elif isinstance(configuration, (tuple, list)) and len(configuration) == len(family.parents):
        given = list(configuration)
    else:
        raise _wrong(family.parents, node, configuration)
    result, states = 0, net.states
    for name, size, state in zip(family.parents, family.shape, given, strict=False):
        at = check.position(f"configuration: state of {name!r}", state, states[name])
        result = result * size + at
    return result


def _wrong(parents: Sequence[str], node: str, configuration: object) -> InputError:
    names = check.shorten(", ".join(map(repr, parents))) if parents else "none: it has no parents"
    return InputError(
        f"configuration must be the place of a row, or the states of all parents of {node!r} "
        f"({names}), got {check.brief(configuration)}",
        "configuration",
    )
