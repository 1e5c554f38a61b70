"""No record decides how another is read: every engine says what the reference says.

Data, writer, reader, condition, groups, units and rules are drawn (see `drawing`); a record is then
added, removed or replaced, and the answer may move by no more than the guarantee assumes.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from tests.data import agreement, writing

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]
SEEDS = 12  # a batch has all writers once


@pytest.mark.parametrize("number", range(17))
def test_engines_agree_with_the_reference(number: int, tmp_path: Path) -> None:
    pairs = agreement.batch(range(number * SEEDS, (number + 1) * SEEDS), tmp_path)
    assert pairs.total() > 120


@pytest.mark.slow
@pytest.mark.parametrize("number", range(58))
def test_engines_agree_with_the_reference_spark_among_them(number: int, tmp_path: Path) -> None:
    start = 10**5 + number * (SEEDS + 1)
    pairs = agreement.batch(range(start, start + SEEDS + 1), tmp_path, slow=True)
    assert pairs.total() > 150


NAN = float("nan")
MODEL = dp.DirichletMultinomial(("a", "b"))


def _nan(writer: str, place: Path, ages: list[float]) -> str:
    columns = {"o": ["a"] * len(ages), "age": ages, "y": [1.0] * len(ages)}
    if writer == "pyarrow":
        pq.write_table(pa.table(columns), place)
    else:
        pl.DataFrame(columns).write_parquet(place)
    return str(place)


@pytest.mark.parametrize("writer", ["pyarrow", "polars"])
@pytest.mark.parametrize("reader", ["file", "relation", "ibis", "polars lazy"])
def test_statistics_that_leave_nan_out(writer: str, reader: str, tmp_path: Path) -> None:
    """With [nan]·1000 + [30] alone, the statistics say that all ages are 30."""
    read: dict[str, Any] = {
        "file": str,
        "relation": lambda path: duckdb.connect().read_parquet(path),
        "ibis": writing.READERS["ibis"],
        "polars lazy": pl.scan_parquet,
    }
    mean = dp.NormalMean(0, 1, 1, (0, 100), 100)
    found = []
    for name, more in (("before", []), ("after", [70.0])):
        ages = [NAN] * 1000 + [30.0, *more]
        data = read[reader](_nan(writer, tmp_path / f"{name}.parquet", ages))
        young = MODEL.count(data, "o", where="age < 50").values
        known = MODEL.count(data, "o", where="age is not null").n_records
        units = MODEL.count(data, "o", unit="age", max_per_unit=1, unknown="drop").n_records
        middle = mean.count(data, "age", unknown="middle").values
        assert young == (1, 0)
        assert known == units == 1 + len(more)
        found.append(middle)
    assert found[1][0] - found[0][0] == 1
    assert abs(found[1][1] - found[0][1]) <= 100


@pytest.mark.parametrize("lines", [['"a,1'], ['a,"1'], ['a,1"'], ['"a,1', '"b,2'], ["a,1\rb,2"]])
def test_a_quote_that_swallows_lines(lines: list[str], tmp_path: Path) -> None:
    place = tmp_path / "x.csv"
    place.write_text(
        "o,x\n" + "a,1\n" * 1000 + "\n".join(lines) + "\n" + "b,1\n" * 1000, newline=""
    )
    with pytest.raises(dp.DataError, match="cannot be read: line 1002 ") as caught:
        MODEL.count(place, "o", unknown="drop")
    assert '"a' not in str(caught.value)


def test_line_breaks_are_declared_and_stated(tmp_path: Path) -> None:
    place = tmp_path / "x.csv"
    with place.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("o", "note"), ("a", "one\ntwo"), ("b", 'a "b"\r\n'), ("a", "")]
        )
    with pytest.raises(dp.DataError, match=r"line 2 .*line_breaks=True declares"):
        MODEL.count(place, "o")
    counts = MODEL.count(place, "o", line_breaks=True)
    assert counts.values == (2, 1)
    release = dp.release(counts, MODEL, epsilon=1.0)
    assert release.line_breaks
    assert dp.Release.from_json(release.to_json()).line_breaks
    assert "line_breaks" not in dp.release((2, 1), MODEL, epsilon=1.0).to_json()
    for data in (tmp_path / "x.parquet", pl.DataFrame({"o": ["a"]})):
        with pytest.raises(dp.InputError, match=r"^line_breaks is for a CSV file"):
            MODEL.count(data, "o", line_breaks=True)


def test_floats_that_may_be_several_integers_are_no_units() -> None:
    """One missing value makes pandas turn integers into floats, and 2^53 + 1 into 2^53."""
    ids = np.array([2**53, 2**53 + 1])
    frame = pl.DataFrame({"o": ["a", "b"], "u": ids})
    assert MODEL.count(frame, "o", unit="u", max_per_unit=1).values == (1, 1)
    floats = frame.with_columns(pl.col("u").cast(pl.Float64))
    with pytest.raises(dp.InputError, match=r"holds floats from 2\*\*53 on"):
        MODEL.count(floats, "o", unit="u", max_per_unit=1, unknown="drop")
