"""Two categories at any n: losses against balls, weights and reach against whole lists."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet import divergence
from discreet.exact import balls
from discreet.families.dirichlet.optimum import binary

BALLS = {
    "hellinger": divergence.hellinger_ball,
    "total_variation": divergence.total_variation_ball,
}
STRETCHES = [
    ("1", "1", 40, 0, 40),
    ("0.001", "0.001", 30, 0, 30),
    ("1e-9", "2", 25, 0, 25),
    ("1", "3", 1, 0, 1),
    ("2", "3", 5, 5, 5),
    ("1e12", "1e12", 60, 0, 60),
    ("1", "1", 10**6, 499_960, 500_040),
    ("1", "1", 10**12, 0, 60),
    ("0.5", "7", 10**12, 10**11, 10**11 + 60),
]


@pytest.mark.parametrize(("a", "b", "n", "low", "high"), STRETCHES)
@pytest.mark.parametrize("loss", BALLS)
def test_losses_are_right_to_twelve_digits(
    a: str, b: str, n: int, low: int, high: int, loss: str, rng: np.random.Generator
) -> None:
    prior = Fraction(a), Fraction(b)
    ones = np.arange(low, high + 1)
    table = binary.losses(prior, n, loss, ones[:, None], ones)
    assert (np.diag(table) == 0).all()
    np.testing.assert_allclose(table, table.T, rtol=1e-11)
    for c, r in rng.integers(low, high + 1, (15, 2)).tolist():
        sides = [[prior[0] + x, prior[1] + (n - x)] for x in (c, r)]
        exact = balls.nearest(partial(BALLS[loss], *sides))
        assert table[c - low, r - low] == pytest.approx(exact, rel=1e-12)
        pair = binary.losses(prior, n, loss, np.array([c]), np.array([r]))
        assert pair[0] == pytest.approx(exact, rel=1e-12)


def test_squared_error_is_that_of_the_posterior_mean() -> None:
    prior, n = (Fraction(2), Fraction(5)), 9
    ones = np.arange(10)
    means = np.column_stack([ones + 2, n - ones + 5]) / 16
    expected = ((means[:, None] - means) ** 2).sum(axis=2)
    table = binary.losses(prior, n, "squared_error", ones[:, None], ones)
    np.testing.assert_allclose(table, expected, atol=1e-16)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (2, 5), (1e6, 3), (1e-3, 1e-3)])
def test_prior_predictive_weights(a: float, b: float) -> None:
    n = 50
    prior = Fraction(str(a)), Fraction(str(b))
    logs = binary.log_weights(prior, n, "prior_predictive", (0, n))
    expected = stats.betabinom(n, a, b).logpmf(np.arange(n + 1))
    np.testing.assert_allclose(logs - logs[7], expected - expected[7], atol=1e-6)
    part = binary.log_weights(prior, n, "prior_predictive", (20, 30))
    np.testing.assert_allclose(part, logs[20:31] - logs[20], atol=1e-9)


@given(
    st.sampled_from(["0.001", "0.5", "1", "3", "300", "1e6", "1e12"]),
    st.sampled_from(["0.001", "0.9", "1", "40", "1e6"]),
    st.integers(1, 3000),
    st.sampled_from(["30", "1", "0.1", "0.01"]),
    st.floats(0, 1),
)
def test_nothing_that_matters_is_out_of_reach(
    a: str, b: str, n: int, epsilon: str, share: float
) -> None:
    prior, z = (Fraction(a), Fraction(b)), round(share * n)
    low, high = binary.reach(prior, n, Fraction(epsilon), "prior_predictive", z)
    c = np.arange(n + 1)
    logs = binary.log_weights(prior, n, "prior_predictive", (0, n)) - float(epsilon) * abs(c - z)
    matter = np.flatnonzero(logs >= logs.max() - 39)
    assert low <= matter[0]
    assert matter[-1] <= high
    assert high - low <= 1.2 * (matter[-1] - matter[0]) + 80


def test_reach_is_local_at_any_n() -> None:
    one = Fraction(1)
    for n in (10**12, 2**60):
        for weights in ("uniform", "prior_predictive"):
            low, high = binary.reach((one, one), n, one, weights, n // 3)
            assert n // 3 - 100 < low < n // 3 - 30
            assert n // 3 + 30 < high < n // 3 + 100
    low, high = binary.reach((one * 10**12, one * 10**12), 10**12, one, "prior_predictive", 30)
    assert 10**11 < low < high < 3 * 10**11  # the prior is far away and stronger
