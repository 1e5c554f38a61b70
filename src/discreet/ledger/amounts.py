"""Amounts of privacy as whole numbers, so that sums are exact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Self

from discreet import check
from discreet.errors import InputError

EPSILON_UNITS = 10**12  # in ε = 1
DELTA_UNITS = 10**24  # in δ = 1
RENYI_UNITS = 10**15  # in a Rényi divergence of 1
MOST_BUDGET = Fraction(10**9)


@dataclass(frozen=True)
class Amount:
    """An ε in units of 1e-12 and a δ in units of 1e-24.

    What a release costs is rounded up and what a budget grants is rounded down, both from the exact
    number, so that 1,000 releases of ε = 0.003 fit a budget of 3 and nothing more does.
    """

    epsilon_units: int = 0
    delta_units: int = 0

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
    def largest(cls, amounts: Iterable[Self]) -> Self:
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
        return Amount(
            self.epsilon_units + other.epsilon_units, self.delta_units + other.delta_units
        )

    def __sub__(self, other: Amount) -> Amount:
        return Amount(
            self.epsilon_units - other.epsilon_units, self.delta_units - other.delta_units
        )

    def document(self) -> dict[str, str]:
        """As JSON can hold it: decimal digits, because δ needs more than 64 bits."""
        return {"epsilon": str(self.epsilon_units), "delta": str(self.delta_units)}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Amount:
        """What `document` wrote."""
        return cls(int(document["epsilon"]), int(document["delta"]))

    def __str__(self) -> str:
        return f"ε = {decimal(self.epsilon)}, δ = {decimal(self.delta)}"


@dataclass(frozen=True)
class Cost(Amount):
    """What releases cost: besides ε and δ, at the order of the filter that the budget has.

    `renyi_units` is D_α in units of 1e-15, and `failing_units` the δ of releases of which no more
    is known.
    """

    renyi_units: int = 0
    failing_units: int = 0

    def __add__(self, other: Amount) -> Cost:
        extra = other if isinstance(other, Cost) else Cost()
        return Cost(
            self.epsilon_units + other.epsilon_units,
            self.delta_units + other.delta_units,
            self.renyi_units + extra.renyi_units,
            self.failing_units + extra.failing_units,
        )

    def document(self) -> dict[str, str]:
        """As JSON can hold it; without a filter as it always was."""
        found = super().document()
        if self.renyi_units:
            found |= {"renyi": str(self.renyi_units), "failing": str(self.failing_units)}
        return found

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Cost:
        """What `document` wrote."""
        units = (int(document.get(name, 0)) for name in ("epsilon", "delta", "renyi", "failing"))
        return cls(*units)


def decimal(number: Fraction) -> str:
    """A number of units in writing, exactly: what is left must not look like more than it is."""
    exact = Decimal(int(number * DELTA_UNITS)).scaleb(-24, Context(prec=60)).normalize()
    return f"{exact:f}" if not number or abs(number) >= Fraction(1, 10**5) else f"{exact:e}"
