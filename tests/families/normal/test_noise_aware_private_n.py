from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import discreet as dp
from discreet import InputError
from discreet.families.normal.model import NormalMean
from discreet.families.normal.noise_aware_private_n import _gaussian, _laplace
from discreet.noise_aware import infer
from discreet.posteriors.normal import TabulatedLaw
from tests.statistics import FALSE_ALARM, pearson

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7), grid=10)
PRIVATE: dict[str, Any] = {"adjacency": "add-remove"}
OPTIONS: dict[str, dict[str, Any]] = {"laplace": {}, "gaussian": {"delta": 1e-3}}
CASES: list[tuple[str, float, tuple[int, int], object]] = [
    ("laplace", 1, (70, 50), None),
    ("laplace", 1, (70, 50), (3, 20)),
    ("laplace", 1, (-300, 45), None),
    ("laplace", 0.3, (260, 20), stats.poisson(9)),
    ("laplace", 3, (91, 88), None),
    ("laplace", 1, (5, -2), None),
    ("gaussian", 1, (70, 50), None),
    ("gaussian", 1, (250, -20), (0, 40)),
    ("gaussian", 4, (90, 81), stats.poisson(5)),
]


def made(name: str, epsilon: object, model: NormalMean = MODEL) -> dp.Mechanism:
    return dp.mechanism(name, model, epsilon=epsilon, **OPTIONS[name], **PRIVATE)  # type: ignore[arg-type]


def brute_force(
    mechanism: dp.Mechanism, raw: tuple[int, int], n_prior: object
) -> tuple[np.ndarray, np.ndarray]:
    """The density of μ: p(μ)·Σ_n p(n)·Σ_T p(T | n, μ)·P(a, b | n, T), T and μ on fine grids."""
    units = MODEL.grid / float(MODEL.half)
    mu = np.linspace(-11, 13, 601)
    sums = np.arange(-700, 700, 1 / 2)
    simpson = np.where(sums == np.rint(sums), 1 / 3, 2 / 3)  # the noise has its kinks at integers
    law: Any = mechanism.make_raw_law((0, 0))
    found = np.zeros(len(mu))
    for n in range(80):
        if isinstance(n_prior, tuple):
            log_p = 0.0 if n_prior[0] <= n <= n_prior[1] else -math.inf
        else:
            log_p = 0.0 if n_prior is None else float(n_prior.logpmf(n))  # type: ignore[attr-defined]
        if log_p < -40:
            continue
        noise = [raw[0] - n * MODEL.grid - sums, raw[1] - n * MODEL.grid + sums]
        if mechanism.name == "laplace":
            logs = -float(law.rate) * (np.abs(noise[0]) + np.abs(noise[1]))
        else:
            logs = -(noise[0] ** 2 + noise[1] ** 2) / (2 * float(law.variances[0]))
        if n == 0:
            found += math.exp(log_p + np.interp(0, sums, logs))
            continue
        spread = units * math.sqrt(n * float(MODEL.variance))
        kept = logs > logs.max() - 30
        away = (sums[kept] - n * units * (mu - float(MODEL.centre))[:, None]) / spread
        density = np.exp(logs[kept] - away**2 / 2) @ simpson[kept]
        found += math.exp(log_p) * density / (spread * math.sqrt(2 * math.pi))
    density = found * stats.norm.pdf(mu, 1, 2)
    return mu, density / (density.sum() * (mu[1] - mu[0]))


@pytest.mark.parametrize(("name", "epsilon", "raw", "n_prior"), CASES)
def test_posterior_by_brute_force(
    name: str, epsilon: float, raw: tuple[int, int], n_prior: object
) -> None:
    mechanism = made(name, epsilon)
    found = infer(mechanism, raw, n_prior=n_prior)
    mu, density = brute_force(mechanism, raw, n_prior)
    width = mu[1] - mu[0]
    mean = float(density @ mu) * width
    assert found.mean() == pytest.approx(mean, abs=2e-5)
    assert found.variance() == pytest.approx(float(density @ (mu - mean) ** 2) * width, rel=5e-5)
    np.testing.assert_allclose(found.pdf(mu), density, atol=2e-5 * density.max())
    below = np.cumsum(density) * width - density * width / 2
    np.testing.assert_allclose(found.cdf(mu), below, atol=2e-4)
    low, high = found.interval(0.95)
    assert np.interp([low, high], mu, below) == pytest.approx([0.025, 0.975], abs=2e-4)


