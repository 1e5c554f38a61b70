"""Values of any type as declared categories of any type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dp

VALUES: dict[str, Any] = {
    "booleans": [True, False, True],
    "integers": [1, 0, 1],
    "floats": [1.0, 0.0, 1.0],
    "digits": ["1", "0", "1"],
    "words": ["true", "false", "true"],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("categories", [(True, False), (1, 0)])
def test_truth_in_every_type(values: list[Any], categories: tuple[Any, Any]) -> None:
    model = dp.BetaBinomial(categories=categories)
    made = [values, np.array(values), pd.Series(values), pl.Series(values)]
    for data in made:
        assert model.count(data).values == (2, 1)
    for frame in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values}).lazy()):
        assert model.count(frame, "x").values == (2, 1)


def test_categories_in_writing() -> None:
    assert dp.BetaBinomial(categories=("1", "0")).count([1, 0, 1]).values == (2, 1)
    assert dp.BetaBinomial(categories=("true", "false")).count([True, False]).values == (1, 1)
    frame = pl.DataFrame({"x": [7, 8, 7], "y": [True, False, True]})
    assert dp.DirichletMultinomial(("7", "8")).count(frame, "x").values == (2, 1)
    assert dp.DirichletMultinomial(("True", "False")).count(frame, "y").values == (2, 1)


def test_the_same_decimal_number_where_all_labels_are_different_numbers() -> None:
    model = dp.DirichletMultinomial(("007", "008", "-0.50"))
    written = ["007", "7", "+7.", "70e-1", "8", "-.5", "-0.5"]
    values: list[Any] = [*written[:4], 8, -0.5, Decimal("-0.50")]
    for data in (written, values):
        assert model.count(data).values == (4, 1, 2)
    for frame in (pl.DataFrame({"x": written}), pd.DataFrame({"x": written})):
        assert model.count(frame, "x").values == (4, 1, 2)
    for unequal in ("7.5", "7e1", " 7", "7\n", "seven", "٧", "", "0x7", "7.0.0", "--7"):
        assert model.count([unequal], unknown="drop").n_records == 0
        assert model.count(pl.DataFrame({"x": [unequal]}), "x", unknown="drop").n_records == 0


def test_the_exact_text_where_they_are_not() -> None:
    model = dp.DirichletMultinomial(("007", "7", "x"))
    assert model.count(["007", "7", 7, 7.0]).values == (1, 3, 0)
    assert model.count(["7.0", "+7"], unknown="drop").n_records == 0
    assert model.count(pd.DataFrame({"x": [7.0, None]}), "x", unknown="drop").values == (0, 1, 0)


def test_what_cannot_be_told_apart() -> None:
    model = dp.DirichletMultinomial(("1", 1))
    assert model.count(["1", 1, 1]).values == (1, 2)
    with pytest.raises(dp.InputError, match="cannot be told apart"):
        model.count(pl.DataFrame({"x": ["1", "1"]}), "x")


@pytest.mark.parametrize("kind", ["category", "object", "Int64", "boolean", "float64"])
def test_pandas_types_with_missing_values(kind: str) -> None:
    series = pd.Series([1, 0, None, 1], dtype="object").astype(kind)
    model = dp.BetaBinomial()
    with pytest.raises(dp.UnknownValuesError) as caught:
        model.count(pd.DataFrame({"x": series}), "x")
    assert caught.value.values == (None,)
    assert model.count(pd.DataFrame({"x": series}), "x", unknown="drop").values == (2, 1)
    counts = model.count(pd.DataFrame({"x": series}), "x", unknown="other", other=False)
    assert counts.values == (2, 2)


@pytest.mark.parametrize("odd", [1, True, 2.5, ["list"], pd.Timestamp("2024-01-01")])
def test_mixed_objects_are_refused(odd: object) -> None:
    """Read value by value, but only as one declared type: an odd value changes no other."""
    frame = pd.DataFrame({"x": pd.Series(["a", "b", None, odd], dtype=object), "y": ["a"] * 4})
    model = dp.DirichletMultinomial(("a", "b"))
    with pytest.raises(dp.InputError, match="holds Python objects"):
        model.count(frame, "x", unknown="drop")
    with pytest.raises(dp.InputError, match="holds Python objects"):
        model.count(frame, "y", where="x = 'a'")
    with pytest.raises(dp.InputError, match="holds Python objects"):
        model.count(frame, "y", unit="x", max_per_unit=1, unknown="drop")
    with pytest.raises(dp.InputError, match="holds Python objects"):
        model.count(frame["x"], unknown="drop")


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "timedelta64[ns]"])
def test_columns_that_hold_no_categories(dtype: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([1, 2], dtype=dtype)})
    with pytest.raises(dp.InputError, match="must hold text, integers, booleans"):
        dp.BetaBinomial().count(frame, "x")


def test_decimal_numbers() -> None:
    frame = pl.DataFrame({"x": [0.5, 1.0]})
    with pytest.raises(dp.InputError, match="cut it into declared bins"):
        dp.DirichletMultinomial(("a", "b")).count(frame, "x")
    with pytest.raises(dp.UnknownValuesError) as caught:
        dp.BetaBinomial().count(frame, "x")
    assert "0.5" not in str(caught.value)
    assert caught.value.values == (0.5,)


def test_many_categories_and_many_distinct_values() -> None:
    labels = tuple(f"c{i}" for i in range(2000))
    frame = pl.DataFrame({"x": [f"c{i % 4000}" for i in range(20_000)]})
    counts = dp.DirichletMultinomial(labels).count(frame, "x", unknown="drop")
    assert counts.values == (5,) * 2000
