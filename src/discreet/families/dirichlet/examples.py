"""Small counts on which the family is checked."""

from __future__ import annotations

from discreet.core import Example
from discreet.families.dirichlet.model import BetaBinomial, DirichletMultinomial


def examples() -> tuple[Example, ...]:
    """Two categories, and three of which one is empty."""
    options = {
        "smooth_hellinger": {"delta": 0.1, "calibrate": True},
        "gaussian": {"delta": 0.01},
    }
    return (
        Example(BetaBinomial((1, 2)), (3, 5), options),
        Example(DirichletMultinomial(("a", "b", "größe")), (4, 2, 0), options),
    )
