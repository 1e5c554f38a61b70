"""Figures, from arrays and names. One colour per mechanism, in every figure.

Every function draws on `ax`, or on a new figure that belongs to no window (`ax.figure.savefig`
writes it), and returns the Axes.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.extras import needed
from discreet.plots.labels import Box, label_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which the colour-blind can tell apart
COLOURS = {
    "lattice": "#0072B2",
    "optimal": "#000000",
    "gaussian": "#8C510A",
    "ls_hist": "#E69F00",
    "ls_dim": "#D55E00",
    "ehd": "#56B4E9",
    "ehds": "#009E73",
    "smooth_hellinger": "#CC79A7",
    "ehdl": "#7F7F7F",
    "randomized_response": "#882255",  # Tol's wine
}
OTHER = "#7F7F7F"
DASHES = {"ehdl": (4, 2)}  # of what is not private
DISTANCE_NAMES = {
    "hellinger": "Hellinger distance",
    "total_variation": "total variation distance",
    "kl": "Kullback–Leibler divergence",
    "l1": "l1 distance between the parameters",
}
_AXES = {
    "hellinger": "Hellinger distance to the true posterior",
    "total_variation": "total variation distance to the true posterior",
    "kl": "Kullback–Leibler divergence KL(true ‖ released)",
    "l1": "l1 distance between the parameters",
}
_BOUNDS: tuple[dict[str, Any], ...] = (
    {"color": "#000000", "dashes": (6, 2)},
    {"color": "#404040", "dashes": (2, 1.5)},
    {"color": "#808080", "dashes": (6, 2, 1, 2)},
)
_CORNER = Box(0.6, 0.92, 0.4, 0.08)
_LEAST = 1e-12  # probability on a logarithmic axis


def new_axes(ax: Axes | None = None) -> Axes:
    """The given axes or new ones, with the frame reduced to what is read off."""
    with needed("plots need matplotlib", "discreet[plot]"):
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure
    if ax is None:
        ax = Figure(figsize=(6.4, 4.0), layout="constrained").subplots()
    elif not isinstance(ax, Axes):
        raise InputError(f"ax must be a matplotlib Axes, got {check.brief(ax)}", "ax")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def colour_of(name: str) -> str:
    """The colour of a mechanism, which a remark after a comma does not change."""
    return COLOURS.get(name.split(",")[0], OTHER)


def style(name: str) -> dict[str, Any]:
    """The line of a mechanism: its colour; dashed if it is not private."""
    line: dict[str, Any] = {"color": colour_of(name), "linewidth": 1.8}
    return line | ({"dashes": DASHES[name]} if name in DASHES else {})


def plot_errors(
    laws: Mapping[str, tuple[Floats, Floats]],
    distance: str,
    ax: Axes | None = None,
    note: str = "",
    title: str = "",
) -> Axes:
    """Cumulative error laws, each given by its distances and their probabilities."""
    ax = new_axes(ax)
    far = max(_quantile(d, p, 0.999) for d, p in laws.values()) or 1.0
    lines = {}
    for name, (distances, p) in laws.items():
        x, y = np.repeat([0.0, *distances, 2 * far], 2)[1:-1], np.repeat([0.0, *np.cumsum(p)], 2)
        (lines[name],) = ax.plot(x, y, **style(name))
    ax.set_xlim(0, far * 1.02)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(_AXES[distance])
    ax.set_ylabel("probability of at most this error")
    label_lines(ax, lines)
    return titled(ax, title, note)


def plot_tail(
    law: tuple[Floats, Floats],
    bounds: Mapping[str, tuple[Floats, Floats]],
    distance: str,
    name: str,
    ax: Axes | None = None,
    note: str = "",
    title: str = "",
) -> Axes:
    """The exact tail P(error ≥ c) of a law and upper bounds on it, on a logarithmic axis."""
    ax = new_axes(ax)
    distances, p = law
    tail = np.cumsum(p[::-1])[::-1]
    x, y = np.repeat([0.0, *distances], 2)[1:-1], np.repeat(tail, 2)
    shown = y > _LEAST
    lines = {}
    (lines[f"{name}, exact"],) = ax.plot(x[shown], y[shown], color=colour_of(name), linewidth=2.2)
    highest = 1.0
    for i, (text, (c, bound)) in enumerate(bounds.items()):
        (lines[text],) = ax.plot(c, bound, linewidth=1.4, **_BOUNDS[i % len(_BOUNDS)])
        highest = max(highest, float(bound.max()))
    ax.set_yscale("log")
    ax.set_xlim(0, float(x[shown].max()) or 1.0)
    ax.set_ylim(0.5 * float(y[shown].min()), 10 * highest)
    ax.axhspan(1, 10 * highest, color="#F0F0F0", linewidth=0, zorder=0)
    _corner(ax, "a bound above 1 says nothing")
    ax.set_xlabel(f"c, {_AXES[distance]}")
    ax.set_ylabel("probability of an error of at least c")
    label_lines(ax, lines, reserved=_CORNER)
    return titled(ax, title, note)


def plot_curve(
    x: Sequence[float],
    y: Sequence[float],
    name: str,
    axes: tuple[str, str],
    mark: tuple[float, float],
    words: str,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """A falling curve, x on a logarithmic axis, with one point marked and read off in words."""
    ax = new_axes(ax)
    ax.plot(x, y, **style(name))
    colour = colour_of(name)
    ax.plot([mark[0], mark[0], min(x)], [0, mark[1], mark[1]], color=colour, linewidth=0.8)
    ax.plot(*mark, "o", color=colour, markersize=7, clip_on=False, zorder=3)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlim(min(x), max(x))
    ax.set_ylim(0, 1.15 * max(y))
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])
    # there is room above a falling curve on the right, and below it on the left, unless it is low
    right = math.log(mark[0] / min(x)) < 0.6 * math.log(max(x) / min(x))
    above = right or mark[1] < 0.2 * max(y)
    ax.annotate(
        words,
        mark,
        (8 if right else -8, 6 if above else -6),
        textcoords="offset points",
        ha="left" if right else "right",
        va="bottom" if above else "top",
        fontsize=9,
        color=colour,
    )
    return titled(ax, title)


def plot_ranges(
    ranges: Mapping[str, tuple[float, float]],
    distance: str,
    ax: Axes | None = None,
    note: str = "",
    title: str = "",
) -> Axes:
    """Expected errors and their 95 % quantiles, one mechanism a line, the first on top."""
    ax = new_axes(ax)
    ax.grid(visible=False)
    places = range(len(ranges) - 1, -1, -1)
    for place, (name, (mean, high)) in zip(places, ranges.items(), strict=True):
        colour = colour_of(name)
        ax.plot([mean, high], [place, place], color=colour, linewidth=1.2)
        ax.plot(mean, place, "o", color=colour, markersize=7)
        ax.plot(high, place, "|", color=colour, markersize=11, markeredgewidth=2)
    ax.set_yticks(places, list(ranges))
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(left=0)
    ax.set_ylim(-0.6, len(ranges) - 0.4)
    ax.set_xlabel(f"{DISTANCE_NAMES[distance]}: mean (dot), 95 % quantile (bar)")
    return titled(ax, title, note)


def plot_profile(
    epsilons: Floats,
    deltas: Floats,
    name: str,
    claimed: float,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """The privacy profile δ(ε) on a logarithmic axis, and the ε that is guaranteed with δ = 0."""
    ax = new_axes(ax)
    shown = deltas > _LEAST
    (line,) = ax.plot(epsilons[shown], deltas[shown], **style(name))
    lines = {f"{name}, exact": line}
    right = float(epsilons.max(initial=0.0))
    lowest = float(np.min(deltas, where=shown, initial=1.0))
    if math.isfinite(claimed):
        right = max(right, claimed)
        (lines["guaranteed: δ = 0 from here on"],) = ax.plot(
            [claimed, claimed], [lowest, 1.0], color="#404040", linewidth=1.2, dashes=(2, 1.5)
        )
    ax.set_yscale("log")
    ax.set_xlim(0, 1.02 * right if right else 1.0)
    ax.set_ylim(lowest, 1.0)
    ax.set_xlabel("ε")
    ax.set_ylabel("δ(ε)")
    if math.isfinite(claimed):
        label_lines(ax, lines)
    else:
        _corner(ax, "nothing is guaranteed")
        label_lines(ax, lines, reserved=_CORNER)
    return titled(ax, title)


def titled(ax: Axes, title: str, note: str = "", width: int = 80) -> Axes:
    """Small words above the frame: what was computed, and who may see the figure."""
    if title:
        ax.set_title(textwrap.fill(title, width), loc="left", fontsize=9, color="#777777")
    if note:
        ax.set_title(note, loc="right", fontsize=9, color="#777777")
    return ax


def _corner(ax: Axes, text: str) -> None:
    """A remark at the upper right, in `_CORNER`."""
    top: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 9, "color": "#777777"}
    ax.text(0.99, 0.98, text, transform=ax.transAxes, **top)


def _quantile(distances: Floats, p: Floats, q: float) -> float:
    place = int(np.searchsorted(np.cumsum(p), q - 1e-12))
    return float(distances[min(place, len(distances) - 1)])
