"""The law of a mean, as released and with the noise accounted for; and how private its noise is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.exact import Floats
from discreet.plots import new_axes, titled
from discreet.plots.labels import label_lines
from discreet.plots.posteriors import BLUE, GREY, LEVEL, NAMES, numbers, plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TAILS = [1e-3, (1 - LEVEL) / 2, (1 + LEVEL) / 2, 1 - 1e-3]


def plot_mean(
    plain: Any,
    noise_aware: Any,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = NAMES,
) -> Axes:
    """Densities of μ with their 95 % intervals; laws have `pdf` and `quantile`."""
    ax = new_axes(ax)
    laws = {
        name: law for name, law in zip(names, (plain, noise_aware), strict=True) if law is not None
    }
    ends = {name: np.asarray(law.quantile(_TAILS)) for name, law in laws.items()}
    left, right = (float(end([e[k] for e in ends.values()])) for end, k in ((min, 0), (max, 3)))
    ranges = [(left, right), *((float(e[0]), float(e[3])) for e in ends.values())]
    x = np.unique(np.concatenate([np.linspace(low, high, 300) for low, high in ranges]))
    heights = {name: np.asarray(law.pdf(x)) for name, law in laws.items()}
    # a plain posterior that is far too narrow leaves the frame rather than flatten the other
    tops = {name: float(y.max()) for name, y in heights.items()}
    top = 1.18 * min(max(tops.values()), 6 * tops.get(names[1], math.inf))
    lines = {}
    for name, y in heights.items():
        low, high = ends[name][1:3].tolist()
        label = f"{name}, {numbers(high - low, low, high)}"
        shown = np.minimum(y, 4 * top)
        if name == names[1]:
            (lines[label],) = ax.plot(x, shown, color=BLUE, linewidth=1.8)
            within = (x >= low) & (x <= high)
            ax.fill_between(x[within], shown[within], color=BLUE, alpha=0.22, linewidth=0)
        else:
            (lines[label],) = ax.plot(x, shown, color=GREY, linewidth=1.4, dashes=(4, 2))
    ax.set_xlim(left, right)
    ax.set_ylim(0, top)
    ax.set_ylabel("density")
    ax.set_xlabel(f"mean, with {100 * LEVEL:g} % interval")
    label_lines(ax, lines)
    return titled(ax, plain_text(title))


def plot_delta(
    epsilons: Floats,
    deltas: Floats,
    claimed: tuple[float, float],
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """The privacy profile δ(ε) on a logarithmic axis, and the pair (ε, δ) that is guaranteed."""
    ax = new_axes(ax)
    shown = deltas > 0
    (line,) = ax.plot(epsilons[shown], deltas[shown], color=BLUE, linewidth=1.8)
    ax.plot(*claimed, "o", color="#404040", markersize=5)
    ax.annotate("guaranteed", claimed, (6, 6), textcoords="offset points", fontsize=9)
    ax.set_yscale("log")
    ax.set_xlim(0, float(epsilons.max()))
    ax.set_xlabel("ε")
    ax.set_ylabel("δ(ε)")
    label_lines(ax, {"exact": line})
    return titled(ax, plain_text(title))
