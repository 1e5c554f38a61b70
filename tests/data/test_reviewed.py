"""What hostile reviews found: each of these moved another record's reading, or its meaning."""

from __future__ import annotations

import math
import threading
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
from discreet.data.units import Owners
from tests.data.engines import spark
from tests.optional import module

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]
AB = dp.DirichletMultinomial(("a", "b"))
NAN = math.nan
ONE: Any = {"max_per_unit": 1, "unknown": "drop"}


@pytest.mark.slow
@pytest.mark.parametrize("start", [2**60, 100])
def test_a_missing_unit_does_not_merge_others_in_dask(start: int, tmp_path: Path) -> None:
    """A part with a missing value turns integers into floats."""
    dask = module("dask.dataframe", "engines")
    for more in ([], [None]):
        units = pa.array([start + i for i in range(200)] + more, pa.int64())
        path = str(tmp_path / "u.parquet")
        pq.write_table(pa.table({"o": ["a"] * len(units), "u": units}), path)
        frame = dask.read_parquet(path)
        if start > 2**53:  # with and without the missing value: no record decides it for others
            with pytest.raises(dp.InputError, match=r"holds integers from 2\*\*53 on"):
                AB.count(frame, "o", unit="u", **ONE)
        else:
            assert AB.count(frame, "o", unit="u", **ONE).values == (200, 0)


@pytest.mark.slow
def test_what_dask_computes_from_files_is_refused(tmp_path: Path) -> None:
    """Filters move into the reading; a part with a missing value has other types."""
    dask = module("dask.dataframe", "engines")
    path = str(tmp_path / "x.parquet")
    whole = pa.array([1] * 8 + [None], pa.int64())
    pq.write_table(pa.table({"o": ["a"] * 9, "x": [NAN] * 8 + [50.0], "k": whole}), path)
    frame, arrow = dask.read_parquet(path), dask.read_parquet(path, filesystem="arrow")
    refused = (
        frame[frame.x != 50],
        arrow[arrow.x != 50],
        arrow[arrow.x != 50].optimize(),
        dask.read_parquet(path, filters=[("x", "!=", 50.0)]),
        frame.assign(o=frame.k.astype("string")),
        frame.assign(k=frame.k % 2),
        dask.from_delayed(frame.to_delayed()),
        dask.from_map(lambda i: pd.DataFrame({"o": ["a"] * i}), [1, 2]),
    )
    for data in refused:
        with pytest.raises(dp.InputError, match="data of dask must be read by read_parquet"):
            AB.count(data, "o")
    for data in (frame, arrow, frame[["x", "o"]]):
        assert AB.count(data, "o", where="x <> 50").values == (0, 0)
        assert AB.count(data, "o", where="x is null").values == (8, 0)
    held = dask.from_pandas(frame.compute(), npartitions=2)
    assert AB.count(held, "o", where="x is null").values == (8, 0)
    with pytest.raises(dp.InputError, match="data of dask must be read by read_parquet"):
        AB.count(held.assign(o=held.x.where(held.x > 1).astype("string")), "o")


@pytest.mark.slow
def test_categories_of_dask_are_those_of_every_part(tmp_path: Path) -> None:
    dask = module("dask.dataframe", "engines")
    for name, column in {"text": pa.array(["a", None]), "numbers": pa.array([1, 2])}.items():
        pq.write_table(pa.table({"o": column.dictionary_encode()}), tmp_path / f"{name}.parquet")
    text, numbers = (dask.read_parquet(str(tmp_path / f"{x}.parquet")) for x in ("text", "numbers"))
    assert AB.count(text, "o", unknown="drop").values == (1, 0)
    assert dp.DirichletMultinomial((1, 2)).count(numbers, "o").values == (1, 1)


def test_a_file_is_read_by_a_database_of_our_own(tmp_path: Path) -> None:
    """Whatever connection the user has: neither can put settings of the other back."""
    place = str(tmp_path / "x.duckdb")
    with duckdb.connect(place) as connection:
        connection.execute("create table t as select 'a' as o from range(9)")
    setting = "select current_setting('disabled_optimizers')"
    configs: tuple[Any, ...] = ({}, {"autoinstall_known_extensions": False})
    for config in configs:
        user = duckdb.connect(place, read_only=True, config=config)
        assert AB.count(place, "o").values == (9, 0)
        assert user.execute(setting).fetchone() == ("",)
        user.close()


