"""DuckDB relations, of files and of the user, counted by SQL.

Names are quoted and constants escaped; nothing that the user gives is taken as SQL.
"""
# ruff: noqa: S608 - see above

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.data import conditions, kinds, sql
from discreet.data.axes import Axis, Cell, strides
from discreet.data.conditions import Condition
from discreet.data.connections import blind
from discreet.data.naming import require_column
from discreet.data.units import (
    COUNTED,
    FRACTION,
    MOST_FLOAT,
    NOBODY,
    UNKNOWN,
    VAGUE,
    WHOLE,
    Owners,
    mixing,
    require_told,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    import duckdb

_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_KINDS = {
    "VARCHAR": kinds.TEXT,
    "UUID": kinds.TEXT,
    "ENUM": kinds.TEXT,
    "BOOLEAN": kinds.BOOLEANS,
    **dict.fromkeys((*_SIGNED, *(f"U{name}" for name in _SIGNED)), kinds.INTEGERS),
    "DECIMAL": kinds.DECIMALS,
    "DOUBLE": kinds.FLOATS,
    "FLOAT": kinds.SINGLES,
    "DATE": kinds.DATES,
    **{f"TIMESTAMP{unit}": kinds.TIMES for unit in ("", "_S", "_MS", "_NS")},
    "TIMESTAMP WITH TIME ZONE": kinds.ZONED,
}
RECORDS = "discreet_records"  # what the relation is called in queries


@dataclass(frozen=True)
class RelationSource:
    """A relation, as its columns are read, and the condition that its records have to satisfy."""

    ask: Callable[[str], list[tuple[Any, ...]]]
    kinds: Mapping[str, str]
    records: str
    where: str

    @classmethod
    def of(
        cls,
        relation: duckdb.DuckDBPyRelation,
        columns: Sequence[str],
        condition: Condition | None,
        *,
        written: Collection[str] = (),
        own: duckdb.DuckDBPyConnection | None = None,
        origin: str = RECORDS,
    ) -> RelationSource:
        """Some columns of the records of a relation that satisfy a condition.

        Those that are `written`, as in CSV, are text that may say numbers. The connection may be
        our `own`: then `origin` is the query. A user's knows no statistics while it is asked
        (see `connections`).
        """
        types = dict(zip(relation.columns, map(_outer, relation.types), strict=True))
        found = {name: _KINDS.get(types[name], types[name]) for name in columns}
        found |= {name: kinds.WRITTEN for name in columns if name in written}
        ask = partial(_ask, relation) if own is None else partial(_execute, own)
        reading = ", ".join(
            f"{sql.read(f'{RECORDS}.{sql.quoted(name)}', kind, types[name])} as {sql.quoted(name)}"
            for name, kind in found.items()
        )
        where = ""
        if condition is not None:
            fine = {name for name in columns if types[name] == "TIMESTAMP_NS"}
            where = f"where {sql.satisfied(conditions.typed(condition, found, fine), found)}"
        return cls(ask, found, f"(select {reading} from {origin})", where)

    def kind(self, name: str) -> str:
        """What a column holds."""
        return self.kinds[name]

    def values(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Values are grouped as they are, which is fastest, and the groups once more by category.

        So undeclared values, by the million, stay where they are.
        """
        raw = ", ".join(f"{sql.quoted(axis.name)} as x{i}" for i, axis in enumerate(axes))
        ready = ", ".join(f"{sql.prepared(axis, f'x{i}')} as c{i}" for i, axis in enumerate(axes))
        chosen = ", ".join(sql.value(axis, f"c{i}") for i, axis in enumerate(axes))
        return self.rows(
            f"select {chosen}, sum(n) from (select {ready}, n from "
            f"(select {raw}, count(*) as n from {self.records} {self.where} group by all)) "
            "group by all"
        )

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], owners: Owners, drop: bool
    ) -> list[int]:
        """One row per unit with a column per cell, cut or averaged, and summed; see `units`."""
        unit = owners.column
        raw = ", ".join(f"{sql.quoted(axis.name)} as x{i}" for i, axis in enumerate(axes))
        ready = ", ".join(f"{sql.prepared(axis, f'x{i}')} as c{i}" for i, axis in enumerate(axes))
        chosen = ", ".join(f"{sql.value(axis, f'c{i}')} as v{i}" for i, axis in enumerate(axes))
        inside = [" and ".join(sql.inside(axes, cell)) for cell in cells]
        columns = [f"c{i}" for i in range(len(cells))]
        lost = " or ".join(f"({part})" for part in inside)
        known = " and ".join(["u is not null", *(f"v{i} is not null" for i in range(len(axes)))])
        if drop:
            inside, lost = [f"{part} and u is not null" for part in inside], "true"
        nobody, dropped = ("false", f"not ({known})") if drop else ("u is null", "false")
        sums = ", ".join(
            f"coalesce(sum(n) filter ({part}), 0)::bigint as {column}"
            for part, column in (
                *zip(inside, columns, strict=True),
                (nobody, "nobody"),
                (f"not ({lost})", "lost"),
                (dropped, "dropped"),
            )
        )
        mixed = " + ".join(
            f"{by} * {column}" for by, column in zip(mixing(len(cells)), columns, strict=True)
        )
        running = [" + ".join(columns[: i + 1]) for i in range(len(columns))]
        totals = ", ".join(f"{sum_} as r{i}" for i, sum_ in enumerate(running))
        total = f"r{len(columns) - 1}"
        # ⌊m·C/T + u⌋ in integers, u = (start + ½)/100
        shares = [
            f"(200 * {owners.total} * r{i} + (2 * start + 1) * {total}) // (200 * {total})"
            for i in range(len(columns))
        ]
        kept = ", ".join(
            f"sum(case when {total} <= {owners.whole} then {column} else {share} - {below} end)"
            for column, share, below in zip(columns, shares, ["0", *shares[:-1]], strict=True)
        )
        [row] = self.rows(
            f"with raw as (select {self.owner(unit)} as u, {raw}, count(*) as n "
            f"from {self.records} {self.where} group by all), "
            f"ready as (select u, {ready}, n from raw), "
            f"valued as (select u, {chosen}, n from ready), "
            f"units as (select u, {sums}, {self._vague(unit)} as vague from valued group by u), "
            f"counted as (select *, {totals}, ({self.digits(unit)} + {mixed}) % 100 as start "
            f"from units) "
            f"select {kept}, sum(nobody), sum(lost), sum(vague), sum(dropped) from counted"
        )
        return [int(value or 0) for value in row]

    def several(
        self,
        axes: Sequence[Axis],
        tables: Sequence[Sequence[int]],
        drop: bool,
        owners: Owners | None = None,
    ) -> dict[int | None, int]:
        """One scan: a record becomes a list of the cells it falls into, which are counted.

        Grouping sets take as long for 40 tables and half as long again for 500.
        """
        if owners is not None:
            return self._several_of_units(axes, tables, drop, owners)
        ready = ", ".join(
            f"{sql.prepared(axis, sql.quoted(axis.name))} as c{i}" for i, axis in enumerate(axes)
        )
        places = ", ".join(f"{sql.position(axis, f'c{i}')} as p{i}" for i, axis in enumerate(axes))
        known = " and ".join(f"p{i} is not null" for i in range(len(axes)))
        cells = sql.cells(strides(axes, tables), tables)
        if drop:
            cells = f"case when {known} then {cells} else [null] end"
        found = self.rows(
            f"with ready as (select {ready} from {self.records} {self.where}), "
            f"placed as (select {places} from ready), "
            f"coded as (select unnest({cells}) as c from placed) "
            f"select c, count(*) from coded group by c"
        )
        return {None if code is None else int(code): int(number) for code, number in found}

    def _several_of_units(
        self, axes: Sequence[Axis], tables: Sequence[Sequence[int]], drop: bool, owners: Owners
    ) -> dict[int | None, int]:
        """The same with weights. A record that is not counted has its state in place of a cell."""
        unit = owners.column
        ready = ", ".join(
            f"{sql.prepared(axis, sql.quoted(axis.name))} as c{i}" for i, axis in enumerate(axes)
        )
        places = ", ".join(f"{sql.position(axis, f'c{i}')} as p{i}" for i, axis in enumerate(axes))
        known = " and ".join(f"p{i} is not null" for i in range(len(axes)))
        weighed = sql.weighed("placed", [f"p{i}" for i in range(len(axes))], owners)
        cells = sql.cells(strides(axes, tables), tables)
        found = {
            int(code): int(number)
            for code, number in self.rows(
                f"with ready as (select {self.owner(unit)} as u, {ready} from {self.records} "
                f"{self.where}), "
                f"valued as (select u, {places} from ready), "
                f"placed as (select *, {self.state(unit, known, drop)} as state, "
                f"{self.digits(unit)} as digits from valued), "
                f"coded as (select unnest(case when state < 0 then [state] else {cells} end) as c, "
                f"case when state < 0 then 1 else w end as w from {weighed}) "
                f"select c, sum(w) from coded group by c"
            )
        }
        require_told(unit, bool(found.pop(NOBODY, 0)), bool(found.pop(VAGUE, 0)))
        return {None if code == UNKNOWN else code: number for code, number in found.items()}

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        raw = ", ".join(f"{sql.quoted(axis.name)} as x{i}" for i, axis in enumerate(axes))
        wrong = " or ".join(
            f"{sql.value(axis, sql.prepared(axis, f'x{i}'))} is null" for i, axis in enumerate(axes)
        )
        return self.rows(
            f"select distinct * from (select {raw} from {self.records} {self.where}) "
            f"where {wrong} limit 5"
        )

    def _vague(self, unit: str) -> str:
        """How many records of a unit that is a float may be those of several integers."""
        vague = self._is_vague(unit)
        return f"case when {vague} then sum(n) else 0 end" if vague else "0"

    def _is_vague(self, unit: str) -> str:
        """Whether u may be several units; empty where it cannot be."""
        if self.kinds[unit] == kinds.FLOATS:
            return f"abs(u) >= {MOST_FLOAT}"
        written = self.kinds[unit] == kinds.WRITTEN
        return f"regexp_full_match(u, {sql.literal(FRACTION)})" if written else ""

    def owner(self, unit: str) -> str:
        """The unit of a record, null for none."""
        there = sql.present(sql.quoted(unit), self.kinds[unit])
        if self.kinds[unit] != kinds.WRITTEN:
            return there
        return f"regexp_replace({there}, {sql.literal(f'^{WHOLE}$')}, '\\1')"

    def state(self, unit: str, known: str, drop: bool) -> str:
        """Whether a record of the unit u is COUNTED, or why not; unless dropped it is refused."""
        told = self._is_vague(unit)
        vague = f"when {told} then {VAGUE}" if told else ""
        nobody = f"when u is null then {UNKNOWN if drop else NOBODY}"
        return f"case {vague} {nobody} when {known} then {COUNTED} else {UNKNOWN} end"

    def digits(self, unit: str) -> str:
        """The last two digits of a number, or characters of a name where they are digits."""
        if self.kinds[unit] not in (kinds.TEXT, kinds.WRITTEN, *kinds.NUMBERS):
            return "0"
        if self.kinds[unit] == kinds.INTEGERS:
            return "coalesce(abs(try_cast(u as hugeint) % 100)::integer, 0)"
        if self.kinds[unit] in kinds.NUMBERS:
            digits = "coalesce(try_cast(floor(abs(u)) % 100 as integer), 0)"
            return f"case when abs(u) < {MOST_FLOAT} then {digits} else 0 end"
        name = "u::varchar"
        last, before = f"right({name}, 1)", f"left(right({name}, 2), 1)"
        tens = f"case when length({name}) > 1 then {sql.digit(before)} else 0 end"
        return f"{sql.digit(last)} + 10 * ({tens})"

    def numbers(self, names: Sequence[str], unit: str | None = None) -> str:
        """The query for some columns as doubles c0, c1, …; what is missing or no number is null.

        And for the unit u, if there is one.
        """
        for name in names:
            if self.kinds[name] not in (kinds.WRITTEN, kinds.BOOLEANS, *kinds.NUMBERS):
                raise InputError(
                    f"column {name!r} must hold numbers or booleans, got {self.kinds[name]}",
                    "column",
                )
        numbers = ", ".join(
            f"{sql.measured(sql.quoted(name), self.kinds[name])} as c{i}"
            for i, name in enumerate(names)
        )
        owner = "" if unit is None else f", {self.owner(unit)} as u"
        return f"select {numbers}{owner} from {self.records} {self.where}"

    def no_numbers(self, names: Sequence[str]) -> tuple[object, ...]:
        """Up to five different texts of written columns that say no number."""
        written = [name for name in dict.fromkeys(names) if self.kinds[name] == kinds.WRITTEN]
        wrong = " union ".join(
            f"select {sql.quoted(name)} from {self.records} {self.where}"
            f"{' and' if self.where else ' where'} {sql.quoted(name)} is not null and "
            f"{sql.measured(sql.quoted(name), kinds.WRITTEN)} is null"
            for name in written
        )
        return tuple(value for (value,) in self.rows(f"{wrong} limit 5")) if written else ()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The few rows of a result, in Python."""
        return self.ask(query)


def _ask(relation: Any, query: str) -> list[tuple[Any, ...]]:
    with blind(relation):
        return list(relation.query(RECORDS, query).fetchall())


def _execute(connection: Any, query: str) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        return list(connection.execute(query).fetchall())
    except duckdb.OutOfMemoryException:  # of what `connected` allows: records are long
        connection.execute("reset memory_limit")
        return list(connection.execute(query).fetchall())


def of_user(
    relation: duckdb.DuckDBPyRelation, columns: Sequence[str], condition: Condition | None
) -> RelationSource:
    """The records of a relation of the user."""
    _require_columns(columns, relation.columns)
    if str(relation.type) == "MATERIALIZED_RELATION":
        raise InputError(
            "data are the result of a statement that DuckDB has run already, with optimisers that "
            "look at statistics; give it as a query, or its result as a table of pyarrow or polars",
            "data",
        )
    require_no_product(partial(_ask, relation), RECORDS)
    return RelationSource.of(relation, columns, condition)


def _require_columns(columns: Sequence[str], there: Sequence[str]) -> None:
    """Refuse columns that are not there, or not alone: DuckDB does not tell cases apart."""
    lowered = [name.lower() for name in there]
    for name in columns:
        require_column(name, there)
        if lowered.count(name.lower()) > 1:
            raise InputError(
                f"column {name!r} must be the only one of that name, in capitals or small letters",
                "column",
            )


def require_no_product(ask: Callable[[str], Sequence[Any]], records: str) -> None:
    """Refuse a query with all pairs of two tables' records, which it would have to go through.

    Without optimisers that is what a join by `where` is, or a subquery that looks at the records
    outside.
    """
    [[_, plan]] = ask(f"explain (format json) select * from {records}")
    if '"CROSS_PRODUCT"' in plan:
        raise InputError(
            "data joins tables by where or by a subquery, which takes too long without optimisers "
            "that look at statistics; write join … on, or give the result as a table of pyarrow or "
            "polars",
            "data",
        )


def of_query(
    own: duckdb.DuckDBPyConnection,
    query: str,
    columns: Sequence[str],
    condition: Condition | None,
    written: Collection[str],
) -> RelationSource:
    """The records of a query on a connection of our own."""
    relation = own.sql(query)
    _require_columns(columns, relation.columns)
    origin = f"({query}) as {RECORDS}"
    return RelationSource.of(relation, columns, condition, written=written, own=own, origin=origin)


def _outer(type_: object) -> str:
    """The name of a type without its parameters: those of a STRUCT come from the records."""
    name = str(type_)
    return "LIST" if name.endswith("]") else name.split("(")[0]
