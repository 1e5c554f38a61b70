from __future__ import annotations

import math
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import discreet as dp
from discreet.posteriors.beta_mixture import BetaMixture
from discreet.posteriors.mixture import Diagnostics

MIXTURE = dp.DirichletMixture(
    ("a", "b"), np.array([[3.0, 4.0], [2.5, 7.0], [10.0, 2.0]]), np.array([0.2, 0.5, 0.3])
)
THREE = dp.DirichletMixture(
    ("a", "b", "c"),
    np.array([[3.0, 4.0, 1.0], [2.5, 7.0, 0.5], [10.0, 2.0, 4.0]]),
    np.array([2.0, 5.0, 3.0]),  # not yet normalised
)
MODEL = dp.BetaBinomial(categories=("a", "b"))


def density(x: Any) -> Any:
    parts = zip(MIXTURE.weights, MIXTURE.parameters, strict=True)
    return sum(w * stats.beta.pdf(x, *p) for w, p in parts)


def around(centre: float, n: float, rate: float, prior: float) -> BetaMixture:
    """Betas of all counts near a centre, with two-sided weights."""
    half = int(30 / rate)
    counts = np.arange(max(0, centre - half), min(n, centre + half) + 1)
    weights = np.exp(-rate * np.abs(counts - centre))
    return BetaMixture(prior + counts, prior + (n - counts), weights / weights.sum())


@pytest.mark.parametrize(
    "law",
    [
        around(7, 20, 0.5, 0.5),
        around(0, 20, 2, 0.1),
        around(3000, 10_000, 0.05, 1),
        around(5, 1e6, 0.05, 0.5),
        BetaMixture(
            np.array([0.5, 2.0, 2.5, 40.0]), np.array([3.0, 1.0, 9.0, 6.0]), np.ones(4) / 4
        ),
    ],
)
def test_runs_of_components_against_a_plain_sum(law: BetaMixture) -> None:
    x = np.unique(np.concatenate([law.ppf([0.001, 0.2, 0.5, 0.9]), [0.01, 0.5, 0.99, 1 - 1e-9]]))
    cdf = [(law.weights * stats.beta.cdf(t, law.a, law.b)).sum() for t in x]
    pdf = [(law.weights * stats.beta.pdf(t, law.a, law.b)).sum() for t in x]
    np.testing.assert_allclose(law.cdf(x), cdf, atol=1e-11)
    np.testing.assert_allclose(law.pdf(x), pdf, rtol=1e-9, atol=1e-290)
    np.testing.assert_allclose(
        law.cdf(law.ppf([0.025, 0.5, 0.975])), [0.025, 0.5, 0.975], atol=1e-12
    )


@pytest.mark.parametrize("n", [1e9, 1e12, 1e15, 1e18])
def test_huge_parameters(n: float) -> None:
    """With many records the quantiles are those of a normal law, to about 1/√n."""
    law = BetaMixture(np.array([0.3 * n]), np.array([0.7 * n]), np.ones(1))
    sd = math.sqrt(0.21 / n)
    for p in (0.01, 0.5, 0.99):
        assert (law.ppf(p) - 0.3) / sd == pytest.approx(stats.norm.ppf(p), abs=1e-4 + 1e-7)
    assert law.std() == pytest.approx(sd, rel=1e-8)
    rare = BetaMixture(np.array([3.5]), np.array([n]), np.ones(1))
    assert rare.ppf(0.3) * n == pytest.approx(stats.gamma(3.5).ppf(0.3), rel=1e-7)


@given(st.floats(0.5, 1e4), st.floats(0.5, 1e4), st.floats(0.001, 0.999))
def test_one_component_is_a_beta(a: float, b: float, p: float) -> None:
    law = BetaMixture(np.array([a]), np.array([b]), np.ones(1))
    reference = stats.beta(a, b)
    assert reference.cdf(law.ppf(p)) == pytest.approx(p, abs=1e-10)
    assert law.mean() == pytest.approx(reference.mean())
    assert law.var() == pytest.approx(reference.var())
    alone = dp.DirichletMixture((0, 1), np.array([[a, b]]), np.ones(1))
    plain = dp.DirichletPosterior((0, 1), (a, b))  # type: ignore[arg-type]
    np.testing.assert_allclose(alone.interval(0.9), plain.interval(0.9), atol=1e-9)


