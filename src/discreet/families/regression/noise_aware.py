"""Regression coefficients given noisy statistics: as they stand, and noise-aware."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet import check
from discreet.core import Mechanism
from discreet.core.law import Outcome, Value
from discreet.errors import InputError
from discreet.families.regression.conjugate import conjugate
from discreet.families.regression.gibbs import Moments, draw_coefficients
from discreet.families.regression.mechanisms.statistics import weight_of
from discreet.families.regression.posterior import (
    Coefficients,
    CoefficientSamples,
    CoefficientsMixture,
)


def infer(
    mechanism: Mechanism,
    raw: Outcome,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> CoefficientsMixture:
    """The posterior of the coefficients given the noisy statistics, the noise included.

    Of persons with several records those that were kept are taken for independent. A person who
    weighs one is taken for one record, which is careful: given the features, whatever else a
    person's records have in common, the error of the mean of x·y varies no more than that of one of
    them, picked by its weight (Jensen's inequality along every direction), as the model has it.
    """
    if n_prior is not None:
        raise InputError("n_prior is for counts and means under add-remove", "n_prior")
    model = mechanism.config.model
    # seeded by what is public, so that one release always gives one posterior
    source = np.random.default_rng([abs(z) for z in raw]) if rng is None else check.generator(rng)
    mean, precision = (np.array(part, dtype=np.float64) for part in model.standardised_prior)
    found = draw_coefficients(
        read_moments(mechanism, raw), mean, precision, model.standardised_noise, source
    )
    means, covariances = model.units.outward(found.means, found.covariances)
    noises = found.noises * float(model.units.noise)
    return CoefficientsMixture(
        model.coefficients, means, covariances, noises, intercept=model.intercept
    )


def released_coefficients(mechanism: Mechanism, value: Value) -> Coefficients:
    """What released numbers say if they are taken for the true ones.

    Statistics are made positive definite: the features' moments get no eigenvalue below √p times
    the standard deviation of their noise.
    """
    model = mechanism.config.model
    noisy = read_moments(mechanism, value)
    matrix = noisy.matrix.copy()
    p = len(matrix) - 1
    values, axes = np.linalg.eigh(matrix[:-1, :-1])
    least = np.sqrt(p) * noisy.sd[-2, -1] * weight_of(mechanism.config)
    matrix[:-1, :-1] = (axes * np.maximum(values, least)) @ axes.T
    return conjugate(model, noisy.n, matrix)


def released_samples(mechanism: Mechanism, value: Value) -> CoefficientSamples:
    """The released draws, in the units of the data."""
    model, options = mechanism.config.model, dict(mechanism.config.options)
    draws = np.array([float(x) for x in value]).reshape(options["samples"], -1)
    nothing = np.zeros((draws.shape[1],) * 2)
    coefficients = model.units.outward(draws, nothing)[0]
    return CoefficientSamples(
        model.coefficients, coefficients, float(model.noise), intercept=model.intercept
    )


def read_moments(mechanism: Mechanism, values: Any) -> Moments:
    """The matrix Σ s·sᵀ of s = (1, u, t) from released numbers, and its noise."""
    model, c = mechanism.config.model, weight_of(mechanism.config)
    steps = float(model.grid) ** 2
    n = max(0.0, values[0] / steps)
    matrix = model.moments([entry / steps for entry in values[1:]])
    law: Any = mechanism.make_raw_law((0,) * len(values))
    spreads = law.spreads()
    assert spreads is not None
    sds = spreads / steps
    sd = model.moments(sds[1:])
    for table in (matrix, sd):
        table[-1, :] /= c
        table[:, -1] /= c
    if model.intercept:
        matrix[0, 0], sd[0, 0] = n, sds[0]
    laplace = not dict(mechanism.config.options)["delta"]
    return Moments(n, matrix, sd, laplace, model.intercept)
