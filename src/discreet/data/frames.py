"""Data frames of any library through narwhals: the work stays in the user's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from discreet.data import conditions
from discreet.data.axes import Axis, Cell, strides
from discreet.data.conditions import Condition
from discreet.data.relations import RelationSource
from discreet.data.units import mixing
from discreet.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

Frame: TypeAlias = Any  # of narwhals, eager or lazy


@dataclass(frozen=True)
class FrameSource:
    """A narwhals frame; narwhals translates expressions for the engine behind it."""

    frame: Frame
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, frame: Frame, columns: Sequence[str], condition: Condition | None) -> FrameSource:
        """The wanted columns of the records that satisfy a condition."""
        frame = _declared(frame.select(list(columns)))
        if condition is not None:
            frame = frame.filter(conditions.expression(condition, frame.collect_schema()))
        return cls(frame, frame.collect_schema())

    def kind(self, name: str) -> tuple[str, str | None]:
        """What a column holds, and what it has to be cast to."""
        return kind(self.schema[name], name)

    def values(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Values are grouped as they are, which engines do fastest, then once more by category.

        So undeclared values, by the million, stay where they are.
        """
        import narwhals as nw

        keys = _keys(axes)
        grouped = self.frame.group_by(*(axis.name for axis in axes)).agg(nw.len().alias(_N))
        by_category = grouped.select(*_values(axes), _N).group_by(*keys).agg(nw.col(_N).sum())
        return rows(by_category)

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], unit: str, most: int, drop: bool
    ) -> list[int]:
        """One row per unit with a column per cell, cut down, and summed; see `units`."""
        import narwhals as nw

        dtype = self.schema[unit]
        who = nw.col(unit)
        if dtype.is_float():
            who = nw.when(~who.is_nan()).then(who + 0.0)  # as missing as null; −0 is 0
        frame = self.frame.select(who.alias(_UNIT), *_values(axes))
        if drop:
            known = [~nw.col(key).is_null() for key in (_UNIT, *_keys(axes))]
            frame = frame.filter(reduce(and_, known))
        grouped = (
            frame.group_by(_UNIT, *_keys(axes))
            .agg(nw.len().alias(_N))
            .with_columns(nw.col(_N).cast(nw.Int64))
        )
        columns = [f"discreet_c{i}" for i in range(len(cells))]
        inside = [_inside(axes, cell) for cell in cells]
        parts = dict(zip(columns, inside, strict=True))
        parts["discreet_nobody"] = nw.col(_UNIT).is_null()
        parts["discreet_lost"] = ~reduce(or_, inside)
        number = nw.col(_N)
        per_unit = (
            grouped.with_columns(
                *(nw.when(p).then(number).otherwise(0).alias(name) for name, p in parts.items())
            )
            .group_by(_UNIT)
            .agg(*(nw.col(name).sum() for name in parts))
            .with_columns(*(nw.col(name).cast(nw.Int64) for name in parts))
        )
        per_unit = per_unit.with_columns(_digits(dtype).alias("discreet_digits"))
        kept = _kept(per_unit, columns, most).select(*(nw.col(name).sum() for name in parts))
        return [int(value or 0) for value in rows(kept)[0]]

    def several(
        self, axes: Sequence[Axis], tables: Sequence[Sequence[int]], drop: bool
    ) -> dict[int | None, int]:
        """By the number of the cell; what is in memory goes through DuckDB, which is fastest."""
        import narwhals as nw

        if isinstance(self.frame, nw.DataFrame):
            import duckdb

            with duckdb.connect() as connection:
                relation = connection.from_arrow(self.frame.to_arrow())
                return RelationSource.of(relation, None, written=False).several(axes, tables, drop)
        placed = self.frame.select(*(_position(axis).alias(k) for axis, k in _keyed(axes)))
        keys = _keys(axes)
        if drop:
            placed = placed.filter(reduce(and_, [~nw.col(key).is_null() for key in keys]))
        names = [f"discreet_t{j}" for j in range(len(tables))]
        codes = []
        for table, (start, steps), name in zip(tables, strides(axes, tables), names, strict=True):
            parts = [nw.col(keys[i]) * step for i, step in zip(table, steps, strict=True)]
            codes.append((reduce(add, parts) + start).fill_null(-1).cast(nw.Int64).alias(name))
        long = placed.select(*codes).unpivot(on=names, variable_name=_TABLE, value_name=_CODE)
        found = rows(long.group_by(_CODE).agg(nw.len().alias(_N)))
        result: dict[int | None, int] = {}
        for code, number in found:
            key = None if int(code) < 0 else int(code)
            result[key] = result.get(key, 0) + int(number)
        return result

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        wrong = reduce(or_, [~_known(axis) | _column(axis).is_null() for axis in axes])
        chosen = [_column(axis).alias(axis.name) for axis in axes]
        return rows(self.frame.filter(wrong).select(*chosen).unique().head(5))


_N, _UNIT = "discreet_n", "discreet_unit"
_TABLE, _CODE = "discreet_table", "discreet_code"


