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
from contextlib import contextmanager
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
    place: str | Path, table: str | None, text: Sequence[str], others: Sequence[str], small: bool
) -> Iterator[duckdb.DuckDBPyRelation]:
    """The records of a file, or of all files of a pattern.

    Columns in `text` are read from CSV as text, letter by letter, not in a type that the first rows
    suggest; but for decimal numbers. What does not fit into memory goes to a folder that only this
    user can read and that is removed at the end.
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
            connection.execute("set enable_progress_bar = false")  # it goes to standard output
            connection.execute("set temp_directory = ?", [folder])
            if small:
                connection.execute("set memory_limit = ?", [MEMORY])
            with said_safely(name):
                found = _relation(connection, name, suffix, table, text, others)
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
    text: Sequence[str],
    others: Sequence[str],
) -> duckdb.DuckDBPyRelation:
    if suffix in _DUCKDB:
        return _table(connection, name, table)
    if suffix in _PARQUET:
        return connection.read_parquet(name, union_by_name=True)
    if suffix in _JSON:
        return connection.read_json(name, format="newline_delimited", union_by_name=True)
    return _csv(connection, name, _CSV[suffix], text, others)


def _csv(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    delimiter: str | None,
    text: Sequence[str],
    others: Sequence[str],
) -> duckdb.DuckDBPyRelation:
    """A first line of names, then records with as many values as there are names.

    Nothing but the types of other columns is guessed from the records: guesses about comments,
    delimiters and quotes lose records without a word.
    """
    if not any(Path(file).stat().st_size for file in _matching(name)):
        raise DataError(f"data {name!r} is empty", "data")
    read = f"read_csv({literal(name)}, header = true, skip = 0, comment = '', union_by_name = true"
    if delimiter is None:
        whole_lines = f"{read}, delim = '\x1f', quote = '', escape = '', all_varchar = true"
        lenient = "strict_mode = false, null_padding = true, ignore_errors = true"
        header = connection.sql(f"select * from {whole_lines}, {lenient})").columns[0]
        delimiter = max(_DELIMITERS, key=lambda d: len(next(csv.reader([header], delimiter=d))))
    read += f", delim = {literal(delimiter)}, quote = '\"', escape = '\"', strict_mode = true"
    sniffed = connection.sql(f"select * from {read})")
    for column in (*text, *others):
        if column not in sniffed.columns:
            said = missing(column, sniffed.columns, listed=False)  # they may be a record
            raise InputError(f"column {said} in the first line of data {name!r}", "column")
    kinds = dict(zip(sniffed.columns, map(str, sniffed.types), strict=True))
    types = ", ".join(
        f"{quoted(c)}: 'VARCHAR'" for c in dict.fromkeys(text) if kinds[c] != "DOUBLE"
    )
    return connection.sql(f"select * from {read}{f', types = {{{types}}}' if types else ''})")


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
    if near:
        return f"{name!r} does not exist (did you mean {lowered[near[0]]!r}?)"
    return f"{name!r} does not exist" + (f"; there are {_listed(names)}" if listed else "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "") or "none"


@contextmanager
def said_safely(name: str = "") -> Iterator[None]:
    """Turn errors of the engine, which quote records, into one sentence that does not."""
    try:
        yield
    except (InputError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
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
