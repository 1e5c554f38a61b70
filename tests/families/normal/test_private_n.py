"""Means under add-remove: noise on the distances of the records from either bound."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet import InputError
from discreet.exact.hockey_stick import gaussian_variance
from discreet.families.normal.model import NormalMean
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw
from tests.statistics import noncentrality, pearson

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7), grid=10)
CASES: list[tuple[str, dict[str, Any]]] = [("laplace", {}), ("gaussian", {"delta": 1e-5})]
FRAME = pd.DataFrame({"x": [1.0, 2.0, 9.0, -3.0, math.nan], "g": [1, 1, 0, 0, 0]})


def made(name: str, model: NormalMean = MODEL, epsilon: object = 1, **options: Any) -> Any:
    return dp.mechanism(name, model, epsilon=epsilon, adjacency="add-remove", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_one_record_moves_the_sums_by_the_width_of_the_bounds(
    name: str, options: dict[str, Any]
) -> None:
    """Over all records beside none, some and more than the sums have room for."""
    mechanism = made(name, **options)
    steps = range(-MODEL.grid, MODEL.grid + 1)
    for n, total in ((0, 0), (7, -31), (2**61 // 10 - 1, 5), (2**62 - 2, 3)):
        before = mechanism.make_raw_law((n, total)).center
        changes = [
            np.subtract(mechanism.make_raw_law((n + 1, total + step)).center, before).tolist()
            for step in steps
        ]
        for step, (low, high) in zip(steps, changes, strict=True):
            assert 0 <= low <= MODEL.grid + step
            assert 0 <= high <= MODEL.grid - step
            if n < 10:
                assert low + high == 2 * MODEL.grid
        squares = max(low**2 + high**2 for low, high in changes)
        assert squares == (2 * MODEL.grid) ** 2 if n < 10 else squares < (2 * MODEL.grid) ** 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(4)])
@pytest.mark.parametrize("share", [Fraction(1, 1000), Fraction(1, 10**6)])
@pytest.mark.parametrize("grid", [2, 3])
def test_delta_of_gaussian_noise_by_brute_force(
    epsilon: Fraction, share: Fraction, grid: int
) -> None:
    """P(A) − e^ε·P'(A) summed over all pairs of outputs, for every record on a coarse grid."""
    model = NormalMean(bounds=(0, 1), grid=grid)
    law = made("gaussian", model, epsilon, delta=share).make_raw_law((0, 0))
    variance = law.variances[0]
    assert law.variances == (variance, variance)
    assert variance == gaussian_variance(epsilon, share, Fraction(2 * grid) ** 2, dimension=2)

    def largest(variance: Fraction) -> float:
        reach = math.ceil(9 * math.sqrt(variance)) + 2 * grid
        z = np.arange(-reach, reach + 1)
        p = np.exp(-(z**2) / (2 * float(variance)))
        found = []
        for low in range(2 * grid + 1):
            high = 2 * grid - low
            moved = [np.exp(-((z - s) ** 2) / (2 * float(variance))) for s in (low, high)]
            gain = np.outer(p, p) - math.exp(epsilon) * np.outer(*moved)
            found.append(float(np.maximum(gain, 0).sum() / p.sum() ** 2))
        return max(found)

    assert largest(variance) <= share
    assert largest(variance * Fraction(17, 20)) > share


def test_the_noise_is_half_that_of_the_sum_and_the_number() -> None:
    """Laplace noise on ΣU and on n, each with half the budget, against what is drawn here."""
    law = made("laplace", epsilon=Fraction(1, 2)).make_raw_law((6, 13))
    assert isinstance(law, NoiseLaw)
    assert law.center == (73, 47)
    assert (law.low, law.high) == (None, None)
    of_both = 2 / law.rate**2
    apart = 2 * (MODEL.grid / Fraction(1, 4)) ** 2  # ΣU changes by at most the grid
    assert 2 * of_both / 4 == apart / 2  # of half the difference
    assert 2 * of_both / (2 * MODEL.grid) ** 2 == 2 / Fraction(1, 4) ** 2 / 2  # of n


