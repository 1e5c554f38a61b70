"""Priors of a regression that follow from its public bounds, where none are given."""

from __future__ import annotations

from fractions import Fraction

from discreet.families.regression.prior import CoefficientsPrior, fractions, matrix
from discreet.families.regression.units import Units

CONSTANT = Fraction(1, 4)  # variance of the constant, all columns being in [−1, 1]
SLOPES = Fraction(3, 8)  # sum of the variances of all other coefficients
SHAPE = Fraction(2)  # of the noise variance's prior: its mean is finite, its variance is not
SPREAD = Fraction(1, 4)  # of the noise, in halves of the width of y's bounds


def usual_noise(units: Units) -> tuple[Fraction, Fraction]:
    """Shape and scale of an inverse-gamma prior of the noise variance, from the bounds of y.

    The shape is 2 and the mean, which is scale/(shape − 1), is (h/4)² with h half the width of
    the bounds.
    """
    half = (units.target.high - units.target.low) / 2
    return SHAPE, (SHAPE - 1) * (SPREAD * half) ** 2


def usual_prior(units: Units, noise: Fraction | tuple[Fraction, Fraction]) -> CoefficientsPrior:
    """A prior of the coefficients that says the same in whatever units the data are.

    In the units in which every column is in [−1, 1] the coefficients v are independent with mean 0,
    so that y is expected in the middle of its bounds; the constant has variance 1/4, the d others
    3/(8d): features that are spread evenly explain half as much. In the units of the data
    w = T·v + o, which has mean o and covariance T·Var(v)·Tᵀ. With an unknown noise variance
    `LinearRegression` multiplies the covariance by it: it is divided by the prior mean b/(a − 1),
    for shapes a below 3/2 by 2b.

    Args:
        units: of the regression.
        noise: the noise variance, or shape a and scale b of its prior.
    """
    rows, offset = units.transform
    factor = Fraction(1)
    if isinstance(noise, tuple):
        shape, scale = noise
        factor = max(shape - 1, Fraction(1, 2)) / scale
    slopes = [SLOPES / len(units.features)] * len(units.features)
    variances = [CONSTANT, *slopes] if units.intercept else slopes
    scaled = [[factor * v * x for v, x in zip(variances, row, strict=True)] for row in rows]
    covariance = fractions(matrix(scaled) * matrix(rows).transpose())
    return CoefficientsPrior(None, offset, covariance)
