"""Data frames of any library through narwhals: the work stays in the user's engine."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import add, and_, or_
from typing import TYPE_CHECKING, Any, cast

from discreet.data import conditions, frame_units, kinds
from discreet.data.axes import Axis, Cell, strides
from discreet.data.categories import DECIMAL, LONGEST
from discreet.data.collecting import Frame, collected, rows
from discreet.data.conditions import Column, Condition, Joined, Missing
from discreet.data.connections import connected
from discreet.data.declared import declared
from discreet.data.frame_units import DIGITS, STATE, UNIT
from discreet.data.relations import RECORDS, RelationSource
from discreet.data.units import COUNTED, MOST_FLOAT, NOBODY, UNKNOWN, VAGUE, Owners, require_told

if TYPE_CHECKING:
    import narwhals as nw


@dataclass(frozen=True)
class FrameSource:
    """A narwhals frame; narwhals translates expressions for the engine behind it."""

    frame: Frame
    kinds: Mapping[str, str]

    @classmethod
    def of(cls, frame: Frame, columns: Sequence[str], condition: Condition | None) -> FrameSource:
        """The wanted columns, as they are read, of the records that satisfy a condition."""
        import narwhals as nw

        frame, missing = declared(frame.select(list(columns)))
        schema = frame.collect_schema()
        found = {name: kind(dtype) for name, dtype in schema.items()}
        found |= dict.fromkeys(missing, kinds.NOTHING)
        spark = frame.implementation.is_spark_like()
        frame = frame.select(*(_read(name, found[name], spark).alias(name) for name in found))
        if frame.implementation.is_polars():
            frame = _unordered(frame)
        if condition is not None:
            units = {name: getattr(dtype, "time_unit", "") for name, dtype in schema.items()}
            fine = {name for name in found if units.get(name) == "ns" and not spark}
            if frame.implementation.is_polars():  # which compares in the coarser unit
                for name in (name for name in found if units.get(name) == "ms"):
                    frame = frame.with_columns(nw.col(name).cast(nw.Datetime("us")))
            chosen = conditions.typed(condition, found, fine)
            frame = frame.filter(_condition(chosen, found, spark, fine))
        return cls(frame, found)

    def kind(self, name: str) -> str:
        """What a column holds."""
        return self.kinds[name]

    def values(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Values are grouped as they are, which engines do fastest, then once more by category.

        So undeclared values, by the million, stay where they are. Spark has one stage less if it
        finds the category of every record, which is as quick where no number has to be read.
        """
        import narwhals as nw

        keys = _keys(axes)
        if self.frame.implementation.is_spark_like() and not any(axis.plain for axis in axes):
            return rows(self.frame.select(*_values(axes)).group_by(*keys).agg(nw.len().alias(_N)))
        names = [axis.name for axis in axes]
        number = _N.ljust(max(map(len, names)) + 1, "_")  # longer than any, so none of them
        grouped = self.frame.group_by(*names).agg(nw.len().alias(number))
        found = grouped.select(*_values(axes), number).group_by(*keys).agg(nw.col(number).sum())
        return rows(found)

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], owners: Owners, drop: bool
    ) -> list[int]:
        """One row per unit with a column per cell, cut or averaged, and summed; see `units`."""
        import narwhals as nw

        unit = owners.column
        frame = self.frame.select(nw.col(unit).alias(UNIT), *_values(axes))
        grouped = (
            frame.group_by(UNIT, *_keys(axes))
            .agg(nw.len().alias(_N))
            .with_columns(nw.col(_N).cast(nw.Int64))
        )
        columns = [f"discreet_c{i}" for i in range(len(cells))]
        inside = [_inside(axes, cell) for cell in cells]
        owned = ~nw.col(UNIT).is_null()
        nothing = owned & ~owned
        if drop:
            inside = [part & owned for part in inside]
        parts = dict(zip(columns, inside, strict=True))
        parts["discreet_nobody"] = nothing if drop else ~owned
        parts["discreet_lost"] = nothing if drop else ~reduce(or_, inside)
        known = reduce(and_, [~nw.col(key).is_null() for key in (UNIT, *_keys(axes))])
        parts["discreet_dropped"] = ~known if drop else nothing
        if self.kinds[unit] == kinds.FLOATS:
            nothing = owned & (nw.col(UNIT).abs() >= float(MOST_FLOAT))
        parts["discreet_vague"] = nothing
        number = nw.col(_N)
        per_unit = (
            grouped.with_columns(
                *(nw.when(p).then(number).otherwise(0).alias(name) for name, p in parts.items())
            )
            .group_by(UNIT)
            .agg(*(nw.col(name).sum() for name in parts))
            .with_columns(*(nw.col(name).cast(nw.Int64) for name in parts))
        )
        per_unit = per_unit.with_columns(self._digits(unit).alias(DIGITS))
        found = [*columns, *(f"discreet_{word}" for word in ("nobody", "lost", "vague", "dropped"))]
        kept = frame_units.kept(per_unit, columns, owners)
        sums = kept.select(*(nw.col(name).sum() for name in found))
        return [int(value or 0) for value in rows(sums)[0]]

    def several(
        self,
        axes: Sequence[Axis],
        tables: Sequence[Sequence[int]],
        drop: bool,
        owners: Owners | None = None,
    ) -> dict[int | None, int]:
        """By the number of the cell; what is in memory goes through DuckDB, which is fastest.

        It is handed over by pyarrow; where that is missing, the frame's own engine counts.
        """
        import narwhals as nw

        if owners is not None:
            return self._several_of_units(axes, tables, drop, owners)
        if isinstance(self.frame, nw.DataFrame):
            with suppress(ImportError), connected(small=False) as connection:
                connection.register(RECORDS, self.frame.to_arrow())
                relation = connection.table(RECORDS)
                source = RelationSource.of(relation, self.frame.columns, None, own=connection)
                return source.several(axes, tables, drop)
        placed = self.frame.select(*(_position(axis).alias(k) for axis, k in _keyed(axes)))
        keys = _keys(axes)
        known = reduce(and_, [~nw.col(key).is_null() for key in keys])
        names = [f"discreet_t{j}" for j in range(len(tables))]
        codes = []
        for table, (start, steps), name in zip(tables, strides(axes, tables), names, strict=True):
            parts = [nw.col(keys[i]) * step for i, step in zip(table, steps, strict=True)]
            code = (reduce(add, parts) + start).fill_null(-1).cast(nw.Int64)
            codes.append((nw.when(known).then(code).otherwise(-1) if drop else code).alias(name))
        long = placed.select(*codes).unpivot(on=names, variable_name=_TABLE, value_name=_CODE)
        found = rows(long.group_by(_CODE).agg(nw.len().alias(_N)))
        result: dict[int | None, int] = {}
        for code, number in found:
            key = None if int(code) < 0 else int(code)
            result[key] = result.get(key, 0) + int(number)
        if drop and None in result:
            result[None] //= len(tables)  # it was left out of each
        return result

    def _several_of_units(
        self, axes: Sequence[Axis], tables: Sequence[Sequence[int]], drop: bool, owners: Owners
    ) -> dict[int | None, int]:
        """The same with weights: Spark has them by windows, for all others numpy by whole numbers.

        Narwhals has no ranks within a unit for pyarrow and dask.
        """
        import narwhals as nw

        keys = _keys(axes)
        places = [_position(axis).alias(key) for axis, key in _keyed(axes)]
        frame = self.frame.select(nw.col(owners.column).alias(UNIT), *places)
        numbers = strides(axes, tables)
        if not self.frame.implementation.is_spark_like():
            whole = [nw.col(key).fill_null(-1).cast(nw.Int32) for key in keys]
            sizes = [len(axis.categories) for axis in axes]
            found = collected(frame.select(UNIT, *whole))
            return frame_units.tallied(found, keys, sizes, tables, numbers, drop, owners)
        known = reduce(and_, [~nw.col(key).is_null() for key in keys])
        frame, left_out = self.counted(frame, known, drop, owners)
        result: dict[int | None, int] = {None: left_out} if left_out else {}
        if left_out and not drop:
            return result
        return result | frame_units.summed(frame, keys, tables, numbers, owners)

    def counted(
        self, frame: Frame, known: nw.Expr, drop: bool, owners: Owners
    ) -> tuple[Frame, int]:
        """The records of a frame that are counted, with their units' digits; how many are not."""
        import narwhals as nw

        unit, floats = owners.column, self.kinds[owners.column] == kinds.FLOATS
        state = frame_units.state(known, drop, floats).alias(STATE)
        frame = frame.with_columns(state, self._digits(unit).alias(DIGITS))
        states = {int(s): int(n) for s, n in rows(frame.group_by(STATE).agg(nw.len().alias(_N)))}
        require_told(unit, NOBODY in states, VAGUE in states)
        return frame.filter(nw.col(STATE) == COUNTED), states.get(UNKNOWN, 0)

    def _digits(self, unit: str) -> nw.Expr:
        """Of the units in UNIT."""
        import narwhals as nw

        wide = self.frame.collect_schema()[unit] != nw.UInt64
        return frame_units.digits(self.kinds[unit], wide, self.frame.implementation.is_spark_like())

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        import narwhals as nw

        wrong = reduce(or_, [~_known(axis) | nw.col(axis.name).is_null() for axis in axes])
        chosen = [nw.col(axis.name) for axis in axes]
        return rows(self.frame.filter(wrong).select(*chosen).unique().head(5))


