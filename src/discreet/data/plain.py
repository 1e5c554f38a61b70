"""Records that are in Python already: lists, arrays, iterators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from discreet.check import Category
from discreet.data.categories import finder
from discreet.errors import InputError, UnknownValuesError

_HERE = {"array", "builtins", "numpy", "pandas", "polars", "pyarrow"}
_LATER = {"dask", "ibis", "pyspark", "xarray"}  # what is computed when it is asked for


def _modules(kind: type) -> set[str]:
    """Where a type and those that it inherits from are from."""
    return {each.__module__.partition(".")[0] for each in kind.__mro__[:-1]}


def is_later(data: object) -> bool:
    """Whether data, or what is in a list of them, are computed when they are asked for."""
    if _modules(type(data)) & _LATER:
        return True
    if not isinstance(data, (list, tuple)):
        return False
    kinds = set(map(type, data))
    inside = (each for each in data if isinstance(each, (list, tuple)))
    kinds |= {kind for each in inside for kind in map(type, each)}
    return any(_modules(kind) & _LATER for kind in kinds)


def _is_lazy(data: object) -> bool:
    arrays = any(hasattr(data, way) for way in ("__array__", "to_numpy"))
    return is_later(data) or (arrays and not _modules(type(data)) & _HERE)


def require_in_memory(data: object, argument: str) -> None:
    """Refuse what an engine computes as a whole: statistics and other records decide how."""
    if _is_lazy(data):
        kind, module = type(data).__name__, type(data).__module__.partition(".")[0]
        got = f"{kind} of what is computed later" if module == "builtins" else f"{kind} of {module}"
        raise InputError(
            f"{argument} must be a list, an array of numpy or a column of pandas, polars or "
            f"pyarrow, got a {got}; "
            "give the frame or the file that it comes from, with column=",
            argument.partition("[")[0],
        )


def count(
    data: Iterable[Any], categories: Sequence[Category], unknown: str, other: Category | None
) -> tuple[tuple[int, ...], int]:
    """Counts by category, and how many were unknown; an error names the first one's position."""
    find = finder(categories)
    default = None if other is None else list(categories).index(other)
    tally, strange = [0] * len(categories), 0
    for position, value, times in _grouped(data):
        place = find(value)
        if place is None:
            strange += times
            place = default
        if place is not None:
            tally[place] += times
        elif unknown != "drop":
            raise UnknownValuesError(
                f"data[{position}] is missing or not a declared category", (value,)
            )
    return tuple(tally), strange


def _grouped(data: Iterable[Any]) -> Iterable[tuple[int, Any, int]]:
    """Position, value, and how often: of an array every distinct value once."""
    if isinstance(data, np.ndarray) and data.dtype.kind in "biufU":
        values, firsts, times = np.unique(data, return_index=True, return_counts=True)
        order = np.argsort(firsts)
        triples = zip(firsts[order], values[order], times[order], strict=True)
        return ((int(first), value, int(number)) for first, value, number in triples)
    return ((position, value, 1) for position, value in enumerate(data))
