"""Files as DuckDB relations: CSV, TSV, JSON lines, Parquet, compressed, and tables of DuckDB files.

Error messages of the engine quote the data, so they are never passed on: what is said is which
file, which line and which rule.
"""
# ruff: noqa: S608 - names are quoted and constants escaped

from __future__ import annotations

import csv
import difflib
import glob
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import check
from discreet.data.relations import literal, quoted
from discreet.errors import DataError, InputError

if TYPE_CHECKING:
    import duckdb

_COMPRESSED = (".gz", ".zst")
_CSV = {".csv": None, ".tsv": "\t", ".txt": None}
_DELIMITERS = ",;\t|"  # the first wins where several fit
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")
_DUCKDB = (".duckdb", ".ddb", ".db")
# nothing is fetched from the network
_CONFIG: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}


MEMORY = "450MB"  # for counting; what needs more, with many units, has all there is


@contextmanager
def opened(
    place: str | Path, table: str | None, columns: Sequence[str], small: bool
) -> Iterator[tuple[duckdb.DuckDBPyRelation, bool]]:
    """The records of a file, or of all files of a pattern, and whether they are in writing.

    CSV and JSON are: every value is read as text, letter by letter, because a type that is guessed
    from the records would let one of them change how all others are read. What does not fit into
    memory goes to a folder that only this user can read and that is removed at the end.
    """
    import duckdb

    name = str(place)
    suffix = _suffix(name)
    _require_file(name, suffix, table)
    of_duckdb = suffix in _DUCKDB
    with said_safely(name):
        source = duckdb.connect(name if of_duckdb else ":memory:", of_duckdb, config=_CONFIG)
    folder = tempfile.mkdtemp(prefix="discreet-")
    try:
        with source as connection:
            with suppress(duckdb.InvalidInputException):  # a notebook that can show none
                connection.execute("set enable_progress_bar = false")  # it goes to standard output
            connection.execute("set temp_directory = ?", [folder])
            if small:
                connection.execute("set memory_limit = ?", [MEMORY])
            with said_safely(name):
                found = _relation(connection, name, suffix, table, columns)
            yield found, suffix in (*_CSV, *_JSON)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def known_columns(place: str) -> list[str]:
    """The columns of a Parquet file; of text none: its first line may be a record."""
    if _suffix(place) not in _PARQUET or not Path(place).is_file():
        return []
    with opened(place, None, (), True) as (relation, _):
        return [str(name) for name in relation.columns]


def _require_file(name: str, suffix: str, table: str | None) -> None:
    if not name or "\0" in name:
        raise InputError(f"data must be the name of a file, got {check.brief(name)}", "data")
    if Path(name).is_dir():
        pattern = str(Path(name) / "*.parquet")
        raise InputError(
            f"data {name!r} is a directory; give a pattern such as {pattern!r}", "data"
        )
    if suffix not in (*_CSV, *_JSON, *_PARQUET, *_DUCKDB):
        raise InputError(
            f"data {name!r} must be a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern "
            "such as 'lake/*.parquet'",
            "data",
        )
    if table is not None and suffix not in _DUCKDB:
        raise InputError(f"table is for a DuckDB file, got {name!r}", "table")
    if not _matching(name):
        raise InputError(f"data {name!r} does not exist", "data")


def _relation(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    suffix: str,
    table: str | None,
    columns: Sequence[str],
) -> duckdb.DuckDBPyRelation:
    if suffix in _DUCKDB:
        return _table(connection, name, table)
    # brackets in the name of a file are no pattern
    names = ", ".join(literal(glob.escape(file)) for file in _matching(name))
    if suffix in _PARQUET:
        return connection.sql(f"select * from read_parquet([{names}], union_by_name = true)")
    if not any(Path(file).stat().st_size for file in _matching(name)):
        raise DataError(f"data {name!r} is empty", "data")
    if suffix in _JSON:
        return _json(connection, name, names, columns)
    return _csv(connection, name, names, _CSV[suffix], columns)


def _json(
    connection: duckdb.DuckDBPyConnection, name: str, names: str, columns: Sequence[str]
) -> duckdb.DuckDBPyRelation:
    read = (
        f"select * from read_json([{names}], format = 'newline_delimited', union_by_name = true, "
        "hive_partitioning = false"
    )
    _require_written(name, "records", columns, connection.sql(f"{read})").columns)
    types = ", ".join(f"{quoted(column)}: 'VARCHAR'" for column in dict.fromkeys(columns))
    return connection.sql(f"{read}, columns = {{{types}}})")