def test_the_ends_of_the_unit_interval() -> None:
    law = MIXTURE.marginal()
    assert law.cdf(0) == law.cdf(-1) == law.pdf(0) == law.pdf(2) == 0
    assert law.cdf(1) == law.cdf(7) == 1
    assert law.ppf(0) == 0
    assert law.ppf(1) == 1
    assert np.isnan(law.ppf(1.5))
    assert np.isnan(law.cdf(math.nan))
    flat = BetaMixture(np.array([1.0, 0.5]), np.array([4.0, 1.0]), np.array([1.0, 0.0]))
    assert flat.pdf(0) == pytest.approx(4)
    assert flat.pdf(1) == 0
    assert BetaMixture(np.array([0.5]), np.array([1.0]), np.ones(1)).pdf(0) == math.inf
    tiny = BetaMixture(np.array([1e-9]), np.array([1e6]), np.ones(1))
    assert tiny.ppf(0.975) == 0  # below the smallest float


def test_moments_by_integration() -> None:
    mean = integrate.quad(lambda x: x * density(x), 0, 1)[0]
    square = integrate.quad(lambda x: (x - mean) ** 2 * density(x), 0, 1)[0]
    np.testing.assert_allclose(MIXTURE.mean(), [mean, 1 - mean])
    np.testing.assert_allclose(MIXTURE.variance(), [square, square])
    np.testing.assert_allclose(MIXTURE.covariance(), [[square, -square], [-square, square]])
    assert MIXTURE.marginal().std() == pytest.approx(MIXTURE.sd()[0])
    np.testing.assert_allclose(MIXTURE.predictive(), MIXTURE.mean())


def test_the_variance_splits() -> None:
    sampling, privacy = THREE.parts()
    np.testing.assert_allclose(sampling + privacy, THREE.variance())
    within = [stats.dirichlet(p).var() for p in THREE.parameters]
    means = np.array([stats.dirichlet(p).mean() for p in THREE.parameters])
    np.testing.assert_allclose(sampling, THREE.weights @ np.array(within))
    np.testing.assert_allclose(privacy, THREE.weights @ (means - THREE.weights @ means) ** 2)


def test_mode() -> None:
    mode = MIXTURE.mode()
    grid = np.linspace(1e-4, 1 - 1e-4, 20_001)
    assert mode[0] == pytest.approx(grid[np.argmax(density(grid))], abs=1e-4)
    assert mode.sum() == pytest.approx(1)
    assert np.isnan(THREE.mode()).all()  # documented: two categories only
    unbounded = dp.DirichletMixture((0, 1), np.array([[0.5, 3], [4, 4]]), np.ones(2))
    assert np.isnan(unbounded.mode()).all()
    falling = dp.DirichletMixture((0, 1), np.array([[1, 3], [1, 7]]), np.ones(2))
    np.testing.assert_allclose(falling.mode(), [0, 1])
    flat = dp.DirichletMixture((0, 1), np.ones((2, 2)), np.ones(2))
    assert np.isnan(flat.mode()).all()


@pytest.mark.parametrize("mixture", [MIXTURE, THREE])
def test_shortest_intervals(mixture: dp.DirichletMixture) -> None:
    for level in (0.5, 0.9, 0.95):
        shortest = mixture.interval(level, kind="highest-density")
        for i, (low, high) in enumerate(shortest):
            law = mixture.marginal(mixture.categories[i])
            assert law.cdf(high) - law.cdf(low) == pytest.approx(level, abs=1e-8)
            tails = np.linspace(0, 1 - level, 400)
            widths = law.ppf(np.minimum(tails + level, 1.0)) - law.ppf(tails)
            assert high - low <= widths.min() + 1e-7
        if len(mixture.categories) == 2:
            np.testing.assert_allclose(shortest[0], 1 - shortest[1][::-1], atol=1e-6)


def test_shortest_interval_despite_an_unlikely_unbounded_component() -> None:
    law = around(7, 20, 0.5, 0.5)
    low, high = law.shortest(0.95)
    assert low > 0
    assert high - low < law.ppf(0.975) - law.ppf(0.025)