def kind(dtype: Any, name: str) -> tuple[str, str | None]:
    """What a column of this type holds, and what it has to be cast to."""
    import narwhals as nw

    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text", None if dtype == nw.String else "text"
    if dtype == nw.Boolean:
        return "booleans", None
    if dtype.is_integer():
        return "integers", None
    if dtype.is_numeric():
        return "decimal numbers", "double"
    raise InputError(
        f"column {name!r} must hold text, integers, booleans or categoricals, got "
        f"{type(dtype).__name__}",
        "column",
    )


def rows(found: Frame) -> list[tuple[Any, ...]]:
    """The few rows of a result, in Python."""
    import narwhals as nw

    if isinstance(found, nw.DataFrame):
        return list(found.rows())
    if found.implementation.is_spark_like():
        return [tuple(row) for row in found.to_native().collect()]
    return list(found.collect().rows())


def _keys(axes: Sequence[Axis]) -> list[str]:
    return [f"discreet_{i}" for i in range(len(axes))]


def _column(axis: Axis) -> nw.Expr:
    import narwhals as nw

    here = nw.col(axis.name)
    if axis.cast is None:
        return here
    return here.cast(nw.String) if axis.cast == "text" else here.cast(nw.Float64) + 0.0


def _known(axis: Axis) -> nw.Expr:
    return _column(axis).is_in(axis.known)


def _values(axes: Sequence[Axis]) -> list[nw.Expr]:
    """The values where they mean categories, and null elsewhere."""
    import narwhals as nw

    keys = _keys(axes)
    return [
        nw.when(_known(axis)).then(_column(axis)).alias(key)
        for axis, key in zip(axes, keys, strict=True)
    ]


def _keyed(axes: Sequence[Axis]) -> list[tuple[Axis, str]]:
    return list(zip(axes, _keys(axes), strict=True))


def _position(axis: Axis) -> nw.Expr:
    """The place of the category that a value means, and null elsewhere."""
    import narwhals as nw

    column = _column(axis)
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
        parts.append(missing if place is None else ~missing & here.is_in(axis.forms[place]))
    return reduce(and_, parts)


def _kept(per_unit: Frame, columns: Sequence[str], most: int) -> Frame:
    """The counts of every unit, cut down to `most`, in steps that keep expressions short."""
    import narwhals as nw

    counts = [nw.col(column) for column in columns]
    mixed = reduce(add, [by * count for by, count in zip(mixing(len(counts)), counts, strict=True)])
    running = [f"discreet_r{i}" for i in range(len(columns))]
    total, start = nw.col(running[-1]), nw.col("discreet_start")
    # ⌊m·C/T + u⌋ in integers, u = (start + ½)/100
    shares = [
        ((200 * most * nw.col(name) + (2 * start + 1) * total) // (200 * total)).alias(f"{name}s")
        for name in running
    ]
    below = [nw.lit(0), *(nw.col(f"{name}s") for name in running[:-1])]
    kept = [
        nw.when(total <= most).then(count).otherwise(nw.col(f"{name}s") - less).alias(column)
        for column, count, name, less in zip(columns, counts, running, below, strict=True)
    ]
    return (
        per_unit.with_columns(
            ((nw.col("discreet_digits") + mixed) % 100).alias("discreet_start"),
            *(reduce(add, counts[: i + 1]).alias(name) for i, name in enumerate(running)),
        )
        .with_columns(*shares)
        .select(*kept, "discreet_nobody", "discreet_lost")
    )


def _digits(dtype: Any) -> nw.Expr:
    """The last two digits of the unit's number, or characters of its name where they are digits."""
    import narwhals as nw

    if dtype.is_numeric():
        whole = nw.col(_UNIT).fill_null(0).abs() % 100
        return (whole.floor() if dtype.is_float() else whole).cast(nw.Int64)
    name = nw.col(_UNIT).cast(nw.String).str
    end, longer = name.slice(-2).str, name.len_chars() > 1
    digits = [(end.ends_with(str(d)), d) for d in range(1, 10)]
    digits += [(longer & end.starts_with(str(d)), 10 * d) for d in range(1, 10)]
    return reduce(add, [nw.when(found).then(value).otherwise(0) for found, value in digits])


_OBJECTS = {str: "string", bool: "boolean", int: "Int64"}  # types that keep missing values


def _declared(frame: Frame) -> Frame:
    """The frame with a declared type in every column.

    A pandas column of Python objects may hold anything. If all its values are text, or all are
    booleans, or all integers, it gets that type; a mixture is refused, because one odd value must
    not change how the others are read.
    """
    import narwhals as nw

    if frame.implementation.is_pandas_like() or frame.implementation.is_dask():
        native = frame.to_native()
        objects = [name for name in frame.columns if native[name].dtype == object]
        for name in objects:
            if not isinstance(frame, nw.DataFrame):
                raise _mixture(name)
            types = set(native[name].dropna().map(type))
            if len(types) > 1 or not types <= set(_OBJECTS):
                raise _mixture(name)
            native = native.assign(**{name: native[name].astype(_OBJECTS[(types or {str}).pop()])})
        return nw.from_native(native) if objects else frame
    for name, dtype in frame.collect_schema().items():
        if dtype == nw.Object:
            raise _mixture(name)
    return frame


def _mixture(name: str) -> InputError:
    return InputError(
        f"column {name!r} holds Python objects that are not all text, all integers or all "
        "booleans; give it one type first, for example with astype('string')",
        "data",
    )
