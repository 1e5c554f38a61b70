"""Figure 1 of P1, and its accuracy bounds side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.divergence.sensitivity import local_sensitivity
from discreet.exact import Floats
from discreet.families.dirichlet import bounds
from discreet.plots import colour_of
from discreet.plots.labels import label_lines
from discreet.progress import track
from discreet_papers.drawing import NAMES, curves, heading, panels
from discreet_papers.p1.laws import FORTY, SIXTY, TWO, usual
from discreet_papers.parts import Part, Scale, Table
from discreet_papers.settings import law_of_error, model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST = 50  # parameter on the map
_SIZES = (8, 40, 100, 600)
_LEVELS = (0.075, 0.085, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3)


def _sensitivity(scale: Scale) -> Table:
    beta = model(TWO)
    grid = [(a, b) for a in range(1, _LARGEST + 1) for b in range(1, _LARGEST + 1) if a + b > 2]
    lines = [(n, 1 + ones, 1 + n - ones) for n in _SIZES for ones in range(n + 1)]
    points = [("map", a + b - 2, a, b) for a, b in grid] + [("size", *line) for line in lines]
    rows = [
        (panel, n, a, b, local_sensitivity(beta, (a - 1, b - 1)))
        for panel, n, a, b in track(points, "P1 Figure 1")
    ]
    return Table.of("panel n a b local_sensitivity", rows)


def _draw_sensitivity(table: Table) -> Figure:
    figure, [left, right] = panels(2, 4.6, 4.0)
    found = table.where(panel="map")
    level = np.full((_LARGEST, _LARGEST), np.nan)
    a, b = found.numbers("a").astype(int), found.numbers("b").astype(int)
    level[b - 1, a - 1] = found.numbers("local_sensitivity")
    left.grid(visible=False)
    across = np.arange(1, _LARGEST + 1)
    lines = left.contour(
        across, across, level, levels=_LEVELS, cmap="viridis", vmax=0.36, linewidths=1.2
    )
    left.clabel(lines, fmt="%g", fontsize=8)
    left.set_aspect("equal")
    left.set_xlabel("first parameter of the posterior, a")
    left.set_ylabel("second parameter, b")
    heading(left, "Local sensitivity of Beta(a, b)")
    by_size = {}
    for n in table.where(panel="size").values("n"):
        part = table.where(panel="size", n=n)
        share = (part.numbers("a") - 1) / float(str(n))
        by_size[f"n = {n}"] = (share, part.numbers("local_sensitivity"))
    curves(
        right,
        by_size,
        ("share of ones among the records", "local sensitivity (Hellinger distance)"),
        "By size and balance of the data",
        markers=False,
    )
    return figure


_PANELS = (("smooth_hellinger", FORTY), ("ehd", FORTY), ("smooth_hellinger", SIXTY))
_BOUNDS: dict[str, dict[str, Any]] = {
    "|R|·exp(−κc)": {"color": "#404040", "dashes": (2, 1.5)},
    "…/N(n)": {"color": "#0072B2", "dashes": (6, 2, 1, 2)},
    "…/NL": {"color": "#000000", "dashes": (6, 2)},
}


def _tails(scale: Scale) -> Table:
    rows: list[tuple[str, str, str, float, float]] = []
    c = np.linspace(0, 1, 51 if scale.quick else 201)
    for name, counts in _PANELS:
        mechanism = usual(name, counts)
        law = law_of_error(mechanism, counts)
        tail = np.cumsum(law.probabilities[::-1])[::-1]
        these = {
            "|R|·exp(−κc)": partial(bounds.by_candidates, mechanism, counts),
            "…/N(n)": partial(bounds.by_size, mechanism, counts=counts),
            "…/NL": partial(bounds.by_normaliser, mechanism, counts),
        }
        values = {label: (c, np.asarray(bound(c))) for label, bound in these.items()}
        for label, (x, y) in ({"exact": (law.distances, tail)} | values).items():
            rows += [(name, str(counts), label, *point) for point in zip(x, y, strict=True)]
    return Table.of("mechanism counts curve c value", rows)


def _draw_tails(table: Table) -> Figure:
    figure, axes = panels(len(_PANELS), 3.9, 3.8)
    for ax, (name, counts) in zip(axes, _PANELS, strict=True):
        part = table.where(mechanism=name, counts=str(counts))
        found = {
            str(curve): (
                part.where(curve=curve).numbers("c"),
                part.where(curve=curve).numbers("value"),
            )
            for curve in part.values("curve")
        }
        _tail_panel(ax, name, found)
        heading(ax, f"{NAMES[name]}, counts {counts}")
    axes[0].set_ylabel("probability of an error of at least c")
    return figure


def _tail_panel(ax: Axes, name: str, found: dict[str, tuple[Floats, Floats]]) -> None:
    x, y = found["exact"]
    ends = np.repeat([0.0, *x], 2)[1:-1]
    lines = {}
    (lines["exact"],) = ax.plot(ends, np.repeat(y, 2), color=colour_of(name), linewidth=2.2)
    for label, look in _BOUNDS.items():
        (lines[label],) = ax.plot(*found[label], linewidth=1.4, **look)
    highest = 3 * max(float(values.max()) for _, values in found.values())
    ax.set_yscale("log")
    ax.set_xlim(0, 1)
    ax.set_ylim(0.01, highest)
    ax.axhspan(1, highest, color="#F0F0F0", linewidth=0, zorder=0)
    ax.set_xlabel("c, Hellinger distance")
    label_lines(ax, lines)


PARTS: tuple[Part, ...] = (
    Part(
        "p1-figure-1",
        "Figure 1",
        "How far one replaced record can move a Beta posterior, prior Beta(1, 1). Left: lines of "
        "equal local sensitivity over both parameters. Right: by the share of ones, for four sizes "
        "of the data. It falls as the parameters grow and as they get closer, as P1 says. The axes "
        "of P1's figure are not known; this is our reading of its text.",
        _sensitivity,
        _draw_sensitivity,
    ),
    Part(
        "p1-bounds",
        "Accuracy bounds (§3.3)",
        "The exact probability of an error of at least c (P1's first, tight bound) and three upper "
        "bounds, ε = δ = 0.8, prior 1: the loose |R|·exp(−κc), the same divided by the normaliser "
        "NL (P1's second bound) and by an N(n) that does not depend on the data (its third, which "
        "P1 leaves open; ours has a proof for both mechanisms). P1 mixes ε/S and ε/(2S) for κ; "
        "here it is the mechanism's own throughout. On grey a bound exceeds 1 and says nothing, "
        "which is most of the range.",
        _tails,
        _draw_tails,
    ),
)