@pytest.mark.parametrize("word", ["NaN", "nan", "-nan"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_nan_that_is_written_is_missing(word: str, ending: str, tmp_path: Path) -> None:
    """In conditions and units; as a category a text is what it is."""
    place = tmp_path / f"x.{ending}"
    rows = [("a", word), ("a", word), ("b", "1"), (word, "2")]
    if ending == "csv":
        place.write_text("o,u\n" + "".join(f"{o},{u}\n" for o, u in rows))
    else:
        place.write_text("".join(f'{{"o": "{o}", "u": "{u}"}}\n' for o, u in rows))
    labels = dp.DirichletMultinomial(("a", "b", word))
    assert labels.count(place, "o").values == (2, 1, 1)
    assert labels.count(place, "o", where="u is null").values == (2, 0, 0)
    assert labels.count(place, "o", where="u is not null").values == (0, 1, 1)
    assert labels.count(place, "o", where="u < 5").values == (0, 1, 1)
    assert labels.count(place, "o", where="u <> 'x' and o = o").values == (0, 1, 0)
    assert labels.count(place, "o", unit="u", **ONE).values == (0, 1, 1)


def test_decimals_with_many_places() -> None:
    table = pa.table({"o": pa.array([Decimal("0E-10"), Decimal("1")], pa.decimal128(20, 10))})
    for data in (table, pl.DataFrame(table), table.to_pandas(types_mapper=pd.ArrowDtype)):
        assert dp.DirichletMultinomial((0, 1)).count(data, "o").values == (1, 1)


def test_the_least_integer_of_a_type_as_a_unit() -> None:
    rows = [(-128, 0)] * 3 + [(-128, 1)] * 4
    wanted = reference.kept(rows, [0, 1], Owners("u", 2, 2))
    table = pa.table({"o": ["ab"[c] for _, c in rows], "u": pa.array([-128] * 7, pa.int8())})
    for data in (pl.DataFrame(table), table, duckdb.connect().from_arrow(table)):
        found = AB.count(data, "o", unit="u", max_per_unit=2).values
        assert found == (wanted[0], wanted[1])


@pytest.mark.parametrize("start", [2**60, 2**53 + 1, 7])
def test_a_categorical_of_integers_with_a_missing_one(start: int) -> None:
    for more in ([], [None]):
        ids = [start + i for i in range(200)] + more
        frame = pd.DataFrame({"o": ["a"] * len(ids), "u": pd.Categorical(ids)}, index=ids)
        assert AB.count(frame, "o", unit="u", **ONE).values == (200, 0)


@pytest.mark.slow
def test_dask_categoricals_and_folders(tmp_path: Path) -> None:
    dask = module("dask.dataframe", "engines")
    ids = [2**60 + i for i in range(200)] + [None]
    frame = pd.DataFrame({"o": ["a"] * 201, "u": pd.Categorical(ids)})
    data = dask.from_pandas(frame, npartitions=2)
    assert AB.count(data, "o", unit="u", **ONE).values == (200, 0)
    for name in ("01", "x"):
        (tmp_path / f"k={name}").mkdir()
        pq.write_table(pa.table({"o": ["a"]}), tmp_path / f"k={name}" / "0.parquet")
    with pytest.raises(dp.InputError, match="column 'k' is in the names of folders"):
        AB.count(dask.read_parquet(str(tmp_path)), "o", unit="k", **ONE)
    paths = str(tmp_path / "*" / "*.parquet")
    assert AB.count(paths, "o", unit="k", **ONE).values == (2, 0)


def test_a_table_of_a_file_is_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name alone may mean a file of the folder, or a table of DuckDB's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text("o\nb\nb\n")
    with duckdb.connect("x.duckdb") as connection:
        connection.execute("create schema raw")
        for name in ("visits.csv", "sqlite_master", "t"):
            connection.execute(f"""create table raw."{name}" as select 'a' as o, 1.0 as x""")
        connection.execute("create view seen as from raw.t")
        connection.execute("create macro isnan(x) as true; create macro sum(x) as 7")
        connection.execute("create table main.t as select 'b' as o")
    for name in ("visits.csv", "sqlite_master", "seen"):
        assert AB.count("x.duckdb", "o", table=name, where="x < 3").values == (1, 0)
    with pytest.raises(dp.InputError, match="table 't' is in several schemas"):
        AB.count("x.duckdb", "o", table="t")


@pytest.mark.slow
def test_times_without_a_zone_in_spark() -> None:
    session = spark()
    before = session.conf.get("spark.sql.session.timeZone")
    try:
        for zone in ("UTC", "America/New_York", "Asia/Kolkata"):
            session.conf.set("spark.sql.session.timeZone", zone)
            frame = session.sql(
                "select 'a' as o, timestamp_ntz'2024-03-10 02:10:00' as t union all "
                "select 'b', timestamp_ntz'2024-03-10 02:50:00'"
            )
            assert AB.count(frame, "o", where="t < '2024-03-10 02:30:00'").values == (1, 0)
            assert AB.count(frame, "o", where="t = '2024-03-10 02:50:00'").values == (0, 1)
    finally:
        session.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.parametrize("engine", ["duckdb", "ibis"])
def test_a_column_has_to_be_the_only_one_of_its_name(engine: str, tmp_path: Path) -> None:
    data: Any = duckdb.connect().sql("""select 'a' as o, range as u, 1 as "U" from range(9)""")
    if engine == "ibis":
        pl.DataFrame({"o": ["a"] * 9, "u": range(9)}).write_parquet(tmp_path / "x.parquet")
        ibis = module("ibis", "engines")
        data = ibis.duckdb.connect().read_parquet(tmp_path / "x.parquet")
        data = data.mutate(U=ibis.literal(1))
    for unit in ("u", "U"):
        with pytest.raises(dp.InputError, match=f"column '{unit}' must be the only one of that"):
            AB.count(data, "o", unit=unit, max_per_unit=1)
    assert AB.count(data, "o").values == (9, 0)


def test_a_join_with_two_columns_of_a_name() -> None:
    connection = duckdb.connect()
    connection.execute("create table visits as select 'a' as o, range as id, 1 as p from range(9)")
    connection.execute("create table people as select 1 as id")
    joined = connection.sql("select * from visits join people on visits.p = people.id")
    with pytest.raises(dp.InputError, match="column 'id"):
        AB.count(joined, "o", unit="id", max_per_unit=1)


def test_a_parquet_file_with_two_columns_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    inner = pa.array([{"o": "b", "y": [1]}])
    table = pa.table([pa.array(["a"]), pa.array([1]), pa.array([2]), inner], ["o", "x", "x", "s"])
    pq.write_table(table, path)
    assert AB.count(path, "o").values == (1, 0)
    with pytest.raises(dp.DataError, match="has two columns called 'x'"):
        AB.count(path, "o", where="x = 1")


@pytest.mark.slow
def test_a_cached_frame_of_spark() -> None:
    """Batches in memory keep statistics, which leave NaN out."""
    for more in ([], [70.0]):
        rows = [("a", x) for x in [NAN] * 1000 + [30.0, *more]]
        frame = spark().createDataFrame(rows, "o string, x double").coalesce(1).cache()
        frame.count()
        assert AB.count(frame.filter("x > 50"), "o").values == (1000 + len(more), 0)
        assert AB.count(frame, "o", where="x > 50").values == (len(more), 0)
        frame.unpersist()


def test_what_duckdb_has_run_already_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"x": [NAN] * 9 + [30.0]}), path)
    connection = duckdb.connect()
    sql = f"select case when x < 60 then 'a' else 'b' end as o from '{path}'"
    connection.execute(f"prepare s as {sql}")
    with pytest.raises(dp.InputError, match="that DuckDB has run already"):
        AB.count(connection.sql("execute s"), "o")


