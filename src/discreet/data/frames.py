"""Data frames of any library through narwhals: the work stays in the user's engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.data import conditions
from discreet.data.axes import Axis, Cell
from discreet.data.conditions import Condition
from discreet.data.units import mixing
from discreet.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

Frame: TypeAlias = Any  # of narwhals, eager or lazy


@dataclass(frozen=True)
class FrameSource:
    """A narwhals frame; narwhals translates expressions for the engine behind it."""

    frame: Frame

    @classmethod
    def of(cls, frame: Frame, columns: Sequence[str], condition: Condition | None) -> FrameSource:
        """The wanted columns of the records that satisfy a condition."""
        import narwhals as nw

        frame = frame.select(list(columns))
        if condition is not None:
            frame = frame.filter(conditions.expression(condition, frame.collect_schema()))
        for name, dtype in frame.collect_schema().items():
            if dtype == nw.Object:
                frame = _as_text(frame, name)
        return cls(frame)

    def kind(self, name: str) -> tuple[str, bool]:
        """What a column holds, and whether it has to be cast to text."""
        return kind(self.frame.collect_schema()[name], name)

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

        frame = self.frame
        if drop:
            known = reduce(and_, [_known(axis) for axis in axes])
            frame = frame.filter(known & ~nw.col(unit).is_null())
        grouped = (
            frame.select(nw.col(unit).alias(_UNIT), *_values(axes))
            .group_by(_UNIT, *_keys(axes))
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
        kept = _kept(per_unit, columns, most).select(*(nw.col(name).sum() for name in parts))
        return [int(value or 0) for value in rows(kept)[0]]

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""
        wrong = reduce(or_, [~_known(axis) | _column(axis).is_null() for axis in axes])
        chosen = [_column(axis).alias(axis.name) for axis in axes]
        return rows(self.frame.filter(wrong).select(*chosen).unique().head(5))


_N, _UNIT = "discreet_n", "discreet_unit"


def kind(dtype: Any, name: str) -> tuple[str, bool]:
    """What a column of this type holds, and whether it has to be cast to text."""
    import narwhals as nw

    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text", dtype != nw.String
    if dtype == nw.Boolean:
        return "booleans", False
    if dtype.is_integer():
        return "integers", False
    if dtype.is_numeric():
        return "decimal numbers", False
    raise InputError(
        f"column {name!r} must hold text, integers, booleans or categoricals, got {dtype}",
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

    return nw.col(axis.name).cast(nw.String) if axis.cast else nw.col(axis.name)


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


def _inside(axes: Sequence[Axis], cell: Cell) -> nw.Expr:
    import narwhals as nw

    parts = []
    for axis, key, place in zip(axes, _keys(axes), cell, strict=True):
        here = nw.col(key)
        missing = here.is_null()
        parts.append(missing if place is None else ~missing & here.is_in(axis.forms[place]))
    return reduce(and_, [~nw.col(_UNIT).is_null(), *parts])


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
            ((_digits() + mixed) % 100).alias("discreet_start"),
            *(reduce(add, counts[: i + 1]).alias(name) for i, name in enumerate(running)),
        )
        .with_columns(*shares)
        .select(*kept, "discreet_nobody", "discreet_lost")
    )


def _digits() -> nw.Expr:
    """The last two characters of the unit's name, as a number where they are digits."""
    import narwhals as nw

    end = nw.col(_UNIT).cast(nw.String).str.slice(-2).str
    digits = [(end.ends_with(str(d)), d) for d in range(1, 10)]
    digits += [(end.starts_with(str(d)), 10 * d) for d in range(1, 10)]
    return reduce(add, [nw.when(found).then(value).otherwise(0) for found, value in digits])


def _as_text(frame: Frame, name: str) -> Frame:
    """A column of Python objects in writing."""
    import narwhals as nw

    if not (isinstance(frame, nw.DataFrame) and frame.implementation.is_pandas()):
        return frame.with_columns(nw.col(name).cast(nw.String))
    native = frame.to_native()
    return nw.from_native(native.assign(**{name: native[name].map(_text).astype("str")}))


def _text(value: object) -> str | None:
    """A value of a column of mixed types in writing; None for what cannot be a category."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int) else None
