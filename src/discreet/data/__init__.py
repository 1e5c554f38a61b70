"""Counting where the data live: one pass in the user's engine, and only counts come back.

The counts are private. Which records are counted, and how each is read, follows from public rules
and from that record, or that unit's records, alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from discreet import check
from discreet.check import Category
from discreet.core.counts import AVERAGED
from discreet.data import conditions, plain, sources, units
from discreet.data.axes import Axis, Cell, Source, listed
from discreet.data.categories import decimal, finder
from discreet.data.files import safely
from discreet.errors import InputError, UnknownValuesError

__all__ = [
    "Rules",
    "tabulate",
    "tabulate_several",
]

UNKNOWN = ("error", "other", "drop")


@dataclass(frozen=True)
class Rules:
    """Which records are counted, and how often one unit of privacy may occur.

    Attributes:
        where: a condition on one record; the others are left out.
        unknown: what happens to missing and undeclared values: "error", "other", "drop".
        other: the declared category of the counted column that takes them, for "other".
        unit: the column that tells whose record it is.
        max_per_unit: how many records of one unit are kept.
        table: the table of a DuckDB file.
        line_breaks: declares that a correct writer wrote the CSV file, whose quoted values may hold
            line breaks.
        per_unit: "cut" to `max_per_unit` records, or "average": all records of a unit weigh 1.
    """

    where: str | None = None
    unknown: str = "error"
    other: Category | None = None
    unit: str | None = None
    max_per_unit: int | None = None
    table: str | None = None
    line_breaks: bool = False
    per_unit: str = "cut"

    def __post_init__(self) -> None:
        check.choice("line_breaks", self.line_breaks, (True, False))
        check.choice("unknown", self.unknown, UNKNOWN)
        if self.unknown == "other" and self.other is None:
            raise InputError(
                "unknown='other' needs the declared category that undeclared values go to: "
                "other='…'",
                "other",
            )
        if self.unknown != "other" and self.other is not None:
            raise InputError(
                f"other is for unknown='other', got {check.brief(self.other)} with "
                f"unknown={self.unknown!r}",
                "other",
            )
        units.require_unit(self.unit, self.max_per_unit, self.per_unit)

    @property
    def owners(self) -> units.Owners | None:
        """Whose the records are, and how much of one unit is counted."""
        return units.Owners.of(self.unit, self.max_per_unit, self.per_unit)


class Tally(NamedTuple):
    """Counts, and how many records were left out, or put into `other`, for an undeclared value."""

    values: tuple[int, ...]
    unknown: int


class Tallies(NamedTuple):
    """The counts of several tables, and how many records were left out."""

    values: list[tuple[int, ...]]
    unknown: int


def tabulate(data: object, columns: Mapping[str | None, Sequence[Category]], rules: Rules) -> Tally:
    """The joint counts of the declared categories of some columns, the last varying fastest.

    A column None stands for the records themselves: a list, an array or a Series.

    Raises:
        InputError: data, columns or rules are not acceptable.
        UnknownValuesError: a value is missing or undeclared.
    """
    labels = [tuple(values) for values in columns.values()]
    condition = None if rules.where is None else conditions.parse(rules.where)
    if rules.other is not None:
        check.position("other", rules.other, labels[-1])
    if None in columns:
        series = _series(data)
        if series is None:
            for name in ("where", "unit", "table", "line_breaks"):
                if getattr(rules, name):
                    raise InputError(
                        f"{name} needs a data frame or a file with columns, and column=…", name
                    )
            return Tally(*plain.count(_listed(data), labels[0], rules.unknown, rules.other))
        data, columns = series.to_frame(), {series.name: labels[0]}
    names = [check.label("column", name) for name in columns]
    if len(set(names)) < len(names):
        raise InputError(f"by and column must be different columns, got {names[0]!r}", "by")
    with _opened(data, dict(zip(names, labels, strict=True)), condition, rules) as (source, axes):
        if rules.owners is None:
            cells, left_out = listed(axes, source.values(axes)), 0
        else:
            cells, left_out = units.bounded(source, axes, rules.owners, rules.unknown)
        values, unknown = _settled(source, axes, cells, rules)
        if rules.per_unit == "average":
            unknown //= AVERAGED  # what went into `other`, in units
        return Tally(values, unknown + left_out)


def tabulate_several(
    data: object,
    columns: Mapping[str, Sequence[Category]],
    tables: Sequence[Sequence[str]],
    rules: Rules,
) -> Tallies:
    """The joint counts of several sets of columns, in one pass; the last column varies fastest.

    A record counts in all tables, or under "drop" in none.

    Raises:
        InputError: data, columns or rules are not acceptable.
        UnknownValuesError: a value is missing or undeclared.
    """
    condition = None if rules.where is None else conditions.parse(rules.where)
    with _opened(data, columns, condition, rules) as (source, axes):
        places = {axis.name: place for place, axis in enumerate(axes)}
        placed = [[places[name] for name in table] for table in tables]
        if rules.unit is not None:
            units.require_kind(rules.unit, source.kind(rules.unit))
        found = source.several(axes, placed, rules.unknown == "drop", rules.owners)
        left_out = found.pop(None, 0)
        if left_out and rules.unknown != "drop":
            raise _unknown_values(source, axes, left_out > sum(found.values()), _DROP)
    result, start = [], 0
    for table in tables:
        cells = math.prod(len(columns[name]) for name in table)
        result.append(tuple(found.get(code, 0) for code in range(start, start + cells)))
        start += cells
    return Tallies(result, left_out)


@contextmanager
def _opened(
    data: object,
    columns: Mapping[str, Sequence[Category]],
    condition: conditions.Condition | None,
    rules: Rules,
) -> Iterator[tuple[Source, list[Axis]]]:
    """Records in their engine, and the columns with their categories."""
    unit = [rules.unit] if rules.unit else []
    with sources.opened(
        data,
        [*columns, *unit],
        condition,
        table=rules.table,
        line_breaks=rules.line_breaks,
        small=rules.unit is None,
    ) as source:
        yield (
            source,
            [Axis.of(name, labels, source.kind(name)) for name, labels in columns.items()],
        )


def _settled(
    source: Source, axes: list[Axis], cells: dict[Cell, int], rules: Rules
) -> tuple[tuple[int, ...], int]:
    """The table, with what was unknown dropped, put into `other`, or reported; and its number."""
    sizes = [len(axis.categories) for axis in axes]
    table = [0] * math.prod(sizes)
    unknown = moved = 0
    for cell, number in cells.items():
        places = list(cell)
        if rules.other is not None and places[-1] is None:
            places[-1] = axes[-1].categories.index(rules.other)
            moved += number
        if None in places:
            unknown += number
            continue
        index = 0
        for place, size in zip(places, sizes, strict=True):
            index = index * size + int(place or 0)
        table[index] += number
    if unknown and rules.unknown != "drop":
        if rules.other is None:
            raise _unknown_values(source, axes, unknown > sum(table))
        drop = f"other is for column {axes[-1].name!r}; unknown='drop' leaves their records out"
        raise _unknown_values(source, axes[:-1], unknown > sum(table), drop)
    return tuple(table), unknown + moved


_DROP = (
    "unknown='drop' leaves their records out and makes n private, which needs "
    "adjacency='add-remove' and mechanism='lattice', 'gaussian' or 'laplace_updates'"
)


def _unknown_values(
    source: Source,
    axes: Sequence[Axis],
    most: bool,
    advice: str = "unknown='other' or unknown='drop' takes them",
) -> UnknownValuesError:
    """What to say of values that are missing or undeclared: the rule; privately, which they are."""
    found = [tuple(map(_value, row)) for row in source.examples(axes)]
    values = tuple(row[0] if len(axes) == 1 else row for row in found)
    columns = zip(axes, zip(*found, strict=True), strict=False)
    named = [axis for axis, column in columns if _lacks(axis, column)] or axes
    few = [repr(axis.name) for axis in named[:3]]
    names = " and ".join(few) if len(few) == len(named) else f"{', '.join(few)}, …"
    hints = ["more values are undeclared than declared: is it the right column?"] if most else []
    folded = {_folded(c): c for axis in axes for c in axis.categories}
    near = [
        folded[key]
        for row in found
        for value in row
        if (key := _folded(value)) in folded and value != folded[key]
    ]
    if any(_is_fraction(value) for row in found for value in row):
        hints.append("some are decimal numbers: cut the column into declared bins first")
    if near:
        hints.append(f"some differ from {near[0]!r} only by case, spaces or the form of letters")
    return UnknownValuesError(
        f"column {names} must hold declared categories, exactly as written, case and spaces "
        f"included; some values are missing or undeclared ({advice})",
        values,
        "; ".join(hints),
    )


def _folded(value: object) -> str:
    return unicodedata.normalize("NFKC", str(value)).strip().casefold()


def _lacks(axis: Axis, values: Iterable[Any]) -> bool:
    """Whether a value means no category of the axis."""
    return None in map(finder(axis.categories), values)


def _is_fraction(value: object) -> bool:
    number = decimal(value)
    return number is not None and number != number.to_integral_value()


def _value(value: Any) -> Any:
    """None for every way in which the engines say that a value is missing."""
    return None if type(value).__name__ in ("NAType", "NaTType") or value != value else value


def _series(data: object) -> Any:
    """A Series of any library, named; None for anything else."""
    if isinstance(data, (list, tuple, str, bytes)) or not hasattr(data, "dtype"):
        return None
    import narwhals as nw

    try:
        series = nw.from_native(data, series_only=True)  # type: ignore[call-overload]
    except TypeError:
        return None
    return series.alias(series.name if isinstance(series.name, str) and series.name else "data")


def _listed(data: object) -> Iterable[Any]:
    if isinstance(data, (str, bytes, Mapping, Set)) or not isinstance(data, Iterable):
        raise InputError(
            f"data must be a list or array of records, got {type(data).__name__}; a data frame or "
            "a file needs column=, and counts go to dp.release as they are",
            "data",
        )
    plain.require_in_memory(data, "data")
    if type(data).__module__.partition(".")[0] == "pyarrow" and hasattr(data, "to_pylist"):
        return safely(data.to_pylist)  # type: ignore[no-any-return]
    if hasattr(data, "columns"):
        raise InputError("column must be given: which column of the data frame to count", "column")
    if (dimensions := getattr(data, "ndim", 1)) != 1:
        raise InputError(f"data must have one dimension, got {dimensions}; pass one column", "data")
    return data
