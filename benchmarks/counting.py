"""Counting at scale beside plain DuckDB, and a ledger under load."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from functools import partial
from pathlib import Path

import duckdb

import discreet as dp
import discreet.data  # loaded beforehand, as duckdb is
from benchmarks.timing import in_turn, once_with_memory, show

ROWS = 50_000_000
CSV_BYTES = 3_000_000_000
SPARK_ROWS = 10_000_000
CATEGORIES = ("cured", "improved", "unchanged")
MODEL = dp.DirichletMultinomial(CATEGORIES)
_REPEATS = 5


def _parquet(path: str) -> None:
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(
        "copy (select ['cured', 'improved', 'unchanged'][1 + (hash(i) % 3)::int] as outcome, "
        "(hash(7 * i) % 5)::int as ward, (hash(3 * i) % 100000)::int as patient, "
        "case when hash(11 * i) % 10 = 0 then 'nan'::double else (hash(5 * i) % 1000) / 10 end "
        "as age "
        f"from range({ROWS}) t(i)) to '{path}' (format parquet)"
    )


def _csv(path: str) -> None:
    lines = "".join(f"{CATEGORIES[i % 3]},{i % 5},{i * 7919 % 100_000}\n" for i in range(60_000))
    block = lines.encode()
    with Path(path).open("wb") as file:
        file.write(b"outcome,ward,patient\n")
        while file.tell() < CSV_BYTES:
            file.write(block)


def _plain(path: str, columns: str, where: str = "") -> None:
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(f"select {columns}, count(*) from '{path}' {where} group by all").fetchall()


def _ours(path: str, **options: object) -> None:
    MODEL.count(path, "outcome", **options)  # type: ignore[arg-type]


def counting() -> None:
    with tempfile.TemporaryDirectory() as folder:
        parquet, csv = f"{folder}/records.parquet", f"{folder}/records.csv"
        _parquet(parquet)
        rows = []
        for label, columns, options in (
            ("one column", "outcome", {}),
            ("one column where age < 50", "outcome", {"where": "age < 50"}),
            ("two columns jointly", "ward, outcome", {"by": "ward", "groups": range(5)}),
            ("5 records per patient", "patient, outcome", {"unit": "patient", "max_per_unit": 5}),
        ):
            where = f"where {options['where']}" if "where" in options else ""
            calls = partial(_plain, parquet, columns, where), partial(_ours, parquet, **options)
            runs = [[once_with_memory(call) for call in calls] for _ in range(_REPEATS)]
            plain, ours = zip(*runs, strict=True)
            seconds, memory = (min(run[i] for run in plain) for i in (0, 1))
            our_seconds, our_memory = (min(run[i] for run in ours) for i in (0, 1))
            rows.append(
                [
                    label,
                    f"{our_seconds:.2f} s",
                    f"{seconds:.2f} s",
                    f"{our_seconds / seconds:.2f}",
                    f"{our_memory:.0f} MB",
                    f"{memory:.0f} MB",
                    f"{our_memory / memory:.2f}",
                ]
            )
        headings = ["count", "discreet", "DuckDB", "ratio", "discreet", "DuckDB", "ratio"]
        show(f"{ROWS:,} rows of Parquet (aims: 1.25, with where 1.5)", headings, rows)
        _csv(csv)
        seconds, memory, _ = once_with_memory(partial(_plain, csv, "outcome"))
        our_seconds, our_memory, _ = once_with_memory(partial(_ours, csv))
        show(
            f"{CSV_BYTES / 1e9:.0f} GB of CSV (aim: at most 500 MB of memory)",
            ["discreet", "DuckDB", "ratio", "discreet", "DuckDB"],
            [
                [
                    f"{our_seconds:.1f} s",
                    f"{seconds:.1f} s",
                    f"{our_seconds / seconds:.2f}",
                    f"{our_memory:.0f} MB",
                    f"{memory:.0f} MB",
                ]
            ],
        )


def spark() -> None:
    """Counting by Spark beside its own group-by, in turn, in one session."""
    from tests.data.engines import spark as session

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/records.parquet"
        duckdb.connect().sql(
            "select ['cured', 'improved', 'unchanged'][1 + (hash(i) % 3)::int] as outcome, "
            f"(hash(5 * i) % 1000) / 10 as age from range({SPARK_ROWS}) t(i)"
        ).write_parquet(path)
        frame = session().read.parquet(path)
        rows = []
        for label, where in (("one column", None), ("one column where age < 50", "age < 50")):
            chosen = frame if where is None else frame.where(where)
            calls = (
                lambda chosen=chosen: chosen.groupBy("outcome").count().collect(),
                lambda where=where: MODEL.count(frame, "outcome", where=where),
            )
            plain, ours = in_turn(calls, 7)
            rows.append([label, f"{ours:.2f} s", f"{plain:.2f} s", f"{ours / plain:.2f}"])
        show(
            f"{SPARK_ROWS:,} rows in Spark (aim: 1.3)",
            ["count", "discreet", "Spark", "ratio"],
            rows,
        )


def _attempts(place: str, number: int) -> int:
    ledger, granted = dp.Ledger.open(place), 0
    guarantee = dp.mechanism("lattice", MODEL, n=90, epsilon=0.003).guarantee
    for _ in range(number):
        try:
            ledger.charge("trial", guarantee, {"mechanism": "lattice"})
            granted += 1
        except dp.BudgetError:
            pass
    return granted


def ledger() -> None:
    """8 processes, 200 attempts each, a budget for 1,000."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/budget.db"
        dp.Ledger.open(place, budget=3).create("trial")
        start = time.perf_counter()
        with multiprocessing.get_context("spawn").Pool(8) as pool:
            granted = sum(pool.starmap(_attempts, [(place, 200)] * 8))
        seconds = time.perf_counter() - start
        show(
            "Ledger in a file: 8 processes × 200 attempts, a budget for 1,000",
            ["granted", "time, with start-up", "attempts per second"],
            [[str(granted), f"{seconds:.2f} s", f"{1600 / seconds:.0f}"]],
        )
