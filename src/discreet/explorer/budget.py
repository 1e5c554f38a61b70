"""The third page: what was spent of a ledger, and what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from nicegui import ui

from discreet.errors import DiscreetError
from discreet.explorer import charts, layout
from discreet.explorer.design import show_chart
from discreet.explorer.orders import opened
from discreet.ledger import Account, Entry


class Budget:
    """One open page."""

    def __init__(self, dark: ui.dark_mode) -> None:
        self.dark = dark
        with ui.column().classes("w-full gap-3"):
            with ui.row().classes("items-end"):
                self.place = ui.input("Ledger", placeholder="budget.db").classes("w-72")
                self.place.on("keydown.enter", self.show)
                ui.button("Show", on_click=self.show)
            self.problem = layout.Problem()
            with ui.card().classes("w-full") as self.card:
                self.accounts = layout.Figures("Data sets")
                self.chosen = ui.select([], label="Data set").classes("w-72")
                self.chosen.on_value_change(self._draw)
                self.chart = ui.echart({}).classes("w-full h-64")
                self.history = layout.Figures("History; times in UTC")
            self.card.set_visibility(False)
        self.found: tuple[Sequence[Account], Sequence[Entry]] = ((), ())

    async def show(self) -> None:
        """Read the ledger."""
        self.problem.say("")
        try:
            self.found = await asyncio.to_thread(_read, str(self.place.value or "").strip())
        except DiscreetError as error:
            self.card.set_visibility(False)
            self.problem.say(f"{error}.")
            return
        accounts, _ = self.found
        rows = [
            [
                a.dataset,
                *(_epsilon(x) for x in (a.budget, a.spent, a.remaining())),
                f"{a.adjacency.change} one {a.unit}",
            ]
            for a in accounts
        ]
        self.accounts.show(("data set", "budget ε", "spent", "left", "protects"), rows)
        names = [account.dataset for account in accounts]
        self.chosen.set_options(names, value=names[0] if names else None)
        self.card.set_visibility(True)
        self._draw()

    def _draw(self) -> None:
        accounts, entries = self.found
        account = next((a for a in accounts if a.dataset == self.chosen.value), None)
        own = [entry for entry in entries if account and entry.dataset == account.dataset]
        points, rows = [("0", 0.0)], []
        for entry in own:
            if entry.charged is not None:
                points.append((str(entry.number), float(entry.account.spent.epsilon)))
            cost = "" if entry.charged is None else _epsilon(entry.charged)
            left = _epsilon(entry.account.remaining())
            rows.append(
                [str(entry.number), entry.at[:16].replace("T", " "), entry.kind, cost, left]
            )
        self.history.show(("entry", "time", "what", "ε", "left"), rows)
        if account is not None:
            total = float(account.budget.epsilon)
            show_chart(self.chart, charts.budget_chart(points, total, bool(self.dark.value)))


def _read(place: str) -> tuple[Sequence[Account], Sequence[Entry]]:
    ledger = opened(place)
    return ledger.datasets(), ledger.history()


def _epsilon(amount: object) -> str:
    return f"{float(getattr(amount, 'epsilon', 0)):.6g}"
