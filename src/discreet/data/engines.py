"""Sums of numbers in the user's engine: one pass, and one row comes back.

See `moments` for what is summed.
"""
# ruff: noqa: S608 - names are quoted and constants escaped

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from discreet.data import arrays, kinds, sql
from discreet.data.collecting import collected, rows
from discreet.data.frame_units import UNIT, WEIGHT, weighed
from discreet.data.frames import FrameSource, as_floats
from discreet.data.relations import RelationSource
from discreet.data.scaled import Scaled, Steps, Totals
from discreet.data.sql import double
from discreet.data.units import COUNTED, NOBODY, UNKNOWN, VAGUE, Owners, require_kind, require_told
from discreet.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

COARSE = 2**12  # grids up to which 2^29 records sum in floats without rounding


def summing(source: RelationSource | FrameSource, steps: Steps) -> Totals:
    """The sums of a source; in floats, which is fastest, where those are exact."""
    import narwhals as nw

    if steps.owners is not None:
        require_kind(steps.owners.column, source.kind(steps.owners.column))
    if isinstance(source, FrameSource):
        for name in steps.names:
            _require_numbers(name, source.kinds[name])
        if isinstance(source.frame, nw.DataFrame):
            return arrays.of_frame(source.frame, steps)
        if steps.owners is not None and not source.frame.implementation.is_spark_like():
            read = dict.fromkeys((*steps.names, steps.owners.column))
            return arrays.of_frame(collected(source.frame.select(*read)), steps)
    if steps.grid <= COARSE and steps.owners is None:
        totals = _totals(source, steps, whole=False)
        if totals.n * steps.grid**2 <= 2**53:
            return totals
    return _totals(source, steps, whole=True)


def _totals(source: RelationSource | FrameSource, steps: Steps, whole: bool) -> Totals:
    found: Sequence[Any]
    unknown: Sequence[Any]
    examples: tuple[object, ...] = ()
    if isinstance(source, RelationSource):
        if steps.owners is None:
            [found] = source.rows(_query(source, steps, whole))
        else:
            [[nobody, vague, *found]] = source.rows(_query_of_units(source, steps, steps.owners))
            require_told(steps.owners.column, bool(nobody), bool(vague))
        refused = steps.unknown == "error" and found[1]
        unknown = source.rows(_wrong_query(source, steps))[0] if refused else ()
        examples = source.no_numbers(steps.names) if refused else ()
    else:
        frame = _doubles(source, steps)
        gridded = _gridded(frame, steps, whole)
        if steps.owners is None:
            found = _sums(gridded, steps)
        else:
            found = _sums_of_units(source, gridded, steps, steps.owners)
        refused = steps.unknown == "error" and found[1]
        unknown = rows(_wrong(frame, steps), streaming=True)[0] if refused else ()
    n, wrong, *sums = [int(value or 0) for value in found]
    d = len(steps.columns)
    if steps.unknown == "drop":
        return Totals(n - wrong, tuple(sums[:d]), tuple(sums[d:]), left_out=wrong)
    names = [name for name, bad in zip(steps.names, unknown, strict=False) if bad]
    named = dict.fromkeys(names or steps.names) if wrong else ()
    return Totals(n, tuple(sums[:d]), tuple(sums[d:]), tuple(named), examples=examples)


def _query(source: RelationSource, steps: Steps, whole: bool) -> str:
    """The number of records, of those with an unknown value, and the sums.

    A record that is left out has steps of 0.
    """
    places = range(len(steps.columns))
    gridded = [f"s{j}" for j in places]
    if steps.unknown == "drop":
        gridded = [f"case when wrong = 0 then {step} else 0 end as {step}" for step in gridded]
    sums = [f"sum(s{j})" for j in places] + [f"sum(s{j} * s{k})" for j, k in steps.pairs]
    return (
        f"select count(*), sum(wrong), {', '.join(sums)} from "
        f"(select {', '.join(gridded)}, wrong from {_gridded_query(source, steps, whole)})"
    )


def _query_of_units(source: RelationSource, steps: Steps, owners: Owners) -> str:
    """The numbers of records without a unit and of those whose unit is vague, then as `_query`.

    In place of the number of records that are counted stands the sum of their weights.
    """
    unit, drop = owners.column, steps.unknown == "drop"
    places = range(len(steps.columns))
    state = source.state(unit, "wrong = 0", drop)
    records = (
        f"(select *, {state} as state, {source.digits(unit)} as digits"
        f"{''.join(f', s{j} + {steps.grid} as h{j}' for j in places)} "
        f"from {_gridded_query(source, steps, whole=True)})"
    )
    weighed = sql.weighed(records, [f"h{j}" for j in places], owners)
    wrong = [f"count(*) filter (state = {state})" for state in (NOBODY, VAGUE, UNKNOWN)]
    terms = ["w", *(f"w * s{j}" for j in places), *(f"w * s{j} * s{k}" for j, k in steps.pairs)]
    weights, *sums = [f"coalesce(sum({x}) filter (state = {COUNTED}), 0)" for x in terms]
    nobody, vague, unknown = wrong
    each = [nobody, vague, f"{weights} + {unknown}", unknown, *sums]
    return f"select {', '.join(each)} from {weighed}"


