"""One contract that every mechanism of a normal mean or a regression keeps.

It walks `making.NORMAL_MECHANISMS` and `making.REGRESSION_MECHANISMS`, under every adjacency that
they have.
"""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import discreet as dp
from discreet.core import Adjacency
from tests.specs import NORMAL_MECHANISMS, REGRESSION_MECHANISMS, with_adjacency

ROOT = Path(__file__).parents[2]
MEAN = dp.NormalMean(5, 4, 9, (0, 10))
LINE = dp.LinearRegression(4, 1, {"x": (0, 10), "y": (-5, 5)})
PLANE = dp.LinearRegression(
    {"intercept": (1e-4, 1e-6), "größe": 1e-19, "b c": 0.01},
    1e-8,
    {"größe": (-1e6, 1e6), "b c": (0.001, 0.002), "y": (0, 1e-3)},
    radius=1,
)
OPTIONS: dict[str, dict[str, Any]] = {
    "gaussian": {"delta": 1e-6},
    "input": {"delta": 1e-6},
    "hellinger": {"points": 51},
}
Case = tuple[str, Any, Any, Adjacency]


def mean_data(n: int) -> Any:
    return MEAN.count([0.5 * i for i in range(n)])


def line_data(n: int) -> Any:
    return LINE.count({"x": list(range(n)), "y": [0.3 * i - 1 for i in range(n)]}, "y")


def plane_data(n: int) -> Any:
    columns = {
        "größe": [1e5 * i for i in range(n)],
        "b c": [0.001 + 1e-4 * i for i in range(n)],
        "y": [1e-4 * i for i in range(n)],
    }
    return PLANE.count(columns, "y")


MAKERS = ((mean_data, MEAN), (line_data, LINE), (plane_data, PLANE))
CASES: list[Case] = [
    (name, model, maker, adjacency)
    for maker, model in MAKERS
    for adjacency in Adjacency
    for name in with_adjacency(model, adjacency)
]
IDS = [f"{name}-{maker.__name__}-{adjacency.value}" for name, _, maker, adjacency in CASES]
every_case = pytest.mark.parametrize(("name", "model", "data", "adjacency"), CASES, ids=IDS)


def test_every_mechanism_is_walked() -> None:
    walked = {(name, type(model)) for name, model, _, _ in CASES}
    assert {name for name, kind in walked if kind is dp.NormalMean} == set(NORMAL_MECHANISMS)
    assert {name for name, kind in walked if kind is not dp.NormalMean} == set(
        REGRESSION_MECHANISMS
    )
    private = {
        (name, type(m)) for name, m, _, adjacency in CASES if adjacency.value != "substitute"
    }
    assert private == {
        ("laplace", dp.NormalMean),
        ("gaussian", dp.NormalMean),
        ("statistics", dp.LinearRegression),
    }


def settings(name: str, adjacency: Adjacency, n: int) -> dict[str, Any]:
    """Of `dp.mechanism`: n is left out where it is private."""
    public = n if adjacency is Adjacency.SUBSTITUTE else None
    return {"n": public, "adjacency": adjacency} | OPTIONS.get(name, {})


def bound(model: Any) -> Any:
    return model.of("y") if isinstance(model, dp.LinearRegression) else model


@every_case
def test_release_json_schema_and_pickle(
    name: str, model: Any, data: Any, adjacency: Adjacency
) -> None:
    schema = json.loads((ROOT / "docs" / "release.schema.json").read_text())
    for n in (0, 1, 9):
        for epsilon in (1e-3, 0.7, 50):
            stats = data(n)
            made = dp.mechanism(name, bound(model), epsilon=epsilon, **settings(name, adjacency, n))
            assert made.guarantee.private
            assert made.guarantee.epsilon <= made.config.epsilon
            assert made.guarantee.basis is not None
            assert f"{adjacency.change} one record" in repr(made)
            assert pickle.loads(pickle.dumps(made)) == made
            release = dp.release(
                stats, model, epsilon, name, adjacency=adjacency, **OPTIONS.get(name, {})
            )
            assert not release.simulated
            assert release.guarantee == made.guarantee
            assert release.value == made.postprocess(release.raw)
            text = release.to_json()
            jsonschema.validate(json.loads(text), schema)
            again = dp.Release.from_json(text)
            assert again == release
            assert pickle.loads(pickle.dumps(release)) == release
            assert np.isfinite(again.posterior.mean()).all()
            assert "<table>" in release._repr_html_() or "<p>" in release._repr_html_()
            assert name in repr(release)
            assert "clipped" in str(made.guarantee.basis)


