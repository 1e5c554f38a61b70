"""Ratios of gamma functions and Beta distributions in floats, for parameters up to 1e18.

lnΓ(x) = (x − ½)·ln x − x + ½·ln 2π + δ(x), Stirling's formula with its remainder δ. Where two lnΓ
of large arguments are subtracted, the large parts are cancelled by hand.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.divergence.excess import _SHIFT, _STIRLING, _entropy_excess
from discreet.exact import Floats

_CERTAIN = 45.0  # e^-45 is nothing beside 1
_LARGE = 1e8  # parameters from which two terms of an asymptotic expansion are right to 1e-12


def _series(x: Floats) -> Floats:
    """δ(x) for x ≥ 8, right to 3e-13."""
    square = 1 / (x * x)
    return np.asarray(np.polyval([c for c, _ in reversed(_STIRLING)], square) / x)


def stirling_rest(x: Floats) -> Floats:
    """δ(x) for every x > 0: by Γ(x) = Γ(x + 8)/(x(x+1)…(x+7)) where x is small.

    That gives δ(x) − δ(x+8) = Σ [(x+j+½)·ln(1 + 1/(x+j)) − 1], j = 0 … 7.
    """
    x = np.asarray(x, dtype=np.float64)
    result = np.empty_like(x)
    small = x < _SHIFT
    result[~small] = _series(x[~small])
    if small.any():
        low = x[small]
        total = _series(low + _SHIFT)
        for j in range(_SHIFT):
            total += (low + (j + 0.5)) * np.log1p(1 / (low + j)) - 1
        result[small] = total
    return result


def log_gamma_ratio(x: Floats, d: Floats | float) -> Floats:
    """lnΓ(x + d) − lnΓ(x) for x > 0 and x + d > 0; right to about 1e-15·(|d| + 1)·ln x."""
    x, step = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(d, np.float64))
    y = x + step
    log = np.where(np.abs(step) < x / 2, np.log1p(np.maximum(step / x, -0.5)), np.log(y / x))
    rest = stirling_rest(y) - stirling_rest(x)
    return np.asarray(step * np.log(x) + (y - 0.5) * log - step + rest)


def log_beta_density(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """The log of the density of Beta(a, b) at x in (0, 1), where y = 1 − x.

    −m·KL(a/m ‖ x) + ½·ln(ab/m) − ½·ln 2π + δ(m) − δ(a) − δ(b) − ln x − ln y with m = a + b (the
    saddle-point form of Loader 2000): no digits cancel, however large the parameters are.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    m = a + b
    rest = 0.5 * np.log(a / m * b / math.tau) + stirling_rest(m)
    return np.asarray(
        rest - stirling_rest(a) - stirling_rest(b) - deviance(a, b, x, y) - np.log(x) - np.log(y)
    )


def deviance(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """m·KL(a/m ‖ x), m = a + b: −log of a Chernoff bound on the tail of Beta(a, b) beyond x."""
    m = a + b
    # a − m·x = a·y − b·x, which does not round m
    gap = a * y - b * x
    first, second = m * x, m * y
    with np.errstate(over="ignore", invalid="ignore"):  # in branches that are not taken
        left = first * _entropy_excess(a / first, gap / first)
        return np.asarray(left + second * _entropy_excess(b / second, -gap / second))


def incomplete_beta(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """I_x(a, b), the distribution function of Beta(a, b) at x, where y = 1 − x.

    The tail beyond x is at most exp(−m·KL(a/m ‖ x)), and with v = max(a/m, x) the divergence is at
    least (a/m − x)²/(2·v), and likewise for the complements: where that is nothing, I is 0 or 1.
    """
    from scipy import special

    m = a + b
    mean = a / m
    far = np.minimum(np.maximum(mean, x), np.maximum(b / m, y))
    unsure = m * (mean - x) ** 2 < 2 * _CERTAIN * far
    result = (x > mean).astype(np.float64)
    a, b, x, y = (np.broadcast_to(part, result.shape)[unsure] for part in (a, b, x, y))
    large = np.minimum(a, b) > _LARGE
    values = np.empty(len(a))
    values[large] = _large_incomplete(a[large], b[large], x[large], y[large])
    low, high = ~large & (x <= 0.5), ~large & (x > 0.5)
    values[low] = special.betainc(a[low], b[low], x[low])
    values[high] = special.betaincc(b[high], a[high], y[high])
    result[unsure] = values
    return result


def _large_incomplete(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """Φ(w) + φ(w)·(1/w − 1/u), with w²/2 = m·KL(p ‖ x), u = (x−p)·√(m/(p(1−p))) and p = a/m.

    The two leading terms of Temme's expansion (DLMF 8.18.9); the next is below min(a, b)^{−3/2}.
    """
    from scipy import special

    m = a + b
    u = (b * x - a * y) / np.sqrt(a / m * b)
    w = np.copysign(np.sqrt(2 * deviance(a, b, x, y)), u)
    skew = (b / m - a / m) / np.sqrt(a / m * b)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(np.abs(u) > 1e-3, 1 / w - 1 / u, skew / 3)
    return np.asarray(special.ndtr(w) + np.exp(-w * w / 2) / math.sqrt(math.tau) * correction)
