"""The same records in every engine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.optional import module, require

ENGINES = (
    "csv",
    "csv.gz",
    "tsv",
    "jsonl",
    "parquet",
    "several parquet files",
    "duckdb file",
    "duckdb relation",
    "pandas",
    "polars",
    "polars lazy",
    "pyarrow",
    pytest.param("dask", marks=pytest.mark.slow),
    "ibis",
    pytest.param("pyspark", marks=pytest.mark.slow),  # half a minute until it is up
)


def records(size: int = 3000) -> pd.DataFrame:
    """Awkward on purpose: names with quotes, spaces and unicode, missing values, repeated units."""
    rng = np.random.default_rng(5)
    outcome = rng.choice(["cured", "improved", "größer ‘x’", "it's"], size)
    return pd.DataFrame(
        {
            "out \"come' ü": outcome,
            "therapy": rng.choice(["a", "b"], size),
            "dose": rng.integers(0, 3, size),
            "relapse": rng.random(size) < 0.3,
            "holes": pd.Series(outcome).where(rng.random(size) > 0.1, None),
            "patient": [f"P-{i:04d}" if i > 40 else str(i) for i in rng.integers(0, 200, size)],
            "age": rng.integers(18, 90, size),
        }
    )


def spark() -> Any:
    """A session in local mode."""
    sql = module("pyspark.sql", "java")
    if shutil.which("java") is None:
        require("java", "Java is not installed")
    builder = sql.SparkSession.builder.master("local[2]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def open_with(engine: str, frame: pd.DataFrame, place: Path) -> tuple[Any, dict[str, Any]]:
    """The records as that engine has them, and what `count` needs to be told besides."""
    import duckdb
    import polars as pl

    connection = duckdb.connect()
    source = place / "records.parquet"
    connection.from_df(frame).write_parquet(str(source))
    if engine in ("csv", "csv.gz", "tsv"):
        path = place / f"records.{engine}"
        frame.to_csv(path, index=False, sep="\t" if engine == "tsv" else ",")
        return str(path), {}
    if engine == "jsonl":
        frame.to_json(place / "records.jsonl", orient="records", lines=True)
        return place / "records.jsonl", {}
    if engine == "parquet":
        return source, {}
    if engine == "several parquet files":
        (place / "lake").mkdir()
        for part in range(3):
            half = frame.iloc[part::3]
            connection.from_df(half).write_parquet(str(place / "lake" / f"{part}.parquet"))
        return str(place / "lake" / "*.parquet"), {}
    if engine == "duckdb file":
        with duckdb.connect(str(place / "records.duckdb")) as file:
            file.from_df(frame).create('"my ""table"" ü"')
        return place / "records.duckdb", {"table": 'my "table" ü'}
    if engine == "duckdb relation":
        return connection.read_parquet(str(source)), {}
    if engine == "pandas":
        return frame, {}
    if engine == "polars":
        return pl.read_parquet(source), {}
    if engine == "polars lazy":
        return pl.scan_parquet(source), {}
    if engine == "pyarrow":
        return module("pyarrow.parquet", "engines").read_table(source), {}
    if engine == "dask":
        dask = module("dask.dataframe", "engines")
        return dask.from_pandas(frame, npartitions=3), {}
    if engine == "ibis":
        return module("ibis", "engines").read_parquet(source), {}
    return spark().read.parquet(str(source)), {}