def test_a_dictionary_of_floats_holds_nan() -> None:
    u = pa.array([NAN, NAN, 0.0, -0.0, None])
    plain = pa.table({"o": ["a", "b", "a", "b", "a"], "u": u})
    coded = plain.set_column(1, "u", u.dictionary_encode())
    half = pl.DataFrame(plain).with_columns(pl.col("u").cast(pl.Float16))
    arrow = coded.to_pandas(types_mapper=pd.ArrowDtype)
    for data in (plain, coded, half, half.lazy(), arrow):
        assert AB.count(data, "o", where="u is null").values == (2, 1)
        assert AB.count(data, "o", where="u < 1").values == (1, 1)
    for data in (plain, coded, arrow):
        assert AB.count(data, "o", unit="u", **ONE).values == (1, 0)
    text = pa.table({"o": pa.array(["a", "b", None]).dictionary_encode()})
    assert AB.count(text, "o", unknown="drop").values == (1, 1)


@pytest.mark.parametrize("data", [pl.DataFrame({"o": ["a"], "x": [[1.0]]}), None])
def test_what_is_unknown_is_not_asked_whether_it_is_missing(data: Any) -> None:
    if data is None:
        data = duckdb.connect().sql("select 'a' as o, [1.0] as x")
    with pytest.raises(dp.InputError, match="where asks whether column 'x' is missing, which hold"):
        AB.count(data, "o", where="x is null")


