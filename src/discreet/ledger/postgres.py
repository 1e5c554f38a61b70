"""A ledger on a PostgreSQL server: the same tables and statements, through SQLAlchemy Core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError, LedgerError
from discreet.extras import needed
from discreet.ledger import stores
from discreet.ledger.stores import Run

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

LOCK = 7216049023384917  # of an advisory lock: any number that no one else uses


@dataclass(frozen=True, repr=False)
class Server:
    """A PostgreSQL database. A role with SELECT and INSERT on the tables can charge."""

    url: str

    @property
    def shown(self) -> str:
        """Host and database."""
        return stores.shown(self.url)

    def prepare(self) -> bool:
        """The database has to exist; whether it lacks the tables."""
        with self.reading() as run:
            return self.empty(run)

    def empty(self, run: Run) -> bool:
        """Whether the tables are missing."""
        return run("SELECT to_regclass('discreet_version')")[0][0] is None

    def require_schema(self, run: Run) -> None:
        """Refuse a database without the tables."""
        if self.empty(run):
            raise LedgerError(f"ledger {self.shown!r} does not exist")

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """A transaction that sees one state."""
        with self._said(), _engine(self.url).connect() as connection:
            yield partial(_run, connection.execution_options(isolation_level="REPEATABLE READ"))

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """A transaction that waits for other writers; on disk when it ends."""
        with self._said(), _engine(self.url).begin() as connection:
            run = partial(_run, connection)
            run(f"SET LOCAL lock_timeout = '{stores.PATIENCE}s'")
            run(
                "SELECT set_config('synchronous_commit', 'on', true) "
                "WHERE current_setting('synchronous_commit') IN ('off', 'local')"
            )
            run("SELECT pg_advisory_xact_lock(:lock)", lock=LOCK)
            yield run

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Every error of the database in one sentence, without statement, values or password."""
        with _drivers():
            from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
        try:
            yield
        except IntegrityError:
            raise LedgerError(
                f"ledger {self.shown!r} is damaged: its tables contradict each other"
            ) from None
        except DBAPIError as error:
            raise LedgerError(f"ledger {self.shown!r} {_reason(error)}") from None
        except SQLAlchemyError as error:
            raise LedgerError(
                f"ledger {self.shown!r} cannot be used ({type(error).__name__})"
            ) from None

    def damage(self, run: Run) -> list[str]:
        """PostgreSQL looks after its own files."""
        return []

    def backup(self, path: str) -> None:
        """Left to PostgreSQL."""
        raise LedgerError(
            f"ledger {self.shown!r} is backed up by PostgreSQL: "
            "pg_dump --table=discreet_version --table=discreet_entries"
        )


def _run(connection: Connection, sql: str, **names: Any) -> list[tuple[Any, ...]]:
    from sqlalchemy import text

    result = connection.execute(text(sql), names)
    return [tuple(row) for row in result] if result.returns_rows else []


@lru_cache(maxsize=8)
def _engine(url: str) -> Engine:
    """An engine that keeps no connection, so that threads and forks share nothing."""
    with _drivers():
        import psycopg  # noqa: F401
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import SQLAlchemyError
        from sqlalchemy.pool import NullPool
    try:
        target = make_url(url).set(drivername="postgresql+psycopg")
        if "connect_timeout" not in target.query:
            target = target.update_query_dict({"connect_timeout": str(stores.PATIENCE)})
        return create_engine(target, poolclass=NullPool, isolation_level="READ COMMITTED")
    except (SQLAlchemyError, ValueError, TypeError):
        raise InputError("place is not a valid postgresql:// URL", "place") from None


def _drivers() -> AbstractContextManager[None]:
    return needed("a ledger on PostgreSQL needs sqlalchemy and psycopg", "discreet[postgres]")


def _reason(error: Any) -> str:
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if state == "55P03":
        return "is locked by another process"
    if state == "25006":
        return "is read-only"
    if state.startswith("53"):
        return "cannot be written: the server is out of space or of connections"
    if state == "42501":
        return "may not be used: the role lacks a permission on its tables"
    if error.connection_invalidated or state[:2] in ("", "08", "28", "3D", "57"):
        return "cannot be reached"
    return f"cannot be used (SQLSTATE {state})"
