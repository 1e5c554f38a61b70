"""Cases written by every writer and opened by every reader."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

import discreet as dp
from discreet.data import Rules, kinds, tabulate, tabulate_several
from discreet.data.moments import NumberRules, moments
from discreet.data.reference import Written
from tests.data.drawing import Case
from tests.optional import module

ARROW: dict[str, list[pa.DataType]] = {
    kinds.TEXT: [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    kinds.BOOLEANS: [pa.bool_()],
    kinds.INTEGERS: [pa.int64(), pa.int8(), pa.int16()],
    kinds.FLOATS: [pa.float64()],
    kinds.SINGLES: [pa.float32()],
    kinds.DECIMALS: [pa.decimal128(12, 2)],
    kinds.DATES: [pa.date32()],
    kinds.TIMES: [pa.timestamp("us"), pa.timestamp("ms")],
    kinds.ZONED: [pa.timestamp("us", "UTC"), pa.timestamp("us", "Asia/Kolkata")],
}


def table(case: Case) -> pa.Table:
    """The records with declared types, and a nested column that nobody reads."""
    draw = random.Random(case.seed)
    columns = {
        name: pa.array([record[name] for record in case.records], draw.choice(ARROW[kind]))
        for name, kind in case.types.items()
    }
    nested = [{"i": i, "x": [float("nan")] * (i % 3)} for i in range(len(case.records))]
    return pa.table({"nested": pa.array(nested), **columns})


def _by_pyarrow(case: Case, place: Path) -> str:
    draw = random.Random(case.seed)
    whole, parts = table(case), draw.choice([1, 1, 3])
    size = -(-whole.num_rows // parts)
    for part in range(parts):
        pq.write_table(
            whole.slice(part * size, size),
            place / f"{part}.parquet",
            row_group_size=draw.choice([2, 5, 100]),
            use_dictionary=draw.random() < 0.5,
            data_page_version=draw.choice(["1.0", "2.0"]),
            write_page_index=draw.random() < 0.5,
        )
    return str(place / "*.parquet")


def _by_polars(case: Case, place: Path) -> str:
    draw = random.Random(case.seed)
    frame = pl.from_arrow(table(case).drop(["nested"]))
    assert isinstance(frame, pl.DataFrame)
    frame.write_parquet(
        place / "0.parquet", row_group_size=draw.choice([2, 5, 100]), statistics="full"
    )
    return str(place / "*.parquet")


def _by_duckdb(case: Case, place: Path) -> str:
    with duckdb.connect() as connection:
        records = table(case)  # read by this name
        file = place / "0.parquet"
        connection.execute(f"copy records to '{file}' (format parquet, row_group_size 2048)")
        assert records is not None
    return str(place / "*.parquet")


def _by_pandas(case: Case, place: Path) -> str:
    """As a frame of numpy has them: integers with gaps become floats."""
    frame = table(case).drop(["nested"]).to_pandas()
    frame.to_parquet(
        place / "0.parquet", row_group_size=random.Random(case.seed).choice([2, 5, 100])
    )
    return str(place / "*.parquet")


def _by_spark(case: Case, place: Path) -> str:
    from tests.data.engines import spark

    _by_pyarrow(case.with_records(case.records), place)
    found = spark().read.parquet(str(place)).drop("nested")
    found.write.parquet(str(place / "spark"))
    for file in (place / "spark").iterdir():  # marks and checksums, which not all readers know
        if file.suffix != ".parquet":
            file.unlink()
    return str(place / "spark" / "*.parquet")


def _duckdb_file(case: Case, place: Path) -> str:
    with duckdb.connect(str(place / "records.duckdb")) as connection:
        records = table(case)
        connection.execute("create table records as select * from records")
        assert records is not None
    return str(place / "records.duckdb")


PARQUET = {"pyarrow": _by_pyarrow, "polars": _by_polars, "duckdb": _by_duckdb, "pandas": _by_pandas}


# --- text: what is written is what counts


def _texts(case: Case) -> list[dict[str, Any]]:
    """Records in which no value has a line break; an odd column that nobody reads."""
    odd = ["", 'say "hi"', "1,2;3\t4|5", "# c", "'", "\\", "ü\u2028ü", " "]
    return [
        {**record, "junk": odd[(case.seed + i) % len(odd)]} for i, record in enumerate(case.records)
    ]


def _by_csv(case: Case, place: Path) -> str:
    draw = random.Random(case.seed)
    name = place / f"records.{draw.choice(['csv', 'csv.gz', 'csv.zst', 'tsv', 'CSV'])}"
    tabs = name.suffix == ".tsv"
    text = place / "plain"
    with text.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(
            file,
            [*case.kinds, "junk"],
            delimiter="\t" if tabs else draw.choice(",;|"),
            quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
            lineterminator=draw.choice(["\n", "\r\n"]),
        )
        writer.writeheader()
        writer.writerows(_texts(case))
    return _packed(text, name)


def _packed(text: Path, name: Path) -> str:
    content = text.read_bytes()
    text.unlink()
    if name.suffix == ".gz":
        content = gzip.compress(content)
    elif name.suffix == ".zst":
        from discreet.data.text_files import zstd

        content = zstd.compress(content)
    name.write_bytes(content)
    return str(name)


def _pandas_csv(case: Case, place: Path) -> str:
    pd.DataFrame(_texts(case)).to_csv(place / "records.csv", index=False)
    return str(place / "records.csv")


def _polars_csv(case: Case, place: Path) -> str:
    frame = pl.from_arrow(table(case).drop(["nested"]))
    assert isinstance(frame, pl.DataFrame)
    frame.write_csv(place / "records.csv")
    return str(place / "records.csv")


def _duckdb_csv(case: Case, place: Path) -> str:
    with duckdb.connect() as connection:
        records = table(case).drop(["nested"])
        connection.execute(f"copy records to '{place / 'records.csv'}' (format csv, header)")
        assert records is not None
    return str(place / "records.csv")


def _by_json(case: Case, place: Path) -> str:
    lines = [json.dumps(record, default=str, ensure_ascii=False) for record in _texts(case)]
    end = random.Random(case.seed).choice(["\n", "\r\n"])
    (place / "records.jsonl").write_bytes((end.join(lines) + end).encode())
    return str(place / "records.jsonl")


def _by_hand(case: Case, place: Path) -> str:
    """Values between commas as they are: a quote may open and never close, a line may break."""
    draw = random.Random(case.seed)
    odd = ['"', '""', 'a"', '"a', '"a"', '"a""b"', "a\rb", "ok", "ok", "ok", '"ok, ok"']
    few = draw.choice([["ok", '"ok, ok"', '"a""b"', '""'], odd])
    lines = [",".join([*case.kinds, "junk"])]
    for record in case.records:
        texts = ["" if value is None else str(value) for value in record.values()]
        lines.append(
            ",".join([*(t.replace('"', "").replace(",", "") for t in texts), draw.choice(few)])
        )
    (place / "records.csv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return str(place / "records.csv")


def _with_breaks(case: Case, place: Path) -> str:
    """As `_by_csv`, with values that hold line breaks, in a column that nobody reads or in one."""
    with (place / "records.csv").open("w", newline="", encoding="utf-8") as file:
        draw = random.Random(case.seed)
        end = draw.choice(["\n", "\r\n"])
        writer = csv.DictWriter(file, ["junk", *case.kinds], lineterminator=end)
        writer.writeheader()
        for record in _texts(case):
            breaks = draw.choice(["\n", "\r\n", "\r"])
            writer.writerow(record | {"junk": f'one{breaks}two, "three"{breaks * 2}'})
    return str(place / "records.csv")


TEXT = {
    "csv module": _by_csv,
    "by hand": _by_hand,
    "line breaks": _with_breaks,
    "pandas csv": _pandas_csv,
    "polars csv": _polars_csv,
    "duckdb csv": _duckdb_csv,
    "json module": _by_json,
}


WELL_FORMED = re.compile(r'(?:"(?:[^"]|"")*"|[^",]*)(?:,(?:"(?:[^"]|"")*"|[^",]*))*')


def written(path: str, breaks: bool = False) -> list[dict[str, Any]] | None:
    """What stands in a text file, by the standard library; None if a line is no record."""
    name = Path(path)
    content = name.read_bytes()
    if name.suffix == ".gz":
        content = gzip.decompress(content)
    elif name.suffix == ".zst":
        from discreet.data.text_files import zstd

        content = zstd.decompress(content)
    if name.suffix == ".jsonl":
        raw = (json.loads(line, parse_int=str, parse_float=str) for line in content.splitlines())
        return [{key: _json_text(value) for key, value in record.items()} for record in raw]
    if breaks:
        whole = csv.DictReader(io.StringIO(content.decode(), newline=""))
        return [{key: Written(text) for key, text in row.items()} for row in whole]
    lines = content.decode().removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    delimiter = max(",;\t|", key=lambda d: len(next(csv.reader([lines[0]], delimiter=d))))
    header = next(csv.reader([lines[0]], delimiter=delimiter))
    if delimiter == "," and not all(map(WELL_FORMED.fullmatch, lines)):
        return None
    if any("\r" in line for line in lines):
        return None
    rows = (next(csv.reader([line], delimiter=delimiter), [""]) for line in lines[1:-1])
    return [dict(zip(header, map(Written, row), strict=True)) for row in rows]


def _json_text(value: Any) -> Any:
    return (
        None
        if value is None
        else Written(json.dumps(value) if isinstance(value, (bool, float)) else value)
    )


# --- readers


def _lazily(path: str) -> Any:
    return pl.scan_parquet(path)


def _through_arrow(path: str) -> Any:
    return pl.scan_pyarrow_dataset(
        pads.dataset(sorted(str(p) for p in Path(path).parent.glob("*.parquet")))
    )


def _arrow_relation(path: str) -> Any:
    files = sorted(str(p) for p in Path(path).parent.glob("*.parquet"))
    return duckdb.connect().from_arrow(pads.dataset(files))


def _arrow(path: str) -> Any:
    return pads.dataset(sorted(str(p) for p in Path(path).parent.glob("*.parquet"))).to_table()


def _spark(path: str) -> Any:
    from tests.data.engines import spark

    return spark().read.parquet(str(Path(path).parent))


READERS: dict[str, Callable[[str], Any]] = {
    "file": str,
    "duckdb relation": lambda path: duckdb.connect().read_parquet(path),
    "duckdb over arrow": _arrow_relation,
    "ibis": lambda path: module("ibis", "engines").duckdb.connect().read_parquet(path),
    "polars lazy": _lazily,
    "polars": lambda path: pl.read_parquet(path),
    "polars over arrow": _through_arrow,
    "pyarrow": _arrow,
    "pandas": lambda path: _arrow(path).to_pandas(),
    "pandas of arrow": lambda path: _arrow(path).to_pandas(types_mapper=pd.ArrowDtype),
}
SLOW: dict[str, Callable[[str], Any]] = {
    "dask": lambda path: module("dask.dataframe", "engines").read_parquet(str(Path(path).parent)),
    "dask over arrow": lambda path: module("dask.dataframe", "engines").read_parquet(
        str(Path(path).parent), filesystem="arrow"
    ),
    "pyspark": _spark,
}


def asked(case: Case, data: Any, breaks: bool = False) -> Any:
    """The question of a case, put to the library; a word if it refuses."""
    columns = dict(case.labels)
    try:
        if case.question == "sums":
            rules = NumberRules(**case.rules, line_breaks=breaks)
            steps = case.steps
            found = moments(data, steps.columns, steps.grid, rules, radius=steps.radius)
            return found.n, found.sums, found.products
        if case.question == "tables":
            every = Rules(**case.rules, line_breaks=breaks)
            return tabulate_several(data, columns, case.tables, every).values
        return tabulate(data, columns, Rules(**case.rules, line_breaks=breaks)).values  # type: ignore[arg-type]
    except dp.UnknownValuesError:
        return "undeclared"
    except dp.InputError as error:
        if "a record is a line" in str(error):
            return "no lines"
        if "must tell for every record whose it is" in str(error):
            return "unit"
        if "holds floats from 2**53 on" in str(error):
            return "floats"
        raise
