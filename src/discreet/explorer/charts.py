"""Charts from figures, as options of ECharts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.explorer.previews import QUANTILES, Errors, Fan
from discreet.plots import colour_of

DARK = {"#000000": "#FFFFFF"}  # the line that would be black on black
DASHES = {
    "lattice": "solid",
    "optimal": "dotted",
    "ls_hist": [8, 3],
    "ls_dim": [3, 3],
    "ehd": [10, 3, 2, 3],
    "ehds": [6, 2],
    "smooth_hellinger": [2, 2],
    "ehdl": [1, 3],
}


def error_chart(found: Mapping[str, Errors], dark: bool) -> dict[str, Any]:
    """P(error ≤ x) of every mechanism: colours and dashes tell them apart."""
    series = [
        {
            "name": name,
            "type": "line",
            "step": "end",
            "showSymbol": False,
            "data": list(zip(law.x, law.share, strict=True)),
            "lineStyle": {"color": _colour(name, dark), "type": DASHES[name], "width": 2},
            "itemStyle": {"color": _colour(name, dark)},
        }
        for name, law in found.items()
    ]
    longest = max((law.error_95 for law in found.values()), default=1.0)
    x = _axis("Hellinger distance to the true posterior", dark, max=round(min(1, 2 * longest), 3))
    return _chart(series, x, _axis("probability of at most this", dark, max=1), dark)


def fan_chart(name: str, found: Fan, category: str, dark: bool) -> dict[str, Any]:
    """The true posterior, and the released ones at quantiles of what may come out."""
    colour = _colour(name, dark)
    series = [
        {
            "name": f"{100 * q:g} % quantile",
            "type": "line",
            "showSymbol": False,
            "data": _points(found.x, found.released[q]),
            "lineStyle": {
                "color": colour,
                "width": 2.5 if q == 0.5 else 1.5,
                "opacity": 1 if q == 0.5 else 0.75,
                "type": "solid" if q == 0.5 else [6, 3] if q in (0.25, 0.75) else [2, 3],
            },
            "itemStyle": {"color": colour},
        }
        for q in QUANTILES
    ]
    series.append(
        {
            "name": "true posterior",
            "type": "line",
            "showSymbol": False,
            "data": _points(found.x, found.true),
            "lineStyle": {"color": "#FFFFFF" if dark else "#000000", "width": 2},
            "itemStyle": {"color": "#FFFFFF" if dark else "#000000"},
            "areaStyle": {"opacity": 0.08},
        }
    )
    x = _axis(f"probability of {category}", dark, min=0, max=1)
    return _chart(series, x, _axis("density", dark), dark)


def budget_chart(points: list[tuple[str, float]], total: float, dark: bool) -> dict[str, Any]:
    """What was spent, entry by entry, under the total."""
    ink = "#E6E6E6" if dark else "#333333"
    series = [
        {
            "name": "spent",
            "type": "line",
            "step": "end",
            "data": [value for _, value in points],
            "lineStyle": {"color": "#0072B2", "width": 2},
            "itemStyle": {"color": "#0072B2"},
            "markLine": {
                "symbol": "none",
                "data": [{"yAxis": total, "name": "budget"}],
                "lineStyle": {"color": "#D55E00", "type": "dashed"},
                "label": {"formatter": "budget", "color": ink},
            },
        }
    ]
    x = _axis("release", dark) | {"type": "category", "data": [label for label, _ in points]}
    return _chart(series, x, _axis("ε spent", dark, min=0, max=round(1.1 * total, 6)), dark)


def _points(x: list[float], y: list[float]) -> list[list[float]]:
    return [[round(a, 4), round(b, 4)] for a, b in zip(x, y, strict=True)]


def _colour(name: str, dark: bool) -> str:
    colour = colour_of(name)
    return DARK.get(colour, colour) if dark else colour


def _axis(name: str, dark: bool, **ends: float) -> dict[str, Any]:
    ink = "#E6E6E6" if dark else "#333333"
    return {
        "type": "value",
        "name": name,
        "nameLocation": "middle",
        "nameGap": 30,
        "nameTextStyle": {"color": ink},
        "axisLabel": {"color": ink, "hideOverlap": True},
        "axisLine": {"lineStyle": {"color": ink}},
        "splitLine": {"lineStyle": {"color": "#444444" if dark else "#DDDDDD"}},
        **ends,
    }


def _chart(
    series: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], dark: bool
) -> dict[str, Any]:
    ink = "#E6E6E6" if dark else "#333333"
    return {
        "animation": False,
        "aria": {"enabled": True},
        "textStyle": {"fontFamily": "system-ui, sans-serif"},
        "legend": {"type": "scroll", "top": 0, "textStyle": {"color": ink}},
        "grid": {"left": 48, "right": 16, "top": 36, "bottom": 48, "containLabel": False},
        "tooltip": {"trigger": "axis", "valueFormatter": None},
        "xAxis": x,
        "yAxis": y | {"nameGap": 34},
        "series": series,
    }
