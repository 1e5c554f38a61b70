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
from discreet.data.units import Owners, require_told
from discreet.data.weights import Ints, numbered, owned, weights
from discreet.errors import InputError
from discreet.progress import track

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ROWS = 2**16  # of a batch: its columns fit into the cache
_MISSING = ("NoneType", "NAType", "NaTType")


def of_mapping(data: Mapping[Any, Any], steps: Steps) -> Totals:
    """Sums of arrays or lists of equal length, by name; one may tell whose records they are."""
    unit = None if steps.owners is None else steps.owners.column
    for name in (*steps.names, *filter(None, [unit])):
        require_column(name, [key for key in data if isinstance(key, str)])
    columns = [_array(data[name], name) for name in steps.names]
    records = len(columns[0])
    whose = None if unit is None else _array(data[unit], unit)
    if any(len(column) != records for column in (*columns, *([] if whose is None else [whose]))):
        raise InputError("data must have columns of the same length", "data")
    batches = ([part[rows] for part in columns] for rows in _batches(records, steps.grid**2))
    if steps.owners is None or whose is None:
        return _summed(batches, steps)
    return _summed_by_unit(batches, steps, steps.owners, *numbered(whose, steps.owners.column))


def of_frame(frame: Any, steps: Steps) -> Totals:
    """Sums of a data frame in memory, of narwhals."""
    if steps.owners is not None:
        whose, digits = owned(frame, steps.owners.column, steps.owners.column)
    parts = (frame[rows] for rows in _batches(len(frame), steps.grid**2))
    batches = ([part[name].to_numpy() for name in steps.names] for part in parts)
    if steps.owners is None:
        return _summed(batches, steps)
    return _summed_by_unit(batches, steps, steps.owners, whose, digits)


def _batches(records: int, most: int) -> Iterator[slice]:
    """Rows whose products, each at most so large, sum in floats without rounding."""
    rows = min(ROWS, 2**53 // most)
    starts = range(0, records, rows)
    return track((slice(i, i + rows) for i in starts), "Summing", len(starts))


def _summed(batches: Iterable[list[Array]], steps: Steps) -> Totals:
    d, n = len(steps.columns), 0
    sums, products = np.zeros(d, dtype=np.int64), np.zeros((d, d), dtype=np.int64)
    unknown = np.zeros(d, dtype=bool)
    left_out = 0
    for batch in batches:
        u, wrong, _ = _scaled(batch, steps)
        unknown |= wrong
        n += u.shape[1]
        left_out += len(batch[0]) - u.shape[1]
        sums += u.sum(axis=1).astype(np.int64)
        if steps.squares:
            products += (u @ u.T).astype(np.int64)
    return _totals(n, sums, products, unknown, left_out, steps)


def _summed_by_unit(
    batches: Iterable[list[Array]], steps: Steps, owners: Owners, whose: Ints, digits: Ints
) -> Totals:
    """The same with weights, for which all records of a unit are needed; see `units`."""
    d, drop = len(steps.columns), steps.unknown == "drop"
    require_told(owners.column, nobody=not drop and bool((whose < 0).any()), vague=False)
    unknown = np.zeros(d, dtype=bool)
    rows, known = [np.zeros((d, 0), dtype=np.int32)], [np.zeros(0, dtype=bool)]
    for batch in batches:
        u, wrong, kept = _scaled(batch, steps)
        unknown |= wrong
        rows.append((u + steps.grid).astype(np.int32))  # whole numbers from 0 on
        known.append(kept)
    held, kept = np.concatenate(rows, axis=1), np.concatenate(known)
    mine = whose[kept] >= 0
    if not mine.all():
        held = held[:, mine]
    whose, digits = whose[kept][mine], digits[kept][mine]
    weight = weights(whose, digits, list(held), [2 * steps.grid + 1] * d, owners)
    sums, products = np.zeros(d, dtype=np.int64), np.zeros((d, d), dtype=np.int64)
    heaviest = 1 if owners.whole else owners.total
    for part in _batches(len(weight), heaviest * steps.grid**2):
        u = held[:, part].astype(np.float64) - steps.grid
        weighed = u * weight[part]
        sums += weighed.sum(axis=1).astype(np.int64)
        if steps.squares:
            products += (weighed @ u.T).astype(np.int64)
    left_out = len(kept) - len(weight)
    return _totals(int(weight.sum()), sums, products, unknown, left_out, steps)


def _totals(
    n: int, sums: Array, products: Array, unknown: Array, left_out: int, steps: Steps
) -> Totals:
    wrong = unknown if steps.unknown == "error" else np.zeros_like(unknown)
    names = dict.fromkeys(name for name, bad in zip(steps.names, wrong, strict=True) if bad)
    pairs = tuple(int(products[pair]) for pair in steps.pairs)
    return Totals(n, tuple(map(int, sums)), pairs, tuple(names), left_out)


def _scaled(batch: list[Array], steps: Steps) -> tuple[Array, Array, Array]:
    """Grid steps by column, which columns have unknown values, and which records are kept."""
    u = np.empty((len(batch), len(batch[0])))
    for row, values, column in zip(u, batch, steps.columns, strict=True):
        row[:] = _floats(values, column.name)
    known = ~np.isnan(u) if steps.unknown == "middle" else np.isfinite(u)
    kept = np.ones(u.shape[1], dtype=bool)
    if steps.unknown == "drop":
        kept = np.asarray(known.all(axis=0))
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
    return np.floor(u, out=u), np.logical_not(known.all(axis=1)), kept


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
