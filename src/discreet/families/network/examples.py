"""Small tables on which the family is checked."""

from __future__ import annotations

from discreet.core import Example
from discreet.core.tables import Tables
from discreet.families.network.model import BayesNet


def examples() -> tuple[Example, ...]:
    """Two nodes of two states, and three records."""
    net = BayesNet({"b": ["a"]}, {"a": (0, 1), "b": ("no", "yes")})
    columns = tuple(family.columns for family in net.families)
    records = Tables(columns, tuple((2, 1) if len(c) == 1 else (1, 1, 0, 1) for c in columns))
    return (Example(net, records, {"posterior_sample": {"grid": 40}, "map": {"points": 4}}),)
