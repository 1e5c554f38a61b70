"""What is left of a budget, in the user's terms; and the budget that a number of releases needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from discreet import check
from discreet.core import Guarantee
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount

_EXACT = 10**4  # budgets are found to four digits


@dataclass(frozen=True, eq=False)
class Remaining(Amount):
    """What may still be released: ε and δ by the sums; and composed, how many releases of an ε.

    Equal to an `Amount` with the same ε and δ. `more` is None where nothing composes.
    """

    each: Fraction = field(kw_only=True)
    more: int | None = field(kw_only=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Amount) and (self.epsilon, self.delta) == (
            other.epsilon,
            other.delta,
        )

    def __hash__(self) -> int:
        return hash((self.epsilon, self.delta))

    def __str__(self) -> str:
        by_sums = Amount.__str__(self)
        if self.more is None:
            return by_sums
        return f"{by_sums} by the sums; {self.terms}"

    @property
    def terms(self) -> str:
        """How many more releases, of which ε."""
        return f"at ε = {check.show(self.each)} each, {self.more} more"


def remaining(account: Account, part: str | None = None) -> Remaining:
    """What is left, in small releases too."""
    left, each = account.remaining(part), _small(account.budget.epsilon)
    more = None if account.filter is None else account.releases_left(each, part=part)
    return Remaining(left.epsilon_units, left.delta_units, each=each, more=more)


def _small(epsilon: Fraction) -> Fraction:
    """The largest of 1, 2 and 5 times a power of ten that is at most a twentieth, and possible."""
    share = min(max(epsilon / 20, check.SMALL), check.LARGE)
    power = Fraction(10) ** math.floor(math.log10(share))
    return max(power * step for step in (1, 2, 5, 10) if power * step <= share)


@dataclass(frozen=True)
class Needed:
    """The least budgets that admit a number of equal releases, chosen as they come.

    `summed` is that of the sums. `composed` has the δ that was asked for, None if no ε would do;
    it is found to four digits, rounded up.
    """

    releases: int
    summed: Amount
    composed: Amount | None

    @property
    def wins(self) -> str:
        """Whether "sums" or "composed" needs the smaller ε."""
        found = self.composed
        smaller = found is not None and found.epsilon_units < self.summed.epsilon_units
        return "composed" if smaller else "sums"

    def __str__(self) -> str:
        if self.composed is None:
            return f"{self.summed} by the sums; composed they need more"
        wins = "the sums win" if self.wins == "sums" else "composed wins"
        return f"{self.summed} by the sums, {self.composed} composed: {wins}"


def needed(guarantee: Guarantee, releases: int, delta: Fraction) -> Needed:
    """The least budgets that admit so many releases with this guarantee."""
    cost = Amount.cost(Fraction(guarantee.epsilon), guarantee.delta)
    summed = Amount(releases * cost.epsilon_units, releases * cost.delta_units)

    def admitted(epsilon: Fraction) -> bool:
        budget = Amount.budget(epsilon, delta)
        account = Account.new("planned", budget, guarantee.adjacency, guarantee.unit, order=None)
        return account.composing(guarantee) >= releases

    high = summed.epsilon
    if not admitted(high):
        return Needed(releases, summed, None)
    low = Fraction(0)
    while high - low > high / _EXACT:
        middle = (low + high) / 2
        low, high = (low, middle) if admitted(middle) else (middle, high)
    return Needed(releases, summed, Amount.budget(_rounded_up(high), delta))


def _rounded_up(number: Fraction) -> Fraction:
    """To four digits."""
    digit = Fraction(10) ** (math.floor(math.log10(number)) - 3)
    return math.ceil(number / digit) * digit
