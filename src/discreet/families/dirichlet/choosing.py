"""Which noise is the smaller one, for public values alone: what `dp.release` takes unasked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.core import Adjacency, CategoricalModel
from discreet.families.dirichlet.mechanisms.gaussian import gaussian

_POINTS = 20  # of an integral, for each width of its peak
_LEAST = 0.01


def choose(
    model: CategoricalModel,
    n: int | None,
    epsilon: Fraction,
    adjacency: Adjacency,
    options: Mapping[str, Any],
) -> str:
    """`lattice`, or `gaussian` where a count's noise has the smaller variance.

    Both are compared after what n says is taken out: under substitution the counts sum to n, which
    leaves 1 − 1/k of the variance of independent noise.
    """
    k, most = len(model.categories), int(options.get("max_per_unit", 1))
    normal: Any = gaussian(
        *(model, None if n is None else 1, epsilon),
        adjacency=adjacency,
        delta=options["delta"],
        max_per_unit=most,
    )
    law = normal.make_raw_law((0,) * k)
    kept = 1.0 if n is None else 1 - 1 / k
    if n is None:
        return _smaller(laplace_variance(float(epsilon) / most), kept * float(law.variances[0]))
    return _smaller(lattice_variance(k, float(epsilon)), kept * float(law.variances[0]))


def _smaller(lattice: float, normal: float) -> str:
    return "gaussian" if normal < lattice else "lattice"


def laplace_variance(rate: float) -> float:
    """Of P(t) ∝ e^{−rate·|t|}: 1/(2·sinh²(rate/2))."""
    return 0.0 if rate > 600 else 1 / (2 * math.sinh(rate / 2) ** 2)


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
