"""Sums of clipped and gridded columns: the same exact whole numbers from every engine."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.data import arrays, engines
from discreet.data.moments import Moments, NumberRules, Scaled, moments
from tests.data import engines as every

SIZE, HOLES = 'größe "x" ‘ü’', "income"
COLUMNS = (
    Scaled(SIZE, Fraction(-2), Fraction(2)),
    Scaled("age", Fraction(20), Fraction(80)),
    Scaled("member", Fraction(0), Fraction(1)),
    Scaled("signed", Fraction(-1, 3), Fraction(1, 2), centred=False),
    Scaled("y", Fraction(-5), Fraction(7, 2)),
)
WITH_HOLES = (Scaled(HOLES, Fraction(0), Fraction(10)), *COLUMNS)


def records(size: int = 700) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    income = pd.Series(rng.normal(4, 4, size).round(6))
    return pd.DataFrame(
        {
            SIZE: rng.normal(0, 2, size).round(6),
            "age": rng.integers(10, 95, size),
            "member": rng.random(size) < 0.3,
            "signed": rng.normal(0, 0.4, size).round(6),
            HOLES: income.where(rng.random(size) > 0.1, np.nan),
            "y": rng.normal(0, 3, size).round(6),
        }
    )


FRAME = records()


def gridded(
    record: Sequence[float], columns: Sequence[Scaled], grid: int, radius: Fraction | None = None
) -> list[int]:
    """One record in plain Python, by the formula in the docstring of `moments`."""
    u = []
    for x, column in zip(record, columns, strict=True):
        low, high, shift, inverse, middle = column.floats
        clipped = min(max(middle if math.isnan(x) else x, low), high)
        u.append((clipped - shift) * inverse)
    if radius is not None:
        norm = math.sqrt(sum(v * v for v in u[:-1]))
        if norm > float(radius):
            u[:-1] = [v * (float(radius) / norm) for v in u[:-1]]
    return [math.floor(v * grid + 0.5) for v in u]


def added(
    rows: Sequence[Sequence[int]], columns: Sequence[Scaled], squares: bool = True
) -> Moments:
    pairs = itertools.combinations_with_replacement(range(len(columns)), 2)
    return Moments(
        len(rows),
        tuple(sum(row[j] for row in rows) for j in range(len(columns))),
        tuple(sum(row[j] * row[k] for row in rows) for j, k in pairs) if squares else (),
    )


def expected(
    frame: pd.DataFrame, columns: Sequence[Scaled], grid: int, radius: Fraction | None = None
) -> Moments:
    rows = frame[[column.name for column in columns]].astype(float).to_numpy().tolist()
    return added([gridded(row, columns, grid, radius) for row in rows], columns)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("engine", every.ENGINES)
def test_every_engine_sums_the_same(engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    data, options = every.open_with(engine, FRAME, tmp_path_factory.mktemp("records"))

    def found(
        columns: Sequence[Scaled], grid: int, radius: Fraction | None = None, **rules: Any
    ) -> Moments:
        return moments(data, columns, grid, NumberRules(**options, **rules), radius=radius)

    assert found(COLUMNS, 1000) == expected(FRAME, COLUMNS, 1000)
    old, fine = FRAME[FRAME.age >= 40], 2**16
    assert found(COLUMNS, fine, Fraction(4, 5), where="age >= 40") == expected(
        old, COLUMNS, fine, Fraction(4, 5)
    )
    kept = FRAME[FRAME[HOLES].notna()]
    assert found(WITH_HOLES, 9, unknown="drop") == expected(kept, WITH_HOLES, 9)
    assert found(WITH_HOLES, 9, unknown="middle") == expected(FRAME, WITH_HOLES, 9)
    with pytest.raises(dp.UnknownValuesError, match=r"^column 'income' must hold finite numbers;"):
        found(WITH_HOLES, 9)


def test_against_exact_arithmetic() -> None:
    """U is within half a step, and what floats add, of the map in rational numbers."""
    for values in FRAME[[column.name for column in COLUMNS]].itertuples(index=False):
        steps = moments(
            {c.name: [x] for c, x in zip(COLUMNS, values, strict=True)}, COLUMNS, 1000
        ).sums
        for step, x, column in zip(steps, values, COLUMNS, strict=True):
            u = (
                min(max(Fraction(float(x)), column.low), column.high) - column.shift
            ) / column.scale
            assert abs(step - 1000 * u) <= Fraction(1, 2) + Fraction(1, 10**9)


def written(kind: str, rows: Sequence[Mapping[str, Any]], place: Path) -> Any:
    """Records with None, NaN and infinite values."""
    if kind == "mapping":
        return {name: [row[name] for row in rows] for name in rows[0]}
    if kind == "csv":
        texts = [",".join("" if v is None else str(v) for v in row.values()) for row in rows]
        (place / "r.csv").write_text("\n".join([",".join(rows[0]), *texts]) + "\n")
        return place / "r.csv"
    frame = pl.DataFrame(
        {n: pl.Series([row[n] for row in rows], dtype=pl.Float64) for n in rows[0]}
    )
    if kind == "pandas":
        return pd.DataFrame({n: frame[n].to_numpy() for n in frame.columns})
    if kind == "pyarrow":
        return frame.to_arrow()
    if kind == "polars":
        return frame
    if kind == "polars lazy":
        return frame.lazy()
    frame.write_parquet(place / "r.parquet")
    return place / "r.parquet"


KINDS = ("mapping", "csv", "pandas", "pyarrow", "polars", "polars lazy", "parquet")
ODD: list[dict[str, Any]] = [
    {"a": 1.0, "b": -0.0},
    {"a": math.nan, "b": 1.0},
    {"a": None, "b": 2.0},
    {"a": 1e300, "b": 5e-324},
    {"a": math.inf, "b": 3.0},
    {"a": -1e300, "b": -math.inf},
    {"a": 2.5, "b": 0.75},
]
AB = (Scaled("a", Fraction(0), Fraction(4)), Scaled("b", Fraction(-1), Fraction(1)))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_infinite_values(kind: str, tmp_path: Path) -> None:
    data = written(kind, ODD, tmp_path)
    values = [[math.nan if x is None else float(x) for x in row.values()] for row in ODD]
    finite = [row for row in values if all(map(math.isfinite, row))]
    assert len(finite) == 3
    for unknown, rows in (("drop", finite), ("middle", values)):
        for radius in (None, Fraction(1, 2)):
            want = added([gridded(row, AB, 100, radius) for row in rows], AB)
            assert moments(data, AB, 100, NumberRules(unknown=unknown), radius=radius) == want
    with pytest.raises(dp.UnknownValuesError, match=r"^column 'a', 'b' must hold finite") as caught:
        moments(data, AB, 100)
    assert set(caught.value.values) <= {"nan"}  # where it is written
    assert "1e300" not in str(caught.value)


def test_middle_of_bounds_that_are_not_centred() -> None:
    column = Scaled("x", Fraction(2), Fraction(10), centred=False)
    assert moments({"x": [None]}, [column], 100, NumberRules(unknown="middle")).sums == (60,)


def test_text_of_files_is_read_record_by_record(tmp_path: Path) -> None:
    texts = ["1.5", "true", "False", "word", "", "1e999", " 2 ", "-0", "nan"]
    (tmp_path / "r.csv").write_text("x,z\n" + "".join(f"{text},q\n" for text in texts))
    lines = (json.dumps({"x": text}) for text in texts)
    (tmp_path / "r.jsonl").write_text("\n".join(lines) + "\n")
    column = [Scaled("x", Fraction(-4), Fraction(4))]
    for name in ("r.csv", "r.jsonl"):
        dropped = moments(tmp_path / name, column, 8, NumberRules(unknown="drop"))
        assert (dropped.n, dropped.sums) == (5, (3 + 2 + 0 + 4 + 0,))
        middle = moments(tmp_path / name, column, 8, NumberRules(unknown="middle"))
        assert (middle.n, middle.sums) == (9, (9 + 8,))
        with pytest.raises(dp.UnknownValuesError) as caught:
            moments(tmp_path / name, column, 8)
        assert "word" not in str(caught.value)
    assert caught.value.__context__ is None


def test_other_types() -> None:
    """Integers, decimals and booleans with holes, in memory and in DuckDB."""
    columns = [
        Scaled("d", Fraction(0), Fraction(1)),
        Scaled("i", Fraction(-(10**20)), Fraction(10**20)),
        Scaled("b", Fraction(-1), Fraction(1)),
    ]
    decimals = [Decimal("0.1"), Decimal("0.75"), None, Decimal("12.5")]
    integers, truths = [10**19, -(2**62), 3, None], [True, False, None, True]
    drop = NumberRules(unknown="drop")
    rows = [[0.1, 1e19, 1.0], [0.75, float(-(2**62)), 0.0]]
    want = added([gridded(row, columns, 1000) for row in rows], columns)
    assert moments({"d": decimals, "i": integers, "b": truths}, columns, 1000, drop) == want
    relation = duckdb.connect().sql(
        "select * from (values (0.1::decimal(10, 2), 10000000000000000000::hugeint, true), "
        "(0.75, -4611686018427387904, false), (null, 3, null), (12.5, null, true)) t(d, i, b)"
    )
    assert moments(relation, columns, 1000, drop) == want
    frame = pl.DataFrame(
        {"d": decimals, "i": [1e19, -(2.0**62), 3, None], "b": truths},
        schema={"d": pl.Decimal(10, 2), "i": pl.Float64, "b": pl.Boolean},
    )
    for data in (
        frame,
        frame.lazy(),
        frame.to_arrow(),
        frame.to_pandas(use_pyarrow_extension_array=True),
    ):
        assert moments(data, columns, 1000, drop) == want
    nullable = pd.DataFrame(
        {"i": pd.array([1, None, 3], "Int64"), "b": pd.array([True, False, None])}
    )
    found = moments(
        nullable,
        [Scaled("i", Fraction(0), Fraction(4)), Scaled("b", Fraction(0), Fraction(1))],
        10,
        drop,
    )
    assert (found.n, found.sums) == (1, (-5, 10))
    assert moments(
        {"i": nullable["i"]}, [Scaled("i", Fraction(0), Fraction(4))], 10, drop
    ).sums == (0,)
    masked = np.ma.MaskedArray([1.0, 9.0], mask=[False, True])
    assert moments({"i": masked}, [Scaled("i", Fraction(0), Fraction(4))], 10, drop).sums == (-5,)


@pytest.mark.parametrize("kind", ["mapping", "pandas", "polars lazy", "parquet", "pyarrow"])
def test_no_records(kind: str, tmp_path: Path) -> None:
    data = written(kind, ODD[:1], tmp_path)
    if kind == "mapping":
        assert moments({"a": [], "b": np.array([])}, AB, 100) == Moments(0, (0, 0), (0, 0, 0))
    else:
        none = moments(data, AB, 100, NumberRules(where="a > 3"), radius=Fraction(1))
        assert none == Moments(0, (0, 0), (0, 0, 0))


def test_sums_without_products() -> None:
    assert moments(FRAME, COLUMNS, 50, squares=False) == Moments(
        len(FRAME), expected(FRAME, COLUMNS, 50).sums, ()
    )


def test_batches_and_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches add up; floats that would round are not used."""
    fine = expected(FRAME, COLUMNS, 2**20)
    assert moments(FRAME, COLUMNS, 2**20) == fine
    monkeypatch.setattr(arrays, "ROWS", 64)
    assert moments(FRAME, COLUMNS, 2**20) == fine
    relation = duckdb.connect().sql("select 1.0::double as x from range(20000)")
    monkeypatch.setattr(engines, "COARSE", 2**20)
    grid = 2**20 - 1  # 20,000 squares are more than 2^53, and odd sums of them would be rounded
    odd = relation.limit(19_999)
    found = moments(odd, [Scaled("x", Fraction(-1), Fraction(1))], grid)
    assert found == Moments(19_999, (19_999 * grid,), (19_999 * grid**2,))
    assert int(float(found.products[0])) != found.products[0]
    monkeypatch.undo()
    assert moments({"x": np.ones(19_999)}, [Scaled("x", Fraction(-1), Fraction(1))], grid) == found


