"""Which noise is the smaller one, for public values alone: what `dp.release` takes unasked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet import check
from discreet.core import Adjacency, CategoricalModel
from discreet.core.counts import Unit
from discreet.core.family import Choice
from discreet.families.dirichlet.mechanisms.gaussian import gaussian

_POINTS = 20  # of an integral, for each width of its peak
_LEAST = 0.01
_SMOOTH = 4.0  # variances from which that of discrete Gaussian noise is σ², to 15 digits
_OWN = ("loss", "weights")  # options of lattice alone


def choose(
    model: CategoricalModel,
    n: int | None,
    epsilon: Fraction,
    adjacency: Adjacency,
    options: Mapping[str, Any],
) -> Choice:
    """`lattice`, or `gaussian` where a count's noise has the smaller variance.

    Both are compared after what n says is taken out: under substitution the counts sum to n, which
    leaves 1 − 1/k of the variance of independent noise.
    """
    if options.get("postprocess") == "remap" or any(name in options for name in _OWN):
        return Choice("lattice")
    given = {name: options[name] for name in ("delta", *Unit.OPTIONS) if name in options}
    normal: Any = gaussian(model, n if n is None else 1, epsilon, adjacency=adjacency, **given)
    k, who = len(model.categories), Unit.of(normal.config)
    variance = normal_variance(float(normal.make_raw_law((0,) * k).variances[0]))
    if n is None:
        other = laplace_variance(float(epsilon) / who.reach)
    else:
        variance, other = (1 - 1 / k) * variance, lattice_variance(k, float(epsilon))
    deviations = (math.sqrt(variance) / who.parts, math.sqrt(other) / who.parts)
    if variance < other:
        return Choice("gaussian", _reason(*deviations, "lattice"))
    with_delta = f"gaussian with {check.equation('δ', normal.guarantee.delta)}"
    return Choice("lattice", _reason(*deviations[::-1], with_delta))


def _reason(deviation: float, larger: float, other: str) -> str:
    return (
        f"its noise has standard deviation {deviation:.3g} per count, that of {other} {larger:.3g}"
    )


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
