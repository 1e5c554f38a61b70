from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import discreet as dp

MODEL = dp.DirichletMultinomial(("a", "b", "c"), prior=(0.5, 1, 2))
POSTERIOR = MODEL.posterior((10, 4, 0))


def test_moments_against_scipy() -> None:
    reference = POSTERIOR.to_scipy()
    np.testing.assert_allclose(POSTERIOR.mean(), reference.mean())
    np.testing.assert_allclose(POSTERIOR.variance(), reference.var())
    np.testing.assert_allclose(POSTERIOR.alpha, [10.5, 5, 2])
    np.testing.assert_allclose(POSTERIOR.mode(), np.array([9.5, 4, 1]) / 14.5)


def test_mode_is_nan_where_no_single_point_is_highest() -> None:
    assert np.isnan(MODEL.posterior((3, 3, 3)).mode()).sum() == 0
    assert np.isnan(MODEL.posterior((0, 3, 3)).mode()).all()
    assert np.isnan(dp.BetaBinomial().posterior((0, 0)).mode()).all()


@given(st.floats(0.3, 1e6), st.floats(0.3, 1e6), st.sampled_from([0.5, 0.9, 0.95]))
def test_intervals_have_their_probability(a: float, b: float, level: float) -> None:
    posterior = dp.BetaBinomial(prior=(a, b)).posterior((0, 0))
    equal = posterior.interval(level)
    shortest = posterior.interval(level, kind="highest-density")
    for interval in (equal, shortest):
        for (low, high), (p, q) in zip(interval, ((a, b), (b, a)), strict=True):
            mass = special.betainc(p, q, high) - special.betainc(p, q, low)
            assert mass == pytest.approx(level, abs=1e-6)
    widths = np.diff(shortest, axis=1) / np.diff(equal, axis=1)
    assert (widths <= 1 + 1e-6).all()
    if a > 1 or b > 1:  # otherwise both ends of [0, 1] may serve
        np.testing.assert_allclose(shortest[0], 1 - shortest[1][::-1], atol=1e-6)


def test_shortest_interval_has_equal_densities_at_its_ends() -> None:
    (low, high), *_ = POSTERIOR.interval(0.9, kind="highest-density")
    assert POSTERIOR.pdf(low, "a") == pytest.approx(POSTERIOR.pdf(high, "a"), rel=1e-6)


def test_components() -> None:
    grid = np.linspace(0, 1, 5)
    np.testing.assert_allclose(POSTERIOR.pdf(grid, "b"), stats.beta(5, 12.5).pdf(grid))
    np.testing.assert_allclose(POSTERIOR.cdf(grid, "b"), stats.beta(5, 12.5).cdf(grid))
    assert POSTERIOR.marginal("c").mean() == pytest.approx(POSTERIOR.mean()[2])
    with pytest.raises(dp.InputError, match="category must be one of"):
        POSTERIOR.pdf(0.5, "d")


def test_probability_that_one_category_exceeds_another(rng: np.random.Generator) -> None:
    draws = POSTERIOR.sample(200_000, rng)
    for i, j in ((0, 1), (1, 0), (2, 1)):
        expected = (draws[:, i] > draws[:, j]).mean()
        got = POSTERIOR.probability_exceeds("abc"[i], "abc"[j])
        assert abs(got - expected) < 6 * math.sqrt(0.25 / len(draws))
    assert POSTERIOR.probability_exceeds("a", "b") + POSTERIOR.probability_exceeds(
        "b", "a"
    ) == pytest.approx(1)
    assert POSTERIOR.probability_exceeds("a", "a") == 0


def test_comparison_of_two_posteriors(rng: np.random.Generator) -> None:
    other = MODEL.posterior((3, 9, 4))
    ours, theirs = POSTERIOR.sample(200_000, rng), other.sample(200_000, rng)
    expected = (ours[:, 0] > theirs[:, 1]).mean()
    assert abs(POSTERIOR.probability_exceeds("a", "b", other) - expected) < 6 * 0.5 / 447
    assert POSTERIOR.probability_exceeds("a", "a", POSTERIOR) == pytest.approx(0.5, abs=1e-8)


