from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import discreet as dp
from discreet import InputError
from discreet.families.normal.model import NormalMean
from discreet.families.normal.noise_aware import infer_mean
from discreet.noise_aware import infer
from discreet.posteriors.normal import NormalLaw, NormalMixture, NormalPosterior
from tests.statistics import FALSE_ALARM

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7), grid=10)
N = 6
CASES: list[tuple[str, dict[str, Any], int]] = [
    ("laplace", {}, 9),
    ("laplace", {}, -300),
    ("laplace", {}, 58),
    ("gaussian", {"delta": 1e-4}, 9),
    ("gaussian", {"delta": 1e-4}, 250),
    ("input", {"delta": 1e-2}, -31),
    ("hellinger", {"points": 21}, 13),
    ("hellinger", {"points": 21}, 0),
    ("hellinger", {"points": 5}, 2),
    ("hellinger", {"points": 400}, 399),
]


def brute_force(mechanism: dp.Mechanism, z: int) -> tuple[np.ndarray, np.ndarray]:
    """The density of μ: p(μ)·Σ_T p(T | μ)·P(z | T), with T and μ on fine grids."""
    units = MODEL.grid / float(MODEL.half)
    mu = np.linspace(-15, 17, 1601)
    step = 1 / 8
    edge = N * MODEL.grid if mechanism.name == "hellinger" else 400
    sums = np.arange(-edge + step / 2, edge, step)
    law = mechanism.make_raw_law((N, 0))
    if mechanism.name == "laplace":
        noise = -float(law.rate) * np.abs(z - sums)  # type: ignore[attr-defined]
    elif mechanism.name == "gaussian":
        noise = -((z - sums) ** 2) / (2 * float(law.variances[0]))  # type: ignore[attr-defined]
    elif mechanism.name == "input":
        noise = -((z - sums) ** 2) / (2 * N * float(law.variance))  # type: ignore[attr-defined]
    else:
        logs = law.float_logs(sums)  # type: ignore[attr-defined]
        noise = logs[:, z] - np.logaddexp.reduce(logs, axis=1)
    centre = N * units * (mu - float(MODEL.centre))
    spread = units * math.sqrt(N * float(MODEL.variance))
    likelihood = np.empty(len(mu))
    for i, middle in enumerate(centre):
        likelihood[i] = np.exp(noise - ((sums - middle) / spread) ** 2 / 2).sum()
    density = likelihood * stats.norm.pdf(mu, 1, 2)
    return mu, density / (density.sum() * (mu[1] - mu[0]))


@pytest.mark.parametrize(("name", "options", "z"), CASES)
def test_posterior_by_brute_force(name: str, options: dict[str, Any], z: int) -> None:
    mechanism = dp.mechanism(name, MODEL, N, epsilon=1, **options)
    found = infer_mean(mechanism, (z,))
    mu, density = brute_force(mechanism, z)
    width = mu[1] - mu[0]
    mean = float(density @ mu) * width
    assert found.mean() == pytest.approx(mean, abs=2e-5)
    assert found.variance() == pytest.approx(float(density @ (mu - mean) ** 2) * width, rel=2e-5)
    np.testing.assert_allclose(found.pdf(mu), density, atol=2e-5 * density.max())
    below = np.cumsum(density) * width - density * width / 2
    np.testing.assert_allclose(found.cdf(mu), below, atol=2e-4)
    low, high = found.interval(0.95)
    assert np.interp([low, high], mu, below) == pytest.approx([0.025, 0.975], abs=1e-4)


@pytest.mark.parametrize("name", ["laplace", "gaussian", "input", "hellinger"])
def test_without_noise_it_is_the_posterior(name: str) -> None:
    """A large ε, for which half a step of the grid per record is enough noise of any kind."""
    options: dict[str, Any] = {"delta": 1e-5} if name in ("gaussian", "input") else {}
    if name == "hellinger":
        options = {"points": 121}
    mechanism = dp.mechanism(name, MODEL, N, epsilon=10**5, **options)
    raw = 13 + 60 if name == "hellinger" else 13
    found, exact = infer_mean(mechanism, (raw,)), MODEL.posterior((N, 13))
    assert found.mean() == pytest.approx(exact.mean(), abs=1e-2)
    assert found.sd() == pytest.approx(exact.sd(), rel=2e-2)


def test_noise_that_hides_everything_leaves_the_prior() -> None:
    cases: list[tuple[str, dict[str, Any]]] = [("laplace", {}), ("gaussian", {"delta": 1e-5})]
    for name, options in cases:
        mechanism = dp.mechanism(name, MODEL, N, epsilon=1e-7, **options)
        found = infer_mean(mechanism, (0,))
        assert found.mean() == pytest.approx(1, abs=1e-4)
        assert found.sd() == pytest.approx(2, rel=1e-4)
        np.testing.assert_allclose(found.interval(), MODEL.prior.interval(), rtol=1e-3)