def _gridded_query(source: RelationSource, steps: Steps, whole: bool) -> str:
    """Records with grid steps s0, s1, …, whether one value is unknown, and their unit u.

    DuckDB takes null for high when it clips, so that every step is a whole number.
    """
    places = range(len(steps.columns))
    unit = None if steps.owners is None else steps.owners.column
    kept = "" if unit is None else ", u"
    records = f"({source.numbers(steps.names, unit)})"
    if steps.unknown == "middle":
        wrong = "0"
    else:
        known = " and ".join(f"isfinite(c{j})" for j in places)
        wrong = f"case when {known} then 0 else 1 end"
    scaled = ", ".join(f"{_scaled(c, j, steps)} as u{j}" for j, c in enumerate(steps.columns))
    records = f"(select {scaled}, {wrong} as wrong{kept} from {records})"
    shrunk = [f"u{j}" for j in places]
    if steps.radius is not None:
        radius = double(float(steps.radius))
        square = " + ".join(f"u{j} * u{j}" for j in places[:-1])
        records = f"(select *, sqrt({square}) as norm from {records})"
        factor = f"(case when norm > {radius} then {radius} / norm else 1 end)"
        records = f"(select *, {factor} as factor from {records})"
        shrunk[:-1] = [f"{u} * factor" for u in shrunk[:-1]]
    kind = "bigint" if whole else "double"
    grid, half = double(float(steps.grid)), double(0.5)
    rounded = [f"floor({u} * {grid} + {half})::{kind}" for u in shrunk]
    gridded = ", ".join(f"{step} as s{j}" for j, step in enumerate(rounded))
    return f"(select {gridded}, wrong{kept} from {records})"


def _scaled(column: Scaled, place: int, steps: Steps) -> str:
    low, high, shift, inverse, middle = map(double, column.floats)
    x = f"c{place}"
    if steps.unknown == "middle":
        x = f"coalesce({x}, {middle})"
    return f"(greatest(least({x}, {high}), {low}) - {shift}) * {inverse}"


def _wrong_query(source: RelationSource, steps: Steps) -> str:
    """For every column the number of values that are unknown."""
    counts = (f"count(*) filter (isfinite(c{j}) is not true)" for j in range(len(steps.columns)))
    return f"select {', '.join(counts)} from ({source.numbers(steps.names)})"


def _doubles(source: FrameSource, steps: Steps) -> Any:
    """The columns as doubles c0, c1, …, and the units if there are any."""
    import narwhals as nw

    columns = [as_floats(name, source.kinds) for name in steps.names]
    unit = [] if steps.owners is None else [nw.col(steps.owners.column).alias(UNIT)]
    return source.frame.select(*(x.alias(f"discreet_c{j}") for j, x in enumerate(columns)), *unit)


def _gridded(frame: Any, steps: Steps, whole: bool) -> Any:
    """A column of grid steps for every column, in stages that keep expressions short."""
    import narwhals as nw

    places = range(len(steps.columns))
    x, u = ([nw.col(f"discreet_{letter}{j}") for j in places] for letter in "cu")
    # 0 if all values are finite, else NaN or null
    known = reduce(add, [value - value for value in x]) == 0.0
    wrong = nw.lit(0)
    if steps.unknown != "middle":
        wrong = nw.when(known).then(nw.lit(0)).otherwise(nw.lit(1))
        if not frame.implementation.is_spark_like():  # which clips NaN and null to high
            x = [
                _filled(value, value - value == 0.0, c)
                for value, c in zip(x, steps.columns, strict=True)
            ]
    else:
        x = [_filled(value, ~value.is_nan(), c) for value, c in zip(x, steps.columns, strict=True)]
    scaled = [_scaled_expression(value, c) for value, c in zip(x, steps.columns, strict=True)]
    unit = [] if steps.owners is None else [UNIT]
    frame = frame.select(
        *(value.alias(f"discreet_u{j}") for j, value in enumerate(scaled)),
        wrong.cast(nw.Int64).alias("discreet_wrong"),
        *unit,
    )
    shrunk = list(u)
    if steps.radius is not None:
        radius = float(steps.radius)
        norm = nw.col("discreet_norm")
        square = reduce(add, [x * x for x in u[:-1]])
        frame = frame.with_columns(square.sqrt().alias("discreet_norm"))
        factor = nw.when(norm > radius).then(radius / norm).otherwise(nw.lit(1.0))
        frame = frame.with_columns(factor.alias("discreet_factor"))
        shrunk[:-1] = [x * nw.col("discreet_factor") for x in u[:-1]]
    kind = nw.Int64 if whole else nw.Float64
    gridded = [(x * float(steps.grid) + 0.5).floor().cast(kind).fill_null(0) for x in shrunk]
    if steps.unknown == "drop":
        gridded = [nw.when(nw.col("discreet_wrong") == 0).then(x).otherwise(0) for x in gridded]
    return frame.select(
        "discreet_wrong", *(x.alias(f"discreet_u{j}") for j, x in enumerate(gridded)), *unit
    )


