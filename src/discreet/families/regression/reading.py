"""What a regression is given: bounds, noise variance, arrays, sums."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import check
from discreet.core.statistics import places
from discreet.data.moments import Scaled
from discreet.data.plain import require_in_memory
from discreet.errors import InputError

INTERCEPT = "intercept"


def bounded(argument: str, name: object, bounds: Sequence[Scaled]) -> str:
    """A column that has bounds."""
    known = [column.name for column in bounds]
    if name not in known:
        near = check.similar(name, known)
        hint = f"did you mean {near!r}?" if near else "they are public, never learnt from the data"
        raise InputError(
            f"{argument} must be columns with bounds, and {check.brief(name)} has none; {hint}",
            argument,
        )
    return str(name)


def read_noise(given: object) -> Fraction | tuple[Fraction, Fraction]:
    """The noise variance, or shape and scale of its prior."""
    if not isinstance(given, (tuple, list)):
        return check.positive("noise_variance", given)
    if len(given) != 2:
        raise InputError(
            "noise_variance must be a number, or a pair (shape, scale) of its inverse-gamma prior, "
            f"got {len(given)} numbers",
            "noise_variance",
        )
    shape, scale = (check.positive(f"noise_variance[{i}]", x) for i, x in enumerate(given))
    return shape, scale


def read_bounds(given: object, centred: bool) -> tuple[Scaled, ...]:
    """The declared columns; centred, unless there is no constant that could take the shift."""
    if not isinstance(given, Mapping):
        raise InputError(
            "bounds must be a mapping from every column to (low, high): they are public, never "
            f"learnt from the data, got {check.brief(given)}",
            "bounds",
        )
    found = []
    for name, pair in given.items():
        argument = f"bounds[{check.label('bounds', name)!r}]"
        if centred and name == INTERCEPT:
            raise InputError(
                f"bounds must not name a column {INTERCEPT!r}: it is the constant's", "bounds"
            )
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                f"{argument} must be a pair (low, high), got {check.brief(pair)}", argument
            )
        low, high = (check.rational(argument, end) for end in pair)
        if low >= high:
            raise InputError(
                f"{argument} must be low < high, got {check.show(low)} and {check.show(high)}",
                argument,
            )
        found.append(Scaled(str(name), low, high, centred))
    if len(found) < 2:
        raise InputError(f"bounds must name two columns or more, got {len(found)}", "bounds")
    return tuple(found)


def read_arrays(data: Any, y: Any) -> dict[str, Any]:
    """The features as columns "x0", "x1", …, and "y"."""
    if np.ma.isMaskedArray(data) or np.ma.isMaskedArray(y):
        raise InputError("data must not be masked: give NaN for what is missing", "data")
    for argument, values in {"data": data, "y": y}.items():
        require_in_memory(values, argument)
    features = check.reals("data", data)
    target = check.reals("y", y)
    if features.ndim != 2 or target.ndim != 1 or len(features) != len(target):
        raise InputError("data must be records by features, and y as many numbers", "data")
    names = [f"x{j}" for j in range(features.shape[1])]
    return dict(zip(names, features.T, strict=True)) | {"y": target}


def ordered(sums: Sequence[int], products: Sequence[int], constant: int | None) -> list[int]:
    """All entries in the order of `places`; those of a constant are the sums times its steps."""
    shift = int(constant is not None)
    table = {
        (i + shift, j + shift): product
        for (i, j), product in zip(_upper(len(sums)), products, strict=True)
    }
    if constant is not None:
        table |= {(0, j + 1): constant * total for j, total in enumerate(sums)}
    return [table[place] for place in places(len(sums) + shift, constant is not None)]


def _upper(k: int) -> Iterable[tuple[int, int]]:
    """The upper triangle, row by row."""
    return itertools.combinations_with_replacement(range(k), 2)
