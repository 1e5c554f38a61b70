"""PrivateNaiveBayes beside scikit-learn's own, and what it refuses."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

from __future__ import annotations

import doctest
import json
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import discreet as dp
from discreet.learn import PrivateNaiveBayes, naive_bayes, reading
from discreet.learn.encoding import Feature
from discreet.learn.predictive import count, joint_log_likelihood, network, normalised

EXPECTED_FAILURES: dict[str, str] = {}  # check → reason: there is none


def expected(estimator: object) -> dict[str, str]:
    return EXPECTED_FAILURES


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        PrivateNaiveBayes(random_state=0),
        PrivateNaiveBayes(epsilon=5.0, mechanism="laplace_updates", random_state=0),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learn_s_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def simulated_records(
    rng: np.random.Generator, sizes: tuple[int, ...], classes: int, n: int
) -> tuple[Any, Any]:
    y = rng.integers(0, classes, n)
    y[:classes] = range(classes)
    columns = [(rng.integers(0, size, n) + y * rng.integers(0, 2, n)) % size for size in sizes]
    return np.stack(columns, axis=1), y


def without_noise(X: Any, y: Any, sizes: tuple[int, ...], prior: float) -> tuple[Any, Any]:
    """The posterior given the true counts, and the joint log likelihood of the records."""
    features = [Feature(f"x{j}", tuple(range(size))) for j, size in enumerate(sizes)]
    net = network(features, tuple(range(int(y.max()) + 1)), prior)
    posterior = net.posterior(count(net, y, list(X.T)))
    return posterior, joint_log_likelihood(posterior, net.nodes, list(X.T))


@pytest.mark.parametrize("prior", [0.25, 1.0, 3.5])
@pytest.mark.parametrize(("sizes", "classes"), [((2, 5, 3), 2), ((4, 2, 2, 7), 5), ((3,), 3)])
def test_without_noise_it_is_categorical_nb(
    sizes: tuple[int, ...], classes: int, prior: float, rng: np.random.Generator
) -> None:
    X, y = simulated_records(rng, sizes, classes, 80)
    posterior, joint = without_noise(X, y, sizes, prior)
    own = posterior.mean("class")[0]
    peer = CategoricalNB(alpha=prior, min_categories=list(sizes), class_prior=own).fit(X, y)
    for j in range(len(sizes)):
        np.testing.assert_allclose(
            posterior.mean(f"x{j}"), np.exp(peer.feature_log_prob_[j]), rtol=1e-12
        )
    np.testing.assert_allclose(joint, peer.predict_joint_log_proba(X), rtol=1e-12)
    np.testing.assert_allclose(np.exp(normalised(joint)), peer.predict_proba(X), rtol=1e-12)
    smoothed = (np.bincount(y, minlength=classes) + prior) / (len(y) + prior * classes)
    np.testing.assert_allclose(own, smoothed, rtol=1e-12)


@pytest.mark.parametrize("prior", [0.5, 1.0])
def test_without_noise_it_is_bernoulli_nb(prior: float, rng: np.random.Generator) -> None:
    sizes = (2,) * 12
    X, y = simulated_records(rng, sizes, 3, 60)
    posterior, joint = without_noise(X, y, sizes, prior)
    peer = BernoulliNB(alpha=prior, class_prior=posterior.mean("class")[0]).fit(X, y)
    np.testing.assert_allclose(joint, peer.predict_joint_log_proba(X), rtol=1e-12)
    np.testing.assert_allclose(np.exp(normalised(joint)), peer.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("mechanism", ["lattice", "laplace_updates"])
def test_with_a_huge_epsilon_it_is_categorical_nb(mechanism: str, rng: np.random.Generator) -> None:
    sizes = (2, 4, 3)
    X, y = simulated_records(rng, sizes, 3, 90)
    model = PrivateNaiveBayes(
        1e6, mechanism=mechanism, categories=[range(s) for s in sizes], classes=range(3)
    ).fit(X, y)
    own = model.release_.posterior.mean("class")[0]
    peer = CategoricalNB(alpha=1, min_categories=list(sizes), class_prior=own).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert not model.release_.simulated


def test_probabilities_are_bayes_rule_on_the_released_counts() -> None:
    X, y = [["a", 1], ["b", 3], ["a", 7], ["a", 3]] * 10, ["u", "v", "w", "u"] * 10
    model = PrivateNaiveBayes(
        0.5,
        mechanism="laplace_updates",
        prior=2,
        categories={"x0": ["a", "b", "c"]},
        bins={"x1": [2, 5]},
        classes=["w", "v", "u"],
        random_state=3,
    ).fit(X, y)
    assert model.classes_.tolist() == ["u", "v", "w"]
    assert model.net_.states["x1"] == ("(-inf, 2.0)", "[2.0, 5.0)", "[5.0, inf)")
    values = [float(x) for x in model.release_.value]
    own, first, second = values[:3], values[3:12], values[12:]
    weights = []
    for c in range(3):
        row, other = first[3 * c : 3 * c + 3], second[3 * c : 3 * c + 3]
        weights.append(
            (own[c] + 2) * (row[2] + 2) / (sum(row) + 6) * (other[1] + 2) / (sum(other) + 6)
        )
    np.testing.assert_allclose(
        model.predict_proba([["c", 4.9]])[0], np.array(weights) / sum(weights), rtol=1e-12
    )


def test_a_released_zero_rules_no_class_out_alone() -> None:
    class Released:
        def mean(self, node: str) -> Any:
            return {"class": np.array([[0.5, 0.5]]), "x": np.array([[0.0, 1.0], [0.0, 1.0]])}[node]

    joint = joint_log_likelihood(Released(), ["class", "x"], [np.array([0, 1])])
    np.testing.assert_allclose(np.exp(normalised(joint)), 0.5)


@pytest.mark.parametrize("mechanism", ["lattice", "laplace_updates"])
@pytest.mark.parametrize("seed", [None, 0])
def test_a_class_without_examples(mechanism: str, seed: int | None) -> None:
    X, y = [[0, 1], [1, 1], [0, 0]] * 20, ["a", "b", "a"] * 20
    model = PrivateNaiveBayes(
        mechanism=mechanism, categories=[0, 1], classes=["a", "b", "never"], random_state=seed
    ).fit(X, y)
    probabilities = model.predict_proba([[0, 0], [1, 1]])
    assert probabilities.shape == (2, 3)
    assert (probabilities > 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if seed is not None:
        assert "never" not in model.predict([[0, 1], [1, 1]])


FRAME: dict[str, list[Any]] = {
    "smoker": ["yes", "no", "no"] * 9,
    "age": [20.0, 41.5, 70.0] * 9,
    "sex": [0, 1, 1] * 9,
}
TARGET = ["ill", "well", "well"] * 9
PUBLIC: dict[str, Any] = {
    "categories": {"smoker": ["no", "yes"], "sex": [0, 1]},
    "bins": [30, 60],
    "classes": ["ill", "well"],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda x: pl.DataFrame(x).to_arrow()])
def test_frames_of_any_kind_give_the_same_release(make: Any) -> None:
    model = PrivateNaiveBayes(**PUBLIC, random_state=5).fit(make(FRAME), TARGET)
    assert model.feature_names_in_.tolist() == ["smoker", "age", "sex"]
    assert model.net_.nodes == ("class", "smoker", "age", "sex")
    array = np.array(list(zip(*FRAME.values(), strict=True)), dtype=object)
    named = {"x0": ["no", "yes"], "x2": [0, 1]}
    peer = PrivateNaiveBayes(**PUBLIC | {"categories": named}, random_state=5).fit(array, TARGET)
    assert not hasattr(peer, "feature_names_in_")
    assert model.release_.raw == peer.release_.raw
    np.testing.assert_array_equal(model.predict(make(FRAME)), peer.predict(array))


def test_names_that_scikit_learn_cannot_read_are_not_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # scikit-learn 1.6 with polars 2: columns in another order would not be noticed
    monkeypatch.setattr(reading, "validate_data", lambda *args, **settings: None)
    with pytest.raises(dp.InputError, match="X has column names that this version"):
        PrivateNaiveBayes(**PUBLIC).fit(pl.DataFrame(FRAME), TARGET)


def test_a_feature_may_be_called_class() -> None:
    frame = pd.DataFrame({"class": [0, 1], "class_": [1, 0]})
    model = PrivateNaiveBayes(categories=[0, 1], classes=[0, 1], random_state=0).fit(frame, [0, 1])
    assert model.net_.nodes == ("class__", "class", "class_")
    assert model.predict_proba(frame).shape == (2, 2)


@pytest.mark.parametrize("y", [[0.0, 1.0], [False, True], ["0", "1"], pd.Series([0, 1])])
def test_labels_are_found_whatever_their_type(y: Any) -> None:
    model = PrivateNaiveBayes(1e6, categories=[0, 1], classes=[1.0, 0.0]).fit([[0], [1]], y)
    assert model.classes_.tolist() == [0, 1]
    value = [float(x) for x in model.release_.value]
    assert value == pytest.approx([1, 1, 1, 0, 0, 1], abs=1e-5)


def test_release_round_trips_and_carries_the_guarantee() -> None:
    model = PrivateNaiveBayes(2.0, **PUBLIC).fit(pd.DataFrame(FRAME), TARGET)
    assert dp.Release.from_json(model.release_.to_json()) == model.release_
    assert model.guarantee_ == model.release_.guarantee
    assert model.guarantee_.epsilon == 2
    assert model.release_.config.n == len(TARGET)
    assert not model.release_.simulated
    assert json.loads(model.release_.to_json())["n_source"] == "sum of the counts"


@pytest.mark.parametrize("mechanism", ["lattice", "laplace_updates"])
def test_add_remove_keeps_the_number_of_records_private(mechanism: str) -> None:
    model = PrivateNaiveBayes(**PUBLIC, mechanism=mechanism, adjacency="add-remove")
    model.fit(pd.DataFrame(FRAME), TARGET)
    assert model.release_.config.n is None
    assert model.guarantee_.adjacency is dp.Adjacency.ADD_REMOVE
    with pytest.raises(dp.InputError, match="add-remove"):
        model.set_params(mechanism="map").fit(pd.DataFrame(FRAME), TARGET)


def test_options_reach_the_mechanism() -> None:
    model = PrivateNaiveBayes(**PUBLIC, options={"shares": "sizes"}).fit(
        pd.DataFrame(FRAME), TARGET
    )
    assert model.release_.config.asked == (("shares", "sizes"),)


def test_simulations_repeat_and_are_marked() -> None:
    frame = pd.DataFrame(FRAME)
    model = PrivateNaiveBayes(0.2, **PUBLIC, random_state=11)
    first, second = model.fit(frame, TARGET).release_, clone(model).fit(frame, TARGET).release_
    assert first == second
    assert first.simulated
    for seed in (np.random.default_rng(1), np.random.RandomState(1)):
        assert PrivateNaiveBayes(**PUBLIC, random_state=seed).fit(frame, TARGET).release_.simulated
    seeds = [np.random.RandomState(1), np.random.RandomState(1), np.random.RandomState(2)]
    raws = [
        PrivateNaiveBayes(0.2, **PUBLIC, random_state=seed).fit(frame, TARGET).release_.raw
        for seed in seeds
    ]
    assert raws[0] == raws[1] != raws[2]


def test_releases_draw_anew_each_time() -> None:
    frame = pd.DataFrame(FRAME)
    model = PrivateNaiveBayes(0.01, **PUBLIC)
    # noise of scale 400 in every one of 14 cells: equal with probability far below 1e-6
    assert model.fit(frame, TARGET).release_.raw != model.fit(frame, TARGET).release_.raw


def test_a_pickle_holds_the_release_and_no_records() -> None:
    frame = pd.DataFrame(FRAME | {"age": [77.123456789] * 27})
    model = PrivateNaiveBayes(**PUBLIC, random_state=0).fit(frame, TARGET)
    text = pickle.dumps(model)
    again = pickle.loads(text)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert again.release_ == model.release_
    assert np.float64(77.123456789).tobytes() not in text
    assert np.float64(77.123456789).tobytes()[::-1] not in text
    assert not any(isinstance(value, dp.core.tables.Tables) for value in vars(model).values())


def test_a_ledger_is_charged_once(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=1.0)
    frame = pd.DataFrame(FRAME)
    model = PrivateNaiveBayes(0.6, **PUBLIC, ledger=ledger, dataset="clinic")
    with pytest.raises(dp.InputError, match=r"X\[0\]"):
        model.fit(frame.assign(sex=2), TARGET)
    clone(model).fit(frame, TARGET)
    assert ledger.remaining("clinic").epsilon == Fraction(2, 5)
    with pytest.raises(dp.BudgetError):
        model.fit(frame, TARGET)
    assert ledger.remaining("clinic").epsilon == Fraction(2, 5)
    with pytest.raises(dp.PrivacyRefusedError, match="simulation"):
        model.set_params(random_state=0).fit(frame, TARGET)


def test_a_cross_validation_pays_for_every_fold(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=1.0)
    model = PrivateNaiveBayes(0.25, **PUBLIC, ledger=ledger, dataset="clinic")
    scores = cross_val_score(model, pd.DataFrame(FRAME), TARGET, cv=3, error_score="raise")
    assert len(scores) == 3
    assert ledger.remaining("clinic").epsilon == Fraction(1, 4)


def test_the_docstring_runs() -> None:
    result = doctest.testmod(naive_bayes)
    assert result.attempted > 0
    assert result.failed == 0


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import discreet.learn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'discreet[learn]'" in done.stderr


# what is refused


def test_nothing_is_learnt_from_private_data() -> None:
    frame = pd.DataFrame(FRAME)
    with pytest.raises(dp.InputError, match="classes must be declared"):
        PrivateNaiveBayes(**PUBLIC | {"classes": None}).fit(frame, TARGET)
    with pytest.raises(dp.InputError, match="categories or bins of feature 'age' must be declared"):
        PrivateNaiveBayes(**PUBLIC | {"bins": None}).fit(frame, TARGET)
    with pytest.raises(dp.InputError, match="of feature 'x0' must be declared"):
        PrivateNaiveBayes(classes=[0, 1]).fit([[0.5], [0.1]], [0, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0}, "epsilon must be greater than 0, got 0"),
        ({"epsilon": "1"}, "epsilon must be a number, got '1'"),
        ({"mechanism": "latice"}, "did you mean 'lattice'"),
        ({"prior": -1}, "prior must be greater than 0, got -1"),
        ({"classes": ["ill"]}, "classes must name at least two classes"),
        ({"classes": ["ill", 1]}, "classes must be all text or all numbers"),
        ({"classes": ["ill", "ill"]}, "classes must be distinct"),
        ({"classes": "ill"}, "classes must be a sequence"),
        ({"categories": {"smokr": ["no"]}}, "'smokr' is none; did you mean 'smoker'"),
        ({"bins": {0: [1]}}, "bins must be by feature, and 0 is none$"),
        ({"categories": {"smoker": ["no"]}}, "categories of 'smoker' must name at least two"),
        ({"categories": [["no", "yes"], [0, 1]]}, "entry for each of 3 features, got 2"),
        ({"categories": "yes"}, "categories must be a list for all features"),
        ({"categories": ["no", "yes"]}, "must not both be given for all features"),
        ({"bins": {"age": [1], "sex": [1]}}, "feature 'sex' must have either categories or bins"),
        ({"bins": 10}, "bins must be a list for all features.*got 10"),
        ({"bins": []}, "bins of 'age' must be a list of one or more"),
        ({"bins": [1, 1]}, "bins of 'age' must be edges in increasing order"),
        ({"bins": [2, 1]}, "bins of 'age' must be edges in increasing order"),
        ({"bins": [0, np.inf]}, "bins of 'age' must be a list of one or more finite"),
        ({"bins": {"age": "ab"}}, "bins of 'age' must be"),
        ({"options": {"t": 1}}, "options must be those of lattice.*got 't'"),
        ({"options": {"allow_nonprivate": True}}, "options must be those of lattice"),
        ({"options": [1]}, "options must be a mapping"),
        ({"random_state": -1}, "random_state must lie between"),
        ({"random_state": "a"}, "random_state must be a whole number"),
        ({"adjacency": "both"}, "adjacency must be one of"),
        ({"dataset": "clinic"}, "dataset must be None without a ledger"),
    ],
)
def test_wrong_settings(change: dict[str, Any], message: str) -> None:
    model = PrivateNaiveBayes(**PUBLIC | change)
    with pytest.raises(dp.InputError, match=message):
        model.fit(pd.DataFrame(FRAME), TARGET)
    assert not hasattr(model, "release_")


SECRET = "Grippe-8731"
CHANGES: list[tuple[str, Any, str]] = [
    ("smoker", SECRET, r"X\[4\] is missing or not a declared category of feature 'smoker'"),
    ("smoker", None, r"X\[4\] is missing or not a declared category of feature 'smoker'"),
    ("smoker", float("nan"), r"X\[4\] is missing or not a declared category of feature 'smoker'"),
    ("smoker", [SECRET], r"X\[4\] is missing or not a declared category of feature 'smoker'"),
    ("sex", 8731, r"X\[4\] is missing or not a declared category of feature 'sex'"),
    ("sex", 8731.5, r"X\[4\] is missing or not a declared category of feature 'sex'"),
    ("age", SECRET, r"X\[4\] of feature 'age' is missing or no number$"),
    ("age", [SECRET], r"X\[4\] of feature 'age' is missing or no number"),
    ("age", None, r"X\[4\] of feature 'age' (is missing|must be finite)"),
    ("age", float("nan"), r"X\[4\] of feature 'age' must be finite, not NaN"),
    ("age", float("inf"), r"X\[4\] of feature 'age' must be finite, not NaN"),
]


@pytest.mark.parametrize(("name", "value", "message"), CHANGES)
def test_bad_values_are_named_by_place_never_quoted(name: str, value: Any, message: str) -> None:
    columns = {key: list(values) for key, values in FRAME.items()}
    columns[name][4] = value
    frame = pd.DataFrame(columns)
    fitted = PrivateNaiveBayes(**PUBLIC, random_state=0).fit(pd.DataFrame(FRAME), TARGET)
    for call in (
        lambda: PrivateNaiveBayes(**PUBLIC).fit(frame, TARGET),
        lambda: fitted.predict(frame),
    ):
        with pytest.raises(dp.InputError, match=message) as caught:
            call()
        assert "8731" not in str(caught.value)
        assert caught.value.__context__ is None


@pytest.mark.parametrize("value", [SECRET, None, 8731, float("nan")])
def test_undeclared_labels_are_named_by_place_never_quoted(value: Any) -> None:
    target = [*TARGET[:-1], value]
    with pytest.raises(
        dp.InputError, match=r"y\[26\] is missing or not a declared class"
    ) as caught:
        PrivateNaiveBayes(**PUBLIC).fit(pd.DataFrame(FRAME), np.array(target, dtype=object))
    assert "8731" not in str(caught.value)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (csr_array([[0, 1], [1, 0]]), [0, 1], "X must not be sparse"),
        (np.array([8731, 1]), [0, 1], "X must have two dimensions, got 1"),
        (np.full((2, 2), 8731j), [0, 1], "Complex data not supported"),
        ([[8731, 1], [0]], [0, 1], "X must be a data frame, or .* equally long, got list$"),
        (None, [0, 1], "X must be a data frame, or .*, got NoneType$"),
        ("8731", [0, 1], "X must be a data frame, or .*, got str$"),
        (8731, [0, 1], "X must be a data frame, or .*, got int$"),
        (pl.LazyFrame({"a": [8731]}), [0, 1], "X must be a data frame, or .*, got LazyFrame$"),
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([[0], [1]], [[0, 8731], [1, 1]], "y must have one dimension, got 2"),
        ([[0], [1]], [0, np.nan], r"y\[1\] must not be NaN or infinite"),
        ([[0], [1]], [0, 1, 8731], "^X and y must have the same number of records$"),
        ([[0], [1]], None, "requires y to be passed"),
        (np.array([["2020-01-01"]] * 2, dtype="M8[D]"), [0, 1], "must hold text or real numbers"),
        (pd.DataFrame([[0, 1]] * 2, columns=["a", "a"]), [0, 1], "two columns of the same name"),
    ],
)
def test_data_of_the_wrong_form(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        PrivateNaiveBayes(categories=[0, 1], classes=[0, 1]).fit(X, y)
    assert "8731" not in str(caught.value)


def test_predictions_need_the_same_features() -> None:
    model = PrivateNaiveBayes(**PUBLIC)
    with pytest.raises(NotFittedError):
        model.predict(pd.DataFrame(FRAME))
    model.fit(pd.DataFrame(FRAME), TARGET)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(FRAME)[["age", "smoker", "sex"]])
    with pytest.raises(ValueError, match="2 features"), pytest.warns(UserWarning, match="names"):
        model.predict(pd.DataFrame(FRAME)[["age", "sex"]].to_numpy())


# real data


def in_columns(path: Path, target: str, leave: tuple[str, ...] = ()) -> tuple[Any, Any]:
    frame = pd.read_csv(path)
    return frame.drop(columns=[target, *leave]), frame[target]


def scores(X: Any, y: Any, **public: Any) -> list[float]:
    return [
        PrivateNaiveBayes(5.0, **public, random_state=s).fit(X, y).score(X, y) for s in range(5)
    ]


def test_votes84(shared_data: Path) -> None:
    X, y = in_columns(shared_data / "votes84.csv", "class")
    found = scores(X, y, categories=["y", "n", "?"], classes=["democrat", "republican"])
    assert min(found) > 0.8 > (y == "democrat").mean()


def test_spect(shared_data: Path) -> None:
    X, y = in_columns(shared_data / "spect.csv", "diagnosis", ("split",))
    X, y = X[:80], y[:80]  # the part for training, where both classes are as frequent
    assert y.mean() == 0.5
    assert np.median(scores(X, y, categories=[0, 1], classes=[0, 1])) > 0.55


def test_titanic(shared_data: Path) -> None:
    X, y = in_columns(shared_data / "titanic2201.csv", "Survived")
    states = {
        "Class": ["1st", "2nd", "3rd", "Crew"],
        "Sex": ["Female", "Male"],
        "Age": ["Child", "Adult"],
    }
    found = scores(X, y, categories=states, classes=["No", "Yes"])
    assert min(found) > 0.75 > (y == "No").mean()