def test_an_error_in_a_transaction_is_the_one_that_is_said() -> None:
    connection = duckdb.connect()
    connection.execute("begin")
    text = "case when range = 5 then 'x' else '1' end"
    data = connection.sql(f"select 'a' as o, ({text})::int as u from range(9)")
    with pytest.raises(dp.DataError, match="a value does not fit the type of its column"):
        AB.count(data, "o", where="u = 1")
    connection.execute("rollback")


def test_an_interrupt_is_one() -> None:
    connection = duckdb.connect()
    pairs = "range(100000) as a join range(100000) as b on a.range <> b.range"
    data = connection.sql(f"select 'a' as o, hash(a.range) % (b.range + 1) as u from {pairs}")
    threading.Timer(0.5, connection.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        AB.count(data, "o", where="u = 1")


@pytest.mark.parametrize("unit", [2**63 + 7, 2**53 + 1, 2**60 + 99])
def test_units_that_are_large_integers(unit: int) -> None:
    """Which records are kept depends on the last two digits, not on those of a float."""
    rows = [(unit, 0)] * 3 + [(unit, 1)] * 4
    wanted = reference.kept(rows, [0, 1], Owners("u", 2, 2))
    table = pa.table({"o": ["ab"[c] for _, c in rows], "u": pa.array([unit] * 7, pa.uint64())})
    several = (pl.DataFrame(table), duckdb.connect().from_arrow(table))
    for data in (*several, table) if unit < 2**63 else several:  # which pyarrow refuses
        found = AB.count(data, "o", unit="u", max_per_unit=2).values
        assert found == (wanted[0], wanted[1])


def test_bad_arrays() -> None:
    with pytest.raises(dp.UnknownValuesError):
        AB.count([Decimal("sNaN")])
    with pytest.raises(dp.DataError, match="not UTF-8 text") as caught:
        AB.count(pa.Array.from_buffers(pa.utf8(), 1, [None, *_invalid()]))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    mean = dp.NormalMean(bounds=(0, 4))
    with pytest.raises(dp.InputError, match="must hold numbers"):
        mean.count({"age": pa.array(["x"])}, "age")
    with pytest.raises(dp.DataError, match="not UTF-8 text"):
        mean.count({"age": pa.Array.from_buffers(pa.utf8(), 1, [None, *_invalid()])}, "age")
    assert mean.count({"age": pa.array([1, None])}, "age", unknown="drop").values[0] == 1


def _invalid() -> list[Any]:
    return [pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]


@pytest.mark.slow
def test_the_least_integer_is_a_unit_in_spark() -> None:
    """Its absolute value does not fit into 64 bits, so that the call failed for one record."""
    rows = [("a", -(2**63)), ("b", -(2**63)), ("a", 5), ("a", -5), ("a", 2**63 - 1)]
    counts = AB.count(
        spark().createDataFrame(rows, "o string, u long"), "o", unit="u", max_per_unit=1
    )
    table = pa.table({"o": [row[0] for row in rows], "u": pa.array([row[1] for row in rows])})
    assert counts.values == AB.count(table, "o", unit="u", max_per_unit=1).values
    assert counts.n_records == 4
