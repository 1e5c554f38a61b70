"""Posteriors, as released and with the noise accounted for. Nothing else enters these figures.

Two categories: densities. Three: regions of the simplex. More: intervals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from discreet.check import Category
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.plots import COLOURS, new_axes, titled
from discreet.plots.labels import label_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = ("as released", "noise-aware")
BLUE, GREY = COLOURS["lattice"], "#666666"
LEVEL = 0.95
MOST_ROWS = 40
TAILS = np.array([(1 - LEVEL) / 2, 0.25, 0.75, (1 + LEVEL) / 2])
_ENDS = np.array([1e-3, (1 - LEVEL) / 2, (1 + LEVEL) / 2, 1 - 1e-3])
GROUPS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class Posterior(Protocol):
    """What is drawn: a Dirichlet or a mixture of Dirichlets."""

    @property
    def categories(self) -> tuple[Category, ...]:
        """The labels."""

    @property
    def parameters(self) -> Any:
        """Of the Dirichlet; of a mixture one row per component, which also has `weights`."""

    def mean(self) -> Floats:
        """E[θ]."""

    def marginal(self, category: Category | None = None, /) -> Any:
        """The law of one θ_i, with `pdf`, `cdf` and `ppf`."""

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Floats:
        """Draws of θ, one a row."""


def plot_posterior(
    plain: Posterior | None,
    noise_aware: Posterior | None,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = NAMES,
) -> Axes:
    """A posterior that takes the released counts as true, and the one that knows of the noise.

    Args:
        plain: drawn in grey, dashed where it is a line; None leaves it out.
        noise_aware: drawn in blue; None leaves it out.
        ax: where to draw.
        title: small print above.
        names: what to call the two.
    """
    given = [posterior for posterior in (plain, noise_aware) if posterior is not None]
    if not given:
        raise InputError("plain or noise_aware must be given", "noise_aware")
    if any(posterior.categories != given[0].categories for posterior in given):
        raise InputError("plain and noise_aware must have the same categories", "noise_aware")
    k = len(given[0].categories)
    if k == 2:
        return _densities(plain, noise_aware, new_axes(ax), title, names)
    if k == 3:
        from discreet.plots.simplex import plot_simplex

        return plot_simplex(plain, noise_aware, new_axes(ax), title, names)
    labels = given[0].categories[:MOST_ROWS]
    laws = zip(_summaries(noise_aware, labels), _summaries(plain, labels), strict=True)
    rows = [Row(short(label), *pair) for label, pair in zip(labels, laws, strict=True)]
    return plot_rows(rows, k - len(labels), ax, title, names)


def plot_groups(
    by_group: Mapping[Any, Posterior] | None,
    plain: Mapping[Any, Posterior] | None = None,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = NAMES,
) -> Axes:
    """Intervals of every category, the groups one below another; of two categories the first.

    Args:
        by_group: the noise-aware posteriors of the groups, as `Release.by_group` returns them.
        plain: those that take the released counts as true.
        ax: where to draw.
        title: small print above.
        names: what to call the two.
    """
    groups = list(by_group or plain or ())
    if not groups:
        raise InputError("by_group must have at least one group", "by_group")
    laws = {
        group: (by_group[group] if by_group else None, plain[group] if plain else None)
        for group in groups
    }
    labels = next(p.categories for p in laws[groups[0]] if p is not None)
    shown = labels[:1] if len(labels) == 2 else labels
    colours = GROUPS if len(groups) <= len(GROUPS) else (BLUE,)
    columns = {group: [_summaries(p, shown) for p in pair] for group, pair in laws.items()}
    rows = []
    for i, label in enumerate(shown):
        rows.append(Row(short(label)))
        for j, (group, (aware, below)) in enumerate(columns.items()):
            rows.append(Row(short(group), aware[i], below[i], colours[j % len(colours)]))
    kept = rows[:MOST_ROWS]
    if kept[-1].is_heading:
        kept.pop()
    left = sum(not row.is_heading for row in rows[len(kept) :])
    return plot_rows(kept, left, ax, title, names)


class Row(NamedTuple):
    """A line of an interval plot: its name, and mean and quantiles of one or two laws of θ_i."""

    name: str
    noise_aware: tuple[float, Floats] | None = None
    plain: tuple[float, Floats] | None = None
    colour: str = BLUE

    @property
    def is_heading(self) -> bool:
        """Whether it only names the rows below."""
        return self.noise_aware is None and self.plain is None


def plot_rows(
    rows: Sequence[Row],
    left: int,
    ax: Axes | None,
    title: str,
    names: tuple[str, str],
    axis: str = "probability",
    limits: tuple[float, float] | None = (0.0, 1.0),
) -> Axes:
    """Intervals below one another, the first on top; `left` more are not shown."""
    own, ax = ax is None, new_axes(ax)
    figure = ax.get_figure(root=True)
    assert figure is not None
    lines = len(rows) + (left > 0)
    if own:
        figure.set_size_inches(6.4, max(4.0, 1.1 + 0.19 * lines))
    ax.grid(visible=False)
    both = any(row.plain for row in rows) and any(row.noise_aware for row in rows)
    for place, row in zip(range(lines - 1, -1, -1), rows, strict=False):
        if row.noise_aware is not None:
            _draw_row(ax, place + 0.1 * both, row.noise_aware, row.colour)
        if row.plain is not None:
            ends = row.plain[1][[0, 3]]
            at = place - 0.24 * both
            ax.plot(ends, [at, at], color=GREY, linewidth=1.2, solid_capstyle="butt")
            if row.noise_aware is None:
                ax.plot(row.plain[0], at, "o", color=GREY, markersize=4)
    size = _size_of_rows(ax, lines)
    texts = [row.name for row in rows] + [f"… and {left} more"] * (left > 0)
    ax.set_yticks(range(lines - 1, -1, -1), texts, fontsize=size)
    for text, row in zip(ax.get_yticklabels(), rows, strict=False):
        if row.is_heading:
            text.set_fontweight("bold")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    ax.set_ylim(-0.7, lines - 0.3)
    _plain_axis(ax, axis, limits)
    ax.set_xlabel(f"{axis}\n{_key(rows, names)}", fontsize=9)
    return titled(ax, plain_text(title), width=84 - max(map(len, texts)))


def _draw_row(ax: Axes, place: float, law: tuple[float, Floats], colour: str) -> None:
    mean, (low, first, third, high) = law
    ax.plot([low, high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
    ax.plot([first, third], [place, place], color=colour, linewidth=3.4, solid_capstyle="butt")
    ax.plot(mean, place, "o", color=colour, markersize=5, markeredgecolor="white")


def _key(rows: Sequence[Row], names: tuple[str, str]) -> str:
    """What the marks are, in words."""
    percent = f"{100 * LEVEL:g} %"
    words = []
    if any(row.noise_aware for row in rows):
        words.append(f"{names[1]}: mean (dot), 50 % (thick), {percent} (thin)")
        if any(row.plain for row in rows):
            words.append(f"{names[0]}: {percent} (grey)")
    else:
        words.append(f"{names[0]}: mean (dot), {percent} (bar)")
    return "\n".join(words)


def _size_of_rows(ax: Axes, lines: int) -> float:
    """Letters that fit between the rows, in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    height = float(figure.get_size_inches()[1]) * 72 * ax.get_position().height
    return min(10.0, max(4.0, 0.8 * height / lines))


