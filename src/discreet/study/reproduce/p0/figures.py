"""The tables and figures of P0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.sensitivity import local_sensitivity
from discreet.study.reproduce.drawing import curves, panels
from discreet.study.reproduce.parts import Part, Scale, Table
from discreet.study.reproduce.settings import model

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _sensitivity(scale: Scale) -> Table:
    beta = model((1, 1))
    return Table.of(
        "ones local_sensitivity",
        [(ones, local_sensitivity(beta, (ones, 100 - ones))) for ones in range(101)],
    )


def _draw_sensitivity(table: Table) -> Figure:
    figure, [ax] = panels(1, 5.6)
    found = {"local sensitivity": (table.numbers("ones"), table.numbers("local_sensitivity"))}
    curves(ax, found, ("number of ones among 100 records", "Hellinger distance"), markers=False)
    return figure


PARTS: tuple[Part, ...] = (
    Part(
        "p0-figure-1",
        "Figure 1",
        "How far one replaced record moves the posterior, by the number of ones among 100 records, "
        "prior Beta(1, 1): almost five times as far where nearly all records agree.",
        _sensitivity,
        _draw_sensitivity,
    ),
)