@pytest.mark.parametrize("square", [1e-4, 0.3, 40.0])
@pytest.mark.parametrize(("h", "mean"), [(0.0, 0.2), (1.5, -0.4), (2.0, 7.0), (0.3, -20.0)])
def test_integrals_by_quadrature(h: float, mean: float, square: float) -> None:
    """Gauss and Legendre's rule on panels with edges at the kinks of the noise."""
    sd, noisy = math.sqrt(square), [np.array([x]) for x in (h, mean, square)]
    ends = min(-h, mean) - 12 * sd, max(h, mean) + 12 * sd
    edges = np.unique([*np.linspace(*ends, 4001), -h, h])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (1 + nodes)
    logs = stats.norm.logpdf(t, mean, sd) + np.log(half * weights)
    for rate in (1e-3, 0.7, 4.0):
        exact = np.logaddexp.reduce(logs - rate * (np.abs(t - h) + np.abs(t + h)), axis=None)
        assert _laplace(rate, *noisy)[0] == pytest.approx(exact, abs=1e-8)
    for variance in (0.01, 3.0):
        exact = np.logaddexp.reduce(logs - (t * t + h * h) / (2 * variance), axis=None)
        found = _gaussian(variance, *noisy)[0] + math.log(variance) / 2
        assert found == pytest.approx(exact, abs=1e-8)


def test_integrals_where_floats_would_cancel() -> None:
    """Wide laws beside narrow noise: 2·rate²·square is 2e16, the integral 1/rate + 2h times N."""
    h, mean, square = (np.array([x]) for x in (0.0, 3.0, 1e4))
    exact = math.log(1 / 1e6) + float(stats.norm.logpdf(3, 0, 100))
    assert _laplace(1e6, h, mean, square)[0] == pytest.approx(exact, abs=1e-9)
    far = _laplace(1e6, h, np.array([5e4]), square)[0]  # 500 standard deviations
    assert far == pytest.approx(
        math.log(1 / 1e6) + float(stats.norm.logpdf(500, 0, 1) - math.log(100)), rel=1e-6
    )


@pytest.mark.parametrize("name", OPTIONS)
def test_a_known_number_of_records(name: str) -> None:
    """With a prior of n at one number it is the posterior of a public n and noise on the sum."""
    mechanism = made(name, 1)
    found = infer(mechanism, (70, 50), n_prior=(6, 6))
    law: Any = mechanism.make_raw_law((0, 0))
    if name == "gaussian":  # half the difference has half the variance
        scale = float(MODEL.half) / MODEL.grid / 6
        noise = float(law.variances[0]) / 2 * scale**2
        precision = 1 / 4 + 1 / (2.25 / 6 + noise)
        seen = float(MODEL.centre) + 10 * scale
        mean = (1 / 4 + seen / (2.25 / 6 + noise)) / precision
        assert found.mean() == pytest.approx(mean, rel=1e-9)
        assert found.variance() == pytest.approx(1 / precision, rel=1e-6)
    low, high = found.interval()
    assert found.cdf(high) - found.cdf(low) == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize("name", OPTIONS)
def test_without_noise_it_is_the_posterior(name: str) -> None:
    found, exact = infer(made(name, 10**5), (73, 47)), MODEL.posterior((6, 13))
    assert found.mean() == pytest.approx(exact.mean(), abs=1e-2)
    assert found.sd() == pytest.approx(exact.sd(), rel=2e-2)


def test_noise_that_hides_everything_leaves_the_prior() -> None:
    found = infer(made("laplace", 1e-7), (0, 0), n_prior=(0, 100))
    assert found.mean() == pytest.approx(1, abs=1e-3)
    assert found.sd() == pytest.approx(2, rel=1e-3)
    assert infer(made("gaussian", 1), (3, -8), n_prior=(0, 0)).sd() == pytest.approx(2, rel=1e-4)


@pytest.mark.parametrize("n", [0, 1, 10**3, 10**7, 10**12])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-2, 1, 10**6])
@pytest.mark.parametrize("name", OPTIONS)
def test_any_size_and_budget(name: str, epsilon: float, n: int) -> None:
    """Against the normal law with the variance of the noise where that is a good match."""
    model = NormalMean(0, 1, 1, (-5, 5), grid=100)
    mechanism = made(name, epsilon, model)
    law: Any = mechanism.make_raw_law((n, n * 10))  # of a mean of ½
    found = infer(mechanism, law.center)
    assert isinstance(found, TabulatedLaw)
    assert len(found.points) < 20_000
    spread = math.sqrt(2) / float(law.rate) if name == "laplace" else math.sqrt(law.variances[0])
    exact = model.posterior((n, n * 10))
    noise = spread / math.sqrt(2) * float(model.step(n)) * math.hypot(1, 0.1)
    assert found.sd() >= (0.99 if n else 0.95) * exact.sd()
    if noise < exact.sd() / 3 and n:
        assert found.sd() == pytest.approx(math.hypot(noise, exact.sd()), rel=1e-2)
        assert found.mean() == pytest.approx(exact.mean(), abs=found.sd() / 10)
    else:
        assert found.sd() < 1.01