finite = st.floats(allow_nan=False, allow_infinity=False)
entry = finite | st.sampled_from([None, math.nan, math.inf, -math.inf, True, 10**400, -0.0, 5e-324])
bound = st.fractions(-(10**7), 10**7, max_denominator=10**6)


@st.composite
def declared(draw: st.DrawFn) -> Scaled:
    low, width = draw(bound), draw(st.fractions(1, 10**9, max_denominator=100))
    return Scaled(draw(st.sampled_from(["a", "b", "c"])), low, low + width, draw(st.booleans()))


@settings(deadline=None, max_examples=150)
@given(
    st.lists(declared(), min_size=2, max_size=5),
    st.integers(2, 2**20),
    st.none() | st.fractions(Fraction(1, 1000), 3, max_denominator=1000),
    st.lists(st.tuples(entry, entry, entry), min_size=1, max_size=4),
    st.sampled_from(["drop", "middle"]),
)
def test_one_record_changes_what_the_bounds_allow(
    columns: list[Scaled],
    grid: int,
    radius: Fraction | None,
    rows: list[tuple[Any, ...]],
    unknown: str,
) -> None:
    def summed(kept: Sequence[tuple[Any, ...]]) -> Moments:
        data = {name: [row[i] for row in kept] for i, name in enumerate("abc")}
        return moments(data, columns, grid, NumberRules(unknown=unknown), radius=radius)

    with_it, without = summed(rows), summed(rows[1:])
    step = [a - b for a, b in zip(with_it.sums, without.sums, strict=True)]
    assert all(abs(value) <= grid for value in step)
    pairs = itertools.combinations_with_replacement(step, 2)
    products = zip(with_it.products, without.products, strict=True)
    assert [a - b for a, b in products] == [x * y for x, y in pairs]
    if radius is not None:
        d = len(columns) - 1
        most = float(radius) * grid + math.sqrt(d) / 2 + 0.25
        assert math.sqrt(sum(value**2 for value in step[:-1])) <= most
    assert with_it.n - without.n in ((0, 1) if unknown == "drop" else (1,))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(declared(), min_size=2, max_size=4),
    st.integers(2, 2**20),
    st.none() | st.fractions(Fraction(1, 1000), 3, max_denominator=1000),
    st.lists(st.tuples(finite, finite, finite), max_size=6),
)
def test_duckdb_polars_and_numpy_agree(
    columns: list[Scaled], grid: int, radius: Fraction | None, rows: list[tuple[float, ...]]
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.Float64), orient="row")
    want = moments(frame, columns, grid, radius=radius)
    assert moments(frame.lazy(), columns, grid, radius=radius) == want
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    assert moments(relation, columns, grid, radius=radius) == want
    values = [[row["abc".index(column.name)] for column in columns] for row in rows]
    assert added([gridded(row, columns, grid, radius) for row in values], columns) == want