def _sums_of_units(source: FrameSource, frame: Any, steps: Steps, owners: Owners) -> Sequence[Any]:
    """As `_sums`, of a frame of Spark with weights: the number is the sum of these."""
    import narwhals as nw

    known = nw.col("discreet_wrong") == 0
    frame, left_out = source.counted(frame, known, steps.unknown == "drop", owners)
    places = range(len(steps.columns))
    held = [(nw.col(f"discreet_u{j}") + steps.grid).alias(f"discreet_h{j}") for j in places]
    frame = weighed(frame.with_columns(*held), [f"discreet_h{j}" for j in places], owners)
    number, _, *sums = [int(value or 0) for value in _sums(frame, steps)]
    return number + left_out, left_out, *sums


def _sums(frame: Any, steps: Steps) -> Sequence[Any]:
    """As `_query` asks for, for an engine behind narwhals."""
    import narwhals as nw

    if steps.squares and frame.implementation.is_spark_like():
        return _sums_by_column(frame, steps)
    u = [nw.col(f"discreet_u{j}") for j in range(len(steps.columns))]
    sums = frame.select(
        _number(steps).alias("discreet_n"),
        nw.col("discreet_wrong").sum(),
        *(_weighed(x, steps).sum() for x in u),
        *((_weighed(u[j], steps) * u[k]).sum().alias(f"discreet_p{j}_{k}") for j, k in steps.pairs),
    )
    return rows(sums, streaming=True)[0]


def _number(steps: Steps) -> nw.Expr:
    """How many records there are, or the sum of their weights."""
    import narwhals as nw

    return nw.len() if steps.owners is None else nw.col(WEIGHT).sum()


def _weighed(x: nw.Expr, steps: Steps) -> nw.Expr:
    import narwhals as nw

    return x if steps.owners is None else x * nw.col(WEIGHT)


def _sums_by_column(frame: Any, steps: Steps) -> Sequence[Any]:
    """Every record once for each column, times all columns; the sums are grouped by column.

    Spark compiles so few sums at a time; code for all pairs is too long for its compiler, and then
    several times slower.
    """
    import narwhals as nw

    places = range(len(steps.columns))
    copies = [_weighed(nw.col(f"discreet_u{j}"), steps).alias(f"discreet_v{j}") for j in places]
    kept = ["discreet_wrong", *([] if steps.owners is None else [WEIGHT])]
    long = frame.with_columns(*copies).unpivot(
        on=[f"discreet_v{j}" for j in places],
        index=[*kept, *(f"discreet_u{j}" for j in places)],
        variable_name="discreet_column",
        value_name="discreet_v",
    )
    value = nw.col("discreet_v")
    products = [(nw.col(f"discreet_u{k}") * value).alias(f"discreet_p{k}") for k in places]
    sums = ["discreet_wrong", "discreet_v", *(f"discreet_p{k}" for k in places)]
    grouped = (
        long.select("discreet_column", *kept, "discreet_v", *products)
        .group_by("discreet_column")
        .agg(_number(steps).alias("discreet_n"), *(nw.col(name).sum() for name in sums))
    )
    found = {str(row[0]).removeprefix("discreet_v"): row[1:] for row in rows(grouped)}
    if not found:
        return [0] * (2 + len(places) + len(steps.pairs))
    each = [found[str(j)] for j in places]
    return [*each[0][:2], *(row[2] for row in each), *(each[j][3 + k] for j, k in steps.pairs)]


def _filled(x: nw.Expr, known: nw.Expr, column: Scaled) -> nw.Expr:
    """The middle of the bounds for what is unknown or null."""
    import narwhals as nw

    return nw.when(~x.is_null() & known).then(x).otherwise(nw.lit(column.floats[-1]))


def _scaled_expression(x: nw.Expr, column: Scaled) -> nw.Expr:
    low, high, shift, inverse, _ = column.floats
    return (x.clip(low, high) - shift) * inverse


def _wrong(frame: Any, steps: Steps) -> Any:
    """As `_wrong_query`."""
    import narwhals as nw

    columns = [nw.col(f"discreet_c{j}") for j in range(len(steps.columns))]
    wrong = [nw.when(x - x == 0.0).then(nw.lit(0)).otherwise(nw.lit(1)) for x in columns]
    return frame.select(*(x.alias(f"discreet_w{j}") for j, x in enumerate(wrong))).select(
        *(nw.col(f"discreet_w{j}").sum() for j in range(len(columns)))
    )


def _require_numbers(name: str, kind: str) -> None:
    if kind not in (*kinds.NUMBERS, kinds.BOOLEANS, kinds.NOTHING):
        raise InputError(f"column {name!r} must hold numbers or booleans, got {kind}", "column")