@pytest.mark.parametrize("prior_variance", [1e-4, 1.0, 1e8])
@pytest.mark.parametrize("variance", [1e-4, 1.0, 1e4])
def test_any_prior(prior_variance: float, variance: float) -> None:
    """Finite, and normalised, where the prior is narrow, vague or far from the records."""
    model = NormalMean(20, prior_variance, variance, (-5, 5), grid=100)
    for name in OPTIONS:
        mechanism = made(name, 0.5, model)
        law: Any = mechanism.make_raw_law((40, 400))
        found = infer(mechanism, law.center)
        assert 0 < found.sd() < 1.1 * math.sqrt(prior_variance)
        assert -5 < found.mean() < 21
        total = integrate.trapezoid(found.pdf(found.points), found.points)
        assert total == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "trials"),
    [pytest.param("laplace", 250, marks=pytest.mark.slow), ("gaussian", 500)],
)
def test_the_truth_is_a_draw_from_the_posterior(name: str, trials: int) -> None:
    """Numbers, means and records from the model: P(μ ≤ truth) is uniform (Talts et al. 2018).

    Pearson's test on 8 cells with a false-alarm rate of 1e-6; wide bounds, so that few are clipped.
    It refutes the posterior as released, and one that takes the noise for half as wide as it is.
    """
    rng, cells = np.random.default_rng(8), 8
    model = NormalMean(0, 1, 1, (-4.5, 7.5), grid=60)
    mechanism, louder = made(name, 0.5, model), made(name, 1, model)
    places: dict[str, list[float]] = {"noise-aware": [], "as released": [], "half the noise": []}
    for _ in range(trials):
        n, mu = int(rng.integers(5, 60, endpoint=True)), rng.normal(0, 1)
        steps = np.floor((np.clip(rng.normal(mu, 1, n), -4.5, 7.5) - 1.5) * 10 + 0.5)
        raw = mechanism.make_raw_law((n, int(steps.sum()))).sample(rng=rng)
        places["noise-aware"].append(infer(mechanism, raw, n_prior=(5, 60)).cdf(mu))
        places["as released"].append(model.released(mechanism.postprocess(raw)).cdf(mu))
        places["half the noise"].append(infer(louder, raw, n_prior=(5, 60)).cdf(mu))
    for law, found in places.items():
        observed = np.bincount((cells * np.array(found)).astype(int).clip(0, 7), minlength=cells)
        statistic, limit = pearson(observed, np.full(cells, 1 / cells))
        assert (statistic < limit) == (law == "noise-aware"), law


def test_priors_of_n() -> None:
    mechanism = made("laplace", 1)
    wide = infer(mechanism, (70, 50), n_prior=(0, 10**6))
    assert wide.mean() == pytest.approx(infer(mechanism, (70, 50)).mean(), abs=1e-6)
    few, many = (infer(mechanism, (70, 50), n_prior=(n, n + 3)) for n in (2, 20))
    assert few.mean() > many.mean() > MODEL.prior_mean  # the same sum of fewer records
    release = dp.release((3, 10), MODEL, 1, **PRIVATE)
    assert release.noise_aware(n_prior=(1, 5)).mean() != release.noise_aware().mean()
    with pytest.raises(InputError, match="n_prior must be None, a pair"):
        release.noise_aware(n_prior=5)  # type: ignore[arg-type]
    for impossible in (stats.randint(-9, -3), stats.randint(5, 3)):
        with pytest.raises(InputError, match="n_prior must be a distribution on whole numbers"):
            release.noise_aware(n_prior=impossible)
    public = dp.release((3, 10), MODEL, 1)
    with pytest.raises(InputError, match="n_prior must be None where n is public"):
        public.noise_aware(n_prior=(1, 5))


def test_it_is_a_law() -> None:
    found = infer(made("laplace", 1), (70, 50))
    assert repr(found).startswith("law of a mean, mean 2.06")
    assert found.pdf([-1e9, 1e9]).tolist() == [0, 0]
    assert found.cdf([-1e9, 1e9]).tolist() == [0, 1]
    assert found.quantile(found.cdf(2.2)) == pytest.approx(2.2)
    draws = found.sample(20_000, np.random.default_rng(2))
    z = abs(draws.mean() - found.mean()) / found.sd() * math.sqrt(20_000)
    assert z < stats.norm.isf(FALSE_ALARM / 2)
    assert isinstance(found.sample(), float)
    for p in (0, 1, math.nan):
        with pytest.raises(InputError, match="p must lie strictly"):
            found.quantile(p)
