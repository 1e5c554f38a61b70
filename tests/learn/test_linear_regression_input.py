"""How PrivateLinearRegression takes bounds, and what it refuses."""

# ruff: noqa: N803 - X is scikit-learn's name

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

import discreet as dp
from discreet.learn import PrivateLinearRegression
from discreet.learn.regression import read_bounds
from tests.learn.wages import BOUNDS, FRAME, PAY, REFERENCE, private

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
        ({"prior": {"age": 1}}, "prior must name the coefficients intercept, age, score, years"),
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
        PrivateLinearRegression(bounds={"X": (-10, 10), "y": (-100, 100)}).fit(X, y)
    assert "8731" not in str(caught.value)


def test_predictions_need_the_same_features() -> None:
    with pytest.raises(NotFittedError):
        private().predict(FRAME)
    with pytest.raises(ValueError, match="feature names"):
        REFERENCE.predict(FRAME[["score", "age", "years"]])
    with pytest.raises(ValueError, match="2 features"), pytest.warns(UserWarning, match="names"):
        REFERENCE.predict(FRAME[["age", "score"]].to_numpy())