def test_spread() -> None:
    reference = POSTERIOR.to_scipy()
    np.testing.assert_allclose(POSTERIOR.covariance(), reference.cov())
    np.testing.assert_allclose(POSTERIOR.sd() ** 2, POSTERIOR.variance())
    np.testing.assert_allclose(POSTERIOR.quantile(0.025), POSTERIOR.interval(0.95)[:, 0])
    with pytest.raises(dp.InputError, match="p must lie"):
        POSTERIOR.quantile(1)


def test_two_categories_need_not_be_named() -> None:
    beta = dp.BetaBinomial().posterior((3, 1))
    assert beta.pdf(0.3) == pytest.approx(stats.beta(4, 2).pdf(0.3))
    assert beta.cdf(0.3) == pytest.approx(beta.cdf(0.3, True))
    with pytest.raises(dp.InputError, match="category must be one of"):
        POSTERIOR.cdf(0.3)


@pytest.mark.parametrize("parameters", [(1, 2, 3), (1,), ("1", "2"), (1, math.nan)])
def test_a_posterior_is_validated(parameters: tuple[object, ...]) -> None:
    with pytest.raises(dp.InputError, match="parameters"):
        dp.DirichletPosterior(("a", "b"), parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize("x", ["x", "0.5", None, [0.5, None], [[1], [1, 2]], object()])
def test_points_are_numbers(x: object) -> None:
    posterior = dp.DirichletPosterior(("a", "b"), (2, 3))  # type: ignore[arg-type]
    aware = dp.DirichletMixture(("a", "b"), np.ones((1, 2)), np.ones(1))
    for law in (posterior, aware, aware.marginal()):
        for method in (law.pdf, law.cdf):
            with pytest.raises(dp.InputError, match="x must be a number or an array") as raised:
                method(x)  # type: ignore[arg-type]
            assert raised.value.argument == "x"
    with pytest.raises(dp.InputError, match="p must be a number"):
        aware.marginal().ppf(x)  # type: ignore[arg-type]


def test_update_and_prediction() -> None:
    updated = POSTERIOR.update({"c": 5, "a": 1})
    np.testing.assert_allclose(updated.alpha, [11.5, 5, 7])
    assert updated == MODEL.posterior((11, 4, 5))
    np.testing.assert_allclose(POSTERIOR.predictive(), POSTERIOR.mean())
    counts = POSTERIOR.predictive_counts(2)
    assert counts.pmf([1, 1, 0]) > 0
    np.testing.assert_allclose(counts.mean(), 2 * POSTERIOR.mean())
    with pytest.raises(dp.InputError, match="counts must have 3 entries"):
        POSTERIOR.update((1, 2))


def test_distances() -> None:
    other = MODEL.posterior((9, 5, 0))
    assert POSTERIOR.hellinger(other) == dp.hellinger(POSTERIOR.alpha, other.alpha)
    assert POSTERIOR.kl(other) == dp.kl(POSTERIOR.alpha, other.alpha)
    assert POSTERIOR.l1(other) == 2
    beta = dp.BetaBinomial()
    assert beta.posterior((1, 0)).total_variation(beta.posterior((0, 1))) == pytest.approx(0.5)
    with pytest.raises(dp.InputError, match="same categories"):
        POSTERIOR.hellinger(beta.posterior((1, 1)))


def test_sampling(rng: np.random.Generator) -> None:
    assert POSTERIOR.sample().shape == (3,)
    draws = POSTERIOR.sample(1000, rng)
    assert draws.shape == (1000, 3)
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    with pytest.raises(dp.InputError, match="rng must be"):
        POSTERIOR.sample(rng=7)  # type: ignore[arg-type]


def test_display() -> None:
    assert repr(POSTERIOR) == "Dirichlet(a: 10.5, b: 5, c: 2)"
    many = dp.DirichletMultinomial(range(12)).posterior([1] * 12)
    assert "12 in all" in repr(many)
    html = dp.DirichletMultinomial(("<b>", "&")).posterior((1, 2))._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<td><b>" not in html
    long = dp.DirichletMultinomial(range(1000)).posterior([1] * 1000)._repr_html_()
    assert "1000 in all" in long
    assert long.count("<tr>") < 30


@pytest.mark.parametrize("level", [0, 1, -0.1, math.nan, "0.9", True])
def test_bad_levels(level: object) -> None:
    with pytest.raises(dp.InputError, match="level must"):
        POSTERIOR.interval(level)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="kind must be one of"):
        POSTERIOR.interval(0.5, kind="hpd")
