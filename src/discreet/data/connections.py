"""Connections to DuckDB, which know nothing of the records before they read them."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError

if TYPE_CHECKING:
    import duckdb

MEMORY = "450MB"  # for counting; what needs more, with many units, has all there is
# nothing is fetched from the network
_CONFIG: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
# All that DuckDB may do to a query here. None of it looks at the statistics of a file or a table,
# which leave NaN out: by them other optimisers fold conditions and skip records. Those that are new
# in a version of DuckDB are left out too.
_HARMLESS = (
    "column_lifetime",
    "common_aggregate",
    "common_subexpressions",
    "cte_inlining",
    "expression_rewriter",
    "in_clause",
    "unused_columns",
)
ATTACHED = "discreet_data"  # the name of a file's database
ONE_AT_A_TIME = threading.RLock()  # settings are put back, also those that another needs


@contextmanager
def connected(place: str | None = None, small: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of our own, to a database in a file or to none, which is only read.

    The file is attached: a connection to it would be shared, with all settings, with one that the
    user has. `small` bounds its memory. What does not fit goes to a folder that only this user can
    read and that is removed at the end.
    """
    import duckdb

    source = duckdb.connect(config=_CONFIG)
    folder = tempfile.mkdtemp(prefix="discreet-")
    try:
        with source as connection:
            with suppress(duckdb.InvalidInputException):  # a notebook that can show none
                connection.execute("set enable_progress_bar = false")  # it goes to standard output
            connection.execute("set temp_directory = ?", [folder])
            if small:
                connection.execute("set memory_limit = ?", [MEMORY])
            _blind(connection.execute)
            if place is not None:
                file = place.replace("'", "''")
                connection.execute(f"attach '{file}' as {ATTACHED} (read_only)")
            yield connection
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def blind(relation: duckdb.DuckDBPyRelation) -> Iterator[None]:
    """Within it a user's relation is run as ours are, its own expressions too.

    The setting belongs to the user's database, so it is put back.

    Raises:
        DataError: the user has locked the settings of the database.
    """
    import duckdb

    with ONE_AT_A_TIME:
        execute: Callable[[str], Any] = partial(relation.query, "discreet_settings")
        [[before]] = execute("select current_setting('disabled_optimizers')").fetchall()
        try:
            _blind(execute)
        except duckdb.InvalidInputException:
            raise DataError(
                "data cannot be counted: the configuration of its database is locked, so that "
                "optimisers which look at statistics cannot be switched off; give the file, or "
                "the result as a table of pyarrow or polars",
                "data",
            ) from None
        try:
            yield
        finally:
            # a transaction that has failed takes no statement: there they stay off, which costs
            # time and nothing else, and the first error is the one to show
            with suppress(duckdb.TransactionException):
                execute(f"set disabled_optimizers = '{before}'")


def _blind(execute: Callable[[str], Any]) -> None:
    names = execute("select name from duckdb_optimizers()").fetchall()
    others = sorted({str(name) for (name,) in names} - {*_HARMLESS})
    execute(f"set disabled_optimizers = '{','.join(others)}'")
