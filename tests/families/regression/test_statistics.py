"""Noisy statistics of a regression: sensitivity, noise, weights."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.core.statistics import Statistics
from discreet.families.regression.sensitivity import best_weight
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw


def model_of(features: int, **options: Any) -> dp.LinearRegression:
    bounds = {f"x{j}": (-1, 1) for j in range(features)} | {"y": (-1, 1)}
    settings_ = {"grid": 4} | options
    return dp.LinearRegression(1, 1, bounds, **settings_).of("y")


def stats_of(model: dp.LinearRegression, records: Any) -> Statistics:
    table = np.array(records, dtype=float).reshape(-1, len(model.X) + 1)
    return model.count(table[:, :-1], table[:, -1])


def loss(made: dp.Mechanism, old: Statistics, new: Statistics) -> tuple[Fraction, Fraction]:
    """Σ rate·|shift| and Σ shift²/variance between the laws of two data sets."""
    sums = [Fraction(0), Fraction(0)]
    model = made.config.model
    laws: Any = [made.make_raw_law(model.to_vector(stats)) for stats in (old, new)]
    for first, second in zip(laws[0].parts, laws[1].parts, strict=True):
        if isinstance(first, NoiseLaw):
            shifts = zip(first.center, second.center, strict=True)
            sums[0] += first.rate * sum(abs(a - b) for a, b in shifts)
        elif isinstance(first, DiscreteGaussianLaw):
            terms = zip(first.center, second.center, first.variances, strict=True)
            sums[1] += sum((Fraction((a - b) ** 2) / v for a, b, v in terms), Fraction(0))
        else:
            assert first == second
    return sums[0], sums[1]


CORNERS = (-1, -0.5, 0, 0.5, 1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weight", [1, 2, 5])
def test_laplace_loses_epsilon_at_most_and_nearly(intercept: bool, weight: int) -> None:
    """All pairs of records of two features on a coarse grid."""
    model = model_of(2, intercept=intercept, grid=2)
    made = dp.mechanism("statistics", model, 1, epsilon=1, weight=weight)
    records = list(itertools.product(CORNERS, repeat=3))
    known = [stats_of(model, [record]) for record in records]
    losses = [loss(made, a, b)[0] for a, b in itertools.combinations(known, 2)]
    assert max(losses) <= 1
    assert max(losses) > Fraction(7, 10)


@pytest.mark.parametrize("intercept", [True, False])
def test_gaussian_shift_is_within_its_calibration(intercept: bool) -> None:
    model = model_of(2, intercept=intercept, grid=2)
    made = dp.mechanism("statistics", model, 1, epsilon=1, delta=1e-5, weight=2)
    known = [stats_of(model, [record]) for record in itertools.product(CORNERS, repeat=3)]
    largest = max(loss(made, a, b)[1] for a, b in itertools.combinations(known, 2))
    law: Any = made.make_raw_law(model.to_vector(known[0]))
    variance = law.parts[1].variances[0]
    square = (4 * (2 + int(intercept) + 4)) ** 2  # M²
    assert largest <= square / variance
    assert largest > Fraction(8, 10) * square / variance


@given(
    data=st.data(),
    features=st.integers(1, 5),
    radius=st.one_of(st.none(), st.fractions(Fraction(1, 4), 3)),
    weight=st.integers(1, 4),
    intercept=st.booleans(),
    private_n=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_no_pair_of_records_loses_more(
    data: Any, features: int, radius: Any, weight: int, intercept: bool, private_n: bool
) -> None:
    """Replaced records, and added ones under add-remove; bounds, radius, rounding to the grid."""
    model = model_of(
        features, radius=radius, intercept=intercept, grid=data.draw(st.integers(2, 50))
    )
    number = st.floats(-2, 2) | st.sampled_from([-1.0, 0.0, 1.0])
    record = st.lists(number, min_size=features + 1, max_size=features + 1)
    old, new = data.draw(record), data.draw(record)
    pair = stats_of(model, [old, new]), stats_of(model, [old])
    if not private_n:
        pair = stats_of(model, [old]), stats_of(model, [new])
    adjacency = "add-remove" if private_n else "substitute"
    options: Any = {"epsilon": 1, "weight": weight, "adjacency": adjacency}
    made = dp.mechanism("statistics", model, None if private_n else 1, **options)
    assert loss(made, *pair)[0] <= 1
    normal = dp.mechanism("statistics", model, None if private_n else 1, delta=1e-6, **options)
    law: Any = normal.make_raw_law(model.to_vector(pair[1]))
    assert normal.guarantee.delta == Fraction(1, 10**6)
    # the variance is that of the largest shift: (shift/σ)² of one dimension of that length
    one = dp.mechanism("statistics", model, None if private_n else 1, delta=1e-6, **options)
    assert one == normal
    assert loss(normal, *pair)[1] <= _largest(model, weight, private_n) / law.parts[1].variances[0]


def _largest(model: dp.LinearRegression, weight: int, private_n: bool) -> Fraction:
    """M², or M²/2 for a record that is added, by its definition."""
    features = Fraction(len(model.X) * model.grid**2)
    if model.radius is not None:
        reach = model.radius * model.grid + Fraction(len(model.X) ** 0.5) / 2 + Fraction(26, 100)
        features = min(features, reach**2)
    constant = int(model.intercept or private_n)
    square = (features + model.grid**2 * (constant + weight**2)) ** 2
    return square / 2 if private_n else square


def test_radius_makes_the_noise_smaller() -> None:
    scales = []
    for radius in (None, 1.0):
        made = dp.mechanism("statistics", model_of(10, radius=radius, grid=100), 1, epsilon=1)
        law: Any = made.make_raw_law((1,) * (1 + 77))
        scales.append(1 / law.parts[1].rate)
    assert scales[1] < 0.8 * scales[0]


def test_the_weight_of_y_is_public_and_sensible() -> None:
    """It depends on the prior and the number of features alone."""
    few, many = model_of(2, grid=100), model_of(50, grid=100)
    assert 1 <= best_weight(few, False, True) <= best_weight(many, False, True) <= 10
    made = dp.mechanism("statistics", many, 10, epsilon=1, weight=7)
    assert "weight=7" in repr(made)
    with pytest.raises(dp.InputError, match="weight must lie between 1 and 100, got 0"):
        dp.mechanism("statistics", few, 10, epsilon=1, weight=0)


def test_sums_that_do_not_fit_are_refused() -> None:
    model = dp.LinearRegression(1, 1, {"x": (0, 1), "y": (0, 1)}, grid=2**20).of("y")
    with pytest.raises(dp.InputError, match="grid must be smaller for 4194304 records"):
        dp.mechanism("statistics", model, 2**22, epsilon=1)


def test_noise_that_does_not_fit_is_refused_before_paying() -> None:
    model = model_of(10, grid=50400)
    with pytest.raises(dp.InputError, match=r"epsilon must be at least ≈ .* on a grid of 50400"):
        dp.mechanism("statistics", model, 1000, epsilon=1e-6)
    coarse = model_of(10, grid=100)
    assert dp.mechanism("statistics", coarse, 1000, epsilon=1e-6).guarantee.private


def test_sums_beyond_integers_are_cut_not_refused() -> None:
    """Where n is private a refusal would tell the sum: neighbours at the limit are released."""
    model = dp.LinearRegression(1, 1, {"x": (-1, 1), "y": (-1, 1)}, grid=2**20)
    for ones in (500, 838, 839, 1000):
        y = np.zeros(1000)
        y[:ones] = 1
        stats = model.count({"x": np.zeros(1000), "y": y}, "y")
        made = dp.release(stats, model, 10, adjacency="add-remove", weight=100)
        assert made.raw[-1] > 2**60


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int8])
def test_numbers_of_numpy_do_not_overflow(kind: Any) -> None:
    wide: Any = np.int64(1234567891), np.int64(10**10)
    epsilon = Fraction(*wide)
    made = [
        dp.mechanism("statistics", model_of(2, grid=50400), 1000, epsilon=e, weight=w)
        for e, w in ((0.1234567891, 3), (epsilon, kind(3)))
    ]
    laws: Any = [mechanism.make_raw_law((1000,) + (0,) * 9) for mechanism in made]
    assert laws[0] == laws[1]
    assert made[0] == made[1]
    assert laws[1].sample(rng=np.random.default_rng(1))
    sampled = dp.mechanism("sample", model_of(2), 9, epsilon=1, samples=kind(65), steps=kind(100))
    assert sampled.length == 3 * 65


def test_released_values_are_possible(rng: Any) -> None:
    """Entries are cut to what n records can have; the raw output is kept."""
    model = model_of(2)
    stats = stats_of(model, rng.uniform(-1, 1, (3, 3)))
    for seed in range(20):
        made = dp.release(stats, model, 0.01, rng=np.random.default_rng(seed))
        most = made.value[0]
        assert most == 3 * 16
        assert all(-most <= entry <= most for entry in made.value[1:3])
        assert min(made.value[-3:]) >= 0
        assert np.isfinite(made.posterior.mean()).all()
        assert np.isfinite(made.noise_aware().mean()).all()
    with pytest.raises(dp.InputError, match="raw must be the whole numbers"):
        dp.mechanism("statistics", model, 3, epsilon=1).postprocess((1, 2, 3))


def test_delta() -> None:
    model = model_of(1)
    for delta in (-1, 1, 2, "x", float("nan")):
        with pytest.raises(dp.InputError, match="delta must"):
            dp.mechanism("statistics", model, 1, epsilon=1, delta=delta)


def test_add_remove_hides_n(rng: Any) -> None:
    model = model_of(2)
    stats = stats_of(model, rng.uniform(-1, 1, (50, 3)))
    made = [dp.release(stats, model, 1, adjacency="add-remove", rng=rng) for _ in range(4)]
    assert len({release.value[0] for release in made}) > 1
    assert all(release.config.n is None for release in made)
    assert dp.Release.from_json(made[0].to_json()) == made[0]
    assert np.isfinite(made[0].noise_aware().mean()).all()
