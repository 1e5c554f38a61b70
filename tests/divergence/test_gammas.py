from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from discreet.divergence.gammas import (
    _LARGE,
    deviance,
    incomplete_beta,
    log_beta_density,
    log_gamma_ratio,
    stirling_rest,
)
from discreet.exact import balls

sizes = st.floats(-6, 17).map(lambda power: 10.0**power)


@given(sizes, st.floats(-0.999, 1e3))
def test_ratio_of_gammas(x: float, share: float) -> None:
    step = share * x
    with balls.precision(300):
        exact = float(((arb(x) + arb(step)).lgamma() - arb(x).lgamma()).mid())
    got = float(log_gamma_ratio(np.array(x), np.array(step)))
    size = (abs(step) + 1) * max(1, abs(math.log(x)), abs(math.log(x + step)))
    assert abs(got - exact) <= 1e-13 * size


@given(sizes, sizes, st.floats(-6, 6))
def test_density_of_a_beta(a: float, b: float, deviation: float) -> None:
    """At a point some standard deviations from the mean, on the logit scale."""
    spread = math.sqrt(1 / a + 1 / b)
    logit = math.log(a) - math.log(b) + deviation * min(spread, 20)
    x, y = float(special.expit(logit)), float(special.expit(-logit))
    with balls.precision(400):
        p, q, z = arb(a), arb(b), arb(x)
        y = float((1 - z).mid())
        constant = (p + q).lgamma() - p.lgamma() - q.lgamma()
        exact = float((constant + (p - 1) * z.log() + (q - 1) * (1 - z).log()).mid())
    if not (0 < x < 1 and 0 < y < 1):
        return
    got = float(log_beta_density(*(np.array(v) for v in (a, b, x, y))))
    # rounding x itself moves the exponent
    slack = 1e-12 * (1 + abs(exact)) + 1e-15 * (1 + abs(deviation)) * math.sqrt(a + b) * 10
    assert abs(got - exact) <= slack


def test_deviance_is_a_divergence() -> None:
    a, b, x = 3.0, 7.0, 0.6
    p = a / (a + b)
    expected = (a + b) * (p * math.log(p / x) + (1 - p) * math.log((1 - p) / (1 - x)))
    got = deviance(*(np.array(v) for v in (a, b, x, 1 - x)))
    assert float(got) == pytest.approx(expected, rel=1e-13)
    assert float(deviance(*(np.array(v) for v in (a, b, p, 1 - p)))) == pytest.approx(0, abs=1e-15)


def test_distribution_function_where_floats_are_good() -> None:
    a = np.array([0.01, 0.5, 3.0, 40.0, 1e4, 1e6])[:, None]
    x = np.array([1e-6, 0.1, 0.4, 0.5, 0.6, 0.97])
    for b in (0.3, 5.0, 900.0, 1e6):
        got = incomplete_beta(a, np.full_like(a, b), x[None], 1 - x[None])
        np.testing.assert_allclose(got, stats.beta.cdf(x, a, b), atol=1e-12)


@pytest.mark.parametrize("deviation", [-4.0, -1.0, -1e-3, -1e-5, 0.0, 1e-4, 0.5, 3.0])
def test_distribution_function_of_large_parameters(deviation: float) -> None:
    """Both sides of the line from which on the asymptotic form is used."""
    for a, b in ((1.01 * _LARGE, 3e8), (2e9, 1.2 * _LARGE), (0.99 * _LARGE, 3e8)):
        spread = math.sqrt(a * b / (a + b) ** 3)
        x = a / (a + b) + deviation * spread
        with balls.precision(128):
            exact = arb(x).beta_lower(arb(a), arb(b), regularized=True)
            assert exact.rad() < 1e-20
            y = float((1 - arb(x)).mid())
        got = float(incomplete_beta(*(np.array([v]) for v in (a, b, x, y)))[0])
        assert got == pytest.approx(float(exact.mid()), abs=5e-12)


def test_remainder_of_stirling() -> None:
    for x in (1e-9, 0.1, 1.0, 7.9, 8.1, 1e3, 1e15):
        with balls.precision(200):
            z = arb(x)
            main = (z - 0.5) * z.log() - z + (2 * arb.pi()).log() / 2
            exact = float((z.lgamma() - main).mid())
        assert float(stirling_rest(np.array(x))) == pytest.approx(exact, rel=1e-12, abs=3e-13)
