"""Opening data: the records of a file, a relation or a data frame, in their engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import check
from discreet.data import conditions, files
from discreet.data.conditions import Condition
from discreet.data.naming import require_column
from discreet.data.relations import RelationSource, of_query, of_user
from discreet.errors import DataError, InputError

if TYPE_CHECKING:
    from discreet.data.frames import FrameSource


@contextmanager
def opened(
    data: object,
    columns: Sequence[str],
    condition: Condition | None,
    *,
    table: str | None = None,
    line_breaks: bool = False,
    small: bool = True,
) -> Iterator[RelationSource | FrameSource]:
    """The records that satisfy a condition, with the wanted columns and those of the condition.

    `small` bounds the memory for reading a file. Errors of engines, which quote records, are
    replaced.
    """
    read = list(dict.fromkeys([*columns, *conditions.columns_of(condition)]))
    try:
        with files.said_safely(), ExitStack() as stack:
            if isinstance(data, (str, Path)):
                reading = files.opened(
                    data, read, table=table, line_breaks=line_breaks, small=small
                )
                own, sql, written = stack.enter_context(reading)
                yield of_query(own, sql, read, condition, written)
                return
            for name, given in {"table": table, "line_breaks": line_breaks}.items():
                if given:
                    raise InputError(f"{name} is for a {_FOR[name]} file", name)
            if (relation := _behind(data)) is not None:
                yield of_user(relation, read, condition)
            else:
                yield _framed(data, read, condition)
    except DataError as error:
        error.__context__ = None  # errors of engines quote records
        raise
    except InputError as error:
        unknown = [f"column {name!r} does not exist" for name in conditions.columns_of(condition)]
        if not any(text in str(error) for text in unknown):
            raise
        raise InputError(f"{error}; text in where goes between single quotes", "where") from None


_ENGINES = ("pandas", "polars", "pyarrow", "dask", "pyspark", "pyspark[connect]")
_FOR = {"table": "DuckDB", "line_breaks": "CSV"}


def _behind(data: Any) -> Any:
    """The DuckDB relation that data are, or that a table of ibis stands for; else None."""
    if type(data).__name__ == "DuckDBPyRelation":
        return data
    if not type(data).__module__.startswith("ibis."):
        return None
    backend = data.get_backend()
    if backend.name != "duckdb":
        raise InputError(
            f"data of ibis must be in its backend 'duckdb', got {backend.name!r}; give its result, "
            "for example data.to_polars()",
            "data",
        )
    if hasattr(backend, "_run_pre_execute_hooks"):  # which hands over tables in memory
        backend._run_pre_execute_hooks(data)
    return backend.con.sql(backend.compile(data))


def _framed(data: Any, columns: Sequence[str], condition: Condition | None) -> FrameSource:
    from discreet.data.frames import FrameSource

    frame = _frame(data)
    names = frame.collect_schema().names()
    if not all(isinstance(name, str) for name in names):
        raise InputError("data must have columns whose names are text", "data")
    for name in columns:
        require_column(name, names)
        if frame.implementation.is_polars() and (
            name == "*" or re.fullmatch(r"\^.*\$", name, re.S)
        ):
            raise InputError(
                f"column {name!r} cannot be told by its name, which polars takes for a pattern of "
                "names; rename it",
                "column",
            )
    return FrameSource.of(frame, columns, condition)


def _frame(data: Any) -> Any:
    import narwhals as nw

    try:
        frame = nw.from_native(data)
        if frame.implementation.value in _ENGINES:
            return frame
        raise InputError(
            f"data of {frame.implementation.value} cannot be counted: nobody has seen how it reads "
            "records; give its result, for example as a table of pyarrow",
            "data",
        )
    except TypeError:
        raise InputError(
            "data must be a data frame or relation with named columns, or the path of a file, got "
            f"{check.brief(data)}",
            "data",
        ) from None
