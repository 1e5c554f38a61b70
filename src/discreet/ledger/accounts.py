"""What a data set may cost and has cost, and the rules of a charge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Adjacency, Guarantee
from discreet.errors import BudgetError, InputError, PrivacyRefusedError
from discreet.ledger.amounts import Amount, decimal
from discreet.ledger.names import name

MOST_PARTS = 1000
DOUBLED = (Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE)  # of a release, and of the account that pays
IMPLIED = (DOUBLED, (Adjacency.SUBSTITUTE, Adjacency.ATTRIBUTE))
NOTHING = Amount()


@dataclass(frozen=True, repr=False)
class Account:
    """The budget of a data set and what was spent of it.

    Releases from the whole data set add up. Parts are declared disjoint: no unit has records in
    two of them, so that adding or removing a unit touches one part only and of the parts the
    largest counts: spent = whole + max over parts.
    """

    dataset: str
    budget: Amount
    adjacency: Adjacency
    unit: str
    whole: Amount = NOTHING
    parts: tuple[tuple[str, Amount], ...] = ()

    @classmethod
    def new(
        cls,
        dataset: str,
        budget: Amount,
        adjacency: Adjacency | str,
        unit: object,
        parts: object = (),
    ) -> Account:
        """An account of which nothing was spent."""
        rule = Adjacency(adjacency)
        names = _part_names(parts)
        if names and rule is not Adjacency.ADD_REMOVE:
            raise InputError(
                f"parts need adjacency 'add-remove', got {rule.value!r}: a replaced record can "
                "move from one part to another",
                "parts",
            )
        return cls(
            dataset, budget, rule, name("unit", unit), parts=tuple((n, NOTHING) for n in names)
        )

    def __repr__(self) -> str:
        protects = f"{self.adjacency.change} one {self.unit}"
        return f"<{self.dataset!r}: {self.spent} spent of {self.budget}, {protects}>"

    @property
    def spent(self) -> Amount:
        """What the releases so far cost together."""
        return self.whole + Amount.largest(amount for _, amount in self.parts)

    def remaining(self, part: str | None = None) -> Amount:
        """What a release from the whole data set, or from one part, may still cost."""
        if part is None:
            return self.budget - self.spent
        return self.budget - self.whole - self._of_part(part)

    def _of_part(self, part: str) -> Amount:
        known = dict(self.parts)
        if part not in known:
            if not known:
                raise InputError(
                    f"part must be None: {self.dataset!r} was created without parts", "part"
                )
            check.choice("part", part, tuple(known))
        return known[part]

    def cost(self, guarantee: Guarantee) -> Amount:
        """What a guarantee costs here.

        Unit and adjacency must be the account's. An add-remove guarantee also counts in an account
        for substitution, as for a group of two: 2ε and (1 + e^ε)·δ; one for substitution counts in
        an account for attributes.
        """
        promised, slack = guarantee.epsilon, guarantee.delta
        exact = isinstance(promised, Fraction) and isinstance(slack, (Fraction, int))
        if not exact or promised < 0 or not 0 <= slack <= 1:
            raise PrivacyRefusedError(
                "a release without a guarantee cannot be paid for from a budget", guarantee
            )
        for argument, number in (("epsilon", promised), ("delta", slack)):
            check.rational(argument, number)  # what is written down can be read again
        if guarantee.unit != self.unit:
            raise PrivacyRefusedError(
                f"dataset {self.dataset!r} protects one {self.unit}, the release one "
                f"{guarantee.unit}: count with its unit, or pay from another data set",
                guarantee,
            )
        if (
            guarantee.adjacency is not self.adjacency
            and (
                guarantee.adjacency,
                self.adjacency,
            )
            not in IMPLIED
        ):
            raise PrivacyRefusedError(
                f"dataset {self.dataset!r} is kept under adjacency {self.adjacency.value!r}, which "
                f"a release under {guarantee.adjacency.value!r} does not imply; release "
                f"under {self.adjacency.value!r}",
                guarantee,
            )
        counted = guarantee.under(self.adjacency)
        return Amount.cost(Fraction(counted.epsilon), counted.delta)

    def pay(self, amount: Amount, part: str | None = None, note: str = "") -> Account:
        """The account after a charge, if the budget covers it; else the note joins the refusal."""
        left = self.remaining(part)
        if not left.covers(amount):
            raise _refusal(self, left, amount, note)
        if part is None:
            return replace(self, whole=self.whole + amount)
        return replace(
            self, parts=tuple((n, a + amount if n == part else a) for n, a in self.parts)
        )

    def raised(self, budget: Amount) -> Account:
        """The account with a larger budget."""
        if not budget.covers(self.budget) or budget == self.budget:
            raise InputError(
                f"budget must be raised: {self.dataset!r} has {self.budget}, got {budget}", "budget"
            )
        return replace(self, budget=budget)

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "budget": self.budget.document(),
            "adjacency": self.adjacency.value,
            "unit": self.unit,
            "whole": self.whole.document(),
            "parts": [[part, amount.document()] for part, amount in self.parts],
        }

    @classmethod
    def read(cls, dataset: str, document: Mapping[str, Any]) -> Account:
        """What `document` wrote."""
        return cls(
            dataset,
            Amount.read(document["budget"]),
            Adjacency(document["adjacency"]),
            str(document["unit"]),
            Amount.read(document["whole"]),
            tuple((str(part), Amount.read(amount)) for part, amount in document["parts"]),
        )


def _part_names(parts: object) -> tuple[str, ...]:
    if isinstance(parts, (str, bytes, Mapping)) or not isinstance(parts, Iterable):
        raise InputError(f"parts must be a sequence of names, got {check.brief(parts)}", "parts")
    names = tuple(name(f"parts[{i}]", part) for i, part in enumerate(parts))
    if len(names) == 1 or len(names) > MOST_PARTS:
        raise InputError(
            f"parts must be none or 2 to {MOST_PARTS} names, got {len(names)}", "parts"
        )
    if len(set(names)) < len(names):
        raise InputError("parts must be distinct", "parts")
    return names


def _refusal(account: Account, left: Amount, amount: Amount, note: str) -> BudgetError:
    which = "delta" if left.epsilon_units >= amount.epsilon_units else "epsilon"
    rest, total, cost = (decimal(getattr(each, which)) for each in (left, account.budget, amount))
    return BudgetError(
        f"dataset {account.dataset!r} has {which} {rest} left of {total}, the release costs "
        f"{cost}{note}",
        account.dataset,
        left.epsilon,
        left.delta,
    )
