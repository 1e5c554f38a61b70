"""The second page: what an epsilon buys, and the release itself."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from fractions import Fraction
from typing import Any

from nicegui import background_tasks, ui

from discreet import check, text_input
from discreet.data.files import known_columns
from discreet.errors import DiscreetError, InputError
from discreet.explorer import charts, layout
from discreet.explorer.computing import Computer
from discreet.explorer.layout import Chart, Desk
from discreet.explorer.orders import ADJACENCIES, SAFE, UNKNOWN, read_order
from discreet.explorer.previews import MANY, Errors, Missing, Widths, weighty
from discreet.explorer.results import Result
from discreet.explorer.settings import Setting, numbers, sketched, whole_number

OTHERS = tuple(10 ** (sign * step / 4) for step in range(1, 5) for sign in (1, -1))  # of the curve
ENOUGH = 3  # points that show how it runs
TEXTS = {  # name, label, placeholder
    "data": ("File on this machine", "patients.csv"),
    "column": ("Column", "outcome"),
    "categories": ("Declared categories", "cured, not cured"),
    "where": ("Only records with (optional)", "age >= 50"),
    "unit": ("Whose record: column (optional)", "patient"),
    "max_per_unit": ("Records kept of one", "1"),
    "table": ("Table of a DuckDB file (optional)", "visits"),
}


class Plan:
    """One open page."""

    def __init__(self, computer: Computer, desk: Desk) -> None:
        self.computer, self.desk = computer, desk
        self.work: asyncio.Task[None] | None = None
        self.fields: dict[str, Any] = {}
        with ui.element("div").classes("columns"):
            with ui.column().classes("side gap-1"):
                self._controls()
            with ui.column().classes("main gap-3"):
                self._panels()
        self.changed()

    def _controls(self) -> None:
        fields = self.fields
        layout.heading(2, "What is released?")
        for name, (label, example) in TEXTS.items():
            fields[name] = ui.input(label, placeholder=example)
        fields["unknown"] = ui.select(UNKNOWN, value="error", label="Other values in the column")
        layout.heading(2, "How private?")
        fields["prior"] = ui.input("Prior", value="1")
        fields["epsilon"] = ui.input("ε", value="0.5")
        fields["mechanism"] = ui.select(list(SAFE), value="lattice", label="Mechanism")
        fields["adjacency"] = ui.select(ADJACENCIES, value="substitute", label="What is protected")
        layout.heading(2, "Who pays?")
        fields["ledger"] = ui.input("Ledger", placeholder="budget.db")
        fields["dataset"] = ui.input("Data set", placeholder="trial-7")
        layout.heading(2, "Made up, to see what it buys")
        fields["records"] = ui.input("Records", value="600")
        fields["shares"] = ui.input("Proportions", placeholder="80, 20")
        for name, field in fields.items():
            self.desk.keep(f"plan {name}", field).classes("w-full").on_value_change(self.changed)
        fields["data"].on("blur", self._suggest)

    def _panels(self) -> None:
        with ui.card().classes("w-full"):
            layout.heading(2, "What it buys, at the made-up counts")
            with layout.Answer() as self.curve:
                self.chart = Chart("Expected and 95 % error at this and other ε", "h-64")
            with layout.Answer() as self.words:
                self.bought = ui.label().classes("note whitespace-pre-line")
            self.preview_problem = layout.Problem()
        with ui.card().classes("w-full"):
            layout.heading(2, "Release")
            ui.label("No record is read before you confirm.").classes("note")
            with ui.row().classes("items-center"):
                self.button = ui.button("Release…", on_click=self.ask)
                self.busy = ui.label("Counting and paying…").props('role="status"')
                self.busy.set_visibility(False)
            self.problem = layout.Problem()
            self.result = Result()

    async def _suggest(self) -> None:
        """Columns to choose from, where the file has a schema; of text nothing is read."""
        place = str(self.fields["data"].value or "").strip()
        names: list[str] = []
        with suppress(Exception):  # whatever is wrong with it is said when it is released
            names = await asyncio.to_thread(known_columns, place)
        for field in ("column", "unit"):
            self.fields[field].set_autocomplete(names)

    # ---- what it buys --------------------------------------------------------------------------

    def changed(self) -> None:
        """Show what the release would buy; made-up counts only."""
        if self.work is not None:
            self.work.cancel()
        try:
            setting = self._setting()
        except DiscreetError as error:
            self.preview_problem.say(f"{error}.")
            self.curve.dim(layout.beside(error))
            self.words.dim("")
            return
        self.preview_problem.say("")
        self.curve.waits()
        self.words.dim("")
        name = check.choice("mechanism", self.fields["mechanism"].value, SAFE)
        self.work = background_tasks.create(self._preview(setting, name))

    def close(self) -> None:
        """The page is gone."""
        if self.work is not None:
            self.work.cancel()

    def _setting(self) -> Setting:
        """Nothing of the file is in it."""
        text = {name: str(field.value or "").strip() for name, field in self.fields.items()}
        model = text_input.model_of(text["categories"] or "cured, not cured", text["prior"] or "1")
        size = len(model.categories)
        shares = numbers("proportions", text["shares"]) or [Fraction(1)] * size
        if len(shares) != size:
            raise InputError(
                f"proportions must be {size} numbers, one per category, got {len(shares)}",
                "proportions",
            )
        counts = sketched(shares, whole_number("records", text["records"]))
        epsilon = check.epsilon(check.text_number("epsilon", text["epsilon"]))
        most = 1 if not text["max_per_unit"] else whole_number("max_per_unit", text["max_per_unit"])
        return Setting(counts, model.prior, epsilon, text["adjacency"], max(1, most))

    async def _preview(self, setting: Setting, name: str) -> None:
        """First what is asked for, then what other epsilons would buy, and intervals."""
        law: Errors | Missing = await self.computer.figure(
            "errors", setting, name, patient=weighty(setting, name)
        )
        if isinstance(law, Missing):
            self.chart.show({})
            self.curve.fresh()
            self._say(f"Not computable here: {law.reason}.")
            return
        self._say(_bought(law))
        await asyncio.gather(self._draw(setting, name, law), self._refine(setting, name, law))

    def _say(self, words: str) -> None:
        self.bought.set_text(words)
        self.words.fresh()

    async def _refine(self, setting: Setting, name: str, law: Errors) -> None:
        ask = self.computer.figure
        widths = await ask("widths", setting, name, patient=True)
        self._say(_bought(law, widths))
        if law.draws:
            better = await ask("errors", setting, name, MANY, patient=True)
            if isinstance(better, Errors):
                self._say(_bought(better, widths))

    async def _draw(self, setting: Setting, name: str, law: Errors) -> None:
        """The curve, from where it is asked for outwards; an old one stays until it is a curve."""
        here = float(setting.epsilon)
        points = {here: law}
        for times in OTHERS:
            other = check.rational("epsilon", float(f"{here * times:.3g}"))
            if not check.SMALL <= other <= 10**6:
                continue
            found = await self.computer.figure("errors", setting.at(other), name, patient=True)
            if isinstance(found, Errors):
                points[float(other)] = found
            if len(points) >= ENOUGH:
                self.chart.show(charts.curve_chart(points, here))
                self.curve.fresh()
        self.chart.show(charts.curve_chart(points, here))
        self.curve.fresh()

    # ---- the release ---------------------------------------------------------------------------

    async def ask(self) -> None:
        """Say what it costs, and carry it out if that is confirmed."""
        self.problem.say("")
        self.button.disable()
        try:
            order = read_order({name: field.value for name, field in self.fields.items()})
            words = await asyncio.to_thread(order.in_words)
            if not await self._confirmed(words):
                return
            self.busy.set_visibility(True)
            made = await asyncio.to_thread(order.carry_out)
        except Exception as error:  # whatever it is, a sentence says so
            self.problem.say(layout.sentence(error))
        else:
            if "://" not in order.ledger:
                self.desk.values["budget ledger"] = order.ledger
            self.busy.set_visibility(False)
            await self.result.show(order, made)
        finally:
            self.busy.set_visibility(False)
            self.button.enable()

    async def _confirmed(self, words: list[str]) -> bool:
        with ui.dialog() as dialog, ui.card():
            layout.heading(2, "Spend it?")
            for sentence in words:
                ui.label(sentence)
            with ui.row().classes("w-full justify-end"):
                cancel = ui.button("Cancel", on_click=lambda: dialog.submit(False))
                cancel.props("flat autofocus")
                ui.button("Release and pay", on_click=lambda: dialog.submit(True))
        agreed = bool(await dialog)
        dialog.delete()
        return agreed


def _bought(law: Errors, widths: object = None) -> str:
    """What a release is worth, in words."""
    how = f"estimated from {law.draws:,} draws" if law.draws else "exact"
    words = (
        f"Expected Hellinger distance to the true posterior {law.mean:.3g}, in 95 % of releases "
        f"at most {law.error_95:.3g} ({how})."
    )
    if isinstance(widths, Widths):
        words += (
            f"\nThe 95 % interval is expected to be {widths.noisy:.3g} wide; without privacy "
            f"{widths.exact:.3g}."
        )
    elif isinstance(widths, Missing):
        words += f"\nHow wide the 95 % interval is, is not computable here: {widths.reason}."
    return words
