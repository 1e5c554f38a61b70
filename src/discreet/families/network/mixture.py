"""The posterior of a Bayesian network that knows of the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.exact import Floats
from discreet.families.network import configurations
from discreet.families.network.law import NetworkLaw
from discreet.posteriors.mixture import Diagnostics, DirichletMixture
from discreet.progress import track

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet

_KEPT = 1 << 26  # parameters of tables that are kept: half a gigabyte


@dataclass(frozen=True, eq=False, repr=False)
class NoiseAwareNetwork(NetworkLaw):
    """For every row of P(node | parents) a mixture of Dirichlets over the counts behind the noise.

    A table is computed when it is first asked for, and kept. Each is inferred from its own noisy
    counts: what overlapping tables say of it is not used. Rows of one table are not independent;
    `joint` has them all.
    """

    net: BayesNet
    infer: Callable[[int], DirichletMixture] = field(repr=False)  # the table of the i-th family

    @cached_property
    def _found(self) -> dict[str, DirichletMixture]:
        return {}

    def joint(self, node: str) -> DirichletMixture:
        """The law of the probabilities of all cells of the node's family: parents, then node."""
        self.net.family(node)
        if node not in self._found:
            table = self.infer(self.net.nodes.index(node))
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
        """Equal-tailed credible intervals: rows, states, and (lower, upper)."""
        rows = track(self._rows(node), f"Intervals of {node}")
        return np.array([row.interval(level) for row in rows])

    def diagnostics(self, node: str) -> Diagnostics:
        """How the table of a node was computed, and how exact it is."""
        return self.joint(node).diagnostics

    def __repr__(self) -> str:
        return f"<noise-aware posterior of {self.net!r}>"

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}
