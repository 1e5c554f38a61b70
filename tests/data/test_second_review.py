"""What a second hostile review found: times, decimals, long numbers, orders, files by links."""

from __future__ import annotations

import math
import os
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.data import reference
from discreet.data.categories import finder
from discreet.data.units import Owners, last_digits

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]
AB = dp.DirichletMultinomial(("a", "b"))
ONE: Any = {"max_per_unit": 1, "unknown": "drop"}


def _in_engines(table: pa.Table, place: Path) -> list[Any]:
    path = str(place / "x.parquet")
    pq.write_table(table, path)
    frames = (pl.read_parquet(path), pl.scan_parquet(path), table.to_pandas())
    return [path, duckdb.connect().from_arrow(table), table, *frames]


@pytest.mark.parametrize("zone", [None, "Asia/Kolkata"])
def test_nanoseconds(zone: str | None, tmp_path: Path) -> None:
    """Engines cut them off, or cannot compare them, where they stand beside coarser times."""
    start, early = pd.Timestamp("2024-01-31").value, pd.Timestamp("1677-10-01").value
    fine = pa.array([start, start + 1, start - 1, early, None], pa.timestamp("ns", zone))
    table = pa.table({"o": ["a"] * 5, "t": fine, "s": fine.cast(pa.timestamp("us", zone), False)})
    wanted = {"t > '2024-01-31'": 1, "t = '2024-01-31'": 1, "t < '2024-01-31'": 2}
    wanted |= {"t <= '1678-01-01'": 1, "t in ('2024-01-31')": 1, "s = '2024-01-31'": 2}
    if zone is not None:
        wanted |= {"t < '1678-01-01T00:00+23:00'": 1, "t > '1678-01-01T00:00+23:00'": 3}
    for data in _in_engines(table, tmp_path)[2 if zone else 0 :]:  # DuckDB's have no zone
        for condition, number in wanted.items():
            assert AB.count(data, "o", where=condition).values == (number, 0), condition
        with pytest.raises(dp.InputError, match="of which one holds nanoseconds"):
            AB.count(data, "o", where="s = t")


def test_times_in_milliseconds(tmp_path: Path) -> None:
    """polars compares in the coarser of two units."""
    moments = pa.array([1_706_733_000_000, 1_706_733_000_001, None], pa.timestamp("ms"))
    table = pa.table({"o": ["a"] * 3, "t": moments, "s": moments.cast(pa.timestamp("us"))})
    moved = table.set_column(2, "s", pa.array([1_706_733_000_000_007] * 3, pa.timestamp("us")))
    for data in _in_engines(table, tmp_path):
        condition = "t >= '2024-01-31 20:30:00.000001'"
        assert AB.count(data, "o", where=condition).values == (1, 0)
        assert AB.count(data, "o", where="s = t").values == (2, 0)
    for data in _in_engines(moved, tmp_path):
        assert AB.count(data, "o", where="s = t").values == (0, 0)
        assert AB.count(data, "o", where="s > t").values == (1, 0)


def test_decimals_are_the_floats_that_their_text_means(tmp_path: Path) -> None:
    """Not every engine rounds them so, and one float apart moves a step of the grid."""
    draw = random.Random(7)
    texts = [f"{draw.randrange(10**20)}e-20" for _ in range(400)]
    table = pa.table({"x": pa.array([Decimal(text) for text in texts], pa.decimal128(38, 20))})
    table = table.append_column("y", pa.array(map(float, texts))).append_column(
        "o", pa.array(["a"] * 400)
    )
    one = float(texts[0])
    for data in _in_engines(table, tmp_path)[:-1]:  # in pandas they are objects
        assert AB.count(data, "o", where="x = y").values == (400, 0)
        assert AB.count(data, "o", where=f"x = {one!r}").values == (1, 0)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "frame"])
def test_a_text_of_a_thousand_characters_is_no_number(ending: str, tmp_path: Path) -> None:
    """Neither for an engine nor for the reference; and none looks at it for long."""
    texts = ["0" * 999 + "1", "0" * 1000 + "1", "1" * 300_000, "1" * 100_000 + "x", "1."]
    data: Any = tmp_path / f"x.{ending}"
    if ending == "frame":
        data = pl.DataFrame({"o": texts})
    else:
        line = "{}\n" if ending == "csv" else '{{"o": "{}"}}\n'
        header = "o\n" if ending == "csv" else ""
        data.write_text(header + "".join(map(line.format, texts)))
    numbers = dp.DirichletMultinomial((0, 1))
    find = finder((0, 1))
    assert [find(text) for text in texts] == [1, None, None, None, 1]
    assert numbers.count(data, "o", unknown="drop").values == (0, 2)