@pytest.mark.parametrize("n", [10**3, 10**7, 10**12])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-2, 10])
def test_any_size_and_budget(n: int, epsilon: float) -> None:
    """Against the normal law with the variance of Laplace noise where that is a good match."""
    model = NormalMean(0, 1, 1, (-5, 5), grid=100)
    mechanism = dp.mechanism("laplace", model, n, epsilon=epsilon)
    total = n * 10  # of a mean of ½
    found = infer_mean(mechanism, (total,))
    assert isinstance(found, NormalMixture)
    assert len(found.means) < 20_000
    assert found.weights.sum() == pytest.approx(1)
    noise = math.sqrt(2) * 200 / epsilon * float(model.step(n))
    exact = model.posterior((n, total)).sd()
    assert found.sd() <= 1.001 * min(1.0, math.hypot(noise, exact))
    assert found.sd() >= 0.99 * exact
    if noise < exact / 10:
        assert found.sd() == pytest.approx(math.hypot(noise, exact), rel=1e-2)
    low, high = found.interval()
    assert found.cdf(high) - found.cdf(low) == pytest.approx(0.95, abs=1e-9)


def test_gaussian_noise_in_closed_form() -> None:
    mechanism = dp.mechanism("gaussian", MODEL, N, epsilon=1, delta=1e-5)
    found = infer_mean(mechanism, (9,))
    assert isinstance(found, NormalPosterior)
    law = mechanism.make_raw_law((N, 0))
    # an observation of the mean of n records, with the noise of that many more
    noise = law.variances[0] * (MODEL.half / MODEL.grid / N) ** 2  # type: ignore[attr-defined]
    x = MODEL.centre + Fraction(9, N) * MODEL.half / MODEL.grid
    precision = 1 / MODEL.prior_variance + 1 / (MODEL.variance / N + noise)
    assert found.exact_variance == 1 / precision
    assert (
        found.exact_mean
        == (MODEL.prior_mean / MODEL.prior_variance + x / (MODEL.variance / N + noise)) / precision
    )


@pytest.mark.parametrize(
    ("name", "options", "trials"),
    [
        ("laplace", {}, 200),
        ("gaussian", {"delta": 1e-3}, 400),
        ("input", {"delta": 1e-2}, 300),
        ("hellinger", {"points": 51}, 80),
    ],
)
def test_intervals_cover(name: str, options: dict[str, Any], trials: int) -> None:
    """Means from the prior, records from the model: 80 % intervals cover 80 % of them.

    Two-sided binomial test with a false-alarm rate of 1e-6; wide bounds, so that few are clipped.
    The posterior as released is too narrow: its coverage is refuted by the same test.
    """
    rng = np.random.default_rng(8)
    n, model = 30, NormalMean(0, 1, 1, (-6, 6), grid=60)
    mechanism = dp.mechanism(name, model, n, epsilon=0.5, **options)
    covered = plain = 0
    for _ in range(trials):
        mu = rng.normal(0, 1)
        steps = np.floor(np.clip(rng.normal(mu, 1, n), -6, 6) * 10 + 0.5)
        raw = mechanism.make_raw_law((n, int(steps.sum()))).sample(rng=rng)
        low, high = infer_mean(mechanism, raw).interval(0.8)
        covered += low <= mu <= high
        low, high = model.released(mechanism.postprocess(raw)).interval(0.8)
        plain += low <= mu <= high
    ends = stats.binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], trials, 0.8)
    assert ends[0] <= covered <= ends[1]
    assert plain < ends[0]


def test_of_no_records_nothing_follows() -> None:
    release = dp.release((0, 0), MODEL, epsilon=1)
    assert release.noise_aware() == MODEL.prior
    with pytest.raises(InputError, match="n_prior"):
        release.noise_aware(n_prior=(1, 5))


def tabulated() -> NormalLaw:
    """The posterior of a release whose number of records is private too."""
    made = dp.mechanism("laplace", MODEL, None, epsilon=2, adjacency="add-remove")
    found: NormalLaw = infer(made, (72, 40))
    return found


@pytest.mark.parametrize("kind", ["mixture", "points"])
@pytest.mark.parametrize(("records", "variance"), [([2.5, 3.0, 1.0], 2.25), ([2.2] * 400, 0.01)])
def test_updates_multiply_by_the_likelihood(
    kind: str, records: list[float], variance: float
) -> None:
    """Also where the records say far more than what was known."""
    mixture = infer_mean(dp.mechanism("laplace", MODEL, N, epsilon=1), (9,))
    law = mixture if kind == "mixture" else tabulated()
    found = law.update(records, variance)
    centre, sd = float(np.mean(records)), math.sqrt(variance / len(records))
    mu = centre + np.linspace(-12, 12, 20_001) * sd
    density = law.pdf(mu) * stats.norm.pdf(mu, centre, sd)
    weights = density / density.sum()
    mean = weights @ mu
    assert found.mean() == pytest.approx(mean, abs=2e-3 * sd)
    assert found.sd() == pytest.approx(math.sqrt(weights @ (mu - mean) ** 2), rel=2e-3)
    below = np.interp([0.025, 0.975], np.cumsum(weights), mu)
    np.testing.assert_allclose(found.interval(), below, atol=5e-3 * sd)
    again = law.update(records[:1], variance).update(records[1:], variance)
    assert again.mean() == pytest.approx(found.mean(), abs=5e-3 * sd)
    assert law.update([], 1).mean() == law.mean()
    for wrong, sentence in ((([math.nan], 1), "data must be finite"), (([1.0], 0), "variance")):
        with pytest.raises(InputError, match=sentence):
            law.update(*wrong)
