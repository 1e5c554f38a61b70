"""Units in data frames: last digits of their names, what is kept, and weights; see `units`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data import kinds
from discreet.data.collecting import Frame, rows
from discreet.data.units import (
    COUNTED,
    MOST_FLOAT,
    NOBODY,
    UNKNOWN,
    VAGUE,
    Owners,
    mixing,
    multipliers,
    require_told,
)
from discreet.data.weights import owned, weights

if TYPE_CHECKING:
    import narwhals as nw

UNIT, DIGITS, STATE, WEIGHT = (f"discreet_{word}" for word in ("unit", "digits", "state", "weight"))


def kept(per_unit: Frame, columns: Sequence[str], owners: Owners) -> Frame:
    """The counts of every unit, cut or averaged, in steps that keep expressions short."""
    import narwhals as nw

    spark = per_unit.implementation.is_spark_like()
    counts = [nw.col(column) for column in columns]
    mixed = reduce(add, [by * count for by, count in zip(mixing(len(counts)), counts, strict=True)])
    running = [f"discreet_r{i}" for i in range(len(columns))]
    total, start = nw.col(running[-1]), nw.col("discreet_start")
    # ⌊m·C/T + u⌋ in integers, u = (start + ½)/100
    parts = nw.when(total > 0).then(200 * total).otherwise(1)  # some engines fail to divide by 0
    shares = [
        ((200 * owners.total * nw.col(name) + (2 * start + 1) * total) // parts).alias(f"{name}s")
        for name in running
    ]
    below = [nw.lit(0), *(nw.col(f"{name}s") for name in running[:-1])]
    whole = total <= owners.whole
    kept = [
        nw.when(whole).then(count).otherwise(nw.col(f"{name}s") - less).alias(column)
        for column, count, name, less in zip(columns, counts, running, below, strict=True)
    ]
    return (
        per_unit.with_columns(
            _hundredth(nw.col(DIGITS) + mixed, spark).alias("discreet_start"),
            *(reduce(add, counts[: i + 1]).alias(name) for i, name in enumerate(running)),
        )
        .with_columns(*shares)
        .with_columns(*kept)
    )


def digits(kind: str, wide: bool, spark: bool) -> nw.Expr:
    """The last two digits of the unit's number, or characters of its name where they are digits.

    `wide` says that 64 bits with a sign hold it.
    """
    import narwhals as nw

    if kind in kinds.NUMBERS:
        number = nw.col(UNIT)
        if kind == kinds.INTEGERS and wide:
            number = number.fill_null(0).cast(nw.Int64)
            # the least integer has no absolute value in 64 bits, 100 more the same last digits
            number = nw.when(number == -(2**63)).then(100 - 2**63).otherwise(number)
        number = number.abs()
        if kind != kinds.INTEGERS:
            number = number.cast(nw.Float64)
            number = nw.when(number < float(MOST_FLOAT)).then(number.floor())
            number = number.fill_null(0).cast(nw.Int64)
        return _hundredth(number.fill_null(0), spark).cast(nw.Int64)
    if kind != kinds.TEXT:  # how engines write other things may depend on all of them
        return nw.lit(0)
    name = nw.col(UNIT).str
    end, longer = name.slice(-2).str, name.len_chars() > 1
    found = [(end.ends_with(str(d)), d) for d in range(1, 10)]
    found += [(longer & end.starts_with(str(d)), 10 * d) for d in range(1, 10)]
    return reduce(add, [nw.when(here).then(value).otherwise(0) for here, value in found])


def _hundredth(number: nw.Expr, spark: bool) -> nw.Expr:
    """The last two digits. Spark divides integers as floats; not every other has a remainder."""
    return number % 100 if spark else number - number // 100 * 100


def state(known: nw.Expr, drop: bool, floats: bool) -> nw.Expr:
    """Whether a record of UNIT, which may be one of `floats`, is counted; see `units`."""
    import narwhals as nw

    unit = nw.col(UNIT)
    owned = ~unit.is_null()
    found = nw.when(known & owned).then(nw.lit(COUNTED)).otherwise(nw.lit(UNKNOWN))
    if not drop:
        found = nw.when(owned).then(found).otherwise(nw.lit(NOBODY))
    if floats:
        vague = owned & (unit.abs() >= float(MOST_FLOAT))
        found = nw.when(vague).then(nw.lit(VAGUE)).otherwise(found)
    return found


def weighed(frame: Frame, contents: Sequence[str], owners: Owners) -> Frame:
    """A frame of Spark with UNIT, DIGITS and what records hold, and the WEIGHT of every one."""
    import narwhals as nw

    by = multipliers(len(contents))
    moved = reduce(add, [b * nw.col(c).cast(nw.Int64) for b, c in zip(by, contents, strict=True)])
    one, rank, of, start = (nw.col(f"discreet_{word}") for word in ("one", "rank", "of", "start"))
    # ⌊m·r/T + u⌋ in integers, u = (start + ½)/100
    shares = [
        (200 * owners.total * r + (2 * start + 1) * of) // (200 * of) for r in (rank, rank - 1)
    ]
    weight = nw.when(of <= owners.whole).then(nw.lit(1)).otherwise(shares[0] - shares[1])
    return (
        frame.with_columns(
            nw.lit(1).cast(nw.Int64).alias("discreet_one"), (moved + 11).alias("discreet_start")
        )
        .with_columns(start % 100)
        .with_columns(
            one.cum_sum().over(UNIT, order_by=list(contents)).alias("discreet_rank"),
            one.sum().over(UNIT).alias("discreet_of"),
            start.sum().over(UNIT),
        )
        .with_columns((start + nw.col(DIGITS)) % 100)
        .with_columns(weight.cast(nw.Int64).alias(WEIGHT))
    )


def summed(
    frame: Frame,
    keys: Sequence[str],
    tables: Sequence[Sequence[int]],
    numbers: Sequence[tuple[int, list[int]]],
    owners: Owners,
) -> dict[int | None, int]:
    """As `several` of a source, of a frame of Spark with UNIT, DIGITS and places."""
    import narwhals as nw

    names = [f"discreet_t{j}" for j in range(len(tables))]
    codes = [
        reduce(add, [nw.col(keys[i]) * step for i, step in zip(table, steps, strict=True)]) + start
        for table, (start, steps) in zip(tables, numbers, strict=True)
    ]
    coded = [code.alias(name) for code, name in zip(codes, names, strict=True)]
    long = (
        weighed(frame, keys, owners)
        .select(*coded, WEIGHT)
        .unpivot(on=names, index=[WEIGHT], variable_name="discreet_table", value_name="discreet_c")
    )
    found = rows(long.group_by("discreet_c").agg(nw.col(WEIGHT).sum()))
    return {int(code): int(number) for code, number in found}


def tallied(
    frame: Any,
    keys: Sequence[str],
    sizes: Sequence[int],
    tables: Sequence[Sequence[int]],
    numbers: Sequence[tuple[int, list[int]]],
    drop: bool,
    owners: Owners,
) -> dict[int | None, int]:
    """As `several` of a source, of a frame in memory with UNIT and places, −1 for no category."""
    whose, digits = owned(frame, UNIT, owners.column)
    require_told(owners.column, nobody=not drop and bool((whose < 0).any()), vague=False)
    places = [frame[key].to_numpy() for key in keys]
    known = reduce(np.logical_and, [place >= 0 for place in places], whose >= 0)
    left_out = int(len(known) - known.sum())
    result: dict[int | None, int] = {None: left_out} if left_out else {}
    if left_out and not drop:
        return result
    if left_out:
        whose, digits, *places = (row[known] for row in (whose, digits, *places))
    weight = weights(whose, digits, places, sizes, owners)
    for table, (start, steps) in zip(tables, numbers, strict=True):
        code = np.zeros(len(weight), dtype=np.int64)
        for place, step in zip(table, steps, strict=True):
            code += places[place].astype(np.int64) * step
        summed = np.bincount(code, weight)  # in floats, whose sums are whole numbers below 2**53
        result |= {start + cell: int(summed[cell]) for cell in np.flatnonzero(summed).tolist()}
    return result
