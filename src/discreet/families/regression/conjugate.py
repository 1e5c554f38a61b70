"""The conjugate posterior of regression coefficients, from a matrix of moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.exact import Floats
from discreet.families.regression.posterior import CoefficientsPosterior


def conjugate(model: Any, n: float, matrix: Floats) -> CoefficientsPosterior:
    """Normal, or for an unknown noise variance normal-inverse-gamma, in the units of the data.

    With M = Σ s·sᵀ cut into S = UᵀU, q = Uᵀt and r = tᵀt: precision Λ = S/σ² + Λ₀ and mean
    Λ⁻¹(q/σ² + Λ₀m₀). For σ² ~ InverseGamma(a, b) the same with σ² = 1, times σ², where
    a' = a + n/2 and b' = b + ½(r + m₀ᵀΛ₀m₀ − mᵀΛm): Student's law with 2a' degrees of freedom.
    """
    standardised_mean, standardised_precision = (
        np.array(part, dtype=np.float64) for part in model.standardised_prior
    )
    s, q, r = matrix[:-1, :-1], matrix[:-1, -1], matrix[-1, -1]
    known = not isinstance(model.standardised_noise, tuple)
    variance = float(model.standardised_noise) if known else 1.0
    precision = s / variance + standardised_precision
    mean = np.linalg.solve(precision, q / variance + standardised_precision @ standardised_mean)
    spread = np.linalg.inv(precision)
    scale = float(model.units.noise)
    if known:
        location, covariance = model.units.outward(mean, spread)
        return CoefficientsPosterior(
            model.coefficients, location, covariance, variance * scale, intercept=model.intercept
        )
    shape, rate = (float(part) for part in model.standardised_noise)
    before, after = (
        standardised_mean @ standardised_precision @ standardised_mean,
        mean @ precision @ mean,
    )
    shape, rate = shape + n / 2, rate + max(0.0, r + before - after) / 2
    location, covariance = model.units.outward(mean, spread * rate / shape)
    return CoefficientsPosterior(
        model.coefficients,
        location,
        covariance,
        rate / shape * scale,
        2 * shape,
        intercept=model.intercept,
    )
