"""The coefficients of a regression: means and intervals below one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.exact import Floats
from discreet.plots.posteriors import MOST_ROWS, NAMES, Row, plain_text, plot_rows, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHARES = (0.025, 0.25, 0.75, 0.975)


class Law(Protocol):
    """What is drawn of a law of coefficients."""

    def mean(self) -> Floats:
        """Of every coefficient."""

    def quantile(self, q: float) -> Floats:
        """Of every coefficient."""


def plot_coefficients(
    columns: Sequence[str],
    widths: Sequence[float],
    target: str,
    plain: Law,
    noise_aware: Law | None,
    *,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """How much y changes from one end of a column's bounds to the other.

    So coefficients of different units are seen on one axis; that of a 0/1 column is as it is.

    Args:
        columns: what the last coefficients belong to; a constant before them is left out.
        widths: of every column's bounds.
        target: what y is called.
        plain: the coefficients as released.
        noise_aware: the coefficients with the noise accounted for.
        ax: where to draw.
        title: small print above.
    """
    marks = [_marks(law, np.array(widths)) for law in (noise_aware, plain)]
    rows = [Row(short(name, 32), marks[0][i], marks[1][i]) for i, name in enumerate(columns)]
    axis = f"change of {plain_text(target)} from one end of a column's bounds to the other"
    left = max(0, len(rows) - MOST_ROWS)
    ax = plot_rows(rows[:MOST_ROWS], left, ax, title, NAMES, axis, limits=None)
    ax.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    return ax


def _marks(law: Law | None, scales: Floats) -> list[tuple[float, Floats] | None]:
    if law is None:
        return [None] * len(scales)
    means = law.mean()[-len(scales) :] * scales
    ends = np.stack([law.quantile(share)[-len(scales) :] * scales for share in _SHARES], axis=1)
    return [(float(mean), quantiles) for mean, quantiles in zip(means, ends, strict=True)]
