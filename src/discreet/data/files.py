"""Files as DuckDB relations: CSV, TSV, JSON lines, Parquet, compressed, and tables of DuckDB files.

Error messages of the engine quote the data, so they are never passed on: what is said is which
file, which line and which rule.
"""
# ruff: noqa: S608 - names are quoted and constants escaped

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import check
from discreet.data.connections import ATTACHED, connected
from discreet.data.naming import missing
from discreet.data.reasons import reason
from discreet.data.relations import require_no_product
from discreet.data.sql import literal, quoted
from discreet.errors import DataError, DiscreetError, InputError

if TYPE_CHECKING:
    import duckdb

_CSV = {".csv": None, ".tsv": "\t", ".txt": None}
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")
_COMPRESSED = (".gz", ".zst")
_DUCKDB = (".duckdb", ".ddb", ".db")


@contextmanager
def opened(
    place: str | Path,
    columns: Sequence[str],
    *,
    table: str | None = None,
    line_breaks: bool = False,
    small: bool = True,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str, Collection[str]]]:
    """A query for the records of a file, or of all files of a pattern; which columns are written.

    All of CSV and JSON are: every value is read as text, letter by letter, because a type that is
    guessed from the records would let one of them change how all others are read.
    """
    name = str(place)
    suffix = _suffix(name)
    _require_file(name, suffix, table, line_breaks)
    with said_safely(name), connected(name if suffix in _DUCKDB else None, small) as own:
        if suffix in _DUCKDB:
            yield own, _table(own, name, table), ()
        elif suffix in _PARQUET:
            yield own, *_parquet(own, name, columns)
        else:
            from discreet.data import text_files  # with threads and decompression

            files = matching(name)
            if not any(Path(file).stat().st_size for file in files):
                raise DataError(f"data {name!r} is empty", "data")
            if suffix in _JSON:
                yield own, text_files.json_lines(name, files, columns), columns
            else:
                sql = text_files.csv(name, files, _CSV[suffix], columns, line_breaks)
                yield own, sql, columns


def known_columns(place: str) -> list[str]:
    """The columns of a Parquet file; of text none: its first line may be a record."""
    if _suffix(place) not in _PARQUET or not Path(place).is_file():
        return []
    with opened(place, ()) as (own, sql, _):
        return [str(name) for name in own.sql(sql).columns]


def _require_file(name: str, suffix: str, table: str | None, line_breaks: bool) -> None:
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
    if line_breaks and suffix not in _CSV:
        raise InputError(f"line_breaks is for a CSV file, got {name!r}", "line_breaks")
    found = matching(name)
    if not found:
        raise InputError(f"data {name!r} does not exist", "data")
    # DuckDB would read what is in it, where a file may stand that is also found by itself
    if any(Path(file).is_dir() for file in found):
        raise InputError(f"data {name!r} must match files, and matches a directory", "data")


def _parquet(
    connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[str]
) -> tuple[str, Collection[str]]:
    """The query for Parquet files, and the columns in the names of folders, as in `ward=3/`."""
    files = matching(name)
    # brackets in the name of a file are no pattern
    names = ", ".join(literal(glob.escape(file)) for file in files)
    keys = [frozenset(re.findall(r"(?<![^/\\])([^/\\=]+)=[^/\\=]*[/\\]", file)) for file in files]
    types = _types(connection, name, names, columns)
    folders = {key for some in keys for key in some}
    # a column is in the names of all folders and in no file, or in files alone
    whole = set(keys) == {keys[0]} and not {key.lower() for key in folders} & set(types)
    if not whole and (mixed := sorted(folders & set(columns))):
        raise DataError(
            f"column {mixed[0]!r} must be in the names of all folders and in no file of data "
            f"{name!r}, or in the files alone",
            "data",
        )
    options = f"union_by_name = true, hive_partitioning = {str(bool(whole and folders)).lower()}"
    return (
        f"select * from read_parquet([{names}], {options}, hive_types_autocast = false)",
        folders if whole else (),
    )


def _types(
    connection: duckdb.DuckDBPyConnection, name: str, names: str, columns: Sequence[str]
) -> dict[str, str]:
    """The types of the columns of several files, by their names in lower case.

    A column has one name and one type in all of them: a common type would follow from what the
    records of one file need.
    """
    schemas: dict[str, list[object]] = {}
    fields: dict[str, list[tuple[str, int]]] = {}
    for file, field, children, *rest in connection.execute(
        "select file_name, name, coalesce(num_children, 0), * exclude (file_name, name, "
        f"num_children) from parquet_schema([{names}])"
    ).fetchall():
        schemas.setdefault(str(file), []).append((field, children, *rest))
        fields.setdefault(str(file), []).append((str(field), int(children)))
    different = {str(schema): file for file, schema in schemas.items()}
    spelt: dict[str, tuple[str, str]] = {}
    wanted = {column.lower() for column in columns}
    for file in different.values():
        one = f"[{literal(glob.escape(file))}], hive_partitioning = false"
        inside = connection.sql(f"select * from read_parquet({one})")
        # the second of x and X is called X_1 by DuckDB, which may be the name of another column
        named = zip(inside.columns, _outer(fields[file]), strict=True)
        twice = {either for given, own in named if given != own for either in (given, own)}
        if found := sorted(twice & set(columns)):
            raise DataError(f"data {name!r} has two columns called {found[0]!r}", "data")
        for column, type_ in zip(inside.columns, map(str, inside.types), strict=True):
            key = column.lower()  # as DuckDB compares names
            if spelt.setdefault(key, (column, type_)) != (column, type_) and key in wanted:
                raise DataError(
                    f"column {column!r} must have one name and one type in all files of data "
                    f"{name!r}",
                    "data",
                )
    return {key: type_ for key, (_, type_) in spelt.items()}


