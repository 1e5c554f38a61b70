"""Priors that follow from the bounds of a regression."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.families.regression.conjugate import conjugate
from discreet.families.regression.default_prior import usual_noise, usual_prior

ends = st.tuples(st.integers(-50, 50), st.integers(1, 60)).map(lambda x: (x[0], x[0] + x[1]))


def model_of(bounds: list[Any], noise: Any, intercept: bool = True) -> dp.LinearRegression:
    names = [*(f"x{j}" for j in range(len(bounds) - 1)), "y"]
    declared: dict[str, Any] = dict(zip(names, bounds, strict=True))
    return dp.LinearRegression(None, noise, declared, intercept=intercept).of("y")


@given(bounds=st.lists(ends, min_size=2, max_size=4), noise=st.sampled_from([1, (2, 3), (1, 5)]))
def test_the_usual_prior_expects_the_middle_of_y(bounds: list[Any], noise: Any) -> None:
    model = model_of(bounds, noise)
    assert model.prior is not None
    mean, covariance = (np.array(part, dtype=float) for part in model.prior.of(model.coefficients))
    low, high = bounds[-1]
    if isinstance(noise, tuple):  # LinearRegression multiplies by the variance itself
        covariance *= noise[1] / max(noise[0] - 1, 0.5)
    for corner in product(*bounds[:-1]):
        x = np.array([1, *corner])
        assert x @ mean == pytest.approx((low + high) / 2)
        # 1/4, and d weights of variance 3/(8d) with features −1 or 1, times half the width of y
        assert x @ covariance @ x == pytest.approx(5 / 8 * ((high - low) / 2) ** 2)


@given(bounds=st.lists(ends, min_size=2, max_size=4), intercept=st.booleans())
def test_the_usual_priors_are_those_of_unit_intervals(bounds: list[Any], intercept: bool) -> None:
    model = model_of(bounds, None, intercept)
    low, high = bounds[-1]
    prior = conjugate(model, 0, np.zeros((model.rows, model.rows)))
    assert prior.noise_variance() == pytest.approx(((high - low) / 8) ** 2)
    transform = np.array(model.units.transform[0], dtype=float)
    slopes = [3 / 8 / len(model.X)] * len(model.X)
    inner = np.diag([1 / 4, *slopes] if intercept else slopes)
    np.testing.assert_allclose(
        prior.covariance(), transform @ inner @ transform.T, rtol=1e-9, atol=1e-12
    )


def test_usual_priors_are_exact() -> None:
    units = model_of([(0, 3), (1, 2)], 1).units
    assert usual_noise(units) == (Fraction(2), Fraction(1, 64))
    prior = usual_prior(units, (Fraction(2), Fraction(1, 64)))
    assert prior.mean == (Fraction(3, 2), Fraction(0))
    # w_0 = 3/2 + v_0/2 − v_1/2, w_1 = v_1/3; variances 16 and 24 for a noise variance of 1/64
    covariance = [list(map(float, row)) for row in prior.covariance]
    expected = [[10.0, -4.0], [-4.0, 8 / 3]]
    np.testing.assert_allclose(covariance, expected, rtol=1e-15)
