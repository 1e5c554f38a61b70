"""The posterior of a Bayesian network: a Dirichlet law for every row of every table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.core.tables import Tables
from discreet.exact import Floats
from discreet.models import records

if TYPE_CHECKING:
    from discreet.models.network import BayesNet


@dataclass(frozen=True, repr=False)
class NetworkPosterior:
    """Independent Dirichlet laws for θ given a node and a configuration of its parents.

    `parameters` has a flat table for every node, in the network's order.
    """

    net: BayesNet
    parameters: tuple[tuple[float, ...], ...]

    def table(self, node: str) -> Floats:
        """The Dirichlet parameters of a node: a row for every configuration of the parents."""
        family = self.net.family(node)
        flat = self.parameters[self.net.nodes.index(node)]
        return np.reshape(flat, (family.rows, family.shape[-1]))

    def mean(self, node: str) -> Floats:
        """E[P(node | parents)], which is also the probability of the next record's state."""
        table = self.table(node)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    predictive = mean

    def sd(self, node: str) -> Floats:
        """The standard deviation of every probability."""
        table = self.table(node)
        total = table.sum(axis=1, keepdims=True)
        share = table / total
        return np.asarray(np.sqrt(share * (1 - share) / (total + 1)))

    def interval(self, node: str, level: float = 0.95) -> Floats:
        """Equal-tailed credible intervals: rows, states, and (lower, upper)."""
        from scipy.special import betaincinv

        tail = (1 - float(check.share("level", level))) / 2
        table = self.table(node)
        rest = table.sum(axis=1, keepdims=True) - table
        ends = [betaincinv(table, rest, q) for q in (tail, 1 - tail)]
        return np.stack(ends, axis=-1)

    def log_likelihood(self, data: object, **rules: Any) -> float:
        """The log of the probability of records, with θ at its mean. Not private of these records.

        Args:
            data: as for `BayesNet.count`; or tables.
            rules: as for `BayesNet.count`.
        """
        tables = data if isinstance(data, Tables) else self.net.count(data, **rules)
        values = self.net.ordered(tables)
        with np.errstate(divide="ignore"):
            logs = [np.log(self.mean(node).ravel()) for node in self.net.nodes]
        total = 0.0
        for table, log in zip(values, logs, strict=True):
            counts = np.array(table, dtype=np.float64)
            total += float(counts[counts > 0] @ log[counts > 0])
        return total

    def update(self, tables: Tables) -> NetworkPosterior:
        """The posterior after more records."""
        added = self.net.ordered(tables)
        return NetworkPosterior(
            self.net,
            tuple(
                tuple(a + c for a, c in zip(old, new, strict=True))
                for old, new in zip(self.parameters, added, strict=True)
            ),
        )

    def sample(self, size: int, rng: np.random.Generator | None = None) -> Any:
        """Synthetic records as a frame, θ at its mean. From a release they cost no more privacy."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        places = records.draw(self.net, check.size(size), self.mean, source)
        return records.frame(places, self.net.states)

    def to_bif(self, path: str | PathLike[str]) -> None:
        """Write the network with its mean probabilities as a BIF file."""
        from discreet.models import bif

        text = bif.write(
            self.net.parents, self.net.states, {node: self.mean(node) for node in self.net.nodes}
        )
        Path(path).write_text(text, encoding="utf-8")

    def to_pgmpy(self) -> Any:
        """A pgmpy model with the mean probabilities."""
        return to_pgmpy(self.net, {node: self.mean(node) for node in self.net.nodes})

    def __repr__(self) -> str:
        return f"<posterior of {self.net!r}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def to_pgmpy(net: BayesNet, tables: Mapping[str, Floats]) -> Any:
    """A pgmpy model with these conditional probabilities."""
    from discreet.errors import DiscreetError

    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise DiscreetError("a pgmpy model needs pgmpy: pip install pgmpy") from None
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(net.nodes)
    for family in net.families:
        model.add_edges_from((parent, family.node) for parent in family.parents)
    for family in net.families:
        names = {name: list(net.states[name]) for name in family.columns}
        model.add_cpds(
            TabularCPD(
                family.node,
                family.shape[-1],
                tables[family.node].T,
                list(family.parents) or None,
                list(family.shape[:-1]) or None,
                state_names=names,
            )
        )
    return model
