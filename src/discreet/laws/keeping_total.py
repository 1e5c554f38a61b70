"""Noise that keeps the total of counts, and the ways back from noisy counts to possible ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.core.law import Law, Outcome, PointMass
from discreet.exact import Ints
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw


def lattice_law(n: int, epsilon: Fraction, counts: Outcome) -> Law:
    """c + z with P(z) ∝ exp(−ε·½‖z‖₁) over Σz = 0."""
    if len(counts) == 2 or n == 0:
        return two_sided(n, epsilon, counts)
    return LatticeLaw(counts, epsilon)


def two_sided(n: int, epsilon: Fraction, counts: Outcome) -> Law:
    """Two categories: the geometric mechanism."""
    if n == 0:
        return PointMass(counts)
    return NoiseLaw(counts[:1], epsilon, "two-sided", total=n)


def clip(n: int, raw: Ints) -> Ints:
    """Every count to [0, n]."""
    return np.clip(raw, 0, n)


def project(n: int, raw: Ints) -> Ints:
    """The nearest vector of counts in l2: r ≥ 0 with Σr = n, for rows that sum to n.

    The Euclidean projection is max(z − τ, 0). All its positive entries have the same fractional
    part, so the largest remainders are ties, and rounding gives one more to the first categories.
    """
    if n == 0:
        return np.zeros_like(raw)
    descending = -np.sort(-raw, axis=1)
    excess = np.cumsum(descending, axis=1) - n
    places = np.arange(1, raw.shape[1] + 1)
    positive = (descending > excess // places).sum(axis=1)  # entries above τ
    excess = np.take_along_axis(excess, positive[:, None] - 1, axis=1)
    floor = -(-excess // positive[:, None])  # ⌈τ⌉
    released = np.maximum(raw - floor, 0)
    above = raw > excess // positive[:, None]
    missing = n - released.sum(axis=1, keepdims=True)
    return np.asarray(released + (above & (np.cumsum(above, axis=1) <= missing)))
