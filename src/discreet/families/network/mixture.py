"""The posterior of a Bayesian network that knows of the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet import check
from discreet.core.tables import Tables
from discreet.exact import Floats
from discreet.families.network import configurations
from discreet.families.network.law import NetworkLaw
from discreet.posteriors.beta_mixture import quantiles
from discreet.posteriors.mixture import Diagnostics, DirichletMixture
from discreet.progress import track

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet

Priors: TypeAlias = tuple[tuple[Fraction, ...], ...]  # of every family's table

_KEPT = 1 << 26  # parameters of tables that are kept: half a gigabyte


@dataclass(frozen=True, eq=False, repr=False)
class NoiseAwareNetwork(NetworkLaw):
    """For every row of P(node | parents) a mixture of Dirichlets over the counts behind the noise.

    A table is computed when it is first asked for, and kept. Each is inferred from all noisy tables
    that share a variable with it. Rows of one table are not independent; `joint` has them all.
    """

    net: BayesNet
    # the joint table of the i-th family, given priors and the joint tables of others
    infer: Callable[[int, Priors, Callable[[str], DirichletMixture]], DirichletMixture]
    known: tuple[Tables, ...] = ()  # records that are known exactly

    @cached_property
    def _found(self) -> dict[str, DirichletMixture]:
        return {}

    def joint(self, node: str) -> DirichletMixture:
        """The law of the probabilities of all cells of the node's family: parents, then node."""
        self.net.family(node)
        if node not in self._found:
            table = self.infer(self.net.nodes.index(node), self._prior, self.joint)
            while sum(kept.parameters.size for kept in self._found.values()) > _KEPT:
                del self._found[next(iter(self._found))]
            self._found[node] = table
        return self._found[node]

    def row(self, node: str, configuration: object = None) -> DirichletMixture:
        """The law of P(node | one configuration of the parents), over the node's states."""
        place = configurations.place(self.net, node, configuration)
        joint, states = self.joint(node), self.net.states[node]
        first = place * len(states)
        return joint.within(joint.categories[first : first + len(states)], states)

    @property
    def _prior(self) -> Priors:
        """After the records that are known."""
        prior = self.net.prior
        for tables in self.known:
            prior = tuple(
                tuple(a + c for a, c in zip(old, new, strict=True))
                for old, new in zip(prior, tables.weights, strict=True)
            )
        return prior

    def _rows(self, node: str) -> list[DirichletMixture]:
        """The same for all configurations; equal components are not joined, which is quicker."""
        joint, states = self.joint(node), self.net.states[node]
        parts = np.split(joint.parameters, self.net.family(node).rows, axis=1)
        return [DirichletMixture(states, part, joint.weights) for part in parts]

    def mean(self, node: str) -> Floats:
        """E[P(node | parents)], which is also the probability of the next record's state."""
        return np.array([row.mean() for row in self._rows(node)])

    def sd(self, node: str) -> Floats:
        """The standard deviation of every probability."""
        return np.array([row.sd() for row in self._rows(node)])

    def interval(self, node: str, level: float = 0.95) -> Floats:
        """Equal-tailed credible intervals: rows, states, and (lower, upper).

        Of components that were drawn neighbouring ones are joined, which moves the ends by less
        than the draws do; `row(…).interval()` has them as they are.
        """
        tail = (1 - float(check.share("level", level))) / 2
        ends = np.array([tail, 1 - tail])
        places = track(range(self.net.family(node).rows), f"Intervals of {node}")
        return np.array([self.marks(node, ends, place)[1] for place in places])

    def marks(
        self, node: str, p: Floats, place: int, states: int | None = None
    ) -> tuple[Floats, Floats]:
        """Of one row the means and, a line for every state, the p-quantiles."""
        if self.diagnostics(node).method != "chains":
            return super().marks(node, p, place, states)
        joint, k = self.joint(node), len(self.net.states[node])
        row = joint.parameters[:, place * k : (place + 1) * k]
        total = row.sum(axis=1, keepdims=True)
        row = row[:, :states]
        return (row / total).mean(axis=0), quantiles(row, total - row, p)

    def diagnostics(self, node: str) -> Diagnostics:
        """How the table of a node was computed, and how exact it is."""
        return self.joint(node).diagnostics

    def update(self, tables: Tables) -> NoiseAwareNetwork:
        """The posterior after more records whose counts are known, such as another hospital's.

        It is inferred anew from the same noisy tables, and holds these counts: not private of them.
        """
        self.net.ordered(tables)  # refuses those of another network
        return NoiseAwareNetwork(self.net, self.infer, (*self.known, tables))

    def __repr__(self) -> str:
        return f"<noise-aware posterior of {self.net!r}>"

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}
