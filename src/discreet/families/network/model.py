"""Discrete Bayesian networks: structure, states and Dirichlet priors."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet import check
from discreet.check import Category, Number
from discreet.core.counts import Model
from discreet.core.documents import exact
from discreet.core.law import Value
from discreet.core.mechanism import Mechanism
from discreet.core.tables import Tables
from discreet.data import Rules, tabulate_several
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.network import records
from discreet.families.network.law import to_pgmpy
from discreet.families.network.posterior import NetworkPosterior
from discreet.families.network.structure import Family, cpd_tables, ordered, read_structure

if TYPE_CHECKING:
    from discreet.families.network.mixture import NoiseAwareNetwork
    from discreet.families.network.posterior import NetworkPosterior
    from discreet.families.network.samples import NetworkSamples
    from discreet.families.network.summary import NetworkSummary

    pass

    _Model = Model[NetworkPosterior | NetworkSamples, NoiseAwareNetwork, NetworkSummary]
else:
    _Model = Model

MOST_CELLS = 10**7  # of all family tables together


@dataclass(frozen=True, init=False, repr=False)
class BayesNet(_Model):
    """Records of several discrete variables, each depending on its parents in an acyclic graph.

    Every row of a conditional table, θ given a node and a configuration of its parents, has an
    independent Dirichlet prior.

    Args:
        parents: for every node the list of its parents; a networkx DiGraph; or a pgmpy model, of
            which the probabilities are taken too if it has them for these states.
        states: for every node its states: two or more strings, integers or booleans. Taken from a
            pgmpy model if None.
        prior: one positive number for all cells, or for every node a number, a vector (one number
            per state) or a table (a row per configuration of the parents).
        probabilities: of a known network, for every node a table of conditional probabilities:
            what `sample` draws from.

    Raises:
        InputError: the graph has a cycle, a parent is unknown, or states are missing.

    Example:
        >>> import discreet as dp
        >>> states = {"smoker": ("no", "yes"), "cough": ("no", "yes")}
        >>> net = dp.BayesNet({"cough": ["smoker"]}, states)
        >>> [family.columns for family in net.families]
        [('smoker',), ('smoker', 'cough')]
    """

    kind: ClassVar[str] = "BayesNet"

    nodes: tuple[str, ...]
    families: tuple[Family, ...]
    labels: tuple[tuple[Category, ...], ...]
    prior: tuple[tuple[Fraction, ...], ...]
    probabilities: tuple[tuple[float, ...], ...] | None = field(compare=False)

    def __init__(
        self,
        parents: object,
        states: Mapping[str, Iterable[Any]] | None = None,
        prior: Number | str | Mapping[str, Any] = 1.0,
        probabilities: Mapping[str, object] | None = None,
    ) -> None:
        graph, found, cpds = read_structure(parents, states)
        labels = {node: check.categories(found[node], f"states of {node!r}") for node in graph}
        probabilities = cpd_tables(cpds, labels) if probabilities is None else probabilities
        families = tuple(
            Family(node, above, tuple(len(labels[name]) for name in (*above, node)))
            for node, above in graph.items()
        )
        if (cells := sum(family.cells for family in families)) > MOST_CELLS:
            raise InputError(
                f"parents make tables of {check.big(cells)} cells, at most {MOST_CELLS} are "
                "possible",
                "parents",
            )
        given = {} if probabilities is None else _by_node("probabilities", probabilities, graph)
        values: dict[str, object] = {
            "nodes": tuple(graph),
            "families": families,
            "labels": tuple(labels[node] for node in graph),
            "prior": _priors(prior, families),
            "probabilities": None
            if probabilities is None
            else tuple(_conditional(given[family.node], family) for family in families),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """For every node its parents."""
        return {family.node: family.parents for family in self.families}

    @property
    def states(self) -> dict[str, tuple[Category, ...]]:
        """For every node its states."""
        return dict(zip(self.nodes, self.labels, strict=True))

    @property
    def children(self) -> dict[str, tuple[str, ...]]:
        """For every node its children."""
        return {
            node: tuple(f.node for f in self.families if node in f.parents) for node in self.nodes
        }

    @property
    def order(self) -> tuple[str, ...]:
        """The nodes, parents before children."""
        return tuple(ordered(self.parents))

    def family(self, node: str) -> Family:
        """The family of a node."""
        return self.families[_place(node, self.nodes)]

    def conditional(self, node: str) -> Floats:
        """P(node | parents) of a network with known probabilities: a row per configuration."""
        if self.probabilities is None:
            raise InputError("the network has no probabilities: give them, or read a BIF file")
        place = _place(node, self.nodes)
        return np.reshape(self.probabilities[place], (-1, self.families[place].shape[-1]))

    def count(
        self,
        data: object,
        *,
        where: str | None = None,
        unknown: str = "error",
        unit: str | None = None,
        max_per_unit: int | None = None,
        per_unit: str = "cut",
        table: str | None = None,
        line_breaks: bool = False,
    ) -> Tables:
        """Count the records of all families in one pass, where they are. The result is private.

        Args:
            data: a data frame or relation of pandas, polars, pyarrow, DuckDB, dask, ibis or
                PySpark with a column for every node, or the path of a file, as for
                `DirichletMultinomial.count`.
            where: a condition on one record, such as "age >= 50".
            unknown: records with a missing or undeclared value are an "error" or left out ("drop").
            unit: the column that tells whose record it is; then a whole unit is protected.
            max_per_unit: how many records of one unit are kept at most.
            per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs
                one, so that it is the mean over units that is learnt.
            table: the table of a .duckdb file.
            line_breaks: declares that a correct CSV writer wrote the file, whose quoted values may
                hold line breaks; a release says so. Else a record is a line.

        Raises:
            UnknownValuesError: a value is missing or undeclared; `.values` has up to five records.
        """
        check.choice("unknown", unknown, ("error", "drop"))
        columns = tuple(family.columns for family in self.families)
        rules = Rules(
            where, unknown, None, unit, max_per_unit, table, line_breaks, per_unit=per_unit
        )
        values, left_out = tabulate_several(data, self.states, columns, rules)
        states = tuple(tuple(self.states[name] for name in scope) for scope in columns)
        return Tables(
            columns,
            tuple(values),
            where,
            unknown == "drop",
            states,
            line_breaks,
            left_out,
            unit or "record",
            max_per_unit or 1,
            per_unit,
        )

    def ordered(self, tables: object) -> tuple[tuple[int, ...], ...]:
        """The counts of every family, of tables that were made for this network."""
        wanted = tuple(family.columns for family in self.families)
        sizes = tuple(family.cells for family in self.families)
        if not isinstance(tables, Tables):
            raise InputError(
                f"tables must be made by net.count(data), got {check.brief(tables)}", "tables"
            )
        if tables.columns != wanted or tuple(map(len, tables.values)) != sizes:
            raise InputError("tables were counted for another network", "tables")
        for family, found in zip(self.families, tables.states or (), strict=False):
            for name, states in zip(family.columns, found, strict=True):
                if states != self.states[name]:
                    raise InputError(
                        f"tables were counted for a network with other states of {name!r}, or in "
                        "another order",
                        "tables",
                    )
        return tables.values

    @property
    def size(self) -> int:
        """How many cells all tables have together."""
        return sum(family.cells for family in self.families)

    def to_vector(self, counts: object) -> tuple[int, ...]:
        """The counts of all tables, one after the other."""
        return tuple(count for table in self.ordered(counts) for count in table)

    def n_records(self, values: Sequence[int]) -> int:
        """The number of records behind the counts of all tables."""
        return sum(values[: self.families[0].cells])

    def released(self, values: Value) -> NetworkPosterior:
        """The posterior that takes released counts for the true ones.

        Negative ones are taken for 0.
        """
        parameters, start = [], 0
        for prior in self.prior:
            counts = values[start : start + len(prior)]
            cells = zip(prior, counts, strict=True)
            parameters.append(tuple(float(a + max(c, 0)) for a, c in cells))
            start += len(prior)
        return NetworkPosterior(self, tuple(parameters))

    def posterior(self, tables: Tables) -> NetworkPosterior:
        """The posterior given the counts. Not private: for the data owner only."""
        self.ordered(tables)  # refuses those of another network
        return self.released(tuple(itertools.chain.from_iterable(tables.weights)))

    def sample(self, size: int, rng: np.random.Generator | None = None) -> Any:
        """Records of a network with known probabilities, as a frame."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        places = records.draw(self, check.size(size), self.conditional, source)
        return records.frame(places, self.states)

    def to_pgmpy(self) -> Any:
        """A pgmpy model of a network with known probabilities."""
        return to_pgmpy(self, {node: self.conditional(node) for node in self.nodes})

    @classmethod
    def from_bif(
        cls, path: str | PathLike[str], prior: Number | str | Mapping[str, Any] = 1.0
    ) -> BayesNet:
        """Read a network and its probabilities from a BIF file.

        Raises:
            InputError: the file is broken; the message has the line and the reason.
        """
        from discreet.families.network import bif

        parents, states, probabilities = bif.read(path)
        return cls(parents, states, prior, probabilities)

    def to_document(self) -> dict[str, Any]:
        """The model as JSON can hold it; the probabilities of a known network are no part of it."""
        return {
            "kind": self.kind,
            "nodes": [
                {
                    "name": family.node,
                    "parents": list(family.parents),
                    "states": list(labels),
                    "prior": [str(a) for a in prior],
                }
                for family, labels, prior in zip(
                    self.families, self.labels, self.prior, strict=True
                )
            ],
        }

    def __repr__(self) -> str:
        arcs = sum(len(family.parents) for family in self.families)
        names = check.shorten(", ".join(self.nodes))
        return (
            f"<BayesNet of {check.number_of(len(self.nodes), 'node')} and "
            f"{check.number_of(arcs, 'arc')}: {names}>"
        )


