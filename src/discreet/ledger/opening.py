"""Making a ledger, its data sets and its budgets."""

from __future__ import annotations

import difflib
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet import check
from discreet._version import __version__
from discreet.core import Adjacency
from discreet.errors import InputError
from discreet.ledger import schema
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount
from discreet.ledger.chain import OWN, Chain
from discreet.ledger.entries import Entry, malformed
from discreet.ledger.filters import MOST_ORDER, SUMS
from discreet.ledger.names import name, require_unlike, require_visible
from discreet.ledger.stores import Store

FORMAT = "discreet-ledger"


@dataclass(frozen=True)
class Terms:
    """The defaults of new data sets; None where there is none."""

    budget: Amount | None = None
    adjacency: Adjacency | None = None
    unit: str | None = None
    order: Fraction | str | None = None  # "sums" for no filters

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "budget": self.budget and self.budget.document(),
            "adjacency": self.adjacency and self.adjacency.value,
            "unit": self.unit,
        } | ({} if self.order is None else {"order": str(self.order)})

    @classmethod
    def of(cls, entry: Entry) -> Terms:
        """Read from the ledger's own last entry."""
        try:
            terms = entry.document["terms"]
            budget, adjacency = terms["budget"], terms["adjacency"]
            return cls(
                budget and Amount.read(budget),
                adjacency and Adjacency(adjacency),
                terms["unit"],
                read_order(terms.get("order")),
            )
        except (KeyError, TypeError, ValueError):
            raise malformed(entry) from None


def read_order(order: object) -> Fraction | str | None:
    """The order of a filter, above 1; "sums" for none, None for the best one."""
    if order is None or order == SUMS:
        return None if order is None else SUMS
    number = Fraction(0)
    with suppress(InputError):
        typed = isinstance(order, str)
        number = check.text_number("order", str(order)) if typed else check.rational("order", order)
    if not 1 < number <= MOST_ORDER:
        raise InputError(
            f"order must be above 1 and at most {MOST_ORDER}, or 'sums', got {check.brief(order)}",
            "order",
        )
    return number


def open_or_create(
    store: Store,
    budget: object,
    delta: object,
    adjacency: Adjacency | str | None,
    unit: object,
    order: object = None,
) -> None:
    """Create the ledger with these defaults, or check that an existing one has them."""
    if budget is None and delta is not None:
        raise InputError("delta needs a budget", "delta")
    granted = None if budget is None else Amount.budget(budget, 0 if delta is None else delta)
    asked = Terms(
        granted,
        None if adjacency is None else Adjacency(adjacency),
        None if unit is None else name("unit", unit),
        read_order(order),
    )
    if store.prepare():
        with store.writing() as run:
            if store.empty(run):
                _start(Chain(store, run), asked)
                return
    with store.reading() as run:
        chain = Chain(store, run)
        if chain.version() >= 1:
            _require_same(asked, Terms.of(chain.own()), delta is not None, store.shown)


def _start(chain: Chain, terms: Terms) -> None:
    _advance(chain, 0)
    chain.append(OWN, "open", _own(terms))


def _own(terms: Terms) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": schema.version(),
        "software": f"discreet {__version__}",
        "terms": terms.document(),
    }


def _advance(chain: Chain, version: int) -> None:
    for migration in schema.MIGRATIONS[version:]:
        for statement in migration:
            chain.run(statement)
    chain.run(schema.SET_VERSION, version=schema.version())


def _require_same(asked: Terms, stored: Terms, delta_given: bool, shown: str) -> None:
    if asked.budget is not None:
        have = stored.budget
        same = have is not None and (
            asked.budget == have
            if delta_given
            else asked.budget.epsilon_units == have.epsilon_units
        )
        if not same:
            has = "no default budget" if have is None else f"the default budget {have}"
            raise InputError(
                f"budget must be left out or the same: ledger {shown!r} has {has}, got "
                f"{asked.budget}; the budget of a data set is raised by raise_budget",
                "budget",
            )
    for argument in ("adjacency", "unit", "order"):
        want, has = getattr(asked, argument), getattr(stored, argument)
        if want is not None and want != has:
            raise InputError(
                f"{argument} must be left out or the same: ledger {shown!r} has the default "
                f"{has and str(has)!r}, got {str(want)!r}",
                argument,
            )