def test_floats_that_are_several_integers_have_no_last_digits() -> None:
    """Every engine has others; whose they are cannot be told, and they are refused."""
    for unit in (2.0**53, 1e300, -(2.0**60), math.inf, Decimal(2**53 + 3)):
        assert last_digits(unit) == 0
    for decimal in (Decimal(2**53 + 3), Decimal(-7), Decimal("1e17")):
        rows = [(decimal, 0)] * 3 + [(decimal, 1)] * 4
        wanted = reference.kept(rows, [0, 1], Owners("u", 2, 2))
        units = pa.array([decimal] * 7, pa.decimal128(38, 2))
        table = pa.table({"o": ["ab"[c] for _, c in rows], "u": units})
        for data in (pl.DataFrame(table), table, duckdb.connect().from_arrow(table)):
            found = AB.count(data, "o", unit="u", max_per_unit=2).values
            assert found == (wanted[0], wanted[1])


@pytest.mark.parametrize("u", [[9, 2, 7, 1, 9, 2], ["9", "2", "7", "1", "9", "2"]])
@pytest.mark.parametrize("descending", [False, True])
def test_no_order_is_believed(u: list[Any], descending: bool, tmp_path: Path) -> None:
    """Among values that are declared to be sorted polars looks by halves."""
    path = str(tmp_path / "x.parquet")
    table = pa.table({"o": ["a"] * 6, "u": u})
    pq.write_table(table, path, sorting_columns=[pq.SortingColumn(1, descending=descending)])
    frame = pl.DataFrame(table)
    lie = frame.with_columns(pl.col("u").set_sorted(descending=descending))
    one = repr(u[0])
    where = {f"u = {one}": 2, f"u < {one}": 4, f"u >= {one}": 2, "u is not null": 6}
    for data in (lie, lie.lazy(), pl.read_parquet(path), pl.scan_parquet(path), path):
        for condition, wanted in where.items():
            assert AB.count(data, "o", where=condition).values == (wanted, 0)
        assert AB.count(data, "o", unit="u", **ONE).values == (4, 0)


def test_files_are_counted_once(tmp_path: Path) -> None:
    """By links, by folders that are links, and by a directory that has the ending of a file."""
    lake = tmp_path / "lake"
    (lake / "one").mkdir(parents=True)
    path = lake / "one" / "x.parquet"
    pq.write_table(pa.table({"o": ["a"] * 3}), path)
    (lake / "one" / "y.parquet").symlink_to(path)
    (lake / "one" / "z.parquet").hardlink_to(path)
    (lake / "round").symlink_to(lake)
    for pattern in ("one/*", "*/*", "**/*", "**/one/*", "**/**/*", "o*/**/*", "round/**/*"):
        assert AB.count(f"{lake}/{pattern}.parquet", "o").values == (3, 0), pattern
    (lake / "two.parquet").mkdir()
    (lake / "two.parquet" / "z.parquet").hardlink_to(path)
    assert AB.count(f"{lake}/**/*.parquet", "o").values == (3, 0)
    with pytest.raises(dp.InputError, match="must match files, and matches a directory"):
        AB.count(f"{lake}/*.parquet", "o")


def test_files_without_a_number_are_counted_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("o\na\n")
    (tmp_path / "c.csv").symlink_to(tmp_path / "a.csv")

    stat = Path.stat

    def unnumbered(path: Path, **options: Any) -> os.stat_result:
        mode, _, *others = stat(path, **options)
        return os.stat_result([mode, 0, *others])

    monkeypatch.setattr(Path, "stat", unnumbered)
    assert AB.count(f"{tmp_path}/*.csv", "o").values == (2, 0)


def test_a_column_that_bears_the_name_of_another(tmp_path: Path) -> None:
    """DuckDB calls the second of x and X by the name X_1, and the third by another one."""
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": ["a"], "X": ["b"], "X_1": ["a"], "o": ["a"]}), path)
    for column in ("x", "o"):
        assert AB.count(path, column).values == (1, 0)
    for column in ("X", "X_1"):
        with pytest.raises((dp.DataError, dp.InputError), match=f"'{column}'"):
            AB.count(path, column)
