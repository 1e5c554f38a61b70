"""How long other records are, and what they hold, decides nothing: an hour of a hostile review.

DuckDB reads a text file buffer by buffer. Where a blank line lay between two of them it read a
record twice, or failed; long lines were read, refused or lost as others were.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.data import text_files
from tests.optional import module

MODEL = dp.DirichletMultinomial(("a", "b", "c"))
BUFFER = 4_000_000  # the least that DuckDB allows for lines as long as ours


def counted(place: Path, content: str, **rules: Any) -> tuple[int, ...]:
    place.write_text(content, encoding="utf-8", newline="")
    return MODEL.count(place, "x", **rules).values


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", ["one column", "two columns", "quotes", "breaks"])
def test_records_between_two_buffers(
    kind: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_BUFFER", BUFFER)
    names = "x" if kind == "one column" else "x,p"
    line = {"one column": "a", "two columns": "a,1", "quotes": 'a,"1"'}.get(kind, 'a,"1"')
    odd = {
        "one column": '""',
        "two columns": ",",
        "quotes": '"b","""\u00fc"""',
        "breaks": f'"b","{end}{end}"""',
    }[kind]
    number = (BUFFER - 100) // len(line + end)
    start = names + end + (line + end) * number
    wrong = 0
    for pad in range(BUFFER - len(start) - 14, BUFFER - len(start) + 4):
        first = "c" * pad if kind == "one column" else "c," + "z" * (pad - 2)
        body = start + first + end + (odd + end) * 4 + ("c" + line[1:] + end) * 3
        found = counted(tmp_path / "x.csv", body, unknown="drop", line_breaks=kind == "breaks")
        expected = (
            number,
            4 if kind in ("quotes", "breaks") else 0,
            3 if kind == "one column" else 4,
        )
        wrong += found != expected
    assert wrong == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_thread_begins_inside_a_file(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads began at every quarter of a buffer, and lost all records behind a value like ","."""
    monkeypatch.setattr(text_files, "_BUFFER", 8000)
    monkeypatch.setattr(text_files, "_LONGEST", 500)
    line, quarter = f"1,a{end}", 2000
    for odd in ('","', '"1,""1"""', '"""1,"', '"""zz"", "","'):
        for place in range(quarter - 12, quarter + 4):
            number = (place - 40) // len(line)
            start = f"k,x{end}" + line * number
            first = "2" * (place - len(start) - len(end) - 2) + f",a{end}"
            body = start + first + f"{odd},b{end}" + line * 100
            assert counted(tmp_path / "x.csv", body) == (number + 101, 1, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("breaks", [False, True])
def test_blank_lines_are_refused_wherever_they_are(end: str, breaks: bool, tmp_path: Path) -> None:
    rules: dict[str, Any] = {"unknown": "drop", "line_breaks": breaks}
    for lines, number in (
        (["x,p", "a,1", "", "b,1"], 3),
        (["x,p", "", "a,1"], 2),
        (["x,p", "a,1", ""], 3),
        (["x", "a", "", "b"], 3),
    ):
        with pytest.raises(dp.DataError, match=f"line {number} is blank"):
            counted(tmp_path / "x.csv", end.join(lines) + end, **rules)
    for blank in ("", "  ", "\t"):
        for lines, number in ((['{"x": "a"}', blank, '{"x": "b"}'], 2), ([blank, '{"x": "a"}'], 1)):
            with pytest.raises(dp.DataError, match=f"line {number} is blank"):
                counted(tmp_path / "x.jsonl", end.join(lines) + end)
    assert counted(tmp_path / "x.csv", end.join(["x", "a", '""', "b"]), **rules) == (1, 1, 0)


@pytest.mark.parametrize("before", [0, 10, 600_000])
@pytest.mark.parametrize("breaks", [False, True])
def test_a_line_is_too_long_by_itself(before: int, breaks: bool, tmp_path: Path) -> None:
    most = 2_000_000
    for length, fits in ((most, True), (most + 1, False), (33_000_000, False)):
        content = "x,p\n" + "a,q\n" * before + "b," + "z" * (length - 2) + "\na,q\n"
        if fits:
            assert counted(tmp_path / "x.csv", content, line_breaks=breaks) == (before + 1, 1, 0)
        else:
            with pytest.raises(dp.DataError, match=f"line {before + 2} has more than 2000000"):
                counted(tmp_path / "x.csv", content, line_breaks=breaks)
    for length, fits in ((most, True), (most + 1, False), (20_000_000, False)):
        content = '{"x":"a"}\n' * before + '{"x":"b","y":"' + "z" * (length - 16) + '"}\n'
        if fits:
            assert counted(tmp_path / "x.jsonl", content) == (before, 1, 0)
        else:
            with pytest.raises(dp.DataError, match=f"line {before + 1} has more than 2000000"):
                counted(tmp_path / "x.jsonl", content)


def test_records_that_need_more_memory_than_usual(tmp_path: Path) -> None:
    """A call failed by how long all records were together: text of 600 MB in one column."""
    row = "a," + "z" * 1_900_000 + "\n"
    place = tmp_path / "x.csv"
    with place.open("w") as file:
        file.write("x,y\n")
        file.writelines(row for _ in range(320))
    assert MODEL.count(place, "y", unknown="drop").values == (0, 0, 0)


def test_a_folder_with_two_equals_signs_names_no_column(tmp_path: Path) -> None:
    for ward in ("a=b", "c"):
        (tmp_path / f"ward={ward}").mkdir()
        pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / f"ward={ward}" / "0.parquet")
    lake = str(tmp_path / "*" / "*.parquet")
    assert MODEL.count(lake, "x").values == (2, 2, 0)
    with pytest.raises(dp.DataError, match="column 'ward' must be in the names of all folders"):
        MODEL.count(lake, "x", where="ward = 'c'")


def test_keys_of_other_objects_decide_nothing(tmp_path: Path) -> None:
    """A key is missing where it is missing: keys were found out from the first records."""
    place = tmp_path / "x.jsonl"
    for number in (3, 18, 19, 300):
        content = "".join(f'{{"x": "a", "k{i}": 1}}\n' for i in range(number))
        assert counted(place, content) == (number, 0, 0)
    for number in (1, 20_479, 20_480, 50_000):
        assert counted(place, '{"y": 1}\n' * number + '{"x": "a"}\n', unknown="drop") == (1, 0, 0)
    for content in ('{"x": "b"}\n{"X": "a"}\n', '{"X": "a"}\n{"x": "b"}\n'):
        assert counted(place, content, unknown="drop") == (0, 1, 0)
    assert counted(place, '{"y": 1}\n', unknown="drop") == (0, 0, 0)


def test_whatever_is_missing_among_objects_is_missing() -> None:
    for value in (1, True, "1"):
        for gap in (None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT")):
            column = pd.Series([value, gap], dtype=object)
            frame = pd.DataFrame({"x": ["a", "b"], "o": column})
            assert MODEL.count(frame, "x", where="o is not null").values == (1, 0, 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_large_integers_of_dask_are_refused_by_themselves(tmp_path: Path) -> None:
    frames = module("dask.dataframe", "engines")
    for values, fits in (([1, 2, 3], True), ([1, None, 3], True), ([1, 2, 2**62 + 5], False)):
        for more in ([], [None]):
            column = pa.array([*values, *more], pa.int64())
            table = pa.table({"x": ["a"] * len(column), "u": column})
            pq.write_table(table, tmp_path / "x.parquet")
            frame = frames.read_parquet(tmp_path / "x.parquet")
            if fits:
                known = sum(value is not None for value in values)
                assert MODEL.count(frame, "x", where="u is not null").values == (known, 0, 0)
            else:
                with pytest.raises(dp.InputError, match=r"integers from 2\*\*53 on"):
                    MODEL.count(frame, "x", where="u is not null")


def test_zero_has_no_sign() -> None:
    model = dp.DirichletMultinomial(("-0", "1"))
    for data in (pa.table({"x": [0.0, -0.0, 1.0]}), pd.DataFrame({"x": [0.0, -0.0, 1.0]})):
        assert model.count(data, "x").values == (2, 1)


@pytest.mark.parametrize("dtype", ["object", "category"])
def test_a_column_without_a_value_fits_whatever_is_asked(dtype: Any) -> None:
    """Its type was text, or floats, so that a call failed because no record had a value."""
    for where in ("age > 3", "age = 'q'", "age = true", "age < x", "not age > 3"):
        frame = pd.DataFrame({"x": ["a", "b"], "age": pd.Series([None, None], dtype=dtype)})
        assert MODEL.count(frame, "x", where=where).values == (0, 0, 0)
    assert MODEL.count(frame, "x", where="age is null").values == (1, 1, 0)
    assert MODEL.count(frame, "age", unknown="drop").values == (0, 0, 0)
    assert MODEL.count(frame, "x", unit="age", max_per_unit=1, unknown="drop").n_records == 0
    mean = dp.NormalMean(bounds=(0, 4))
    assert mean.count(frame, "age", unknown="middle").values == (2, 0)
