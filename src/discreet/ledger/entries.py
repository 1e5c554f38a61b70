"""One line of the ledger, its hash, and the receipt that a release carries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from discreet import check
from discreet.core.documents import digest
from discreet.errors import InputError, LedgerError
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount
from discreet.ledger.names import name

LONGEST_ABOUT = 20_000  # characters
_TYPES: tuple[Any, ...] = (int, str, int, str, (str, type(None)), (int, type(None)), str, str, str)


@dataclass(frozen=True)
class Entry:
    """An entry of the ledger: what was done, the state of the data set after it, and its hash.

    `number` counts all entries and `step` those of one data set. `kind` is "open", "create",
    "raise", "charge", "outcome" or "migrate"; the ledger's own entries have the data set "".
    `request` is the request id of a charge and `settles` the charge that an outcome belongs to.
    `hash` is the SHA-256 of all the others, and `previous` that of the entry before.
    """

    number: int
    dataset: str
    step: int
    kind: str
    request: str | None
    settles: int | None
    content: str = field(repr=False)
    previous: str = field(repr=False)
    hash: str = field(repr=False, default="")

    @property
    def proper(self) -> bool:
        """Whether every column has its type: a damaged file can hold anything anywhere."""
        values = [getattr(self, column) for column in self.__dataclass_fields__]
        return all(isinstance(v, t) for v, t in zip(values, _TYPES, strict=True))

    def sealed(self) -> str:
        """The hash that the entry must have."""
        return digest({key: value for key, value in vars(self).items() if key != "hash"})

    @property
    def intact(self) -> bool:
        """Whether the entry is as it was written; none is written with a number below 1."""
        return self.proper and self.number > 0 and self.sealed() == self.hash

    @property
    def document(self) -> dict[str, Any]:
        """The content as JSON can hold it."""
        try:
            document = json.loads(self.content)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise malformed(self)
        return document

    @property
    def at(self) -> str:
        """When it was written, in UTC."""
        return str(self.document.get("at", ""))

    @property
    def account(self) -> Account:
        """The state of the data set after this entry."""
        try:
            return Account.read(self.dataset, self.document["account"])
        except (KeyError, TypeError, ValueError):
            raise malformed(self) from None

    @property
    def charged(self) -> Amount | None:
        """What a charge cost."""
        try:
            return Amount.read(self.document["charged"]) if self.kind == "charge" else None
        except (KeyError, TypeError, ValueError):
            raise malformed(self) from None


def malformed(entry: Entry) -> LedgerError:
    """An entry that this software did not write."""
    return LedgerError(f"entry {entry.number} of the ledger is malformed")


@dataclass(frozen=True)
class Receipt:
    """That a release was paid for: the number and the hash of its charge.

    The hash depends on every entry up to the charge, so a release that carries it witnesses that
    the ledger reached this state. `stored` is the release of an earlier request with the same id.
    """

    dataset: str
    number: int
    hash: str
    stored: dict[str, Any] | None = field(default=None, repr=False, compare=False)

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"dataset": self.dataset, "number": self.number, "hash": self.hash}

    @classmethod
    def read(cls, document: object) -> Receipt:
        """What `document` wrote."""
        if isinstance(document, Mapping) and set(document) == {"dataset", "number", "hash"}:
            text = str(document["hash"])
            if len(text) == 64 and set(text) <= set("0123456789abcdef"):
                number = check.whole("number", document["number"], least=1)
                return cls(name("dataset", document["dataset"]), number, text)
        raise InputError("receipt must have a dataset, a number and a hash", "receipt")


def canonical(argument: str, value: Mapping[str, Any], longest: int | None = None) -> str:
    """JSON with sorted keys and no spaces."""
    if not isinstance(value, Mapping):
        raise InputError(f"{argument} must be a mapping, got {check.brief(value)}", argument)
    try:
        text = json.dumps(
            dict(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
        text.encode()
    except (TypeError, ValueError, RecursionError):
        raise InputError(f"{argument} must consist of JSON's types", argument) from None
    if longest is not None and len(text) > longest:
        raise InputError(f"{argument} must have at most {longest} characters as JSON", argument)
    return text


def release_digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a release document, without the digest that it carries itself."""
    return digest({key: value for key, value in document.items() if key != "sha256"})


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
