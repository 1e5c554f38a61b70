"""Samples of regression coefficients from their truncated posterior (P2, §5.2 and appendix D)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, Theorem
from discreet.core.curves import Composed, Range
from discreet.core.law import Outcome, ProductLaw
from discreet.core.statistics import places
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.families.regression.sensitivity import Regression, features_square
from discreet.laws.truncated_normal import TruncatedNormalLaw

MOST_SAMPLES = 10_000
LEAST_POWER = Fraction(1, 10**12)
MOST_PULL = 10**13  # of the prior: draws would be enclosed too slowly


def coefficient_sample(
    model: Regression,
    n: int,
    epsilon: Fraction,
    *,
    samples: int = 1,
    norm: object = 1,
    steps: int = 10**6,
) -> Mechanism:
    """Draws from the posterior of the coefficients given that their norm is bounded.

    All columns are mapped into [−1, 1] and the features, with the constant, divided by the largest
    norm M they can have, so that ‖x‖₂ ≤ 1 and |y| ≤ 1; in these units ‖w‖₂ ≤ B. A record has a
    log-likelihood in [−(1 + B)²/(2σ²), 0], so the posterior of n records loses (1 + B)²/σ² for a
    replaced one; appendix D has another bound, which does not hold (erratum E14). The likelihood is
    tempered, that is raised to the power τ ≤ 1 for which all samples together lose ε.

    norm: B; with 1 no prediction leaves the bounds of y.
    steps: the coefficients are rounded to multiples of 1/steps, all columns being in [−1, 1].
    Guarantee: ε.
    """
    samples = check.whole("samples", samples, least=1, most=MOST_SAMPLES)
    steps = check.whole("steps", steps, least=2, most=10**12)
    bound = check.positive("norm", norm)
    variance = model.standardised_noise
    if isinstance(variance, tuple):
        raise InputError(
            "noise_variance must be known for 'sample': an unknown one has no bounded likelihood; "
            "use 'statistics'",
            "noise_variance",
        )
    mean, precision = model.standardised_prior
    pairs = [zip(row, mean, strict=True) for row in precision]
    if max(abs(sum((p * m for p, m in pair), Fraction(0))) for pair in pairs) > MOST_PULL:
        raise InputError(
            "prior must not be so sure of coefficients far outside the ball: its precision times "
            "its mean must be at most 1e13, all columns being in [−1, 1]",
            "prior",
        )
    # By Bayes' rule the posterior densities given data that differ in one record differ by the
    # ratio of its tempered likelihoods, within exp(±τ(1 + B)²/(2σ²)) as residuals lie in
    # [−(1 + B), 1 + B] for every w in the ball, and by that of the normalisers, which is a mean of
    # such ratios: by exp(τ(1 + B)²/σ²) in all. N independent samples lose N times as much, and
    # rounding loses nothing. τ = ε·σ²/(N(1 + B)²), or 1 if that is less than ε pays for.
    power = power_of(variance, epsilon, samples, bound)
    if power < LEAST_POWER:
        raise InputError(
            f"epsilon must be at least {check.show(LEAST_POWER * epsilon / power)} for "
            f"{check.number_of(samples, 'sample')}: below, the likelihood is raised to a power "
            f"under 1e-12 and nothing would be learnt, got {check.show(epsilon)}",
            "epsilon",
        )
    theorem = Theorem(
        "log-likelihoods of records that are clipped to the bounds lie in an interval of length "
        "(1 + B)²/(2σ²): N·τ·(1 + B)²/σ² ≤ ε",
        "Zhang, Rubinstein and Dimitrakakis 2016, appendix D, corrected; Wang, Fienberg and "
        "Smola 2015",
    )
    largest = features_square(model) / model.grid**2 + int(model.intercept)  # M²
    square = bound**2 / largest
    if square * steps**2 > 2**120:
        raise InputError(
            f"norm must be smaller for steps = {steps}, as coefficients have to fit 64-bit "
            f"integers, got {check.show(bound)}",
            "norm",
        )
    law = partial(_law, model, variance, power, square, steps, samples)
    return Mechanism(
        config=Config(
            "sample",
            model,
            n,
            epsilon,
            Adjacency.SUBSTITUTE,
            (("samples", samples), ("norm", bound), ("steps", steps)),
        ),
        guarantee=Guarantee(
            *(epsilon, Fraction(0), Adjacency.SUBSTITUTE),
            basis=theorem,
            # a sample's exponents differ by ±half its loss, the normaliser is one number for all w
            curve=Composed(((Range(epsilon / samples, epsilon / samples), samples),)),
        ),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_coefficients, (model.rows - 1) * samples, square, steps),
        length=(model.rows - 1) * samples,
    )


def power_of(variance: Any, epsilon: Fraction, samples: int, bound: Fraction) -> Any:
    """τ, of an exact variance exactly: all samples together then lose ε."""
    return min(Fraction(1), epsilon * variance / (samples * (1 + bound) ** 2))


def _law(
    model: Regression,
    variance: Fraction,
    power: Fraction,
    square: Fraction,
    steps: int,
    samples: int,
    values: Outcome,
) -> Law:
    """Precision τ·XᵀX/σ² + Λ₀ and linear part τ·Xᵀy/σ² + Λ₀m₀, exactly."""
    n, *entries = values
    mean, prior = model.standardised_prior
    p = model.rows - 1
    table = [[Fraction(n)] * (p + 1) for _ in range(p + 1)]  # of the constant's square
    for (i, j), entry in zip(places(p + 1, model.intercept), entries, strict=True):
        table[i][j] = table[j][i] = Fraction(entry, model.grid**2)
    factor = power / variance
    precision = tuple(tuple(factor * table[i][j] + prior[i][j] for j in range(p)) for i in range(p))
    shift = [sum((prior[i][j] * mean[j] for j in range(p)), Fraction(0)) for i in range(p)]
    linear = tuple(factor * table[i][p] + shift[i] for i in range(p))
    return ProductLaw((TruncatedNormalLaw(precision, linear, square, steps),) * samples)


def _coefficients(numbers: int, square: Fraction, steps: int, raw: Ints) -> NDArray[Any]:
    """The coefficients; nothing for numbers that cannot have been drawn."""
    most = float(square) ** 0.5 * steps + 1
    if raw.shape[1] != numbers or (np.abs(raw) > most).any():
        return raw[:, :0]
    return np.array([[Fraction(z, steps) for z in row] for row in raw.tolist()], dtype=object)
