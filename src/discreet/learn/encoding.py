"""Columns of records as places in declared states. What is declared is public, never learnt.

Errors name the feature, the row and the rule, never the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.data import kinds
from discreet.data.categories import finder, positions
from discreet.errors import InputError
from discreet.exact import Floats, Ints

Column: TypeAlias = np.ndarray[Any, np.dtype[Any]]

GRID = tuple(np.linspace(-2, 2, 9).tolist())  # the edges of a simulation that declares none
_KINDS = {"b": kinds.BOOLEANS, "i": kinds.INTEGERS, "u": kinds.INTEGERS, "f": kinds.FLOATS}
_SINGLE = (str, int, float, Fraction, Decimal, np.generic)


class NotANumberError(InputError, TypeError):
    """A value of a feature with bins is no number."""


@dataclass(frozen=True)
class Feature:
    """A variable with declared states, which are intervals if there are `edges`.

    With edges e_1 < … < e_m the states are x < e_1, e_1 ≤ x < e_2, …, x ≥ e_m.
    """

    name: str
    states: tuple[Category, ...]
    edges: tuple[float, ...] | None = None

    def places(self, column: Column, where: str = "X") -> Ints:
        """The place of every value among the states."""
        column = np.ascontiguousarray(column)
        if column.dtype.kind not in "biufOUT":
            raise InputError(
                f"{where}: {self.name!r} must hold text or real numbers, got {column.dtype}", where
            )
        if self.edges is not None:
            values = numbers(column, where, self.name)
            return np.searchsorted(self.edges, values, side="right").astype(np.int64)
        found = _places(column, self.states)
        if (unknown := found < 0).any():
            what = "class" if where == "y" else f"category of feature {self.name!r}"
            raise InputError(
                f"{where}[{int(unknown.argmax())}] is missing or not a declared {what}", where
            )
        return found


def _places(column: Column, states: Sequence[Category]) -> Ints:
    """Places of the states, −1 for all else; 1 is found as 1, 1.0, '1' or true."""
    kind = kinds.SINGLES if column.dtype == np.float32 else _KINDS.get(column.dtype.kind)
    if kind is None or column.dtype == np.uint64:  # numpy would compare the latter as floats
        find = finder(states)
        found = [find(value) for value in column]
        return np.array([-1 if place is None else place for place in found], dtype=np.int64)
    lookup = positions(states)
    known = sorted((value, place) for (name, value), place in lookup.items() if name == kind)
    if not known:
        return np.full(len(column), -1)
    values, place_of = np.array([v for v, _ in known]), np.array([place for _, place in known])
    nearest = np.searchsorted(values[1:], column, side="right")
    return np.where(values[nearest] == column, place_of[nearest], -1)


def numbers(column: Column, where: str, feature: str | None = None) -> Floats:
    """A column of X, or y, as finite floats."""
    which = "" if feature is None else f" of feature {feature!r}"
    if column.dtype.kind in "biuf":
        values = column.astype(np.float64)
    elif column.dtype.kind in "OUT":
        read = [_number(value) for value in column.tolist()]
        if None in read:
            row = read.index(None)
            text = isinstance(column[row], str) or column[row] is None
            rule = "" if text else ": the argument must be a string of a number or a real number"
            raise NotANumberError(f"{where}[{row}]{which} is missing or no number{rule}", where)
        values = np.array(read, dtype=np.float64)
    else:
        raise InputError(f"{where}{which} must hold real numbers, got {column.dtype}", where)
    if not (finite := np.isfinite(values)).all():
        row = int(finite.argmin())
        raise InputError(f"{where}[{row}]{which} must be finite, not NaN or infinity", where)
    return values


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # their texts may quote the value
        return None


def binned(name: str, edges: object) -> Feature:
    """A numeric feature with declared edges of bins."""
    argument = f"bins of {name!r}"
    values = check.reals(argument, edges)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise InputError(f"{argument} must be a list of one or more finite edges", "bins")
    if (np.diff(values) <= 0).any():
        raise InputError(f"{argument} must be edges in increasing order", "bins")
    ends = [repr(end) for end in values.tolist()]
    inner = [f"[{low}, {high})" for low, high in pairwise(ends)]
    states = (f"(-inf, {ends[0]})", *inner, f"[{ends[-1]}, inf)")
    return Feature(name, states, tuple(values.tolist()))


def declared(
    names: Sequence[str], categories: object, bins: object, simulated: bool
) -> tuple[Feature, ...]:
    """The features as declared; those of a simulation may be left to the default grid."""
    one_category, all_categories = by_feature("categories", categories, names)
    one_bin, all_bins = by_feature("bins", bins, names)
    if all_categories is not None and all_bins is not None:
        raise InputError("categories and bins must not both be given for all features", "bins")
    features = []
    for name in names:
        if name in one_category and name in one_bin:
            raise InputError(f"feature {name!r} must have either categories or bins", "bins")
        labels = one_category.get(name, None if name in one_bin else all_categories)
        edges = one_bin.get(name, all_bins)
        if labels is not None:
            states = check.categories(labels, f"categories of {name!r}")
            features.append(Feature(name, states))
        elif edges is not None or simulated:
            features.append(binned(name, GRID if edges is None else edges))
        else:
            raise InputError(
                f"categories or bins of feature {name!r} must be declared: they are public, never "
                "learnt from the data",
                "categories",
            )
    return tuple(features)


def by_feature(
    argument: str, value: object, names: Sequence[str]
) -> tuple[dict[str, object], list[object] | None]:
    """What is declared by feature, and what for all the others."""
    if value is None:
        return {}, None
    if isinstance(value, Mapping):
        for name in value:
            if name not in names:
                near = check.similar(name, names)
                hint = f"; did you mean {near!r}?" if near else ""
                raise InputError(
                    f"{argument} must be by feature, and {check.brief(name)} is none{hint}",
                    argument,
                )
        return {name: entry for name, entry in value.items() if entry is not None}, None
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InputError(
            f"{argument} must be a list for all features, a list of lists or a mapping by "
            f"feature, got {check.brief(value)}",
            argument,
        )
    entries = list(value)
    if all(isinstance(entry, _SINGLE) for entry in entries):
        return {}, entries
    if len(entries) != len(names):
        raise InputError(
            f"{argument} must have an entry for each of {len(names)} features, got {len(entries)}",
            argument,
        )
    given = zip(names, entries, strict=True)
    return {name: entry for name, entry in given if entry is not None}, None