@every_case
def test_summaries_and_plots(name: str, model: Any, data: Any, adjacency: Adjacency) -> None:
    rng, options = np.random.default_rng(1), OPTIONS.get(name, {})
    release = dp.release(data(9), model, 2, name, adjacency=adjacency, rng=rng, **options)
    assert "simulated, not private" in str(release.summary())
    assert "clipped" in str(release.summary())
    assert "<table" in release.summary()._repr_html_()
    axes = release.plot()
    assert axes.get_xlabel()
    axes.figure.clear()
    if name != "sample":
        aware = release.noise_aware()
        assert str(release.summary(noise_aware=aware)) == str(release.summary())
    with pytest.raises(dp.InputError, match="noise_aware must be the noise-aware posterior"):
        release.summary(noise_aware="nothing")
    with pytest.raises(dp.InputError, match="node is for releases of networks"):
        release.summary(node="a")


@every_case
def test_refusals(name: str, model: Any, data: Any, adjacency: Adjacency, tmp_path: Path) -> None:
    given, options = settings(name, adjacency, 6), OPTIONS.get(name, {})

    def make(**changes: Any) -> dp.Mechanism:
        return dp.mechanism(name, bound(model), **({"epsilon": 1} | given | changes))

    for epsilon in (0, -1, math.nan, math.inf, "1", True, None, 1e-12):
        with pytest.raises(dp.InputError, match="epsilon must"):
            make(epsilon=epsilon)
    for n in (-1, 2.5, None if given["n"] else 6, "6", True, 2**70):
        with pytest.raises(dp.InputError, match="n must"):
            make(n=n)
    with pytest.raises(dp.InputError, match=f"colour is not an option of {name}"):
        make(colour="red")
    with pytest.raises(dp.InputError, match="adjacency"):
        make(adjacency="attribute")
    for counts in ((1, 2, 3), "abc", None, {"a": 1}, np.ones(3)):
        with pytest.raises(dp.InputError, match=r"stats must|counts must|data must"):
            dp.release(counts, bound(model), 1, name, adjacency=adjacency, **options)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match=r"declared n = 5|n must be None under add-remove"):
        dp.release(data(9), model, 1, name, n=5, adjacency=adjacency, **options)
    with pytest.raises(dp.InputError, match="mechanism must be"):
        dp.release(data(9), model, 1, "lattice")
    for raw in ((1.5,), (1, 2, 3, 4, 5), (), None):
        with pytest.raises(dp.InputError, match="raw must be"):
            make().postprocess(raw)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="mechanism must be one for counts of categories"):
        dp.accuracy(make(), (1, 2))
    with pytest.raises(dp.InputError, match="model must be"):
        dp.compare(bound(model), (1, 2), epsilon=1)
    with pytest.raises(dp.InputError, match="width is for counts of categories"):
        dp.plan(bound(model), 6, width=1, mechanism=name, adjacency=adjacency, **options)


@every_case
def test_expected_error_is_known_beforehand(
    name: str, model: Any, data: Any, adjacency: Adjacency
) -> None:
    made = dp.mechanism(name, bound(model), epsilon=1, **settings(name, adjacency, 1000))
    expected = made.expected_error(1000)
    assert str(expected)
    options = OPTIONS.get(name, {})
    assert expected == bound(model).expected_error(1000, 1, name, adjacency=adjacency, **options)
    if adjacency is Adjacency.ADD_REMOVE:
        assert expected != bound(model).expected_error(1000, 1, name, **options)
        with pytest.raises(dp.InputError, match="n must be given where it is private"):
            made.expected_error()
