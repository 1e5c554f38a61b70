"""The released probabilities of a network as they stand and noise-aware, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet import check
from discreet.families.network import configurations
from discreet.families.network.law import NetworkLaw
from discreet.families.network.samples import NetworkSamples
from discreet.report import LEVEL, Tabled

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet

SHOWN = 40  # lines of the table
LARGE = 256  # cells of a table whose noise-aware means are computed only if it is asked for
TAILS = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])


@dataclass(frozen=True, eq=False, repr=False)
class NetworkSummary(Tabled):
    """Means of P(node | parents), and 95 % intervals: of one node, or of the first ones.

    `plain` treats the released counts as true; intervals are those of `noise_aware` if it is known.
    """

    title: str
    net: BayesNet
    plain: NetworkLaw | None
    noise_aware: NetworkLaw | None
    node: str | None = None
    remark: str = ""

    @property
    def heading(self) -> tuple[str, ...]:
        """The names of the columns."""
        kinds = {"as released": self.plain, "noise-aware": self.noise_aware}
        means = (name for name, law in kinds.items() if law is not None)
        return ("node", "given", "state", *means, *self._interval)

    @property
    def _interval(self) -> tuple[str, ...]:
        """Of parameters that were drawn or chosen there is none."""
        if self.noise_aware is not None:
            return ("95 % interval",)
        return () if isinstance(self.plain, NetworkSamples) else ("95 %, without the noise",)

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text: a line for every state of every configuration, the first ones."""
        nodes = self.net.nodes if self.node is None else (self.node,)
        result: list[tuple[str, ...]] = []
        for node in nodes:
            parents = self.net.family(node).parents
            for place, states in enumerate(configurations.configurations(self.net, node)):
                if len(result) >= SHOWN and self.node is None:
                    return result[:SHOWN]
                given = configurations.words(parents, states)
                result += [(node, given, *cells) for cells in self._lines(node, place)]
        return result if self.node is not None else result[:SHOWN]

    def _lines(self, node: str, place: int) -> Iterator[tuple[str, ...]]:
        laws = [law for law in (self.plain, self.noise_aware) if law is not None]
        slow = self.node is None and self.net.family(node).cells > LARGE
        if slow and self.noise_aware is not None:
            laws.pop()
        found = [law.marks(node, TAILS, place) for law in laws]
        for i, state in enumerate(self.net.states[node]):
            cells = [f"{mean[i]:.3f}" for mean, _ in found]
            if self._interval and len(laws) == len(self.heading) - 4:
                low, high = found[-1][1][i]
                cells.append(f"{low:.3f} – {high:.3f}")
            yield str(state), *cells, *["–"] * (len(self.heading) - 3 - len(cells))

    @property
    def remarks(self) -> list[str]:
        """What is not shown, and how to see it."""
        remarks = [self.remark] if self.remark else []
        left = self.net.size - len(self.rows)
        if self.node is not None or not left:
            return remarks
        lines = check.number_of(left, "more line")
        more = f"… {lines}; summary(node={self.rows[-1][0]!r}) shows all of one node."
        return [more, *remarks]
