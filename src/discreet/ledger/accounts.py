"""What a data set may cost and has cost, and the rules of a charge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.check import Number
from discreet.core import Adjacency, Guarantee, Theorem
from discreet.errors import BudgetError, InputError, PrivacyRefusedError
from discreet.ledger.amounts import DELTA_UNITS, Amount, decimal, times
from discreet.ledger.filters import SUMS, Filter
from discreet.ledger.names import name
from discreet.ledger.planned import most_telling

MOST_PARTS = 1000
_PLANNED = Theorem("as planned", "the ledger")
DOUBLED = (Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE)  # of a release, and of the account that pays
IMPLIED = (DOUBLED, (Adjacency.SUBSTITUTE, Adjacency.ATTRIBUTE))
NOTHING = Amount()


@dataclass(frozen=True, repr=False)
class Account:
    """The budget of a data set and what was spent of it.

    Releases from the whole data set add up. Parts are declared disjoint: no unit has records in
    two of them, so that adding or removing a unit touches one part only and of the parts the
    largest counts: spent = whole + max over parts.

    With a `filter`, what the sums do not cover may compose to the budget all the same; then `spent`
    can exceed it. `reserved` is the δ that the sums may not use for that reason, in units; it stays
    when the budget is raised, which ends the filter.
    """

    dataset: str
    budget: Amount
    adjacency: Adjacency
    unit: str
    whole: Amount = NOTHING
    parts: tuple[tuple[str, Amount], ...] = ()
    filter: Filter | None = None
    reserved_units: int = 0

    @classmethod
    def new(
        cls,
        dataset: str,
        budget: Amount,
        adjacency: Adjacency | str,
        unit: object,
        parts: object = (),
        order: Fraction | str | None = SUMS,
    ) -> Account:
        """An account of which nothing was spent.

        `order` is that of its filter, None for the best one, or "sums" for none.
        """
        rule = Adjacency(adjacency)
        names = _part_names(parts)
        if names and rule is not Adjacency.ADD_REMOVE:
            raise InputError(
                f"parts need adjacency 'add-remove', got {rule.value!r}: a replaced record can "
                "move from one part to another",
                "parts",
            )
        return cls(
            *(dataset, budget, rule, name("unit", unit)),
            parts=tuple((n, NOTHING) for n in names),
        ).with_filter(None if isinstance(order, str) else Filter.of(budget, order))

    def with_filter(self, filter: Filter | None) -> Account:
        """The account, of which nothing was spent, with a filter or without one."""
        return replace(self, filter=filter, reserved_units=filter.reserved_units if filter else 0)

    def __repr__(self) -> str:
        protects = f"{self.adjacency.change} one {self.unit}"
        return f"<{self.dataset!r}: {self.spent} spent of {self.budget}, {protects}>"

    @property
    def spent(self) -> Amount:
        """What the releases so far cost together, by sums."""
        return self.whole + Amount.largest(cost for _, cost in self.parts)

    def remaining(self, part: str | None = None) -> Amount:
        """What a release from the whole data set, or from one part, may still cost by the sums."""
        spent = self.spent if part is None else self.whole + self._of_part(part)
        kept = 0 if self.untouched else self.reserved_units
        return Amount(
            max(0, self.budget.epsilon_units - spent.epsilon_units),
            max(0, self.budget.delta_units - kept - spent.delta_units),
        )

    def composed(self, part: str | None = None) -> Fraction | None:
        """The share of the filter that releases have used; None without one."""
        if self.filter is None:
            return None
        return max(self.filter.share(total) for total in self._totals(part))

    @property
    def untouched(self) -> bool:
        """Whether nothing was released yet."""
        return self.spent == NOTHING

    def _totals(self, part: str | None) -> list[Amount]:
        """What a release from the whole data set, or from a part, adds to: for every part."""
        if part is not None:
            return [self.whole + self._of_part(part)]
        return [self.whole + cost for _, cost in self.parts] or [self.whole]

    def _admits(self, total: Amount) -> bool:
        """Whether releases that cost this together are within the budget."""
        sums = (
            total.epsilon_units <= self.budget.epsilon_units
            and total.delta_units <= self.budget.delta_units - self.reserved_units
        )
        return sums or (self.filter is not None and self.filter.admits(total))

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
        sums = Amount.cost(Fraction(counted.epsilon), counted.delta)
        extra = (0, 0) if self.filter is None else self.filter.cost(counted)
        return Amount(sums.epsilon_units, sums.delta_units, *extra)

    def pay(self, cost: Amount, part: str | None = None, note: str = "") -> Account:
        """The account after a charge, if the budget covers it; else the note joins the refusal."""
        account = self._settled(cost)
        if not all(account._admits(total + cost) for total in account._totals(part)):
            raise _refusal(account, account.remaining(part), cost, note)
        if account.filter is None:
            cost = Amount(cost.epsilon_units, cost.delta_units)
        if part is None:
            return replace(account, whole=account.whole + cost)
        return replace(
            account, parts=tuple((n, a + cost if n == part else a) for n, a in account.parts)
        )

    def releases_left(self, epsilon: Number, delta: Number = 0, part: str | None = None) -> int:
        """How many releases at (ε, δ), of normal noise if δ is above 0, the budget still covers."""
        loss = check.epsilon(epsilon)
        slack = Fraction(0) if delta == 0 else check.share("delta", delta)
        curve = most_telling(loss, slack, self.adjacency) if slack else None
        each = Guarantee(*(loss, slack, self.adjacency, self.unit), basis=_PLANNED, curve=curve)
        cost = self.cost(each)
        account = self._settled(cost)
        return min(account._more(total, cost) for total in account._totals(part))

    def composing(self, guarantee: Guarantee) -> int:
        """How many releases with a guarantee the filter of a new account admits."""
        return 0 if self.filter is None else self.filter.room(NOTHING, self.cost(guarantee))

    def _more(self, total: Amount, cost: Amount) -> int:
        """How many times a cost can be added: by the sums or within the filter."""
        slack = self.budget.delta_units - self.reserved_units - total.delta_units
        loss = self.budget.epsilon_units - total.epsilon_units
        more = times([(loss, cost.epsilon_units), (slack, cost.delta_units)])
        return more if self.filter is None else max(more, self.filter.room(total, cost))

    def _settled(self, cost: Amount) -> Account:
        """The account without a filter, if its very first release would not fit in there.

        Nothing was released before, so that no output can have had a part in it, and no later one
        could use the filter: all of δ is for the sums.
        """
        if self.untouched and self.filter is not None and not self.filter.admits(cost):
            return self.with_filter(None)
        return self

    def raised(self, budget: Amount) -> Account:
        """The account with a larger budget, which only the sums count against.

        The promise of the filter was one for the smaller budget, and nobody may have chosen to
        raise it by what was released. Before anything was, nobody can have: all of δ is for the
        sums, as `remaining` says.
        """
        if not budget.covers(self.budget) or budget == self.budget:
            raise InputError(
                f"budget must be raised: {self.dataset!r} has {self.budget}, got {budget}", "budget"
            )
        if self.filter is not None and not budget.covers(self.spent):
            raise InputError(
                f"budget must cover {self.spent}, what the releases of {self.dataset!r} cost by "
                f"the sums, as only these count after a raise; got {budget}",
                "budget",
            )
        return replace(
            self.with_filter(None) if self.untouched else self, budget=budget, filter=None
        )

    def document(self) -> dict[str, Any]:
        """As JSON can hold it; an account without a filter as it always was."""
        found: dict[str, Any] = {
            "budget": self.budget.document(),
            "adjacency": self.adjacency.value,
            "unit": self.unit,
            "whole": self.whole.document(),
            "parts": [[part, cost.document()] for part, cost in self.parts],
        }
        if self.reserved_units:
            found["reserved"] = str(self.reserved_units)
            found["filter"] = self.filter and self.filter.document()
        return found

    @classmethod
    def read(cls, dataset: str, document: Mapping[str, Any]) -> Account:
        """What `document` wrote."""
        return cls(
            dataset,
            Amount.read(document["budget"]),
            Adjacency(document["adjacency"]),
            str(document["unit"]),
            Amount.read(document["whole"]),
            tuple((str(part), Amount.read(cost)) for part, cost in document["parts"]),
            None if document.get("filter") is None else Filter.read(document["filter"]),
            int(document.get("reserved", 0)),
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


def _refusal(account: Account, left: Amount, cost: Amount, note: str) -> BudgetError:
    which = "delta" if left.epsilon_units >= cost.epsilon_units else "epsilon"
    rest, total, price = (decimal(getattr(each, which)) for each in (left, account.budget, cost))
    if account.filter is not None:
        note += "; nor do the releases compose to the budget"
    if which == "delta" and account.reserved_units:
        kept = decimal(Fraction(account.reserved_units, DELTA_UNITS))
        note += f" (delta {kept} is reserved for that; a data set with order 'sums' reserves none)"
    return BudgetError(
        f"dataset {account.dataset!r} has {which} {rest} left of {total}, the release costs "
        f"{price}{note}",
        account.dataset,
        left.epsilon,
        left.delta,
    )
