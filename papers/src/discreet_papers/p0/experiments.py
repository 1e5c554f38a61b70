"""P0 Figures 4 and 5: errors of simulated releases of real data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.progress import track
from discreet_papers.drawing import BOX_COLUMNS, box_row, boxes, panels
from discreet_papers.parts import Part, Scale, Table
from discreet_papers.settings import (
    CALIBRATED,
    LIMIT,
    P0_MECHANISMS,
    THREE_CATEGORIES,
    TWO_CATEGORIES,
    errors_of_runs,
    law_of_error,
    made,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AUDITED = 100  # records up to which three categories are calibrated


def _compute(figure: str, data: Mapping[str, tuple[int, ...]], scale: Scale) -> Table:
    asked = [(name, c, label) for name, c in data.items() for label in _labels(c, scale.quick)]
    rows = []
    for name, counts, label in track(asked, figure):
        mechanism = made(label, (1,) * len(counts), sum(counts), 1)
        row = box_row(f"{name} {counts}", label, errors_of_runs(mechanism, counts, scale))
        rows.append([*row, law_of_error(mechanism, counts).mean])
    return Table.of(f"{BOX_COLUMNS} exact_mean", rows)


def _labels(counts: tuple[int, ...], quick: bool) -> tuple[str, ...]:
    if len(counts) == 2:
        return (*P0_MECHANISMS, "lattice", CALIBRATED, LIMIT)
    if sum(counts) <= _AUDITED and not quick:
        return (*P0_MECHANISMS, "lattice", CALIBRATED)
    return (*P0_MECHANISMS, "lattice")


def _figure_4(scale: Scale) -> Table:
    return _compute("P0 Figure 4", TWO_CATEGORIES, scale)


def _figure_5(scale: Scale) -> Table:
    return _compute("P0 Figure 5", THREE_CATEGORIES, scale)


def _draw(table: Table) -> Figure:
    figure, [ax] = panels(1, 8.8, 4.0)
    boxes(ax, table, "Hellinger distance to the true posterior")
    settings = [str(setting).replace(" (", "\n(") for setting in table.values("setting")]
    ax.set_xticks(range(len(settings)), settings)
    ax.set_ylim(-0.02, 1.03)
    return figure


_BOXES = (
    "Box: quartiles, median and notch (median ± 1.57·IQR/√runs); whiskers: the whole range. The "
    "errors take few values, so that a median can lie on a quartile and the notch fold over. "
)
PARTS: tuple[Part, ...] = (
    Part(
        "p0-figure-4",
        "Figure 4",
        "Errors of 1,000 simulated releases (200 in the quick run) of four real data sets, two "
        "categories, prior Beta(1, 1), ε = 1. "
        + _BOXES
        + "EHD is the worst and EHDS better, as the paper says; both Laplace mechanisms and "
        "lattice are better than EHDS on all four. The limit is the mechanism with the least error "
        "averaged over all counts; lattice has the same exact mean on all four, and their boxes "
        "differ by chance only.",
        _figure_4,
        _draw,
    ),
    Part(
        "p0-figure-5",
        "Figure 5",
        "As Figure 4 with three categories in the order of their codes, prior Dir(1, 1, 1). "
        + _BOXES
        + "On the weather data EHD, EHDL and EHDS all sit at the largest distance, 1 (exact means "
        "are in the CSV); the order of the categories matters to the Laplace mechanisms, which do "
        "not add noise to the last. Calibrated EHDS is shown for the data sets of 90 records, in "
        "the full run; for 731 records, and for the limit, the computation is too large.",
        _figure_5,
        _draw,
    ),
)