def test_marginals() -> None:
    grid = np.linspace(0.05, 0.95, 7)
    rest = np.array([5.0, 7.5, 6.0])
    betas = [stats.beta(a, b) for a, b in zip(THREE.parameters[:, 0], rest, strict=True)]
    expected = sum(w * beta.cdf(grid) for w, beta in zip(THREE.weights, betas, strict=True))
    np.testing.assert_allclose(THREE.cdf(grid, "a"), expected)
    np.testing.assert_allclose(THREE.cdf(THREE.quantile(0.3)[1], "b"), 0.3)
    assert THREE.pdf(0.2, "c") == pytest.approx(THREE.marginal("c").pdf(0.2))
    np.testing.assert_allclose(THREE.interval(0.9)[:, 0], THREE.quantile(0.05))
    with pytest.raises(dp.InputError, match="category must be one of"):
        THREE.cdf(0.5)
    with pytest.raises(dp.InputError, match="category must be one of"):
        MIXTURE.pdf(0.5, "z")


def test_probability_of_exceeding(rng: np.random.Generator) -> None:
    draws = THREE.sample(200_000, rng)
    other = MODEL.posterior((3, 9))
    theirs = other.sample(200_000, rng)
    slack = 6 * 0.5 / math.sqrt(len(draws))
    assert abs(THREE.probability_exceeds("a", "b") - (draws[:, 0] > draws[:, 1]).mean()) < slack
    assert THREE.probability_exceeds("b", "b") == 0
    assert THREE.probability_exceeds("a", "b") + THREE.probability_exceeds(
        "b", "a"
    ) == pytest.approx(1)
    got = THREE.probability_exceeds("c", "b", other)
    assert abs(got - (draws[:, 2] > theirs[:, 1]).mean()) < slack
    assert other.probability_exceeds("b", "c", THREE) == pytest.approx(1 - got)
    assert MIXTURE.probability_exceeds("a", "a", MIXTURE) == pytest.approx(0.5)
    with pytest.raises(dp.InputError, match="other must be a posterior"):
        THREE.probability_exceeds("a", "b", "c")  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="other must be a posterior"):
        other.probability_exceeds("a", "b", 7)  # type: ignore[arg-type]


def test_sampling(rng: np.random.Generator) -> None:
    assert THREE.sample().shape == (3,)
    draws = THREE.sample(100_000, rng)
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    slack = 6 * THREE.sd() / math.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - THREE.mean()) < slack).all()
    sample = MIXTURE.marginal().rvs(100_000, random_state=rng)
    assert stats.kstest(sample, MIXTURE.marginal().cdf).pvalue > 1e-6
    tiny = dp.DirichletMixture((0, 1, 2), np.full((2, 3), 1e-5), np.ones(2))
    np.testing.assert_allclose(tiny.sample(50, rng).sum(axis=1), 1)
    with pytest.raises(dp.InputError, match="rng must be"):
        THREE.sample(rng=7)  # type: ignore[arg-type]


def test_update_multiplies_by_the_likelihood() -> None:
    counts = np.array([3, 0, 2])
    updated = THREE.update(counts)
    likelihood = [stats.dirichlet_multinomial(p, 5).pmf(counts) for p in THREE.parameters]
    expected = THREE.weights * likelihood
    np.testing.assert_allclose(updated.weights, expected / expected.sum())
    np.testing.assert_allclose(updated.parameters, THREE.parameters + counts)
    twice = THREE.update((1, 0, 2)).update({"a": 2})
    np.testing.assert_allclose(twice.weights, updated.weights)
    assert updated.diagnostics == Diagnostics()
    with pytest.raises(dp.InputError, match="counts must have 3 entries"):
        THREE.update((1, 2))


def test_update_keeps_bounds_that_hold() -> None:
    """Leave out a component on purpose: what is missing after the update is within the bound."""
    whole = dp.DirichletMixture(
        ("a", "b"), np.array([[3, 4], [2, 7], [10, 2]]), np.array([0.2, 0.79, 0.01])
    )
    part = dp.DirichletMixture(
        ("a", "b"), whole.parameters[:2], whole.weights[:2], Diagnostics(left_out=0.01)
    )
    for counts in ((0, 0), (5, 0), (3, 3), (40, 2)):
        missing = whole.update(counts).weights[2]
        assert missing <= part.update(counts).diagnostics.left_out
    drawn = dp.DirichletMixture(
        ("a", "b"), whole.parameters, np.ones(3), Diagnostics("draws", ess=3.0)
    )
    ess = drawn.update((4, 0)).diagnostics.ess
    assert ess is not None
    assert 1 < ess < 3