def _summaries(
    posterior: Posterior | None, labels: tuple[Category, ...]
) -> list[tuple[float, Floats] | None]:
    """Means, and the ends of the 95 % and the 50 % intervals in order."""
    if posterior is None:
        return [None] * len(labels)
    laws = [posterior.marginal(label) for label in labels]
    means = posterior.mean().tolist()
    return [(mean, np.asarray(law.ppf(TAILS))) for mean, law in zip(means, laws, strict=False)]


def _densities(
    plain: Posterior | None,
    noise_aware: Posterior | None,
    ax: Axes,
    title: str,
    names: tuple[str, str],
) -> Axes:
    """Densities of the first θ, with their 95 % intervals."""
    laws = {
        name: posterior.marginal()
        for name, posterior in zip(names, (plain, noise_aware), strict=True)
        if posterior is not None
    }
    ends = {name: np.asarray(law.ppf(_ENDS)) for name, law in laws.items()}
    left, right = _range(list(ends.values()))
    curves = {name: _curve(law, ends[name], left, right) for name, law in laws.items()}
    heights = {name: _height(laws[name], y) for name, (_, y) in curves.items()}
    # a plain posterior that is far too narrow leaves the frame rather than flatten the other
    top = 1.18 * min(max(heights.values()), 6 * heights.get(names[1], math.inf))
    lines = {}
    for name, (x, density) in curves.items():
        low, high = ends[name][1:3].tolist()
        y = np.minimum(density, 4 * top)
        label = f"{name}, {numbers(high - low, low, high)}"
        if name == names[1]:
            (lines[label],) = ax.plot(x, y, color=BLUE, linewidth=1.8)
            within = (x >= low) & (x <= high)
            ax.fill_between(x[within], y[within], color=BLUE, alpha=0.22, linewidth=0)
        else:
            (lines[label],) = ax.plot(x, y, color=GREY, linewidth=1.4, dashes=(4, 2))
            for end in (low, high):
                ax.vlines(end, 0, y[x == end], color=GREY, linewidth=1.0, linestyle=(0, (4, 2)))
    ax.set_xlim(left, right)
    ax.set_ylim(0, top)
    ax.set_ylabel("density")
    category = next(p for p in (plain, noise_aware) if p is not None).categories[0]
    _plain_axis(ax, f"probability of {short(category, 40)}, with {100 * LEVEL:g} % interval")
    label_lines(ax, lines)
    return titled(ax, plain_text(title))