@pytest.mark.parametrize(("name", "options"), CASES)
def test_draws_follow_the_law_and_no_steeper_one(name: str, options: dict[str, Any]) -> None:
    """Pearson's test with a false-alarm rate of 1e-6, on 25 cells of both numbers together."""
    size, values, reach = 30_000, (6, 13), 1500
    law = made(name, **options).make_raw_law(values)
    steeper = made(name, epsilon=1.5, **options).make_raw_law(values)
    draws = law.sample(size, np.random.default_rng(12)) - np.array(law.center)
    z = np.arange(-reach, reach + 1)

    def column(law: Any) -> np.ndarray:
        """P(noise = z) of one number."""
        if isinstance(law, NoiseLaw):
            weights = np.exp(-float(law.rate) * np.abs(z))
        else:
            assert isinstance(law, DiscreteGaussianLaw)
            weights = np.exp(-(z**2) / (2 * float(law.variances[0])))
        return np.asarray(weights / weights.sum())

    p, q = column(law), column(steeper)
    point = tuple(center + away for center, away in zip(law.center, (3, -5), strict=True))
    assert law.probability(point) == pytest.approx(p[reach + 3] * p[reach - 5])
    cells = np.minimum((5 * (np.cumsum(p) - p / 2)).astype(int), 4)
    columns: list[Any] = [np.bincount(cells, weights=w, minlength=5) for w in (p, q)]
    truth, wrong = (np.outer(column, column).ravel() for column in columns)
    observed = np.bincount(cells[draws + reach] @ np.array([5, 1]), minlength=25)
    statistic, limit = pearson(observed, truth)
    assert statistic < limit
    assert noncentrality(truth, wrong, size) > 2 * limit
    assert pearson(observed, wrong)[0] > limit


@pytest.mark.parametrize(("name", "options"), CASES)
def test_no_records_are_hidden_too(name: str, options: dict[str, Any]) -> None:
    """A public n = 0 needs no noise; a private one does."""
    draws = made(name, **options).make_raw_law((0, 0)).sample(200, np.random.default_rng(1))
    assert len(np.unique(draws)) > 50
    release = dp.release((0, 0), MODEL, 1, name, adjacency="add-remove", **options)
    assert len(release.raw) == 2


def test_what_is_released_is_possible() -> None:
    mechanism = made("laplace")
    assert mechanism.postprocess((73, 47)) == (6, 13)
    assert mechanism.postprocess((74, 47)) == (6, 13)
    assert mechanism.postprocess((0, 0)) == (0, 0)
    assert mechanism.postprocess((9, 0)) == (0, 0)
    assert mechanism.postprocess((11, 0)) == (1, 5)
    assert mechanism.postprocess((-50, 80)) == (4, -40)
    assert mechanism.postprocess((-50, -80)) == (0, 0)
    assert mechanism.postprocess((-(2**62), 2**62)) == (round(Fraction(2**61, 20)), -(2**60))
    for low, high in itertools.product((-7, 0, 3, 25, 91, 2**61, 2**62), repeat=2):
        n, total = mechanism.postprocess((low, high))
        assert n >= 0
        assert abs(total) <= 10 * n
        assert MODEL.to_vector((n, total)) == (n, total)
    for raw in ((4,), (0, 0, 0), ()):
        with pytest.raises(InputError, match="raw"):
            mechanism.postprocess(raw)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_releases(name: str, options: dict[str, Any], tmp_path: Any) -> None:
    given: dict[str, Any] = {"adjacency": "add-remove"} | options
    some = MODEL.count(FRAME, "x", where="g = 1")
    dropped = MODEL.count(FRAME, "x", unknown="drop")
    assert (some.values, dropped.values) == ((2, -2), (4, -2))
    for counts in (some, dropped):
        with pytest.raises(dp.PrivacyRefusedError, match="release them under adjacency 'add-rem"):
            dp.release(counts, MODEL, 1, name, **options)
        release = dp.release(counts, MODEL, 1, name, **given)
        assert str(release.guarantee).endswith("for adding or removing one record")
        assert release.guarantee.delta == (Fraction(1, 10**5) if options else 0)
        assert (release.where, release.dropped) == (counts.where, counts.dropped)
        assert release.config.n is None
        assert release.n_source is None
        assert release.posterior == MODEL.released(release.value)
        release.save(tmp_path / "r.json", overwrite=True)
        again = dp.Release.load(tmp_path / "r.json")
        assert again == release
        assert again.noise_aware().mean() == release.noise_aware().mean()
        assert "n private" in str(release.summary())
    mechanism = made(name, **options)
    rebuilt = pickle.loads(pickle.dumps(mechanism))
    assert rebuilt == mechanism
    assert rebuilt.make_raw_law((6, 1)) == mechanism.make_raw_law((6, 1))
    with pytest.raises(InputError, match="n must be None under add-remove"):
        dp.release(some, MODEL, 1, name, n=2, **given)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_ledger_under_substitution_counts_it_twice(
    name: str, options: dict[str, Any], tmp_path: Any
) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db")
    ledger.create("ward", 2, 1e-3)
    given = options | {"adjacency": "add-remove", "ledger": ledger, "dataset": "ward"}
    dp.release(MODEL.count([1.0]), MODEL, 1, name, **given)
    assert ledger.remaining("ward").epsilon == 0
