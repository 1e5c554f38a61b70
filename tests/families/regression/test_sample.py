"""Samples of regression weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.laws.truncated_normal import TruncatedNormalLaw


def model_of(features: int = 1, noise: Any = 1, **options: Any) -> dp.LinearRegression:
    bounds = {f"x{j}": (-1, 1) for j in range(features)} | {"y": (-2, 2)}
    return dp.LinearRegression(1, noise, bounds, **options).of("y")


def law_of(made: dp.Mechanism, x: Any, y: Any) -> TruncatedNormalLaw:
    law: Any = made.raw_law(made.config.model.count(np.array(x), np.array(y)))
    first: TruncatedNormalLaw = law.parts[0]
    return first


def test_precision_and_linear_part_are_those_of_the_tempered_posterior(rng: Any) -> None:
    """Against the formula in floats, in units in which all columns lie in [−1, 1]."""
    x, y = rng.uniform(-1, 1, (30, 2)), rng.uniform(-2, 2, 30)
    made = dp.mechanism("sample", model_of(2), 30, epsilon=0.5)
    law = law_of(made, x, y)
    noise, power = 1 / 4, min(1, 0.5 * (1 / 4) / 4)  # B = 1: ε·σ²/(1 + B)²
    design, target = np.column_stack([np.ones(30), x]), y / 2
    # w = 2·v for all weights, the intercept too: precision 4
    precision = power / noise * design.T @ design + 4 * np.eye(3)
    assert np.array(law.precision, dtype=float) == pytest.approx(precision, rel=1e-3)
    linear = power / noise * design.T @ target
    assert np.array(law.linear, dtype=float) == pytest.approx(linear, rel=1e-3, abs=1e-2)
    assert law.square == Fraction(1, 3)  # ‖(1, u)‖² is at most 3


def test_epsilon_that_pays_for_everything_leaves_the_likelihood_as_it_is() -> None:
    made = [dp.mechanism("sample", model_of(), 3, epsilon=epsilon) for epsilon in (16, 1000)]
    x, y = [[0.5], [1], [0]], [1, 2, 0]
    assert law_of(made[0], x, y) == law_of(made[1], x, y)  # (1 + B)²/σ² = 4/(1/4)
    assert made[1].guarantee.epsilon == 1000


def test_samples_share_the_budget() -> None:
    x, y = [[0.5], [1], [0]], [1, 2, 0]
    one = dp.mechanism("sample", model_of(), 3, epsilon=1)
    many = dp.mechanism("sample", model_of(), 3, epsilon=10, samples=10)
    assert law_of(one, x, y) == law_of(many, x, y)
    stats = model_of().count(np.array(x), np.array(y))
    release = dp.release(stats, model_of(), 10, "sample", samples=10)
    assert release.posterior.draws.shape == (10, 2)  # type: ignore[union-attr]
    assert dp.Release.from_json(release.to_json()) == release
    assert np.isfinite(release.posterior.interval()).all()
    single = dp.release(stats, model_of(), 1, "sample")
    assert np.isnan(single.posterior.sd()).all()
    assert "–" in str(single.summary())
    with pytest.raises(dp.InputError, match="draws from the posterior of the coefficients already"):
        single.noise_aware()
    x_new = np.array([[0.3], [0.1]])
    assert single.posterior.predict(x_new).shape == (2,)


def test_weights_stay_in_the_ball_and_on_the_grid() -> None:
    stats = model_of(2).count(np.ones((200, 2)), np.full(200, 2.0))
    for norm in (0.5, 3):
        release = dp.release(stats, model_of(2), 5, "sample", samples=20, norm=norm, steps=1000)
        inner = np.array([float(w) for w in release.value]).reshape(20, 3)
        assert (np.square(inner).sum(axis=1) <= norm**2 / 3 + 0.01).all()
        assert all((w * 1000).denominator == 1 for w in map(Fraction, release.value))


def test_refusals() -> None:
    model = model_of()
    with pytest.raises(dp.InputError, match="noise_variance must be known for 'sample'"):
        dp.mechanism("sample", model_of(noise=(2, 1)), 3, epsilon=1)
    with pytest.raises(dp.InputError, match=r"epsilon must be at least 1\.6e-07 for 10000 samples"):
        dp.mechanism("sample", model, 3, epsilon=1e-8, samples=10_000)
    with pytest.raises(dp.InputError, match="norm must be greater than 0, got -1"):
        dp.mechanism("sample", model, 3, epsilon=1, norm=-1)
    with pytest.raises(dp.InputError, match="samples must lie between"):
        dp.mechanism("sample", model, 3, epsilon=1, samples=0)
    with pytest.raises(dp.InputError, match="'substitute' only"):
        dp.mechanism("sample", model, epsilon=1, adjacency="add-remove")
    made = dp.mechanism("sample", model, 3, epsilon=1)
    with pytest.raises(dp.InputError, match="raw must be"):
        made.postprocess((10**9, 0))


@pytest.mark.parametrize("variance", [1e-5, 1e-6])
def test_a_prior_far_away_does_not_break_the_sampler(variance: float) -> None:
    """Its ball is decided at a higher precision than the first that is tried."""
    bounds = {"x": (-1, 1), "y": (-1, 1)}
    model = dp.LinearRegression((1e6, variance), 1, bounds).of("y")
    made = dp.release(model.count({"x": [0.5], "y": [0.1]}, "y"), model, 50, "sample")
    inner = np.array([float(w) for w in made.value])
    assert np.square(inner).sum() == pytest.approx(1 / 2, rel=1e-3)


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(dp.InputError, match="norm must be smaller for steps = 1000000000000"):
        dp.mechanism("sample", model_of(), 3, epsilon=10**6, norm=1e8, steps=10**12)
    far = dp.LinearRegression((1e7, 1e-8), 1, {"x": (-1, 1), "y": (-1, 1)}).of("y")
    with pytest.raises(dp.InputError, match="prior must not be so sure"):
        dp.mechanism("sample", far, 3, epsilon=1)
