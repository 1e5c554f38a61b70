"""P3 Figures 5 to 8: simulated errors, and the probabilities of all errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.exact import Floats
from discreet.progress import track
from discreet.study.reproduce.drawing import BOX_COLUMNS, box_row, curves, named_boxes, panels
from discreet.study.reproduce.p3.cases import CASES, DELTA, EPSILON, M_H, OVER_S, Case, laplace
from discreet.study.reproduce.parts import Cell, Part, Scale, Table
from discreet.study.reproduce.settings import (
    CALIBRATED,
    LIMIT,
    errors_of_runs,
    law_of_error,
    made,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.core import Mechanism
    from discreet.errorlaw import ErrorLaw

BINS = 10
_BOX = BOX_COLUMNS.split()
_COLUMNS = f"panel {BOX_COLUMNS} distance up_to probability"
_LEAST = 1e-5  # probability that is drawn


def labels(case: Case) -> list[str]:
    """M_H as defined and with /S, Laplace noise, and ours as far as they can be computed."""
    k = len(case.counts)
    ours = {2: ["lattice", CALIBRATED, LIMIT], 3: ["lattice", CALIBRATED]}
    return [M_H, OVER_S, laplace(k), *ours.get(k, ["lattice"])]


def built(label: str, case: Case) -> Mechanism:
    """A mechanism of these figures."""
    delta = DELTA if label in (M_H, OVER_S) else None
    return made(label, case.prior, sum(case.counts), EPSILON, delta)


def by_distance(law: ErrorLaw, k: int) -> tuple[Floats, Floats, Floats]:
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
        mechanism = built(label, case)
        errors = errors_of_runs(mechanism, case.counts, scale)
        yield ["a", *box_row(setting, label, errors), None, None, None]
        blank = [None] * (len(_BOX) - 2)
        law = by_distance(law_of_error(mechanism, case.counts), k)
        for low, high, p in zip(*law, strict=True):
            yield ["b", setting, label, *blank, float(low), float(high), float(p)]


def _draw(figure: int, table: Table) -> Figure:
    drawn, [left, right] = panels(2, 5.0, 3.8)
    named_boxes(left, table.where(panel="a"), "Hellinger error")
    left.set_xlabel("(a) simulated releases")
    k = len(CASES[figure].counts)
    what = "(b) Hellinger distance from the true posterior"
    y = "probability" if k == 2 else "probability of a distance in a bin of width 0.1"
    limits = ((0.0, 1.0), (_LEAST, 1.0))
    curves(right, _found(table.where(panel="b")), (what, y), log="y", limits=limits)
    return drawn


def _found(table: Table) -> dict[str, tuple[Floats, Floats]]:
    """Bins at their middle; what is less likely than the axis shows is left out."""
    found = {}
    for label in table.values("mechanism"):
        rows = table.where(mechanism=label)
        x, p = (rows.numbers("distance") + rows.numbers("up_to")) / 2, rows.numbers("probability")
        found[str(label)] = (x[p >= _LEAST], p[p >= _LEAST])
    return found


_SETTING = (
    "ε = δ = 0.8, which the paper does not say. M_H as it is defined, M_H with /S in the exponent "
    "as in the paper's formula for this figure (dashed: without a proof), and Laplace noise of "
    "scale 2/ε rounded down, with our additions. "
)
_BINNED = (
    "(b) The distances are too many for a point each: probabilities of ten bins of width 0.1. "
)
_NO_LIMIT = "Calibration and the limit are out of reach with four categories."
_CAPTIONS = {
    5: "Prior DL(1, 1), x = (49, 49): (a) 1,000 releases, (b) the exact probability of every "
    "distance. "
    + _SETTING
    + "With /S the exponential mechanism beats this Laplace noise, as the paper "
    "says; as defined it has the longer tail and the larger mean. Lattice noise is at the limit.",
    6: "Prior DL(1, 1, 1), x = (20, 20, 20). "
    + _SETTING
    + _BINNED
    + "As defined M_H releases mostly posteriors far from the truth; with /S it is a little "
    "better than Laplace noise, where the paper sees it a little worse. The limit is out of reach.",
    7: "Prior DL(1, 1, 1, 1), x = (20, 20, 20, 20). "
    + _SETTING
    + _BINNED
    + "Laplace noise is clearly better than both versions of M_H, which lose to the 91,881 "
    "candidates; lattice noise is better still. " + _NO_LIMIT,
    8: "The edge case: prior DL(1, 1, 1, 1), x = (1, 1, 1, 77). "
    + _SETTING
    + _BINNED
    + "The local sensitivity is nearly the global one, and M_H releases a posterior that has "
    "almost nothing in common with the true one. " + _NO_LIMIT,
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