def test_prediction(rng: np.random.Generator) -> None:
    law = THREE.predictive_counts(4)
    rows = [(i, j, 4 - i - j) for i in range(5) for j in range(5 - i)]
    p = np.array([law.pmf(row) for row in rows])
    assert p.sum() == pytest.approx(1)
    components = [
        w * stats.dirichlet_multinomial(a, 4).pmf(rows[3])
        for w, a in zip(THREE.weights, THREE.parameters, strict=True)
    ]
    assert law.pmf(rows[3]) == pytest.approx(sum(components))
    np.testing.assert_allclose(law.mean(), p @ np.array(rows))
    centred = np.array(rows) - law.mean()
    np.testing.assert_allclose(law.cov(), (centred.T * p) @ centred, atol=1e-12)
    np.testing.assert_allclose(law.var(), np.diag(law.cov()))
    assert law.pmf((5, 0, 0)) == 0
    assert law.rvs(7, rng).shape == (7, 3)
    assert law.rvs(random_state=rng).sum() == 4
    with pytest.raises(dp.InputError, match="x must be 3 whole numbers"):
        law.pmf((1.5, 2.5, 0))


def test_distances_by_integration() -> None:
    other = MODEL.posterior((4, 3))
    g = stats.beta(5, 4).pdf
    affinity = integrate.quad(lambda x: math.sqrt(density(x) * g(x)), 0, 1)[0]
    kl = integrate.quad(lambda x: density(x) * math.log(density(x) / g(x)), 0, 1)[0]
    x = np.linspace(0, 1, 2_000_001)
    tv = np.abs(density(x) - g(x)).sum() * (x[1] - x[0]) / 2
    assert MIXTURE.hellinger(other) == pytest.approx(math.sqrt(1 - affinity), rel=1e-8)
    assert MIXTURE.kl(other) == pytest.approx(kl, rel=1e-8)
    assert MIXTURE.total_variation(other) == pytest.approx(tv, abs=1e-6)
    for distance in (MIXTURE.hellinger, MIXTURE.total_variation, MIXTURE.kl):
        assert distance(MIXTURE) == pytest.approx(0, abs=1e-7)


def test_distances_between_single_components() -> None:
    first, second = MODEL.posterior((400_000, 600_000)), MODEL.posterior((400_500, 599_500))
    alone = dp.DirichletMixture(("a", "b"), first.alpha[None], np.ones(1))
    assert alone.hellinger(second) == pytest.approx(first.hellinger(second), rel=1e-7)
    assert alone.total_variation(second) == pytest.approx(first.total_variation(second), rel=1e-7)
    assert alone.kl(second) == pytest.approx(first.kl(second), rel=1e-7)
    far = MODEL.posterior((900_000, 100_000))
    assert alone.kl(far) == pytest.approx(first.kl(far), rel=1e-6)
    assert alone.hellinger(far) == pytest.approx(1)


def test_distances_that_do_not_exist() -> None:
    other = dp.DirichletMultinomial(("a", "b", "c")).posterior((1, 2, 3))
    for name in ("hellinger", "total_variation", "kl"):
        with pytest.raises(dp.InputError, match=f"{name} of a mixture needs two categories, got 3"):
            getattr(THREE, name)(other)
        with pytest.raises(dp.InputError, match="same categories"):
            getattr(MIXTURE, name)(dp.BetaBinomial().posterior((1, 1)))
    with pytest.raises(dp.InputError, match="a mixture has many"):
        MIXTURE.l1(MIXTURE)


def test_in_the_shape_of_scipy(rng: np.random.Generator) -> None:
    law = THREE.to_scipy()
    points = rng.dirichlet([1, 1, 1], 5)
    expected = sum(
        w * stats.dirichlet(p).pdf(points.T)
        for w, p in zip(THREE.weights, THREE.parameters, strict=True)
    )
    np.testing.assert_allclose(law.pdf(points.T), expected)
    assert law.logpdf(points[0]) == pytest.approx(math.log(expected[0]))
    np.testing.assert_allclose(law.var(), THREE.variance())
    np.testing.assert_allclose(law.cov().sum(axis=1), 0, atol=1e-15)
    assert law.rvs(4, rng).shape == (4, 3)
    for bad in ((0.5, 0.5), (0.5, 0.5, 0), (0.5, 0.5, 0.5), 0.3):
        with pytest.raises(dp.InputError, match="x must"):
            law.pdf(bad)


