"""The second page: what an epsilon buys, and the release itself."""

from __future__ import annotations

import asyncio
import base64
import io
import warnings
from contextlib import suppress
from fractions import Fraction
from typing import Any

from nicegui import background_tasks, ui

from discreet import check, typed
from discreet.data.files import known_columns
from discreet.errors import DiscreetError, InputError
from discreet.explorer import charts, exports, layout
from discreet.explorer.computing import Computer
from discreet.explorer.layout import Chart, Desk
from discreet.explorer.orders import ADJACENCIES, SAFE, UNKNOWN, Order, read_order
from discreet.explorer.previews import MANY, Errors, Missing, Widths, weighty
from discreet.explorer.settings import Setting, numbers, sketched, whole_number
from discreet.releases import Release

OTHERS = tuple(10 ** (step / 4) for step in range(-4, 5))  # times epsilon, of the curve
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
            self.chart = Chart("Expected and 95 % error at this and other ε", "h-64")
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
            self.result = ui.column().classes("w-full")

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
            return
        self.preview_problem.say("")
        name = check.choice("mechanism", self.fields["mechanism"].value, SAFE)
        self.work = background_tasks.create(self._preview(setting, name))

    def close(self) -> None:
        """The page is gone."""
        if self.work is not None:
            self.work.cancel()

    def _setting(self) -> Setting:
        """Nothing of the file is in it."""
        text = {name: str(field.value or "").strip() for name, field in self.fields.items()}
        model = typed.model_of(text["categories"] or "cured, not cured", text["prior"] or "1")
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
        ask = self.computer.figure
        async with layout.meanwhile(lambda: self.bought.set_text("…")):
            law: Errors | Missing = await ask(
                "errors", setting, name, patient=weighty(setting, name)
            )
        if isinstance(law, Missing):
            self.bought.set_text(f"Not computable here: {law.reason}.")
            self.chart.show({})
            return
        here = float(setting.epsilon)
        points = {here: law}
        self.chart.show(charts.curve_chart(points, here))
        self.bought.set_text(_bought(law))
        widths = await ask("widths", setting, name, patient=True)
        self.bought.set_text(_bought(law, widths))
        if law.draws:
            better = await ask("errors", setting, name, MANY, patient=True)
            if isinstance(better, Errors):
                points[here] = better
                self.bought.set_text(_bought(better, widths))
        for times in OTHERS:
            other = check.rational("epsilon", float(f"{here * times:.3g}"))
            if other == setting.epsilon or not check.SMALL <= other <= 10**6:
                continue
            found = await ask("errors", setting.at(other), name, patient=True)
            if isinstance(found, Errors):
                points[float(other)] = found
        self.chart.show(charts.curve_chart(points, here))

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
            self._show(order, made)
            with suppress(Exception):  # it is paid for, and shown without a picture
                self._show_picture(await asyncio.to_thread(_picture, made))
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

    def _show(self, order: Order, made: Release) -> None:
        self.result.clear()
        with self.result:
            layout.heading(2, "Released")
            ui.label(str(made.guarantee)).props('role="status"')
            table = layout.Figures("The released posterior: the numbers that were paid for")
            posterior = made.posterior
            rows = zip(posterior.categories, posterior.parameters, posterior.mean(), strict=True)
            table.show(
                ("category", "Dirichlet parameter", "mean"),
                [[str(label), f"{float(a):g}", f"{mean:.4g}"] for label, a, mean in rows],
            )
            with ui.row() as self.downloads:
                for name, file, content in (
                    ("JSON", "release.json", made.to_json()),
                    ("Command", "release.sh", exports.shell_script(order)),
                    ("Script", "release.py", exports.script(order)),
                    ("Notebook", "release.ipynb", exports.notebook(order)),
                ):
                    _download(name, file, content)
            ui.code(exports.command_line(order), language="bash").classes("w-full")

    def _show_picture(self, picture: bytes) -> None:
        with self.downloads:
            _download("PNG", "release.png", picture)
        with self.result:
            shown = base64.b64encode(picture).decode()
            ui.html(
                f'<img alt="The released posterior" style="max-width:100%" '
                f'src="data:image/png;base64,{shown}">',
                sanitize=False,
            )


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
    return words


def _download(name: str, file: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    button = ui.button(name, on_click=lambda: ui.download.content(data, file))
    button.props(f'outline aria-label="Download {file}"')


def _picture(made: Release) -> bytes:
    drawn = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have
        figure: Any = made.plot().figure
        figure.savefig(drawn, format="png", dpi=120, bbox_inches="tight")
    return drawn.getvalue()
