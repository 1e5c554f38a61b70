"""PrivateLinearRegression beside closed forms and scikit-learn's own, and what it refuses."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

from __future__ import annotations

import doctest
import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import discreet as dp
from discreet.core.statistics import Statistics
from discreet.learn import PrivateLinearRegression, linear_regression
from discreet.learn.regression import read_bounds, regression
from discreet.models.conjugate import conjugate
from discreet.models.usual import usual_noise, usual_prior

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


FRAME = pd.DataFrame(
    np.random.default_rng(1).uniform((20, -1, 0), (60, 1, 5), (400, 3)),
    columns=["age", "score", "years"],
)
PAY = (
    2
    + 0.05 * FRAME["age"]
    + FRAME["score"]
    - 0.2 * FRAME["years"]
    + np.random.default_rng(2).normal(0, 0.5, 400)
)
BOUNDS: dict[str, Any] = {"age": (20, 60), "score": (-1, 1), "years": (0, 5), "y": (0, 8)}


def private(epsilon: object = 1.0, **settings: Any) -> PrivateLinearRegression:
    usual: dict[str, Any] = {"bounds": BOUNDS, "random_state": 5}
    return PrivateLinearRegression(epsilon, **usual | settings)


REFERENCE = private().fit(FRAME, PAY)

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
    assert len(model.posterior_.draws) == 400


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
    each = model.posterior_.draws @ np.column_stack([np.ones(400), FRAME]).T
    np.testing.assert_allclose(mean, each.mean(axis=0))
    np.testing.assert_allclose(std, np.sqrt(each.var(axis=0, ddof=1) + 0.49))


def test_records_are_clipped_and_the_release_says_so() -> None:
    narrow = {"age": (30, 50), "score": (-0.5, 0.5), "years": (1, 2), "y": (2, 5)}
    clipped = FRAME.clip([30, -0.5, 1], [50, 0.5, 2], axis=1)
    first = private(bounds=narrow).fit(FRAME, PAY).release_
    assert first == private(bounds=narrow).fit(clipped, PAY.clip(2, 5)).release_
    assert "clipped to the bounds" in first.to_json()


# the priors that follow from the bounds

ends = st.tuples(st.integers(-50, 50), st.integers(1, 60)).map(lambda x: (x[0], x[0] + x[1]))


@given(bounds=st.lists(ends, min_size=2, max_size=4), noise=st.sampled_from([1, (2, 3), (1, 5)]))
def test_the_usual_prior_expects_the_middle_of_y(bounds: list[Any], noise: Any) -> None:
    names = [f"x{j}" for j in range(len(bounds) - 1)]
    declared = dict(zip([*names, "y"], bounds, strict=True))
    model = regression(names, declared, None, noise, None, True)
    assert model.prior is not None
    mean, covariance = (np.array(part, dtype=float) for part in model.prior.of(model.weights))
    low, high = bounds[-1]
    if isinstance(noise, tuple):  # LinearRegression multiplies by the variance itself
        covariance *= noise[1] / max(noise[0] - 1, 0.5)
    for corner in product(*bounds[:-1]):
        x = np.array([1, *corner])
        assert x @ mean == pytest.approx((low + high) / 2)
        # 1/4, and d weights of variance 3/(8d) with features −1 or 1, times half the width of y
        assert x @ covariance @ x == pytest.approx(5 / 8 * ((high - low) / 2) ** 2)


@given(bounds=st.lists(ends, min_size=2, max_size=4), intercept=st.booleans())
def test_the_usual_priors_are_those_of_unit_intervals(bounds: list[Any], intercept: bool) -> None:
    names = [f"x{j}" for j in range(len(bounds) - 1)]
    declared = dict(zip([*names, "y"], bounds, strict=True))
    model = regression(names, declared, None, None, None, intercept)
    low, high = bounds[-1]
    prior = conjugate(model, 0, np.zeros((model.rows, model.rows)))
    assert prior.noise_variance() == pytest.approx(((high - low) / 8) ** 2)
    transform = np.array(model.units.transform[0], dtype=float)
    slopes = [3 / 8 / len(names)] * len(names)
    inner = np.diag([1 / 4, *slopes] if intercept else slopes)
    np.testing.assert_allclose(
        prior.covariance(), transform @ inner @ transform.T, rtol=1e-9, atol=1e-12
    )


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


def test_usual_priors_are_exact() -> None:
    units = regression(["x"], {"x": (0, 3), "y": (1, 2)}, 1, 1, None, True).units
    assert usual_noise(units) == (Fraction(2), Fraction(1, 64))
    prior = usual_prior(units, (Fraction(2), Fraction(1, 64)))
    assert prior.mean == (Fraction(3, 2), Fraction(0))
    # w_0 = 3/2 + v_0/2 − v_1/2, w_1 = v_1/3; variances 16 and 24 for a noise variance of 1/64
    covariance = [list(map(float, row)) for row in prior.covariance]
    expected = [[10.0, -4.0], [-4.0, 8 / 3]]
    np.testing.assert_allclose(covariance, expected, rtol=1e-15)


# how bounds may be given

SAME: list[dict[str, Any]] = [
    BOUNDS,
    {"X": [(20, 60), (-1, 1), (0, 5)], "y": (0, 8)},
    {"X": np.array([[20, 60], [-1, 1], [0, 5]]), "y": np.array([0.0, 8.0])},
    {"X": {"years": (0, 5), "age": (20, 60), "score": (-1, 1)}, "y": [0, 8]},
    {"X": (-1, 1), "age": (20, 60), "years": (0, 5), "y": (0, 8)},
    {"X": (Fraction(-1), Decimal(1)), "age": (20, 60), "years": (0, 5), "y": (0, 8)},
    {"X": [None, (-1, 1), None], "age": (20, 60), "years": (0, 5), "y": (0, 8)},
]


@pytest.mark.parametrize("bounds", SAME)
def test_bounds_in_any_form_give_the_same_release(bounds: dict[str, Any]) -> None:
    assert private(bounds=bounds).fit(FRAME, PAY).release_ == REFERENCE.release_


def test_features_may_be_called_x_and_y() -> None:
    assert read_bounds(["X", "y"], {"X": {"X": (0, 1), "y": (0, 2)}, "y": (0, 3)}) == [
        (0, 1),
        (0, 2),
        (0, 3),
    ]
    frame = FRAME.rename(columns={"age": "y", "score": "y_"})
    bounds = {"X": [(20, 60), (-1, 1), (0, 5)], "y": (0, 8)}
    model = private(bounds=bounds).fit(frame, PAY)
    assert model.model_.y == "y__"
    assert model.release_.raw == REFERENCE.release_.raw


def test_without_a_constant_a_feature_may_be_called_intercept() -> None:
    frame = FRAME.assign(score=1.0).rename(columns={"score": "intercept"})[
        ["intercept", "age", "years"]
    ]
    bounds = {"intercept": (0, 1), "age": (20, 60), "years": (0, 5), "y": (0, 8)}
    model = private(1e6, bounds=bounds, fit_intercept=False).fit(frame, PAY)
    mean, std = model.predict(frame, return_std=True)
    np.testing.assert_allclose(mean, LinearRegression().fit(frame, PAY).predict(frame), atol=0.1)
    assert (std > 0).all()
    with pytest.raises(dp.InputError, match="must not name a column 'intercept'"):
        model.set_params(fit_intercept=True).fit(frame, PAY)


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
    assert (left.epsilon, left.delta) == (Fraction(2, 5), Fraction(9, 10**6))
    with pytest.raises(dp.BudgetError):
        model.fit(FRAME, PAY)
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


# what is refused


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (None, r"^bounds must be a mapping .* never learnt from the data, got None$"),
        ((0, 1), "^bounds must be a mapping .*, got a tuple$"),
        ({"X": (0, 1)}, "^bounds of y must be declared: they are public"),
        ({"X": (0, 1), "Y": (0, 1)}, "^bounds of y must be declared: they are public"),
        ({"y": (0, 1)}, "^bounds of feature 'age' must be declared: they are public"),
        (BOUNDS | {"years": None}, "^bounds of feature 'years' must be declared"),
        (BOUNDS | {"scores": (0, 1)}, "'scores' is none; did you mean 'score'"),
        ({"X": {"agee": (0, 1)}, "y": (0, 1)}, "^bounds\\['X'\\] must be by feature, and 'agee'"),
        (BOUNDS | {0: (0, 1)}, "^bounds must be by feature, and 0 is none$"),
        (BOUNDS | {"X": {"age": (0, 1)}}, "^bounds must declare feature 'age' once"),
        ({"X": [(0, 1), (0, 1)], "y": (0, 1)}, "entry for each of 3 features, got 2"),
        ({"X": 3, "y": (0, 1)}, r"^bounds\['X'\] must be .*, got 3$"),
        (BOUNDS | {"age": (60, 20)}, r"^bounds\['age'\] must be low < high, got 60 and 20$"),
        (BOUNDS | {"age": (20, 20)}, r"^bounds\['age'\] must be low < high"),
        (BOUNDS | {"age": (20, np.inf)}, r"^bounds\['age'\] must be finite, got inf$"),
        (BOUNDS | {"y": (np.nan, 1)}, r"^bounds\['y'\] must be finite, got nan$"),
        (BOUNDS | {"y": ("a", 1)}, r"^bounds\['y'\] must be a number, got 'a'$"),
        (BOUNDS | {"y": (1, 2, 3)}, r"^bounds\['y'\] must be a pair \(low, high\)"),
        (BOUNDS | {"y": 5}, r"^bounds\['y'\] must be a pair \(low, high\), got 5$"),
    ],
)
@pytest.mark.parametrize("seed", [None, 0])
def test_wrong_bounds(bounds: Any, message: str, seed: int | None) -> None:
    model = private(bounds=bounds, random_state=seed)
    with pytest.raises(dp.InputError, match=message):
        model.fit(FRAME, PAY)
    assert not hasattr(model, "release_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0}, "epsilon must be greater than 0, got 0"),
        ({"epsilon": "1"}, "epsilon must be a number, got '1'"),
        ({"delta": 1.5}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1e-6, "mechanism": "sample", "noise_variance": 1}, "delta is not an option of"),
        ({"mechanism": "samples"}, "did you mean 'sample'"),
        ({"mechanism": "sample"}, "noise_variance must be known for 'sample'"),
        ({"prior": -1}, "prior must be greater than 0, got -1"),
        ({"prior": {"age": 1}}, "prior must name the weights intercept, age, score, years"),
        ({"prior": (0, -np.eye(4))}, "must be positive definite"),
        ({"noise_variance": 0}, "noise_variance must be greater than 0, got 0"),
        ({"noise_variance": (1, 2, 3)}, "noise_variance must be a number, or a pair"),
        ({"radius": 0}, "radius must be greater than 0, got 0"),
        ({"fit_intercept": "yes"}, "fit_intercept must be one of True, False, got 'yes'"),
        ({"adjacency": "both"}, "adjacency must be one of"),
        ({"options": {"t": 1}}, "options must be those of statistics: weight; got 't'"),
        ({"options": {"delta": 1e-6}}, "options must be those of statistics: weight; got 'delta'"),
        ({"options": {"allow_nonprivate": True}}, "options must be those of statistics"),
        ({"options": [1]}, "options must be a mapping"),
        ({"random_state": -1}, "random_state must lie between"),
        ({"dataset": "census"}, "dataset must be None without a ledger"),
    ],
)
def test_wrong_settings(change: dict[str, Any], message: str) -> None:
    model = private(**change)
    with pytest.raises(dp.InputError, match=message):
        model.fit(FRAME, PAY)
    assert not hasattr(model, "release_")


SECRET = "Grippe-8731"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (SECRET, " is missing or no number$"),
        ([SECRET], " is missing or no number"),
        (None, " (is missing|must be finite|must not be NaN)"),
        (float("nan"), " must (be finite, not|not be) NaN"),
        (float("inf"), " must (be finite, not|not be) NaN"),
        (-float("inf"), " must (be finite, not|not be) NaN"),
        (8731j, "(?i) is missing or no number|complex data not supported"),
    ],
)
def test_bad_values_are_named_by_place_never_quoted(value: Any, message: str) -> None:
    records, target = list(FRAME["age"]), PAY.to_list()
    records[4] = target[4] = value
    frame = FRAME.assign(age=pd.Series(records, dtype=object))
    calls: list[tuple[str, Any]] = [
        (r"^X\[4\] of feature 'age'", lambda: private().fit(frame, PAY)),
        (r"^X\[4\] of feature 'age'", lambda: REFERENCE.predict(frame)),
        (r"^y\[4\]", lambda: private().fit(FRAME, pd.Series(target, dtype=object))),
    ]
    for place, call in calls:
        with pytest.raises(dp.InputError, match=message) as caught:
            call()
        assert caught.match(place)
        assert "8731" not in str(caught.value)
        assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (csr_array([[0, 1], [1, 0]]), [0, 1], "X must not be sparse"),
        (np.array([8731, 1]), [0, 1], "X must have two dimensions, got 1"),
        (np.full((2, 2), 8731j), [0, 1], "Complex data not supported"),
        ([[8731, 1], [0]], [0, 1], "X must be a data frame, or .* equally long, got list$"),
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([[0], [1]], [[0, 8731], [1, 1]], "y must have one dimension, got 2"),
        ([[0], [1]], [8731, np.nan], r"y\[1\] must not be NaN or infinite"),
        ([[0], [1]], [8731j, 1], "Complex data not supported"),
        ([[0], [1]], [0, 1, 8731], "^X and y must have the same number of records$"),
        ([[0], [1]], None, "requires y to be passed"),
        (
            np.array([["2020-01-01"]] * 2, dtype="M8[D]"),
            [0, 1],
            "^X of feature 'x0' must hold real",
        ),
        ([[0], [1]], np.array(["2020-01-01"] * 2, dtype="M8[D]"), "^y must hold real numbers"),
        (pd.DataFrame([[0, 1]] * 2, columns=["a", "a"]), [0, 1], "two columns of the same name"),
    ],
)
def test_data_of_the_wrong_form(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        PrivateLinearRegression(bounds=WIDE).fit(X, y)
    assert "8731" not in str(caught.value)


def test_predictions_need_the_same_features() -> None:
    with pytest.raises(NotFittedError):
        private().predict(FRAME)
    with pytest.raises(ValueError, match="feature names"):
        REFERENCE.predict(FRAME[["score", "age", "years"]])
    with pytest.raises(ValueError, match="2 features"), pytest.warns(UserWarning, match="names"):
        REFERENCE.predict(FRAME[["age", "score"]].to_numpy())


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
