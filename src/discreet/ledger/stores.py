"""Where a ledger is kept: a file or a PostgreSQL server."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from discreet import check
from discreet.errors import InputError

PATIENCE = 30  # seconds to wait for another writer
SCHEMES = ("postgresql", "postgresql+psycopg")


class Run(Protocol):
    """One SQL statement within a transaction; returns its rows."""

    def __call__(self, sql: str, **names: Any) -> list[tuple[Any, ...]]:
        """Run it with the :names filled in."""


class Store(Protocol):
    """A place with transactions. Every error of the database comes out as a LedgerError."""

    @property
    def shown(self) -> str:
        """The place in words, without a password."""

    def prepare(self) -> bool:
        """Make an empty place if there is none; whether tables have to be made in it."""

    def empty(self, run: Run) -> bool:
        """Whether the place has no tables yet."""

    def require_schema(self, run: Run) -> None:
        """Refuse tables that are not as this software made them."""

    def reading(self) -> AbstractContextManager[Run]:
        """A transaction that sees one state."""

    def writing(self) -> AbstractContextManager[Run]:
        """A transaction that excludes other writers, on disk when it ends."""

    def damage(self, run: Run) -> list[str]:
        """What the database itself finds wrong with its files."""

    def backup(self, path: str) -> None:
        """Copy one state to a new file."""


def place_of(place: object) -> str:
    """A PostgreSQL URL, or a path made absolute so that it stays the same place."""
    if not isinstance(place, (str, Path)) or not str(place):
        raise InputError(f"place must be a path or a URL, got {check.brief(place)}", "place")
    text = str(place)
    if "\0" in text:
        raise InputError("place must not contain a null character", "place")
    if is_url(text):
        return text
    if "://" in text:
        raise InputError("place must be a path or a postgresql:// URL", "place")
    return os.path.abspath(text)  # noqa: PTH100 - Path.absolute keeps ".."


def is_url(place: str) -> bool:
    """Whether a place is a PostgreSQL server."""
    return place.partition("://")[0] in SCHEMES and "://" in place


def shown(place: str) -> str:
    """A place without what may be a password: of a URL only host and database."""
    if not is_url(place):
        return place
    try:
        parts = urlsplit(place)
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{parts.hostname or ''}{port}{parts.path}"
    except ValueError:
        return "postgresql://…"


def store_of(place: str) -> Store:
    """The store of a place."""
    if is_url(place):
        from discreet.ledger.postgres import Server

        return Server(place)
    from discreet.ledger.files import File

    return File(place)
