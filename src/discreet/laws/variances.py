"""Variances of integer noise, in floats: for planning, never for a guarantee."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

_POINTS = 20  # of an integral, for each width of its peak
_LEAST = 0.01
_SMOOTH = 4.0  # variances from which that of discrete Gaussian noise is σ², to 15 digits


def laplace_variance(rate: float) -> float:
    """Of P(t) ∝ e^{−rate·|t|}: 1/(2·sinh²(rate/2))."""
    return 0.0 if rate > 600 else 1 / (2 * math.sinh(rate / 2) ** 2)


def normal_variance(square: float) -> float:
    """Of P(t) ∝ e^{−t²/(2·square)} on the integers."""
    if square > _SMOOTH:
        return square
    t = np.arange(1, 40)
    p = np.exp(-(t**2) / (2 * square))
    return float((2 * p * t**2).sum() / (1 + 2 * p.sum()))


@lru_cache(maxsize=256)
def lattice_variance(k: int, epsilon: float) -> float:
    """Of one count's noise z_1 given Σz = 0, P(z) ∝ e^{−ε·½‖z‖₁}.

    Discrete Laplace noise of rate ε/2 has the characteristic function f(θ) = 1/(1 + c·(1 − cos θ)),
    c = 1/(2·sinh²(ε/4)), so E[z_1²] = −∫f''·f^{k−1}/∫f^k, by parts (k − 1)·∫f'²·f^{k−2}/∫f^k. Sums
    over evenly spread θ converge exponentially. Below ε = 0.01 it is that of 0.01, scaled.
    """
    if epsilon < _LEAST:
        return lattice_variance(k, _LEAST) * (_LEAST / epsilon) ** 2
    c = laplace_variance(epsilon / 2)
    number = math.ceil(_POINTS * 2 * math.pi * math.sqrt(1 + c * k))
    theta = np.arange(number) * (2 * math.pi / number)
    base = 1 + c * (1 - np.cos(theta))
    weight = np.exp(-k * np.log(base))
    slope = c * np.sin(theta) / base  # −f'/f
    return float((k - 1) * (slope**2 @ weight) / weight.sum())
