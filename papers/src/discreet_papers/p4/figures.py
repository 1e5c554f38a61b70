"""P4 §6: private posteriors of a normal mean, by five mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discreet.progress import track
from discreet_papers.drawing import heading, panels
from discreet_papers.p4.simulating import (
    GAUSSIAN,
    HELLINGER,
    INPUT,
    LAPLACE,
    LOOSE,
    MECHANISMS,
    MODEL,
    covered,
    covered_aware,
    hellinger,
    simulate,
)
from discreet_papers.parts import Cell, Part, Scale, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POSTERIOR = "posterior sd"
AWARE = (INPUT, GAUSSIAN, LAPLACE)  # that of the exponential mechanism takes long
COLUMNS = "mechanism n runs error hellinger covered covered_aware"
_NAMES = {
    INPUT: "noisy records",
    LOOSE: "Laplace, P4's sensitivity",
    HELLINGER: "exponential (Hellinger)",
    GAUSSIAN: "Gaussian on the sum",
    LAPLACE: "Laplace, tight",
}
_COLOURS = {
    INPUT: "#E69F00",
    LOOSE: "#D55E00",
    HELLINGER: "#009E73",
    GAUSSIAN: "#56B4E9",
    LAPLACE: "#0072B2",
}


def rows(sizes: Sequence[int], runs: int, scale: Scale) -> Iterator[list[Cell]]:
    """Mean errors and coverage, by mechanism and number of records."""
    for n in track(sizes, "P4, normal mean"):
        for label in MECHANISMS:
            run = simulate(label, n, runs, scale)
            aware = covered_aware(label, run, n) if label in AWARE else None
            error = abs(run.released - run.exact).mean()
            yield [label, n, runs, error, hellinger(run, n).mean(), covered(run, n), aware]
        sd = float(MODEL.posterior_variance(n)) ** 0.5
        yield [POSTERIOR, n, None, sd, None, None, None]


def _compute(scale: Scale) -> Table:
    sizes = (1, 10, 100, 1000) if scale.quick else (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
    return Table.of(COLUMNS, list(rows(sizes, 60 if scale.quick else 300, scale)))


def _look(label: str) -> dict[str, Any]:
    ours = label in (GAUSSIAN, LAPLACE)
    return {
        "color": _COLOURS[label],
        "linewidth": 2.0 if ours else 1.2,
        "marker": "D" if ours else "o",
        "markersize": 4.0 if ours else 3.0,
    }


def _panel(ax: Axes, table: Table, column: str, what: str, title: str) -> None:
    for label in MECHANISMS:
        part = table.where(mechanism=label)
        ax.plot(part.numbers("n"), part.numbers(column), label=_NAMES[label], **_look(label))
    sizes = table.where(mechanism=POSTERIOR).numbers("n")
    grey: dict[str, Any] = {"color": "#777777", "linewidth": 1.2, "linestyle": ":"}
    if column == "error":
        sd = table.where(mechanism=POSTERIOR).numbers("error")
        ax.plot(sizes, sd, label=POSTERIOR, **grey)
        ax.set_yscale("log")
    else:
        ax.set_ylim(-0.02, 1.05)
    if column == "covered":
        ax.axhline(0.95, **grey)
        for label in AWARE:
            part = table.where(mechanism=label)
            x, y = part.numbers("n"), part.numbers("covered_aware")
            ax.plot(x, y, "x", color=_COLOURS[label], markersize=6, clip_on=False)
    ax.set_xscale("log")
    ax.set_xlim(sizes.min(), sizes.max())
    ax.set_xlabel("n, number of records")
    ax.set_ylabel(what)
    heading(ax, title)


def _draw(table: Table) -> Figure:
    from matplotlib.lines import Line2D

    figure, axes = panels(3, 4.4, 4.2)
    shown = (
        ("error", "mean error of the posterior mean", "What the noise does to the mean"),
        ("hellinger", "mean Hellinger distance", "Distance from the exact posterior"),
        ("covered", "share with the true mean", "95 % intervals"),
    )
    for ax, (column, what, title) in zip(axes, shown, strict=True):
        _panel(ax, table, column, what, title)
    handles, names = axes[0].get_legend_handles_labels()
    handles.append(Line2D([], [], color="#777777", marker="x", linestyle=""))
    names.append("noise-aware, right panel")
    figure.legend(
        handles, names, loc="outside upper left", ncols=len(names), frameon=False, fontsize=8
    )
    return figure


PARTS: tuple[Part, ...] = (
    Part(
        "p4-normal-mean",
        "§6.1 to §6.3, normal learning",
        "P4's programs for the mean of n records between 0 and 1 with standard deviation 0.1, "
        "prior N(0.5, 0.1²), ε = 1, and δ = 1e-5 where the noise is normal: noise on every record "
        "(§6.1), Laplace noise on the posterior mean with P4's sensitivity hV/(kv + hV) = ½ for "
        "all n and with the tight 1/(1 + n) (§6.2), the exponential mechanism with Hellinger "
        "distance over a public grid of means, as §6.3 does for a Beta posterior, and, not in P4, "
        "normal noise on the sum. Means of 300 runs, each with a mean from the prior and records "
        "from that; a quick run has 60. P4 has no experiment. With its sensitivity the noise does "
        "not fall as n grows, and that on every record no faster than the posterior narrows, so "
        "that both stay far from the exact posterior. The exponential mechanism needs thousands of "
        "records, since distant posteriors all have distance 1. Right: the share of intervals with "
        "the true mean if noise is taken for data, as in P4, and, as crosses, noise-aware: not for "
        "the exponential mechanism, where it takes long, nor with P4's sensitivity.",
        _compute,
        _draw,
    ),
)
