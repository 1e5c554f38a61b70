"""Why data cannot be read: the cause is said, and no record chooses the words."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import discreet as dp
from discreet.data.files import said_safely
from discreet.data.reasons import reason

MODEL = dp.DirichletMultinomial(("a", "b"))
SECRET = "SECRET-7391"


def of_spark(text: str, module: str = "pyspark.errors", name: str = "SparkError") -> Exception:
    """An error as Spark raises it."""
    return type(name, (Exception,), {"__module__": module})(text)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ModuleNotFoundError(f"No module named {SECRET}", name="pyarrow.lib"),
            "its engine needs pyarrow: pip install pyarrow",
        ),
        (
            ImportError(f"Pandas requires version '15' or newer of 'pyarrow' {SECRET}"),
            "its engine needs another version of pyarrow: pip install --upgrade pyarrow",
        ),
        (
            ImportError(SECRET, name="polars._cpu"),
            "its engine needs another version of polars: pip install --upgrade polars",
        ),
        (ImportError(SECRET), "a package of its engine cannot be imported"),
        (OSError(errno.ENOSPC, SECRET), os.strerror(errno.ENOSPC)),
        (OSError(errno.EMFILE, SECRET, f"/{SECRET}"), os.strerror(errno.EMFILE)),
        (PermissionError(SECRET), os.strerror(errno.EACCES)),
        (FileNotFoundError(SECRET), os.strerror(errno.ENOENT)),
        (IsADirectoryError(SECRET), os.strerror(errno.EISDIR)),
        (ConnectionRefusedError(SECRET), os.strerror(errno.ECONNREFUSED)),
        (TimeoutError(SECRET), os.strerror(errno.ETIMEDOUT)),
        (OSError(SECRET), "the engine reports OSError"),
        (ValueError(SECRET), "the engine reports ValueError"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, SECRET), "it is not UTF-8 text"),
        (
            duckdb.IOException(f'IO Error: Cannot open file "{SECRET}": Permission denied'),
            "Permission denied",
        ),
        (
            duckdb.IOException(f'IO Error: Could not write "{SECRET}": No space left on device'),
            "No space left on device",
        ),
        (
            duckdb.IOException(
                f'IO Error: Could not set lock on file "{SECRET}": Conflicting lock is held'
            ),
            "another process has locked it",
        ),
        (
            duckdb.IOException(
                "IO Error: Trying to read a database file with version number 99, but we can only "
                "read versions between 64 and 67."
            ),
            "another DuckDB version wrote it",
        ),
        (duckdb.IOException(f"IO Error: {SECRET}"), "the engine reports IOException"),
        (
            duckdb.OutOfMemoryException(f"Out of Memory Error: {SECRET}"),
            "it does not fit into memory",
        ),
        (
            duckdb.ConnectionException("Connection Error: Connection has already been closed"),
            "its connection is closed",
        ),
        (
            pl.exceptions.InvalidOperationError(f'conversion failed for ["{SECRET}"]'),
            "a value does not fit the type of its column",
        ),
        (
            of_spark(f"[SESSION_OR_CONTEXT_NOT_EXISTS] {SECRET}"),
            "the engine reports SparkError (SESSION_OR_CONTEXT_NOT_EXISTS)",
        ),
        (
            of_spark(
                "An error occurred while calling o21.collectToPython.\n: org.apache.spark."
                f"SparkException: [FAILED_READ_FILE.FILE_NOT_EXIST] {SECRET}",
                "py4j.protocol",
            ),
            "the engine reports SparkError (FAILED_READ_FILE.FILE_NOT_EXIST)",
        ),
        (of_spark("", "py4j.protocol", "Py4JNetworkError"), "its engine is not running"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_cause_is_said_and_the_message_is_not(error: Exception, said: str) -> None:
    assert reason(error) == said
    with pytest.raises(dp.DataError) as caught, said_safely("x.csv"):
        raise error
    assert str(caught.value) == f"data 'x.csv' cannot be read: {said}"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "forged",
    [
        "Line: 471",
        "permission denied",
        "not utf-8 encoded",
        "out of memory",
        "IO Error: Could not set lock",
        "Invalid Input Error: CSV Error on Line: 471",
        "[CAST_INVALID_INPUT]",
    ],
)
def test_a_record_does_not_choose_the_words(forged: str, tmp_path: Path) -> None:
    """What is said of two records that differ in their text alone is the same."""
    assert reason(ValueError(forged)) == "the engine reports ValueError"
    told = duckdb.ConversionException(f"Conversion Error: Could not convert string '{forged}'")
    assert reason(told) == "a value does not fit the type of its column"
    place = tmp_path / "ragged.csv"
    said = set()
    for text in ("harmless", forged, "Expected Number of Columns"):
        place.write_text("x,y\n" + "a,1\n" * 3000 + f"b,2,{text}\n")
        with pytest.raises(dp.DataError) as caught:
            MODEL.count(place, "x")
        said.add(str(caught.value))
    [one] = said
    assert one.endswith("the rows have different numbers of columns at line 3002")


def test_a_closed_connection() -> None:
    with duckdb.connect() as connection:
        relation = connection.sql("select 'a' as x")
    with pytest.raises(dp.DataError, match=r"^data cannot be read: its connection is closed$"):
        MODEL.count(relation, "x")


def test_a_file_that_went_away(tmp_path: Path) -> None:
    frame = pl.scan_csv(tmp_path / "gone.csv", schema={"x": pl.String})
    with pytest.raises(dp.DataError, match=r"^data cannot be read: No such file or directory$"):
        MODEL.count(frame, "x")


def test_a_database_that_another_process_writes(tmp_path: Path) -> None:
    place = str(tmp_path / "busy.duckdb")
    code = (
        f"import duckdb; c = duckdb.connect({place!r}); c.sql('create table t as select 1 as x'); "
        "print(flush=True); input()"
    )
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:
        try:
            process.stdout.readline()  # type: ignore[union-attr]
            with pytest.raises(dp.DataError, match=r"another process has locked it$"):
                MODEL.count(place, "x")
        finally:
            process.communicate(b"\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    place = tmp_path / "closed.csv"
    place.write_text("x\na\n")
    place.chmod(0)
    with pytest.raises(dp.DataError, match=r"closed\.csv' cannot be read: Permission denied$"):
        MODEL.count(place, "x")


def test_files_of_another_kind(tmp_path: Path) -> None:
    for name, content, words in (
        ("x.parquet", b"PAR1 nothing", "it is no whole Parquet file"),
        ("x.jsonl", b'{"x": "a"}\n{"x": \n', "a line is not JSON"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(dp.DataError, match=f"cannot be read: {words}$"):
            MODEL.count(tmp_path / name, "x")
