from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import discreet as dp


@pytest.fixture(scope="module")
def table() -> dp.Comparison:
    return dp.compare(dp.BetaBinomial(), (14, 6), epsilon=1)


def test_one_row_per_mechanism_most_accurate_first(table: dp.Comparison) -> None:
    names = [row.mechanism for row in table.rows]
    assert set(dp.MECHANISMS) <= {name.split(",")[0] for name in names}
    assert "gaussian, δ = 1e-06" in names
    assert "With a δ the exact loss is that at δ" in str(table)
    assert {"ehd, calibrated", "ehdl, calibrated", "ehds, calibrated"} <= set(names)
    means = [float(f"{row.mean:.6g}") for row in table.rows]
    assert means == sorted(means)
    by_name = {row.mechanism: row for row in table.rows}
    for name, row in by_name.items():
        options: dict[str, Any] = {"calibrate": True} if "calibrated" in name else {}
        if name.startswith(("smooth", "gaussian")):
            options["delta"] = 1e-6
        made = dp.mechanism(name.split(",")[0], dp.BetaBinomial(), n=20, epsilon=1, **options)
        assert row.guarantee == made.guarantee
        law = dp.accuracy(made, (14, 6), rng=np.random.default_rng(1))  # of gaussian from draws
        assert (row.mean, row.error_95, row.exact) == (law.mean, law.quantile(0.95), law.exact)
        assert row.loss == dp.audit(made).epsilon
        assert row.loss <= made.guarantee.epsilon * (1 + 1e-9)
        assert row.ratio is not None
        assert row.ratio >= 1 - 1e-9
        assert row.seconds > 0
    assert by_name["optimal"].ratio == pytest.approx(1)
    assert by_name["ehdl"].guarantee.epsilon == math.inf


def test_it_can_be_read(table: dp.Comparison) -> None:
    pandas, polars = table.to_pandas(), table.to_polars()
    assert list(pandas.columns) == polars.columns
    assert pandas["mean"].tolist() == polars["mean"].to_list()
    assert "smooth_hellinger" in str(table)
    assert "<td>ehds, calibrated</td>" in table._repr_html_()
    assert "data owner" not in str(table)
    for text in (str(table), table._repr_html_()):
        assert "× limit: the error averaged uniformly over all counts" in text
    axes = table.plot()
    assert axes.get_title(loc="left") == "2 categories, n = 20, nominal ε = 1"
    assert len(axes.get_yticklabels()) == len(table.rows)


def test_real_counts_are_marked() -> None:
    model = dp.DirichletMultinomial(("a", "b", "c"))
    table = dp.compare(model, model.count(["a"] * 5 + ["b"]), epsilon=0.5)
    assert "For the data owner only." in str(table)
    assert "For the data owner only." in table._repr_html_()


def test_what_is_too_large_is_left_open() -> None:
    table = dp.compare(dp.DirichletMultinomial(range(3)), (463, 247, 21), epsilon=1)
    by_name = {row.mechanism: row for row in table.rows}
    assert "optimal" not in by_name
    assert by_name["lattice"].loss == 1
    assert by_name["ehds"].loss is None
    assert by_name["ehds"].ratio is None
    assert "–" in str(table)
    assert "× limit is empty: there are too many counts" in str(table)
    assert by_name["lattice"].mean == pytest.approx(0.106, abs=5e-4)


def test_bad_input() -> None:
    with pytest.raises(dp.InputError, match="model must be"):
        dp.compare((1, 2), (1, 2), 1)  # type: ignore[call-overload]
    with pytest.raises(dp.InputError, match=r"counts\[0\] must not be negative"):
        dp.compare(dp.BetaBinomial(), (-1, 2), 1)
    with pytest.raises(dp.InputError, match="epsilon must"):
        dp.compare(dp.BetaBinomial(), (1, 2), 0)
