"""P0 Figure 1 and Table 1: how far one step is, and how likely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.divergence import hellinger
from discreet.divergence.sensitivity import (
    global_sensitivity,
    local_sensitivity,
    smooth_sensitivity,
)
from discreet_papers.drawing import NAMES, panels, typeset
from discreet_papers.parts import Cell, Part, Scale, Table
from discreet_papers.settings import OURS, made, model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_N = 100
_HALF = 300  # of each category in Table 1
_CURVES = {
    "local": ("local", "#8C8C8C", 3.6),
    "smooth": ("smooth, γ = 1", "#009E73", 1.0),
    "smoother": ("smooth, γ = 0.1", "#006B4E", 1.0),
    "global": ("global", "#0072B2", 1.0),
}


def _sensitivity(scale: Scale) -> Table:
    beta = model((1, 1))
    largest = global_sensitivity(beta, _N)
    rows = []
    for ones in range(_N + 1):
        counts = (ones, _N - ones)
        here, more = (ones + 1, _N - ones + 1), (ones + 2, _N - ones)
        up = float(hellinger(here, more)) if ones < _N else None
        smooth = [smooth_sensitivity(beta, counts, gamma) for gamma in (1, 0.1)]
        rows.append((ones, up, local_sensitivity(beta, counts), *smooth, largest))
    return Table.of("ones one_more local smooth smoother global", rows)


def _draw_sensitivity(table: Table) -> Figure:
    from discreet.plots.labels import label_lines

    figure, [ax] = panels(1, 5.6)
    lines = {}
    for column, (name, colour, width) in _CURVES.items():
        (lines[name],) = ax.plot(
            table.numbers("ones"), table.numbers(column), color=colour, linewidth=width
        )
    ax.set_ylim(0, 0.4)
    ax.set_xlim(-1, _N + 1)
    ax.set_xlabel("number of ones among 100 records")
    ax.set_ylabel("sensitivity (Hellinger distance)")
    label_lines(ax, lines)
    return figure


def _steps(scale: Scale) -> Table:
    """P(release is t records off), to one side and to both, at balanced counts."""
    return Table.of("mechanism steps distance one_side both_sides", list(_step_rows()))


def _step_rows() -> Iterator[list[Cell]]:
    half, truth = _HALF, [_HALF + 1.0] * 2
    for label in ("ls_dim", "ls_hist", "ehds", *OURS):
        law = made(label, (1, 1), 2 * half, 1).law((half, half))
        for t in range(3):
            distance = float(hellinger(truth, [half + 1.0 + t, half + 1.0 - t]))
            one = law.probability((half + t, half - t))
            both = one + law.probability((half - t, half + t)) if t else one
            yield [label, t, distance, one, both]


def _draw_steps(table: Table) -> Figure:
    head = ["", "exact", "+1 record", "±1 record", "+2 records", "±2 records"]
    c = table.where(mechanism="lattice").numbers("distance")
    rows = [["Hellinger distance", "0", *[f"{c[t]:.5f}" for t in (1, 1, 2, 2)]]]
    for label in map(str, table.values("mechanism")):
        own = table.where(mechanism=label)
        one, both = own.numbers("one_side"), own.numbers("both_sides")
        cells = [f"{x:.5f}" for x in (one[0], one[1], both[1], one[2], both[2])]
        rows.append([NAMES[label], *cells])
    ours = [i for i, label in enumerate(table.values("mechanism"), 1) if label in OURS]
    return typeset(head, rows, ours)


PARTS: tuple[Part, ...] = (
    Part(
        "p0-figure-1",
        "Figure 1",
        "How far one replaced record moves the posterior at most (local sensitivity), by the "
        "number of ones among 100 records, prior Beta(1, 1): almost five times as far where nearly "
        "all records agree as where they are balanced. Thin lines: the smooth sensitivity with "
        "P0's γ = 1 is hardly above the local one, at the price of a factor of two in the exponent "
        "of EHDS; a smaller γ costs less there and more here. The global sensitivity is that of "
        "the worst case. The paper does not name the prior; its text has only the step to one more "
        "one (column one_more of the CSV): the same curve, moved by one on half of the range.",
        _sensitivity,
        _draw_sensitivity,
    ),
    Part(
        "p0-table-1",
        "Table 1",
        "The probability that a mechanism releases the exact posterior, or one that is one or two "
        "records off, to one side (+) or to either (±): n = 600 balanced, prior Beta(1, 1), ε = 1. "
        "P0 prints the one-sided numbers of the two Laplace mechanisms; for EHDS and the distances "
        "it has formulas, with errors, which are evaluated here as they should be. Rounding down "
        "makes one record less as likely as none, so that for Laplace noise ±1 is likelier than "
        "the exact posterior. The shaded rows are ours; at balanced counts lattice is the limit.",
        _steps,
        _draw_steps,
    ),
)
