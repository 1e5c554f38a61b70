"""Charging a release, and recording what came of it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.core import Adjacency, Guarantee
from discreet.core.documents import VERSION
from discreet.errors import InputError, LedgerError, PrivacyRefusedError
from discreet.ledger import opening
from discreet.ledger.accounts import DOUBLED, Account
from discreet.ledger.amounts import Amount
from discreet.ledger.chain import Chain
from discreet.ledger.entries import (
    LONGEST_ABOUT,
    Entry,
    Receipt,
    canonical,
    malformed,
    release_digest,
)
from discreet.ledger.names import require_visible


def charge(
    chain: Chain,
    dataset: str,
    guarantee: Guarantee,
    about: Mapping[str, Any],
    request: str | None,
    part: str | None,
) -> Receipt:
    """Take the cost of a guarantee from the budget, or refuse and write nothing."""
    asked = {
        "guarantee": guarantee.to_document(VERSION),
        "about": json.loads(canonical("about", about, LONGEST_ABOUT)),
        "part": part,
    }
    if request is not None:
        earlier = chain.requested(dataset, request)
        if earlier is not None:
            return _repeat(chain, earlier, asked)
        require_visible("request_id", request)
    if chain.last(dataset) is None:
        opening.create(chain, _account(chain, dataset, guarantee))
    found = quote(chain, dataset, guarantee, part)
    content = asked | {
        "charged": found.cost.document(),
        "account": found.after.document(),
        "token": secrets.token_hex(8),  # the same charge in two copies has two hashes
    }
    entry = chain.append(dataset, "charge", content, request=request)
    return Receipt(dataset, entry.number, entry.hash)


@dataclass(frozen=True)
class Quote:
    """What a release would cost, and the account before and after it."""

    cost: Amount
    account: Account
    after: Account
    new: bool  # the account would be opened by this release


def quote(chain: Chain, dataset: str, guarantee: Guarantee, part: str | None) -> Quote:
    """The price of a guarantee, if the budget covers it; nothing is written."""
    account = _account(chain, dataset, guarantee)
    cost = account.cost(guarantee)
    twice = (guarantee.adjacency, account.adjacency) == DOUBLED
    note = ", twice its epsilon because the dataset is kept under 'substitute'" if twice else ""
    return Quote(cost, account, account.pay(cost, part, note), chain.last(dataset) is None)


def _account(chain: Chain, dataset: str, guarantee: Guarantee) -> Account:
    """The account; a new one has the ledger's defaults and else the guarantee's own terms."""
    last = chain.last(dataset)
    if last is not None:
        return last.account
    terms = opening.Terms.of(chain.own())
    if terms.budget is None:
        return opening.account_of(chain, dataset)
    if guarantee.adjacency is Adjacency.ATTRIBUTE and terms.adjacency is None:
        raise PrivacyRefusedError(
            f"dataset {dataset!r} is new, and a budget for attributes, which bounds less than one "
            "for records, is only opened by name: create it with adjacency 'attribute'",
            guarantee,
        )
    return opening.planned(
        chain,
        dataset,
        adjacency=terms.adjacency or guarantee.adjacency,
        unit=terms.unit or guarantee.unit,
    )


def _repeat(chain: Chain, earlier: Entry, asked: dict[str, Any]) -> Receipt:
    """The release of an earlier request with the same id.

    Without a recorded outcome it is refused: whoever charged may still hold a release, and drawing
    again would give two for one payment.
    """
    first = earlier.document
    known = first.get("guarantee")
    if isinstance(known, dict):  # of an earlier discreet it has no ρ
        asked["guarantee"] = {key: asked["guarantee"].get(key) for key in known}
    if any(first.get(key) != value for key, value in asked.items()):
        raise InputError(
            f"request_id {earlier.request!r} was used for another release", "request_id"
        )
    outcome = chain.outcome(earlier.number)
    if outcome is None:
        raise LedgerError(
            f"request_id {earlier.request!r} was charged as entry {earlier.number}, outcome "
            "unknown: whoever made it may still return it; use a new request_id"
        )
    return Receipt(earlier.dataset, earlier.number, earlier.hash, _stored(outcome))


def released(chain: Chain, number: int) -> dict[str, Any]:
    """The release that a charge paid for."""
    entry = chain.numbered(number)
    if entry is None or entry.kind != "charge":
        raise InputError(
            f"number must be that of a charge, got {number}, {_instead(chain, entry)}", "number"
        )
    outcome = chain.outcome(number)
    if outcome is None:
        raise LedgerError(
            f"entry {number} was charged, outcome unknown: no release is stored, as it was "
            "interrupted before its draw was recorded, or is not finished yet"
        )
    return _stored(outcome)


def _instead(chain: Chain, entry: Entry | None) -> str:
    """What a number stands for that is not a charge's."""
    if entry is None:
        head = chain.head()
        return f"where the ledger ends at {0 if head is None else head.number}"
    if entry.settles is not None:
        return f"which is the outcome of entry {entry.settles}"
    return f"which is an entry of kind {entry.kind!r}"


def _stored(outcome: Entry) -> dict[str, Any]:
    stored = outcome.document.get("release")
    if not isinstance(stored, dict):
        raise malformed(outcome)
    return stored


def record(chain: Chain, receipt: Receipt, document: Mapping[str, Any]) -> None:
    """Write down a release and its digest."""
    text = canonical("document", document)
    entry = chain.numbered(receipt.number)
    if entry is None or (entry.kind, entry.dataset, entry.hash) != (
        "charge",
        receipt.dataset,
        receipt.hash,
    ):
        raise LedgerError(
            f"ledger {chain.store.shown!r} does not have the charge of the receipt as its entry "
            f"{receipt.number}"
        )
    _require_paid(document, receipt, entry)
    digest = release_digest(document)
    outcome = chain.outcome(entry.number)
    if outcome is not None:
        if outcome.document.get("digest") != digest:
            raise LedgerError(f"entry {entry.number} has another outcome already")
        return
    last = chain.last(entry.dataset)
    account = (last or entry).account
    content = {"digest": digest, "release": json.loads(text), "account": account.document()}
    chain.append(entry.dataset, "outcome", content, settles=entry.number)


def _require_paid(document: Mapping[str, Any], receipt: Receipt, entry: Entry) -> None:
    """A release document must carry its receipt, and the guarantee that was charged."""
    if document.get("receipt") != receipt.document():
        raise InputError("document must carry the receipt", "document")
    if not same_promise(document, entry):
        raise InputError("document must have the guarantee that was charged", "document")


def same_promise(document: Mapping[str, Any], charge: Entry) -> bool:
    """Whether a release document promises what was charged."""
    stated, paid = document.get("guarantee"), charge.document.get("guarantee")
    return (
        isinstance(stated, Mapping)
        and isinstance(paid, Mapping)
        and {key: stated.get(key) for key in paid} == paid
    )
