"""DuckDB relations, of files and of the user, counted by SQL.

Names are quoted and constants escaped; nothing that the user gives is taken as SQL.
"""
# ruff: noqa: S608 - see above

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.data.axes import Axis, Cell
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


@dataclass(frozen=True)
class RelationSource:
    """A relation and the condition that its records have to satisfy."""

    relation: duckdb.DuckDBPyRelation
    types: dict[str, str]
    where: str

    @classmethod
    def of(cls, relation: duckdb.DuckDBPyRelation, condition: Condition | None) -> RelationSource:
        """The records of a relation that satisfy a condition."""
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        where = "" if condition is None else f"where {_condition(condition, types)}"
        return cls(relation, types, where)

    def kind(self, name: str) -> tuple[str, bool]:
        """What a column holds, and whether it has to be cast to text."""
        type_ = self.types[name]
        if type_ == "VARCHAR" or type_.startswith("ENUM"):
            return "text", type_ != "VARCHAR"
        if type_ == "BOOLEAN":
            return "booleans", False
        if type_ in _WHOLE:
            return "integers", False
        if type_ in ("DOUBLE", "FLOAT") or type_.startswith("DECIMAL"):
            return "decimal numbers", False
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
        return self._rows(
            f"select {chosen}, sum(n) from "
            f"(select {raw}, count(*) as n from records {self.where} group by all) group by all"
        )

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], unit: str, most: int, drop: bool
    ) -> list[int]:
        """One row per unit with a column per cell, cut down, and summed; see `units`."""
        raw = ", ".join(f"{_column(axis)} as x{i}" for i, axis in enumerate(axes))
        chosen = ", ".join(f"{_value(axis, f'x{i}')} as v{i}" for i, axis in enumerate(axes))
        inside = [" and ".join(["u is not null", *_inside(axes, cell)]) for cell in cells]
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
        [row] = self._rows(
            f"with raw as (select {quoted(unit)} as u, {raw}, count(*) as n from records "
            f"{self.where} group by all), "
            f"valued as (select u, {chosen}, n from raw), "
            f"grouped as (select * from valued {f'where {known}' if drop else ''}), "
            f"units as (select u, {sums}, coalesce(sum(n) filter (u is null), 0) as nobody, "
            f"coalesce(sum(n) filter (not ({lost})), 0) as lost from grouped group by u), "
            f"counted as (select *, {totals}, ({_digits()} + {mixed}) % 100 as start from units) "
            f"select {kept}, sum(nobody), sum(lost) from counted"
        )
        return [int(value or 0) for value in row]

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        raw = ", ".join(f"{_column(axis)} as c{i}" for i, axis in enumerate(axes))
        wrong = " or ".join(f"{_value(axis, f'c{i}')} is null" for i, axis in enumerate(axes))
        return self._rows(
            f"select distinct * from (select {raw} from records {self.where}) where {wrong} limit 5"
        )

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: Any = self.relation.query("records", sql)
        return list(found.fetchall())


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Constant) -> str:
    """An SQL constant."""
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _column(axis: Axis) -> str:
    return f"{quoted(axis.name)}::varchar" if axis.cast else quoted(axis.name)


def _value(axis: Axis, column: str) -> str:
    """The value where it means a category, and null elsewhere."""
    return f"case when {column} in ({', '.join(map(literal, axis.known))}) then {column} end"


def _inside(axes: Sequence[Axis], cell: Cell) -> list[str]:
    return [
        f"v{i} is null"
        if place is None
        else f"coalesce(v{i} in ({', '.join(map(literal, axis.forms[place]))}), false)"
        if axis.forms[place]
        else "false"
        for i, (axis, place) in enumerate(zip(axes, cell, strict=True))
    ]


def _digits() -> str:
    """The last two characters of the unit's name, as a number where they are digits."""
    last = "coalesce(try_cast(nullif(right(u::varchar, 1), '') as integer), 0)"
    return f"{last} + 10 * {last.replace('right(u::varchar, 1)', 'left(right(u::varchar, 2), 1)')}"


def _condition(condition: Condition, types: dict[str, str]) -> str:
    if isinstance(condition, Joined):
        word = " and " if condition.by is operator.and_ else " or "
        return "(" + word.join(_condition(part, types) for part in condition.parts) + ")"
    column = quoted(condition.column.name)
    if isinstance(condition, Missing):
        return f"{column} is {'' if condition.missing else 'not '}null"
    assert isinstance(condition, Comparison)
    sign = _OPERATORS[condition.operator]
    if isinstance(condition.other, Column):
        return f"{column} {sign} {quoted(condition.other.name)}"
    type_ = types[condition.column.name]
    if type_.startswith("ENUM"):
        column, type_ = f"{column}::varchar", "VARCHAR"
    constant = fits(condition, _kind(type_), type_)
    return f"{column} {sign} {literal(constant)}"


def _kind(type_: str) -> str:
    """What `conditions.fits` calls it."""
    if type_.startswith(("DATE", "TIMESTAMP")):
        return "dates"
    simple = {"VARCHAR": "text", "BOOLEAN": "booleans"}
    numeric = type_ in (*_WHOLE, "DOUBLE", "FLOAT") or type_.startswith("DECIMAL")
    return simple.get(type_, "numbers" if numeric else "other")
