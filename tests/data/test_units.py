"""Bounded contributions: what is kept of a unit depends on that unit alone, and is at most m."""

from __future__ import annotations

import itertools

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.data import Rules, tabulate

LABELS = ("a", "b", "c")


def kept(units: dict[str, list[int]], most: int) -> tuple[int, ...]:
    """The counts of units, each given by how many records it has of every category."""
    rows = [
        (unit, label)
        for unit, counts in units.items()
        for label, count in zip(LABELS, counts, strict=True)
        for _ in range(count)
    ]
    frame = pl.DataFrame(rows, schema={"u": pl.String, "x": pl.String}, orient="row")
    return tabulate(frame, {"x": LABELS}, Rules(unit="u", max_per_unit=most)).values


units = st.dictionaries(
    st.text("0123456789ab", min_size=1, max_size=3),
    st.lists(st.integers(0, 6), min_size=3, max_size=3),
    max_size=5,
)


@settings(max_examples=40)
@given(units, st.integers(1, 7))
def test_a_unit_is_one_summand_of_at_most_m(found: dict[str, list[int]], most: int) -> None:
    """So adding or removing one changes the counts by at most m in l1."""
    alone = [kept({name: counts}, most) for name, counts in found.items()]
    for own, counts in zip(alone, found.values(), strict=True):
        assert sum(own) == min(sum(counts), most)
        assert all(0 <= a <= b for a, b in zip(own, counts, strict=True))
        if sum(counts):
            share = [most * c / sum(counts) for c in counts]
            if sum(counts) > most:
                assert all(abs(a - b) < 1 for a, b in zip(own, share, strict=True))
    together = tuple(map(sum, zip(*alone, strict=True))) if alone else (0, 0, 0)
    assert kept(found, most) == together


def test_no_category_is_preferred() -> None:
    """Units with one record of each: every category is kept by a third of 10,000 of them."""
    frame = pl.DataFrame(
        [(f"P{i:05d}", label) for i in range(10_000) for label in LABELS],
        schema=["u", "x"],
        orient="row",
    )
    counts = np.array(tabulate(frame, {"x": LABELS}, Rules(unit="u", max_per_unit=1)).values)
    assert counts.sum() == 10_000
    assert (np.abs(counts - 10_000 / 3) < 200).all()


def test_every_declared_order_keeps_as_much() -> None:
    frame = pl.DataFrame({"u": ["1"] * 9, "x": ["a"] * 6 + ["b"] * 3})
    for order in itertools.permutations(LABELS):
        counts = tabulate(frame, {"x": order}, Rules(unit="u", max_per_unit=3)).values
        assert dict(zip(order, counts, strict=True)) == {"a": 2, "b": 1, "c": 0}


def test_the_release_protects_the_whole_unit() -> None:
    frame = pl.DataFrame({"u": ["1", "1", "2"], "x": ["a", "b", "a"]})
    model = dp.DirichletMultinomial(LABELS)
    counts = model.count(frame, "x", unit="u", max_per_unit=2)
    assert (counts.unit, counts.max_per_unit) == ("u", 2)
    release = dp.release(counts, model, epsilon=1, adjacency="add-remove")
    assert str(release.guarantee) == (
        "ε = 1, δ = 0 for adding or removing one u (a unit has at most 2 records)"
    )
    assert dict(release.config.options)["max_per_unit"] == 2
    with pytest.raises(dp.PrivacyRefusedError, match="add-remove"):
        dp.release(counts, model, epsilon=1)
    # with one record each the number of units is the public n
    single = dp.release(model.count(frame, "x", unit="u", max_per_unit=1), model, epsilon=1)
    assert str(single.guarantee) == "ε = 1, δ = 0 for replacing one u"


def test_bad_units() -> None:
    model = dp.DirichletMultinomial(LABELS)
    frame = pl.DataFrame({"u": ["1", None, "2"], "x": ["a", "b", "z"]})
    with pytest.raises(dp.InputError, match="unit 'u' must tell"):
        model.count(frame, "x", unit="u", max_per_unit=2, unknown="other", other="c")
    assert model.count(frame, "x", unit="u", max_per_unit=2, unknown="drop").values == (1, 0, 0)
    numbered = pl.DataFrame({"u": [1.0, float("nan"), 2.0], "x": ["a", "b", "c"]})
    for data in (numbered, duckdb.connect().from_arrow(numbered.to_arrow())):
        with pytest.raises(dp.InputError, match="unit 'u' must tell"):
            model.count(data, "x", unit="u", max_per_unit=2)
    with pytest.raises(dp.UnknownValuesError):
        model.count(frame.drop_nulls(), "x", unit="u", max_per_unit=1)
    with pytest.raises(dp.InputError, match="belong together"):
        model.count(frame, "x", unit="u")
    with pytest.raises(dp.InputError, match="belong together"):
        model.count(frame, "x", max_per_unit=3)
    with pytest.raises(dp.InputError, match="max_per_unit must"):
        model.count(frame, "x", unit="u", max_per_unit=0)
    many = dp.DirichletMultinomial(range(300))
    with pytest.raises(dp.InputError, match="300 combinations"):
        many.count(pl.DataFrame({"u": [1], "x": [1]}), "x", unit="u", max_per_unit=1)