def _csv(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    names: str,
    delimiter: str | None,
    columns: Sequence[str],
) -> duckdb.DuckDBPyRelation:
    """A first line of names, then records with as many values as there are names.

    Nothing is guessed from the records: guesses about comments, delimiters and quotes lose some of
    them without a word.
    """
    read = (
        f"select * from read_csv([{names}], header = true, skip = 0, comment = '', "
        "all_varchar = true, union_by_name = true, hive_partitioning = false"
    )
    whole_lines = "delim = '\x1f', quote = '', escape = ''"
    lenient = "strict_mode = false, null_padding = true, ignore_errors = true"
    line = connection.sql(f"{read}, {whole_lines}, {lenient})").columns[0]
    headers = {d: next(csv.reader([line], delimiter=d)) for d in delimiter or _DELIMITERS}
    chosen = max(headers, key=lambda d: len(headers[d]))
    if len(set(headers[chosen])) < len(headers[chosen]):
        raise DataError(f"data {name!r} has two columns of the same name", "data")
    read += f", delim = {literal(chosen)}, quote = '\"', escape = '\"', strict_mode = true"
    found = connection.sql(f"{read})")
    _require_written(name, "line", columns, found.columns)
    return found


def _require_written(name: str, first: str, columns: Sequence[str], there: Sequence[str]) -> None:
    """Refuse a missing column; what is there may be a record, so it is not listed."""
    for column in columns:
        if column not in there:
            said = missing(column, there, listed=False)
            raise InputError(f"column {said} in the first {first} of data {name!r}", "column")


def _matching(name: str) -> list[str]:
    return [name] if Path(name).exists() else glob.glob(name, recursive=True)  # noqa: PTH207 - any pattern


def _suffix(name: str) -> str:
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix


def _table(
    connection: duckdb.DuckDBPyConnection, name: str, table: str | None
) -> duckdb.DuckDBPyRelation:
    sql = "select table_name from information_schema.tables order by table_name"
    tables = [str(row[0]) for row in connection.execute(sql).fetchall()]
    if table is None and len(tables) == 1:
        table = tables[0]
    if table not in tables:
        raise InputError(f"table {missing(table, tables)} in {name!r}", "table")
    return connection.sql(f"select * from {quoted(str(table))}")


def require_column(name: str, columns: Sequence[str]) -> None:
    """Refuse a column that is not there; near names are suggested."""
    if name not in columns:
        raise InputError(f"column {missing(name, columns)} in data", "column")


def missing(name: str | None, names: Sequence[str], listed: bool = True) -> str:
    """What was asked for and what there is."""
    if name is None:
        return f"must be given: there are {_listed(names)}"
    lowered = {other.strip().lower(): other for other in names}
    near = difflib.get_close_matches(name.strip().lower(), lowered, n=1)
    if near and listed:
        return f"{name!r} does not exist (did you mean {lowered[near[0]]!r}?)"
    return f"{name!r} does not exist" + (f"; there are {_listed(names)}" if listed else "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "") or "none"


@contextmanager
def said_safely(name: str = "") -> Iterator[None]:
    """Turn errors of the engine, which quote records, into one sentence that does not."""
    import duckdb

    try:
        yield
    except (InputError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, duckdb.InterruptException):
            raise KeyboardInterrupt from None  # as DuckDB reports Ctrl-C
        which = f"data {name!r}" if name else "data"
        raise DataError(f"{which} cannot be read: {_reason(error)}", "data") from None


def _reason(error: Exception) -> str:
    text = str(error)
    line = re.search(r"Line: (\d+)", text)
    at = f" at line {line[1]}" if line else ""
    lowered = text.lower()
    if "number of columns" in lowered or "csv parsing dialect" in lowered:
        return f"the rows have different numbers of columns{at}"
    if "unicode" in lowered or "utf-8" in lowered or "utf8" in lowered:
        return f"it is not UTF-8 text{at}"
    if "conversion" in lowered or "convert" in lowered or "cast" in lowered:
        return f"a value does not fit the type of its column{at}"
    if "out of memory" in lowered or "allocate" in lowered:
        return "it does not fit into memory"
    if "permission" in lowered or isinstance(error, PermissionError):
        return "permission denied"
    if "could not set lock" in lowered:
        return "another process has locked it"
    return f"the engine reports {type(error).__name__}{at}"
