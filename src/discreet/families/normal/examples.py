"""A few numbers on which the family is checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from discreet.core import Example
from discreet.families.normal.model import NormalMean


def examples() -> tuple[Example, ...]:
    """Three records on a coarse grid, so that all sums can be listed; and records of persons."""
    model = NormalMean(5, 4, 9, (0, 10), grid=3)
    options: dict[str, dict[str, Any]] = {
        "gaussian": {"delta": 0.01},
        "input": {"delta": 0.01},
        "hellinger": {"points": 11},
    }
    records = model.count([1.0, 4.5, 8.0])
    cut = replace(records, unit="patient", max_per_unit=2)
    averages = replace(records, unit="patient", per_unit="average")
    return tuple(Example(model, data, options) for data in (records, cut, averages))
