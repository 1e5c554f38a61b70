"""The filter of a budget (ε, δ): what composes to it, however later releases were chosen.

A release with Rényi divergences D_α costs D_α at one order α, which was fixed before anything was
released. Releases whose costs sum to at most T have D_α ≤ T together, also where each was chosen by
what earlier ones said (Feldman and Zrnic 2021), and D_α ≤ T proves (ε, δ_c) for
T = ε + [log δ_c + α·log α − (α−1)·log(α−1)]/(α−1) (Canonne, Kamath and Steinke 2020).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Guarantee
from discreet.core.renyi import threshold
from discreet.errors import InputError
from discreet.exact import balls
from discreet.ledger.amounts import DELTA_UNITS, RENYI_UNITS, Amount, times

SUMS = "sums"
MOST_ORDER = 10**6
_OWN = Fraction(1, 200)  # of δ, for the δ of releases: by sums, and in the filter
_LOWEST, _HIGHEST, _STEP = -6.0, 12.0, 2**-10  # of log(α − 1), where the order is looked for


@dataclass(frozen=True)
class Filter:
    """An order α, the largest sum of D_α, and how the budget's δ is split, all fixed beforehand.

    `failing` is for releases of which only (ε, δ) is known: with probability 1 − δ they are as
    private as randomised response. `reserved` is all of δ that the filter may need.
    """

    order: Fraction
    limit_units: int
    failing_units: int
    reserved_units: int

    @classmethod
    def of(cls, budget: Amount, order: Fraction | None) -> Filter | None:
        """The filter of a budget; None where D_α of no release can prove it."""
        # A path of releases ends within the sums or within the filter. Those within the sums have a
        # ratio of at most e^ε but for the δ_i of their releases, Σδ_i ≤ δ_s; those within the
        # filter add at most δ_f for releases that fail and δ_c: δ_s + δ_f + δ_c = δ in all. With
        # Σδ_i ≤ δ instead of δ_s, releases chosen by what earlier ones said can reach 1.45·δ.
        own = math.floor(budget.delta_units * _OWN)
        converted = Fraction(budget.delta_units - 2 * own, DELTA_UNITS)
        if not budget.delta_units:
            return None
        alpha = _best(float(budget.epsilon), float(converted)) if order is None else order
        most = balls.refine(
            lambda: threshold(alpha, budget.epsilon, converted) * RENYI_UNITS, _whole
        )
        if most <= 0:
            return None
        return cls(alpha, most, own, budget.delta_units - own)

    def cost(self, guarantee: Guarantee) -> tuple[int, int]:
        """D_α of a release, and the δ with which it fails, in units and rounded up."""
        known = guarantee.stated()
        failing = Fraction(0)
        if known is None:  # only (ε, δ) is known
            failing, known = guarantee.delta, guarantee.failing()
        divergence = balls.rounded_up(lambda: known.renyi(self.order))
        return math.ceil(divergence * RENYI_UNITS), math.ceil(failing * DELTA_UNITS)

    def admits(self, spent: Amount) -> bool:
        """Whether releases that cost this together compose to the budget."""
        return spent.renyi_units <= self.limit_units and spent.failing_units <= self.failing_units

    def room(self, spent: Amount, cost: Amount) -> int:
        """How many times a cost still fits."""
        divergence = self.limit_units - spent.renyi_units
        failing = self.failing_units - spent.failing_units
        return times([(divergence, cost.renyi_units), (failing, cost.failing_units)])

    def share(self, spent: Amount) -> Fraction:
        """How much of it was used; above 1 only where the sums admitted more."""
        return Fraction(spent.renyi_units, self.limit_units)

    def document(self) -> dict[str, str]:
        """As JSON can hold it."""
        return {
            "order": str(self.order),
            "limit": str(self.limit_units),
            "failing": str(self.failing_units),
            "reserved": str(self.reserved_units),
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter:
        """What `document` wrote."""
        units = [int(document[name]) for name in ("limit", "failing", "reserved")]
        order = check.text_number("order", document["order"])
        if not 1 < order <= MOST_ORDER or units[0] <= 0 or min(units) < 0:
            raise InputError("a filter must have an order above 1 and a limit above 0", "order")
        return cls(order, *units)


def _whole(number: Any) -> int | None:
    """The floor of a number, if the ball tells."""
    low, high = balls.floor(number.lower()), balls.floor(number.upper())
    return low if low == high else None


def _best(epsilon: float, delta: float) -> Fraction:
    """The order at which the most releases with a small ρ fit, T/α the largest; floats choose it.

    There D_α ≤ α·ρ, so that whatever fits plain zCDP fits too.
    """

    def most(t: float) -> float:
        a = 1 + math.exp(t)
        return (epsilon + (math.log(delta) + math.log(a)) / (a - 1) + math.log(a / (a - 1))) / a

    steps = round((_HIGHEST - _LOWEST) / _STEP)
    best = max((_LOWEST + i * _STEP for i in range(steps + 1)), key=most)
    return 1 + Fraction(f"{math.exp(best):.6g}")
