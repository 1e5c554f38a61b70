"""Opening data: the records of a file, a relation or a data frame, in their engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from discreet import check
from discreet.data import conditions, files
from discreet.data.conditions import Condition
from discreet.data.frames import FrameSource
from discreet.data.relations import RelationSource
from discreet.errors import DataError, InputError


@contextmanager
def opened(
    data: object,
    columns: Sequence[str],
    condition: Condition | None,
    table: str | None,
    small: bool = True,
) -> Iterator[RelationSource | FrameSource]:
    """The records that satisfy a condition, with the wanted columns and those of the condition.

    `small` bounds the memory for reading a file. Errors of engines, which quote records, are
    replaced.
    """
    read = list(dict.fromkeys([*columns, *conditions.columns_of(condition)]))
    try:
        with files.said_safely(), ExitStack() as stack:
            written = False
            if isinstance(data, (str, Path)):
                data, written = stack.enter_context(files.opened(data, table, read, small))
            elif table is not None:
                raise InputError("table is for a DuckDB file", "table")
            yield _source(data, read, condition, written)
    except DataError as error:
        error.__context__ = None  # errors of engines quote records
        raise
    except InputError as error:
        unknown = [f"column {name!r} does not exist" for name in conditions.columns_of(condition)]
        if not any(text in str(error) for text in unknown):
            raise
        raise InputError(f"{error}; text in where goes between single quotes", "where") from None


def _source(
    data: object, columns: Sequence[str], condition: Condition | None, written: bool
) -> RelationSource | FrameSource:
    """Records of a relation or a data frame."""
    if type(data).__name__ == "DuckDBPyRelation":
        relation: Any = data
        for name in columns:
            files.require_column(name, relation.columns)
        return RelationSource.of(relation, condition, written)
    frame = _frame(data)
    names = frame.collect_schema().names()
    for name in columns:
        files.require_column(name, names)
    return FrameSource.of(frame, columns, condition)


def _frame(data: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(data)
    except TypeError:
        raise InputError(
            "data must be a data frame or relation with named columns, or the path of a file, got "
            f"{check.brief(data)}",
            "data",
        ) from None
