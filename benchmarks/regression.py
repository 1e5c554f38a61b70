"""Sufficient statistics of a regression at scale beside plain DuckDB."""

from __future__ import annotations

import itertools
import tempfile
from fractions import Fraction
from functools import partial

import duckdb

from benchmarks.timing import once_with_memory, show
from discreet.data import Scaled, moments

ROWS = 10_000_000
COLUMNS = [f"x{j}" for j in range(14)] + ["y"]
BOUND = Fraction(9, 10)
_REPEATS = 3


def _parquet(path: str) -> None:
    """Numbers spread evenly over [−1, 1]."""
    values = ", ".join(
        f"((hash(i * {len(COLUMNS)} + {j}) % 2000003) / 1000001.5 - 1)::double as {name}"
        for j, name in enumerate(COLUMNS)
    )
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(
        f"copy (select {values} from range({ROWS}) t(i)) to '{path}' (format parquet)"
    )


def _plain(path: str) -> None:
    """The same clipped sums, in doubles."""
    bound = f"{float(BOUND)}::double"
    clipped = ", ".join(f"greatest(least({name}, {bound}), -{bound}) as {name}" for name in COLUMNS)
    pairs = itertools.combinations_with_replacement(COLUMNS, 2)
    sums = [f"sum({name})" for name in COLUMNS] + [f"sum({a} * {b})" for a, b in pairs]
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(
        f"select count(*), {', '.join(sums)} from (select {clipped} from '{path}')"
    ).fetchall()


def _ours(path: str, grid: int, radius: Fraction | None = None) -> None:
    columns = [Scaled(name, -BOUND, BOUND) for name in COLUMNS]
    moments(path, columns, grid, radius=radius)


def statistics_at_scale() -> None:
    """All sums and sums of products of 14 features and a target."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/records.parquet"
        _parquet(path)
        calls = {
            "DuckDB": partial(_plain, path),
            "grid 2^10": partial(_ours, path, 2**10),
            "grid 2^10, radius 2": partial(_ours, path, 2**10, Fraction(2)),
            "grid 2^16": partial(_ours, path, 2**16),
        }
        runs = [
            {label: once_with_memory(call) for label, call in calls.items()}
            for _ in range(_REPEATS)
        ]
        rows = []
        for label in calls:
            seconds, memory = (min(run[label][i] for run in runs) for i in (0, 1))
            plain = min(run["DuckDB"][0] for run in runs)
            rows.append([label, f"{seconds:.2f} s", f"{seconds / plain:.2f}", f"{memory:.0f} MB"])
        show(
            f"{ROWS:,} rows of Parquet, 14 features: sums and products (aim: 1.5)",
            ["statistics", "time", "ratio", "memory"],
            rows,
        )
