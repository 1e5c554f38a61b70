"""The first page: what every mechanism would do at made-up counts."""

from __future__ import annotations

import asyncio
import math

from nicegui import background_tasks, ui

from discreet.errors import DiscreetError, InputError
from discreet.explorer import layout
from discreet.explorer.computing import Computer
from discreet.explorer.layout import Desk, Slider
from discreet.explorer.panels import Panels
from discreet.explorer.previews import MANY, Errors, audited_at_once, weighty
from discreet.explorer.settings import (
    MOST_CATEGORIES,
    Setting,
    letters,
    read_setting,
    sketched,
    whole_number,
)
from discreet.families.dirichlet import FAMILY

# counts of public data sets (UCI)
KNOWN: dict[str, dict[str, int]] = {
    "Immunotherapy: result": {"cured": 71, "not cured": 19},
    "Immunotherapy: type of wart": {"common": 47, "plantar": 22, "both": 21},
    "Cryotherapy: result": {"cured": 48, "not cured": 42},
    "Cryotherapy: type of wart": {"common": 54, "plantar": 9, "both": 27},
    "Bike sharing: working day": {"yes": 500, "no": 231},
    "Bike sharing: weather": {"clear": 463, "mist": 247, "rain": 21},
    "Badges": {"+": 210, "-": 84},
}
TYPED, SKETCH = "Type counts", "Sketch proportions"
FIRST = ("lattice", "ls_hist", "ehds")
SLIDER = (-2.0, 2.0)  # powers of ten


class Design:
    """One open page."""

    def __init__(self, computer: Computer, desk: Desk) -> None:
        self.computer, self.desk = computer, desk
        self.work: asyncio.Task[None] | None = None
        with ui.element("div").classes("columns"):
            with ui.column().classes("side gap-2"):
                self._controls()
            with ui.column().classes("main gap-3"):
                self.panels = Panels(self.changed)
        self._chosen()

    # ---- what can be chosen --------------------------------------------------------------------

    def _controls(self) -> None:
        keep = self.desk.keep
        layout.heading(2, "At which counts?")
        sources = [TYPED, SKETCH, *KNOWN]
        self.source = keep("source", ui.select(sources, value=next(iter(KNOWN)), label="Data"))
        self.counts = keep("counts", ui.input("Counts, made up or public", value="71, 19"))
        self.number = keep(
            "number", ui.select(list(range(2, MOST_CATEGORIES + 1)), value=3, label="Categories")
        )
        self.size = keep("size", ui.input("Records", value="600"))
        self.sketch = ui.column().classes("w-full gap-0")
        self.shares: list[Slider] = []
        self.prior = keep(
            "prior", ui.input("Prior: a number, one per category, or jeffreys", value="1")
        )
        layout.heading(2, "How private?")
        self.epsilon = keep("epsilon", ui.input("ε", value="1"))
        self.slider = Slider("ε on a logarithmic scale", *SLIDER, 0.0, self._slid)
        layout.heading(2, "Mechanisms")
        with ui.element("fieldset").classes("w-full grid grid-cols-2 gap-1") as group:
            group.props('aria-label="Mechanisms"')
            self.boxes = {
                name: keep(f"box {name}", ui.checkbox(name, value=name in FIRST)).props("dense")
                for name in dict.fromkeys(("lattice", "optimal", *FAMILY.mechanisms))
            }
        self.problem = layout.Problem()
        for field in (self.source, self.counts, self.number, self.size, self.prior, self.epsilon):
            field.classes("w-full")
        self.source.on_value_change(self._chosen)
        self.number.on_value_change(self._chosen)
        for field in (self.counts, self.size, self.prior, self.epsilon):
            field.on_value_change(self.changed)
        for box in self.boxes.values():
            box.on_value_change(self.changed)

    def _chosen(self) -> None:
        """Show the fields of this source of counts."""
        known = KNOWN.get(str(self.source.value))
        if known is not None:
            self.counts.set_value(", ".join(map(str, known.values())))
        sketch = self.source.value == SKETCH
        self.counts.set_visibility(not sketch)
        for field in (self.number, self.size, self.sketch):
            field.set_visibility(sketch)
        if sketch and len(self.shares) != self.number.value:
            self.sketch.clear()
            with self.sketch:
                self.shares = [
                    Slider(
                        f"share of {letter}", 0, 100, 100 / (2 + place), lambda _: self.changed()
                    )
                    for place, letter in enumerate(letters(int(self.number.value)))
                ]
        self.changed()

    def _slid(self, power: float) -> None:
        self.epsilon.set_value(f"{10**power:.2g}")

    # ---- what changes --------------------------------------------------------------------------

    def _setting(self) -> tuple[Setting, list[str]]:
        """The setting, and the names of its categories."""
        prior, epsilon = str(self.prior.value), str(self.epsilon.value)
        if self.source.value == SKETCH:
            shares = [round(slider.value) for slider in self.shares]
            counts = sketched(shares, whole_number("records", str(self.size.value)))
            setting = read_setting(counts, prior, epsilon)
            for slider, letter, count in zip(
                self.shares, letters(len(counts)), counts, strict=True
            ):
                slider.show(slider.value, f"{letter}: {count:,} records", visible=True)
        else:
            setting = read_setting(str(self.counts.value), prior, epsilon)
        known = KNOWN.get(str(self.source.value), {})
        if tuple(known.values()) == setting.counts:
            return setting, list(known)
        return setting, letters(len(setting.counts))

    def changed(self) -> None:
        """Compute anew; what an earlier change asked for is left."""
        if self.work is not None:
            self.work.cancel()
        try:
            setting, labels = self._setting()
            names = [name for name, box in self.boxes.items() if box.value]
            if not names:
                raise InputError("mechanisms must be chosen: one at least", "mechanisms")
        except DiscreetError as error:
            self.problem.say(f"{error}.")
            self.panels.leave(layout.beside(error))
            return
        self.problem.say("")
        power = math.log10(setting.epsilon)
        stands = min(max(power, SLIDER[0]), SLIDER[1])
        if abs(self.slider.value - stands) > 0.03:
            self.slider.show(stands, f"ε = {self.epsilon.value}")
        self.panels.begin(setting, names, labels)
        self.work = background_tasks.create(self._compute(setting, names))

    def close(self) -> None:
        """The page is gone."""
        if self.work is not None:
            self.work.cancel()

    async def _compute(self, setting: Setting, names: list[str]) -> None:
        """First what is quick, then the rest, then estimates with more draws."""
        ask, panels = self.computer.figure, self.panels

        async def one(kind: str, name: str, *more: object, patient: bool = False) -> None:
            arguments = (setting, name, *more) if name else (setting,)
            panels.take(kind, name, await ask(kind, *arguments, patient=patient))

        shown = panels.mechanism
        async with layout.meanwhile(panels.draw):
            await asyncio.gather(
                one("fan", shown, panels.category, patient=weighty(setting, shown)),
                *(one("proved", name) for name in names),
                *(one("errors", name, patient=weighty(setting, name)) for name in names),
            )
        panels.draw()

        laws = {name: panels.found.get(("errors", name)) for name in names}
        rough = [name for name, law in laws.items() if isinstance(law, Errors) and law.draws]
        several = len(setting.counts) > 2  # whose intervals take longer
        large = not audited_at_once(setting)
        async with layout.meanwhile(panels.draw):
            await asyncio.gather(
                *(one("loss", name, patient=large) for name in names),
                one("limit", ""),
                *(one("averaged", name) for name in names),
                *(one("widths", name, patient=several) for name in names),
                *(one("errors", name, MANY, patient=True) for name in rough),
            )
        panels.draw()
