"""A few records on which the family is checked."""

from __future__ import annotations

from discreet.core import Example
from discreet.families.regression.model import LinearRegression


def examples() -> tuple[Example, ...]:
    """On coarse grids: a line with a constant, with Laplace and normal noise; a slope alone."""
    line = LinearRegression(4, 1, {"x": (0, 10), "y": (-5, 5)}, grid=2)
    slope = LinearRegression(4, 1, {"x": (-1, 1), "y": (-5, 5)}, intercept=False, grid=2)
    data = {"x": [0, 0.5, -1], "y": [1, 2, -3]}
    sample = {"steps": 20}
    return (
        Example(line, line.count(data, "y"), {"sample": sample}),
        Example(
            slope,
            slope.count({"x": [1], "y": [3]}, "y"),
            {"statistics": {"delta": 0.01}, "sample": sample},
        ),
    )
