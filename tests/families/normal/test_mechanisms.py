from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet import InputError
from discreet.core import PointMass
from discreet.exact import balls
from discreet.families.normal.model import NormalMean
from discreet.laws.gaussian import DiscreteGaussianLaw, SummedGaussianLaw
from discreet.laws.hellinger_normal import HellingerNormalLaw
from discreet.laws.noise import NoiseLaw
from tests.statistics import noncentrality, pearson

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7), grid=10)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("laplace", {}),
    ("gaussian", {"delta": 1e-5}),
    ("input", {"delta": 1e-5}),
    ("hellinger", {"points": 21}),
]


def made(name: str, n: int = 6, epsilon: float = 1, **options: Any) -> dp.Mechanism:
    return dp.mechanism(name, MODEL, n, epsilon=epsilon, **options)


def probabilities(law: Any, reach: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and their probabilities, from the law's own definition."""
    if law.candidates is not None:
        return law.support[:, 0], np.exp(law.log_p)
    points = np.arange(law.center[0] - reach, law.center[0] + reach + 1)
    return points, np.array([law.probability((int(z),)) for z in points])


@pytest.mark.parametrize(("name", "options"), CASES)
def test_draws_follow_the_law_and_no_steeper_one(name: str, options: dict[str, Any]) -> None:
    """Pearson's test with a false-alarm rate of 1e-6."""
    size, values = 30_000, (6, 13)
    law = made(name, **options).make_raw_law(values)
    steeper = made(name, epsilon=1.5, **options).make_raw_law(values)
    draws = law.sample(size, np.random.default_rng(11))[:, 0]
    points, p = probabilities(law)
    assert p.sum() == pytest.approx(1, abs=1e-9)
    # 25 cells of about equal probability
    cells = np.minimum((25 * (np.cumsum(p) - p / 2)).astype(int), 24)
    truth: Any = np.bincount(cells, weights=p, minlength=25)
    other: Any = np.bincount(cells, weights=probabilities(steeper)[1], minlength=25)
    observed = np.bincount(cells[draws - points[0]], minlength=25)
    kept = truth > 0
    statistic, limit = pearson(observed[kept], truth[kept])
    assert statistic < limit
    assert noncentrality(truth[kept], other[kept], size) > 2 * limit
    assert pearson(observed[kept], other[kept])[0] > limit


@pytest.mark.parametrize("count", [2, 3, 7])
@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(2)])
def test_sums_of_discrete_gaussians_are_enclosed(count: int, variance: Fraction) -> None:
    """The convolution, by brute force, lies in the ball."""
    one = DiscreteGaussianLaw((0,), (variance,))
    points = range(-40, 41)
    column = np.array([one.probability((z,)) for z in points])
    p = np.array([1.0])
    for _ in range(count):
        p = np.convolve(p, column)
    law = SummedGaussianLaw((5,), variance, count)
    with balls.precision(128):
        for z in range(-8, 9):
            enclosed = law.log_weight((5 + z,)).exp()
            exact = p[40 * count + z]
            assert float(enclosed.lower()) * (1 - 1e-12) <= exact
            assert exact <= float(enclosed.upper()) * (1 + 1e-12)
            if variance == 2:
                assert enclosed.rad() < 1e-7
    assert law.candidates is None
    assert "5" not in repr(law).split("variance")[0]


def test_many_rows_and_many_summands_are_drawn_alike() -> None:
    law = SummedGaussianLaw((3,), Fraction(4), 120_000)
    draws = law.sample(4, np.random.default_rng(1))
    assert draws.shape == (4, 1)
    assert (np.abs(draws - 3) < 6 * 2 * math.sqrt(120_000)).all()
    few = SummedGaussianLaw((3,), Fraction(4), 2).sample(60_001, np.random.default_rng(1))
    assert few.var() == pytest.approx(8, rel=0.05)
    with pytest.raises(InputError, match="variances"):
        SummedGaussianLaw((0,), Fraction(10) ** 29, 100).require_drawable()


def test_hellinger_scores_are_the_distances_of_the_posteriors() -> None:
    n, total, points = 6, 13, 21
    law = made("hellinger", points=points).make_raw_law((n, total))
    assert isinstance(law, HellingerNormalLaw)
    true = MODEL.posterior((n, total))
    sensitivity = MODEL.released((n, 0)).hellinger(MODEL.released((n, 20)))
    means = []
    for j in range(points):
        released = MODEL.released(made("hellinger", points=points).postprocess((j,)))
        means.append(released.exact_mean)
        score = true.hellinger(released)
        with balls.precision(128):
            log = float(law.log_weight((j,)))
        assert log == pytest.approx(-score / (2 * sensitivity), rel=1e-12)
        assert law.float_logs(np.array([float(total)]))[0, j] == pytest.approx(log, rel=1e-12)
    assert means[0] == MODEL.posterior((n, -n * 10)).exact_mean
    assert means[-1] == MODEL.posterior((n, n * 10)).exact_mean
    assert len({b - a for a, b in pairwise(means)}) == 1
    assert law.probability((21,)) == law.probability((-1,)) == 0
    assert np.exp(law.log_p).sum() == pytest.approx(1)


