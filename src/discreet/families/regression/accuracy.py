"""What to expect of a private regression before paying for it: from public values alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.core import Config, Law, Mechanism
from discreet.exact import Floats
from discreet.families.regression.mechanisms.sample import power_of
from discreet.families.regression.mechanisms.statistics import weight_of
from discreet.families.regression.sensitivity import features_square
from discreet.report import aligned

CAUTION = "Related columns, or columns that fill little of their bounds, have larger errors."


@dataclass(frozen=True)
class ExpectedError:
    """Root mean squared errors in the units of the data.

    `prediction` is that of the predicted mean of y; `coefficients` those of every coefficient. Each
    with privacy, without (`exact_…`), and of the prior alone, before any data (`prior_…`). `width`
    is that of y's bounds.
    """

    prediction: float
    exact_prediction: float
    prior_prediction: float
    coefficients: Mapping[str, float]
    exact_coefficients: Mapping[str, float]
    prior_coefficients: Mapping[str, float]
    width: float

    @property
    def error(self) -> float:
        """That of the prediction, by which `dp.plan` judges."""
        return self.prediction

    def to_document(self) -> dict[str, Any]:
        """As JSON can hold it, by the names that it had from the beginning."""
        return {
            name.replace("coefficients", "weights"): value for name, value in vars(self).items()
        }

    @property
    def learnt(self) -> float:
        """The share of the prior's squared prediction error that the release removes."""
        return max(0.0, 1 - (self.prediction / self.prior_prediction) ** 2)

    @property
    def useless(self) -> bool:
        """Whether it would remove less than a tenth of it, or errors fill half of y's bounds."""
        return self.learnt < 0.1 or self.prediction > self.width / 2

    def __str__(self) -> str:
        heading = ("expected error of", "private", "without privacy", "prior alone")
        rows = [("prediction", self.prediction, self.exact_prediction, self.prior_prediction)]
        rows += [
            (name, error, self.exact_coefficients[name], self.prior_coefficients[name])
            for name, error in self.coefficients.items()
        ]
        table = aligned([heading, *((row[0], *(f"{x:.3g}" for x in row[1:])) for row in rows)])
        ratio = self.prediction / self.exact_prediction
        verdict = (
            f"Predictions: {ratio:.2g} times the error without privacy, "
            f"{100 * self.prediction / self.width:.2g} % of the width of y's bounds."
        )
        if self.useless:
            verdict += " The release would tell next to nothing."
        return "\n".join([*table, "", verdict, CAUTION])


def expected_error(mechanism: Mechanism, n: int) -> ExpectedError:
    """For features that are uniform within their bounds and coefficients that the prior describes.

    The normal approximation of `gibbs`: Uᵀt − S·w has the noise of Uᵀt, of UᵀU times
    w, and sampling.
    """
    model = mechanism.config.model
    mean, precision = (np.array(part, dtype=np.float64) for part in model.standardised_prior)
    noise = model.standardised_noise
    known = not isinstance(noise, tuple)
    sigma = float(noise if known else noise[1] / max(noise[0] - 1, Fraction(1, 2)))
    prior: Floats = np.asarray(np.linalg.inv(precision if known else precision / sigma))
    moments = _uniform(model)
    exact = np.linalg.inv(n * moments / sigma + np.linalg.inv(prior))
    law = mechanism.make_raw_law((n, *[0] * (model.size - 1)))
    if law.spreads() is None:
        private = _sample(mechanism.config, n, moments, sigma, prior)
    else:
        squares = np.square(mean) + np.diagonal(prior)
        private = _statistics(mechanism, law, n, moments, sigma, prior, squares)
    laws = private, exact, prior
    spreads = [model.units.outward(mean, law)[1] for law in laws]
    scale = math.sqrt(model.units.noise)
    errors = [scale * math.sqrt(max(0.0, float(np.sum(law * moments)))) for law in laws]
    names = [_named(model, spread) for spread in spreads]
    width = float(model.scaled[-1].high - model.scaled[-1].low)
    return ExpectedError(errors[0], errors[1], errors[2], names[0], names[1], names[2], width)


def _named(model: Any, covariance: Floats) -> dict[str, float]:
    sds = np.sqrt(np.diagonal(covariance)).tolist()
    return dict(zip(model.coefficients, sds, strict=True))


def _uniform(model: Any) -> Floats:
    """E[s·sᵀ] of features that are uniform within their bounds, drawn back to the radius."""
    columns = model.scaled[:-1]
    middles = np.array([float((x.middle - x.shift) / x.scale) for x in columns])
    variances = np.array([float((x.high - x.low) / x.scale) ** 2 / 12 for x in columns])
    square = float(np.sum(np.square(middles) + variances))
    shrunk = min(1.0, float(features_square(model)) / model.grid**2 / square)
    middles, variances = middles * math.sqrt(shrunk), variances * shrunk
    if model.intercept:
        middles, variances = np.append(1.0, middles), np.append(0.0, variances)
    return np.outer(middles, middles) + np.diag(variances)


def _statistics(
    mechanism: Mechanism,
    law: Law,
    n: int,
    moments: Floats,
    sigma: float,
    prior: Floats,
    squares: Floats,
) -> Floats:
    model, c = mechanism.config.model, weight_of(mechanism.config)
    noise = law.spreads()
    assert noise is not None
    above, diagonal = noise[1] / model.grid**2, noise[-1] / model.grid**2
    entries = np.full(moments.shape, above**2)
    np.fill_diagonal(entries, diagonal**2)
    if model.intercept and mechanism.config.n is not None:
        entries[0, 0] = 0.0
    entries = np.minimum(entries, (n / 3) ** 2)  # a moment of n records is known to about that
    spread = np.diag((above / c) ** 2 + entries @ squares) + sigma * n * moments
    reach = n * moments
    return np.linalg.inv(reach @ np.linalg.solve(spread, reach) + np.linalg.inv(prior))


def _sample(config: Config, n: int, moments: Floats, sigma: float, prior: Floats) -> Floats:
    """The error of the mean of the draws: that of the tempered mean, and the draws' own."""
    options = dict(config.options)
    power = float(power_of(sigma, config.epsilon, options["samples"], options["norm"]))
    before = np.linalg.inv(prior)
    spread = np.linalg.inv(power * n * moments / sigma + before)
    error = spread @ (power**2 * n * moments / sigma + before) @ spread
    return np.asarray(error + spread / options["samples"])
