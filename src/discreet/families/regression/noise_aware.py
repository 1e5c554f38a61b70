"""Regression weights given noisy statistics: as they stand, and with the noise accounted for."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet import check
from discreet.core import Law, Mechanism
from discreet.core.law import Outcome, Value
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.regression.conjugate import conjugate
from discreet.families.regression.gibbs import Moments, draw_weights
from discreet.families.regression.mechanisms.statistics import weight_of
from discreet.families.regression.posterior import Weights, WeightSamples, WeightsMixture
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw


def infer_weights(
    mechanism: Mechanism, raw: Outcome, rng: np.random.Generator | None = None
) -> WeightsMixture:
    """The posterior of the weights given the noisy statistics, the noise included."""
    model = mechanism.config.model
    if mechanism.name == "sample":
        raise InputError(
            "samples of weights are draws from the posterior already: use release.posterior",
            "mechanism",
        )
    # seeded by what is public, so that one release always gives one posterior
    source = np.random.default_rng([abs(z) for z in raw]) if rng is None else check.generator(rng)
    mean, precision = (np.array(part, dtype=np.float64) for part in model.inner_prior)
    found = draw_weights(read_moments(mechanism, raw), mean, precision, model.inner_noise, source)
    means, covariances = model.units.outward(found.means, found.covariances)
    noises = found.noises * float(model.units.noise)
    return WeightsMixture(model.weights, means, covariances, noises, intercept=model.intercept)


def released_weights(mechanism: Mechanism, value: Value) -> Weights:
    """What released numbers say if they are taken for the true ones.

    Statistics are made positive definite: the features' moments get no eigenvalue below √p times
    the standard deviation of their noise.
    """
    model = mechanism.config.model
    if mechanism.name == "sample":
        return _samples(mechanism, value)
    noisy = read_moments(mechanism, value)
    matrix = noisy.matrix.copy()
    p = len(matrix) - 1
    values, axes = np.linalg.eigh(matrix[:-1, :-1])
    least = np.sqrt(p) * noisy.sd[-2, -1] * weight_of(mechanism.config)
    matrix[:-1, :-1] = (axes * np.maximum(values, least)) @ axes.T
    return conjugate(model, noisy.n, matrix)


def _samples(mechanism: Mechanism, value: Value) -> WeightSamples:
    model, options = mechanism.config.model, dict(mechanism.config.options)
    draws = np.array([float(x) for x in value]).reshape(options["samples"], -1)
    nothing = np.zeros((draws.shape[1],) * 2)
    weights = model.units.outward(draws, nothing)[0]
    return WeightSamples(model.weights, weights, float(model.noise), intercept=model.intercept)


def read_moments(mechanism: Mechanism, values: Any) -> Moments:
    """The matrix Σ s·sᵀ of s = (1, u, t) from released numbers, and its noise."""
    model, c = mechanism.config.model, weight_of(mechanism.config)
    steps = float(model.grid) ** 2
    n = max(0.0, values[0] / steps)
    matrix = model.moments([entry / steps for entry in values[1:]])
    law: Any = mechanism.make_raw_law((0,) * len(values))
    kinds = [_spreads(part) for part in law.parts]
    sds = np.concatenate([spread for spread, _ in kinds]) / steps
    sd = model.moments(sds[1:])
    for table in (matrix, sd):
        table[-1, :] /= c
        table[:, -1] /= c
    if model.intercept:
        matrix[0, 0], sd[0, 0] = n, sds[0]
    return Moments(n, matrix, sd, kinds[-1][1], model.intercept)


def _spreads(law: Law) -> tuple[Floats, bool]:
    """The standard deviation of every entry's noise, and whether it is Laplace's."""
    if isinstance(law, DiscreteGaussianLaw):
        return np.sqrt(np.array(law.variances, dtype=np.float64)), False
    if isinstance(law, NoiseLaw):
        return np.full(law.dimension, np.sqrt(2) / float(law.rate)), True
    return np.zeros(law.dimension), False
