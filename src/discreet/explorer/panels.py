"""The panels of the design space: charts and a table of the figures that have come so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

from nicegui import ui

from discreet.explorer import charts, layout
from discreet.explorer.charts import Bar
from discreet.explorer.layout import Panel
from discreet.explorer.previews import FEW, Average, Errors, Fan, Loss, Missing, Proved, Widths
from discreet.explorer.settings import Setting

HEAD = (
    "mechanism",
    "mean error",
    "95 % error",
    "P(exact)",
    "ε proved",
    "privacy loss",
    "× limit",
    "95 % interval",
)
WAITING, ABSENT = "…", "not computable here"


class Panels:
    """What is shown of a setting."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.found: dict[tuple[str, str], Any] = {}
        self.names: list[str] = []
        self.labels: list[str] = []
        self.setting: Setting | None = None
        self._new: set[str] = set()
        self._begun = False
        with ui.element("div").classes("cards"):
            errors = Panel(
                "How far from the true posterior?", "The law of the error of every mechanism"
            )
            fan = Panel("What may be released?", "Released posteriors around the true one")
        with fan.controls:
            self._mechanism = ui.select(["lattice"], value="lattice", label="Mechanism")
            self._category = ui.select({0: "A"}, value=0, label="Category")
            for field in (self._mechanism, self._category):
                field.props("dense").classes("min-w-32")
                field.on_value_change(lambda: None if self._begun else changed())
        with ui.element("div").classes("cards thirds"):
            loss = Panel("What does it really lose?", "Privacy loss of every mechanism", "h-56")
            averaged = Panel(
                "How near to the best possible?",
                "Average error of every mechanism and the limit",
                "h-56",
            )
            widths = Panel(
                "How wide are the intervals?", "Expected width of the 95 % interval", "h-56"
            )
        with ui.card().classes("w-full"):
            layout.heading(2, "In figures")
            self._figures = layout.Answer()
            with self._figures:
                self.table = layout.Figures("Errors are Hellinger distances at these counts")
        # of each kind of figure: its panel, what draws it, and what else it shows
        self._drawings: dict[str, tuple[Panel, Callable[[Panel], None], set[str]]] = {
            "errors": (errors, self._draw_errors, set()),
            "fan": (fan, self._draw_fan, set()),
            "loss": (loss, self._draw_losses, {"proved"}),
            "averaged": (averaged, self._draw_averages, {"limit"}),
            "widths": (widths, self._draw_widths, set()),
        }

    @property
    def mechanism(self) -> str:
        """Whose releases are shown."""
        return str(self._mechanism.value)

    @property
    def category(self) -> int:
        """Which category they are shown of."""
        return int(self._category.value or 0)

    def begin(self, setting: Setting, names: list[str], labels: list[str]) -> None:
        """New figures are on their way."""
        self._begun = True  # what is set here is no choice of the user
        self.setting, self.names, self.labels, self.found = setting, names, labels, {}
        self._new.clear()
        options = dict(enumerate(labels))
        if self._category.options != options:
            self._category.set_options(options, value=min(self.category, len(labels) - 1))
        if self._mechanism.options != names:
            kept = self.mechanism if self.mechanism in names else names[0]
            self._mechanism.set_options(names, value=kept)
        self._begun = False
        for answer in self._answers():
            answer.waits()

    def leave(self, why: str) -> None:
        """What is shown is not of what is typed."""
        for answer in self._answers():
            answer.dim(why)

    def _answers(self) -> list[layout.Answer]:
        return [self._figures, *(panel.answer for panel, _, _ in self._drawings.values())]

    def take(self, kind: str, name: str, figure: Any) -> None:
        """A figure has come; an estimate stays where a better one does not come."""
        if isinstance(figure, Missing) and isinstance(self.found.get((kind, name)), Errors):
            return
        self.found[kind, name] = figure
        self._new.add(kind)

    def draw(self) -> None:
        """Show what has come since the last time; what has not keeps its old picture, dimmed."""
        for kind, (panel, draw, others) in self._drawings.items():
            if self._new & {kind, *others} and self._ready(kind):
                draw(panel)
        if self._new:
            self._fill()
        self._new.clear()

    def _ready(self, kind: str) -> bool:
        """Whether there is a number to draw, or none will come."""
        names = [self.mechanism] if kind == "fan" else self.names
        come = [self.found[kind, name] for name in names if (kind, name) in self.found]
        return len(come) == len(names) or not all(isinstance(value, Missing) for value in come)

    def _draw_errors(self, panel: Panel) -> None:
        laws = {name: self.found.get(("errors", name)) for name in self.names}
        known = {name: law for name, law in laws.items() if isinstance(law, Errors)}
        drawn = [f"{name} ({law.draws:,} draws)" for name, law in known.items() if law.draws]
        words = f"Estimated: {', '.join(drawn)}. Else exact." if drawn else "Exact." * bool(known)
        panel.show(charts.error_chart(known), " ".join((words, *self._reasons("errors"))))

    def _draw_fan(self, panel: Panel) -> None:
        found = self.found["fan", self.mechanism]
        if not isinstance(found, Fan):
            panel.show({}, " ".join(self._reasons("fan")))
            return
        label = self.labels[self.category]
        how = f"estimated from {found.draws:,} draws" if found.draws else "exact"
        panel.show(
            charts.fan_chart(self.mechanism, found, label),
            f"The lines enclose that share of all releases ({how}).",
        )

    def _loss(self, name: str) -> Any:
        """The loss; where it is not known, what is proved of it."""
        found, proved = self.found.get(("loss", name)), self.found.get(("proved", name))
        if not isinstance(found, Missing) or not isinstance(proved, Proved):
            return found
        bounds = math.isfinite(proved.epsilon) and not proved.delta
        return Loss(proved.epsilon, theorem=True, bound=True) if bounds else found

    def _deltas(self) -> dict[str, str]:
        """The δ of what is private with one only."""
        found = {name: self.found.get(("proved", name)) for name in self.names}
        return {
            n: f"δ = {p.delta:g}" for n, p in found.items() if isinstance(p, Proved) and p.delta
        }

    def _draw_losses(self, panel: Panel) -> None:
        assert self.setting is not None
        epsilon = float(self.setting.epsilon)
        losses = {name: self._loss(name) for name in self.names}
        by_theorem = [n for n, x in losses.items() if isinstance(x, Loss) and x.theorem]
        bounded = [name for name in by_theorem if losses[name].bound]
        found = [name for name in by_theorem if name not in bounded]
        unknown = [name for name in self.names if name not in bounded]
        said = [f"Found by a theorem, not by an audit: {', '.join(found)}."] if found else []
        said += [f"Of {name} at {shown}." for name, shown in self._deltas().items()]
        said += self._reasons("loss", bounded, "At most what a theorem proves")
        said += self._reasons("loss", unknown)
        panel.show(
            charts.bar_chart(
                {name: _bar(loss) for name, loss in losses.items()},
                "privacy loss over all counts",
                (f"ε = {epsilon:g}", epsilon),
            ),
            " ".join(said),
        )

    def _draw_averages(self, panel: Panel) -> None:
        limit = self.found.get(("limit", ""))
        averages = {name: self.found.get(("averaged", name)) for name in self.names}
        line = (f"limit {limit:.4g}", limit) if isinstance(limit, float) else None
        said = list(dict.fromkeys((*self._reasons("averaged"), *self._reasons("limit"))))
        drawn = [n for n, a in averages.items() if isinstance(a, Average) and a.standard_error]
        if drawn:
            said.insert(0, f"Estimated from {FEW:,} draws at all counts: {', '.join(drawn)}.")
        if line is not None:
            best = f"has an average error below {limit:.4g}."
            said.insert(0, f"No private mechanism that releases counts {best}")
        bars = {name: _bar(average) for name, average in averages.items()}
        panel.show(charts.bar_chart(bars, "error, averaged over all counts", line), " ".join(said))

    def _draw_widths(self, panel: Panel) -> None:
        widths = {name: self.found.get(("widths", name)) for name in self.names}
        exact = next((w.exact for w in widths.values() if isinstance(w, Widths)), None)
        panel.show(
            charts.bar_chart(
                {name: _bar(w) for name, w in widths.items()},
                "expected width, the noise accounted for",
                None if exact is None else (f"without privacy {exact:.3g}", exact),
            ),
            " ".join(self._reasons("widths")),
        )

    def _reasons(
        self, kind: str, of: Sequence[str] | None = None, words: str = "Not computable here"
    ) -> list[str]:
        """Why figures are missing, each reason once."""
        whose: dict[str, list[str]] = {}
        for (other, name), value in self.found.items():
            if other == kind and isinstance(value, Missing) and (of is None or name in of):
                whose.setdefault(value.reason, []).append(name)
        said = []
        for reason, names in whose.items():
            who = f" ({', '.join(names)})" if all(names) else ""
            said.append(f"{words}{who}: {reason}.")
        return said

    def _fill(self) -> None:
        rows = []
        for name in self.names:
            law = self.found.get(("errors", name))
            errors = [law] * 3
            if isinstance(law, Errors):
                errors = [Average(law.mean, law.standard_error), law.error_95, law.exact]
            proved, wide = self.found.get(("proved", name)), self.found.get(("widths", name))
            figures = *errors, proved, self._loss(name), self._ratio(name), wide
            rows.append([name, *map(_cell, figures)])
        self.table.show(HEAD, rows)
        self._figures.fresh()

    def _ratio(self, name: str) -> Any:
        """The average error relative to the limit."""
        averaged, limit = self.found.get(("averaged", name)), self.found.get(("limit", ""))
        if limit == 0:
            return Missing("nothing is relative to 0")
        if isinstance(averaged, Average) and isinstance(limit, float):
            return Average(averaged.mean / limit, averaged.standard_error / limit)
        return next((x for x in (averaged, limit) if isinstance(x, Missing)), None)


def _shown(value: Any) -> tuple[float | None, str]:
    """A figure, and how it is written."""
    match value:
        case None:
            return None, WAITING
        case Missing():
            return None, ABSENT
        case Loss(bound, bound=True):
            above = Context(prec=4, rounding=ROUND_CEILING).create_decimal(bound)
            return bound, f"≤ {above.normalize():f} (theorem)"
        case Loss(number, by_theorem):
            return number, f"{number:.4g}{' (theorem)' * by_theorem}"
        case Proved(epsilon, delta):
            return epsilon, _shown(epsilon)[1] + (f", δ = {delta:g}" if delta else "")
        case Average(mean, error):
            return mean, f"{mean:.4g}" + (f" ± {error:.1g}" if error else "")
        case Widths(number):
            return number, f"{number:.4g}"
    return value, "none" if math.isinf(value) else f"{value:.4g}"


def _cell(value: Any) -> str:
    return "–" if isinstance(value, Missing) else _shown(value)[1]


def _bar(value: Any) -> Bar:
    return Bar(*_shown(value), hollow=isinstance(value, Loss) and value.bound)
