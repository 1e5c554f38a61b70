"""Counting at scale beside plain DuckDB, and a ledger under load."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from functools import partial
from pathlib import Path

import duckdb

import discreet as dp
from benchmarks.timing import once_with_memory, show

ROWS = 50_000_000
CSV_BYTES = 3_000_000_000
CATEGORIES = ("cured", "improved", "unchanged")
MODEL = dp.DirichletMultinomial(CATEGORIES)
_REPEATS = 3


def _parquet(path: str) -> None:
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(
        "copy (select ['cured', 'improved', 'unchanged'][1 + (hash(i) % 3)::int] as outcome, "
        "(hash(7 * i) % 5)::int as ward, (hash(3 * i) % 100000)::int as patient "
        f"from range({ROWS}) t(i)) to '{path}' (format parquet)"
    )


def _csv(path: str) -> None:
    lines = "".join(f"{CATEGORIES[i % 3]},{i % 5},{i * 7919 % 100_000}\n" for i in range(60_000))
    block = lines.encode()
    with Path(path).open("wb") as file:
        file.write(b"outcome,ward,patient\n")
        while file.tell() < CSV_BYTES:
            file.write(block)


def _plain(path: str, columns: str) -> None:
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(f"select {columns}, count(*) from '{path}' group by all").fetchall()


def _ours(path: str, **options: object) -> None:
    MODEL.count(path, "outcome", **options)  # type: ignore[arg-type]


def counting() -> None:
    with tempfile.TemporaryDirectory() as folder:
        parquet, csv = f"{folder}/records.parquet", f"{folder}/records.csv"
        _parquet(parquet)
        rows = []
        for label, columns, options in (
            ("one column", "outcome", {}),
            ("two columns jointly", "ward, outcome", {"by": "ward", "groups": range(5)}),
            ("5 records per patient", "patient, outcome", {"unit": "patient", "max_per_unit": 5}),
        ):
            plain = [once_with_memory(partial(_plain, parquet, columns)) for _ in range(_REPEATS)]
            ours = [once_with_memory(partial(_ours, parquet, **options)) for _ in range(_REPEATS)]
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
        show(f"{ROWS:,} rows of Parquet (aims: time 1.25, memory 1.5)", headings, rows)
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
