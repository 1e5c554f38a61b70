"""P(node | parents): means and intervals, below one another for every configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from discreet.check import Category
from discreet.exact import Floats
from discreet.plots.posteriors import (
    BLUE,
    GROUPS,
    MOST_ROWS,
    NAMES,
    Row,
    plain_text,
    plot_rows,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# from the place of a row and a number of states to their means and the quantiles that are drawn
Marks: TypeAlias = Callable[[int, int], tuple[Floats, Floats]]
_LONGEST = 32  # letters of a label


def plot_table(
    node: tuple[str, Sequence[Category]],
    parents: Sequence[str],
    configurations: Sequence[Sequence[Category]],
    plain: Marks | None,
    noise_aware: Marks | None,
    *,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = NAMES,
) -> Axes:
    """Intervals of P(node | parents), one colour per state; of two states the first.

    Args:
        node: its name and its states.
        parents: its parents.
        configurations: their states in every row of the table.
        plain: the marks of a row if the released counts are taken as true.
        noise_aware: the marks of a row if they are not.
        ax: where to draw.
        title: small print above.
        names: what to call the two.
    """
    name, states = node
    k = 1 if len(states) == 2 else len(states)
    colours = GROUPS if 1 < k <= len(GROUPS) else (BLUE,)
    rows: list[Row] = []
    left = len(configurations) * k
    for place, label in enumerate(_labels(parents, configurations)):
        if rows and len(rows) + k > MOST_ROWS:
            break
        aware, below = (_lines(law, place, k) for law in (noise_aware, plain))
        if k > 1 and label:
            rows.append(Row(short(label, _LONGEST)))
            label = ""
        for i in range(k):
            text = short(label or states[i], _LONGEST)
            rows.append(Row(text, aware[i], below[i], colours[i % len(colours)]))
        left -= k
    left += sum(not row.is_heading for row in rows[MOST_ROWS:])
    given = f" | {', '.join(parents)}" if parents else ""
    event = f"{name} = {states[0]}" if k == 1 else name
    axis = plain_text(f"P({event}{given})")
    return plot_rows(rows[:MOST_ROWS], left, ax, title, names, axis)


def _lines(law: Marks | None, place: int, k: int) -> list[tuple[float, Floats] | None]:
    if law is None:
        return [None] * k
    return [(float(mean), quantiles) for mean, quantiles in zip(*law(place, k), strict=True)]


def _labels(parents: Sequence[str], configurations: Sequence[Sequence[Category]]) -> list[str]:
    """smoke=yes, age=3; where that is long, only the states."""
    named = [
        ", ".join(f"{name}={state}" for name, state in zip(parents, states, strict=True))
        for states in configurations
    ]
    if max(map(len, named)) <= _LONGEST:
        return named
    return [", ".join(map(str, states)) for states in configurations]