def test_a_record_is_private() -> None:
    found = moments({"a": [1.0], "b": [2.0]}, AB, 100)
    assert repr(found) == "Moments()"
    assert pickle.loads(pickle.dumps(found)) == found


X = [Scaled("x", Fraction(0), Fraction(1))]
WRONG: dict[str, tuple[Any, str]] = {
    "no column": (lambda: moments({"y": [1]}, X, 4), "column 'x' does not exist; there are 'y'"),
    "lengths": (lambda: moments({"a": [1], "b": []}, AB, 4), "data must have columns of the same"),
    "one number": (lambda: moments({"x": 3}, X, 4), r"data\['x'\] must be a list or an array"),
    "lists": (lambda: moments({"x": [[1, 2], [3, 4]]}, X, 4), "column 'x' must hold numbers or b"),
    "two dimensions": (lambda: moments({"x": np.eye(2)}, X, 4), "must have one dimension, got 2"),
    "text": (lambda: moments({"x": [1, "secret"]}, X, 4), "^column 'x' must hold numbers or boo"),
    "times": (lambda: moments({"x": np.array(["2020"], "M8")}, X, 4), "must hold numbers or boo"),
    "where": (
        lambda: moments({"x": [1]}, X, 4, NumberRules("x > 0")),
        "where, table and line_breaks need",
    ),
    "table": (lambda: moments(FRAME, COLUMNS, 4, NumberRules(table="t")), "table is for a DuckDB"),
    "text frame": (lambda: moments(pl.DataFrame({"x": ["secret"]}), X, 4), "got text"),
    "text lazy": (lambda: moments(pl.LazyFrame({"x": ["secret"]}), X, 4), "got text"),
    "text relation": (lambda: moments(duckdb.sql("select 'secret' as x"), X, 4), "got text"),
    "grid": (lambda: moments({"x": [1]}, X, 1), "grid must lie between 2 and 1048576, got 1"),
    "radius": (
        lambda: moments({"a": [1], "b": [1]}, AB, 4, radius=Fraction(0)),
        "radius must be greater",
    ),
    "radius alone": (
        lambda: moments({"x": [1]}, X, 4, radius=Fraction(1)),
        "with a radius one besides",
    ),
    "no columns": (lambda: moments({"x": [1]}, [], 4), "columns must name at least one column"),
    "names": (lambda: moments({"x": [1]}, ["x"], 4), "columns must be Scaled, got 'x'"),  # type: ignore[list-item]
    "unknown": (lambda: NumberRules(unknown="other"), "unknown must be one of 'error', 'drop', 'm"),
    "reversed": (
        lambda: Scaled("x", Fraction(1), Fraction(0)),
        "bounds of column 'x' must be low < high",
    ),
    "equal": (
        lambda: Scaled("x", Fraction(1), Fraction(1)),
        "must be low < high and apart .*, got 1 and 1",
    ),
    "too close": (
        lambda: Scaled("x", Fraction(10**12), Fraction(10**12 + 1)),
        "must be low < high and apart",
    ),
    "infinite": (lambda: Scaled("x", Fraction(0), math.inf), "high of column 'x' must be finite"),  # type: ignore[arg-type]
    "huge": (
        lambda: Scaled("x", Fraction(0), Fraction(10**301)),
        "high of column 'x' must not exceed 1e300",
    ),
    "data": (lambda: moments(3, X, 4), "data must be a data frame or relation"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str) -> None:
    call, sentence = WRONG[case]
    with pytest.raises(dp.InputError, match=sentence) as caught:
        call()
    assert "secret" not in str(caught.value)


def test_too_many_records_for_a_grid() -> None:
    relation = duckdb.connect().sql("select 0.5::double as x from range(4200000)")
    with pytest.raises(dp.InputError, match="grid must be smaller for so many records") as caught:
        moments(relation, X, 2**20)
    assert caught.value.argument == "grid"


def test_a_record_is_read_alike_in_any_company() -> None:
    """On a tie of the grid; polars divides a single row otherwise than several."""
    pl = pytest.importorskip("polars")
    scaled = Scaled("a", Fraction(0), Fraction("7.3"))
    _, _, shift, inverse, _ = scaled.floats
    values = [float(v) for v in np.random.default_rng(0).uniform(0, 7.3, 4000)]
    ties = [v for v in values if (v - shift) * inverse != (v - shift) / (7.3 / 2)][:50]
    assert ties
    grid = 2**20
    for value in ties[:10]:
        alone = moments({"a": [value]}, [scaled], grid, squares=False).sums[0]
        for rows in (1, 2, 3, 4, 5, 64, 65):
            frame = pl.DataFrame({"a": [value] * rows, "g": [1] * rows})
            for data in (frame, frame.lazy(), frame.to_pandas()):
                assert moments(data, [scaled], grid, squares=False).sums == (rows * alone,)
            more = pl.concat([frame, pl.DataFrame({"a": [1.0] * 7, "g": [0] * 7})]).lazy()
            rules = NumberRules(where="g = 1")
            assert moments(more, [scaled], grid, rules, squares=False).sums == (rows * alone,)


@given(
    low=st.floats(-1e4, 1e4),
    width=st.floats(1e-3, 1e6),
    share=st.floats(0, 1),
    grid=st.sampled_from([2, 7, 50400, 2**20]),
)
def test_no_float_leaves_the_grid(low: float, width: float, share: float, grid: int) -> None:
    scaled = Scaled("a", Fraction(low), Fraction(low + width))
    for value in (low, low + width, low + share * width, -1e308, 1e308):
        assert abs(moments({"a": [value]}, [scaled], grid, squares=False).sums[0]) <= grid
