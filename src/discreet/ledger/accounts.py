"""What a data set may cost and has cost, and the rules of a charge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Adjacency, Guarantee, Theorem
from discreet.core.curves import Normal
from discreet.errors import BudgetError, InputError, PrivacyRefusedError
from discreet.exact.hockey_stick import gaussian_variance
from discreet.ledger.amounts import DELTA_UNITS, Amount, Cost, decimal
from discreet.ledger.filters import SUMS, Filter
from discreet.ledger.names import name

MOST_PARTS = 1000
_PLANNED = Theorem("as planned", "the ledger")
DOUBLED = (Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE)  # of a release, and of the account that pays
IMPLIED = (DOUBLED, (Adjacency.SUBSTITUTE, Adjacency.ATTRIBUTE))
NOTHING = Cost()


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
    whole: Cost = NOTHING
    parts: tuple[tuple[str, Cost], ...] = ()
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
    def spent(self) -> Cost:
        """What the releases so far cost together, by sums."""
        return self.whole + Cost.largest(cost for _, cost in self.parts)

    def remaining(self, part: str | None = None) -> Remaining:
        """What a release from the whole data set, or from one part, may still cost."""
        spent = self.spent if part is None else self.whole + self._of_part(part)
        return Remaining(
            max(0, self.budget.epsilon_units - spent.epsilon_units),
            max(0, self.budget.delta_units - self.reserved_units - spent.delta_units),
            account=self,
            part=part,
        )

    def _totals(self, part: str | None) -> list[Cost]:
        """What a release from the whole data set, or from a part, adds to: for every part."""
        if part is not None:
            return [self.whole + self._of_part(part)]
        return [self.whole + cost for _, cost in self.parts] or [self.whole]

    def _admits(self, total: Cost) -> bool:
        """Whether releases that cost this together are within the budget."""
        sums = (
            total.epsilon_units <= self.budget.epsilon_units
            and total.delta_units <= self.budget.delta_units - self.reserved_units
        )
        return sums or (self.filter is not None and self.filter.admits(total))

    def _of_part(self, part: str) -> Cost:
        known = dict(self.parts)
        if part not in known:
            if not known:
                raise InputError(
                    f"part must be None: {self.dataset!r} was created without parts", "part"
                )
            check.choice("part", part, tuple(known))
        return known[part]

    def cost(self, guarantee: Guarantee) -> Cost:
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
        return Cost(sums.epsilon_units, sums.delta_units, *extra)

    def pay(self, cost: Cost, part: str | None = None, note: str = "") -> Account:
        """The account after a charge, if the budget covers it; else the note joins the refusal."""
        account = self._settled(cost)
        if not all(account._admits(total + cost) for total in account._totals(part)):
            raise _refusal(account, account.remaining(part), cost, note)
        if account.filter is None:
            cost = Cost(cost.epsilon_units, cost.delta_units)
        if part is None:
            return replace(account, whole=account.whole + cost)
        return replace(
            account, parts=tuple((n, a + cost if n == part else a) for n, a in account.parts)
        )

    def releases(self, epsilon: Fraction, delta: Fraction, part: str | None = None) -> int:
        """How many releases at (ε, δ), of normal noise if δ is above 0, the budget still covers."""
        curve = None
        if delta:
            one = Fraction(1)
            curve = Normal(one, gaussian_variance(epsilon, delta, one))
        each = Guarantee(*(epsilon, delta, self.adjacency, self.unit), basis=_PLANNED, curve=curve)
        cost = self.cost(each)
        account = self._settled(cost)
        return min(account._more(total, cost) for total in account._totals(part))

    def _more(self, total: Cost, cost: Cost) -> int:
        """How many times a cost can be added: by the sums or within the filter."""
        left = self.budget - total
        sums = [(left.epsilon_units, cost.epsilon_units)]
        sums += [(left.delta_units - self.reserved_units, cost.delta_units)]
        ways = [sums]
        if self.filter is not None:
            divergence = self.filter.limit_units - total.renyi_units
            failing = self.filter.failing_units - total.failing_units
            ways.append([(divergence, cost.renyi_units), (failing, cost.failing_units)])
        return max(min(have // each for have, each in way if each) for way in ways if _fits(way))

    def _settled(self, cost: Cost) -> Account:
        """The account without a filter, if its very first release would not fit in there.

        Nothing was released before, so that no output can have had a part in it, and no later one
        could use the filter: all of δ is for the sums.
        """
        untouched = self.spent == NOTHING
        if untouched and self.filter is not None and not self.filter.admits(cost):
            return self.with_filter(None)
        return self

    def raised(self, budget: Amount) -> Account:
        """The account with a larger budget, which only the sums count against.

        The promise of the filter was one for the smaller budget, and nobody may have chosen to
        raise it by what was released.
        """
        if not budget.covers(self.budget) or budget == self.budget:
            raise InputError(
                f"budget must be raised: {self.dataset!r} has {self.budget}, got {budget}", "budget"
            )
        return replace(self, budget=budget, filter=None)

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
            Cost.read(document["whole"]),
            tuple((str(part), Cost.read(cost)) for part, cost in document["parts"]),
            None if document.get("filter") is None else Filter.read(document["filter"]),
            int(document.get("reserved", 0)),
        )


@dataclass(frozen=True)
class Remaining(Amount):
    """What may still be released: the sums that are left, and how many releases that is.

    Example:
        >>> import discreet as dp
        >>> from tempfile import mkdtemp
        >>> ledger = dp.Ledger.open(mkdtemp() + "/budget.db", budget=3, delta=1e-6)
        >>> _ = ledger.create("trial")
        >>> ledger.remaining("trial").releases(epsilon=0.1)
        41
    """

    account: Account | None = field(default=None, repr=False, compare=False)
    part: str | None = field(default=None, repr=False, compare=False)

    def releases(self, epsilon: object, delta: object = 0) -> int:
        """How many releases at this ε and δ each are still possible.

        Args:
            epsilon: of each release.
            delta: of each release; with δ above 0, of normal noise.
        """
        assert self.account is not None
        loss, slack = check.epsilon(epsilon), check.rational("delta", delta)
        if not 0 <= slack < 1:
            raise InputError(
                f"delta must be at least 0 and below 1, got {check.brief(delta)}", "delta"
            )
        return self.account.releases(loss, slack, self.part)


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


def _fits(way: list[tuple[int, int]]) -> bool:
    """Whether nothing is overdrawn, and something limits the number."""
    return all(have >= 0 for have, _ in way) and any(each for _, each in way)


def _refusal(account: Account, left: Amount, cost: Cost, note: str) -> BudgetError:
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
