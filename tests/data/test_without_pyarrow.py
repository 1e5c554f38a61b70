"""A frame in memory is counted the same by DuckDB, through pyarrow, and by its own library."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any, Never

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dp

N = 3000
RNG = np.random.default_rng(11)
WORDS, OTHERS = RNG.choice(["low", "high", "it's ü"], (2, N))
NUMBERS = RNG.integers(0, 3, N)
HOLES = RNG.random(N) < 0.1
STATES: dict[str, Any] = {
    "objects": ("low", "high", "it's ü"),
    "strings": ("low", "high", "it's ü"),
    "categories": ("low", "high", "it's ü"),
    "integers": (0, 1, 2),
    "nullable": (0, 1, 2),
    "floats": (0, 1, 2),
    "flags": (True, False),
    "truths": ("true", "false"),
}


def frame(holes: bool) -> pd.DataFrame:
    """Every type that a column of pandas may have, with missing values in some."""
    gone = HOLES if holes else np.zeros(N, dtype=bool)
    flags = NUMBERS > 0
    return pd.DataFrame(
        {
            "objects": pd.Series(WORDS, dtype=object).where(~gone, None),
            "strings": pd.Series(OTHERS, dtype="string").mask(gone),
            "categories": pd.Categorical(WORDS),
            "integers": NUMBERS,
            "nullable": pd.Series(NUMBERS, dtype="Int64").mask(gone),
            "floats": np.where(gone, np.nan, np.where(NUMBERS == 0, -0.0, NUMBERS)),
            "flags": flags,
            "truths": pd.Series(flags, dtype="boolean").mask(gone),
        }
    )


@pytest.fixture
def without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    asked: list[object] = []

    def missing(self: object) -> Never:
        asked.append(self)
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr(nw.DataFrame, "to_arrow", missing)
    return asked


PARENTS = {
    "strings": ["objects"],
    "integers": ["categories", "flags"],
    "truths": ["floats", "nullable"],
}


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_counts_are_the_same(
    holes: bool, library: str, without_pyarrow: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = frame(holes)
    data = records if library == "pandas" else pl.from_pandas(records, nan_to_null=False)
    net = dp.BayesNet(PARENTS, STATES)
    unknown = "drop" if holes else "error"
    found = net.count(data, unknown=unknown)
    assert without_pyarrow
    monkeypatch.undo()
    assert found == net.count(data, unknown=unknown)
    complete = records.dropna()
    assert (len(complete) < N) == holes
    place = found.columns.index(("objects", "strings"))
    pairs = Counter(zip(complete["objects"], complete["strings"], strict=True))
    cells = product(STATES["objects"], STATES["strings"])
    assert found.values[place] == tuple(pairs[cell] for cell in cells)


@pytest.mark.usefixtures("without_pyarrow")
def test_undeclared_values_are_refused_alike() -> None:
    net = dp.BayesNet({"strings": ["objects"]}, {**STATES, "objects": ("low", "high")})
    with pytest.raises(dp.UnknownValuesError) as caught:
        net.count(frame(False))
    assert "it's" not in str(caught.value)
    assert any("it's ü" in str(values) for values in caught.value.values)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_persons_are_weighed_alike(
    holes: bool, library: str, without_pyarrow: list[object]
) -> None:
    """Numpy weighs what is in memory, DuckDB its relation."""
    records = frame(holes).assign(u=[f"P{i % 700}" for i in range(N)])
    data = records if library == "pandas" else pl.from_pandas(records, nan_to_null=False)
    net = dp.BayesNet(PARENTS, STATES)
    relation = duckdb.connect().from_df(records)
    rules: list[dict[str, Any]] = [{"max_per_unit": 2}, {"per_unit": "average"}]
    for rule in rules:
        persons: dict[str, Any] = {"unknown": "drop", "unit": "u", **rule}
        found = net.count(data, **persons)
        assert found == net.count(relation, **persons)
        assert found.n_records > 600
    assert not without_pyarrow
