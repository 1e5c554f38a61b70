"""Regressions of persons with several records: cut to m of them, or averaged."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import discreet as dp
from discreet import InputError, PrivacyRefusedError
from discreet.core.counts import AVERAGED
from discreet.exact import Floats, Ints
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import infer
from discreet_papers import persons_coverage as study

ADDED: dict[str, Any] = {"adjacency": "add-remove"}
AVERAGE: dict[str, Any] = {"unit": "patient", "per_unit": "average"}
DELTA = Fraction(1, 10**5)
PARTS = math.isqrt(AVERAGED)


def cut(m: int) -> dict[str, Any]:
    return {"unit": "patient", "max_per_unit": m}


def model_of(features: int, **options: Any) -> dp.LinearRegression:
    bounds = {f"x{j}": (-1, 1) for j in range(features)} | {"y": (-1, 1)}
    settings: dict[str, Any] = {"grid": 2} | options
    return dp.LinearRegression(1, 1, bounds, **settings).of("y")


def made(model: dp.LinearRegression, **options: Any) -> dp.Mechanism:
    given: dict[str, Any] = {"epsilon": 1} | ADDED | options
    return dp.mechanism("statistics", model, **given)


def moments(model: dp.LinearRegression, records: Ints) -> Ints:
    """The statistics of every record on the grid, a row each: as `model.count` does."""
    constant = [model.grid] * len(records)
    rows = np.column_stack([constant, records] if model.intercept else [records])
    pairs = itertools.combinations(range(model.rows), 2)
    squares = range(int(model.intercept), model.rows)
    columns = [rows[:, i] * rows[:, j] for i, j in [*pairs, *((j, j) for j in squares)]]
    return np.column_stack([np.ones(len(records), dtype=int), *columns])


def on_grid(columns: int, grid: int) -> Ints:
    steps = range(-grid, grid + 1)
    return np.array(list(itertools.product(steps, repeat=columns)))


def levels(mechanism: dp.Mechanism) -> tuple[Floats, Floats]:
    """What the noise of every number makes of a change by 1: rates, and 1/variance."""
    law: Any = mechanism.make_raw_law((0,) * mechanism.config.model.size)
    rates: list[float] = []
    precisions: list[float] = []
    for part in law.parts:
        if isinstance(part, NoiseLaw):
            rates += [float(part.rate)] * part.dimension
            precisions += [0.0] * part.dimension
        else:
            assert isinstance(part, DiscreteGaussianLaw)
            rates += [0.0] * part.dimension
            precisions += [1 / float(v) for v in part.variances]
    return np.array(rates), np.array(precisions)


def centers(mechanism: dp.Mechanism, statistics: Ints) -> Ints:
    """Where the noise is added: weighted, and n times the squared grid."""
    model, c = mechanism.config.model, dict(mechanism.config.options)["weight"]
    last = model.rows - 1
    pairs = [*itertools.combinations(range(model.rows), 2)]
    pairs += [(j, j) for j in range(int(model.intercept), model.rows)]
    factors = [model.grid**2, *(c ** pair.count(last) for pair in pairs)]
    found: Ints = statistics * np.array(factors)
    return found


def multisets(rows: Ints, most: int) -> Iterator[Ints]:
    """The sums of all up to `most` rows, those of each size together."""
    for size in range(1, most + 1):
        chosen = np.array(list(itertools.combinations_with_replacement(range(len(rows)), size)))
        yield rows[chosen].sum(axis=1)


def test_the_centers_are_those_of_the_law() -> None:
    model = model_of(1)
    mechanism = made(model, weight=3)
    for row in moments(model, on_grid(2, 2)).tolist():
        law: Any = mechanism.make_raw_law(tuple(row))
        found = [number for part in law.parts for number in part.center]
        assert found == centers(mechanism, np.array([row]))[0].tolist()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weight", [1, 2])
@pytest.mark.parametrize(("grid", "most"), [(2, 1), (2, 2), (2, 3), (4, 1), (4, 2), (4, 3)])
def test_persons_by_brute_force(intercept: bool, weight: int, grid: int, most: int) -> None:
    """All persons with up to m records: the largest change is that of the calibration, no more.

    Without a constant two products of the 1 that counts are not released, so it is a known share.
    """
    model = model_of(1, intercept=intercept, grid=grid)
    persons = [*multisets(moments(model, on_grid(2, grid)), most)]
    mechanism = made(model, weight=weight, **cut(most))
    rates, _ = levels(mechanism)
    worst = max(float((np.abs(centers(mechanism, some)) @ rates).max()) for some in persons)
    share = 1.0 if intercept else 1 - 2 * (1 + weight) / (2 + weight) ** 2
    assert worst == pytest.approx(share, rel=1e-12)
    normal = made(model, weight=weight, delta=DELTA, **cut(most))
    _, precisions = levels(normal)
    worst = max(float((np.square(centers(normal, some)) @ precisions).max()) for some in persons)
    share = 1.0 if intercept else 1 - 2 * (1 + weight**2) / (2 + weight**2) ** 2
    assert worst == pytest.approx(share * assumed(normal.guarantee.curve), rel=1e-9)


def assumed(curve: Any) -> float:
    """The largest Σ (shift/σ)² that normal noise is calibrated for."""
    return float(curve.sensitivity_squared / curve.variance)


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("intercept", [True, False])
def test_replaced_persons_by_brute_force(most: int, intercept: bool) -> None:
    """All pairs of persons with up to m records: within what the curve for that says.

    Eight ninths of it for s = (1, 1, 1) and (1, −1, −1); less where products are not released.
    """
    model = model_of(1, intercept=intercept)
    mechanism = made(model, delta=DELTA, weight=1, **cut(most))
    rows = moments(model, on_grid(2, 2))
    persons = np.concatenate([rows[:1] * 0, *multisets(rows, most)])
    _, precisions = levels(mechanism)
    root = centers(mechanism, persons) * np.sqrt(precisions)
    squares = np.square(root).sum(axis=1)
    worst = float((squares[:, None] + squares - 2 * root @ root.T).max())
    largest = assumed(mechanism.guarantee.replacing)
    assert mechanism.guarantee.under("substitute").curve == mechanism.guarantee.replacing
    assert (0.88 if intercept else 0.44) * largest < worst <= largest * (1 + 1e-12)


@pytest.mark.parametrize("features", [1, 2])
@pytest.mark.parametrize("radius", [None, Fraction(13, 40)])
def test_averages_by_brute_force(features: int, radius: Fraction | None) -> None:
    """Means of two records, read on the coarse grid, in parts of 1/3600: no further than a record.

    Rounding to a grid that is 60 times as coarse would lead out of a radius further than rounding
    to the model's own; so records are drawn into a ball that is smaller by as much, as
    `data.moments` says.
    """
    model = model_of(features, radius=radius, grid=8 * PARTS)
    rounding = Fraction(math.sqrt(features)) / 2 + Fraction(1, 4)
    within = None if radius is None else radius - (PARTS - 1) * rounding / model.grid
    numbers = np.linspace(-1, 1, 41 if features == 1 else 9)
    raw = np.array(list(itertools.product(numbers, repeat=features + 1)))

    def read(ball: Fraction | None) -> Ints:
        coarse = model_of(features, radius=ball, grid=8)
        return np.array(sorted({coarse.count(row[None, :-1], row[-1:]).values for row in raw}))

    records = read(within)
    assert len(records) > 20
    some = records[:: len(records) // 20]
    means = [
        (AVERAGED - part) * a + part * b
        for a, b in itertools.product(some, repeat=2)
        for part in (7, AVERAGED // 2)
    ]
    persons = np.array([*means, *(AVERAGED * row for row in records)])
    persons[:, 0] = 1
    for delta in (0, DELTA):
        mechanism = made(model, delta=delta, **AVERAGE)
        rates, precisions = levels(mechanism)
        moved = centers(mechanism, persons)
        worst = (np.abs(moved) @ rates + np.square(moved) @ precisions).max()
        limit = assumed(mechanism.guarantee.curve) if delta else 1.0
        assert 0.7 * limit < worst <= limit * (1 + 1e-12)
    if radius is not None:
        most = float(radius * model.grid + rounding)
        assert np.sqrt(features_squares(model, persons).max()) <= most
        assert np.sqrt(features_squares(model, AVERAGED * read(radius)).max()) > most


def features_squares(model: dp.LinearRegression, persons: Ints) -> Ints:
    """Σ u² of every row: of the squares all but the last."""
    found: Ints = persons[:, -(len(model.X) + 1) : -1].sum(axis=1)
    return found


@pytest.mark.parametrize("delta", [0, DELTA])
@pytest.mark.parametrize("most", [2, 3])
def test_audits_find_out_noise_for_fewer_records(delta: Any, most: int) -> None:
    model = model_of(1)
    right = made(model, delta=delta, weight=1, **cut(most))
    assert 0.9 < dp.audit(right).epsilon <= 1 + 1e-9
    fewer = made(model, delta=delta, weight=1, **cut(most - 1))
    wrong = dp.audit(replace(right, make_raw_law=fewer.make_raw_law))
    assert wrong.epsilon_lower > (1.02 if delta else most / (most - 1) - 1e-9)
    assert dp.audit(made(model, delta=delta, weight=1, **AVERAGE)).epsilon <= 1 + 1e-9


LINE = dp.LinearRegression(4, 1, {"x": (0, 10), "y": (-5, 5)}).of("y")
DATA = LINE.count({"x": [1, 4.5, 8, 2, 9], "y": [-3, 0, 2, -2, 4.5]}, "y")


@pytest.mark.parametrize("delta", [0, DELTA])
def test_what_is_released_says_whom_it_protects(delta: Any, tmp_path: Any) -> None:
    for rule, said, counted in (
        (cut(2), "at most m = 2 records", "at most 2 records of every patient"),
        (AVERAGE, "the records of one patient weigh one together", "every patient weighs one"),
    ):
        release = dp.release(replace(DATA, **rule), LINE, 1, delta=delta, **ADDED)
        assert (release.guarantee.unit, release.guarantee.max_per_unit) == (
            "patient",
            rule.get("max_per_unit", 1),
        )
        assert "adding or removing one patient" in str(release.guarantee)
        assert said in str(release.guarantee.basis)
        assert counted in str(release.summary())
        release.save(tmp_path / "r.json", overwrite=True)
        assert dp.Release.load(tmp_path / "r.json") == release
    alone = dp.release(replace(DATA, **cut(1)), LINE, 1, delta=delta)
    assert str(alone.guarantee).endswith("for replacing one patient")


def test_what_cannot_be_released_is_refused() -> None:
    for rule in (cut(2), AVERAGE):
        with pytest.raises(PrivacyRefusedError, match="under adjacency 'add-remove' only"):
            dp.release(replace(DATA, **rule), LINE, 1)
        with pytest.raises(InputError, match="under substitution"):
            dp.mechanism("statistics", LINE, 5, epsilon=1, **rule)
    with pytest.raises(PrivacyRefusedError, match="released by 'statistics' only"):
        dp.release(replace(DATA, **cut(1)), LINE, 1, "sample")
    fine = model_of(1, grid=2**20)
    with pytest.raises(InputError, match="epsilon must be at least"):
        made(fine, epsilon=1e-3, **cut(10**6))
    with pytest.raises(InputError, match="1e30"):
        made(fine, epsilon=1e-3, delta=DELTA, **cut(10**6)).make_raw_law(
            (0,) * 6
        ).require_drawable()


@pytest.mark.parametrize("delta", [0, DELTA])
def test_errors_plans_and_noise_see_the_records_of_a_person(delta: Any) -> None:
    given = {"delta": delta} | ADDED
    single, double, averaged = (
        LINE.expected_error(2000, 1, **given, **unit) for unit in ({}, cut(2), AVERAGE)
    )
    assert double.prediction > 1.5 * single.prediction
    assert averaged == single
    plans = [dp.plan(LINE, 2000, error=0.5, **given, **unit) for unit in ({}, cut(2), AVERAGE)]
    assert plans[1].epsilon > 1.7 * plans[0].epsilon
    assert plans[2].epsilon == plans[0].epsilon
    raw = tuple(made(LINE, delta=delta).make_raw_law(DATA.values).sample(rng=rng_of(7)))
    plain, wide, same = (
        infer(made(LINE, delta=delta, **unit), raw) for unit in ({}, cut(3), AVERAGE)
    )
    assert (wide.sd() > plain.sd()).all()
    assert same.means.tolist() == plain.means.tolist()
    if not delta:
        third = infer(made(LINE, epsilon=Fraction(1, 3)), raw)
        assert wide.means.tolist() == third.means.tolist()


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("delta", [0, DELTA])
def test_averages_of_one_record_each_are_the_records(delta: Any) -> None:
    """The same draws, values and posteriors: only the words and the unit differ."""
    plain, averaged = (
        dp.release(counts, LINE, 1, delta=delta, rng=rng_of(3), **ADDED)
        for counts in (DATA, replace(DATA, **AVERAGE))
    )
    assert averaged.raw == plain.raw
    assert averaged.value == plain.value
    assert averaged.posterior.mean().tolist() == plain.posterior.mean().tolist()
    first, second = (release.noise_aware() for release in (averaged, plain))
    assert first.means.tolist() == second.means.tolist()
    assert first.covariances.tolist() == second.covariances.tolist()


def test_the_study_reads_records_as_models_do() -> None:
    """Averages of equal records are the records, nearly on a coarser grid; cut ones are counted."""
    x = np.round(rng_of(1).uniform(-1, 1, (7, 1, study.FEATURES)) * 40) / 40
    y = np.round(x.sum(axis=2) * 40) / 40
    three = np.repeat(x, 3, axis=1), np.repeat(y, 3, axis=1)
    plain = study.LINE.count(x[:, 0], y[:, 0])
    averaged = study.line_of("average", *three)
    assert averaged.n_records == 7
    assert (averaged.unit, averaged.averaged) == ("person", True)
    exact = [*map(float, study.LINE.posterior(plain).mean())]
    assert study.LINE.posterior(averaged).mean() == pytest.approx(exact, abs=0.01)
    kept = study.line_of("cut", *three)
    assert (kept.n_records, kept.max_per_unit) == (21, 3)
    mean = study.mean_of("average", np.repeat(np.array([[0.6], [-1.2]]), 3, axis=1))
    assert mean.values == study.MEAN.count([0.6, -1.2]).values


SLOW = [
    each
    for each in study.SETTINGS
    if each.rule == "cut" and not each.alike and each.persons < 1_000
] + [each for each in study.SETTINGS if each.rule == "average" and each.model == "regression"]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SLOW, ids=str)
def test_intervals_cover(setting: study.Setting) -> None:
    """Some hundred intervals: the binomial law's limits with a false-alarm rate of 1e-6.

    As if the coefficients of one data set were independent, which they nearly are. Averages of
    independent records cover more.
    """
    found = study.coverage(setting, 400)
    low, high = stats.binom.interval(1 - 2e-6, found.checks, 0.95) / np.array(found.checks)
    assert low <= found.inside <= (1 if setting.rule == "average" else high)


@pytest.mark.slow
def test_intervals_of_records_that_are_alike_do_not_cover() -> None:
    """What docs/limits.md says: with one error for both records, and little noise, of a mean."""
    setting = study.Setting("mean", "cut", 1.0, 300, 10.0, 1e-6)
    found = study.coverage(setting, 1_000)
    low, high = stats.binom.interval(1 - 2e-6, found.checks, 0.95) / np.array(found.checks)
    assert found.inside < low
    averaged = study.coverage(setting._replace(rule="average"), 1_000)
    assert low <= averaged.inside <= high