def _range(ends: list[Floats]) -> tuple[float, float]:
    """Where the densities are, with a margin, within 0 and 1."""
    left, right = min(float(e[0]) for e in ends), max(float(e[3]) for e in ends)
    margin = max(0.15 * (right - left), 1e-15)
    return max(left - margin, 0.0), min(right + margin, 1.0)


def _curve(law: Any, ends: Floats, left: float, right: float) -> tuple[Floats, Floats]:
    """Points and densities: denser in the middle and, for small priors, at the ends."""
    count = 20 if np.size(getattr(law, "weights", 1)) > 20_000 else 100  # it takes time
    bent = np.sinh(np.linspace(-4, 4, 2 * count)) / math.sinh(4)
    middle, width = float(law.mean()), float(ends[3] - ends[0])
    near = (right - left) * np.geomspace(1e-5, 0.5, count // 2)
    x = np.concatenate([left + near, right - near, middle + width * bent, ends[1:3], [left, right]])
    x = np.unique(np.clip(x, left, right))
    x = x[(x > 0) & (x < 1)]
    return x, np.asarray(law.pdf(x))


def _height(law: Any, density: Floats) -> float:
    """The highest density; where it is unbounded, of averages over tenths."""
    if np.isinf(law.pdf(np.array([0.0, 1.0]))).any():
        return float(np.diff(law.cdf(np.linspace(0, 1, 11))).max() * 10)
    return float(density.max())


def _plain_axis(ax: Axes, name: str, limits: tuple[float, float] | None = (0.0, 1.0)) -> None:
    """Few ticks with all their digits, no offset to be added in the head."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    if limits is not None:
        low, high = ax.get_xlim()
        room = 0.01 * (high - low)
        ax.set_xlim(max(low, limits[0] - room), min(high, limits[1] + room))
    ax.xaxis.set_major_locator(MaxNLocator(5))
    formatter = ScalarFormatter(useOffset=False)
    formatter.set_scientific(False)
    ax.xaxis.set_major_formatter(formatter)
    ax.set_xlabel(name)


def numbers(width: float, *values: float) -> str:
    """Numbers with the digits that a width between them asks for: 0.41 – 0.59."""
    places = min(max(2, 1 - math.floor(math.log10(max(width, 1e-15)))), 15)
    return " – ".join(f"{value:.{places}f}" for value in values)


def short(label: Category, most: int = 24) -> str:
    """A label on one short line."""
    text = str(label)
    return plain_text(text if len(text) <= most else f"{text[: most - 1]}…")


def plain_text(text: str) -> str:
    """Text in which matplotlib finds no formulas."""
    return text.replace("$", r"\$")
