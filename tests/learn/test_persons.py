"""Estimators whose records are several of one person: they count as their models do."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import discreet as dp
from discreet.learn import (
    PrivateLinearRegression,
    PrivateNaiveBayes,
    linear_regression,
    naive_bayes,
)

RNG = np.random.default_rng(1)
X, Y = RNG.integers(0, 3, (200, 2)), RNG.integers(0, 2, 200)
GROUPS = RNG.integers(0, 30, 200)
RULES: list[dict[str, Any]] = [{"max_per_unit": 2}, {"per_unit": "average"}]
ESTIMATORS = [
    PrivateNaiveBayes(mechanism="laplace_updates", categories=[0, 1, 2], classes=[0, 1]),
    PrivateLinearRegression(bounds={"X": (0, 2), "y": (0, 1)}),
]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is handed to `dp.release`, and the model; nothing is released."""
    found: list[Any] = []

    def release(counts: Any, model: Any, *_: object, **__: object) -> None:
        found.append((counts, model))
        raise dp.PrivacyRefusedError("as far as that")

    for module in (naive_bayes, linear_regression):
        monkeypatch.setattr(module, "release", release)
    return found


@pytest.mark.parametrize("groups", [GROUPS, GROUPS.tolist(), [f"P{g}" for g in GROUPS]])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_counts_of_persons(
    estimator: Any, rules: dict[str, Any], groups: Any, counted: list[Any]
) -> None:
    own = clone(estimator).set_params(unit="patient", adjacency="add-remove", **rules)
    with pytest.raises(dp.PrivacyRefusedError, match="as far as that"):
        own.fit(X, Y, groups=groups)
    [(counts, model)] = counted
    columns: dict[str, Any] = {"x0": X[:, 0], "x1": X[:, 1], "patient": groups}
    if isinstance(own, PrivateNaiveBayes):
        wanted = model.count(pl.DataFrame(columns | {"class": Y}), unit="patient", **rules)
    else:
        wanted = model.count(pl.DataFrame(columns | {"y": Y}), "y", unit="patient", **rules)
    assert counts.values == wanted.values
    assert counts.n_records == wanted.n_records
    assert (counts.unit, counts.max_per_unit, counts.per_unit) == (
        *("patient", rules.get("max_per_unit", 1), rules.get("per_unit", "cut")),
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_refused(estimator: Any, counted: list[Any]) -> None:
    persons = clone(estimator).set_params(unit="patient", max_per_unit=2)
    for groups, said in (
        (None, "^groups must tell for every record which patient it is of"),
        ([None, *GROUPS[1:].tolist()], "^groups must tell for every record"),
        (GROUPS[1:], "^groups must have one entry for every record"),
        (X, "^groups must have one entry for every record"),
        (GROUPS + 0.5 + 2**53, r"holds floats from 2\*\*53 on"),
        ([*GROUPS[1:].tolist(), "P"], "values of several types"),
    ):
        with pytest.raises(dp.InputError, match=said):
            clone(persons).fit(X, Y, groups=groups)
    with pytest.raises(dp.InputError, match=r"^groups need unit="):
        clone(estimator).fit(X, Y, groups=GROUPS)
    for rules in ({"unit": "patient"}, {"max_per_unit": 1}, {"per_unit": "average"}):
        with pytest.raises(dp.InputError, match="unit"):
            clone(estimator).set_params(**rules).fit(X, Y, groups=GROUPS)
    assert not counted


def test_a_unit_is_no_feature(counted: list[Any]) -> None:
    own = clone(ESTIMATORS[1]).set_params(unit="x0", max_per_unit=2)
    with pytest.raises(dp.InputError, match=r"^unit must not be the name of a feature"):
        own.fit(X, Y, groups=GROUPS)
    assert not counted
