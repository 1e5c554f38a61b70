"""The model of a private regression: its declared bounds, by feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet import check
from discreet.errors import InputError
from discreet.families.regression.model import LinearRegression
from discreet.learn.encoding import by_feature


def regression(
    names: Sequence[str],
    bounds: object,
    prior: Any,
    noise_variance: Any,
    radius: Any,
    intercept: bool,
) -> LinearRegression:
    """The regression on these features; y is called "y", or "y_" if a feature has that name."""
    target = "y"
    while target in names:
        target += "_"
    *features, of_y = read_bounds(names, bounds)
    intervals: Any = dict(zip(names, features, strict=True)) | {target: of_y}
    model = LinearRegression(prior, noise_variance, intervals, radius, intercept)
    return model.of(target, names)


def read_bounds(names: Sequence[str], bounds: object) -> list[object]:
    """The pair (low, high) of every feature, and last that of y."""
    if not isinstance(bounds, Mapping):
        raise InputError(
            'bounds must be a mapping {"X": …, "y": (low, high)}: they are public, never learnt '
            f"from the data, got {check.brief(bounds)}",
            "bounds",
        )
    if bounds.get("y") is None:
        raise InputError(_undeclared("y"), "bounds")
    beside = {name: pair for name, pair in bounds.items() if name not in ("X", "y")}
    single, _ = by_feature("bounds", beside, names)
    listed, for_all = by_feature("bounds['X']", bounds.get("X"), names)
    for name in single.keys() & listed.keys():
        raise InputError(f"bounds must declare feature {name!r} once, got two entries", "bounds")
    found = {name: (listed | single).get(name, for_all) for name in names}
    for name, pair in found.items():
        if pair is None:
            raise InputError(_undeclared(f"feature {name!r}"), "bounds")
    return [x.tolist() if isinstance(x, np.ndarray) else x for x in (*found.values(), bounds["y"])]


def _undeclared(what: str) -> str:
    return f"bounds of {what} must be declared: they are public, never learnt from the data"
