"""Files: what can be read, and what is said of the rest without quoting it."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import polars as pl
import pytest

import discreet as dp

MODEL = dp.DirichletMultinomial(("a", "b"))
SECRET = "SECRET-7391"

READABLE = {
    "plain.csv": b"x,y\na,1\nb,2\na,3\n",
    "semicolons.csv": b"x;y\na;1\nb;2\na;3\n",
    "tabs.tsv": b"x\ty\na\t1\nb\t2\na\t3\n",
    "quoted.csv": b'x,y\n"a","one, two"\nb,2\na,3\n',
    "windows.csv": b"x,y\r\na,1\r\nb,2\r\na,3\r\n",
    "marked.csv": b"\xef\xbb\xbfx,y\na,1\nb,2\na,3\n",
    "bars.csv": b"x|y\na|1\nb|2\na|3\n",
    "quoted names.csv": b'"y, or z","x"\n1,a\n"2, 3",b\n4,a\n',
    "two lines.csv": b'x,y\na,"one\ntwo"\nb,2\na,3\n',
    "no-end.csv": b"x,y\na,1\nb,2\na,3",
    "upper.CSV": b"x,y\na,1\nb,2\na,3\n",
    "small.csv.gz": gzip.compress(b"x,y\na,1\nb,2\na,3\n"),
    "lines.jsonl": b'{"x":"a"}\n{"x":"b","y":2}\n{"x":"a"}\n',
    "lines.ndjson": b'{"x":"a"}\n{"x":"b"}\n{"x":"a"}\n',
}


@pytest.mark.parametrize("name", READABLE)
def test_files_that_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(READABLE[name])
    for place in (tmp_path / name, str(tmp_path / name)):
        assert MODEL.count(place, "x").values == (2, 1)


UNREADABLE = {
    "ragged.csv": (f"x,y\na,1\nb,2,{SECRET}\na\n".encode(), "different numbers of columns"),
    "latin.csv": (f"x,y\na,é{SECRET}\n".encode("latin-1"), "not UTF-8"),
    "binary.csv": (bytes(range(256)) * 4, "cannot be read"),
    "empty.csv": (b"", "is empty"),
    "broken.jsonl": (f'{{"x":"a"}}\n{{"x":"{SECRET}\n'.encode(), "cannot be read"),
    "broken.parquet": (SECRET.encode(), "cannot be read"),
    "broken.duckdb": (SECRET.encode() * 1000, "cannot be read"),
    "broken.csv.gz": (SECRET.encode(), "cannot be read"),
    "ragged-late.csv": (b"x,y\n" + b"a,1\n" * 3000 + b"b\n", "numbers of columns at line 3002"),
    "wide-late.csv": (b"x,y\n" + b"a,1\n" * 3000 + b"b,2,3\n", "numbers of columns at line 3002"),
    "floats.csv": (b"x\n0.5\n0.25\n", "must hold declared categories"),
    "twice.csv": (b"x,x\na,b\n", "two columns of the same name"),
    "other.xlsx": (b"x", "must be a .csv"),
    "other-column.csv": (b"z,y\na,1\n", "column 'x' does not exist"),
    "near-column.csv": (b"X ,y\na,1\n", "does not exist in the first line"),
    "undeclared.csv": (f"x\na\n{SECRET}\n".encode(), "missing or undeclared"),
    "holes.csv": (b"x,y\na,1\n,2\n", "missing or undeclared"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_files_that_are_refused(name: str, tmp_path: Path) -> None:
    content, words = UNREADABLE[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(dp.InputError) as caught:
        MODEL.count(tmp_path / name, "x")
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    if not isinstance(caught.value, dp.UnknownValuesError):
        assert SECRET not in repr(vars(caught.value))


def test_no_record_is_taken_for_a_comment(tmp_path: Path) -> None:
    """A sniffer that sees "# c" in the last line would leave out all records that begin so."""
    place = tmp_path / "x.csv"
    place.write_text("x,y\n" + "a,1\n" * 50 + "#b,2\n" * 3 + "# c,3\n")
    model = dp.DirichletMultinomial(("a", "#b", "# c"))
    assert model.count(place, "x").values == (50, 3, 1)
    place.write_text("x,y\n" + "a,1\n" * 50 + "#b,2\n" * 3 + "# c\n")
    with pytest.raises(dp.DataError, match="different numbers of columns"):
        model.count(place, "x")


def test_places_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(dp.InputError, match="does not exist"):
        MODEL.count(tmp_path / "no.csv", "x")
    with pytest.raises(dp.InputError, match="is a directory; give a pattern"):
        MODEL.count(tmp_path, "x")
    for name in ("", "a\0.csv"):
        with pytest.raises(dp.InputError, match="name of a file"):
            MODEL.count(name, "x")


def test_hints_are_private(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\nA\nb \nzzz\n")
    with pytest.raises(dp.UnknownValuesError) as caught:
        MODEL.count(tmp_path / "x.csv", "x")
    assert set(caught.value.values) == {"A", "b ", "zzz"}
    assert "only by case or spaces" in caught.value.hint
    assert "is it the right column?" in caught.value.hint
    assert "zzz" not in str(caught.value)
    assert "right column" not in str(caught.value)


def test_tables_of_a_duckdb_file(tmp_path: Path) -> None:
    place = tmp_path / "x.duckdb"
    with duckdb.connect(str(place)) as file:
        file.execute('create table "one ""x""" as select \'a\' as x')
    assert MODEL.count(place, "x").values == (1, 0)  # the only one
    with duckdb.connect(str(place)) as file:
        file.execute("create view two as select 'b' as x")
    assert MODEL.count(place, "x", table="two").values == (0, 1)
    assert MODEL.count(place, "x", table='one "x"').values == (1, 0)
    with pytest.raises(dp.InputError, match="table must be given: there are"):
        MODEL.count(place, "x")
    with pytest.raises(dp.InputError, match="did you mean 'two'"):
        MODEL.count(place, "x", table="tow")
    with pytest.raises(dp.InputError, match="table is for a DuckDB file"):
        MODEL.count(pl.DataFrame({"x": ["a"]}), "x", table="two")


def test_files_with_different_columns(tmp_path: Path) -> None:
    pl.DataFrame({"x": ["a"], "y": [1]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"y": [2], "x": ["b"]}).write_parquet(tmp_path / "2.parquet")
    assert MODEL.count(str(tmp_path / "*.parquet"), "x").values == (1, 1)
    pl.DataFrame({"y": [2]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(dp.UnknownValuesError):
        MODEL.count(str(tmp_path / "*.parquet"), "x")


def test_text_is_not_made_into_numbers(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("x\n007\n7\n007\n")
    model = dp.DirichletMultinomial(("007", "7"))
    assert model.count(tmp_path / "codes.csv", "x").values == (2, 1)


def test_names_are_never_taken_as_sql(tmp_path: Path) -> None:
    name, label = 'x"); drop table records; --\' " ü', "'); select * from records; --"
    pl.DataFrame({name: [label, "b"], "u'\"": ["1", "2"]}).write_parquet(tmp_path / "x.parquet")
    model = dp.DirichletMultinomial((label, "b"))
    counts = model.count(tmp_path / "x.parquet", name, unit="u'\"", max_per_unit=1)
    assert counts.values == (1, 1)
