"""How the figures look: one colour per mechanism, our additions in heavier lines with diamonds."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.exact import Floats
from discreet.plots import colour_of, new_axes
from discreet.plots.labels import label_lines
from discreet_papers.data import remark
from discreet_papers.parts import Cell, Table
from discreet_papers.settings import LIMIT, OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    "ls_dim": "LSDim",
    "ls_hist": "LSHist",
    "ehd": "EHD",
    "ehdl": "EHDL (not private)",
    "ehds": "EHDS",
    "smooth_hellinger": "M_H",
    "smooth_hellinger, doubled": "M_H with /S",
    "ls_dim, truncated": "Laplace, towards 0",
    "lattice": "lattice",
    "ehds, calibrated": "EHDS calibrated",
    LIMIT: "limit (LP)",
}


def panels(number: int, width: float = 4.4, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * number, height), layout="constrained")
    found = figure.subplots(1, number, squeeze=False)[0]
    return figure, [new_axes(ax) for ax in found]


def line_style(label: str) -> dict[str, Any]:
    """The papers' mechanisms thin with dots, ours heavy with diamonds; dashed: not private."""
    ours = label in OURS
    look: dict[str, Any] = {
        "color": colour_of(label),
        "linewidth": 2.0 if ours else 1.1,
        "marker": "D" if ours else "o",
        "markersize": 4.0 if ours else 3.0,
    }
    if label == "ehdl" or label.endswith(("doubled", "truncated")):
        look |= {"dashes": (4, 2), "markerfacecolor": "white"}
    if label == "ehds, calibrated":
        look["markerfacecolor"] = "white"
    if label == LIMIT:
        look |= {"linestyle": (0, (1, 1.2)), "marker": ""}  # over the mechanisms that attain it
    return look


def curves(
    ax: Axes,
    found: Mapping[str, tuple[Floats, Floats]],
    axes: tuple[str, str],
    title: str = "",
    log: str = "",
    markers: bool = True,
    limits: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None),
) -> None:
    """Curves by label, each named beside its line. `log` holds the axes that are logarithmic."""
    lines = {}
    for label, (x, y) in found.items():
        look = line_style(label) | ({} if markers else {"marker": ""})
        (lines[NAMES.get(label, label)],) = ax.plot(x, y, **look)
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    if limits[0] is not None:
        ax.set_xlim(*limits[0])
    if limits[1] is not None:
        ax.set_ylim(*limits[1])
    elif "y" not in log:
        ax.set_ylim(bottom=0)
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])
    heading(ax, title)
    label_lines(ax, lines)


BOX_COLUMNS = "setting mechanism runs least lower median upper most mean notch_low notch_high"


def box_row(setting: str, label: str, errors: Floats) -> list[Cell]:
    """Range, quartiles, mean, and the notch at median ± 1.57·IQR/√runs, within the box."""
    least, lower, median, upper, most = np.quantile(errors, [0, 0.25, 0.5, 0.75, 1]).tolist()
    half = 1.57 * (upper - lower) / len(errors) ** 0.5
    ends = (max(lower, median - half), min(upper, median + half))
    return [setting, label, len(errors), least, lower, median, upper, most, errors.mean(), *ends]


def boxes(ax: Axes, table: Table, what: str, names: bool = True) -> None:
    """Box plots with notches by setting, the mechanisms of each side by side."""
    settings, labels = table.values("setting"), table.values("mechanism")
    width = 0.8 / len(labels)
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        label = str(cells["mechanism"])
        place = settings.index(cells["setting"]) + width * (
            labels.index(cells["mechanism"]) - (len(labels) - 1) / 2
        )
        _box(ax, cells, place, width * 0.8, colour_of(label), label in OURS)
    ax.set_xticks(range(len(settings)), [textwrap.fill(str(s), 16) for s in settings])
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.5, len(settings) - 0.5)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(what)
    if names:
        key(ax, [str(label) for label in labels])


def named_boxes(ax: Axes, table: Table, what: str) -> None:
    """Box plots with notches for one setting, every mechanism's name below its box."""
    for place, row in enumerate(table.rows):
        cells = dict(zip(table.columns, row, strict=True))
        label = str(cells["mechanism"])
        _box(ax, cells, place, 0.6, colour_of(label), label in OURS)
    names = [NAMES.get(str(label), str(label)) for label in table["mechanism"]]
    ax.set_xticks(range(len(names)), [textwrap.fill(name, 10) for name in names])
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(what)


def _box(
    ax: Axes, cells: Mapping[str, Any], place: float, width: float, colour: str, ours: bool
) -> None:
    stats = {
        "med": cells["median"],
        "q1": cells["lower"],
        "q3": cells["upper"],
        "whislo": cells["least"],
        "whishi": cells["most"],
        "cilo": cells["notch_low"],
        "cihi": cells["notch_high"],
    }
    line = {"color": colour, "linewidth": 1.6 if ours else 0.9}
    ax.bxp(
        [stats],
        positions=[place],
        widths=width,
        shownotches=True,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={
            "edgecolor": colour,
            "facecolor": colour + ("66" if ours else "1A"),
            "linewidth": line["linewidth"],
        },
        whiskerprops=line,
        capprops=line,
        medianprops={"color": "black", "linewidth": 1.2},
    )


def key(ax: Axes, labels: Sequence[str]) -> None:
    """The mechanisms' names above the frame, in their colours, where curves carry none.

    With several panels they stand above all of them.
    """
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="D" if x in OURS else "s",
            color=colour_of(x),
            label=NAMES.get(x, x),
        )
        for x in labels
    ]
    look: dict[str, Any] = {
        "ncols": len(handles),
        "frameon": False,
        "fontsize": 8,
        "handletextpad": 0.1,
        "columnspacing": 1.0,
        "borderaxespad": 0.2,
    }
    figure = ax.get_figure(root=True)
    if figure is not None and len(figure.axes) > 1:
        figure.legend(handles=handles, loc="outside upper left", **look)
    else:
        ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), **look)


def heading(ax: Axes, text: str) -> None:
    """What a panel shows."""
    if text:
        ax.set_title(text, loc="left", fontsize=9)


def note_synthetic(figure: Figure, files: Sequence[str]) -> None:
    """Say above all panels which files synthetic records stand in for, if any."""
    if files:
        figure.suptitle(remark(files), x=0.01, ha="left", fontsize=9, color="#A83E00")


def typeset(
    columns: Sequence[str], rows: Sequence[Sequence[str]], ours: Sequence[int] = ()
) -> Figure:
    """A table as a figure: rules above, below and under the head; our rows on grey."""
    from matplotlib.figure import Figure

    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    tall = 0.26 * (len(rows) + 1.6)
    figure = Figure(figsize=(0.085 * sum(widths) + 0.25 * len(widths) + 0.3, tall))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(0, sum(widths) + 3 * len(widths))
    ax.set_ylim(len(rows) + 0.6, -1)
    right = np.cumsum([w + 3 for w in widths])
    for place, row in enumerate((columns, *rows)):
        if place - 1 in ours:
            ax.axhspan(place - 1, place, color="#EEF4FA", linewidth=0)
        for i, cell in enumerate(row):
            first = i == 0
            x = 1 if first else right[i] - 1
            weight = "bold" if place == 0 else "normal"
            ax.text(
                x,
                place - 0.5,
                str(cell),
                ha="left" if first else "right",
                va="center",
                weight=weight,
            )
    for y, width in ((-1, 1.2), (0, 0.6), (len(rows), 1.2)):
        ax.axhline(y, color="black", linewidth=width)
    return figure
