"""Which noise is the smaller one, for public values alone: what `dp.release` takes unasked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Adjacency, CategoricalModel
from discreet.core.counts import Unit
from discreet.core.family import Choice
from discreet.families.dirichlet.mechanisms.gaussian import gaussian
from discreet.laws.variances import laplace_variance, lattice_variance, normal_variance

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
