"""Means and intervals below one another: of coefficients, or of whatever a posterior is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.core import families
from discreet.core.family import labels_of
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.plots.posteriors import MOST_ROWS, NAMES, TAILS, Row, plain_text, plot_rows, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.core.family import Published


class Law(Protocol):
    """What is drawn of a posterior."""

    def mean(self) -> Floats:
        """Of every parameter."""

    def quantile(self, p: float, /) -> Floats:
        """Of every parameter."""


def plot(release: Published, noise_aware: Any = None, ax: Axes | None = None) -> Axes:
    """The plot of a release whose posteriors have `mean` and `quantile`."""
    plain = release.posterior
    if noise_aware is None and families.spec_of(release.mechanism).can("noise_aware"):
        noise_aware = release.noise_aware()
    if lacking := [word for word in ("mean", "quantile") if not hasattr(plain, word)]:
        words = " and no ".join(lacking)
        raise InputError(f"release has no plot: its posterior has no {words}", "release")
    labels = labels_of(plain)
    return _plot(labels, np.ones(len(labels)), plain, noise_aware, ax, release.title, "parameter")


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
    axis = f"change of {plain_text(target)} from one end of a column's bounds to the other"
    ax = _plot(columns, np.array(widths), plain, noise_aware, ax, title, axis)
    ax.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    return ax


def _plot(
    labels: Sequence[str],
    scales: Floats,
    plain: Law,
    noise_aware: Law | None,
    ax: Axes | None,
    title: str,
    axis: str,
) -> Axes:
    marks = [_marks(law, scales) for law in (noise_aware, plain)]
    rows = [Row(short(name, 32), marks[0][i], marks[1][i]) for i, name in enumerate(labels)]
    left = max(0, len(rows) - MOST_ROWS)
    return plot_rows(rows[:MOST_ROWS], left, ax, title, NAMES, axis, limits=None)


def _marks(law: Law | None, scales: Floats) -> list[tuple[float, Floats] | None]:
    if law is None:
        return [None] * len(scales)
    last = slice(-len(scales), None)
    means = np.atleast_1d(law.mean())[last] * scales
    ends = [np.atleast_1d(law.quantile(share))[last] * scales for share in TAILS.tolist()]
    rows = np.stack(ends, axis=1)
    return [(float(mean), quantiles) for mean, quantiles in zip(means, rows, strict=True)]
