"""Three categories: highest-density regions in the simplex, or in the part of it where they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.check import Category
from discreet.exact import Floats
from discreet.plots import titled
from discreet.plots.posteriors import BLUE, GREY, Posterior, plain_text, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = (0.95, 0.5)
_HEIGHT = 0.75**0.5
_CORNERS = np.array([[0.5, _HEIGHT], [0.0, 0.0], [1.0, 0.0]])  # first on top, then left, right
_STEPS = 72  # of the grid, along a side
_MOST_CELLS = 5 * 10**7  # components times points at which they are evaluated
_MOST_PARAMETER = 1e11  # beyond it floats lose the digits of the density
_LEVEL_DRAWS, _DRAWS = 4000, 500_000
_TAIL = 1e-3  # the probability of each θ_i below what is shown
_FILLS = ("#CCE3F0", "#7FB8D8")

_ROWS, _COLUMNS = np.nonzero(np.add.outer(np.arange(_STEPS + 1), np.arange(_STEPS + 1)) <= _STEPS)
_PARTS = np.column_stack([_ROWS, _COLUMNS, _STEPS - _ROWS - _COLUMNS]) / _STEPS


class Window(NamedTuple):
    """The triangle of all θ ≥ low; its side is 1 − Σ low."""

    low: Floats
    side: float

    @classmethod
    def of(cls, posteriors: Sequence[Posterior]) -> Window:
        """Where the posteriors are; the whole simplex unless half of it is enough."""
        lows = np.array([[p.marginal(c).ppf(_TAIL) for c in p.categories] for p in posteriors])
        low = lows.min(axis=0)
        low = np.maximum(low - 0.05 * (1 - low.sum()), 0.0)
        side = 1 - float(low.sum())
        return cls(low, side) if side < 0.5 else cls(np.zeros(3), 1.0)

    @property
    def whole(self) -> bool:
        """Whether it is the simplex."""
        return self.side == 1

    def grid(self) -> Floats:
        """Points θ, one a row; those on an edge of the simplex are moved inside by a trifle."""
        theta = np.maximum(self.low + self.side * _PARTS, 1e-6 * self.side)
        return np.asarray(theta / theta.sum(axis=1, keepdims=True))

    def place(self, theta: Floats) -> Floats:
        """Points of the plane, one a row."""
        return np.asarray((theta - self.low) / self.side @ _CORNERS)


class Region(NamedTuple):
    """Logs of a density, up to a constant, at points θ, and how low it is in 95 % and in 50 %."""

    theta: Floats
    logs: Floats
    cuts: tuple[float, float]

    @property
    def flat(self) -> bool:
        """Whether no region is denser than another."""
        return self.cuts[1] - self.cuts[0] < 1e-6


def region_of(posterior: Posterior) -> Region:
    """Highest-density regions {θ: f(θ) ≥ c}; c is a quantile of f(θ) (Hyndman 1996)."""
    window = Window.of([posterior])
    theta, rng = window.grid(), np.random.default_rng(0)
    alpha = np.atleast_2d(np.array(posterior.parameters, dtype=np.float64))
    cells = len(alpha) * (len(theta) + _LEVEL_DRAWS)
    if cells > _MOST_CELLS or alpha.max() > _MOST_PARAMETER:
        return _by_draws(posterior.sample(_DRAWS, rng), window)
    weights = getattr(posterior, "weights", np.ones(1))
    draws = np.maximum(posterior.sample(_LEVEL_DRAWS, rng), 1e-300)
    heights = log_density(alpha, weights, draws)
    low, high = np.quantile(heights, [1 - level for level in LEVELS]).tolist()
    return Region(theta, log_density(alpha, weights, theta), (low, high))


def log_density(alpha: Floats, weights: Floats, theta: Floats) -> Floats:
    """Log Σ_j w_j·Π θ_i^{α_ji − 1}/B(α_j) at the rows of θ."""
    from scipy import special

    norms = special.gammaln(alpha).sum(axis=1) - special.gammaln(alpha.sum(axis=1))
    with np.errstate(divide="ignore"):
        logs = np.log(theta) @ (alpha - 1).T + (np.log(weights) - norms)
    return np.asarray(special.logsumexp(logs, axis=1))


def _by_draws(draws: Floats, window: Window) -> Region:
    """The same from draws of θ: how many are next to each point, smoothed."""
    from scipy import ndimage

    at = np.rint((draws[:, :2] - window.low[:2]) / window.side * _STEPS).astype(np.int64)
    at = np.clip(at, 0, _STEPS)
    table = np.bincount(at[:, 0] * (_STEPS + 1) + at[:, 1], minlength=(_STEPS + 1) ** 2)
    counts = table.reshape(_STEPS + 1, -1).astype(np.float64)
    area = np.zeros_like(counts)
    area[_ROWS, _COLUMNS] = np.where((_PARTS > 0).all(axis=1), 1.0, 0.5)
    smooth = [ndimage.gaussian_filter(values, 2.5, mode="constant") for values in (counts, area)]
    density = (smooth[0][_ROWS, _COLUMNS] + 1e-9) / smooth[1][_ROWS, _COLUMNS]
    mass = counts[_ROWS, _COLUMNS]
    order = np.argsort(-density)
    reached = np.cumsum(mass[order]) / mass.sum()
    places = np.searchsorted(reached, LEVELS)
    low, high = np.log(density[order[np.minimum(places, len(order) - 1)]]).tolist()
    return Region(window.grid(), np.log(density), (low, high))


def plot_simplex(
    plain: Posterior | None,
    noise_aware: Posterior | None,
    ax: Axes,
    title: str,
    names: tuple[str, str],
) -> Axes:
    """Regions that hold 50 % and 95 %, noise-aware; of the plain posterior the 95 % one, dashed."""
    given = [posterior for posterior in (plain, noise_aware) if posterior is not None]
    window = Window.of(given)
    _frame(ax, window, given[0].categories)
    outlines: list[tuple[str, Floats, str]] = []
    if noise_aware is not None:
        region = region_of(noise_aware)
        words = [f"{names[1]}, {100 * level:g} %" for level in LEVELS]
        outlines += _draw(ax, window, region, words, BLUE)
    if plain is not None:
        outlines += _draw(
            ax, window, region_of(plain), [f"{names[0]}, {100 * LEVELS[0]:g} %"], GREY
        )
    _label(ax, outlines)
    return titled(ax, plain_text(title))


def _draw(
    ax: Axes, window: Window, region: Region, words: list[str], colour: str
) -> list[tuple[str, Floats, str]]:
    """Outlines, one per word, filled if they are blue; with them what names them."""
    x, y = window.place(region.theta).T
    cuts = list(region.cuts[: len(words)])
    if region.flat:
        name = f"{words[0].rsplit(',', 1)[0]}: uniform"
        ax.fill(*_CORNERS.T, color=_FILLS[0] if colour == BLUE else "none", linewidth=0, zorder=0)
        return [(name, np.array([[0.5, _HEIGHT / 3]]), colour)]
    if colour == BLUE:
        top = max(float(region.logs.max()), cuts[-1]) + 1
        ax.tricontourf(x, y, region.logs, [*cuts, top], colors=_FILLS, zorder=0.5)
    dashes = "solid" if colour == BLUE else [(0, (4, 2))]
    lines = ax.tricontour(x, y, region.logs, cuts, colors=colour, linewidths=1.4, linestyles=dashes)
    outlines = [np.array(path.vertices, dtype=np.float64) for path in lines.get_paths()]
    return [
        (word, points, colour) for word, points in zip(words, outlines, strict=True) if len(points)
    ]


def _label(ax: Axes, outlines: list[tuple[str, Floats, str]]) -> None:
    """Names in a column on the right, where the triangle leaves room, each with a line to its own.

    Of all ways to order them the one with the shortest lines, which therefore do not cross.
    """
    slots = [np.array([0.9, _HEIGHT * (0.99 - 0.1 * place)]) for place in range(len(outlines))]

    def nearest(points: Floats, slot: Floats) -> Floats:
        return np.asarray(points[np.argmin(np.linalg.norm(points - slot, axis=1))])

    def length(order: tuple[int, ...]) -> float:
        pairs = zip(outlines, order, strict=True)
        return sum(
            float(np.linalg.norm(nearest(points, slots[i]) - slots[i]))
            for (_, points, _), i in pairs
        )

    best = min(permutations(range(len(outlines))), key=length)
    for (text, points, colour), i in zip(outlines, best, strict=True):
        ax.annotate(
            text,
            tuple(nearest(points, slots[i]).tolist()),
            tuple(slots[i].tolist()),
            color=colour,
            fontsize=9,
            ha="left",
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.7,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            annotation_clip=False,
        )


def _frame(ax: Axes, window: Window, categories: tuple[Category, ...]) -> None:
    """The triangle with lines of equal probability and their values, and names at its corners."""
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.fill(*_CORNERS.T, facecolor="none", edgecolor="#404040", linewidth=1.0)
    for i in range(3):
        _scale(ax, window, i)
    places = ((0.5, _HEIGHT + 0.05), (-0.03, -0.13), (1.03, -0.13))
    style: dict[str, Any] = {"fontsize": 10, "fontweight": "bold", "color": "#404040"}
    for label, place in zip(categories, places, strict=True):
        ax.text(*place, short(label), ha="center", va="center", **style)
    if not window.whole:
        _overview(ax, window)
    ax.set_xlim(-0.42, 1.42)
    ax.set_ylim(-0.18, _HEIGHT + 0.1)


def _scale(ax: Axes, window: Window, i: int) -> None:
    """Lines θ_i = v, with v at the edge from the corner after i."""
    from matplotlib import patheffects

    low, (step, places) = float(window.low[i]), _step(window.side)
    first = math.ceil((low + 0.05 * window.side) / step)
    stop = math.ceil((low + 0.95 * window.side) / step)
    start_corner, stop_corner = _CORNERS[(i + 1) % 3], _CORNERS[(i + 2) % 3]
    for tick in range(first, stop):
        share = (tick * step - low) / window.side
        start = start_corner + share * (_CORNERS[i] - start_corner)
        end = stop_corner + share * (_CORNERS[i] - stop_corner)
        outwards = (start - end) / np.linalg.norm(end - start)
        line = np.array([start + 0.02 * outwards, end])
        ax.plot(*line.T, color="#CCCCCC", linewidth=0.6, zorder=0)
        x, y = start + 0.03 * outwards
        ax.text(
            x,
            y,
            f"{tick * step:.{places}f}",
            ha=("right", "center", "left")[i],
            va=("center", "top", "bottom")[i],
            fontsize=8,
            color="#606060",
            zorder=4,
            path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
        )


def _step(side: float) -> tuple[float, int]:
    """Between ticks: 1, 2 or 5 times a power of 10, and its digits; long numbers need more room."""
    power = math.floor(math.log10(side))
    fewest = 1.2 if power < -4 else 2.2
    part = next(part for part in (1.0, 0.5, 0.2, 0.1) if side / (part * 10.0**power) >= fewest)
    return part * 10.0**power, max(1, -power + (part < 1))


def _overview(ax: Axes, window: Window) -> None:
    """The whole simplex, small, with the part that is shown."""
    size, corner = 0.2, np.array([-0.38, _HEIGHT - 0.16])
    part = window.low + window.side * np.eye(3)
    ax.fill(*(corner + size * _CORNERS).T, facecolor="none", edgecolor="#909090", linewidth=0.8)
    shown = corner + size * part @ _CORNERS
    ax.fill(*shown.T, color="#404040", linewidth=1.5)
    ax.text(
        corner[0] + size / 2,
        corner[1] - 0.02,
        "part of the simplex",
        ha="center",
        va="top",
        fontsize=8,
        color="#606060",
    )