def create(chain: Chain, account: Account) -> Account:
    """Open a planned account."""
    chain.append(account.dataset, "create", {"account": account.document()})
    return account


def planned(
    chain: Chain,
    dataset: str,
    budget: object = None,
    delta: object = None,
    adjacency: Adjacency | str | None = None,
    unit: object = None,
    parts: object = (),
    order: object = None,
) -> Account:
    """A new account; what is None comes from the ledger's defaults, or protects one record.

    Nothing is written.
    """
    if chain.last(dataset) is not None:
        raise InputError(f"dataset {dataset!r} exists already", "dataset")
    _require_new(chain, dataset)
    terms = Terms.of(chain.own())
    default = terms.budget
    if budget is None and default is None:
        raise InputError(
            f"budget must be given: ledger {chain.store.shown!r} has no default budget", "budget"
        )
    fallback = default or Amount()
    granted = Amount.budget(
        fallback.epsilon if budget is None else budget, fallback.delta if delta is None else delta
    )
    rule = adjacency or terms.adjacency or Adjacency.SUBSTITUTE
    account = Account.new(
        *(dataset, granted, rule, unit or terms.unit or "record", parts),
        order=_order(chain, granted, read_order(order) or terms.order, order is not None),
    )
    names = [part for part, _ in account.parts]
    for i, part in enumerate(names):
        require_unlike(f"parts[{i}]", part, names[:i])
        require_visible(f"parts[{i}]", part)
    return account


def _order(
    chain: Chain, granted: Amount, order: Fraction | str | None, asked: bool
) -> Fraction | str | None:
    """The order of a new account's filter; ledgers of an older discreet have none."""
    if not granted.delta_units or order == SUMS:
        if asked and order != SUMS:
            raise InputError(
                "order is for a budget with a delta: releases compose to (epsilon, delta)", "order"
            )
        return SUMS
    if chain.version() < schema.WITH_FILTERS:
        if asked:
            raise InputError(
                f"order must be None: ledger {chain.store.shown!r} was written by an older "
                "discreet; migrate it first",
                "order",
            )
        return SUMS
    return order


def _require_new(chain: Chain, dataset: str) -> None:
    """A slip of the shift key, or another dash, must not open a second budget.

    Data sets that a ledger has already are found by their exact names, also two that look alike:
    both keep what they spent.
    """
    known = chain.latest()
    for entry in known:
        if entry.dataset == dataset:
            raise malformed(entry)  # a damaged index did not find it
    require_unlike("dataset", dataset, (entry.dataset for entry in known))
    require_visible("dataset", dataset)


def account_of(chain: Chain, dataset: str) -> Account:
    """The account of a data set that exists."""
    entry = chain.last(dataset)
    if entry is None:
        known = [entry.dataset for entry in chain.latest()]
        near = difflib.get_close_matches(dataset, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"dataset {dataset!r} is not in ledger {chain.store.shown!r}{hint}", "dataset"
        )
    return entry.account


def raise_budget(
    chain: Chain, dataset: str, budget: object, delta: object, reason: object
) -> Account:
    """Raise the budget of a data set; the reason is written down."""
    account = account_of(chain, dataset)
    why = "" if reason == "" else check.label("reason", reason)
    granted = Amount.budget(budget, account.budget.delta if delta is None else delta)
    raised = account.raised(granted)
    chain.append(dataset, "raise", {"account": raised.document(), "reason": why})
    return raised


def migrate(store: Store) -> int:
    """Bring the tables to this software's version, as an entry of its own."""
    with store.writing() as run:
        chain = Chain(store, run)
        version = chain.version()
        if version < schema.version():
            terms = Terms.of(chain.own())
            _advance(chain, version)
            chain.append(OWN, "migrate", _own(terms))
    return schema.version()
