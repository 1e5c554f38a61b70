"""PrivateLinearRegression beside closed forms and scikit-learn's own."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

from __future__ import annotations

import doctest
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import discreet as dp
from discreet.core.statistics import Statistics
from discreet.learn import PrivateLinearRegression, linear_regression
from tests.learn.wages import FRAME, PAY, REFERENCE, private

EXPECTED_FAILURES: dict[str, str] = {}  # check → reason: there is none
WIDE = {"X": (-10, 10), "y": (-100, 100)}


def expected(estimator: object) -> dict[str, str]:
    return EXPECTED_FAILURES


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [PrivateLinearRegression(1e4, bounds=WIDE, random_state=0)], expected_failed_checks=expected
)
def test_scikit_learn_s_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        PrivateLinearRegression(
            1e6,
            bounds=WIDE,
            mechanism="sample",
            noise_variance=1,
            options={"norm": 8},
            random_state=0,
        )
    ],
    expected_failed_checks=expected,
)
def test_estimator_checks_with_samples(estimator: Any, check: Any) -> None:
    check(estimator)


# what is fitted


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_with_a_huge_epsilon_it_is_the_conjugate_posterior(intercept: bool, delta: float) -> None:
    model = private(1e6, delta=delta, prior=3, noise_variance=0.25, fit_intercept=intercept)
    model.fit(FRAME, PAY)
    X = FRAME.to_numpy()
    design = np.column_stack([np.ones(400), X]) if intercept else X
    covariance = np.linalg.inv(design.T @ design / 0.25 + np.eye(design.shape[1]) / 3)
    mean = covariance @ design.T @ PAY / 0.25
    found = np.append(model.intercept_, model.coef_) if intercept else model.coef_
    assert (np.abs(found - mean) < 0.02 * np.sqrt(covariance.diagonal())).all()
    spread = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design) + 0.25)
    predicted, std = model.predict(FRAME, return_std=True)
    np.testing.assert_allclose(predicted, design @ mean, atol=1e-3)
    np.testing.assert_allclose(std, spread, rtol=1e-3)
    assert intercept or model.intercept_ == 0


def test_with_a_huge_epsilon_the_usual_prior_hardly_matters() -> None:
    peer = LinearRegression().fit(FRAME, PAY)
    model = private(1e6).fit(FRAME, PAY)
    np.testing.assert_allclose(model.predict(FRAME), peer.predict(FRAME), atol=0.05)
    residual = PAY - peer.predict(FRAME)
    assert model.posterior_.noise_variance() == pytest.approx(residual.var(), rel=0.05)


def test_samples_with_a_huge_epsilon_surround_the_posterior() -> None:
    model = private(
        1e6, mechanism="sample", prior=3, noise_variance=0.25, options={"samples": 400, "norm": 3}
    ).fit(FRAME, PAY)
    design = np.column_stack([np.ones(400), FRAME])
    covariance = np.linalg.inv(design.T @ design / 0.25 + np.eye(4) / 3)
    mean = covariance @ design.T @ PAY / 0.25
    error = np.abs([model.intercept_, *model.coef_] - mean) / np.sqrt(covariance.diagonal() / 400)
    assert error.max() < 5.1  # false alarm rate 4·3.4e-7 over seeds
    assert len(model.posterior_.draws) == 400  # type: ignore[union-attr]


def test_intervals_of_predictions_hold(rng: np.random.Generator) -> None:
    X = rng.uniform(-1, 1, (4000, 3))
    y = X @ [0.5, -0.3, 0.2] + rng.normal(0, 0.3, 4000)
    model = PrivateLinearRegression(1.0, bounds={"X": (-1, 1), "y": (-2, 2)}, random_state=rng)
    mean, std = model.fit(X, y).predict(X, return_std=True)
    assert 0.9 < np.mean(np.abs(y - mean) < 1.96 * std) < 0.99
    assert np.ptp(std) > 0


def test_the_std_of_one_sample_knows_the_noise_alone() -> None:
    model = private(mechanism="sample", noise_variance=0.49).fit(FRAME, PAY)
    mean, std = model.predict(FRAME, return_std=True)
    np.testing.assert_allclose(std, 0.7)
    np.testing.assert_allclose(mean, model.predict(FRAME))


def test_the_std_of_several_samples_is_theirs() -> None:
    model = private(mechanism="sample", noise_variance=0.49, options={"samples": 7})
    mean, std = model.fit(FRAME, PAY).predict(FRAME, return_std=True)
    each = model.posterior_.draws @ np.column_stack([np.ones(400), FRAME]).T  # type: ignore[union-attr]
    np.testing.assert_allclose(mean, each.mean(axis=0))
    np.testing.assert_allclose(std, np.sqrt(each.var(axis=0, ddof=1) + 0.49))


def test_records_are_clipped_and_the_release_says_so() -> None:
    narrow = {"age": (30, 50), "score": (-0.5, 0.5), "years": (1, 2), "y": (2, 5)}
    clipped = FRAME.clip([30, -0.5, 1], [50, 0.5, 2], axis=1)
    first = private(bounds=narrow).fit(FRAME, PAY).release_
    assert first == private(bounds=narrow).fit(clipped, PAY.clip(2, 5)).release_
    assert "clipped to the bounds" in first.to_json()


@pytest.mark.parametrize("noise", [None, 0.25])
def test_units_do_not_matter(noise: float | None) -> None:
    model = private(0.5, noise_variance=noise).fit(FRAME, PAY)
    other = private(
        0.5,
        bounds={"age": (5, 15), "score": (-8, 8), "years": (0, 5), "y": (0, 128)},
        noise_variance=None if noise is None else noise * 256,
    ).fit(FRAME * [0.25, 8, 1], PAY * 16)
    assert model.release_.raw == other.release_.raw
    mean, std = model.predict(FRAME, return_std=True)
    found = other.predict(FRAME * [0.25, 8, 1], return_std=True)
    np.testing.assert_allclose(found[0], 16 * mean, rtol=1e-6)
    np.testing.assert_allclose(found[1], 16 * std, rtol=1e-6)


# data frames, pipelines, and other users of estimators


@pytest.mark.parametrize("make", [pl.DataFrame, lambda x: pl.DataFrame(x).to_arrow()])
def test_frames_of_any_kind_give_the_same_release(make: Any) -> None:
    data = make(FRAME.to_dict(orient="list"))
    model = private().fit(data, pl.Series(PAY.to_numpy()))
    assert model.feature_names_in_.tolist() == ["age", "score", "years"]
    assert model.release_ == REFERENCE.release_
    np.testing.assert_array_equal(model.predict(data), REFERENCE.predict(FRAME))


def test_columns_of_arrays_are_numbered() -> None:
    bounds = {"x0": (20, 60), "x1": (-1, 1), "x2": (0, 5), "y": (0, 8)}
    model = private(bounds=bounds).fit(FRAME.to_numpy(), PAY.to_list())
    assert model.model_.X == ("x0", "x1", "x2")
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3
    assert model.release_.raw == REFERENCE.release_.raw


def test_a_column_vector_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning) as caught:
        model = private().fit(FRAME, PAY.to_numpy()[:, None])
    assert caught[0].filename == __file__
    assert model.release_ == REFERENCE.release_


def test_a_pipeline_keeps_the_names() -> None:
    double = {"age": (40, 120), "score": (-2, 2), "years": (0, 10), "y": (0, 8)}
    pipeline = make_pipeline(FunctionTransformer(lambda X: X * 2), private(bounds=double))
    pipeline.set_output(transform="pandas").fit(FRAME, PAY)
    assert pipeline[-1].feature_names_in_.tolist() == ["age", "score", "years"]
    assert pipeline[-1].release_.raw == REFERENCE.release_.raw
    assert pipeline.score(FRAME, PAY) == pytest.approx(REFERENCE.score(FRAME, PAY), abs=1e-6)


def test_a_cross_validation_pays_for_every_fold(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=1.0)
    model = private(0.25, ledger=ledger, dataset="census", random_state=None)
    assert len(cross_val_score(model, FRAME, PAY, cv=3, error_score="raise")) == 3
    assert ledger.remaining("census").epsilon == Fraction(1, 4)


def test_a_search_pays_for_every_fit(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=1.0)
    model = private(0.1, ledger=ledger, dataset="census", random_state=None)
    search = GridSearchCV(model, {"radius": [None, 1]}, cv=2, error_score="raise")
    assert search.fit(FRAME, PAY).best_params_["radius"] in (None, 1)
    assert ledger.remaining("census").epsilon == Fraction(1, 2)  # four folds and the last fit


def test_a_ledger_is_charged_once(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=1.0, delta=1e-5)
    model = private(0.6, delta=1e-6, ledger=ledger, dataset="census", random_state=None)
    with pytest.raises(dp.InputError, match=r"X\[0\]"):
        model.fit(FRAME.assign(age=np.nan), PAY)
    clone(model).fit(FRAME, PAY)
    left = ledger.remaining("census")
    assert left.epsilon == Fraction(2, 5)
    assert left.delta == 0  # the rest is kept for what composes by the filter
    (charge,) = [entry for entry in ledger.history("census") if entry.kind == "charge"]
    assert charge.charged is not None
    assert (charge.charged.epsilon, charge.charged.delta) == (Fraction(3, 5), Fraction(1, 10**6))
    with pytest.raises(dp.BudgetError):
        private(1.0, delta=1e-6, ledger=ledger, dataset="census", random_state=None).fit(FRAME, PAY)
    assert ledger.remaining("census").epsilon == Fraction(2, 5)
    with pytest.raises(dp.PrivacyRefusedError, match="simulation"):
        model.set_params(random_state=0).fit(FRAME, PAY)


def test_a_pickle_holds_the_release_and_no_records() -> None:
    frame = FRAME.assign(age=47.123456789)
    model = private().fit(frame, PAY)
    text = pickle.dumps(model)
    again = pickle.loads(text)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.release_ == model.release_
    assert np.float64(47.123456789).tobytes() not in text
    assert np.float64(47.123456789).tobytes()[::-1] not in text
    assert not any(isinstance(value, Statistics) for value in vars(model).values())


# releases


def test_release_round_trips_and_carries_the_guarantee() -> None:
    model = private(2.0, delta=1e-6, random_state=None).fit(FRAME, PAY)
    assert dp.Release.from_json(model.release_.to_json()) == model.release_
    assert model.guarantee_ == model.release_.guarantee
    assert (model.guarantee_.epsilon, model.guarantee_.delta) == (2, Fraction(1, 10**6))
    assert model.release_.config.n == 400
    assert not model.release_.simulated


def test_what_is_fitted_follows_from_the_release() -> None:
    posterior = dp.Release.from_json(REFERENCE.release_.to_json()).noise_aware()
    np.testing.assert_array_equal(posterior.mean(), [REFERENCE.intercept_, *REFERENCE.coef_])


def test_add_remove_keeps_the_number_of_records_private() -> None:
    model = private(10.0, adjacency="add-remove", random_state=None).fit(FRAME, PAY)
    assert model.release_.config.n is None
    assert model.guarantee_.adjacency is dp.Adjacency.ADD_REMOVE
    assert np.isfinite(model.predict(FRAME)).all()
    with pytest.raises(dp.InputError, match="add-remove"):
        model.set_params(mechanism="sample", noise_variance=1).fit(FRAME, PAY)


def test_options_and_radius_reach_the_mechanism() -> None:
    model = private(options={"weight": 3}, radius=1.5).fit(FRAME, PAY)
    assert ("weight", 3) in model.release_.config.options
    assert model.release_.config.model.radius == Fraction(3, 2)


def test_simulations_repeat_and_are_marked() -> None:
    assert clone(REFERENCE).fit(FRAME, PAY).release_ == REFERENCE.release_
    assert REFERENCE.release_.simulated
    seeds = [np.random.RandomState(1), np.random.RandomState(1), np.random.RandomState(2)]
    raws = [private(random_state=seed).fit(FRAME, PAY).release_.raw for seed in seeds]
    assert raws[0] == raws[1] != raws[2]


def test_releases_draw_anew_each_time() -> None:
    model = private(0.01, random_state=None)
    # noise of more than 10^9 grid steps in each of 15 sums: equal with probability far below 1e-6
    assert model.fit(FRAME, PAY).release_.raw != model.fit(FRAME, PAY).release_.raw


def test_the_docstring_runs() -> None:
    result = doctest.testmod(linear_regression)
    assert result.attempted > 0
    assert result.failed == 0


# real data


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_census2000(shared_data: Path, delta: float) -> None:
    frame = pd.read_csv(shared_data / "census2000.csv")
    X, y = frame[["educ", "exper", "expersq"]], frame["lweekinc"]
    bounds = {"educ": (0, 20), "exper": (0, 60), "expersq": (0, 3600), "y": (2, 10)}
    found = [
        PrivateLinearRegression(1.0, delta=delta, bounds=bounds, random_state=seed)
        .fit(X, y)
        .score(X, y)
        for seed in range(5)
    ]
    assert np.mean(found) > LinearRegression().fit(X, y).score(X, y) - 0.02
