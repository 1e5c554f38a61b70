"""Columns of engines and files of several types, numbers as they are written, and what is said."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from tests.data.test_boundaries import MODEL, counted
from tests.optional import module

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def test_columns_that_an_engine_computes_are_refused() -> None:
    """Their engine moves conditions into the reading of files, and its errors quote records."""
    frames = module("dask.dataframe", "engines")
    frame = frames.from_pandas(pd.DataFrame({"x": ["41 SECRET"], "y": [1.0]}), npartitions=1)
    lazy = frame.y.to_dask_array(lengths=True)
    mean = dp.NormalMean(bounds=(0, 100))
    line = dp.LinearRegression(bounds={"x0": (0, 100), "y": (0, 10)})
    asked: list[Any] = [
        lambda: mean.count({"age": frame.x.astype(float)}, "age"),
        lambda: mean.count({"age": frame.y}, "age"),
        lambda: line.count({"x0": frame.y, "y": [1.0]}, "y", ["x0"]),
        lambda: line.count(frame[["y"]].values, [1.0]),
        lambda: line.count(np.ones((1, 1)), frame.y),
        lambda: MODEL.count(frame.x),
        lambda: MODEL.count(frame[["x"]].values),
        lambda: MODEL.count(frame.x.to_bag()),
        lambda: mean.count({"age": frame.y.to_bag()}, "age"),
        lambda: mean.count(frame.y.to_bag()),
        lambda: line.count([[each] for each in lazy], list(lazy)),
        lambda: line.count(list(lazy.reshape(-1, 1)), [1.0]),
    ]
    for count in asked:
        with pytest.raises(dp.InputError, match=r"must be a list, an array of numpy") as caught:
            count()
        assert "SECRET" not in str(caught.value)
    with pytest.raises(dp.InputError, match="must be a list or an array"):
        mean.count({1.0, 2.0})
    for column in ([1.0], (1.0,), np.ones(1), pd.Series([1.0]), pa.array([1.0]), iter([1.0])):
        assert mean.count({"age": column}, "age").n_records == 1


@pytest.mark.parametrize("first", ["text", "time", "float"])
def test_files_of_dask_have_the_types_of_the_first(first: str, tmp_path: Path) -> None:
    """Where the first file said text, a missing value in another made floats of its integers."""
    frames = module("dask.dataframe", "engines")
    of_first = {
        "text": pa.array(["c"]),
        "time": pa.array([0], pa.timestamp("us")),
        "float": pa.array([0.5], pa.float32()),
    }
    for more in ([], [None]):
        for place, column in enumerate((of_first[first], pa.array([1, 2, *more], pa.int64()))):
            table = pa.table({"x": ["a"] * len(column), "u": column})
            pq.write_table(table, tmp_path / f"{place}.parquet")
        frame = frames.read_parquet(tmp_path)
        assert MODEL.count(frame, "x").values == (3 + len(more), 0, 0)
        one = "'u' must have one name and one type in all"
        of_units = "unit 'u' must hold .* got single floats" if first == "float" else one
        with pytest.raises(dp.InputError, match=one):
            MODEL.count(frame, "x", unknown="drop", where="u is not null")
        with pytest.raises(dp.InputError, match=of_units):
            MODEL.count(frame, "x", unknown="drop", unit="u", max_per_unit=1)


def test_a_number_with_an_exponent_is_the_same_decimal_number(tmp_path: Path) -> None:
    """pandas writes 0.0000001 as 1e-07: a frame and its file disagreed, and a release was empty."""
    model = dp.DirichletMultinomial(("0.0000001", "1"))
    frame = pd.DataFrame({"x": [1e-7, 1.0, 1e-7, None]})
    frame.to_csv(tmp_path / "x.csv")
    frame.to_json(tmp_path / "x.jsonl", orient="records", lines=True, double_precision=15)
    for data in (frame, pa.table(frame), str(tmp_path / "x.csv"), str(tmp_path / "x.jsonl")):
        assert model.count(data, "x", unknown="drop").values == (2, 1)
    for text, fits in (("100E-9", True), ("+.1e-006", True), ("1e-8", False), ("1e-0007", False)):
        for data in ([text], pa.table({"x": [text]}), pd.DataFrame({"x": [text]})):
            column = None if isinstance(data, list) else "x"
            assert sum(model.count(data, column, unknown="drop").values) == fits
    huge = Decimal("1e999999999")
    assert model.count([huge, Decimal("1e-7")], unknown="drop").values == (1, 0)


def test_a_table_in_memory_of_ibis(tmp_path: Path) -> None:
    ibis = module("ibis", "engines")
    table = ibis.memtable(pd.DataFrame({"x": ["a", "b", "a"]}))
    assert MODEL.count(table, "x").values == (2, 1, 0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda place: pd.DataFrame([["a", "b"]], columns=["x", "x"]), "two columns have the same"),
        (lambda place: pd.DataFrame([["a", "b"]]), "columns whose names are text"),
        (
            lambda place: pl.DataFrame({"x": ["a"]}).lazy().select(x="z"),
            "a column that it computes",
        ),
        (lambda place: _written(place, b"nothing"), "it is no DuckDB database"),
    ],
)
def test_what_is_wrong_is_said(make: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(dp.InputError, match=said):
        MODEL.count(make(tmp_path), "x")


def _written(place: Path, content: bytes) -> str:
    (place / "x.duckdb").write_bytes(content)
    return str(place / "x.duckdb")


def test_the_least_integer_is_a_unit() -> None:
    least = "'-170141183460469231731687303715884105728'::hugeint"
    relation = duckdb.sql(f"select 'a' as x, {least} as u")
    assert MODEL.count(relation, "x", unit="u", max_per_unit=1).values == (1, 0, 0)


def test_a_line_of_feeds_is_blank(tmp_path: Path) -> None:
    for blank in ("\f", "\v \f"):
        with pytest.raises(dp.DataError, match="line 2 is blank"):
            counted(tmp_path / "x.jsonl", f'{{"x": "a"}}\n{blank}\n{{"x": "b"}}\n')


@pytest.mark.parametrize("name", ["*", "^o$", "^.*$"])
@pytest.mark.parametrize("lazy", [False, True])
def test_a_name_that_polars_takes_for_a_pattern(name: str, lazy: bool) -> None:
    """It stood for other columns, and the engine reported a KeyError, or two of the same name."""
    whole = pl.DataFrame({"o": ["a", "b"], name: ["b", "b"]})
    frame: Any = whole.lazy() if lazy else whole
    asked: list[dict[str, Any]] = [
        {"column": name},
        {"column": "o", "where": f"\"{name}\" = 'b'"},
        {"column": "o", "unit": name, "max_per_unit": 1},
    ]
    for rules in asked:
        with pytest.raises(dp.InputError, match="which polars takes for a pattern of names"):
            MODEL.count(frame, **rules)
    assert MODEL.count(frame, "o").values == (1, 1, 0)
    assert MODEL.count(whole.to_arrow(), name).values == (0, 2, 0)


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_with_a_name_of_ours(of: Any) -> None:
    """Beside it the number of records had the same name, and the engine failed."""
    for name in ("discreet_n", "discreet_0", "discreet_n_"):
        frame = of({name: ["a", "a", "b"], "g": ["b", "b", "c"]})
        assert MODEL.count(frame, name).values == (2, 1, 0)
        assert MODEL.count(frame, name, by="g", groups=("b", "c")).values == (2, 0, 0, 0, 1, 0)
