"""Conditions on one record, against DuckDB's own reading of the same text."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.data import Rules, conditions, tabulate

RECORDS = pd.DataFrame(
    {
        "x": ["a", "b", "a", "b", "a", "b", "a", "b"],
        "age": pd.array([10, 50, None, 70, 20, None, 50, 90], dtype="Int64"),
        "ward": ["n", None, "s", "it's", "n", "s", None, "n"],
        "ill": pd.array([True, False, None, True, False, True, None, False], dtype="boolean"),
        "odd name": [1, 2, 3, 4, 5, 6, 7, 8],
    }
)

columns = st.sampled_from(["age", '"odd name"'])
numbers = st.integers(-5, 95).map(str)
texts = st.sampled_from(["'n'", "'s'", "'it''s'", "'x'"])
operators = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="])
simple = st.one_of(
    st.tuples(columns, operators, numbers).map(" ".join),
    st.tuples(numbers, operators, columns).map(" ".join),
    st.tuples(st.just("ward"), operators, texts).map(" ".join),
    st.tuples(st.just("age"), operators, st.just('"odd name"')).map(" ".join),
    st.tuples(columns, st.sampled_from(["", "NOT "]), numbers, numbers).map(
        lambda t: f"{t[0]} {t[1]}between {t[2]} AND {t[3]}"
    ),
    st.tuples(st.sampled_from(["", "not "]), st.lists(texts, min_size=1, max_size=3)).map(
        lambda t: f"ward {t[0]}in ({', '.join(t[1])})"
    ),
    st.tuples(st.sampled_from(["age", "ward", "ill"]), st.sampled_from(["", "not "])).map(
        lambda t: f"{t[0]} is {t[1]}null"
    ),
    st.just("ill"),
    st.just("ill = false"),
)
texts_of_conditions = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" and ", " OR "]), inner).map("".join),
        inner.map(lambda text: f"not ({text})"),
        inner.map(lambda text: f"({text})"),
    ),
    max_leaves=5,
)


@given(texts_of_conditions)
def test_a_condition_means_what_sql_means(text: str) -> None:
    records = RECORDS  # read by DuckDB by this name
    sql = f"select count(*) filter (x = 'a'), count(*) filter (x = 'b') from records where {text}"
    [wanted] = duckdb.connect().execute(sql).fetchall()
    assert records is RECORDS
    for frame in (RECORDS, pl.from_pandas(RECORDS).lazy()):
        assert tabulate(frame, {"x": ("a", "b")}, Rules(where=text)).values == wanted, text


def test_dates() -> None:
    days = pd.to_datetime(["2024-01-01", "2024-06-01", "2025-01-01"])
    frame = pl.DataFrame({"x": ["a", "b", "a"], "day": [*days.date], "moment": [*days]})
    for text in ("day >= '2024-06-01'", "moment >= '2024-06-01'", "moment >= '2024-05-31T23:00'"):
        assert tabulate(frame, {"x": ("a", "b")}, Rules(where=text)).values == (1, 1)
    with pytest.raises(dp.InputError, match="no date"):
        tabulate(frame, {"x": ("a", "b")}, Rules(where="day > 'soon'"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "age >",
        "age 5",
        "(age = 5",
        "age = 5)",
        "5 = 5",
        "age in ()",
        "age in (ward)",
        "age = (select max(age) from records)",
        "row_number() over () < 5",
        "lower(ward) = 'n'",
        "age = 5; drop table x",
        "age = 5 -- and",
        "age is 5",
        "age not 5",
        "age between 1",
        "ward = 'n",
        "age + 1 = 2",
        None,
        5,
    ],
)
def test_what_is_no_condition_on_one_record(text: object) -> None:
    with pytest.raises(dp.InputError, match=r"^where"):
        conditions.parse(text)


@pytest.mark.parametrize("text", ["ward > 5", "age = 'n'", "ill > 2", "nosuch = 1"])
def test_types_have_to_fit(text: str) -> None:
    with pytest.raises(dp.InputError, match=r"where compares|column 'nosuch' does not exist"):
        tabulate(RECORDS, {"x": ("a", "b")}, Rules(where=text))