def released_posterior(mechanism: Mechanism, value: Value) -> NetworkPosterior:
    """The posterior that takes released counts for the true ones."""
    net: BayesNet = mechanism.config.model
    return net.released(value)


def read_model(document: Mapping[str, Any]) -> BayesNet:
    """The network that `to_document` wrote."""
    nodes = {node["name"]: node for node in document["model"]["nodes"]}
    prior = {}
    for name, node in nodes.items():
        numbers, states = [exact(a) for a in node["prior"]], len(node["states"])
        prior[name] = [numbers[i : i + states] for i in range(0, len(numbers), states)]
    return BayesNet(
        {name: node["parents"] for name, node in nodes.items()},
        {name: node["states"] for name, node in nodes.items()},
        prior,
    )


def _place(node: object, nodes: Sequence[str]) -> int:
    check.choice("node", node, nodes)
    return list(nodes).index(str(node))


def _by_node(argument: str, value: object, nodes: Iterable[str]) -> Mapping[str, Any]:
    names = dict.fromkeys(nodes)
    if not isinstance(value, Mapping):
        raise InputError(
            f"{argument} must be a mapping by node, got {check.brief(value)}", argument
        )
    for name in value:
        if name not in names:
            near = check.similar(name, names)
            hint = f"; did you mean {near!r}?" if near else ""
            raise InputError(
                f"{argument} must be by node, and {check.brief(name)} is none{hint}", argument
            )
    for name in names:
        if name not in value:
            raise InputError(f"{argument} must have an entry for node {name!r}", argument)
    return value