def _outer(fields: Sequence[tuple[str, int]]) -> list[str]:
    """The columns among all fields of a Parquet file, which come before those inside them."""
    found, inside = [], 0
    for field, children in fields[1:]:  # the first is the file itself
        if not inside:
            found.append(field)
        inside = max(inside - 1, 0) + children
    return found


def matching(name: str) -> list[str]:
    """The files of a name or pattern, each once: records that are read twice count twice.

    Folders that are links are not followed by **, as they may lead round in a circle.
    """
    if Path(name).exists():
        return [name]
    found: dict[tuple[int, int | str], str] = {}
    for file in sorted(_globbed(name)):
        place = Path(file).stat()
        number = place.st_ino or str(Path(file).resolve())  # some file systems give none
        found.setdefault((place.st_dev, number), file)
    return list(found.values())


def _globbed(name: str) -> Iterator[str]:
    parts = Path(name).parts
    if "**" not in parts:
        yield from glob.iglob(name)  # noqa: PTH207 - any pattern
        return
    start = parts.index("**")
    for folder in glob.glob(str(Path(*parts[:start]))) if start else ["."]:  # noqa: PTH207
        for inner, folders, files in os.walk(folder):
            folders[:] = [each for each in folders if not each.startswith(".")]
            below = Path(inner).relative_to(folder).parts
            for file in files:
                if _matches((*below, file), parts[start:]):
                    yield str(Path(inner, file))


def _matches(names: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    """Whether the names of folders and a file fit a pattern, ** standing for any folders."""
    reached = {0}  # places in the pattern
    for name in names:
        reached = _with_any(reached, patterns)
        here = {place for place in reached if place < len(patterns) and patterns[place] == "**"}
        hidden = name.startswith(".")
        reached = here | {
            place + 1
            for place in reached - here
            if place < len(patterns)
            and fnmatch.fnmatchcase(name, patterns[place])
            and (patterns[place].startswith(".") or not hidden)
        }
    return len(patterns) in _with_any(reached, patterns)


def _with_any(reached: set[int], patterns: tuple[str, ...]) -> set[int]:
    """With what follows a ** that stands for no folder."""
    found = set(reached)
    for place in sorted(reached):
        while place < len(patterns) and patterns[place] == "**":
            place += 1
            found.add(place)
    return found


def _suffix(name: str) -> str:
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix


def _table(connection: duckdb.DuckDBPyConnection, name: str, table: str | None) -> str:
    sql = (
        "select table_name, table_schema from information_schema.tables "
        f"where table_catalog = '{ATTACHED}' order by all"
    )
    found = [(str(table_), str(schema)) for table_, schema in connection.execute(sql).fetchall()]
    tables = [table_ for table_, _ in found]
    if table is None and len(tables) == 1:
        table = tables[0]
    if table not in tables:
        raise InputError(f"table {missing(table, tables)} in {name!r}", "table")
    if tables.count(table) > 1:
        raise InputError(f"table {table!r} is in several schemas of {name!r}", "table")
    # by its whole name: a name alone may also mean a file, or a table of DuckDB's own
    records = f"{ATTACHED}.{quoted(dict(found)[table])}.{quoted(table)}"
    require_no_product(lambda sql: connection.execute(sql).fetchall(), records)
    return f"select * from {records}"


@contextmanager
def said_safely(name: str = "") -> Iterator[None]:
    """Turn errors of the engine, which quote records, into one sentence that does not."""
    import duckdb

    try:
        yield
    except (DiscreetError, MemoryError):
        raise
    except BaseException as error:
        # that of polars is an error like others
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        interrupted = type(error) is RuntimeError and str(error) == "Query interrupted"
        if interrupted or isinstance(error, duckdb.InterruptException):
            raise KeyboardInterrupt from None  # as DuckDB reports Ctrl-C
        which = f"data {name!r}" if name else "data"
        raise DataError(f"{which} cannot be read: {reason(error)}", "data") from None


def safely(call: Callable[[], Any]) -> Any:
    """The answer of an engine, or an error without one behind it that quotes records."""
    try:
        with said_safely():
            return call()
    except DataError as error:
        failed = error
    failed.__context__ = None
    raise failed
