"""Small tables on which the family is checked."""

from __future__ import annotations

from dataclasses import replace

from discreet.core import Example
from discreet.core.counts import AVERAGED
from discreet.core.tables import Tables
from discreet.families.network.model import BayesNet


def examples() -> tuple[Example, ...]:
    """Two nodes of two states, and three records: of anybody, or of patients who have several."""
    net = BayesNet({"b": ["a"]}, {"a": (0, 1), "b": ("no", "yes")})
    columns = tuple(family.columns for family in net.families)
    records = Tables(columns, tuple((2, 1) if len(c) == 1 else (1, 1, 0, 1) for c in columns))
    cut = replace(records, unit="patient", max_per_unit=2)
    # one patient has two of the records, of half the weight
    half = AVERAGED // 2
    shared = tuple(
        (AVERAGED, AVERAGED) if len(c) == 1 else (half, half, 0, AVERAGED) for c in columns
    )
    averaged = Tables(columns, shared, unit="patient", per_unit="average")
    normal = {"gaussian": {"delta": 1e-6}}
    return (
        Example(net, records, normal | {"posterior_sample": {"grid": 40}}),
        Example(net, cut, normal),
        Example(net, averaged, normal),
    )
