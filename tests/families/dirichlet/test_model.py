from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp

pd = pytest.importorskip("pandas")


def test_priors_are_exact_decimals() -> None:
    assert dp.DirichletMultinomial(("a", "b"), prior=0.1).prior == (Fraction(1, 10),) * 2
    model = dp.DirichletMultinomial(("a", "b"), prior=(np.float32(0.1), Decimal("1e-3")))
    assert model.prior == (Fraction(1, 10), Fraction(1, 1000))
    assert dp.BetaBinomial("jeffreys").prior == (Fraction(1, 2),) * 2
    assert dp.BetaBinomial(np.array([1, 2])).prior == (Fraction(1), Fraction(2))


def test_priors_by_label() -> None:
    labels = ("a", "b", "c")
    for prior in ({"c": 3, "a": 1, "b": 2}, pd.Series([3, 1, 2], index=["c", "a", "b"])):
        assert dp.DirichletMultinomial(labels, prior).prior == tuple(map(Fraction, (1, 2, 3)))
    assert dp.BetaBinomial({False: 4, True: 2}).prior == (Fraction(2), Fraction(4))
    with pytest.raises(dp.InputError, match="prior must have an entry for 'b'"):
        dp.DirichletMultinomial(labels, {"a": 1, "c": 2})
    for wrong in ({"x": 1}, pd.Series([1, 2, 3])):
        with pytest.raises(dp.InputError, match="prior has at position 0 a label that is not"):
            dp.DirichletMultinomial(labels, wrong)


def test_beta_binomial_is_the_case_of_two() -> None:
    assert dp.BetaBinomial() == dp.DirichletMultinomial((True, False))
    with pytest.raises(dp.InputError, match="exactly two"):
        dp.BetaBinomial(categories=("a", "b", "c"))


def test_counting_lists_and_arrays() -> None:
    beta = dp.BetaBinomial()
    assert beta.count([True, False, True]).values == (2, 1)
    assert beta.count(np.array([True, False, True])).values == (2, 1)
    assert beta.count(np.array([1, 0, 1, 1])).values == (3, 1)
    assert beta.count([]).values == (0, 0)
    words = dp.DirichletMultinomial(("é", "日本"))
    assert words.count(np.array(["é", "日本", "é"])).values == (2, 1)
    assert words.count(iter(["é"])).values == (1, 0)


@pytest.mark.parametrize("bad", [None, "secret", math.nan, 3, ["list"]])
def test_undeclared_values_are_named_by_position_only(bad: object) -> None:
    model = dp.DirichletMultinomial(("a", "b"))
    with pytest.raises(dp.UnknownValuesError) as raised:
        model.count(["a", "b", bad])
    assert str(raised.value) == "data[2] is missing or not a declared category"
    assert "secret" not in repr(raised.value)
    assert raised.value.values == (bad,)  # for the data owner, who may look
    assert raised.value.__context__ is None


def test_labels_from_spreadsheets() -> None:
    labels = ("no\u00a0break", "👩\u200d⚕️", "two words")
    assert dp.DirichletMultinomial(labels).categories == labels


class Frame:
    """Like a data frame: two-dimensional, and iterating gives the column names."""

    ndim = 2

    def __iter__(self) -> Iterator[str]:
        return iter(["a", "b"])


@pytest.mark.parametrize("data", ["ab", {"a": 1}, 5, np.zeros((2, 2)), Frame()])
def test_data_of_another_shape(data: object) -> None:
    with pytest.raises(dp.InputError, match="data must"):
        dp.DirichletMultinomial(("a", "b")).count(data)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (0, "prior must be greater than 0, got 0"),
        (-1.5, "prior must be greater than 0, got -1.5"),
        (math.nan, "prior must be finite, got nan"),
        (math.inf, "prior must be finite, got inf"),
        ((1, 2), "prior must have 3 entries, one per category, got 2"),
        ((1, 0, 1), r"prior\[1\] must be greater than 0"),
        ((1, True, 1), r"prior\[1\] must be a number"),
        ("flat", "prior must be one of 'jeffreys', got 'flat'"),
        (None, "prior must be a number, got None"),
        (np.ones((3, 1)), "prior"),
        (1e-12, "prior must lie between 1e-09 and 1e\\+12, got 1e-12"),
        (1e15, "prior must lie between"),
        (10**4000, "prior must be a number of ordinary size"),
        (Decimal("1e999999999"), "prior must be a number of ordinary size"),
    ],
)
def test_bad_priors(prior: Any, message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        dp.DirichletMultinomial(("a", "b", "c"), prior=prior)


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        (("a",), "at least two categories"),
        ((), "at least two categories"),
        (("a", "b", "a"), "must be distinct, got 'a' twice"),
        ((True, 1), "must be distinct"),
        ("ab", "must be a sequence of labels"),
        (5, "must be a sequence of labels"),
        (("a", 1.5), r"categories\[1\] must be a string, integer or boolean, got 1.5"),
        (("a", None), r"categories\[1\]"),
        (("a", "\ud800"), r"categories\[1\] must not contain control characters"),
        (("a", "b\n"), r"categories\[1\] must not contain control characters"),
        (("a", ""), r"categories\[1\] must be a name"),
        ({"a", "b"}, "must be a sequence of labels in order"),
        ({"a": 1, "b": 2}, "must be a sequence of labels in order"),
    ],
)
def test_bad_categories(categories: object, message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        dp.DirichletMultinomial(categories)  # type: ignore[arg-type]
