"""How far noise will move the tables of a network: known before anything is drawn, or paid for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.core import Law, Mechanism, PointMass
from discreet.exact import Floats
from discreet.families.network.mechanisms.shares import components
from discreet.families.network.noise_aware import by_family
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.laws.variances import laplace_variance, lattice_variance, normal_variance


@dataclass(frozen=True)
class ExpectedError:
    """What noise adds to the released tables, before they are reconciled.

    `error` is the expected total variation distance of a family's released table, as proportions,
    from the true one, on average over the families, and `tables` has it for each; `deviation` is
    the root mean square error of all cells together, in records. `log_likelihood` is what a record
    loses of its log-likelihood, to second order, where records are spread evenly over the cells: of
    cells that few records are in it is more.
    """

    error: float
    deviation: float
    log_likelihood: float
    tables: Mapping[str, float]

    def to_document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: getattr(self, name) for name in ("error", "deviation", "log_likelihood")} | {
            "tables": dict(self.tables)
        }

    def __str__(self) -> str:
        worst = max(self.tables, key=self.tables.__getitem__)
        return (
            f"error {self.error:.3g} of a table in total variation, at most "
            f"{self.tables[worst]:.3g} ({worst!r}); {self.log_likelihood:.3g} of the "
            "log-likelihood per record"
        )


def expected_error(mechanism: Mechanism, n: int) -> ExpectedError:
    """Of a release of n records, from the very noise that the mechanism draws."""
    net = mechanism.config.model
    if 0 in (n, mechanism.config.n):
        return ExpectedError(0.0, 0.0, 0.0, dict.fromkeys(net.nodes, 0.0))
    variances, own = table_variances(mechanism)
    cells = np.array([family.cells for family in net.families], dtype=np.float64)
    # ½·Σ|e|, with E|e| = √(2/π) standard deviations
    distances = cells * np.sqrt(variances / cells) / (math.sqrt(2 * math.pi) * n)
    # Where a cell has c records and its row r, θ = c/r errs by δ and a record loses ½·Σ c·δ²/θ²/n:
    # with c = n/cells that is cells/(2n²) times the variance of what tells the node's states apart.
    lost = float((cells * own).sum()) / (2 * n * n)
    deviation = math.sqrt(float(variances.sum() / cells.sum()))
    tables = dict(zip(net.nodes, distances.tolist(), strict=True))
    return ExpectedError(float(distances.mean()), deviation, lost, tables)


def table_variances(mechanism: Mechanism) -> tuple[Floats, Floats]:
    """Of every table the variances of its cells, summed, as released; in records.

    And that of what says how the node depends on its parents.
    """
    config = mechanism.config
    net = config.model
    shapes = [family.shape for family in net.families]
    laws = by_family(net, mechanism)
    noise = np.array([_variance(law) for law in laws]) / config.parts**2
    if not dict(config.options).get("shares"):  # every table as it is
        cells = np.array([family.cells for family in net.families], dtype=np.float64)
        rows = np.array([family.rows for family in net.families], dtype=np.float64)
        return cells * noise, (cells - rows) * noise
    found = components([family.columns for family in net.families], shapes, config.n is None)
    w = np.where(np.isfinite(noise) & (noise > 0), 1 / np.where(noise > 0, noise, 1.0), 0.0)
    return found.variances(w), found.own_variances(w)


def _variance(law: Law) -> float:
    """Of the noise on a cell, or, where it keeps the total, in any direction that does."""
    if isinstance(law, PointMass):  # not measured
        return math.inf
    if isinstance(law, LatticeLaw):
        k = law.dimension
        return lattice_variance(k, float(law.epsilon)) * k / (k - 1)
    if isinstance(law, NoiseLaw):
        found = laplace_variance(float(law.rate))
        return found if law.total is None else 2 * found
    assert isinstance(law, DiscreteGaussianLaw)
    return normal_variance(float(law.variances[0]))
