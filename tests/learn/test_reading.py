"""Lists are read value by value: no record decides how another is read."""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet.learn.encoding import Feature, binned
from discreet.learn.reading import read_table, read_target
from tests.optional import module

VALUES = [
    *(
        1.0,
        1,
        True,
        "1",
        "1\0",
        "true",
        np.float32(0.1),
        0.1,
        np.int8(1),
        np.str_("1\0"),
        2**53 + 1,
    ),
    *(2**53, 2**70),
]
LABELS = Feature("x", ("1", "true", "0.1", "other"))


def _place(feature: Feature, column: Any) -> int | None:
    """Of the first record; None if it is refused."""
    try:
        return int(feature.places(column[:1])[0])
    except ValueError:
        return None


@pytest.mark.parametrize("make", [list, tuple, deque, UserList])
@pytest.mark.parametrize("feature", [LABELS, binned("x", [0.5, 2.0**53 + 1])])
def test_a_value_in_any_company(make: Callable[[list[Any]], Any], feature: Feature) -> None:
    for value in VALUES:
        alone = _place(feature, read_target(make([value])))
        assert alone == _place(feature, np.array([value], dtype=object))
        for other in (*VALUES, "other"):
            assert _place(feature, read_target(make([value, other]))) == alone, (value, other)
            rows = make([make([value, 0]), make([other, "b"])])
            assert _place(feature, read_table(rows)[1][0]) == alone, (value, other)


def test_a_list_of_one_type_that_arrays_have_is_an_array_of_it() -> None:
    for values in ([True, False], [1, 2], [0.5, 1.5], [np.float32(0.5)]):
        assert read_target(values).dtype == np.asarray(values).dtype
    assert read_target(["a", "b"]).dtype == object


def test_what_is_computed_later_is_refused() -> None:
    """From parts: a missing value makes floats of the integers beside it."""
    frame = module("dask.dataframe", "engines").from_pandas(pd.DataFrame({"a": [1, 2]}), 2)
    for data in (frame, frame.a, [frame.a, frame.a]):
        with pytest.raises(dp.InputError, match="X must be in memory, got"):
            read_table(data)
        with pytest.raises(dp.InputError, match="y must be in memory, got"):
            read_target(data)
