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
    "carriage.csv": (b"x,y\ra,1\rb,2\r", "line 1 holds a carriage return"),
    "mixed.csv": (b"x,y\r\na,1\nb,2\r\n", "line 2 holds a carriage return, or does not end"),
    "nul.csv": (b"x,y\na,1\nb,\0\n", "line 3 holds a NUL character"),
    "open.csv": (f'x,y\na,"{SECRET}\nb,2\n'.encode(), "line 2 has a quote that is not closed"),
    "open-name.csv": (b'x,"y\na,1\n', "line 1 has a quote that is not closed"),
    "long-name.csv": (b"x," + b"y" * 200_000 + b"\na,1\n", "line 1 is no line of names"),
    "two.jsonl": (b'{"x":"a"}{"x":"b"}\n', "cannot be read"),
    "array.jsonl": (b'[{"x":"a"}]\n{"x":"b"}\n', "cannot be read"),
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
    assert "only by case, spaces or the form of letters" in caught.value.hint
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


ROWS = "\n".join(["a,1"] * 500)
BROKEN = {
    "never closed": (f'o,x\n{ROWS}\na,"1\n{ROWS}\n', "line 502 has a quote that is not closed"),
    "closed where the next one opens": (
        f'o,x\n{ROWS}\na,"1\n{ROWS}\na,"2"\n',
        "line 1003 has a quote that is not closed",
    ),
    "last line": (f'o,x\n{ROWS}\na,"1', "line 502 has a quote that is not closed"),
    "inside a value": (f'o,x\n{ROWS}\na,1"2\na,"3"\n', "line 502 has a quote that is not closed"),
    "mixed ends": (f"o,x\n{ROWS}\na,1\r\n", "line 502 does not end as the first line"),
    "a lone carriage return": (f"o,x\n{ROWS}\na,1\r2\n", "line 502 does not end as the first line"),
    "bytes": (f"o,x\n{ROWS}\na,\udcff\n", "it is not UTF-8 text at line 502; save it as UTF-8"),
    "NUL": (f"o,x\n{ROWS}\na,\0\n", "line 502 holds a NUL character"),
    "no line feeds": ("o,x\ra,1\r", r"line 1 holds a carriage return; lines must end"),
    "a long record": (
        f'o,x\n{ROWS}\na,"' + "1\n" * 1_600_000,
        "the record that begins at line 502 has more than 2000000 bytes: is a quote not closed",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_no_correct_writer_wrote_is_refused(name: str, tmp_path: Path) -> None:
    """Declared or not: a quote that is never closed would take all records behind it."""
    text, message = BROKEN[name]
    place = tmp_path / "x.csv"
    place.write_bytes(text.encode(errors="surrogateescape"))
    model = dp.DirichletMultinomial(("a", "b"))
    with pytest.raises(dp.DataError, match=message):
        model.count(place, "o", line_breaks=True)
    with pytest.raises(dp.DataError):
        model.count(place, "o")


@pytest.mark.parametrize(
    "header",
    ['"patient";"Größe, m, BMI, kg";"ward"', "Größe, m;ward", "a,b;c,d;ward", "ward;;;"],
)
def test_the_delimiter_is_the_one_that_gives_the_wanted_columns(
    header: str, tmp_path: Path
) -> None:
    place = tmp_path / "x.csv"
    place.write_text(f"{header}\n{';'.join(['n'] * (header.count(';') + 1))}\n", encoding="utf-8")
    assert dp.DirichletMultinomial(("n", "s")).count(place, "ward").values == (1, 0)


def test_a_decimal_comma_is_shown_to_the_owner(tmp_path: Path) -> None:
    place = tmp_path / "x.csv"
    place.write_text("age;ward\n41,5;n\n52,0;s\n", encoding="utf-8")
    mean = dp.NormalMean(bounds=(0, 100))
    with pytest.raises(dp.UnknownValuesError, match="must hold finite numbers") as caught:
        mean.count(place, "age")
    assert set(caught.value.values) == {"41,5", "52,0"}
    assert "decimal comma" in caught.value.hint
    assert "41" not in str(caught.value)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "between"])
def test_numbers_in_quotes_have_no_order(sign: str, tmp_path: Path) -> None:
    """100 is before 50, letter by letter."""
    place = tmp_path / "x.csv"
    place.write_text("o,age\na,100\na,9\n", encoding="utf-8")
    model = dp.DirichletMultinomial(("a", "b"))
    constant = "'50' and '60'" if sign == "between" else "'50'"
    with pytest.raises(dp.InputError, match="letter by letter; write the number without quotes"):
        model.count(place, "o", where=f"age {sign} {constant}")
    assert model.count(place, "o", where="age = '100' and o > 'A'").values == (1, 0)


def test_undeclared_groups_do_not_go_to_the_other_category(tmp_path: Path) -> None:
    place = tmp_path / "x.csv"
    place.write_text("o,ward\na,n\nx,w\n", encoding="utf-8")
    model = dp.DirichletMultinomial(("a", "b"))
    with pytest.raises(dp.UnknownValuesError, match=r"column 'ward' .*other is for column 'o'"):
        model.count(place, "o", by="ward", groups=("n", "s"), unknown="other", other="b")
