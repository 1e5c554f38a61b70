"""P0 Figure 6: the exact privacy loss against the number of records."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from discreet.auditing import audit
from discreet.auditing.audits import pair_loss
from discreet.progress import track
from discreet_papers.drawing import curves, panels
from discreet_papers.parts import Part, Scale, Table
from discreet_papers.settings import CALIBRATED, made

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZES = (10, 20, 50, 100, 200, 400, 600, 800, 1000)
_MARGIN = 1.06  # beside the first and the last size
_ALL, _BALANCED = "(a) all counts", "(b) balanced counts and their neighbours"


@cache
def loss(label: str, n: int) -> float:
    """The audited upper bound on the privacy loss at ε = 1, prior Beta(1, 1), over all counts."""
    return audit(made(label, (1, 1), n, 1)).epsilon


def balanced_loss(label: str, n: int) -> float:
    """The largest |ln(P(z|c)/P(z|c'))| between balanced counts c and a neighbour c', n even."""
    law, half = made(label, (1, 1), n, 1).law, n // 2
    rows = [law((half + t, half - t)).bounded_log_p() for t in (0, 1, -1)]
    return max(pair_loss(rows[0], row)[0] for row in rows[1:])


def _compute(scale: Scale) -> Table:
    sizes = [n for n in _SIZES if n <= 200 or not scale.quick]
    labels = ("ehd", "ehdl", "ehds", "lattice", CALIBRATED)
    rows = []
    for n, label in track([(n, label) for n in sizes for label in labels], "P0 Figure 6"):
        rows.append((_ALL, label, n, loss(label, n)))
        rows.append((_BALANCED, label, n, balanced_loss(label, n)))
    return Table.of("panel mechanism n loss", rows)


def _draw(table: Table) -> Figure:
    figure, axes = panels(2, 4.8, 4.0)
    for ax, title in zip(axes, (_ALL, _BALANCED), strict=True):
        panel = table.where(panel=title)
        found = {}
        for label in map(str, panel.values("mechanism")):
            own = panel.where(mechanism=label)
            found[label] = own.numbers("n"), own.numbers("loss")
        ax.axhline(1.0, color="black", linewidth=0.8, linestyle=(0, (1, 2)))
        words = ("number of records", "privacy loss, claimed ε = 1")
        curves(ax, found, words, title, "x", limits=(None, (0, 1.12)))
        sizes = [n for n in _SIZES if n in panel["n"]]
        marks = [n for n in (10, 20, 50, 100, 200, 500, 1000) if n <= sizes[-1]]
        ax.set_xlim(sizes[0] / _MARGIN, sizes[-1] * _MARGIN)
        ax.set_xticks(marks, [f"{n:,}" for n in marks])
        ax.minorticks_off()
    return figure


PARTS: tuple[Part, ...] = (
    Part(
        "p0-figure-6",
        "Figure 6",
        "The exact privacy loss (the audited upper bound) at claimed ε = 1, two categories, prior "
        "Beta(1, 1). The paper's caption says balanced data: (b) compares balanced counts with "
        "their neighbours only, (a) all counts with all neighbours, which is what privacy is "
        "about. EHD uses 50 to 63 % of its budget and EHDS 32 to 44 %; calibrated EHDS and lattice "
        "use all of it. EHDL stays below 1 here, but no theorem says so: with prior 0.1 it does "
        "not. The sizes go up to 1,000 records, in the quick run to 200.",
        _compute,
        _draw,
    ),
)
