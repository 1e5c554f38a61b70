"""P3 Figures 5 to 8: simulated errors, and the probabilities of all errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.exact import Floats
from discreet.progress import track
from discreet_papers.drawing import BOX_COLUMNS, box_row, curves, named_boxes, panels
from discreet_papers.p3.cases import CASES, Case
from discreet_papers.p3.laws import Errors, error_law, labels, runs
from discreet_papers.parts import Cell, Part, Scale, Table
from discreet_papers.settings import LIMIT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 10
_BOX = BOX_COLUMNS.split()
_COLUMNS = f"panel {BOX_COLUMNS} distance up_to probability"
_LEAST = 1e-5  # probability that is drawn


def by_distance(law: Errors, k: int) -> tuple[Floats, Floats, Floats]:
    """Lowest and highest distances, and probabilities: of each distance, or for k ≥ 3 of bins."""
    if k == 2:
        return law.distances, law.distances, law.probabilities
    edges = np.linspace(0, 1, BINS + 1)
    found, _ = np.histogram(law.distances, edges, weights=law.probabilities)
    return edges[:-1], edges[1:], found


def _compute(figure: int, scale: Scale) -> Table:
    return Table.of(_COLUMNS, list(_rows(CASES[figure], scale)))


def _rows(case: Case, scale: Scale) -> Iterator[list[Cell]]:
    k, setting = len(case.counts), str(case.counts)
    for label in track(labels(case), f"P3 Figure {case.figure}"):
        errors = runs(label, case.figure, scale)
        yield ["a", *box_row(setting, label, errors), None, None, None]
        blank = [None] * (len(_BOX) - 2)
        law = by_distance(error_law(label, case.figure), k)
        for low, high, p in zip(*law, strict=True):
            yield ["b", setting, label, *blank, float(low), float(high), float(p)]


def _draw(figure: int, table: Table) -> Figure:
    drawn, [left, right] = panels(2, 5.0, 3.8)
    named_boxes(left, table.where(panel="a"), "Hellinger error")
    left.set_xlabel("(a) simulated releases")
    k = len(CASES[figure].counts)
    what = "(b) Hellinger distance from the true posterior"
    y = "probability" if k == 2 else "probability, in bins of width 0.1"
    found = _found(table.where(panel="b"))
    lowest = 0.5 * min(float(np.nanmin(p)) for _, p in found.values())
    curves(right, found, (what, y), log="y", limits=((-0.02, 1.02), (lowest, 1.3)))
    return drawn


def _found(table: Table) -> dict[str, tuple[Floats, Floats]]:
    """Bins at their middle; a line breaks where a bin is less likely than the axis shows.

    The limit is left out, which has lattice's law at these counts and would cover it.
    """
    found = {}
    for label in table.values("mechanism"):
        if label == LIMIT:
            continue
        rows = table.where(mechanism=label)
        x, p = (rows.numbers("distance") + rows.numbers("up_to")) / 2, rows.numbers("probability")
        found[str(label)] = (x, np.where(p >= _LEAST, p, np.nan))
    return found


_SETTING = (
    "(a) 1,000 simulated releases (200 in a quick run), (b) {}; ε = δ = 0.8, which the paper does "
    "not say. M_H is drawn as it is defined and, dashed, with /S and n + 1 for |R| as in the "
    "paper's formula for this figure; Laplace noise of scale 2/ε rounded down and, dashed, rounded "
    "towards zero as in the tables of P1. Neither of the dashed ones is proved private. "
)
_EVERY = _SETTING.format("the exact probability of every distance")
_BINS = _SETTING.format("exact probabilities of bins, since the distances are too many")
_NO_LIMIT = "Calibration and the limit are out of reach with four categories."
_CAPTIONS = {
    5: "Prior DL(1, 1), x = (49, 49): " + _EVERY + "With /S the exponential mechanism beats "
    "Laplace noise, as the paper says; as defined it has the longer tail and the larger mean. The "
    "limit has the law of lattice noise here, and is left out of (b).",
    6: "Prior DL(1, 1, 1), x = (20, 20, 20): " + _BINS + "The two dashed mechanisms are close "
    "together, as the paper says; as defined M_H mostly releases posteriors far from the truth. "
    "The limit is out of reach.",
    7: "Prior DL(1, 1, 1, 1), x = (20, 20, 20, 20): " + _BINS + "Laplace noise is better than "
    "both versions of M_H, which lose themselves among 91,881 candidates, but for the truth itself "
    "with /S; lattice noise is better still. " + _NO_LIMIT,
    8: "The edge case: prior DL(1, 1, 1, 1), x = (1, 1, 1, 77). " + _BINS + "The local sensitivity "
    "is nearly the global one, and M_H releases a posterior that has almost nothing in common with "
    "the true one; no posterior lies at a distance of 0.1 to 0.2, where the lines are broken. "
    + _NO_LIMIT,
}
PARTS = tuple(
    Part(
        f"p3-figure-{figure}",
        f"Figure {figure}",
        caption,
        partial(_compute, figure),
        partial(_draw, figure),
    )
    for figure, caption in _CAPTIONS.items()
)
