"""The first page: what every mechanism would do at made-up counts."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from nicegui import background_tasks, ui

from discreet.errors import DiscreetError
from discreet.explorer import charts, layout
from discreet.explorer.computing import Computer
from discreet.explorer.previews import (
    Errors,
    Fan,
    Missing,
    Setting,
    Widths,
    made,
    number,
    read_setting,
    sketched,
)
from discreet.making import MECHANISMS

# counts of public data sets (UCI), and of the papers
KNOWN = {
    "Immunotherapy: cured or not": (71, 19),
    "Immunotherapy: type of wart": (47, 22, 21),
    "Cryotherapy: cured or not": (48, 42),
    "Cryotherapy: type of wart": (54, 9, 27),
    "Bike sharing: working day or not": (500, 231),
    "Bike sharing: weather": (463, 247, 21),
    "Badges": (210, 84),
}
SKETCH = "Sketch proportions"
TYPED = "Type counts"
FIRST = ("lattice", "ls_hist", "ehds")
MANY = 20_000  # draws of an estimate after its first showing
_HEAD = (
    "mechanism",
    "mean error",
    "95 % error",
    "P(exact)",
    "ε proved",
    "exact loss",
    "× limit",
    "95 % interval",
)
WAITING = "…"


class Design:
    """One open page."""

    def __init__(self, computer: Computer, dark: ui.dark_mode) -> None:
        self.computer, self.dark = computer, dark
        self.work: asyncio.Task[None] | None = None
        self.found: dict[tuple[str, str], Any] = {}
        with ui.row().classes("w-full no-wrap max-[900px]:flex-wrap items-start gap-4"):
            with ui.column().classes("side gap-3"):
                self._controls()
            with ui.column().classes("main gap-3"):
                self._panels()
        self.changed()

    # ---- what can be chosen --------------------------------------------------------------------

    def _controls(self) -> None:
        layout.heading(2, "At which counts?")
        sources = [TYPED, SKETCH, *KNOWN]
        self.source = ui.select(sources, value=next(iter(KNOWN)), label="Data").classes("w-full")
        self.source.on_value_change(self._chosen)
        self.counts = ui.input("Counts, made up or public", value="71, 19").classes("w-full")
        self.shares = ui.input("Proportions", value="80, 20").classes("w-full")
        self.size = ui.input("Records", value="90").classes("w-full")
        self.prior = ui.input("Prior (one number, or one per category)", value="1")
        self.prior.classes("w-full")
        layout.heading(2, "How private?")
        self.epsilon = ui.input("ε", value="1").classes("w-full")
        self.slider = ui.slider(min=-20, max=20, step=1, value=0)
        layout.labelled(self.slider, "epsilon from 0.01 to 100, on a logarithmic scale")
        self.slider.on("update:model-value", self._slid, throttle=0.1)
        layout.heading(2, "Mechanisms")
        with (
            ui.element("fieldset")
            .classes("w-full grid grid-cols-2 gap-1")
            .props('aria-label="Mechanisms"')
        ):
            self.boxes = {
                name: ui.checkbox(name, value=name in FIRST, on_change=self.changed).props("dense")
                for name in dict.fromkeys(("lattice", "optimal", *MECHANISMS))
            }
        self.problem = layout.Problem()
        for field in (self.counts, self.shares, self.size, self.prior, self.epsilon):
            field.on_value_change(self.changed)
        self._shown()

    def _panels(self) -> None:
        with ui.element("div").classes("cards"):
            with ui.card():
                layout.heading(2, "How far from the true posterior?")
                self.error_chart = ui.echart({}).classes("w-full h-72")
                self.error_note = ui.label().classes("note")
            with ui.card():
                layout.heading(2, "What may be released?")
                with ui.row().classes("w-full"):
                    self.shown = ui.select(list(FIRST), value="lattice", label="Mechanism")
                    self.category = ui.select({0: "A"}, value=0, label="Category")
                    for field in (self.shown, self.category):
                        field.props("dense").classes("min-w-32")
                        field.on_value_change(self.changed)
                self.fan_chart = ui.echart({}).classes("w-full h-72")
                self.fan_note = ui.label().classes("note")
        with ui.card().classes("w-full"):
            layout.heading(2, "In figures")
            self.table = layout.Figures("Errors are Hellinger distances at these counts.")
            self.notes = ui.label().classes("note whitespace-pre-line")

    # ---- what changes --------------------------------------------------------------------------

    def _chosen(self) -> None:
        if self.source.value in KNOWN:
            self.counts.value = ", ".join(map(str, KNOWN[self.source.value]))
        self._shown()
        self.changed()

    def _shown(self) -> None:
        sketch = self.source.value == SKETCH
        self.counts.set_visibility(not sketch)
        self.shares.set_visibility(sketch)
        self.size.set_visibility(sketch)

    def _slid(self) -> None:
        self.epsilon.value = f"{10 ** (self.slider.value / 10):.3g}"

    def _setting(self) -> Setting:
        counts: object = self.counts.value
        if self.source.value == SKETCH:
            shares = str(self.shares.value).replace(",", " ").split()
            parts = [number("proportions", share) for share in shares]
            counts = sketched(parts, number("records", str(self.size.value)))
        return read_setting(counts, self.prior.value, str(self.epsilon.value))

    def changed(self) -> None:
        """Compute anew; what an earlier change asked for is left."""
        if self.work is not None:
            self.work.cancel()
        try:
            setting = self._setting()
        except DiscreetError as error:
            self.problem.say(f"{error}.")
            return
        self.problem.say("")
        names = [name for name, box in self.boxes.items() if box.value]
        if not names:
            self.problem.say("Choose a mechanism.")
            return
        place = round(10 * math.log10(setting.epsilon))
        if self.slider.value != place and -20 <= place <= 20:
            self.slider.value = place
        self._choices(setting, names)
        self.work = background_tasks.create(self._compute(setting, names))

    def _choices(self, setting: Setting, names: list[str]) -> None:
        """The mechanisms and categories that a fan can be shown of."""
        letters = dict(enumerate(setting.model.categories))
        if self.category.options != letters:
            kept = self.category.value if self.category.value in letters else 0
            self.category.set_options(letters, value=kept)
        if self.shown.options != names:
            kept = self.shown.value if self.shown.value in names else names[0]
            self.shown.set_options(names, value=kept)

    async def _compute(self, setting: Setting, names: list[str]) -> None:
        self.found = {}
        ask = self.computer.figure
        firsts = [ask("errors", setting, name) for name in names]
        fan = ask("fan", setting, self.shown.value, self.category.value)
        *laws, fanned = await asyncio.gather(*firsts, fan)
        for name, law in zip(names, laws, strict=True):
            self.found["errors", name] = law
        self._draw(setting, names, fanned)
        for kind in ("loss", "widths", "averaged"):
            await asyncio.gather(*(self._one(kind, setting, names, name) for name in names))
        self.found["limit", ""] = await ask("limit", setting)
        self._fill(setting, names)
        for name in names:
            law = self.found["errors", name]
            if isinstance(law, Errors) and law.draws:
                self.found["errors", name] = await ask("errors", setting, name, MANY)
                self._draw(setting, names, fanned)

    async def _one(self, kind: str, setting: Setting, names: list[str], name: str) -> None:
        self.found[kind, name] = await self.computer.figure(kind, setting, name)
        self._fill(setting, names)

    # ---- what is shown -------------------------------------------------------------------------

    def _draw(self, setting: Setting, names: list[str], fanned: Fan | Missing) -> None:
        dark = bool(self.dark.value)
        laws = {name: self.found["errors", name] for name in names}
        known = {name: law for name, law in laws.items() if isinstance(law, Errors)}
        show_chart(self.error_chart, charts.error_chart(known, dark))
        estimated = [f"{name} ({law.draws:,} draws)" for name, law in known.items() if law.draws]
        words = "Exact." if not estimated else f"Estimated: {', '.join(estimated)}; else exact."
        missing = [f"{n}: not computable here, {m.reason}." for n, m in _missing(laws).items()]
        self.error_note.set_text(" ".join([words, *missing]))
        if isinstance(fanned, Fan):
            letter = str(setting.model.categories[self.category.value])
            show_chart(self.fan_chart, charts.fan_chart(self.shown.value, fanned, letter, dark))
            how = f"{fanned.draws:,} draws" if fanned.draws else "exact"
            self.fan_note.set_text(
                "Half of all releases lie between the dashed lines, 95 % between the dotted ones "
                f"({how})."
            )
        else:
            show_chart(self.fan_chart, {})
            self.fan_note.set_text(f"Not computable here: {fanned.reason}.")
        self._fill(setting, names)

    def _fill(self, setting: Setting, names: list[str]) -> None:
        limit = self.found.get(("limit", ""))
        rows = []
        for name in names:
            law = self.found.get(("errors", name))
            cells = [name, "–", "–", "–"]
            if isinstance(law, Errors):
                cells = [name, f"{law.mean:.4g}", f"{law.error_95:.4g}", f"{law.exact:.3g}"]
            averaged = self.found.get(("averaged", name), WAITING)
            ratio = averaged
            if isinstance(averaged, float):
                ratio = averaged / limit if isinstance(limit, float) and limit else WAITING
            if isinstance(limit, Missing):
                ratio = limit
            cells += [_proved(setting, name), _cell(self.found.get(("loss", name), WAITING))]
            cells += [_cell(ratio), _cell(self.found.get(("widths", name), WAITING))]
            rows.append(cells)
        self.table.show(_HEAD, rows)
        self.notes.set_text("\n".join(self._remarks(names, limit)))

    def _remarks(self, names: list[str], limit: Any) -> list[str]:
        said = []
        if isinstance(limit, float):
            said.append(
                f"No private mechanism has an error below {limit:.4g}, averaged over all counts."
            )
        exact = next(
            (w.exact for (kind, _), w in self.found.items() if isinstance(w, Widths)), None
        )
        if exact is not None:
            said.append(
                "95 % interval: the expected width if the noise is accounted for; without privacy "
                f"{exact:.4g}."
            )
        reasons: dict[str, list[str]] = {}
        for (_, name), value in self.found.items():
            if isinstance(value, Missing):
                reasons.setdefault(value.reason, []).append(name or "limit")
        said += [f"– {', '.join(dict.fromkeys(who))}: {why}." for why, who in reasons.items()]
        return said


def _proved(setting: Setting, name: str) -> str:
    try:
        guarantee = made(setting, name).guarantee
    except DiscreetError:
        return "–"
    return f"{float(guarantee.epsilon):.4g}" if guarantee.private else "not private"


def _missing(laws: dict[str, Any]) -> dict[str, Missing]:
    return {name: law for name, law in laws.items() if isinstance(law, Missing)}


def _cell(value: Any) -> str:
    if isinstance(value, Widths):
        return f"{value.noisy:.4g}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if isinstance(value, Missing) else str(value)


def show_chart(chart: ui.echart, options: dict[str, Any]) -> None:
    """Replace what a chart shows."""
    chart.options.clear()
    chart.options.update(options)
    chart.update()
