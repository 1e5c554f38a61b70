"""The tables, by version. SQLite and PostgreSQL understand the same statements."""

from __future__ import annotations

COLUMNS = "number, dataset, step, kind, request, settles, content, previous, hash"

# MIGRATIONS[v] leads from version v to v + 1; an empty place has version 0.
# The unique columns are a second lock: two charges that read the same state cannot both be written,
# not even where the first lock fails (a network disk) or an index is damaged.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE discreet_version (version INTEGER NOT NULL)",
        "INSERT INTO discreet_version VALUES (0)",
        "CREATE TABLE discreet_entries (number INTEGER PRIMARY KEY CHECK (number > 0), "
        "dataset TEXT NOT NULL, "
        "step INTEGER NOT NULL, kind TEXT NOT NULL, request TEXT, settles INTEGER UNIQUE, "
        "content TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL, "
        "UNIQUE (dataset, step), UNIQUE (dataset, request))",
        "CREATE INDEX discreet_by_dataset ON discreet_entries (dataset, number)",
    ),
    (),  # from 2 on accounts may have filters, which older software does not know
)

SET_VERSION = "UPDATE discreet_version SET version = :version"
GET_VERSION = "SELECT version FROM discreet_version"
HEAD = f"SELECT {COLUMNS} FROM discreet_entries ORDER BY number DESC LIMIT 1"  # noqa: S608
_WHERE = f"SELECT {COLUMNS} FROM discreet_entries WHERE "  # noqa: S608
LAST = _WHERE + "dataset = :dataset ORDER BY number DESC LIMIT 1"
BY_NUMBER = _WHERE + "number = :number"
BY_REQUEST = _WHERE + "dataset = :dataset AND request = :request"
BY_CHARGE = _WHERE + "settles = :settles"
PAGE = _WHERE + "number >= :start ORDER BY number LIMIT :size"
PAGE_OF_DATASET = _WHERE + "dataset = :dataset AND number >= :start ORDER BY number LIMIT :size"
_LATEST = "SELECT MAX(number) FROM discreet_entries WHERE dataset <> '' GROUP BY dataset"
LATEST = _WHERE + f"number IN ({_LATEST})"
COUNT = "SELECT COUNT(*) FROM discreet_entries"
INSERT = (
    f"INSERT INTO discreet_entries ({COLUMNS}) VALUES "  # noqa: S608
    "(:number, :dataset, :step, :kind, :request, :settles, :content, :previous, :hash)"
)


WITH_FILTERS = 2


def version() -> int:
    """The version that this software writes."""
    return len(MIGRATIONS)
