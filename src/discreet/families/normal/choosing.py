"""Which noise on a mean is the smaller one, by public values: what `dp.release` takes unasked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.core import Adjacency
from discreet.core.family import Choice
from discreet.families.normal.mechanisms import Mean, gaussian, laplace
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw


def choose(
    model: Mean,
    n: int | None,
    epsilon: Fraction,
    adjacency: Adjacency,
    options: Mapping[str, Any],
) -> Choice:
    """`laplace`, or `gaussian` where its noise on the same sums has the smaller variance."""
    if n == 0:
        return Choice("laplace")
    units = {name: value for name, value in options.items() if name != "delta"}
    some = (1 if n is None else n, 0)
    normal = gaussian(model, n, epsilon, adjacency=adjacency, **options).make_raw_law(some)
    other = laplace(model, n, epsilon, adjacency=adjacency, **units).make_raw_law(some)
    assert isinstance(normal, DiscreteGaussianLaw)
    assert isinstance(other, NoiseLaw)
    ratio = math.sqrt(normal.variances[0] * other.rate**2 / 2)
    if ratio < 1:
        return Choice("gaussian", _reason(ratio, "laplace"))
    return Choice("laplace", _reason(1 / ratio, "gaussian"))


def _reason(ratio: float, other: str) -> str:
    return f"its noise has {ratio:.2g} times the standard deviation of that of {other}"
