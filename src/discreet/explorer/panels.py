"""The panels of the design space: charts and a table of the figures that have come so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from discreet.explorer import charts, layout
from discreet.explorer.layout import Chart
from discreet.explorer.previews import Errors, Fan, Missing, Widths
from discreet.explorer.settings import Setting

HEAD = (
    "mechanism",
    "mean error",
    "95 % error",
    "P(exact)",
    "ε proved",
    "exact loss",
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
            with ui.card():
                layout.heading(2, "How far from the true posterior?")
                self.error_chart = Chart("The law of the error of every mechanism")
                self.error_note = ui.label().classes("note")
            with ui.card():
                layout.heading(2, "What may be released?")
                with ui.row().classes("w-full"):
                    self._mechanism = ui.select(["lattice"], value="lattice", label="Mechanism")
                    self._category = ui.select({0: "A"}, value=0, label="Category")
                    for field in (self._mechanism, self._category):
                        field.props("dense").classes("min-w-32")
                        field.on_value_change(lambda: None if self._begun else changed())
                self.fan_chart = Chart("Released posteriors around the true one")
                self.fan_note = ui.label().classes("note")
        with ui.element("div").classes("cards thirds"):
            with ui.card():
                layout.heading(2, "What does it really lose?")
                self.loss_chart = Chart("Exact privacy loss of every mechanism", "h-56")
                self.loss_note = ui.label().classes("note")
            with ui.card():
                layout.heading(2, "How near to the best possible?")
                self.limit_chart = Chart("Average error of every mechanism and the limit", "h-56")
                self.limit_note = ui.label().classes("note")
            with ui.card():
                layout.heading(2, "How wide are the intervals?")
                self.width_chart = Chart("Expected width of the 95 % interval", "h-56")
                self.width_note = ui.label().classes("note")
        with ui.card().classes("w-full"):
            layout.heading(2, "In figures")
            self.table = layout.Figures("Errors are Hellinger distances at these counts")

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
        options = dict(enumerate(labels))
        if self._category.options != options:
            self._category.set_options(options, value=min(self.category, len(labels) - 1))
        if self._mechanism.options != names:
            kept = self.mechanism if self.mechanism in names else names[0]
            self._mechanism.set_options(names, value=kept)
        self._begun = False

    def take(self, kind: str, name: str, figure: Any) -> None:
        """A figure has come; an estimate stays where a better one does not come."""
        if isinstance(figure, Missing) and isinstance(self.found.get((kind, name)), Errors):
            return
        self.found[kind, name] = figure
        self._new.add(kind)

    def draw(self) -> None:
        """Show what has come since the last time."""
        drawings = {
            self._draw_errors: {"errors"},
            self._draw_fan: {"fan"},
            self._draw_losses: {"loss", "errors"},  # with the first figures, for the new epsilon
            self._draw_averages: {"averaged", "limit", "errors"},
            self._draw_widths: {"widths", "errors"},
        }
        for draw, kinds in drawings.items():
            if kinds & self._new:
                draw()
        self._new.clear()
        self._fill()

    def _draw_errors(self) -> None:
        laws = {name: self.found.get(("errors", name)) for name in self.names}
        known = {name: law for name, law in laws.items() if isinstance(law, Errors)}
        self.error_chart.show(charts.error_chart(known))
        drawn = [f"{name} ({law.draws:,} draws)" for name, law in known.items() if law.draws]
        words = f"Estimated: {', '.join(drawn)}. Else exact." if drawn else "Exact."
        self.error_note.set_text(" ".join((words, *self._reasons("errors"))))

    def _draw_fan(self) -> None:
        found = self.found.get(("fan", self.mechanism))
        if isinstance(found, Fan):
            label = self.labels[self.category]
            self.fan_chart.show(charts.fan_chart(self.mechanism, found, label))
            how = f"estimated from {found.draws:,} draws" if found.draws else "exact"
            self.fan_note.set_text(f"The lines enclose that share of all releases ({how}).")
        elif isinstance(found, Missing):
            self.fan_chart.show({})
            self.fan_note.set_text(f"Not computable here: {found.reason}.")

    def _draw_losses(self) -> None:
        assert self.setting is not None
        epsilon = float(self.setting.epsilon)
        losses = {name: _bar(self.found.get(("loss", name))) for name in self.names}
        self.loss_chart.show(
            charts.bar_chart(losses, "exact loss over all counts", (f"ε = {epsilon:g}", epsilon))
        )
        self.loss_note.set_text(" ".join(self._reasons("loss")))

    def _draw_averages(self) -> None:
        limit = self.found.get(("limit", ""))
        averages = {name: _bar(self.found.get(("averaged", name))) for name in self.names}
        line = (f"limit {limit:.4g}", limit) if isinstance(limit, float) else None
        self.limit_chart.show(charts.bar_chart(averages, "error, averaged over all counts", line))
        said = list(dict.fromkeys((*self._reasons("averaged"), *self._reasons("limit"))))
        if line is not None:
            said.insert(0, f"No private mechanism has an average error below {limit:.4g}.")
        self.limit_note.set_text(" ".join(said))

    def _draw_widths(self) -> None:
        widths = {name: self.found.get(("widths", name)) for name in self.names}
        exact = next((w.exact for w in widths.values() if isinstance(w, Widths)), None)
        self.width_chart.show(
            charts.bar_chart(
                {name: _bar(w) for name, w in widths.items()},
                "expected width, the noise accounted for",
                None if exact is None else (f"without privacy {exact:.3g}", exact),
            )
        )
        self.width_note.set_text(" ".join(self._reasons("widths")))

    def _reasons(self, kind: str) -> list[str]:
        """Why figures are missing, each reason once."""
        whose: dict[str, list[str]] = {}
        for (other, name), value in self.found.items():
            if other == kind and isinstance(value, Missing):
                whose.setdefault(value.reason, []).append(name)
        said = []
        for reason, names in whose.items():
            who = f" ({', '.join(names)})" if all(names) else ""
            said.append(f"Not computable here{who}: {reason}.")
        return said

    def _fill(self) -> None:
        limit = self.found.get(("limit", ""))
        rows = []
        for name in self.names:
            law = self.found.get(("errors", name))
            cells = [name, WAITING, WAITING, WAITING]
            if isinstance(law, Errors):
                spread = f" ± {law.standard_error:.1g}" if law.draws else ""
                cells[1:] = [f"{law.mean:.4g}{spread}", f"{law.error_95:.4g}", f"{law.exact:.3g}"]
            elif isinstance(law, Missing):
                cells[1:] = ["–"] * 3
            proved = self.found.get(("proved", name))
            cells.append("none" if isinstance(proved, Missing) else _cell(proved))
            averaged = self.found.get(("averaged", name))
            ratio: Any = limit if isinstance(limit, Missing) else averaged
            if isinstance(averaged, float) and isinstance(limit, float) and limit:
                ratio = averaged / limit
            elif isinstance(averaged, float):
                ratio = limit
            widths = self.found.get(("widths", name))
            wide = widths.noisy if isinstance(widths, Widths) else widths
            cells += [_cell(self.found.get(("loss", name))), _cell(ratio), _cell(wide)]
            rows.append(cells)
        self.table.show(HEAD, rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if isinstance(value, Missing) else WAITING


def _bar(value: Any) -> tuple[float | None, str]:
    """A number for a bar, and what is written beside it."""
    if isinstance(value, Widths):
        value = value.noisy
    if isinstance(value, float):
        return value, f"{value:.3g}"
    return None, ABSENT if isinstance(value, Missing) else WAITING