_N = "discreet_n"
_TABLE, _CODE = "discreet_table", "discreet_code"


def kind(dtype: Any) -> str:
    """What a column of this type holds."""
    import narwhals as nw

    if dtype in (nw.Datetime,):
        return kinds.TIMES if dtype.time_zone is None else kinds.ZONED
    if dtype.is_integer():
        return kinds.INTEGERS
    simple = {
        nw.String: kinds.TEXT,
        nw.Categorical: kinds.TEXT,
        nw.Enum: kinds.TEXT,
        nw.Boolean: kinds.BOOLEANS,
        nw.Decimal: kinds.DECIMALS,
        nw.Float64: kinds.FLOATS,
        nw.Float32: kinds.SINGLES,
        getattr(nw, "Float16", None): kinds.SINGLES,
        nw.Date: kinds.DATES,
    }
    return next((word for one, word in simple.items() if dtype == one), type(dtype).__name__)


def _read(name: str, kind: str, spark: bool) -> nw.Expr:
    """A column as it is read: NaN is missing, −0 is 0, and times are in UTC."""
    import narwhals as nw

    here = nw.col(name)
    if kind in (kinds.FLOATS, kinds.SINGLES):
        # what is compared afterwards is no column of a file, so that no engine skips records by
        # the statistics of a file, which leave NaN out
        number = here.cast(nw.Float64)
        return nw.when(~number.is_nan()).then(number + 0.0)
    if kind == kinds.ZONED and not spark:
        return here.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return here.cast(nw.String) if kind == kinds.TEXT else here


