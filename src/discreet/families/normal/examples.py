"""A few numbers on which the family is checked."""

from __future__ import annotations

from typing import Any

from discreet.core import Example
from discreet.families.normal.model import NormalMean


def examples() -> tuple[Example, ...]:
    """Three records on a coarse grid, so that all sums can be listed."""
    model = NormalMean(5, 4, 9, (0, 10), grid=3)
    options: dict[str, dict[str, Any]] = {
        "gaussian": {"delta": 0.01},
        "input": {"delta": 0.01},
        "hellinger": {"points": 11},
    }
    return (Example(model, model.count([1.0, 4.5, 8.0]), options),)
