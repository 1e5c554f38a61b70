"""Amounts of privacy as whole numbers, so that sums are exact."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.errors import InputError

EPSILON_UNITS = 10**12  # in ε = 1
DELTA_UNITS = 10**24  # in δ = 1
RENYI_UNITS = 10**15  # in a Rényi divergence of 1
MOST_BUDGET = Fraction(10**9)


@dataclass(frozen=True)
class Amount:
    """An ε in units of 1e-12 and a δ in units of 1e-24.

    Where a budget has a filter, a cost is besides D_α in units of 1e-15, at the filter's order, and
    the δ of what is known by (ε, δ) only.

    What a release costs is rounded up and what a budget grants is rounded down, both from the exact
    number, so that 1,000 releases of ε = 0.003 fit a budget of 3 and nothing more does.
    """

    epsilon_units: int = 0
    delta_units: int = 0
    renyi_units: int = 0
    failing_units: int = 0

    @classmethod
    def cost(cls, epsilon: Fraction, delta: Fraction) -> Amount:
        """What a release costs, rounded up."""
        return cls(math.ceil(epsilon * EPSILON_UNITS), math.ceil(delta * DELTA_UNITS))

    @classmethod
    def budget(cls, epsilon: object, delta: object) -> Amount:
        """What a budget grants, rounded down."""
        granted = check.between("budget", epsilon, check.SMALL, MOST_BUDGET)
        slack = check.rational("delta", delta)
        if not 0 <= slack < 1:
            raise InputError(
                f"delta must be at least 0 and below 1, got {check.brief(delta)}", "delta"
            )
        return cls(math.floor(granted * EPSILON_UNITS), math.floor(slack * DELTA_UNITS))

    @classmethod
    def largest(cls, amounts: Iterable[Amount]) -> Amount:
        """The maximum, of every number separately."""
        items = [astuple(each) for each in (cls(), *amounts)]
        return cls(*map(max, zip(*items, strict=True)))

    @property
    def epsilon(self) -> Fraction:
        """The ε."""
        return Fraction(self.epsilon_units, EPSILON_UNITS)

    @property
    def delta(self) -> Fraction:
        """The δ."""
        return Fraction(self.delta_units, DELTA_UNITS)

    def covers(self, other: Amount) -> bool:
        """Whether it is at least as large, in ε and in δ."""
        return self.epsilon_units >= other.epsilon_units and self.delta_units >= other.delta_units

    def __add__(self, other: Amount) -> Amount:
        return Amount(*map(operator.add, astuple(self), astuple(other)))

    def document(self) -> dict[str, str]:
        """As JSON can hold it: decimal digits, because δ needs more than 64 bits."""
        found = {"epsilon": str(self.epsilon_units), "delta": str(self.delta_units)}
        if self.renyi_units or self.failing_units:
            found |= {"renyi": str(self.renyi_units), "failing": str(self.failing_units)}
        return found

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Amount:
        """What `document` wrote; without a filter it has two numbers."""
        sums = int(document["epsilon"]), int(document["delta"])
        return cls(*sums, int(document.get("renyi", 0)), int(document.get("failing", 0)))

    def __str__(self) -> str:
        return f"ε = {decimal(self.epsilon)}, δ = {decimal(self.delta)}"


def times(budgets: Iterable[tuple[int, int]]) -> int:
    """How often costs fit, given as pairs of what there is and what one takes; 0 takes nothing."""
    return max(0, min(have // cost for have, cost in budgets if cost))


def decimal(number: Fraction) -> str:
    """A number of units in writing, exactly: what is left must not look like more than it is."""
    exact = Decimal(int(number * DELTA_UNITS)).scaleb(-24, Context(prec=60)).normalize()
    return f"{exact:f}" if not number or abs(number) >= Fraction(1, 10**5) else f"{exact:e}"