@pytest.mark.parametrize("posterior", [THREE, MODEL.posterior((3, 4))])
def test_arviz(posterior: Any, rng: np.random.Generator) -> None:
    theta = posterior.to_arviz(draws=50, chains=3, rng=rng)["posterior"]["theta"]
    assert theta.dims == ("chain", "draw", "category")
    assert theta.shape == (3, 50, len(posterior.categories))
    assert theta.coords["category"].values.tolist() == list(posterior.categories)
    np.testing.assert_allclose(theta.sum("category"), 1)
    with pytest.raises(dp.InputError, match="draws must"):
        posterior.to_arviz(draws=0)
    with pytest.raises(dp.InputError, match="draws must lie between 1 and 250000000, got 10000"):
        posterior.to_arviz(10**15)
    with pytest.raises(dp.InputError, match="chains must"):
        posterior.to_arviz(1, chains=10**15)


def test_arviz_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    for posterior in (THREE, MODEL.posterior((3, 4))):
        with pytest.raises(dp.MissingPackageError, match=r"base: pip install 'discreet\[arviz\]'"):
            posterior.to_arviz()


def test_pickle() -> None:
    THREE.interval()
    again = pickle.loads(pickle.dumps(THREE))
    np.testing.assert_array_equal(again.parameters, THREE.parameters)
    np.testing.assert_array_equal(again.weights, THREE.weights)
    assert again.diagnostics == THREE.diagnostics
    assert pickle.loads(pickle.dumps(THREE.marginal("a"))).mean() == THREE.marginal("a").mean()
    with pytest.raises(ValueError, match="read-only"):
        THREE.weights[0] = 1


def test_display() -> None:
    assert repr(MIXTURE).startswith("<mixture of 3 Dirichlets: a: 0.467 ± 0.28")
    assert repr(MIXTURE.marginal()) == "<mixture of 3 Beta distributions: mean 0.4673>"
    rows = THREE.table()
    assert [row[0] for row in rows] == ["a", "b", "c"]
    low, high = THREE.interval()[1]
    assert rows[1][3] == f"{low:.3f} – {high:.3f}"
    odd = dp.DirichletMixture(("<b>", "&"), np.ones((1, 2)), np.ones(1))
    assert repr(odd).startswith("<mixture of 1 Dirichlet: ")
    assert repr(odd.marginal()).startswith("<mixture of 1 Beta distribution: ")
    assert "&lt;b&gt;" in odd._repr_html_()
    many = dp.DirichletMixture(range(300), np.ones((2, 300)), np.ones(2))  # type: ignore[arg-type]
    assert "300 in all" in many._repr_html_()
    assert many._repr_html_().count("<tr>") < 30
    assert "300 in all" in repr(many)


@pytest.mark.parametrize(
    ("parameters", "weights", "message"),
    [
        ([[1, 2, 3]], [1], "parameters must have one row per component and 2 columns"),
        ([1, 2], [1], "parameters must have one row"),
        ([[1, 0]], [1], r"parameters\[0, 1\] must be positive"),
        ([[1, math.nan]], [1], r"parameters\[0, 1\] must be positive"),
        ([[1, 2]], [1, 2], "weights must have 1 entries"),
        ([[1, 2]], [0], "weights must be finite"),
        ([[1, 2], [1, 2]], [1, -1], "weights must be finite"),
        ([[1, 2]], [math.inf], "weights must be finite"),
    ],
)
def test_a_mixture_is_validated(parameters: Any, weights: Any, message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        dp.DirichletMixture(("a", "b"), parameters, weights)


@pytest.mark.parametrize("level", [0, 1, -0.1, math.nan, "0.9", True])
def test_bad_levels(level: Any) -> None:
    with pytest.raises(dp.InputError, match="level must"):
        MIXTURE.interval(level)
    with pytest.raises(dp.InputError, match="kind must be one of"):
        MIXTURE.interval(0.5, kind="hpd")
    with pytest.raises(dp.InputError, match="p must lie"):
        MIXTURE.quantile(1)
