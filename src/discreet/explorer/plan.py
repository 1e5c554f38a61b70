"""The second page: what an epsilon buys, and the release itself."""

from __future__ import annotations

import asyncio
import io
from typing import Any

from nicegui import background_tasks, ui

from discreet.errors import DiscreetError
from discreet.explorer import charts, layout
from discreet.explorer.computing import Computer
from discreet.explorer.design import show_chart
from discreet.explorer.orders import SAFE, UNKNOWN, Order, read_order
from discreet.explorer.previews import Errors, Setting, Widths, number, sketched
from discreet.releases import Release


class Plan:
    """One open page."""

    def __init__(self, computer: Computer, dark: ui.dark_mode) -> None:
        self.computer, self.dark = computer, dark
        self.work: asyncio.Task[None] | None = None
        with ui.row().classes("w-full no-wrap max-[900px]:flex-wrap items-start gap-4"):
            with ui.column().classes("side gap-2"):
                self._fields()
            with ui.column().classes("main gap-3"):
                self._panels()
        self.changed()

    def _fields(self) -> None:
        layout.heading(2, "What is released?")
        self.data = ui.input("File on this machine", placeholder="patients.csv")
        self.column = ui.input("Column", placeholder="outcome")
        self.categories = ui.input("Declared categories", value="cured, not cured")
        self.prior = ui.input("Prior", value="1")
        self.unknown = ui.select(UNKNOWN, value="error", label="Other values in the column")
        layout.heading(2, "How private?")
        self.epsilon = ui.input("ε", value="0.5")
        self.mechanism = ui.select(list(SAFE), value="lattice", label="Mechanism")
        self.adjacency = ui.select(
            {
                "substitute": "replacing one record (n is public)",
                "add-remove": "adding or removing one record",
            },
            value="substitute",
            label="What is protected",
        )
        layout.heading(2, "Who pays?")
        self.ledger = ui.input("Ledger", placeholder="budget.db")
        self.dataset = ui.input("Data set", placeholder="trial-7")
        layout.heading(2, "Made up, to see what it buys")
        self.size = ui.input("Records", value="90")
        self.shares = ui.input("Proportions", value="80, 20")
        self.fields = (
            *(self.data, self.column, self.categories, self.prior, self.unknown, self.epsilon),
            *(self.mechanism, self.adjacency, self.ledger, self.dataset, self.size, self.shares),
        )
        for field in self.fields:
            field.classes("w-full").on_value_change(self.changed)

    def _panels(self) -> None:
        with ui.card().classes("w-full"):
            layout.heading(2, "What it buys, at the made-up counts")
            self.chart = ui.echart({}).classes("w-full h-64")
            self.bought = ui.label().classes("note whitespace-pre-line")
            self.preview_problem = layout.Problem()
        with ui.card().classes("w-full"):
            layout.heading(2, "Release")
            ui.label("Nothing is read from the file before you confirm.").classes("note")
            self.button = ui.button("Release…", on_click=self.ask)
            self.problem = layout.Problem()
            self.result = ui.column().classes("w-full")

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
        self.work = background_tasks.create(self._preview(setting, str(self.mechanism.value)))

    def _setting(self) -> Setting:
        labels = [part for part in str(self.categories.value).split(",") if part.strip()]
        parts = str(self.shares.value).replace(",", " ").split()
        shares = [number("proportions", part) for part in parts]
        if len(shares) != len(labels):
            shares = [1] * len(labels)
        counts = sketched(shares, number("records", str(self.size.value)))
        order = read_order(
            "made-up", "x", self.categories.value, self.prior.value, self.epsilon.value,
            self.mechanism.value, self.adjacency.value, self.unknown.value, "none", "none",
        )  # fmt: skip
        return Setting(counts, order.model.prior, order.epsilon)

    async def _preview(self, setting: Setting, name: str) -> None:
        law = await self.computer.figure("errors", setting, name)
        if not isinstance(law, Errors):
            self.bought.set_text(f"Not computable here: {law.reason}.")
            return
        show_chart(self.chart, charts.error_chart({name: law}, bool(self.dark.value)))
        how = f"estimated from {law.draws:,} draws" if law.draws else "exact"
        lines = [
            f"Expected Hellinger distance to the true posterior {law.mean:.3g}, in 95 % of "
            f"releases at most {law.error_95:.3g} ({how})."
        ]
        self.bought.set_text("\n".join(lines))
        found = await self.computer.figure("widths", setting, name)
        if isinstance(found, Widths):
            lines.append(
                f"The 95 % interval is expected to be {found.noisy:.3g} wide; without privacy "
                f"{found.exact:.3g}."
            )
        self.bought.set_text("\n".join(lines))

    # ---- the release ---------------------------------------------------------------------------

    async def ask(self) -> None:
        """Say what it costs, and carry it out if that is confirmed."""
        self.problem.say("")
        try:
            order = read_order(
                self.data.value, self.column.value, self.categories.value, self.prior.value,
                self.epsilon.value, self.mechanism.value, self.adjacency.value, self.unknown.value,
                self.ledger.value, self.dataset.value,
            )  # fmt: skip
            words = await asyncio.to_thread(order.in_words)
        except DiscreetError as error:
            self.problem.say(f"{error}.")
            return
        with ui.dialog() as dialog, ui.card():
            layout.heading(2, "Spend it?")
            for sentence in words:
                ui.label(sentence)
            with ui.row().classes("w-full justify-end"):
                ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat")
                ui.button("Release and pay", on_click=lambda: dialog.submit(True))
        if not await dialog:
            return
        self.button.disable()
        try:
            made = await asyncio.to_thread(_attempted, order)
        finally:
            self.button.enable()
        if isinstance(made, Release):
            await self._show(order, made)
        else:
            self.problem.say(made)

    async def _show(self, order: Order, made: Release) -> None:
        picture = await asyncio.to_thread(_picture, made)
        self.result.clear()
        with self.result:
            layout.heading(2, "Released")
            ui.label(str(made.guarantee))
            table = layout.Figures("The released posterior: the numbers that were paid for.")
            rows = [
                [str(label), f"{float(a):g}", f"{mean:.4g}"]
                for label, a, mean in zip(
                    made.posterior.categories,
                    made.posterior.parameters,
                    made.posterior.mean(),
                    strict=True,
                )
            ]
            table.show(("category", "Dirichlet parameter", "mean"), rows)
            with ui.row():
                self._download("JSON", made.to_json().encode(), "release.json")
                self._download("PNG", picture, "release.png")
                self._download("Command", f"{order.command_line()}\n".encode(), "release.sh")
                self._download("Script", order.script().encode(), "release.py")
                self._download("Notebook", order.notebook().encode(), "release.ipynb")
            ui.code(order.command_line(), language="bash").classes("w-full")

    def _download(self, name: str, content: bytes, file: str) -> None:
        ui.button(name, on_click=lambda: ui.download.content(content, file)).props(
            f'outline aria-label="Download {file}"'
        )


def _attempted(order: Order) -> Any:
    """The release, or a sentence; nothing private is in either."""
    try:
        return order.carry_out()
    except DiscreetError as error:
        return f"{error}."


def _picture(made: Release) -> bytes:
    drawn = io.BytesIO()
    figure: Any = made.plot().figure
    figure.savefig(drawn, format="png", dpi=150)
    return drawn.getvalue()
