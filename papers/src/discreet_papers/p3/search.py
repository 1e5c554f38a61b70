"""P3 Figure 1: where the local sensitivity is found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.divergence.sensitivity import local_sensitivity
from discreet_papers.drawing import heading, panels
from discreet_papers.p0.brute_force import changes
from discreet_papers.parts import Cell, Part, Scale, Table
from discreet_papers.settings import model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COUNTS = {"a": ((10, 10), (15, 5), (19, 1)), "b": ((7, 7, 6), (12, 6, 2), (18, 1, 1))}
_COLOURS = ("#0072B2", "#D55E00", "#009E73")
_COLUMNS = "panel counts candidate ones distance change local_sensitivity"


def _search(scale: Scale) -> Table:
    return Table.of(_COLUMNS, list(_rows()))


def _rows() -> Iterator[list[Cell]]:
    for panel, chosen in _COUNTS.items():
        for counts in chosen:
            prior = (1,) * len(counts)
            local = local_sensitivity(model(prior), counts)
            for r, distance, change in zip(*changes(prior, counts), strict=True):
                name = str(tuple(r.tolist()))
                yield [panel, str(counts), name, int(r[0]), float(distance), float(change), local]


def _draw(table: Table) -> Figure:
    figure, [left, right] = panels(2, 4.6)
    left.set_xlabel("number of ones in the candidate r")
    left.set_xticks(range(0, 21, 5))
    heading(left, "(a) two categories, n = 20")
    right.set_xlabel("Hellinger distance of the candidate r from the posterior of x")
    heading(right, "(b) three categories, n = 20")
    for ax, panel, column in ((left, "a", "ones"), (right, "b", "distance")):
        ax.set_ylabel("largest change of H(x, r) by one record")
        _lines(ax, table.where(panel=panel), column)
    return figure


def _lines(ax: Axes, table: Table, column: str) -> None:
    """A line or a cloud for every x, its name above the dot at the posterior of x itself."""
    ax.set_ylim(0, 0.45)
    for counts, colour in zip(table.values("counts"), _COLOURS, strict=True):
        found = table.where(counts=counts)
        joined = "-" if column == "ones" else ""
        x, y = found.numbers(column), found.numbers("change")
        ax.plot(x, y, color=colour, linestyle=joined, linewidth=1.1, marker="o", markersize=2.5)
        truth = found.where(candidate=counts)
        at = (float(truth.numbers(column)[0]), float(truth.numbers("change")[0]))
        ax.plot(*at, "o", color=colour, markersize=8)
        ax.annotate(
            f"x = {counts}",
            at,
            (-2 if joined else -4, 7),
            textcoords="offset points",
            ha="right" if joined else "left",
            color=colour,
        )


PARTS = (
    Part(
        "p3-figure-1",
        "Figure 1",
        "The search for the local sensitivity, prior 1, n = 20: for every candidate r, the most "
        "that substituting one record of x changes its Hellinger distance from the posterior. The "
        "largest change is at r = posterior of x itself (large dots) and again at the farthest "
        "neighbour, so the search over r can be left out. The paper's data and axes are lost; "
        "these counts are ours.",
        _search,
        _draw,
    ),
)
