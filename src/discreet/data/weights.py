"""Whose records are which, and what they weigh, for records that are in this process; see `units`.

All in numpy, so that frames of any library, arrays and estimators have one function for it.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from discreet.data.units import MOST_FLOAT, Owners, last_digits, multipliers, require_told
from discreet.errors import InputError

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_UNITS = (str, bool, int, float, Decimal, datetime.date, datetime.datetime)
_MISSING = ("NoneType", "NAType", "NaTType")


def numbered(values: Array, unit: str) -> tuple[Ints, Ints]:
    """For every record the number of its unit, −1 if it has none, and its name's last digits.

    Raises:
        InputError: values are of a type that cannot tell units apart, or floats from 2**53 on.
    """
    numbers, names = _distinct(values, unit)
    vague = any(isinstance(name, float) and abs(name) >= MOST_FLOAT for name in names)
    require_told(unit, nobody=False, vague=vague)
    digits = np.array([*map(last_digits, names), 0], dtype=np.int64)  # the last is for nobody
    return numbers, digits[numbers]


def owned(frame: Any, column: str, unit: str) -> tuple[Ints, Ints]:
    """As `numbered`, for a column with units of a frame of narwhals in memory."""
    import narwhals as nw

    there = ~frame[column].is_null().to_numpy().astype(bool)
    whose, digits = np.full(len(frame), -1), np.zeros(len(frame), dtype=np.int64)
    # without missing values, which would make floats of integers
    mine = frame[column] if there.all() else frame.filter(~nw.col(column).is_null())[column]
    # an array of text forgets NUL at the end, and is as wide as the longest name
    text = mine.dtype == nw.String
    values = np.fromiter(mine.to_list(), dtype=object) if text else mine.to_numpy()
    whose[there], digits[there] = numbered(values, unit)
    return whose, digits


def _distinct(values: Array, unit: str) -> tuple[Ints, list[Any]]:
    """The number of every record's unit, and the units."""
    if values.dtype in (np.float16, np.float32):
        raise _no_units(unit, "floats of fewer than 64 bits")
    if values.dtype.kind in "biufUTM":
        names, numbers = np.unique(values, return_inverse=True)
        missing = names != names
        found = [None] * len(names) if values.dtype.kind == "M" else names.tolist()
        return np.where(missing[numbers], -1, numbers).astype(np.int64), found
    if values.dtype.kind != "O":
        raise _no_units(unit, str(values.dtype))
    places: dict[Any, int] = {}
    kinds: set[type] = set()
    numbers = np.full(len(values), -1, dtype=np.int64)
    for record, value in enumerate(values):
        if isinstance(value, np.floating) and not isinstance(value, float):
            raise _no_units(unit, "floats of other than 64 bits")
        plain = value.item() if isinstance(value, np.generic) else value
        if type(plain).__name__ in _MISSING or _is_nan(plain):
            continue
        kinds.add(type(plain))
        if not isinstance(plain, _UNITS) or len(kinds) > 1:
            raise _no_units(unit, "values of several types" if len(kinds) > 1 else "other values")
        numbers[record] = places.setdefault(plain, len(places))
    return numbers, list(places)


def _is_nan(value: object) -> bool:
    return value.is_nan() if isinstance(value, Decimal) else value != value


def _no_units(unit: str, got: str) -> InputError:
    return InputError(
        f"unit {unit!r} must hold text, numbers, booleans, dates or times, all of one type, got "
        f"{got}",
        "unit",
    )


def weights(
    whose: Ints, digits: Ints, contents: Sequence[Array], sizes: Sequence[int], owners: Owners
) -> Ints:
    """The weight of every record.

    Args:
        whose: the number of its unit.
        digits: the last digits of that unit's name.
        contents: what the records hold, a row for each of its whole numbers.
        sizes: what these numbers are below.
        owners: how much of a unit is counted.
    """
    if not len(whose):
        return np.zeros(0, dtype=np.int64)
    mixed = np.full(len(whose), 11, dtype=np.int64)
    for by, row in zip(multipliers(len(contents)), contents, strict=True):
        mixed += by * row.astype(np.int64)
    order = np.lexsort((*reversed(_packed(contents, sizes)), whose))
    first = np.flatnonzero(np.diff(whose[order], prepend=-1))
    records = np.diff(first, append=len(order))
    start = (digits[order[first]] + np.add.reduceat(mixed[order] % 100, first)) % 100
    below = np.arange(len(order)) - np.repeat(first, records)
    of = np.repeat(records, records)
    shifted = np.repeat((2 * start + 1) * records, records)

    def share(rank: Ints) -> Ints:
        """⌊M·r/T + u⌋ in integers, u = (start + ½)/100."""
        return np.asarray((200 * owners.total * rank + shifted) // (200 * of))

    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.where(of <= owners.whole, 1, share(below + 1) - share(below))
    return found


def _packed(contents: Sequence[Array], sizes: Sequence[int]) -> list[Ints]:
    """The same order by fewer whole numbers, each of as many as 62 bits hold."""
    packed: list[Ints] = []
    room = 0
    for row, size in zip(contents, sizes, strict=True):
        if packed and room * size <= 2**62:
            packed[-1] = packed[-1] * size + row
            room *= size
        else:
            packed.append(row.astype(np.int64))
            room = size
    return packed
