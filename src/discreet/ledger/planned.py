"""The normal noise of releases that are only planned."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial

from discreet.core.adjacency import Adjacency
from discreet.core.curves import Normal
from discreet.exact.hockey_stick import (
    discrete_gaussian_delta,
    discrete_hockey_stick,
    discrete_pair_delta,
    least_variance,
)

_FINE = (
    Fraction(10) ** 16
)  # the square of a change in steps of a grid so fine that no noise is less


@lru_cache(maxsize=256)
def most_telling(epsilon: Fraction, delta: Fraction, adjacency: Adjacency) -> Normal:
    """Of noise that is calibrated to (ε, δ) that with the larger ρ: releases cost no more.

    It is that of counts, of which one changes by 1, or if a record is replaced another one too; or
    that of a sum of numbers on a fine grid, which is all but continuous.
    """
    one = adjacency is Adjacency.ADD_REMOVE
    counts = (
        partial(discrete_hockey_stick, epsilon, 1) if one else partial(discrete_pair_delta, epsilon)
    )
    fine = partial(discrete_gaussian_delta, epsilon, _FINE)
    curves = (
        Normal(Fraction(1 if one else 2), least_variance(counts, delta)),
        Normal(_FINE, least_variance(fine, delta)),
    )
    return max(curves, key=lambda curve: curve.exact_rho)
