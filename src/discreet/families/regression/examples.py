"""A few records on which the family is checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from discreet.core import Example
from discreet.families.regression.model import LinearRegression


def examples() -> tuple[Example, ...]:
    """On coarse grids: a line with Laplace noise, a slope alone with normal noise; and persons."""
    line = LinearRegression(4, 1, {"x": (0, 10), "y": (-5, 5)}, grid=2)
    slope = LinearRegression(4, 1, {"x": (-1, 1), "y": (-5, 5)}, intercept=False, grid=2)
    data = {"x": [0, 0.5, -1], "y": [1, 2, -3]}
    sample: dict[str, Any] = {"sample": {"steps": 20}}
    first = Example(line, line.count(data, "y"), sample)
    normal = {"statistics": {"delta": 0.01}} | sample
    second = Example(slope, slope.count({"x": [1], "y": [3]}, "y"), normal)
    several: list[dict[str, Any]] = [{"max_per_unit": 2}, {"per_unit": "average"}]
    persons = [
        example._replace(data=replace(example.data, unit="patient", **rule))
        for example in (first, second)
        for rule in several
    ]
    return (first, second, *persons)
