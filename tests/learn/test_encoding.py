"""Columns as places of declared states, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data import plain
from discreet.errors import InputError
from discreet.learn.encoding import Feature, binned, declared

labels = st.one_of(
    st.lists(st.integers(-40, 40), min_size=2, max_size=6, unique=True),
    st.lists(st.text("abXY01é ", min_size=1, max_size=4), min_size=2, max_size=6, unique=True),
    st.just([False, True]),
)


@given(states=labels, data=st.data(), kind=st.sampled_from(["own", "object", "float", "int8", "U"]))
def test_places_find_every_declared_state(
    states: list[Any], data: st.DataObject, kind: str
) -> None:
    places = data.draw(st.lists(st.integers(0, len(states) - 1), min_size=1, max_size=20))
    column = np.array([states[place] for place in places])
    if kind == "object" or (kind != "own" and isinstance(states[0], str)):
        column = column.astype(object)
    elif kind != "own":
        column = column.astype(kind)
    assert Feature("x", tuple(states)).places(column).tolist() == places


@given(
    states=labels,
    values=st.lists(
        st.one_of(st.integers(-50, 50), st.booleans(), st.none(), st.floats(), st.text("abX01 é")),
        min_size=1,
        max_size=6,
    ),
)
def test_values_mean_what_they_mean_to_a_count(states: list[Any], values: list[Any]) -> None:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    feature = Feature("x", tuple(states))
    for row, value in enumerate(values):
        tally, _ = plain.count([value], states, "drop", None)
        if sum(tally):
            assert tally[feature.places(column[row : row + 1])[0]] == 1
        else:
            with pytest.raises(InputError, match=r"^X\[0\] is missing or not a declared category"):
                feature.places(column[row : row + 1])


@given(
    states=st.lists(st.integers(-130, 300), min_size=2, max_size=6, unique=True),
    dtype=st.sampled_from(["int8", "uint8", "int64", "uint64", "float32", "float64", "bool"]),
    data=st.data(),
)
def test_columns_of_numbers_are_read_as_their_values(
    states: list[int], dtype: str, data: st.DataObject
) -> None:
    given_values = st.one_of(st.integers(-130, 300), st.sampled_from(states))
    column = np.array(data.draw(st.lists(given_values, min_size=1, max_size=8))).astype(dtype)
    found = [plain.count([value], states, "drop", None)[0] for value in column.tolist()]
    bad = [row for row, tally in enumerate(found) if not sum(tally)]
    feature = Feature("x", tuple(states))
    if bad:
        with pytest.raises(InputError, match=rf"^X\[{bad[0]}\] "):
            feature.places(column)
    else:
        assert feature.places(column).tolist() == [tally.index(1) for tally in found]


edges_of = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8, unique=True).map(sorted)


@given(edges=edges_of, values=st.lists(st.floats(-2e6, 2e6), min_size=1, max_size=20))
def test_bins_count_the_edges_at_or_below(edges: list[float], values: list[float]) -> None:
    feature = binned("x", edges)
    column = np.array([*values, *edges])
    expected = [sum(edge <= value for edge in edges) for value in column]
    assert feature.places(column).tolist() == expected
    assert feature.places(column.astype(object)).tolist() == expected
    assert feature.places(np.array([repr(float(v)) for v in column])).tolist() == expected
    assert len(set(feature.states)) == len(edges) + 1


def test_declarations_for_one_feature_go_first() -> None:
    names = ["a", "b", "c"]
    features = declared(names, {"b": ["u", "v"]}, [0.5], simulated=False)
    assert [feature.edges for feature in features] == [(0.5,), None, (0.5,)]
    features = declared(names, ["u", "v"], {"c": [1, 2]}, simulated=False)
    assert [feature.edges for feature in features] == [None, None, (1.0, 2.0)]
    features = declared(names, [["u", "v"], None, range(3)], [None, [7], None], simulated=False)
    assert [feature.states for feature in features] == [
        ("u", "v"),
        ("(-inf, 7.0)", "[7.0, inf)"),
        (0, 1, 2),
    ]


def test_only_a_simulation_has_a_default_grid() -> None:
    (feature,) = declared(["a"], None, None, simulated=True)
    assert feature.edges == (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2)
    with pytest.raises(InputError, match="feature 'a' must be declared"):
        declared(["a"], None, None, simulated=False)
