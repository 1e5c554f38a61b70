"""Sums of numbers that are in this process: arrays, lists and data frames in memory.

See `moments` for what is summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet.data.files import safely
from discreet.data.naming import require_column
from discreet.data.plain import require_in_memory
from discreet.data.scaled import Steps, Totals
from discreet.errors import InputError
from discreet.progress import track

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ROWS = 2**16  # of a batch: its columns fit into the cache
_MISSING = ("NoneType", "NAType", "NaTType")


def of_mapping(data: Mapping[Any, Any], steps: Steps) -> Totals:
    """Sums of arrays or lists of equal length, by name."""
    for name in steps.names:
        require_column(name, [key for key in data if isinstance(key, str)])
    columns = [_array(data[name], name) for name in steps.names]
    records = len(columns[0])
    if any(len(column) != records for column in columns):
        raise InputError("data must have columns of the same length", "data")
    if steps.owners is not None:
        whose, digits = numbered(array_of(data, unit, records), unit)
    return _summed(([part[rows] for part in columns] for rows in _batches(records, steps)), steps)


def of_frame(frame: Any, steps: Steps) -> Totals:
    """Sums of a data frame in memory, of narwhals."""
    parts = (frame[rows] for rows in _batches(len(frame), steps))
    return _summed(([part[name].to_numpy() for name in steps.names] for part in parts), steps)


def _batches(records: int, steps: Steps) -> Iterator[slice]:
    """Rows whose products sum in floats without rounding."""
    rows = min(ROWS, 2**53 // steps.grid**2)
    starts = range(0, records, rows)
    return track((slice(i, i + rows) for i in starts), "Summing", len(starts))


def _summed(batches: Iterable[list[Array]], steps: Steps) -> Totals:
    d, n = len(steps.columns), 0
    sums, products = np.zeros(d, dtype=np.int64), np.zeros((d, d), dtype=np.int64)
    unknown = np.zeros(d, dtype=bool)
    left_out = 0
    for batch in batches:
        u, wrong = _scaled(batch, steps)
        unknown |= wrong
        n += u.shape[1]
        left_out += len(batch[0]) - u.shape[1]
        sums += u.sum(axis=1).astype(np.int64)
        if steps.squares:
            products += (u @ u.T).astype(np.int64)
    if steps.unknown != "error":
        unknown[:] = False
    names = dict.fromkeys(name for name, bad in zip(steps.names, unknown, strict=True) if bad)
    pairs = tuple(int(products[pair]) for pair in steps.pairs)
    return Totals(n, tuple(map(int, sums)), pairs, tuple(names), left_out)


def _scaled(batch: list[Array], steps: Steps) -> tuple[Array, Array]:
    """A row of grid steps for every column, and which columns have values that are unknown."""
    u = np.empty((len(batch), len(batch[0])))
    for row, values, column in zip(u, batch, steps.columns, strict=True):
        row[:] = _floats(values, column.name)
    known = ~np.isnan(u) if steps.unknown == "middle" else np.isfinite(u)
    if steps.unknown == "drop":
        kept = known.all(axis=0)
        u, known = u[:, kept], known[:, kept]
    for row, here, column in zip(u, known, steps.columns, strict=True):
        low, high, shift, inverse, middle = column.floats
        if not here.all():
            row[~here] = middle
        np.clip(row, low, high, out=row)
        row -= shift
        row *= inverse
    if steps.radius is not None:
        _shrink(u[:-1], float(steps.radius))
    u *= steps.grid
    u += 0.5
    return np.floor(u, out=u), np.logical_not(known.all(axis=1))


def _shrink(u: Array, radius: float) -> None:
    """Into the ball; squares are added column by column, as in every engine."""
    square = u[0] * u[0]
    for row in u[1:]:
        square += row * row
    norm = np.sqrt(square)
    far = norm > radius
    u[:, far] *= radius / norm[far]


def _array(column: Any, name: str) -> Array:
    """One column, an array of numbers or of objects that are read one by one."""
    require_in_memory(column, f"data[{name!r}]")
    if hasattr(column, "to_pylist"):  # of pyarrow
        column = safely(column.to_pylist)
    values = safely(column.to_numpy) if hasattr(column, "to_numpy") else column
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # with None for what is masked
    if not isinstance(values, np.ndarray):
        wrong = (str, bytes, Mapping, Set)  # a set has equal records once
        if isinstance(values, wrong) or not isinstance(values, Iterable):
            raise InputError(f"data[{name!r}] must be a list or an array", "data")
        values = np.fromiter(values, dtype=object)
    if values.ndim != 1:
        raise InputError(f"data[{name!r}] must have one dimension, got {values.ndim}", "data")
    return np.asarray(values)


def _floats(values: Array, name: str) -> Array:
    """Doubles, with NaN for what is missing."""
    if values.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            return values.astype(np.float64)
    if values.dtype.kind != "O":
        raise _no_number(name)
    return np.array([_number(value, name) for value in values], dtype=np.float64)


def _number(value: object, name: str) -> float:
    if type(value).__name__ in _MISSING:
        return np.nan
    if not isinstance(value, (int, float, Decimal, Fraction, np.bool_, np.integer, np.floating)):
        raise _no_number(name)
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except ValueError:  # a signalling NaN
        return np.nan


def _no_number(name: str) -> InputError:
    return InputError(f"column {name!r} must hold numbers or booleans", "column")
