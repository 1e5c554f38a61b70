"""One record more changes the counts by one at most, however odd it is.

How a record is read must not depend on the others. The cases come from a hostile review: types that
are guessed from the records (CSV, JSON, pandas objects) let one of them change thousands of counts.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dp

AB = dp.DirichletMultinomial(("a", "b"))
NUMBERS = dp.DirichletMultinomial((1, 2))


def apart(model: dp.DirichletMultinomial, before: Any, after: Any, **options: Any) -> int:
    first, second = (model.count(data, "o", **options).values for data in (before, after))
    return sum(abs(a - b) for a, b in zip(first, second, strict=True))


Written = tuple[str, str, dict[str, Any]]

CSV: dict[str, Written] = {
    "decimals and a word": ("a,1.0\n" * 1000, "a,A", {"where": "x = 1"}),
    "other than decimals": ("a,1.0\n" * 1000, "a,A", {"where": "x <> 1"}),
    "more than": ("a,10\n" * 1000, "a,A", {"where": "x > 9"}),
    "truth": ("a,TRUE\n" * 1000, "a,maybe", {"where": "x"}),
    "a space": ("a,1\n" * 1000, "a, 1", {"where": "x = 1"}),
    "days": ("a,05/06/2024\n" * 1000, "a,06/13/2024", {"where": "x >= '2024-06-01'"}),
}


@pytest.mark.parametrize("case", CSV)
def test_conditions_on_text_files(case: str, tmp_path: Path) -> None:
    records, odd, options = CSV[case]
    for name, rows in (("before.csv", records), ("after.csv", records + odd + "\n")):
        (tmp_path / name).write_text("o,x\n" + rows)
    assert apart(AB, tmp_path / "before.csv", tmp_path / "after.csv", **options) <= 1


def test_two_columns_of_a_text_file(tmp_path: Path) -> None:
    records = "o,x,y\n" + "a,9,10\n" * 1000
    for name, rows in (("before.csv", records), ("after.csv", records + "b,9,A\n")):
        (tmp_path / name).write_text(rows)
    assert AB.count(tmp_path / "before.csv", "o", where="x < y").values == (1000, 0)  # as numbers
    assert AB.count(tmp_path / "after.csv", "o", where="x < y").values == (1000, 1)


UNITS = {
    "zeros": ([f"1.{'0' * (i + 1)}" for i in range(300)], "A"),
    "decimals": ([f"0.{'0' * 19}{i % 10}{i}" for i in range(300)], "A"),
    "huge": ([f"{i}e400" for i in range(300)], "A"),
    "days": (["2024-01-01", "2024-1-1"] * 50, "zzz"),
    "a fraction": ([f"{i}45" for i in range(1000)], "1.5"),
    "truth": (["true", "True", "TRUE"] * 50, "A"),
}


@pytest.mark.parametrize("case", UNITS)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_units_of_text_files(case: str, kind: str, tmp_path: Path) -> None:
    ids, odd = UNITS[case]
    places = []
    for name, units in (("before", ids), ("after", [*ids, odd])):
        rows = [(label, unit) for unit in units for label in "ab"]
        place = tmp_path / f"{name}.{kind}"
        if kind == "csv":
            place.write_text("o,u\n" + "".join(f"{label},{unit}\n" for label, unit in rows))
        else:
            lines = (json.dumps({"o": label, "u": unit}) for label, unit in rows)
            place.write_text("\n".join(lines) + "\n")
        places.append(place)
    if case in ("decimals", "a fraction"):  # of which engines take two for one
        with pytest.raises(dp.InputError, match="numbers with a fraction in writing"):
            apart(AB, *places, unit="u", max_per_unit=1)
        return
    assert apart(AB, *places, unit="u", max_per_unit=1) <= 1


def test_units_that_differ_in_their_last_digits(tmp_path: Path) -> None:
    """Numbers that floats cannot tell apart are two units."""
    one, two = 10**25 + 1, 10**25 + 2
    both = [("a", one)] * 1000 + [("b", two)] * 5
    for name, rows in (("before.jsonl", both[1000:]), ("after.jsonl", both)):
        lines = (json.dumps({"o": label, "u": unit}) for label, unit in rows)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    options = {"unit": "u", "max_per_unit": 5}
    assert apart(AB, tmp_path / "before.jsonl", tmp_path / "after.jsonl", **options) == 5


@pytest.mark.parametrize(("value", "odd"), [("1.00", "A"), ("1", "1.5"), ("2", "x")])
@pytest.mark.parametrize("unknown", ["drop", "other"])
def test_categories_of_text_files(value: str, odd: str, unknown: str, tmp_path: Path) -> None:
    for name, rows in (("before.csv", [value] * 1000), ("after.csv", [value] * 1000 + [odd])):
        (tmp_path / name).write_text("o,z\n" + "".join(f"{row},q\n" for row in rows))
    options = {"unknown": unknown} | ({"other": 2} if unknown == "other" else {})
    assert apart(NUMBERS, tmp_path / "before.csv", tmp_path / "after.csv", **options) <= 1


Frames = Callable[[], tuple[Any, Any, dict[str, Any]]]


def _grown(frame: pd.DataFrame, **odd: object) -> pd.DataFrame:
    return pd.concat([frame, pd.DataFrame({name: [value] for name, value in odd.items()})])


def _units_become_floats() -> tuple[Any, Any, dict[str, Any]]:
    ids = [100 * i + 45 for i in range(1000) for _ in "ab"]
    frame = pd.DataFrame({"o": ["a", "b"] * 1000, "u": ids})
    options = {"unit": "u", "max_per_unit": 1, "unknown": "drop"}
    return frame, _grown(frame, o="a", u=np.nan), options


def _categories_become_floats() -> tuple[Any, Any, dict[str, Any]]:
    frame = pd.DataFrame({"o": [1] * 10 + [2] * 1000})
    return frame, _grown(frame, o=np.nan), {"unknown": "drop"}


def _conditions_become_floats() -> tuple[Any, Any, dict[str, Any]]:
    frame = pd.DataFrame({"o": ["a"] * 1000, "x": [7] * 1000})
    return frame, _grown(frame, o="a", x=np.nan), {"where": "x = 7"}


def _truth_becomes_objects() -> tuple[Any, Any, dict[str, Any]]:
    frame = pd.DataFrame({"o": [True] * 1000})
    after = pd.DataFrame({"o": pd.Series([True] * 1000 + [None], dtype=object)})
    return frame, after, {"unknown": "drop"}


def _units_with_nan() -> tuple[Any, Any, dict[str, Any]]:
    frame = pl.DataFrame({"o": ["a", "b"] * 50, "u": [float(i // 2) for i in range(100)]})
    odd = pl.DataFrame({"o": ["a"], "u": [float("nan")]})
    options = {"unit": "u", "max_per_unit": 1, "unknown": "drop"}
    return frame, pl.concat([frame, odd]), options


def _units_with_nan_in_a_relation() -> tuple[Any, Any, dict[str, Any]]:
    connection = duckdb.connect()
    before, after, options = _units_with_nan()
    return (
        connection.from_arrow(before.to_arrow()),
        connection.from_arrow(after.to_arrow()),
        options,
    )


@pytest.mark.parametrize(
    ("model", "case"),
    [
        (AB, _units_become_floats),
        (NUMBERS, _categories_become_floats),
        (AB, _conditions_become_floats),
        (dp.BetaBinomial(), _truth_becomes_objects),
        (dp.BetaBinomial(categories=("1", "0")), _truth_becomes_objects),
        (AB, _units_with_nan),
        (AB, _units_with_nan_in_a_relation),
    ],
)
def test_frames_whose_types_change(model: dp.DirichletMultinomial, case: Frames) -> None:
    before, after, options = case()
    assert apart(model, before, after, **options) <= 1


def test_integers_that_floats_cannot_tell_apart() -> None:
    """They are no categories at all: a missing value would make both of them one float."""
    big = 2**53
    model = dp.DirichletMultinomial((big + 1, big + 2))
    frame = pd.DataFrame({"o": [big + 1] * 10 + [big + 2] * 1000})
    with pytest.raises(dp.InputError, match="none of the categories"):
        model.count(frame, "o", unknown="drop")


def test_the_path_of_a_file_is_no_record(tmp_path: Path) -> None:
    folder = tmp_path / "o=b"
    folder.mkdir()
    (folder / "[1].csv").write_text("o\n" + "a\n" * 10)
    (folder / "1.csv").write_text("o\n" + "b\n" * 5)
    assert AB.count(folder / "[1].csv", "o").values == (10, 0)
    assert AB.count(str(folder / "*.csv"), "o").values == (10, 5)


def test_names_in_conditions_are_columns() -> None:
    frame = pl.DataFrame({"o": ["a", "b"], "inf": [3.0, 9.0], "x": [5.0, 5.0]})
    with pytest.raises(dp.InputError, match="where is not understood"):
        AB.count(frame, "o", where="x < 1e999")
    assert AB.count(frame, "o", where="x < inf").values == (0, 1)


def test_units_that_are_moments() -> None:
    """pandas writes all moments of a column with their hours, once one has some."""
    days = list(pd.date_range("2024-01-01", periods=300))
    odd = pd.Timestamp("2025-01-01 00:00:01")

    def frame(units: list[Any]) -> pd.DataFrame:
        return pd.DataFrame({"o": list("aaabb") * len(units), "u": np.repeat(units, 5)})

    assert apart(AB, frame(days), frame([*days, odd]), unit="u", max_per_unit=1) <= 1


@pytest.mark.parametrize("rules", [{}, {"unit": "u", "max_per_unit": 1}, {"where": "u > 100"}])
def test_categoricals_of_numbers(rules: dict[str, Any]) -> None:
    """One missing value makes their categories floats."""
    model = dp.DirichletMultinomial(("1", "2", "other"))
    found = []
    for more in ([], [None]):
        numbers = pd.Series([1, 2] * 500 + more).astype("category")
        units = pd.Series([100 * i + 45 for i in range(1000)] + more).astype("category")
        frame = pd.DataFrame({"o": numbers, "u": units})
        found.append(model.count(frame, "o", unknown="drop", **rules).values)
    assert found[0] == found[1]
    assert sum(found[0]) > 900


def parquet(place: Path, **columns: Any) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(place)
    return place


def test_columns_in_the_names_of_folders(tmp_path: Path) -> None:
    pattern = str(tmp_path / "lake" / "**" / "*.parquet")
    for ward, size in ((9, 1000), (10, 2)):
        parquet(tmp_path / "lake" / f"ward={ward}" / "0.parquet", o=["a"] * size)
    wards = dp.DirichletMultinomial((9, 10))
    assert wards.count(pattern, "ward").values == (1000, 2)
    assert AB.count(pattern, "o", where="ward < 10").values == (1000, 0)
    parquet(tmp_path / "lake" / "1.parquet", o=["b"], ward=["9"])
    assert AB.count(pattern, "o").values == (1002, 1)
    with pytest.raises(dp.DataError, match="must be in the names of all folders and in no file"):
        wards.count(pattern, "ward", unknown="drop")
    with pytest.raises(dp.DataError, match="must be in the names of all folders and in no file"):
        AB.count(pattern, "o", where="ward < 10")


@pytest.mark.parametrize("odd", [{"O": ["x"]}, {"o": ["x"]}, {"o": [1]}])
def test_a_column_with_another_name_or_type_in_one_file(
    odd: dict[str, Any], tmp_path: Path
) -> None:
    parquet(tmp_path / "lake" / "1.parquet", o=[1.0] * 1000)
    parquet(tmp_path / "lake" / "0.parquet", **odd)
    with pytest.raises(dp.DataError, match="must have one name and one type in all files"):
        NUMBERS.count(str(tmp_path / "lake" / "*.parquet"), "o", unknown="drop")


def test_the_first_integer_that_floats_cannot_tell_apart() -> None:
    model = dp.DirichletMultinomial((2**53, 1))
    for more in ([], [None]):
        frame = pd.DataFrame({"o": [2**53 + 1] * 1000 + more})
        assert model.count(frame, "o", unknown="drop").values == (0, 0)


def test_collations_of_a_table_are_not_used(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as file:
        file.execute("create table t (o varchar collate nocase, u varchar collate nocase)")
        file.execute("insert into t values ('a', 'P7x'), ('A', 'p7x'), ('b', 'p7x')")
        counts = AB.count(file.sql("from t"), "o", unit="u", max_per_unit=1, unknown="drop")
        assert sum(counts.values) == 2
    assert AB.count(tmp_path / "x.duckdb", "o", unknown="drop").values == (1, 1)
    assert AB.count(tmp_path / "x.duckdb", "o", where="u = 'p7x'", unknown="drop").values == (0, 1)


def test_files_that_were_cut_off(tmp_path: Path) -> None:
    whole = gzip.compress(b"o,x\n" + b"a,1\n" * 50_000)
    lines = gzip.compress(b'{"o": "a"}\n' * 50_000)
    for name, content in (("x.csv.gz", whole), ("x.jsonl.gz", lines)):
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        for breaks in (False, True) if "csv" in name else (False,):
            with pytest.raises(dp.DataError, match=r"it is no whole \.gz file"):
                AB.count(tmp_path / name, "o", line_breaks=breaks)
