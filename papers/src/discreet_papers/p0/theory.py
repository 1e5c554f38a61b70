"""P0 Figures 2 and 3: the probability of an error, by its size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from discreet.divergence.sensitivity import local_sensitivity
from discreet.exact import Floats
from discreet.progress import track
from discreet_papers.drawing import curves, panels
from discreet_papers.parts import Part, Scale, Table
from discreet_papers.settings import (
    OURS,
    P0_MECHANISMS,
    law_of_error,
    made,
    model,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Panel = tuple[str, tuple[int, ...], float]  # title, counts, ε

_MOST = 30
_FIGURE_2: tuple[Panel, ...] = (
    ("(a) two categories, n = 600", (300, 300), 1),
    ("(b) three categories, n = 600", (200, 200, 200), 1),
)
_FIGURE_3: tuple[Panel, ...] = (
    ("(a) n = 1,000", (500, 500), 5),
    ("(b) n = 10,000", (5000, 5000), 5),
)


def by_distance(label: str, counts: tuple[int, ...], epsilon: float) -> tuple[Floats, Floats]:
    """Distances from the true posterior, and the probabilities of errors of that size.

    Two categories: the exact distances, up to `_MOST` of them. More: bins as wide as one step from
    the counts (the local sensitivity), so that with balanced counts the first is the exact
    posterior alone and the second all that is one record off.
    """
    prior = (1,) * len(counts)
    errors = law_of_error(made(label, prior, sum(counts), epsilon), counts)
    if len(counts) == 2:
        return errors.distances[:_MOST], errors.probabilities[:_MOST]
    step = local_sensitivity(model(prior), counts)
    bins = np.rint(errors.distances / step).astype(np.int64)
    p = np.bincount(bins, errors.probabilities).astype(np.float64)
    return step * np.arange(len(p), dtype=np.float64), p


def _labels(counts: tuple[int, ...], quick: bool) -> tuple[str, ...]:
    if len(counts) > 2:
        return (*P0_MECHANISMS, "lattice")
    slow = quick and sum(counts) > 1000
    return (*P0_MECHANISMS, *(("lattice",) if slow else OURS))


def _compute(figure: str, shown: tuple[Panel, ...], scale: Scale) -> Table:
    asked = [(panel, label) for panel in shown for label in _labels(panel[1], scale.quick)]

    def rows() -> Iterator[tuple[str, str, float, float]]:
        for (title, counts, epsilon), label in track(asked, figure):
            for distance, p in zip(*by_distance(label, counts, epsilon), strict=True):
                if p > 0:
                    yield title, label, distance, p

    return Table.of("panel mechanism distance probability", list(rows()))


def _figure_2(scale: Scale) -> Table:
    return _compute("P0 Figure 2", _FIGURE_2, scale)


def _figure_3(scale: Scale) -> Table:
    return _compute("P0 Figure 3", _FIGURE_3, scale)


def _draw(table: Table, steps: int, least: float) -> Figure:
    titles = table.values("panel")
    figure, axes = panels(len(titles), 4.8, 4.0)
    for ax, title in zip(axes, titles, strict=True):
        panel = table.where(panel=title)
        found: dict[str, tuple[Floats, Floats]] = {}
        for label in map(str, panel.values("mechanism")):
            own = panel.where(mechanism=label)
            found[label] = own.numbers("distance"), own.numbers("probability")
        right = min(1.02, steps * found["ehd"][0][1])
        curves(
            ax,
            found,
            ("Hellinger distance from the true posterior", "probability"),
            str(title),
            log="y",
            limits=((-0.02 * right, right), (least, 1.5)),
        )
    return figure


def _draw_2(table: Table) -> Figure:
    return _draw(table, 14, 1e-5)


def _draw_3(table: Table) -> Figure:
    return _draw(table, 4, 1e-4)


PARTS: tuple[Part, ...] = (
    Part(
        "p0-figure-2",
        "Figure 2",
        "The probability of releasing a posterior at a given distance from the true one, balanced "
        "data, ε = 1, prior 1; candidates at the same distance together. With three categories "
        "there are thousands of distances, here in bins as wide as one record's step; the paper's "
        "33, 33 and 34 % are taken as thirds. EHDL with the stated exponent −ε·H/2LS is below "
        "LSHist near the truth, against the text; lattice is above both and, for two categories, "
        "the limit. For three categories at n = 600 neither a calibration nor the limit can be "
        "computed.",
        _figure_2,
        _draw_2,
    ),
    Part(
        "p0-figure-3",
        "Figure 3",
        "As Figure 2 (a) at ε = 5. EHDS releases the exact posterior more often than Laplace noise "
        "does, as the paper says, but its tail is heavier and its mean error larger. What holds "
        "Laplace noise back is rounding down, after which 0 and −1 are equally likely: the same "
        "noise as an integer (lattice) is the limit, 0.987 on the exact posterior. EHDS calibrated "
        "to its exact privacy loss comes close to it. The quick run leaves out the calibration and "
        "the limit at n = 10,000.",
        _figure_3,
        _draw_3,
    ),
)
