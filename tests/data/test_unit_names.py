"""Which units are told apart, and what may be several is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dp

AB = dp.BetaBinomial(categories=("a", "b"))
ONE_NODE = dp.BayesNet({"c": []}, {"c": ("a", "b")})
SINGLE = np.array([2**24, 2**24 + 1], dtype=np.float32)  # which are one number


def test_single_floats_tell_no_units_apart(tmp_path: Path) -> None:
    more: dict[str, Any]
    model: Any
    frame = pl.DataFrame({"u": SINGLE, "c": ["a", "b"]})
    frame.write_parquet(tmp_path / "single.parquet")
    for data in (
        frame,
        frame.lazy(),
        frame.to_pandas(),
        frame.to_arrow(),
        tmp_path / "single.parquet",
    ):
        for model, more in ((AB, {"column": "c"}), (ONE_NODE, {})):
            with pytest.raises(dp.InputError, match=r"unit 'u' must hold .* got single"):
                model.count(data, **more, unit="u", max_per_unit=1)
    for units in (SINGLE, np.array([2048, 2049], dtype=np.float16), list(SINGLE)):
        with pytest.raises(dp.InputError, match="64 bits"):
            dp.NormalMean(bounds=(0, 1)).count(
                {"x": [0.5, 0.5], "u": units}, "x", unit="u", per_unit="average"
            )


@pytest.mark.parametrize(
    ("units", "persons"),
    [
        (["1", "1.0", "2", "2.000"], 2),  # as pandas writes whole numbers beside gaps
        (["01", "1", "1e3", "p.1"], 4),
        (["1.2.3", "1.2.4", "1", "1"], 3),
        (["0.5", "1", "2", "3"], None),
        (["9007199254740992.0", "9007199254740993.0", "1", "2"], None),
        (["1.5e3", "1", "2", "3"], None),
    ],
)
def test_units_of_text_files_are_their_text(
    tmp_path: Path, units: list[str], persons: int | None
) -> None:
    """But 1.0 is 1, and other numbers with a decimal point, which may be two units, are refused."""
    more: dict[str, Any]
    model: Any
    rows = list(zip(units, "aaba", strict=True))
    (tmp_path / "a.csv").write_text("u,c\n" + "".join(f"{u},{c}\n" for u, c in rows))
    (tmp_path / "a.jsonl").write_text("".join(f'{{"u": "{u}", "c": "{c}"}}\n' for u, c in rows))
    for file in ("a.csv", "a.jsonl"):
        for model, more in ((AB, {"column": "c"}), (ONE_NODE, {})):
            rules: dict[str, Any] = {"unit": "u", "per_unit": "average"}
            if persons is None:
                with pytest.raises(dp.InputError, match="with a fraction in writing"):
                    model.count(tmp_path / file, **more, **rules)
            else:
                assert model.count(tmp_path / file, **more, **rules).n_records == persons


def test_numbers_of_json_that_are_equal_are_one_unit(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"u":1,"c":"a"}\n{"u":1.0,"c":"a"}\n{"u":1e0,"c":"b"}\n')
    assert AB.count(tmp_path / "a.jsonl", "c", unit="u", per_unit="average").n_records == 1


def test_a_unit_is_not_called_as_single_rows_are(tmp_path: Path) -> None:
    """The rows of one patient record, cut to m, move counts by 2m if a row is taken away."""
    frame = pl.DataFrame({"record": ["1", "1", "2"], "c": ["a", "b", "a"], "x": [0.0, 1.0, 1.0]})
    frame.write_csv(tmp_path / "a.csv")
    rules: tuple[dict[str, Any], ...] = ({"max_per_unit": 1}, {"per_unit": "average"})
    for data in (frame, frame.to_pandas(), tmp_path / "a.csv"):
        for rule in rules:
            with pytest.raises(dp.InputError, match=r"unit must not be 'record', which stands for"):
                AB.count(data, "c", unit="record", **rule)
            with pytest.raises(dp.InputError, match="unit must not be 'record'"):
                dp.NormalMean(bounds=(0, 1)).count(data, "x", unit="record", **rule)
            with pytest.raises(dp.InputError, match="unit must not be 'record'"):
                ONE_NODE.count(data, unit="record", **rule)
