"""Budgets over time: what was spent of what was granted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import check
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.plots import new_axes, titled
from discreet.plots.labels import label_lines
from discreet.plots.posteriors import plain_text, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHOWN = 6
_MINUTE = 1 / 1440  # days
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00")
_MARKS = {
    "unfinished": ("o", "circle: charged, outcome unknown"),
    "refused": ("x", "cross: refused"),
}


class Spending(NamedTuple):
    """The history of one data set: its state after each of its entries, in order.

    `times` are datetimes or ISO 8601 text, in UTC unless they say otherwise; `spent` and `budget`
    the ε; `marks` "" or one of "unfinished" (charged, outcome unknown) and "refused" (nothing was
    charged).
    """

    times: Sequence[datetime | str]
    spent: Sequence[float]
    budget: Sequence[float]
    marks: Sequence[str] = ()


class _Steps(NamedTuple):
    """The same in days, and what is spent and granted as floats."""

    days: Floats
    spent: Floats
    budget: Floats
    marks: tuple[str, ...]

    @property
    def part(self) -> float:
        """How much of the budget is spent."""
        return float(self.spent[-1] / self.budget[-1]) if self.budget[-1] > 0 else 1.0


def plot_budget(histories: Mapping[str, Spending], ax: Axes | None = None, title: str = "") -> Axes:
    """Spent ε as a step line below the budget, dashed, for up to six data sets by name.

    Of more those are shown that have spent the largest part of their budget.
    """
    if not histories:
        raise InputError("histories must have at least one data set", "histories")
    ax = new_axes(ax)
    steps = {name: _read(name, Spending(*history)) for name, history in histories.items()}
    chosen = sorted(steps, key=lambda name: -steps[name].part)[:MOST_SHOWN]
    shown = {name: steps[name] for name in steps if name in chosen}
    first = min(float(history.days[0]) for history in shown.values())
    last = max(float(history.days[-1]) for history in shown.values())
    margin = max(0.04 * (last - first), _MINUTE)
    lines = {}
    for (name, history), colour in zip(shown.items(), _COLOURS, strict=False):
        days = np.append(history.days, last + margin)
        words = f"{short(name)}: {history.spent[-1]:.4g} of {history.budget[-1]:.4g}"
        (lines[words],) = ax.plot(*_stairs(days, history.spent), color=colour, linewidth=1.8)
        _mark(ax, history, colour)
    for words, (days, budget, colour) in _limits(shown).items():
        x, y = _stairs(np.append(days, last + margin), budget)
        (lines[words],) = ax.plot(x, y, color=colour, linewidth=1.2, dashes=(4, 2))
    ax.set_xlim(first - margin, last + margin)
    ax.set_ylim(0, 1.15 * max(float(history.budget.max()) for history in shown.values()) or 1.0)
    ax.set_ylabel("spent ε")
    _time_axis(ax, shown.values())
    label_lines(ax, lines)
    more = len(steps) - len(shown)
    return titled(ax, plain_text(title), f"… and {more} more data sets" if more else "")


def _read(name: str, history: Spending) -> _Steps:
    """Days since 1970 and floats, or a refusal."""
    from matplotlib.dates import date2num

    size = len(history.times)
    marks = tuple(history.marks) or ("",) * size
    if not size or any(len(column) != size for column in (history.spent, history.budget, marks)):
        raise InputError(
            f"histories[{check.brief(name)}] must have times, spent, budget and marks of one "
            "length, and at least one entry",
            "histories",
        )
    for mark in marks:
        check.choice("marks", mark, ("", *_MARKS))
    times = [_time(value) for value in history.times]
    days: Floats = date2num(times)  # type: ignore[no-untyped-call]
    if (np.diff(days) < 0).any():
        raise InputError(f"histories[{check.brief(name)}] must be in order of time", "histories")
    spent, budget = check.reals("spent", history.spent), check.reals("budget", history.budget)
    if not (np.isfinite(spent).all() and np.isfinite(budget).all()):
        raise InputError("spent and budget must be finite", "histories")
    return _Steps(days, spent, budget, marks)


def _time(value: object) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InputError(f"times must be ISO 8601, got {check.brief(value)}", "times") from None
    if not isinstance(value, datetime):
        raise InputError(f"times must be datetimes or text, got {check.brief(value)}", "times")
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _stairs(days: Floats, values: Floats) -> tuple[Floats, Floats]:
    """A line that stays at each value until the next."""
    return np.repeat(days, 2)[1:-1], np.repeat(values, 2)


def _limits(shown: Mapping[str, _Steps]) -> dict[str, tuple[Floats, Floats, str]]:
    """The budgets' lines; data sets with one constant budget in common share a grey one."""
    values = {name: set(history.budget.tolist()) for name, history in shown.items()}
    if len(shown) > 1 and len(set.union(*values.values())) == 1:
        earliest = min(shown.values(), key=lambda history: float(history.days[0]))
        return {"budget of each": (earliest.days[:1], earliest.budget[:1], "#404040")}
    words = "budget" if len(shown) == 1 else "budget of {}"
    return {
        words.format(short(name)): (history.days, history.budget, colour)
        for (name, history), colour in zip(shown.items(), _COLOURS, strict=False)
    }


def _mark(ax: Axes, history: _Steps, colour: str) -> None:
    for kind, (marker, _) in _MARKS.items():
        there = np.array([mark == kind for mark in history.marks])
        if there.any():
            ax.plot(
                history.days[there],
                history.spent[there],
                marker,
                color=colour,
                markersize=7,
                markerfacecolor="white",
                markeredgewidth=1.6,
                zorder=3,
            )


def _time_axis(ax: Axes, histories: Iterable[_Steps]) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(minticks=3, maxticks=7)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    used = {mark for history in histories for mark in history.marks}
    words = [text for mark, (_, text) in _MARKS.items() if mark in used]
    ax.set_xlabel("\n".join(["time (UTC)", "; ".join(words)] if words else ["time (UTC)"]))
