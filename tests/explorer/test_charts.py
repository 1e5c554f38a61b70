"""Charts that people can read: round numbers at their ticks, bounds told from numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from discreet.explorer import charts
from discreet.explorer.charts import Bar
from discreet.explorer.previews import Errors

POSITIVE = st.floats(1e-9, 1e6)


def digits(x: float) -> int:
    """Significant ones."""
    return len(f"{x:.15e}".split("e")[0].replace(".", "").rstrip("0"))


@given(POSITIVE)
def test_an_axis_ends_at_a_tick(reached: float) -> None:
    axis: dict[str, Any] = charts.bar_chart({"lattice": Bar(reached, "")}, "", None)["xAxis"]
    steps = axis["max"] / axis["interval"]
    assert axis["max"] >= reached * (1 - 1e-5)
    assert digits(axis["interval"]) == 1
    assert digits(axis["max"]) <= 2
    assert abs(steps - round(steps)) < 1e-9
    assert 3 <= round(steps) <= 8


@given(POSITIVE, st.lists(st.floats(0.1, 10), max_size=8))
def test_a_curve_has_round_numbers_below_it(here: float, others: list[float]) -> None:
    law = Errors([0.0, 1.0], [0.0, 1.0], 0.1, 0.2, 0.5, None, 0.0)
    points = {here: law} | {float(f"{here * times:.3g}"): law for times in others}
    axis = charts.curve_chart(points, here)["xAxis"]
    ticks = axis["axisLabel"]["customValues"]
    assert axis["min"] <= min(points)
    assert axis["max"] >= max(points)
    assert axis["min"] < axis["max"]
    assert (axis["min"], axis["max"]) == (ticks[0], ticks[-1])
    assert all(f"{tick:.0e}"[0] in "125" and digits(tick) == 1 for tick in ticks)
    assert all(after / before < 3 for before, after in itertools.pairwise(ticks))
    assert ticks[-1] / ticks[0] < 7 * max(points) / min(points)


def test_a_bound_does_not_look_like_a_number() -> None:
    bars = {"lattice": Bar(1.0, "1"), "ehds": Bar(1.0, "≤ 1", hollow=True), "ehd": Bar(None, "…")}
    drawn = charts.bar_chart(bars, "loss", ("ε = 1", 1.0))["series"][0]["data"]
    styles = [bar["itemStyle"] for bar in drawn]
    assert [style["borderWidth"] > 0 for style in styles] == [False, True, False]
    assert len(styles[1]["color"]) == len(styles[0]["color"]) + 2  # it is seen through
    assert [bar["label"]["formatter"] for bar in drawn] == ["1", "≤ 1", "…"]


def test_what_costs_nothing_has_an_axis() -> None:
    axis = charts.bar_chart({"lattice": Bar(0.0, "0")}, "", None)["xAxis"]
    assert axis["max"] == 1
    assert math.isfinite(axis["interval"])
