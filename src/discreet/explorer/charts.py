"""Charts from figures, as options of ECharts. Black and grey are turned over in dark mode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from discreet.explorer.previews import QUANTILES, Errors, Fan
from discreet.plots import colour_of

INK, GRID = "#333", "#8884"
DASHES: dict[str, Any] = {
    "lattice": "solid",
    "optimal": "dotted",
    "gaussian": [12, 4],
    "ls_hist": [8, 3],
    "ls_dim": [3, 3],
    "ehd": [10, 3, 2, 3],
    "ehds": [6, 2],
    "smooth_hellinger": [2, 2],
    "ehdl": [1, 3],
    "randomized_response": [12, 3, 3, 3],
}
_FAN = {  # of each quantile: what lies between the lines, their width, their dashes
    0.025: ("95 % of releases", 1.5, [2, 3]),
    0.25: ("half of releases", 1.5, [6, 3]),
    0.5: ("median release", 2.5, "solid"),
    0.75: ("half of releases", 1.5, [6, 3]),
    0.975: ("95 % of releases", 1.5, [2, 3]),
}


class Bar(NamedTuple):
    """A number, what is written beside it, and whether it is only a bound."""

    value: float | None
    text: str
    hollow: bool = False


def error_chart(found: Mapping[str, Errors]) -> dict[str, Any]:
    """P(error ≤ x) of every mechanism: colours and dashes tell them apart."""
    series = [
        _line(name, zip(law.x, law.share, strict=True), _colour(name), 2, DASHES.get(name, "solid"))
        | {"step": "end"}
        for name, law in found.items()
    ]
    longest = max((law.error_95 for law in found.values()), default=1.0) or 1.0
    x = _axis("Hellinger distance to the true posterior", min(1, 1.5 * longest))
    return _chart(series, x, _axis("probability of at most this", 1))


def fan_chart(name: str, found: Fan, category: str) -> dict[str, Any]:
    """The true posterior, and the released ones at quantiles of what may come out."""
    true = _line("true posterior", zip(found.x, found.true, strict=True), "#000", 1.5, "solid")
    series = [true | {"z": 9, "areaStyle": {"color": "#888", "opacity": 0.2}}]
    for q in QUANTILES:
        label, width, dash = _FAN[q]
        points = zip(found.x, found.released[q], strict=True)
        series.append(_line(label, points, _colour(name), width, dash))
    x = _axis(f"probability of {category}") | {"min": found.x[0], "max": found.x[-1]}
    x["axisLabel"]["showMinLabel"] = x["axisLabel"]["showMaxLabel"] = False
    return _chart(series, x, _axis("density"))


def bar_chart(
    shown: Mapping[str, Bar], title: str, line: tuple[str, float] | None
) -> dict[str, Any]:
    """One bar for every mechanism, with its number or a word, and a line to compare with."""
    bars = [
        {
            "value": bar.value or 0,
            "itemStyle": {
                "color": _colour(name) + "33" * bar.hollow,
                "borderColor": _colour(name),
                "borderType": "dashed",
                "borderWidth": 1.5 * bar.hollow,
            },
            "label": {"show": True, "position": "right", "formatter": bar.text},
        }
        for name, bar in shown.items()
    ]
    series: dict[str, Any] = {"type": "bar", "barWidth": "55%", "data": bars}
    series["markLine"] = {"data": []}  # an old one would stay
    values = [bar.value for bar in shown.values() if bar.value is not None]
    if line is not None:
        values.append(line[1])
        series["markLine"] = {
            "symbol": "none",
            "data": [{"xAxis": line[1]}],
            "lineStyle": {"color": INK, "type": "dashed", "width": 1.5},
            "label": {"formatter": line[0], "position": "start"},
        }
    room = max((len(bar.text) for bar in shown.values() if bar.value is not None), default=0)
    x = _axis(title, (1.25 if room < 8 else 1.75) * max(values, default=1.0))
    y = {
        "type": "category",
        "data": list(shown),
        "inverse": True,
        "axisLabel": {"interval": 0},
        "axisLine": {"lineStyle": {"color": INK}},
        "axisTick": {"show": False},
    }
    left = 16 + 7 * max(map(len, shown), default=0)
    grid = {"left": left, "right": 24, "top": 28, "bottom": 48}
    return _chart([series], x, y) | {"grid": grid, "tooltip": {"show": False}}


def curve_chart(found: Mapping[float, Errors], here: float) -> dict[str, Any]:
    """What other epsilons would buy: mean and 95 % error."""
    laws = sorted(found.items())
    means, ends_95 = [(e, law.mean) for e, law in laws], [(e, law.error_95) for e, law in laws]
    series = [
        _line("expected error", means, "#0072B2", 2, "solid"),
        _line("95 % of releases below", ends_95, "#D55E00", 2, [6, 3]),
    ]
    series[0]["markLine"] = {
        "symbol": "none",
        "data": [{"xAxis": here}],
        "lineStyle": {"color": INK, "type": "dashed"},
        "label": {"formatter": f"ε = {here:.4g}"},
    }
    ticks = _round_numbers(laws[0][0], laws[-1][0])
    x = _axis("ε") | {"type": "log", "min": ticks[0], "max": ticks[-1]}
    for part in ("axisLabel", "axisTick", "splitLine"):
        x[part] = {**x.get(part, {}), "customValues": ticks}
    return _chart(series, x, _axis("Hellinger distance") | {"min": 0})


def budget_chart(points: Sequence[tuple[str, float]], total: float) -> dict[str, Any]:
    """What was spent, entry by entry, under the total."""
    spent = _line("spent", [value for _, value in points], "#0072B2", 2, "solid")
    spent |= {"step": "end", "symbol": "circle", "showSymbol": True}
    spent["markLine"] = {
        "symbol": "none",
        "data": [{"yAxis": total}],
        "lineStyle": {"color": "#D55E00", "type": "dashed"},
        "label": {"formatter": "budget", "position": "insideEndTop"},
    }
    x = _axis("entry") | {"type": "category", "data": [label for label, _ in points]}
    return _chart([spent], x, _axis("ε spent", 1.1 * total))


def _line(name: str, points: Any, colour: str, width: float, dash: Any) -> dict[str, Any]:
    data = [[_short(x) for x in p] if isinstance(p, tuple) else _short(p) for p in points]
    return {
        "name": name,
        "type": "line",
        "symbol": "none",
        "data": data,
        "lineStyle": {"color": colour, "type": dash, "width": width},
        "itemStyle": {"color": colour},
    }


def _short(x: float) -> float:
    return float(f"{x:.5g}")


def _step(x: float) -> float:
    """A distance between ticks, a round number: three to eight of them reach x."""
    power = 10.0 ** math.floor(math.log10(x / 3))
    return next(power * times for times in (5, 2, 1) if power * times * 3 <= x * (1 + 1e-9))


def _round_numbers(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten, from one that is not above low to one not below high."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    found = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first = max(place for place, x in enumerate(found) if x <= low)
    last = min(place for place, x in enumerate(found) if x >= high)
    return found[first : last + 1] if first < last else found[first - 1 : last + 2]


def _colour(name: str) -> str:
    colour = colour_of(name)
    return "#000" if colour == "#000000" else colour


def _axis(name: str, reached: float | None = None) -> dict[str, Any]:
    """From 0 to the next tick that is not below what is reached; as ECharts likes without."""
    ends: dict[str, Any] = {"min": None, "max": None, "interval": None}
    if reached is not None:
        step = _step(reached or 1.0)
        most = math.ceil((reached or 1.0) / step - 1e-9) * step
        ends = {"min": 0, "max": _short(most), "interval": _short(step)}
    return {
        "type": "value",
        "name": name,
        "nameLocation": "middle",
        "nameGap": 30,
        "axisLabel": {"hideOverlap": True},
        "axisLine": {"lineStyle": {"color": INK}},
        "splitLine": {"lineStyle": {"color": GRID}},
        **ends,
    }


def _chart(series: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    return {
        "animation": False,
        "aria": {"enabled": False},  # the description says what it is, the table its numbers
        "textStyle": {"fontFamily": "system-ui, sans-serif"},
        "legend": {
            "show": len(series) > 1,
            "top": 0,
            "itemWidth": 24,
            "itemGap": 8,
            "textStyle": {"fontSize": 11},
            "itemStyle": {"opacity": 0},
        },
        "grid": {"left": 56, "right": 20, "top": 56, "bottom": 48},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": x,
        "yAxis": y | {"nameGap": 40},
        "series": series,
    }
