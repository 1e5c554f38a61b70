"""What is known of the probabilities of a Bayesian network, and what follows from their means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.core.files import write_file
from discreet.core.tables import Tables
from discreet.exact import Floats
from discreet.extras import needed
from discreet.families.network import configurations, records
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.families.network.model import BayesNet


class NetworkLaw(ABC):
    """The law of every row of P(node | parents).

    Tables have a row for every configuration of the parents and a column for every state.
    """

    net: BayesNet

    @abstractmethod
    def mean(self, node: str) -> Floats:
        """E[P(node | parents)], which is also the probability of the next record's state."""

    @abstractmethod
    def sd(self, node: str) -> Floats:
        """The standard deviation of every probability."""

    @abstractmethod
    def interval(self, node: str, level: float = 0.95) -> Floats:
        """Equal-tailed credible intervals: rows, states, and (lower, upper)."""

    @abstractmethod
    def row(self, node: str, configuration: object = None) -> Any:
        """The law of P(node | one configuration of the parents), over the node's states.

        Args:
            node: the node.
            configuration: of its parents: the place of the row, a tuple of states in the order of
                the parents, or a mapping from parents to states; None for a node without parents.
        """

    def predictive(self, node: str) -> Floats:
        """The probability of the next record's state given its parents: the mean."""
        return self.mean(node)

    def marks(
        self, node: str, p: Floats, place: int, states: int | None = None
    ) -> tuple[Floats, Floats]:
        """Of one row the means and, a line for every state, the p-quantiles.

        `states` is for how many of its states, the first ones; None is for all.
        """
        row = self.row(node, place)
        if isinstance(row, np.ndarray):  # parameters that were drawn, one a line
            drawn = row[:, :states]
            return drawn.mean(axis=0), np.quantile(drawn, p, axis=0).T
        laws = [row.marginal(state) for state in row.categories[:states]]
        return row.mean()[:states], np.array([law.ppf(p) for law in laws])

    def _means(self) -> dict[str, Floats]:
        return {node: self.mean(node) for node in track(self.net.nodes, "Tables")}

    def log_likelihood(self, data: object, **rules: Any) -> float:
        """The log of the probability of records, with θ at its mean. Not private of these records.

        Args:
            data: as for `BayesNet.count`; or tables.
            rules: as for `BayesNet.count`.
        """
        tables = data if isinstance(data, Tables) else self.net.count(data, **rules)
        self.net.ordered(tables)  # refuses those of another network
        with np.errstate(divide="ignore"):
            logs = [np.log(mean.ravel()) for mean in self._means().values()]
        total = 0.0
        for table, log in zip(tables.weights, logs, strict=True):
            counts = np.array(table, dtype=np.float64)
            total += float(counts[counts > 0] @ log[counts > 0])
        return total

    def sample(self, size: int, rng: np.random.Generator | None = None) -> Any:
        """Synthetic records as a frame, θ at its mean. From a release they cost no more privacy."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        places = records.draw(self.net, check.size(size), self._means().__getitem__, source)
        return records.frame(places, self.net.states)

    def to_bif(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write the network with its mean probabilities as a BIF file.

        Args:
            path: the file; one that exists is refused.
            overwrite: replace it instead.
        """
        from discreet.families.network import bif

        text = bif.write(self.net.parents, self.net.states, self._means())
        write_file(path, text.rstrip(), overwrite)

    def to_pgmpy(self) -> Any:
        """A pgmpy model with the mean probabilities."""
        return to_pgmpy(self.net, self._means())

    def plot(self, node: str, ax: Axes | None = None) -> Axes:
        """Draw the means and 95 % intervals of P(node | parents); needs `discreet[plot]`."""
        return plot_node(self.net, node, None, self, ax, names=("", "posterior"))

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def plot_node(
    net: BayesNet,
    node: str,
    plain: NetworkLaw | None,
    noise_aware: NetworkLaw | None,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = ("as released", "noise-aware"),
) -> Axes:
    """Draw P(node | parents) as released and noise-aware, a row for every configuration."""
    from discreet.plots.networks import plot_table
    from discreet.plots.posteriors import TAILS

    laws = [
        None if law is None else partial(law.marks, node, TAILS) for law in (plain, noise_aware)
    ]
    rows, parents = configurations.configurations(net, node), net.family(node).parents
    return plot_table(
        (node, net.states[node]), parents, rows, *laws, ax=ax, title=title, names=names
    )


def to_pgmpy(net: BayesNet, tables: Mapping[str, Floats]) -> Any:
    """A pgmpy model with these conditional probabilities."""
    with needed("a pgmpy model needs pgmpy", "pgmpy"):
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
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