def test_the_noise_is_that_of_the_tight_sensitivity() -> None:
    n, epsilon = 6, Fraction(1, 2)
    law = dp.mechanism("laplace", MODEL, n, epsilon=epsilon).make_raw_law((n, 0))
    assert isinstance(law, NoiseLaw)
    sensitivity = 10 * MODEL.prior_variance / (MODEL.variance + n * MODEL.prior_variance)
    assert law.rate / MODEL.step(n) == epsilon / sensitivity
    assert (law.low, law.high) == (None, None)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_releases(name: str, options: dict[str, Any], tmp_path: Any) -> None:
    counts = MODEL.count([1.0, 2.0, 9.0, -3.0])
    release = dp.release(counts, MODEL, epsilon=2, mechanism=name, **options)
    assert release.guarantee.epsilon == 2
    assert release.guarantee.delta == (Fraction(1, 10**5) if "delta" in options else 0)
    n, total = map(Fraction, release.value)
    assert n == 4
    assert abs(total) <= 40
    assert release.posterior == MODEL.released(release.value)
    release.save(tmp_path / "r.json")
    again = dp.Release.load(tmp_path / "r.json")
    assert again == release
    assert again.posterior == release.posterior
    mechanism = made(name, **options)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    rebuilt = pickle.loads(pickle.dumps(mechanism)).make_raw_law((6, 1))
    assert rebuilt == mechanism.make_raw_law((6, 1))


def test_the_released_sum_is_cut_to_what_is_possible() -> None:
    for name, options in CASES[:3]:
        mechanism = made(name, **options)
        assert mechanism.postprocess((61,)) == (6, 60)
        assert mechanism.postprocess((-(10**17),)) == (6, -60)
        assert mechanism.postprocess((7,)) == (6, 7)
    hellinger = made("hellinger", points=4)
    assert hellinger.postprocess((0,)) == (6, -60)
    assert hellinger.postprocess((1,)) == (6, -20)
    assert made("hellinger", points=14).postprocess((1,)) == (6, Fraction(-660, 13))
    for raw in ((4,), (-1,), (0, 0), ()):
        with pytest.raises(InputError, match="raw"):
            hellinger.postprocess(raw)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_nothing_is_hidden_of_no_records(name: str, options: dict[str, Any]) -> None:
    law = made(name, n=0, **options).make_raw_law((0, 0))
    assert isinstance(law, PointMass)
    release = dp.release((0, 0), MODEL, epsilon=1, mechanism=name, **options)
    assert release.posterior == MODEL.prior


def test_wrong_settings() -> None:
    for name in ("gaussian", "input"):
        for delta in (0, 1, -1e-3, math.nan):
            with pytest.raises(InputError, match="delta"):
                made(name, delta=delta)
        with pytest.raises(InputError, match="delta must be given for"):
            dp.release((6, 0), MODEL, epsilon=1, mechanism=name)
    with pytest.raises(InputError, match="delta is not an option"):
        dp.release((6, 0), MODEL, epsilon=1, mechanism="laplace", delta=1e-6)
    for points in (1, 10**5, 2.0):
        with pytest.raises(InputError, match="points"):
            made("hellinger", points=points)
    with pytest.raises(InputError, match="n must be at most 1000000 for 'input'"):
        made("input", n=10**6 + 1, delta=1e-5)
    with pytest.raises(InputError, match=r"n must be below 2\*\*62/grid"):
        made("laplace", n=2**60)
    fine = NormalMean(0, 1, 1, (0, 1), grid=2**20)
    with pytest.raises(InputError, match="epsilon must be larger for delta = 1e-12"):
        dp.mechanism("gaussian", fine, 5, epsilon=1e-9, delta=1e-12)
    for name, options in CASES[2:]:
        with pytest.raises(InputError, match="got 'add-remove'; use 'laplace' or 'gaussian'"):
            dp.mechanism(name, MODEL, epsilon=1, adjacency="add-remove", **options)


def test_the_usual_mechanism_is_laplace() -> None:
    assert dp.release(MODEL.count([1.0]), MODEL, epsilon=1).config.mechanism == "laplace"
