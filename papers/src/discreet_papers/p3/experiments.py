"""P3 Figures 2 to 4: box plots of simulated releases with the priors Beta(7, 4) and DL(7, 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from discreet.progress import track
from discreet_papers.drawing import BOX_COLUMNS, box_row, boxes, panels
from discreet_papers.p3.cases import BETA, DIRICHLET, EPSILON, M_H, laplace
from discreet_papers.parts import Cell, Part, Scale, Table
from discreet_papers.settings import CALIBRATED, LIMIT, errors_of_runs, made

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ERRORS = {"hellinger": "Hellinger error", "l1": "l1 error of the parameters"}


class Panel(NamedTuple):
    """A panel: the prior, the budget (ε = δ), the distance, and two data sets of n records."""

    prior: tuple[int, ...]
    epsilon: float
    distance: str
    data: tuple[tuple[int, ...], ...]


# balanced data, and data with the proportions of the prior
_500, _300 = ((250, 250), (318, 182)), ((150, 150), (191, 109))
_100, _120 = ((33, 33, 34), (44, 25, 31)), ((40, 40, 40), (52, 30, 38))
DATA_150 = ((50, 50, 50), (66, 38, 46))
FIGURES = {
    2: {"a": Panel(BETA, 0.5, "hellinger", _500), "b": Panel(BETA, 0.5, "hellinger", _300)},
    3: {
        "a": Panel(DIRICHLET, EPSILON, "hellinger", _100),
        "b": Panel(DIRICHLET, EPSILON, "hellinger", _120),
    },
    4: {
        "a": Panel(DIRICHLET, EPSILON, "hellinger", DATA_150),
        "b": Panel(DIRICHLET, EPSILON, "l1", DATA_150),
    },
}


def _labels(k: int, scale: Scale) -> list[str]:
    """The paper's four, then ours; with three categories calibration is for the full run."""
    papers = ["ehd", "ehdl", M_H, laplace(k), "lattice"]
    if k == 2:
        return [*papers, CALIBRATED, LIMIT]
    return papers if scale.quick else [*papers, CALIBRATED]


def _boxes(figure: int, scale: Scale) -> Table:
    work = [
        (panel, setting, counts, label)
        for panel, setting in FIGURES[figure].items()
        for counts in setting.data
        for label in _labels(len(setting.prior), scale)
    ]
    rows = _rows(work, f"P3 Figure {figure}", scale)
    return Table.of(f"panel n {BOX_COLUMNS}", list(rows))


def _rows(
    work: list[tuple[str, Panel, tuple[int, ...], str]], name: str, scale: Scale
) -> Iterator[list[Cell]]:
    for panel, setting, counts, label in track(work, name):
        n, budget = sum(counts), setting.epsilon
        mechanism = made(label, setting.prior, n, budget, budget if label == M_H else None)
        errors = errors_of_runs(mechanism, counts, scale, setting.distance)
        yield [panel, n, *box_row(str(counts), label, errors)]


def _draw(figure: int, table: Table) -> Figure:
    drawn, axes = panels(2, 5.0, 3.8)
    for ax, (panel, setting) in zip(axes, FIGURES[figure].items(), strict=True):
        found = table.where(panel=panel)
        boxes(ax, found, ERRORS[setting.distance], names=panel == "a")
        ax.set_xlabel(f"({panel}) data of n = {found['n'][0]} records")
    return drawn


_SETTING = (
    "The paper does not give its data: on the left of each panel balanced ones, on the right ones "
    "with the proportions of the prior; 1,000 releases each (200 in a quick run), whiskers to the "
    "extremes. "
)
_CAPTIONS = {
    2: "Errors with the prior Beta(7, 4), n = 500 and 300, ε = 0.5 (and δ = 0.5 in M_H, which is "
    "not given): exponential mechanisms with global, local and smooth sensitivity, and Laplace "
    "noise of scale 2/ε. " + _SETTING + "The smooth sensitivity is the local one here, so M_H and "
    "EHDL have the same law. Both do worse than Laplace noise; lattice noise has half its error, "
    "and is what linear programming finds best on average over all data (the limit).",
    3: "Errors with the prior DL(7, 4, 5), n = 100 and 120, ε = δ = 0.8. "
    + _SETTING
    + "M_H and EHDL have the same law again (their boxes differ by chance), and Laplace noise is "
    "better by far. Calibrated EHDS is in the "
    "full run only (40 s); the limit is out of reach with three categories.",
    4: "The same releases measured in Hellinger and in l1 distance, prior DL(7, 4, 5), n = 150, "
    "ε = δ = 0.8. "
    + _SETTING
    + "The order is the same in both. M_H and EHDL have one law here too. "
    "Calibrated EHDS is in the full run only (45 s); the limit is out of reach.",
}
PARTS = tuple(
    Part(
        f"p3-figure-{figure}",
        f"Figure {figure}",
        caption,
        partial(_boxes, figure),
        partial(_draw, figure),
    )
    for figure, caption in _CAPTIONS.items()
)
