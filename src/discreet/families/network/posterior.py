"""The posterior of a Bayesian network: a Dirichlet law for every row of every table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import check
from discreet.core.tables import Tables
from discreet.exact import Floats
from discreet.families.network import configurations
from discreet.families.network.law import NetworkLaw
from discreet.posteriors.dirichlet import DirichletPosterior

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet


@dataclass(frozen=True, repr=False)
class NetworkPosterior(NetworkLaw):
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

    def row(self, node: str, configuration: object = None) -> DirichletPosterior:
        """The law of P(node | one configuration of the parents), over the node's states."""
        place = configurations.place(self.net, node, configuration)
        parameters = tuple(map(Fraction, self.table(node)[place].tolist()))
        return DirichletPosterior(self.net.states[node], parameters)

    def mean(self, node: str) -> Floats:
        """E[P(node | parents)], which is also the probability of the next record's state."""
        table = self.table(node)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

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

    def update(self, tables: Tables) -> NetworkPosterior:
        """The posterior after more records."""
        self.net.ordered(tables)  # refuses those of another network
        return NetworkPosterior(
            self.net,
            tuple(
                tuple(float(a + c) for a, c in zip(old, new, strict=True))
                for old, new in zip(self.parameters, tables.weights, strict=True)
            ),
        )

    def __repr__(self) -> str:
        return f"<posterior of {self.net!r}>"
