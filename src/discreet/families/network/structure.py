"""The structure of a Bayesian network: who depends on whom, in which states."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet import check
from discreet.errors import InputError
from discreet.exact import Floats


@dataclass(frozen=True)
class Family:
    """A node and its parents: a table with a row for every configuration of the parents."""

    node: str
    parents: tuple[str, ...]
    shape: tuple[int, ...]  # numbers of states: of the parents, then of the node
    columns: tuple[str, ...] = field(init=False, repr=False, compare=False)  # of the table
    cells: int = field(init=False, repr=False, compare=False)  # how many numbers it has
    rows: int = field(init=False, repr=False, compare=False)  # a row for every configuration

    def __post_init__(self) -> None:
        cells = math.prod(self.shape)
        object.__setattr__(self, "columns", (*self.parents, self.node))  # it varies fastest
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "rows", cells // self.shape[-1])


def read_structure(
    parents: Any, states: Mapping[str, Iterable[Any]] | None
) -> tuple[dict[str, tuple[str, ...]], Mapping[str, Any], Mapping[str, Any]]:
    """Parents and states by node, in the order of the nodes, and the CPDs of a pgmpy model."""
    cpds: dict[str, Any] = {}
    if isinstance(parents, Mapping):
        graph = {node: _names(node, above) for node, above in parents.items()}
    elif callable(getattr(parents, "predecessors", None)):  # networkx, and pgmpy built on it
        graph = {node: _names(node, list(parents.predecessors(node))) for node in parents.nodes}
        cpds = _cpds(parents)
        if cpds:
            graph = {node: _names(node, cpds[node].variables[1:]) for node in graph}
        if states is None:
            own = {node: cpds[node].state_names[node] for node in cpds}
            states = own or dict(getattr(parents, "states", {})) or None
    else:
        raise InputError(
            "parents must be a mapping from nodes to lists of parents, a networkx DiGraph or a "
            f"pgmpy model, got {check.brief(parents)}",
            "parents",
        )
    if not isinstance(states, Mapping):
        raise InputError("states must be given: a mapping from nodes to their states", "states")
    for node in graph:
        check.label("node", node)
    for node in states:
        graph.setdefault(node, ())  # a node without parents need not be named among them
    graph = {node: graph[node] for node in states if node in graph} | graph
    for node, above in graph.items():
        for name in above:
            if name not in graph:
                near = check.similar(name, list(graph))
                hint = f"; did you mean {near!r}?" if near else ""
                raise InputError(f"parent {name!r} of {node!r} is no node{hint}", "parents")
        if node not in states:
            raise InputError(f"states of node {node!r} must be declared", "states")
    if not graph:
        raise InputError("parents must name at least one node", "parents")
    ordered(graph)
    return graph, states, cpds


def _cpds(model: Any) -> dict[str, Any]:
    """The conditional tables of a pgmpy model by node, if every node has one."""
    if not callable(getattr(model, "get_cpds", None)):
        return {}
    found = {cpd.variable: cpd for cpd in model.get_cpds() if hasattr(cpd, "state_names")}
    if not all(node in found for node in model.nodes):
        return {}
    for node in model.nodes:
        if set(found[node].variables[1:]) != set(model.predecessors(node)):
            raise InputError(
                f"the CPD of {node!r} must have its parents in the graph as evidence", "parents"
            )
        for name, states in found[node].state_names.items():
            if set(states) != set(found[name].state_names[name]):
                raise InputError(
                    f"the CPD of {node!r} must have the states of {name!r} that its own CPD has",
                    "parents",
                )
    return {node: found[node] for node in model.nodes}


def cpd_tables(
    cpds: Mapping[str, Any], states: Mapping[str, Sequence[Any]]
) -> dict[str, Floats] | None:
    """The CPDs as tables in the order of the states; None if there are none or states differ."""
    tables = {}
    for node, cpd in cpds.items():
        table = np.asarray(cpd.values, dtype=np.float64)
        for axis, name in enumerate(cpd.variables):
            names = list(cpd.state_names[name])
            if set(names) != set(states[name]):
                return None
            table = table.take([names.index(state) for state in states[name]], axis=axis)
        tables[node] = np.moveaxis(table, 0, -1).reshape(-1, table.shape[0])
    return tables or None


def _names(node: object, above: object) -> tuple[str, ...]:
    if isinstance(above, (str, set, frozenset)) or not isinstance(above, Iterable):
        raise InputError(
            f"parents of {node!r} must be a list of nodes in order, got {check.brief(above)}",
            "parents",
        )
    names = tuple(check.label("parent", name) for name in above)
    if len(set(names)) < len(names):
        raise InputError(f"parents of {node!r} must not name a node twice", "parents")
    return names


def ordered(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Parents before children; a cycle is refused by name."""
    order: dict[str, None] = {}
    for start in graph:
        way: list[str] = []  # from a node to the parent that is looked at
        pending = [(start, iter(graph[start]))] if start not in order else []
        while pending:
            node, above = pending[-1]
            if len(way) < len(pending):
                way.append(node)
            following = next((name for name in above if name not in order), None)
            if following is None:
                order[node] = None
                pending.pop()
                way.pop()
            elif following in way:
                cycle = [*way[way.index(following) :], following]
                raise InputError(
                    f"parents must not form a cycle: {check.shorten(' ← '.join(cycle))}", "parents"
                )
            else:
                pending.append((following, iter(graph[following])))
    return list(order)
