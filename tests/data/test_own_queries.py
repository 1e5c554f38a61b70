"""Expressions and conditions of the user's own lazy query: no statistics of a file decide them.

Engines move them into the reading of files and fold them, or skip records, by statistics that leave
NaN out. Here every engine has to say what it says of each record alone.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

import discreet as dp
from tests.data.engines import spark
from tests.optional import module

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]
NAN = math.nan
SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
FLAGS = dp.DirichletMultinomial((True, False))


def _write(place: Path, numbers: list[float], draw: random.Random) -> str:
    size = draw.choice([2, 100])
    if draw.random() < 0.5:
        pl.DataFrame({"x": numbers}).write_parquet(place, row_group_size=size, statistics="full")
    else:
        pq.write_table(pa.table({"x": numbers}), place, row_group_size=size)
    return str(place)


def _by_sql(connect: Callable[[], Any]) -> Callable[[str, str, float, bool], Any]:
    def of(path: str, sign: str, than: float, only: bool) -> Any:
        held = f"x {sign} {than}"
        where = f"where {held}" if only else ""
        return connect().sql(f"select {held} as flag from read_parquet('{path}') {where}")

    return of


def _by_ibis(path: str, sign: str, than: float, only: bool) -> Any:
    table = module("ibis", "engines").duckdb.connect().read_parquet(path)
    held = SIGNS[sign](table.x, than)
    return (table.filter(held) if only else table).select(flag=held)


def _by_polars(scan: Callable[[str], Any]) -> Callable[[str, str, float, bool], Any]:
    def of(path: str, sign: str, than: float, only: bool) -> Any:
        held = SIGNS[sign](pl.col("x"), than)
        frame = scan(path)
        return (frame.filter(held) if only else frame).select(held.alias("flag"))

    return of


def _by_spark(path: str, sign: str, than: float, only: bool) -> Any:
    frame = spark().read.parquet(path)
    held = SIGNS[sign](frame.x, than)
    return (frame.filter(held) if only else frame).select(held.alias("flag"))


ENGINES: dict[str, Callable[[str, str, float, bool], Any]] = {
    "duckdb": _by_sql(duckdb.connect),
    "ibis": _by_ibis,
    "polars": _by_polars(pl.scan_parquet),
    "polars over arrow": _by_polars(lambda path: pl.scan_pyarrow_dataset(pads.dataset(path))),
    "pyspark": _by_spark,
}


def _holds(number: float, sign: str, than: float) -> bool:
    """Of one record: NaN is the greatest number."""
    if not math.isnan(number):
        return bool(SIGNS[sign](number, than))
    return sign in (">", ">=", "<>")


@pytest.mark.parametrize(
    "engine",
    [pytest.param(e, marks=pytest.mark.slow) if e == "pyspark" else e for e in ENGINES],
)
def test_no_statistics_decide_a_users_own_expressions(engine: str, tmp_path: Path) -> None:
    draw = random.Random(20261118)
    for number in range(40):
        pool = draw.sample([30.0, 50.0, 70.0, -1.0], draw.choice([1, 1, 2])) + [NAN] * 2
        numbers = [draw.choice(pool) for _ in range(9)]
        path = _write(tmp_path / f"{number}.parquet", numbers, draw)
        sign, than, only = draw.choice([*SIGNS]), draw.choice([30.0, 50.0]), draw.random() < 0.5
        held = [_holds(x, sign, than) for x in numbers]
        data = ENGINES[engine](path, sign, than, only)
        wanted = (sum(held), 0 if only else len(held) - sum(held))
        assert FLAGS.count(data, "flag").values == wanted, (numbers, sign, than, only)
        asked = FLAGS.count(data, "flag", where="flag")
        assert asked.values == (wanted[0], 0), (numbers, sign, than, only)


def _folded(place: Path) -> str:
    pq.write_table(pa.table({"x": [NAN] * 1000 + [30.0]}), place)
    return str(place)


def test_settings_of_the_users_database_are_put_back(tmp_path: Path) -> None:
    path = _folded(tmp_path / "x.parquet")
    connection = duckdb.connect()
    connection.execute("set disabled_optimizers = 'top_n,in_clause'")
    relation = connection.sql(f"select x < 50 as flag from '{path}'")
    assert FLAGS.count(relation, "flag").values == (1, 1000)
    with pytest.raises(dp.InputError, match="compares"):
        FLAGS.count(relation, "flag", where="flag > 3")
    found = connection.execute("select current_setting('disabled_optimizers')").fetchone()
    assert found is not None
    assert set(found[0].split(",")) == {"top_n", "in_clause"}


def test_threads_that_count_in_one_database(tmp_path: Path) -> None:
    """None puts the optimisers back while another counts."""
    path = _folded(tmp_path / "x.parquet")
    connection = duckdb.connect()

    def count(_: int) -> tuple[int, ...]:
        relation = connection.cursor().sql(f"select x < 50 as flag from '{path}'")
        return FLAGS.count(relation, "flag").values

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(count, range(60))) == {(1, 1000)}


def test_a_locked_database_is_refused() -> None:
    connection = duckdb.connect()
    relation = connection.sql("select true as flag")
    connection.execute("set lock_configuration = true")
    with pytest.raises(dp.DataError, match="configuration of its database is locked"):
        FLAGS.count(relation, "flag")


@pytest.mark.parametrize("kind", ["relation", "view"])
def test_all_pairs_of_records_are_refused(kind: str, tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "x.duckdb"))
    connection.execute("create table a as select range as i, range > 4 as flag from range(9)")
    by_where = "select a.flag from a, a as b where a.i = b.i"
    joined = "select a.flag from a join a as b on a.i = b.i where b.i > 2"
    if kind == "relation":
        assert FLAGS.count(connection.sql(joined), "flag").values == (4, 2)
        with pytest.raises(dp.InputError, match="joins tables by where or by a subquery"):
            FLAGS.count(connection.sql(by_where), "flag")
        return
    connection.execute(f"create view joined as {joined}; create view pairs as {by_where}")
    connection.close()
    place = tmp_path / "x.duckdb"
    assert FLAGS.count(place, "flag", table="joined").values == (4, 2)
    with pytest.raises(dp.InputError, match="joins tables by where or by a subquery"):
        FLAGS.count(place, "flag", table="pairs")


@pytest.mark.slow
def test_settings_of_the_users_spark_session_are_put_back() -> None:
    session = spark()
    key = "spark.sql.parquet.filterPushdown"
    before = session.conf.get(key)
    for value in ("true", "false"):
        session.conf.set(key, value)
        data = session.createDataFrame([(True,), (False,)], "flag boolean")
        assert FLAGS.count(data, "flag").values == (1, 1)
        assert session.conf.get(key) == value
    session.conf.set(key, before)