def _unordered(frame: Frame) -> Frame:
    """The same frame of polars, which takes no column of it for sorted.

    Among sorted values it looks for a constant by halves. That they are sorted is what a file or a
    user says, and one record in the wrong place would decide which others are found.
    """
    import narwhals as nw

    polars = nw.get_native_namespace(frame)
    names = frame.collect_schema().names()
    columns = [polars.struct(name).struct.field(name) for name in names]  # it forgets the order
    return nw.from_native(frame.to_native().select(columns))


def as_floats(name: str, columns: Mapping[str, str]) -> nw.Expr:
    """A column of numbers as floats; decimals by their text, as not every engine rounds them."""
    import narwhals as nw

    here = nw.col(name)
    if columns[name] == kinds.DECIMALS:
        here = here.cast(nw.String)
    return here.cast(nw.Float64)


def _keys(axes: Sequence[Axis]) -> list[str]:
    return [f"discreet_{i}" for i in range(len(axes))]


def _prepared(axis: Axis) -> nw.Expr:
    """A value in the form in which it is compared with those that mean categories."""
    import narwhals as nw

    here = nw.col(axis.name)
    if axis.kind == kinds.DECIMALS:
        here = here.cast(nw.String)
    return _plainly(here) if axis.plain else here


def _plainly(text: nw.Expr) -> nw.Expr:
    """As `sql.plainly`."""
    import narwhals as nw

    # not every engine has truth values that are missing; long text would take long to look at
    known = nw.when(text.str.len_chars() <= LONGEST).then(text).fill_null("")
    # some engines let $ match before a line's end: none of its letters is one of a number
    number = ~known.str.contains("[^0-9.eE+-]") & known.str.contains(f"^{DECIMAL}$")
    mantissa = known.str.replace_all("[eE].*$", "")
    digits = mantissa.str.replace_all("[+.-]", "")
    short = digits.str.replace_all("0+$", "")
    body = short.str.replace_all("^0+", "")
    places = mantissa.str.replace_all(r"^[^.]*(\.|$)", "")
    exponent = number & known.str.contains("[eE]")
    written = (
        nw.when(exponent).then(known.str.replace_all(r"^.*[eE]\+?", "")).otherwise(nw.lit("0"))
    )
    power = written.cast(nw.Int64) - places.str.len_chars().cast(nw.Int64)
    power = power + digits.str.len_chars().cast(nw.Int64) - short.str.len_chars().cast(nw.Int64)
    sign = nw.when(known.str.starts_with("-")).then(nw.lit("-")).otherwise(nw.lit(""))
    whole = nw.concat_str(sign, body)
    long = nw.concat_str(sign, body, nw.lit("e"), power.cast(nw.String))
    form = nw.when(power == 0).then(whole).otherwise(long)
    form = nw.when(body == "").then(nw.lit("0")).otherwise(form)
    return nw.when(number).then(form).otherwise(text)


