"""The prior on counts and the noise around them, in logs that keep their digits at any size.

Given the total n, the Dirichlet-multinomial prior is ∝ Π g_i(c_i) with g_i(c) = Γ(α_i + c)/c!. Only
ratios matter, and g(c+1)/g(c) = (α + c)/(c + 1) never cancels.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.divergence.gammas import log_gamma_ratio
from discreet.exact import Floats


def log_rise(alpha: Floats | float, counts: Floats) -> Floats:
    """ln Γ(α + c) − ln Γ(c + 1), for counts anywhere; right to about 1e-15·(α + 1)·ln c."""
    return -log_gamma_ratio(counts + alpha, 1 - alpha)


def log_steps(alpha: Fraction, low: int, size: int) -> Floats:
    """ln g(c) − ln g(low) for c = low … low + size − 1, as a sum of small steps."""
    steps = np.log1p(float(alpha - 1) / (np.arange(size - 1) + float(low + 1)))
    if low == 0 and size > 1:
        steps[0] = math.log(alpha)
    return np.concatenate([[0.0], np.cumsum(steps)])


def tail(
    log_weight: Floats | float,
    rising: tuple[Floats | float, Floats | float],
    falling: tuple[Floats | float, Floats | float],
    log_step: Floats | float,
) -> Floats:
    """A bound on the log of the sum of all weights beyond the edge of a window.

    From the edge outwards one count x with parameter a rises and the other, m with parameter b,
    falls to 0: the prior changes by (a + x)/(x + 1)·m/(b + m − 1) per step and the noise by at most
    e^log_step. Both factors fall along the way where a, b ≥ 1, so the first ratio ρ bounds a
    geometric series. For a < 1 the first factor is below 1. For b < 1 the second is above 1, but
    the product of all of them is Γ(m+1)Γ(b)/Γ(m+b).
    """
    from scipy import special

    arrays = np.broadcast_arrays(*map(np.float64, (log_weight, *rising, *falling, log_step)))
    weight, a, x, b, m, ratio = arrays
    ratio = ratio + np.log1p(np.maximum(a - 1, 0.0) / (x + 1))
    ratio = ratio - np.log1p(np.maximum(b - 1, 0.0) / np.maximum(m, 1.0))
    product = np.where(b < 1, special.gammaln(b) - log_rise(b, m), 0.0)
    with np.errstate(all="ignore"):
        bound = weight + product + ratio - np.log(-np.expm1(ratio))
    return np.where(m == 0, -np.inf, np.where(ratio < 0, bound, np.inf))