def _priors(prior: object, families: Sequence[Family]) -> tuple[tuple[Fraction, ...], ...]:
    if not isinstance(prior, Mapping):
        return tuple((number,) * f.cells for f in families for number in [_concentration(prior)])
    given = _by_node("prior", prior, [family.node for family in families])
    return tuple(_prior_of(given[family.node], family) for family in families)


def _prior_of(value: object, family: Family) -> tuple[Fraction, ...]:
    table = np.array(value, dtype=object)
    argument, states = f"prior[{family.node!r}]", family.shape[-1]
    if table.ndim == 0:
        return (_concentration(value, argument),) * family.cells
    if table.shape not in ((states,), (family.rows, states), family.shape):
        raise InputError(
            f"prior of {family.node!r} must be a number, {states} numbers, or {family.rows} rows "
            "of them",
            "prior",
        )
    numbers = tuple(
        _concentration(number, argument + "".join(f"[{i}]" for i in place))
        for place, number in np.ndenumerate(table)
    )
    return numbers * (family.cells // len(numbers))


def _concentration(value: object, argument: str = "prior") -> Fraction:
    return check.between(argument, value, check.SMALL, Fraction(10**12))


def _conditional(value: object, family: Family) -> tuple[float, ...]:
    argument = f"probabilities[{family.node!r}]"
    table = check.reals(argument, value)
    if table.size != family.cells:
        raise InputError(
            f"probabilities of {family.node!r} must be a table of {family.rows} rows and "
            f"{family.shape[-1]} columns",
            "probabilities",
        )
    rows = table.reshape(family.rows, -1)
    totals = rows.sum(axis=1)
    negative, wrong = ~(np.min(rows, axis=1) >= 0), ~(abs(totals - 1) <= 0.01)
    if (bad := negative | wrong).any():
        row = int(bad.argmax())
        rule = "must not be negative" if negative[row] else f"must sum to 1, not {totals[row]:.6g}"
        which = argument if family.rows == 1 else f"{argument}, row {row},"
        raise InputError(f"{which} {rule}", "probabilities")
    return tuple((rows / totals[:, None]).ravel().tolist())
