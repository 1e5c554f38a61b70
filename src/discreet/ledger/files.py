"""A ledger in a file: SQLite, one connection per transaction.

SQLite's locks belong to the process and fall when any handle of the file is closed, so the file is
never opened here but by SQLite, except to create it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from discreet.errors import LedgerError
from discreet.ledger import schema, stores
from discreet.ledger.stores import Run

_REASONS = {
    "BUSY": "is locked by another process",
    "PROTOCOL": "is locked by another process",
    "LOCKED": "is locked by another process",
    "READONLY": "is read-only",
    "PERM": "may not be opened",
    "AUTH": "may not be opened",
    "FULL": "cannot be written: the disk is full",
    "IOERR": "cannot be read or written: the disk is full or failing",
    "CANTOPEN": "cannot be opened",
    "NOTADB": "is not a ledger",
    "CORRUPT": "is damaged",
    "CONSTRAINT": "is damaged: its tables contradict each other",
}


@dataclass(frozen=True)
class File:
    """A SQLite file."""

    path: str

    @property
    def shown(self) -> str:
        """The path."""
        return self.path

    def prepare(self) -> bool:
        """Create the file for its owner alone, never through a link; wait for another creator."""
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            self._await_creator()
            return False
        except OSError as error:
            raise LedgerError(f"ledger {self.path!r} cannot be created: {error.strerror}") from None
        with suppress(OSError):
            folder = os.open(Path(self.path).parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return True

    def _await_creator(self) -> None:
        deadline = time.monotonic() + min(5, stores.PATIENCE)
        while self._require_file() == 0:
            if time.monotonic() > deadline:
                raise self._blank()
            time.sleep(0.02)

    def _blank(self) -> LedgerError:
        return LedgerError(
            f"ledger {self.path!r} is empty; if nothing was ever charged to it, delete it and open "
            "it again"
        )

    def _require_file(self) -> int:
        """The size of the file, if it can be a ledger."""
        try:
            found = os.stat(self.path)  # noqa: PTH116 - the path is text
        except FileNotFoundError:
            what = "is a broken link" if Path(self.path).is_symlink() else "does not exist"
            raise LedgerError(f"ledger {self.path!r} {what}") from None
        except OSError as error:
            raise LedgerError(f"ledger {self.path!r} cannot be opened: {error.strerror}") from None
        if not stat.S_ISREG(found.st_mode):
            raise LedgerError(f"ledger {self.path!r} is not a file")
        if found.st_nlink > 1:  # SQLite names its log after the path: two names, two logs
            raise LedgerError(f"ledger {self.path!r} has a second hard link, which is not safe")
        return found.st_size

    def empty(self, run: Run) -> bool:
        """Whether the file has no tables at all."""
        return not run("SELECT name FROM sqlite_master LIMIT 1")

    def require_schema(self, run: Run) -> None:
        """Refuse other tables, indexes or triggers than those of the version."""
        found = run(_SCHEMA)
        if not found:
            raise self._blank()
        if ("table", "discreet_version") not in [row[:2] for row in found]:
            raise LedgerError(f"ledger {self.path!r} is a SQLite file but not a ledger")
        version = run(schema.GET_VERSION)[:1]
        known = version and version[0][0] in range(1, schema.version() + 1)
        if known and tuple(found) != _expected(schema.MIGRATIONS[: version[0][0]]):
            raise LedgerError(f"ledger {self.path!r} is damaged: its tables were changed")

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """A transaction that sees one state."""
        self._require_file()
        with self._said(), closing(self._connect()) as connection:
            connection.execute("BEGIN")
            yield partial(_run, connection)

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """A transaction that excludes other writers; the log is on disk when it ends."""
        size = self._require_file()
        with self._said(), closing(self._connect()) as connection:
            if size:  # a new file stays empty until its first transaction is complete
                _keep_log(connection)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            yield partial(_run, connection)
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        uri = f"file:{quote(os.fsencode(self.path))}?mode=rw"
        connection = sqlite3.connect(
            uri, uri=True, timeout=stores.PATIENCE, isolation_level=None, cached_statements=16
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Every error of SQLite in one sentence."""
        try:
            yield
        except (sqlite3.Error, MemoryError, OverflowError, UnicodeError) as error:
            code = str(getattr(error, "sqlite_errorname", "")).split("_")
            reason = _REASONS.get(code[1] if len(code) > 1 else "", "is damaged")
            raise LedgerError(f"ledger {self.path!r} {reason}") from None

    def damage(self, run: Run) -> list[str]:
        """What SQLite finds wrong in its pages and indexes."""
        lines = [str(row[0]) for row in run("PRAGMA integrity_check(5)")]
        return [f"SQLite reports: {line}" for line in lines if line != "ok"]

    def backup(self, path: str) -> None:
        """Copy one state to a new file, for its owner alone, that can be read on its own."""
        self._require_file()
        copy = File(path)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except OSError as error:
            raise LedgerError(f"backup {path!r} cannot be created: {error.strerror}") from None
        try:
            with (
                self._said(),
                closing(self._connect()) as source,
                closing(copy._connect()) as target,
            ):
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise


_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"


@lru_cache(maxsize=8)
def _expected(migrations: tuple[tuple[str, ...], ...]) -> tuple[tuple[Any, ...], ...]:
    """The tables as SQLite describes them after the migrations."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for migration in migrations:
            for statement in migration:
                connection.execute(statement)
        return tuple(connection.execute(_SCHEMA).fetchall())


def _run(connection: sqlite3.Connection, sql: str, **names: Any) -> list[tuple[Any, ...]]:
    return connection.execute(sql, names).fetchall()


def _keep_log(connection: sqlite3.Connection) -> None:
    """Write-ahead logging. Two who turn it on at once can exclude each other: try again."""
    deadline = time.monotonic() + stores.PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            locked = error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
            if not locked or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
