"""The model of a private regression: declared bounds, and the priors that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import check
from discreet.errors import InputError
from discreet.learn.encoding import by_feature
from discreet.models.regression import LinearRegression
from discreet.models.units import Units
from discreet.models.weights_prior import WeightsPrior, fractions, matrix

VARIANCE = Fraction(1, 4)  # of every weight, all columns being in [−1, 1]
SHAPE = Fraction(2)  # of the noise variance's prior: its mean is finite, its variance is not
SPREAD = Fraction(1, 4)  # of the noise, in halves of the width of y's bounds


def regression(
    names: Sequence[str],
    bounds: object,
    prior: object,
    noise_variance: object,
    radius: object,
    intercept: bool,
) -> LinearRegression:
    """The regression on these features; y is called "y", or "y_" if a feature has that name."""
    target = "y"
    while target in names:
        target += "_"
    *features, of_y = read_bounds(names, bounds)
    intervals: Any = dict(zip(names, features, strict=True)) | {target: of_y}

    def model(weights: object, noise: object) -> LinearRegression:
        return LinearRegression(weights, noise, intervals, radius, intercept).of(target, names)

    units = model(1, 1).units
    noise = usual_noise(units) if noise_variance is None else noise_variance
    return model(usual_prior(units, model(1, noise).noise) if prior is None else prior, noise)


def read_bounds(names: Sequence[str], bounds: object) -> list[object]:
    """The pair (low, high) of every feature, and last that of y."""
    if not isinstance(bounds, Mapping):
        raise InputError(
            'bounds must be a mapping {"X": …, "y": (low, high)}: they are public, never learnt '
            f"from the data, got {check.brief(bounds)}",
            "bounds",
        )
    if bounds.get("y") is None:
        raise InputError(_undeclared("y"), "bounds")
    beside = {name: pair for name, pair in bounds.items() if name not in ("X", "y")}
    single, _ = by_feature("bounds", beside, names)
    listed, for_all = by_feature("bounds['X']", bounds.get("X"), names)
    for name in single.keys() & listed.keys():
        raise InputError(f"bounds must declare feature {name!r} once, got two entries", "bounds")
    found = {name: (listed | single).get(name, for_all) for name in names}
    for name, pair in found.items():
        if pair is None:
            raise InputError(_undeclared(f"feature {name!r}"), "bounds")
    return [x.tolist() if isinstance(x, np.ndarray) else x for x in (*found.values(), bounds["y"])]


def _undeclared(what: str) -> str:
    return f"bounds of {what} must be declared: they are public, never learnt from the data"


def usual_noise(units: Units) -> tuple[Fraction, Fraction]:
    """Shape and scale of an inverse-gamma prior of the noise variance, from the bounds of y.

    The shape is 2 and the mean, which is scale/(shape − 1), is (h/4)² with h half the width of
    the bounds.
    """
    half = (units.target.high - units.target.low) / 2
    return SHAPE, (SHAPE - 1) * (SPREAD * half) ** 2


def usual_prior(units: Units, noise: Fraction | tuple[Fraction, Fraction]) -> WeightsPrior:
    """A prior of the weights that says the same in whatever units the data are.

    In the units in which every column is in [−1, 1] the weights v are independent with mean 0 and
    variance 1/4, so that y is expected in the middle of its bounds, whatever the features. In the
    units of the data w = T·v + o, which has mean o and covariance T·Tᵀ/4. With an unknown noise
    variance `LinearRegression` multiplies the covariance by it: it is divided by the prior mean
    b/(a − 1), for shapes a below 3/2 by 2b.

    Args:
        units: of the regression.
        noise: the noise variance, or shape a and scale b of its prior.
    """
    rows, offset = units.transform
    factor = VARIANCE
    if isinstance(noise, tuple):
        shape, scale = noise
        factor *= max(shape - 1, Fraction(1, 2)) / scale
    transform = matrix(rows)
    square = fractions(transform * transform.transpose())
    covariance = tuple(tuple(factor * entry for entry in row) for row in square)
    return WeightsPrior(None, offset, covariance)
