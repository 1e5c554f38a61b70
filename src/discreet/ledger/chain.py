"""The chain of entries, within one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from discreet.errors import LedgerError
from discreet.ledger import schema
from discreet.ledger.entries import Entry, canonical, malformed, now
from discreet.ledger.stores import Run, Store

OWN = ""  # the data set of the ledger's own entries
PAGE = 1000


@dataclass(frozen=True)
class Chain:
    """What a transaction reads and appends. Every entry that is read is checked by its hash."""

    store: Store
    run: Run

    def version(self) -> int:
        """The version of the tables, which must not be newer than this software."""
        self.store.require_schema(self.run)
        found = self.run(schema.GET_VERSION)
        if len(found) != 1 or not isinstance(found[0][0], int) or found[0][0] < 1:
            raise LedgerError(f"ledger {self.store.shown!r} is damaged: it has no version")
        version = int(found[0][0])
        if version > schema.version():
            raise LedgerError(
                f"ledger {self.store.shown!r} was written by a newer discreet (version {version})"
            )
        return version

    def head(self) -> Entry | None:
        """The last entry of all."""
        return self._one(schema.HEAD)

    def last(self, dataset: str) -> Entry | None:
        """The last entry of a data set, which has its state."""
        return self._one(schema.LAST, dataset=dataset)

    def numbered(self, number: int) -> Entry | None:
        """An entry by its number."""
        return self._one(schema.BY_NUMBER, number=number)

    def requested(self, dataset: str, request: str) -> Entry | None:
        """The charge with a request id."""
        return self._one(schema.BY_REQUEST, dataset=dataset, request=request)

    def outcome(self, charge: int) -> Entry | None:
        """The outcome of a charge."""
        return self._one(schema.BY_CHARGE, settles=charge)

    def own(self) -> Entry:
        """The ledger's own last entry, which has its version and defaults."""
        entry = self.last(OWN)
        if entry is None:
            raise LedgerError(f"ledger {self.store.shown!r} is damaged: its first entry is missing")
        return entry

    def latest(self) -> list[Entry]:
        """The last entry of every data set, by name."""
        entries = [self.checked(Entry(*row)) for row in self.run(schema.LATEST)]
        return sorted(entries, key=lambda entry: entry.dataset)

    def rows(self, dataset: str | None = None) -> Iterator[Entry]:
        """All entries in order, unchecked."""
        start = -(2**63)  # the least number that a table can hold, though the first should be 1
        while True:
            if dataset is None:
                page = self.run(schema.PAGE, start=start, size=PAGE)
            else:
                page = self.run(schema.PAGE_OF_DATASET, dataset=dataset, start=start, size=PAGE)
            yield from (Entry(*row) for row in page)
            if len(page) < PAGE:
                return
            start = page[-1][0] + 1

    def append(
        self,
        dataset: str,
        kind: str,
        content: Mapping[str, Any],
        request: str | None = None,
        settles: int | None = None,
    ) -> Entry:
        """Write one entry after the head."""
        head, last = self.head(), self.last(dataset)
        entry = Entry(
            number=1 if head is None else head.number + 1,
            dataset=dataset,
            step=1 if last is None else last.step + 1,
            kind=kind,
            request=request,
            settles=settles,
            content=canonical("content", {**content, "at": now()}),
            previous="" if head is None else head.hash,
        )
        entry = replace(entry, hash=entry.sealed())
        self.run(schema.INSERT, **vars(entry))
        return entry

    def checked(self, entry: Entry) -> Entry:
        """An entry, if it is as it was written."""
        if not entry.intact:
            raise LedgerError(
                f"ledger {self.store.shown!r} is damaged: an entry was changed after it was written"
            )
        return entry

    def _one(self, sql: str, **names: Any) -> Entry | None:
        rows = self.run(sql, **names)
        if not rows:
            return None
        entry = self.checked(Entry(*rows[0]))
        if any(getattr(entry, column) != value for column, value in names.items()):
            raise malformed(entry)  # a damaged index led to another row
        return entry


@contextmanager
def reading(store: Store) -> Iterator[Chain]:
    """Read one state of a ledger that this software knows."""
    with store.reading() as run:
        yield _known(Chain(store, run))


@contextmanager
def writing(store: Store) -> Iterator[Chain]:
    """Append to a ledger that this software knows; all of it is written or nothing."""
    with store.writing() as run:
        yield _known(Chain(store, run))


def _known(chain: Chain) -> Chain:
    chain.version()  # which refuses a newer one; the older ones are kept as they are
    return chain
