"""How P2's accuracy figures look: bands of one standard error, names beside the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.plots.labels import label_lines
from discreet_papers.drawing import heading
from discreet_papers.p2.simulating import (
    EXACT,
    FOURIER,
    LAPLACE,
    LATTICE,
    MANY_CHARGED,
    MAP,
    ONE_CHARGED,
    SAMPLER,
)
from discreet_papers.parts import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    EXACT: "not private",
    LAPLACE: "Laplace",
    FOURIER: "Fourier",
    SAMPLER: "one sample",
    ONE_CHARGED: "one sample, as charged",
    MANY_CHARGED: "many, as charged",
    MAP: "MAP",
    LATTICE: "lattice",
}
_COLOURS = {
    EXACT: "#000000",
    LAPLACE: "#E69F00",
    FOURIER: "#009E73",
    SAMPLER: "#CC79A7",
    ONE_CHARGED: "#CC79A7",
    MANY_CHARGED: "#7F7F7F",
    MAP: "#D55E00",
    LATTICE: "#0072B2",
}
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def _look(label: str) -> dict[str, Any]:
    """Ours heavy with diamonds, what is not as private as it claims dashed."""
    ours = label == LATTICE
    look: dict[str, Any] = {
        "color": _COLOURS[label],
        "linewidth": 2.0 if ours else 1.2,
        "marker": "D" if ours else "o",
        "markersize": 4.0 if ours else 3.0,
    }
    if label == EXACT:
        look |= {"marker": "", "linestyle": (0, (1, 1.2)), "linewidth": 1.6}
    if label in (ONE_CHARGED, MANY_CHARGED):
        look |= {"dashes": (4, 2), "markerfacecolor": "white"}
    return look


def accuracy_panel(
    ax: Axes, table: Table, title: str = "", ends: tuple[float, float] | None = None
) -> None:
    """Accuracy against ε on a logarithmic axis."""
    majority = table.where(mechanism="majority")
    if majority.rows:
        ax.axhline(majority.numbers("mean")[0], color="#AAAAAA", linewidth=1, linestyle=":")
    lines = {}
    for label in [name for name in _COLOURS if name in table.values("mechanism")]:
        part = table.where(mechanism=label)
        x, y, error = (part.numbers(c) for c in ("epsilon", "mean", "standard_error"))
        ax.fill_between(x, y - error, y + error, color=_COLOURS[label], alpha=0.18, linewidth=0)
        (lines[NAMES[label]],) = ax.plot(x, y, **_look(label))
    ax.set_xscale("log")
    places = table.where(mechanism=LAPLACE).numbers("epsilon")
    first, last = places.min(), places.max()
    ax.set_xlim(first * 0.93, last * 1.07)
    if ends is not None:
        ax.set_ylim(*ends)
    marks = [x for x in _TICKS if first <= x <= last]
    ax.set_xticks(marks, [f"{x:g}" for x in marks])
    ax.minorticks_off()
    ax.set_xlabel("ε")
    ax.set_ylabel("accuracy on the records not trained with")
    heading(ax, title)
    label_lines(ax, lines)
