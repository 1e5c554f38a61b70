"""dp.LinearRegression: statistics, exact posteriors, priors, predictions."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import discreet as dp
from discreet.families.regression.model import read_model
from discreet.families.regression.posterior import CoefficientsPosterior

BOUNDS = {"a": (0, 8), "b": (-5, 3), "y": (-10, 30)}


def records(rng: Any, n: int = 60) -> dict[str, Any]:
    """On the grid exactly, within the bounds."""
    a, b = rng.integers(0, 9, n), rng.integers(-5, 4, n)
    return {"a": a, "b": b, "y": np.clip(2 + 3 * a - b + rng.integers(-4, 5, n), -10, 30)}


def design_of(data: dict[str, Any], intercept: bool = True) -> Any:
    columns = [data["a"], data["b"]]
    return np.column_stack([np.ones(len(data["a"])), *columns] if intercept else columns)


@pytest.mark.parametrize("intercept", [True, False])
def test_posterior_is_the_conjugate_one(rng: Any, intercept: bool) -> None:
    """Against the formula in the units of the data, with a full prior."""
    data = records(rng)
    design, y = design_of(data, intercept), data["y"]
    k = design.shape[1]
    root = rng.integers(-3, 4, (k, k)) / 2
    covariance = root @ root.T + np.eye(k)
    mean = np.arange(k) / 4
    model = dp.LinearRegression((mean, covariance), 2.5, BOUNDS, intercept=intercept)
    found = model.posterior(model.count(data, "y"))
    precision = design.T @ design / 2.5 + np.linalg.inv(covariance)
    expected = np.linalg.solve(precision, design.T @ y / 2.5 + np.linalg.solve(covariance, mean))
    assert found.mean() == pytest.approx(expected, rel=1e-9)
    assert found.covariance() == pytest.approx(np.linalg.inv(precision), rel=1e-8)
    assert found.noise_variance() == pytest.approx(2.5)
    assert found.interval(0.5) == pytest.approx(
        np.transpose(stats.norm(expected, found.sd()).interval(0.5)), rel=1e-9
    )
    both = (
        design @ expected,
        np.sqrt(np.einsum("ij,jk,ik->i", design, np.linalg.inv(precision), design) + 2.5),
    )
    predicted = found.predict(np.column_stack([data["a"], data["b"]]), return_std=True)
    assert predicted[0] == pytest.approx(both[0])
    assert predicted[1] == pytest.approx(both[1])
    assert found.predict(data) == pytest.approx(both[0])


@pytest.mark.parametrize("intercept", [True, False])
def test_unknown_variance_is_normal_inverse_gamma(rng: Any, intercept: bool) -> None:
    data = records(rng)
    design, y = design_of(data, intercept), data["y"]
    k = design.shape[1]
    prior, shape, scale = np.arange(1, k + 1.0), 3.0, 7.0
    model = dp.LinearRegression((1, prior), (shape, scale), BOUNDS, intercept=intercept)
    found = model.posterior(model.count(data, "y"))
    precision = design.T @ design + np.diag(1 / prior)
    mean = np.linalg.solve(precision, design.T @ y + 1 / prior)
    a = shape + len(y) / 2
    b = scale + (y @ y + np.sum(1 / prior) - mean @ precision @ mean) / 2
    assert found.freedom == pytest.approx(2 * a)
    assert found.mean() == pytest.approx(mean, rel=1e-9)
    assert found.noise_variance() == pytest.approx(b / (a - 1), rel=1e-9)
    scales = np.sqrt(np.diag(np.linalg.inv(precision)) * b / a)
    assert found.interval(0.9) == pytest.approx(
        np.transpose(stats.t(2 * a, mean, scales).interval(0.9)), rel=1e-9
    )
    drawn = found.sample(20_000, rng)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=6 * scales.max() / 100)


@pytest.mark.parametrize("noise", [2.0, (3.0, 4.0)])
def test_updating_is_the_same_as_having_had_all_records(rng: Any, noise: Any) -> None:
    data = records(rng)
    model = dp.LinearRegression(4, noise, BOUNDS)
    first = {name: column[:25] for name, column in data.items()}
    rest = {name: column[25:] for name, column in data.items()}
    whole = model.posterior(model.count(data, "y"))
    updated = model.posterior(model.count(first, "y")).update(rest, rest["y"])
    assert updated.mean() == pytest.approx(whole.mean(), rel=1e-8)
    assert updated.scale == pytest.approx(whole.scale, rel=1e-7)
    assert updated.noise == pytest.approx(whole.noise, rel=1e-8)
    assert updated.freedom == whole.freedom
    with pytest.raises(dp.InputError, match="y must have one number for each record"):
        whole.update(rest, [1.0])


def test_updating_a_mixture_weighs_its_parts(rng: Any) -> None:
    """Two parts: by the density of the records under each; and one part as the plain posterior."""
    from discreet.families.regression.posterior import CoefficientsMixture

    x, y = rng.normal(size=(12, 1)), rng.normal(size=12)
    single = CoefficientsPosterior(("x",), np.array([0.3]), np.array([[0.4]]), 1.5, intercept=False)
    parts = [(0.3, 0.4, 1.5), (0.1, 0.2, 2.5)]
    mixture = CoefficientsMixture(
        ("x",),
        np.array([[m] for m, _, _ in parts] * 500),
        np.array([[[v]] for _, v, _ in parts] * 500),
        np.array([s for _, _, s in parts] * 500),
        intercept=False,
    )
    updated = mixture.update(x, y)
    densities = [
        stats.multivariate_normal(x[:, 0] * m, np.outer(x[:, 0], x[:, 0]) * v + s * np.eye(12)).pdf(
            y
        )
        for m, v, s in parts
    ]
    share = (updated.noises == 1.5).mean()
    assert share == pytest.approx(densities[0] / sum(densities), abs=0.01)
    first = updated.noises == 1.5
    expected = single.update(x, y)
    assert updated.means[first][0] == pytest.approx(expected.mean())
    assert updated.covariances[first][0] == pytest.approx(expected.covariance())


def test_nothing_given_but_bounds(rng: Any) -> None:
    """The prior that the bounds suggest is that of the estimator; the summary sees a conflict."""
    data = records(rng)
    model = dp.LinearRegression(bounds=BOUNDS)
    made = dp.release(model.count(data, "y"), model, 1, rng=rng)
    assert isinstance(made.config.model.noise, tuple)
    assert dp.Release.from_json(made.to_json()) == made
    assert "is the prior right" not in str(made.summary())
    wrong = dp.LinearRegression({"intercept": 1, "a": 1e-4, "b": 1}, 4, BOUNDS)
    made = dp.release(wrong.count(data, "y"), wrong, 50, rng=rng)
    assert "is the prior right" in str(made.summary())


def test_census_agrees_with_least_squares(shared_data: Path) -> None:
    """The wage equation; a weak prior leaves the published coefficients."""
    bounds = {"educ": (0, 20), "exper": (0, 60), "expersq": (0, 3600), "lweekinc": (-2, 12)}
    model = dp.LinearRegression(10**6, 1, bounds)
    stats_ = model.count(str(shared_data / "census2000.csv"), "lweekinc")
    assert stats_.n_records == 29_501
    expected = [4.51606, 0.119096, 0.0437228, -0.000742812]
    assert model.posterior(stats_).mean() == pytest.approx(expected, rel=3e-5)


def test_records_are_clipped_and_the_statistics_do_not_show(rng: Any) -> None:
    model = dp.LinearRegression(1, 1, BOUNDS)
    far = {"a": [1e9, -1e9], "b": [0, 0], "y": [5.0, 1e300]}
    near = {"a": [8, 0], "b": [0, 0], "y": [5, 30]}
    assert model.count(far, "y") == model.count(near, "y")
    made = model.count(records(rng), "y")
    assert "values" not in repr(made)
    assert str(made.values[1]) not in repr(made)


def test_radius_draws_records_back() -> None:
    model = dp.LinearRegression(1, 1, BOUNDS, radius=1)
    corner = model.count({"a": [8], "b": [3], "y": [0]}, "y")
    inside = model.count({"a": [4 + 4 * 0.5**0.5], "b": [-1 + 4 * 0.5**0.5], "y": [0]}, "y")
    assert corner.values == pytest.approx(inside.values, abs=2 * model.grid)


def test_columns_and_priors_by_name(rng: Any) -> None:
    data = records(rng)
    prior = {"b": 2, "intercept": (1, 3), "a": (0.5, 0.25)}
    model = dp.LinearRegression(prior, 1, BOUNDS)
    one = model.posterior(model.count(data, "y", ["b", "a"]))
    other = model.posterior(model.count(data, "y", ["a", "b"]))
    assert one.names == ("intercept", "b", "a")
    assert one.mean()[[0, 2, 1]] == pytest.approx(other.mean(), rel=1e-9)
    vector = dp.LinearRegression(([1, 0.5, 0], [3, 0.25, 2]), 1, BOUNDS)
    assert vector.posterior(vector.count(data, "y")).mean() == pytest.approx(other.mean(), rel=1e-9)
    with pytest.raises(dp.InputError, match="prior must name the coefficients intercept, a, got"):
        model.count(data, "y", ["a"])
    with pytest.raises(dp.InputError, match="stats were made with other columns"):
        model.of("y", ["a", "b"]).posterior(model.count(data, "y", ["b", "a"]))


def test_arrays(rng: Any) -> None:
    data = records(rng)
    bounds = {"x0": BOUNDS["a"], "x1": BOUNDS["b"], "y": BOUNDS["y"]}
    model = dp.LinearRegression(1, 1, bounds)
    table = np.column_stack([data["a"], data["b"]])
    named = dp.LinearRegression(1, 1, BOUNDS)
    assert model.count(table, data["y"]).values == named.count(data, "y").values
    with pytest.raises(dp.InputError, match="data must be records by features"):
        model.count(table, data["y"][:5])
    with pytest.raises(dp.InputError, match="X must be None for arrays"):
        model.count(table, data["y"], ["x0"])


def test_hellinger_distance_of_posteriors(rng: Any) -> None:
    """One weight: by numerical integration."""
    x = np.linspace(-12, 12, 200_001)
    for (m, v), (k, u) in (((0, 1), (0, 1)), ((0, 1), (1, 1)), ((0.5, 2), (-1, 0.3))):
        laws = [
            CoefficientsPosterior(("x",), np.array([a]), np.array([[b]]), 1.0, intercept=False)
            for a, b in ((m, v), (k, u))
        ]
        p, q = (stats.norm(a, b**0.5).pdf(x) for a, b in ((m, v), (k, u)))
        expected = math.sqrt(max(0, 1 - np.trapezoid(np.sqrt(p * q), x)))
        assert laws[0].hellinger(laws[1]) == pytest.approx(expected, abs=1e-6)


def test_json_and_pickle(rng: Any) -> None:
    data = records(rng)
    for noise in (1, (2, 3)):
        model = dp.LinearRegression(
            {"intercept": 4, "a": (1, 2), "b": 1}, noise, BOUNDS, radius=1.5
        )
        made = dp.release(model.count(data, "y"), model, 1, rng=rng)
        again = dp.Release.from_json(made.to_json())
        assert again == made
        assert pickle.loads(pickle.dumps(made)) == made
        assert again.noise_aware().mean().tolist() == made.noise_aware().mean().tolist()
        assert json.loads(made.to_json())["model"]["kind"] == "LinearRegression"
        assert read_model({"model": model.of("y").to_document()}) == model.of("y")


@given(st.sampled_from(["low", "high", "pair", "name"]), st.data())
def test_bounds_that_are_none(kind: str, data: Any) -> None:
    bad: Any = {
        "low": (data.draw(st.sampled_from([math.nan, math.inf, "0", None, True])), 1),
        "high": (2, data.draw(st.integers(-5, 2))),
        "pair": data.draw(st.sampled_from([None, 3, (1,), (1, 2, 3), "ab"])),
        "name": (0, 1),
    }[kind]
    name: Any = "intercept" if kind == "name" else "a"
    with pytest.raises(dp.InputError, match="bounds"):
        dp.LinearRegression(1, 1, {name: bad, "y": (0, 1)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1, None), "bounds must be a mapping from every column"),
        ((), "bounds must be a mapping from every column"),
        ((1, 1, {"y": (0, 1)}), "bounds must name two columns or more, got 1"),
        ((0, 1, BOUNDS), "prior must be greater than 0, got 0"),
        ((-1, 1, BOUNDS), "prior must be greater than 0, got -1"),
        ((math.nan, 1, BOUNDS), "prior must be finite"),
        (((0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]]), 1, BOUNDS), "must be positive definite"),
        (((0, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), 1, BOUNDS), "must be symmetric"),
        (((0, [[1, 2], [3]]), 1, BOUNDS), "must be a variance, variances or a square matrix"),
        ((([0, 1], [1, 2, 3]), 1, BOUNDS), "as many means as variances, got 2 and 3"),
        (({"a": -1}, 1, BOUNDS), r"prior\['a'\] must be greater than 0"),
        ((1, 0, BOUNDS), "noise_variance must be greater than 0, got 0"),
        ((1, (1, 2, 3), BOUNDS), "noise_variance must be a number, or a pair"),
        ((1, (1, -2), BOUNDS), r"noise_variance\[1\] must be greater than 0"),
        ((1, 1, BOUNDS, -1), "radius must be greater than 0, got -1"),
        ((1, 1, BOUNDS, None, "yes"), "intercept must be"),
        ((1, 1, BOUNDS, None, True, 1), "grid must lie between 2 and"),
    ],
)
def test_models_that_are_none(arguments: Any, message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        dp.LinearRegression(*arguments)


def test_columns_that_are_none(rng: Any) -> None:
    model, data = dp.LinearRegression(1, 1, BOUNDS), records(rng)
    for y, x, message in (
        ("z", None, "y must be columns with bounds, and 'z' has none"),
        (7, None, "y must be the name of a column of the data, got 7"),
        ("y", "a", "X must be a list of columns, got 'a'"),
        ("y", ["z"], "X must be columns with bounds, and 'z' has none"),
        ("y", [], "X must be one or more different columns"),
        ("y", ["a", "a"], "X must be one or more different columns"),
        ("y", ["y"], "X must be one or more different columns"),
    ):
        with pytest.raises(dp.InputError, match=message):
            model.count(data, y, x)
    with pytest.raises(dp.InputError, match="records by 2 features"):
        model.posterior(model.count(data, "y")).predict([1.0, 2.0])
    with pytest.raises(dp.InputError, match="X must have the column 'b'"):
        model.posterior(model.count(data, "y")).predict({"a": [1.0]})
    with pytest.raises(dp.InputError, match="X must not have missing or infinite values"):
        model.posterior(model.count(data, "y")).predict([[1.0, math.nan]])
    with pytest.raises(dp.InputError, match="model must know its columns"):
        dp.mechanism("statistics", model, 5, epsilon=1).raw_law(model.count(data, "y"))


def test_missing_values(rng: Any) -> None:
    data = records(rng)
    for bad in (math.nan, math.inf, None):
        column: Any = [*data["a"].tolist(), bad]
        longer: Any = {"a": column, "b": [*data["b"], 0], "y": [*data["y"], 0]}
        with pytest.raises(dp.InputError, match="column 'a'") as caught:
            dp.LinearRegression(1, 1, BOUNDS).count(longer, "y")
        assert "8" not in str(caught.value)
        dropped = dp.LinearRegression(1, 1, BOUNDS).count(longer, "y", unknown="drop")
        assert dropped.n_records == 60
        with pytest.raises(dp.PrivacyRefusedError, match="have no public n"):
            dp.release(dropped, dp.LinearRegression(1, 1, BOUNDS), 1)
        hidden = dp.release(dropped, dp.LinearRegression(1, 1, BOUNDS), 1, adjacency="add-remove")
        assert hidden.dropped
        filled = dp.LinearRegression(1, 1, BOUNDS).count(longer, "y", unknown="middle")
        assert filled.n_records == 61


@pytest.mark.slow
def test_expected_error_is_near_what_happens(rng: Any) -> None:
    """Within a factor of 2.5 of 12 simulated releases, from above; and it sees what is useless."""
    bounds = {f"x{j}": (-1, 1) for j in range(4)} | {"y": (-6, 6)}
    model = dp.LinearRegression(1, 1, bounds).of("y")
    cases: list[tuple[int, float, dict[str, Any]]] = [
        (2000, 1, {}),
        (2000, 1, {"delta": 1e-6}),
        (2000, 1, {"adjacency": "add-remove"}),
        (20_000, 0.5, {}),
    ]
    for n, epsilon, options in cases:
        squares = []
        for _ in range(12):
            weights = rng.normal(size=5)
            x = rng.uniform(-1, 1, (n, 4))
            y = weights[0] + x @ weights[1:] + rng.normal(size=n)
            made = dp.release(model.count(x, y), model, epsilon, rng=rng, **options)
            step = np.square(made.noise_aware().mean() - weights)
            squares.append(step[0] + step[1:].sum() / 3)
        expected = model.expected_error(n, epsilon, **options)
        ratio = expected.prediction / math.sqrt(np.mean(squares))
        assert 0.6 < ratio < 2.5
        assert expected.exact_prediction < expected.prediction < expected.prior_prediction
    useless = model.expected_error(100, 0.01)
    assert useless.useless
    assert "next to nothing" in str(useless)
    assert not model.expected_error(20_000, 1).useless
    sampled = dp.mechanism("sample", model, 2000, epsilon=1).expected_error()
    assert sampled.prediction > sampled.exact_prediction
    with pytest.raises(dp.InputError, match=r"dp\.accuracy"):
        dp.mechanism("lattice", dp.BetaBinomial(), 5, epsilon=1).expected_error()
    with pytest.raises(dp.InputError, match="colour is not an option"):
        model.expected_error(10, 1, colour=1)
    for mechanism, adjacency in (("sample", "add-remove"), ("statistics", "attribute")):
        with pytest.raises(dp.InputError, match=f"{mechanism} is .* only, got '{adjacency}'"):
            model.expected_error(10, 1, mechanism, adjacency)


def test_exact_fractions_of_the_units() -> None:
    model = dp.LinearRegression(1, 1, {"x": (0, 4), "y": (0, 20)}).of("y")
    transform, offset = model.units.transform
    assert [list(map(int, row)) for row in transform] == [[10, -10], [0, 5]]
    assert list(map(int, offset)) == [10, 0]
    mean, precision = model.standardised_prior
    assert list(map(int, mean)) == [-1, 0]  # y = 0 is t = −1
    assert all(isinstance(entry, Fraction) for row in precision for entry in row)


def test_bands_are_intervals_of_the_mean(rng: Any) -> None:
    """Of all three kinds of laws, against quantiles of draws."""
    data = records(rng)
    model = dp.LinearRegression(4, (2, 3), BOUNDS)
    stats_ = model.count(data, "y")
    known = dp.LinearRegression(4, 3, BOUNDS)
    sampled = dp.release(known.count(data, "y"), known, 50, "sample", samples=400, rng=rng)
    laws = (
        model.posterior(stats_),
        dp.release(stats_, model, 1, rng=rng).noise_aware(),
        sampled.posterior,
    )
    x = np.array([[0.0, 0.0], [8.0, 3.0]])
    for law in laws:
        drawn = law.sample(40_000, rng) @ np.column_stack([np.ones(2), x]).T
        band = law.band(x, 0.8)
        assert band.shape == (2, 2)
        width = band[:, 1] - band[:, 0]
        expected = np.quantile(drawn, [0.1, 0.9], axis=0).T
        assert np.abs(band - expected).max() < 0.05 * width.min()


def test_documents_that_a_release_cannot_have(rng: Any) -> None:
    model = dp.LinearRegression(1, 1, BOUNDS)
    made = dp.release(model.count(records(rng), "y"), model, 1, rng=rng)
    whole = json.loads(made.to_json())

    def changed(**changes: Any) -> dict[str, Any]:
        from discreet.core.documents import digest

        document = {name: value for name, value in whole.items() if name != "sha256"} | changes
        return document | {"sha256": digest(document)}

    assert dp.Release.from_json(changed()) == made
    lower = [["1", "1/2", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    for wrong in (
        changed(n=7),
        changed(dropped=True),
        changed(where="a > 1", n_source="sum of the counts"),
        changed(model=whole["model"] | {"covariance": lower}),
        changed(model=whole["model"] | {"covariance": [["0"] * 3] * 3}),
        changed(model=whole["model"] | {"covariance": []}),
        changed(guarantee=whole["guarantee"] | {"max_per_unit": True}),
        changed(guarantee=whole["guarantee"] | {"max_per_unit": 1.0}),
    ):
        with pytest.raises(dp.DocumentError):
            dp.Release.from_json(wrong)


def test_what_is_private_is_not_quoted(rng: Any) -> None:
    model = dp.LinearRegression(1, 1, BOUNDS)
    with pytest.raises(dp.InputError, match="got a float") as caught:
        dp.release(7.654, model, 1)  # type: ignore[arg-type]
    assert "7.654" not in str(caught.value)
    mean = dp.NormalMean(0, 1, 1, (0, 1)).count([0.5])
    with pytest.raises(dp.InputError, match="model must know its columns"):
        dp.release(mean, model, 1)
    masked = np.ma.masked_array(np.ones((3, 2)), mask=np.eye(3, 2, dtype=np.bool_))
    with pytest.raises(dp.InputError, match="data must not be masked"):
        dp.LinearRegression(1, 1, {"x0": (0, 1), "x1": (0, 1), "y": (0, 1)}).count(
            masked, np.ones(3)
        )
