"""Labels beside the curves they name, where there is room for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.exact import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_SIZE = 9  # points
_SAMPLES = 400  # points of a curve that a label has to avoid
_ANCHORS = 80  # points of a curve beside which its label may stand
_GAP = 0.012  # between a curve and its label, in the height of the axes


class Box(NamedTuple):
    """A rectangle in axes coordinates."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def inside(self) -> bool:
        """Whether it lies within the axes, with a small margin."""
        right, top = self.left + self.width, self.bottom + self.height
        return min(self.left, self.bottom) > 0.005 and max(right, top) < 0.995

    def distance(self, points: Floats) -> float:
        """The least distance of any point; negative, by their number, if some lie within."""
        if not len(points):
            return math.inf
        low, size = np.array(self[:2]), np.array(self[2:])
        beyond = np.maximum(np.maximum(low - points, points - low - size), 0)
        distance = np.hypot(beyond[:, 0], beyond[:, 1])
        within = int((distance == 0).sum())
        return -0.01 * within if within else float(distance.min())

    def points(self) -> Floats:
        """Points on it, for later labels to avoid more than they avoid a line."""
        x, y = np.meshgrid(np.linspace(0, self.width, 60), np.linspace(0, self.height, 5))
        return np.column_stack([self.left + x.ravel(), self.bottom + y.ravel()])


def label_lines(ax: Axes, lines: dict[str, Line2D], reserved: Box | None = None) -> None:
    """Write every name beside its line, as far from the other lines and labels as possible.

    Limits and scales have to be set before. A label stands at one of four corners of a point of its
    line, in a box that no line crosses, and not in a reserved one.
    """
    curves = {name: _sampled(ax, line) for name, line in lines.items()}
    taken = np.empty((0, 2)) if reserved is None else reserved.points()
    for name, line in lines.items():
        others = [curve for other, curve in curves.items() if other != name]
        box = _box(ax, name, curves[name], np.concatenate([taken, *others]))
        _write(ax, name, box, str(line.get_color()))
        taken = np.concatenate([taken, box.points()])


def _sampled(ax: Axes, line: Line2D) -> Floats:
    """Points at equal steps along a line, in axes coordinates, within the axes."""
    points = np.column_stack([line.get_xdata(), line.get_ydata()]).astype(np.float64)
    with np.errstate(all="ignore"):
        inside = (ax.transData + ax.transAxes.inverted()).transform(points)
    inside = np.clip(inside[np.isfinite(inside).all(axis=1)], -0.1, 1.1)
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(inside, axis=0)).sum(axis=1))])
    places = np.linspace(0, along[-1], _SAMPLES)
    sampled = np.column_stack([np.interp(places, along, inside[:, i]) for i in range(2)])
    return sampled[((sampled >= 0) & (sampled <= 1)).all(axis=1)]


def _box(ax: Axes, text: str, own: Floats, others: Floats) -> Box:
    figure = ax.get_figure(root=True)
    assert figure is not None
    across, up = figure.get_size_inches() * 72 * ax.get_position().size
    width, height = 0.56 * _SIZE * len(text) / across, 1.25 * _SIZE / up
    gap = _GAP * up / across
    best, best_score = Box(0.5, 0.5, width, height), -math.inf
    for x, y in own[:: max(1, len(own) // _ANCHORS)].tolist():
        for left in (x + gap, x - gap - width):
            for bottom in (y + _GAP, y - _GAP - height):
                box = Box(left, bottom, width, height)
                if box.inside and box.distance(own) > 0:
                    score = min(box.distance(others), 0.12) - 0.01 * abs(y - 0.5)
                    if score > best_score:
                        best, best_score = box, score
    return best


def _write(ax: Axes, text: str, box: Box, colour: str) -> None:
    from matplotlib import patheffects

    ax.text(
        box.left + box.width / 2,
        box.bottom + box.height / 2,
        text,
        transform=ax.transAxes,
        ha="center",
        va="center",
        color=colour,
        fontsize=_SIZE,
        path_effects=[patheffects.withStroke(linewidth=3, foreground="white")],
    )