def _known(axis: Axis) -> nw.Expr:
    return _prepared(axis).is_in(axis.known)


def _values(axes: Sequence[Axis]) -> list[nw.Expr]:
    """The values where they mean categories, and null elsewhere."""
    import narwhals as nw

    keys = _keys(axes)
    return [
        nw.when(_known(axis)).then(_prepared(axis)).alias(key)
        for axis, key in zip(axes, keys, strict=True)
    ]


def _keyed(axes: Sequence[Axis]) -> list[tuple[Axis, str]]:
    return list(zip(axes, _keys(axes), strict=True))


def _position(axis: Axis) -> nw.Expr:
    """The place of the category that a value means, and null elsewhere."""
    import narwhals as nw

    column = _prepared(axis)
    found: Any = None
    for place, values in enumerate(axis.forms):
        if values:
            here = nw.when(column.is_in(values)).then(nw.lit(place, dtype=nw.Int64))
            found = here if found is None else here.otherwise(found)
    return cast("nw.Expr", found)


def _inside(axes: Sequence[Axis], cell: Cell) -> nw.Expr:
    import narwhals as nw

    parts = []
    for axis, key, place in zip(axes, _keys(axes), cell, strict=True):
        here = nw.col(key)
        missing = here.is_null()
        if place is None:
            parts.append(missing)
        else:
            values = axis.forms[place]
            parts.append(~missing & (here.is_in(values) if values else missing))
    return reduce(and_, parts)


def _condition(
    condition: Condition, columns: Mapping[str, str], spark: bool, fine: Collection[str]
) -> nw.Expr:
    """The condition as an expression of the user's engine."""
    import narwhals as nw

    if isinstance(condition, Joined):
        parts = [_condition(part, columns, spark, fine) for part in condition.parts]
        return reduce(condition.by, parts)
    here = nw.col(condition.column.name)
    if isinstance(condition, Missing):
        return here.is_null() if condition.missing else ~here.is_null()
    known, other = ~here.is_null(), condition.other
    if condition.typed == kinds.NOTHING:
        return known & ~known
    numbers = condition.typed == conditions.NUMBERS
    if isinstance(other, Column):
        beside = nw.col(other.name)
        known = known & ~beside.is_null()
        if numbers:
            here = as_floats(condition.column.name, columns)
            beside = as_floats(other.name, columns)
        return cast("nw.Expr", known & condition.operator(here, beside))
    if condition.typed == kinds.ZONED and spark:  # whose times are moments, shown in some zone
        other = cast("datetime.datetime", other).replace(tzinfo=datetime.UTC)
    elif condition.typed == kinds.TIMES and spark:  # which takes a time in Python for a moment
        moment = nw.lit(cast("datetime.datetime", other).isoformat(" ")).cast(nw.Datetime())
        return cast("nw.Expr", known & condition.operator(here, moment))
    if condition.column.name in fine and condition.typed in (kinds.TIMES, kinds.ZONED):
        moment = nw.lit(cast("datetime.datetime", other)).cast(nw.Datetime("ns"))
        return cast("nw.Expr", known & condition.operator(here, moment))
    if numbers and (isinstance(other, float) or columns[condition.column.name] == kinds.DECIMALS):
        here, other = as_floats(condition.column.name, columns), float(cast("float", other))
    return cast("nw.Expr", known & condition.operator(here, other))
