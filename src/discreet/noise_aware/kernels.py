"""The noise around a count, in logs: how likely the noisy value is z if the count is c.

`away` is z − c. All of these are log-concave, so that they fall ever faster away from their peak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discreet.exact import Floats


class Kernel(Protocol):
    """The log of a law of noise, up to a constant."""

    @property
    def scale(self) -> float:
        """How steep it typically is."""

    @property
    def curvature(self) -> float:
        """Minus the second derivative, where there is one."""

    def log(self, away: Floats) -> Floats:
        """The log of the probability, 0 at its largest."""

    def slope(self, away: float) -> float:
        """By how much the log grows with the count, kinks rounded off."""

    def steepest(self, away: Floats) -> Floats:
        """A bound on the size of the slope at, and between there and, the peak."""

    def reach(self, nats: float) -> float:
        """How far from the peak the log has fallen by so much."""

    def beyond(self, log_share: float, numbers: int) -> float:
        """A distance of the total of some counts from that of their noisy values.

        Totals farther away weigh at most e^log_share together.
        """


@dataclass(frozen=True)
class LaplaceKernel:
    """P ∝ e^{−rate·|away|}; or that of noise that is rounded down, max(away, −1 − away)."""

    rate: float
    floored: bool = False

    @property
    def scale(self) -> float:
        return self.rate

    @property
    def curvature(self) -> float:
        return 0.0

    def log(self, away: Floats) -> Floats:
        return -self.rate * (np.maximum(away, -1 - away) if self.floored else np.abs(away))

    def slope(self, away: float) -> float:
        return self.rate * min(max(away, -1.0), 1.0)

    def steepest(self, away: Floats) -> Floats:
        return np.full_like(away, self.rate)

    def reach(self, nats: float) -> float:
        return nats / self.rate

    def beyond(self, log_share: float, numbers: int) -> float:
        # Σ|z − c| ≥ |Σz − Σc|, and totals farther than D weigh 2·e^{−rate·D}/(1 − e^{−rate})
        return (math.log(2 / -math.expm1(-self.rate)) - log_share) / self.rate


@dataclass(frozen=True)
class NormalKernel:
    """P ∝ e^{−away²/(2·variance)}."""

    variance: float

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.variance)

    @property
    def curvature(self) -> float:
        return 1 / self.variance

    def log(self, away: Floats) -> Floats:
        return np.asarray(-(away / self.variance) * away / 2)

    def slope(self, away: float) -> float:
        return away / self.variance

    def steepest(self, away: Floats) -> Floats:
        return np.abs(away) / self.variance

    def reach(self, nats: float) -> float:
        return math.sqrt(2 * self.variance * max(nats, 0.0))

    def beyond(self, log_share: float, numbers: int) -> float:
        # Σ(z − c)² ≥ (Σz − Σc)²/k. With w = k·variance, totals farther than D ≥ √w weigh at most
        # 2·e^{−D²/2w}/(1 − e^{−D/w}) ≤ 2·e^{−D²/2w}/(1 − e^{−1/√w}).
        wide = numbers * self.variance
        nats = math.log(2 / -math.expm1(-1 / math.sqrt(wide))) - log_share
        return max(math.sqrt(wide), math.sqrt(2 * wide * max(nats, 0.0)))
