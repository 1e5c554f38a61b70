"""DuckDB relations, of files and of the user, counted by SQL.

Names are quoted and constants escaped; nothing that the user gives is taken as SQL.
"""
# ruff: noqa: S608 - see above

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.data.axes import Axis, Cell, strides
from discreet.data.conditions import Column, Comparison, Condition, Constant, Joined, Missing, fits
from discreet.data.units import mixing
from discreet.errors import InputError

if TYPE_CHECKING:
    import duckdb

_OPERATORS = {
    operator.eq: "=",
    operator.ne: "<>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}
_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_WHOLE = (*_SIGNED, *(f"U{name}" for name in _SIGNED))
_DECIMAL = ("DOUBLE", "FLOAT", "DECIMAL")
_RECORDS = "discreet_records"  # what the relation is called in queries


@dataclass(frozen=True)
class RelationSource:
    """A relation and the condition that its records have to satisfy."""

    relation: duckdb.DuckDBPyRelation
    types: dict[str, str]
    where: str
    written: bool = False  # in a text file

    @classmethod
    def of(
        cls, relation: duckdb.DuckDBPyRelation, condition: Condition | None, written: bool
    ) -> RelationSource:
        """The records of a relation that satisfy a condition.

        If they are `written`, as in CSV, every value is text, and numbers are compared with what
        the text of one record says.
        """
        types = dict(zip(relation.columns, map(_outer, relation.types), strict=True))
        where = "" if condition is None else f"where {_condition(condition, types, written)}"
        return cls(relation, types, where, written)

    def kind(self, name: str) -> tuple[str, str | None]:
        """What a column holds, and what it has to be cast to."""
        type_ = self.types[name]
        if type_ in ("VARCHAR", "ENUM"):
            return "text", None if type_ == "VARCHAR" else "text"
        if type_ == "BOOLEAN":
            return "booleans", None
        if type_ in _WHOLE:
            return "integers", None
        if type_ in _DECIMAL:
            return "decimal numbers", "double"
        raise InputError(
            f"column {name!r} must hold text, integers, booleans or categoricals, got {type_}",
            "column",
        )

    def values(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Values are grouped as they are, which is fastest, and the groups once more by category.

        So undeclared values, by the million, stay where they are.
        """
        raw = ", ".join(f"{_column(axis)} as c{i}" for i, axis in enumerate(axes))
        chosen = ", ".join(_value(axis, f"c{i}") for i, axis in enumerate(axes))
        return self.rows(
            f"select {chosen}, sum(n) from "
            f"(select {raw}, count(*) as n from {_RECORDS} {self.where} group by all) group by all"
        )

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], unit: str, most: int, drop: bool
    ) -> list[int]:
        """One row per unit with a column per cell, cut down, and summed; see `units`."""
        raw = ", ".join(f"{_column(axis)} as x{i}" for i, axis in enumerate(axes))
        chosen = ", ".join(f"{_value(axis, f'x{i}')} as v{i}" for i, axis in enumerate(axes))
        inside = [" and ".join(_inside(axes, cell)) for cell in cells]
        columns = [f"c{i}" for i in range(len(cells))]
        sums = ", ".join(
            f"coalesce(sum(n) filter ({part}), 0)::bigint as {column}"
            for part, column in zip(inside, columns, strict=True)
        )
        lost = " or ".join(f"({part})" for part in inside)
        known = " and ".join(["u is not null", *(f"v{i} is not null" for i in range(len(axes)))])
        mixed = " + ".join(
            f"{by} * {column}" for by, column in zip(mixing(len(cells)), columns, strict=True)
        )
        running = [" + ".join(columns[: i + 1]) for i in range(len(columns))]
        totals = ", ".join(f"{sum_} as r{i}" for i, sum_ in enumerate(running))
        total = f"r{len(columns) - 1}"
        # ⌊m·C/T + u⌋ in integers, u = (start + ½)/100
        shares = [
            f"(200 * {most} * r{i} + (2 * start + 1) * {total}) // (200 * {total})"
            for i in range(len(columns))
        ]
        kept = ", ".join(
            f"sum(case when {total} <= {most} then {column} else {share} - {below} end)"
            for column, share, below in zip(columns, shares, ["0", *shares[:-1]], strict=True)
        )
        [row] = self.rows(
            f"with raw as (select {self._unit(unit)} as u, {raw}, count(*) as n from {_RECORDS} "
            f"{self.where} group by all), "
            f"valued as (select u, {chosen}, n from raw), "
            f"grouped as (select * from valued {f'where {known}' if drop else ''}), "
            f"units as (select u, {sums}, coalesce(sum(n) filter (u is null), 0) as nobody, "
            f"coalesce(sum(n) filter (not ({lost})), 0) as lost from grouped group by u), "
            f"counted as (select *, {totals}, ({self._digits(unit)} + {mixed}) % 100 as start "
            f"from units) "
            f"select {kept}, sum(nobody), sum(lost) from counted"
        )
        return [int(value or 0) for value in row]

    def several(
        self, axes: Sequence[Axis], tables: Sequence[Sequence[int]], drop: bool
    ) -> dict[int | None, int]:
        """One scan: a record becomes a list of the cells it falls into, which are counted.

        Grouping sets take as long for 40 tables and half as long again for 500.
        """
        raw = ", ".join(f"{_column(axis)} as x{i}" for i, axis in enumerate(axes))
        places = ", ".join(f"{_position(axis, f'x{i}')} as p{i}" for i, axis in enumerate(axes))
        known = " and ".join(f"p{i} is not null" for i in range(len(axes)))
        codes = [
            " + ".join([str(start), *(f"{s} * p{i}" for i, s in zip(table, steps, strict=True))])
            for table, (start, steps) in zip(tables, strides(axes, tables), strict=True)
        ]
        found = self.rows(
            f"with raw as (select {raw} from {_RECORDS} {self.where}), "
            f"placed as (select {places} from raw), "
            f"coded as (select unnest([{', '.join(codes)}]) as c from placed "
            f"{f'where {known}' if drop else ''}) "
            f"select c, count(*) from coded group by c"
        )
        return {None if code is None else int(code): int(number) for code, number in found}

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        raw = ", ".join(f"{_column(axis)} as c{i}" for i, axis in enumerate(axes))
        wrong = " or ".join(f"{_value(axis, f'c{i}')} is null" for i, axis in enumerate(axes))
        return self.rows(
            f"select distinct * from (select {raw} from {_RECORDS} {self.where}) "
            f"where {wrong} limit 5"
        )

    def _unit(self, unit: str) -> str:
        """Whose record it is; a number that is none is as missing as null."""
        if self.types[unit] not in ("DOUBLE", "FLOAT"):
            return quoted(unit)
        return f"case when not isnan({quoted(unit)}) then {quoted(unit)} + 0.0 end"

    def _digits(self, unit: str) -> str:
        """The last two digits of a number, or characters of a name where they are digits."""
        if self.types[unit] in (*_WHOLE, *_DECIMAL):
            return "coalesce(try_cast(floor(abs(u)) % 100 as integer), 0)"
        name = "u::varchar"
        last, before = f"right({name}, 1)", f"left(right({name}, 2), 1)"
        tens = f"case when length({name}) > 1 then {_digit(before)} else 0 end"
        return f"{_digit(last)} + 10 * ({tens})"

    def numbers(self, names: Sequence[str]) -> str:
        """The query for some columns as doubles c0, c1, …; what is no number in writing is null."""
        numbers = ", ".join(f"{self._number(name)} as c{i}" for i, name in enumerate(names))
        return f"select {numbers} from {_RECORDS} {self.where}"

    def _number(self, name: str) -> str:
        column, type_ = quoted(name), self.types[name]
        if self.written:
            truth = f"case lower({column}) when 'true' then 1 when 'false' then 0 end"
            return f"coalesce(try_cast({column} as double), {truth})"
        if type_ not in ("BOOLEAN", *_WHOLE, *_DECIMAL):
            raise InputError(
                f"column {name!r} must hold numbers or booleans, got {type_}", "column"
            )
        return f"{column}::double"

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The few rows of a result, in Python."""
        found: Any = self.relation.query(_RECORDS, sql)
        return list(found.fetchall())


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Constant) -> str:
    """An SQL constant."""
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _outer(type_: object) -> str:
    """The name of a type without its parameters: those of a STRUCT come from the records."""
    return str(type_).split("(")[0]


def _column(axis: Axis) -> str:
    if axis.cast is None:
        return quoted(axis.name)
    text = axis.cast == "text"
    return f"{quoted(axis.name)}::varchar" if text else f"{quoted(axis.name)}::double + 0.0"


def _value(axis: Axis, column: str) -> str:
    """The value where it means a category, and null elsewhere."""
    return f"case when {column} in ({', '.join(map(literal, axis.known))}) then {column} end"


def _position(axis: Axis, column: str) -> str:
    """The place of the category that a value means, and null elsewhere."""
    cases = " ".join(
        f"when {literal(value)} then {place}" for value, place in axis.places().items()
    )
    return f"case {column} {cases} end"


def _inside(axes: Sequence[Axis], cell: Cell) -> list[str]:
    return [
        f"v{i} is null"
        if place is None
        else f"coalesce(v{i} in ({', '.join(map(literal, axis.forms[place]))}), false)"
        if axis.forms[place]
        else "false"
        for i, (axis, place) in enumerate(zip(axes, cell, strict=True))
    ]


def _digit(letter: str) -> str:
    return f"case when {letter} between '1' and '9' then {letter}::integer else 0 end"


def _condition(condition: Condition, types: dict[str, str], written: bool) -> str:
    if isinstance(condition, Joined):
        word = " and " if condition.by is operator.and_ else " or "
        parts = (_condition(part, types, written) for part in condition.parts)
        return "(" + word.join(parts) + ")"
    column = quoted(condition.column.name)
    if isinstance(condition, Missing):
        return f"{column} is {'' if condition.missing else 'not '}null"
    assert isinstance(condition, Comparison)
    sign, other = _OPERATORS[condition.operator], condition.other
    if isinstance(other, Column):
        beside = quoted(other.name)
        if not written:
            return f"{column} {sign} {beside}"
        # numbers as numbers, where both are; the text otherwise
        numbers = f"try_cast({column} as double) {sign} try_cast({beside} as double)"
        return f"coalesce({numbers}, {column} {sign} {beside})"
    if written and not isinstance(other, str):
        # a value that is no such thing counts as missing
        as_type = "boolean" if isinstance(other, bool) else "double"
        return f"try_cast({column} as {as_type}) {sign} {literal(other)}"
    type_ = types[condition.column.name]
    if type_ == "ENUM":
        column, type_ = f"{column}::varchar", "VARCHAR"
    return f"{column} {sign} {literal(fits(condition, _kind(type_), type_))}"


def _kind(type_: str) -> str:
    """What `conditions.fits` calls it."""
    if type_.startswith(("DATE", "TIMESTAMP")):
        return "dates"
    simple = {"VARCHAR": "text", "BOOLEAN": "booleans"}
    return simple.get(type_, "numbers" if type_ in (*_WHOLE, *_DECIMAL) else "other")
