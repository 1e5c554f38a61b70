"""Parameters of a Bayesian network that were drawn or chosen, in place of a posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from discreet import check
from discreet.core.law import Value
from discreet.core.mechanism import Mechanism
from discreet.core.tables import Tables
from discreet.errors import NotAPosteriorError
from discreet.exact import Floats
from discreet.families.network import configurations
from discreet.families.network.law import NetworkLaw

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet


@dataclass(frozen=True, repr=False)
class NetworkSamples(NetworkLaw):
    """Released parameters θ of a network, one or more: `values` has all tables of the first, …."""

    net: BayesNet
    values: Value

    @property
    def samples(self) -> int:
        """How many θ there are."""
        return len(self.values) // self.net.size

    @cached_property
    def _tables(self) -> Floats:
        return np.array([float(x) for x in self.values]).reshape(self.samples, self.net.size)

    def conditional(self, node: str, sample: int = 0) -> Floats:
        """P(node | parents) of one θ: a row for every configuration of the parents."""
        return np.asarray(self._of(node)[sample])

    def _of(self, node: str) -> Floats:
        family = self.net.family(node)
        start = sum(f.cells for f in self.net.families[: self.net.nodes.index(node)])
        cells = self._tables[:, start : start + family.cells]
        return cells.reshape(self.samples, family.rows, family.shape[-1])

    def mean(self, node: str) -> Floats:
        """The mean of the released P(node | parents)."""
        return np.asarray(self._of(node).mean(axis=0))

    def sd(self, node: str) -> Floats:
        """The standard deviation between the released θ; 0 if there is only one."""
        return np.asarray(self._of(node).std(axis=0))

    def interval(self, node: str, level: float = 0.95) -> Floats:
        """Equal-tailed intervals of the released θ: rows, states, and (lower, upper)."""
        tail = (1 - float(check.share("level", level))) / 2
        return np.moveaxis(np.quantile(self._of(node), [tail, 1 - tail], axis=0), 0, -1)

    def row(self, node: str, configuration: object = None) -> Floats:
        """P(node | one configuration of the parents): a row for every θ."""
        return np.asarray(self._of(node)[:, configurations.place(self.net, node, configuration)])

    def log_likelihood(self, data: object, **rules: Any) -> float:
        """The log of the mean probability of records under the released θ.

        Args:
            data: as for `BayesNet.count`; or tables.
            rules: as for `BayesNet.count`.
        """
        tables = data if isinstance(data, Tables) else self.net.count(data, **rules)
        counts = np.array(self.net.to_vector(tables), dtype=np.float64)
        seen = counts > 0
        with np.errstate(divide="ignore"):
            logs = np.log(self._tables[:, seen]) @ counts[seen]
        return float(np.logaddexp.reduce(logs)) - math.log(self.samples)

    def update(self, tables: Tables) -> NoReturn:
        """Released parameters are no posterior that more records could update."""
        raise _no_parameters()

    def table(self, node: str) -> NoReturn:
        """As `update`."""
        raise _no_parameters()

    def __repr__(self) -> str:
        return f"<{self.samples} released parameters of {self.net!r}>"


def released_samples(mechanism: Mechanism, value: Value) -> NetworkSamples:
    """The released parameters."""
    return NetworkSamples(mechanism.config.model, value)


def _no_parameters() -> NotAPosteriorError:
    return NotAPosteriorError(
        "released samples of θ have no Dirichlet parameters: release by 'lattice' to update"
    )
