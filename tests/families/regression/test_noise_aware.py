"""Regression weights given noisy statistics."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import discreet as dp
from discreet.families.regression.gibbs import Moments, draw_coefficients
from discreet.families.regression.noise_aware import read_moments
from discreet_papers import weights_coverage as study

SETTINGS = list(itertools.product(study.DELTAS, study.FEATURES, study.SIZES, study.EPSILONS))


@pytest.mark.parametrize("noise", [1, (3, 2)])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_without_noise_it_is_the_exact_posterior(rng: Any, noise: Any, delta: float) -> None:
    """At ε = 10^6 the noise is far below what n records leave unknown."""
    bounds = {f"x{j}": (-1, 1) for j in range(3)} | {"y": (-6, 6)}
    model = dp.LinearRegression(1, noise, bounds)
    x = rng.uniform(-1, 1, (400, 3))
    y = 1 + x @ [1, -0.5, 0.3] + rng.normal(size=400)
    made = model.count(x, y)
    exact = model.posterior(made)
    aware = dp.release(made, model, 10**6, delta=delta, rng=rng).noise_aware()
    assert aware.mean() == pytest.approx(exact.mean(), abs=0.12 * exact.sd().min())
    assert aware.sd() == pytest.approx(exact.sd(), rel=0.1)
    assert aware.noise_variance() == pytest.approx(exact.noise_variance(), rel=0.05)


def test_one_weight_against_numerical_integration(rng: Any) -> None:
    """Known S: the posterior is one integral; Laplace noise on Uᵀt alone."""
    n, sigma, precision = 200.0, 0.05, 4.0
    s, q, sd = 60.0, 22.0, 12.0
    noisy = Moments(
        n,
        np.array([[s, q], [q, 9.0]]),
        np.array([[1e-9, sd], [sd, 1e-9]]),
        laplace=True,
        intercept=False,
    )
    found = draw_coefficients(
        noisy, np.array([0.1]), np.array([[precision]]), Fraction("0.05"), rng
    )
    w = np.linspace(-2, 3, 4001)
    latent = np.linspace(-150, 200, 7001)
    scale = sd / np.sqrt(2)
    noise = np.exp(-np.abs(q - latent) / scale)
    likelihood = np.array(
        [(stats.norm.pdf(latent, s * one, np.sqrt(sigma * s)) * noise).sum() for one in w]
    )
    p = likelihood * stats.norm.pdf(w, 0.1, precision**-0.5)
    p /= p.sum()
    mean = (w * p).sum()
    sd_exact = np.sqrt((np.square(w - mean) * p).sum())
    variance = found.covariances[:, 0, 0].mean() + found.means[:, 0].var()
    # 960 draws of 16 chains: a tenth of a standard deviation is over three standard errors
    assert found.means.mean() == pytest.approx(mean, abs=0.12 * sd_exact)
    assert np.sqrt(variance) == pytest.approx(sd_exact, rel=0.12)


@pytest.mark.slow
@pytest.mark.parametrize(("delta", "features", "n", "epsilon"), SETTINGS)
def test_intervals_cover(delta: float, features: int, n: int, epsilon: float) -> None:
    """100 data sets a setting, nominal 95 %: within the binomial limits that 2e-6 leave.

    As if all weights were independent, which those of one data set nearly are.
    """
    found = study.coverage(delta, features, n, epsilon, data_sets=100)
    weights = 100 * (features + 1)
    low, high = stats.binom.interval(1 - 2e-6, weights, 0.95) / np.array(weights)
    assert low <= found.noise_aware <= high
    assert found.plain < found.noise_aware + 0.02
    assert found.r2_noise_aware >= found.r2_plain - 0.02


@pytest.mark.slow
def test_all_settings_together_cover() -> None:
    """16 settings of 40 data sets: 5,120 weights, between 93 and 97 %."""
    found = [study.coverage(*setting, data_sets=40, seed=1) for setting in SETTINGS]
    weights = np.array([row.features + 1 for row in found])
    share = np.average([row.noise_aware for row in found], weights=weights)
    assert 0.93 <= share <= 0.97
    plain = np.average([row.plain for row in found], weights=weights)
    assert plain < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_intervals_cover_with_an_unknown_variance(epsilon: float) -> None:
    """The variance drawn from its prior; 150 data sets of 5 weights."""
    rng = np.random.default_rng(5)
    model, hits = study.model_of(4, unknown_variance=True), 0
    for _ in range(150):
        variance = 2 / rng.gamma(3)
        weights, x, y = study.simulate(4, 2000, variance, rng)
        weights = weights * np.sqrt(variance)
        y = weights[0] + x @ weights[1:] + np.sqrt(variance) * rng.normal(size=len(y))
        made = dp.release(model.count(x, y), model, epsilon, rng=rng)
        low, high = made.noise_aware().interval().T
        hits += int(((low <= weights) & (weights <= high)).sum())
    assert 0.91 <= hits / 750 <= 0.985


def test_the_same_release_gives_the_same_posterior(rng: Any) -> None:
    model = study.model_of(3)
    _, x, y = study.simulate(3, 500, 1.0, rng)
    made = dp.release(model.count(x, y), model, 1, rng=rng)
    assert made.noise_aware().means.tolist() == made.noise_aware().means.tolist()
    other = made.noise_aware(rng=np.random.default_rng(3))
    assert other.means.tolist() != made.noise_aware().means.tolist()
    assert other.mean() == pytest.approx(made.noise_aware().mean(), abs=0.2)
    with pytest.raises(dp.InputError, match="n_prior is for counts"):
        made.noise_aware(n_prior=(0, 10))


def test_moments_are_read_in_the_units_of_the_statistics(rng: Any) -> None:
    """With little noise the matrix is that of the records in [−1, 1]."""
    model = dp.LinearRegression(1, 1, {"a": (0, 8), "b": (-5, 3), "y": (-10, 30)}).of("y")
    a, b, y = rng.integers(0, 9, 50), rng.integers(-5, 4, 50), rng.integers(-10, 31, 50)
    stats_ = model.count({"a": a, "b": b, "y": y}, "y")
    mechanism = dp.mechanism("statistics", model, 50, epsilon=10**6, weight=3)
    release = dp.release(stats_, model, 10**6, weight=3, rng=rng)
    s = np.column_stack([np.ones(50), (a - 4) / 4, (b + 1) / 4, (y - 10) / 20])
    found = read_moments(mechanism, release.raw)
    assert found.matrix == pytest.approx(s.T @ s, abs=0.01)
    assert found.n == 50
    assert found.sd[1, 2] == pytest.approx(3 * found.sd[1, 3], rel=1e-9)
    assert found.sd[1, 1] == pytest.approx(2 * found.sd[1, 2], rel=1e-9)
    assert found.sd[3, 3] == pytest.approx(2 * found.sd[1, 2] / 9, rel=1e-9)
    assert found.sd[0, 0] == 0
    observed = np.std(
        [
            read_moments(mechanism, dp.release(stats_, model, 10**6, weight=3, rng=rng).raw).matrix
            for _ in range(300)
        ],
        axis=0,
    )
    assert observed[1:, 1:] == pytest.approx(found.sd[1:, 1:], rel=0.3)


@pytest.mark.parametrize("wide", [1e3, 1e6])
def test_bounds_that_are_far_too_wide_still_give_a_posterior(rng: Any, wide: float) -> None:
    model = dp.LinearRegression(
        {"intercept": (5, 8), "a": 0.02}, (2, 0.5), {"a": (0, wide), "y": (-wide, wide)}
    )
    stats_ = model.count({"a": rng.uniform(9, 16, 300), "y": rng.normal(6, 1, 300)}, "y")
    aware = dp.release(stats_, model, 1, rng=rng).noise_aware()
    assert np.isfinite(aware.interval()).all()


def test_nothing_to_learn_leaves_the_prior(rng: Any) -> None:
    model = study.model_of(3)
    empty = model.count(np.zeros((0, 3)), np.zeros(0))
    aware = dp.release(empty, model, 1, rng=rng).noise_aware()
    assert aware.mean() == pytest.approx(np.zeros(4), abs=0.3)
    assert aware.sd() == pytest.approx(np.ones(4), rel=0.25)
