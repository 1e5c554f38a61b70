"""The third page: what was spent of a ledger, and what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from nicegui import ui

from discreet.errors import InputError
from discreet.explorer import charts, layout
from discreet.explorer.layout import Chart, Desk
from discreet.explorer.orders import place as whole_name
from discreet.ledger import Account, Amount, Entry, Ledger
from discreet.ledger.amounts import decimal
from discreet.ledger.remaining import remaining

LATEST = 200  # entries of a history that are shown


class Budget:
    """One open page."""

    def __init__(self, desk: Desk) -> None:
        self.found: tuple[Sequence[Account], Sequence[Entry]] = ((), ())
        self.shown = ""
        with ui.column().classes("w-full gap-3"):
            with ui.row().classes("items-end"):
                self.place = ui.input("Ledger", placeholder="budget.db").classes("w-72")
                desk.keep("budget ledger", self.place)
                self.place.on("keydown.enter", self.show)
                self.place.on_value_change(self._typed)
                ui.button("Show", on_click=self.show)
            self.problem = layout.Problem()
            with ui.card().classes("w-full") as self.card, layout.Answer() as self.answer:
                self.accounts = layout.Figures("Data sets")
                self.chosen = ui.select([], label="Data set").classes("w-72 max-w-full")
                self.chosen.on_value_change(self._draw)
                self.chart = Chart("ε spent, release by release", "h-64")
                self.history = layout.Figures("History; times in UTC")
            self.card.set_visibility(False)
        if self.place.value:
            ui.timer(0, self.show, once=True)

    async def show(self) -> None:
        """Read the ledger."""
        self.problem.say("")
        self.answer.waits()
        place = self._place()
        try:
            self.found = await asyncio.to_thread(_read, place)
        except Exception as error:  # whatever it is, a sentence says so
            self.card.set_visibility(False)
            self.problem.say(layout.sentence(error))
            return
        accounts, _ = self.found
        rows = [
            [
                a.dataset,
                *(_shown(amount) for amount in (a.budget, a.spent)),
                _left(a),
                f"{a.adjacency.change} one {a.unit}",
            ]
            for a in accounts
        ]
        self.accounts.show(("data set", "budget", "spent", "left", "protects"), rows)
        names = [account.dataset for account in accounts]
        self.chosen.set_options(names, value=names[0] if names else None)
        self.card.set_visibility(True)
        self._draw()
        self.shown = place
        self._typed()

    def _place(self) -> str:
        return str(self.place.value or "").strip()

    def _typed(self) -> None:
        """What is shown is of the ledger that was named before."""
        self.problem.say("")
        if self._place() == self.shown:
            self.answer.fresh()
        else:
            self.answer.dim("Not for the ledger that is typed: press Show.")

    def _draw(self) -> None:
        accounts, entries = self.found
        account = next((a for a in accounts if a.dataset == self.chosen.value), None)
        own = [entry for entry in entries if account and entry.dataset == account.dataset]
        points = [("", 0.0)] + [
            (str(entry.number), float(entry.account.spent.epsilon))
            for entry in own
            if entry.charged is not None
        ]
        rows = [
            [
                str(entry.number),
                entry.at[:16].replace("T", " "),
                entry.kind,
                str(entry.document.get("about", {}).get("column") or ""),
                "" if entry.charged is None else _shown(entry.charged),
                _shown(entry.account.remaining()),
            ]
            for entry in reversed(own[-LATEST:])
        ]
        self.history.show(("entry", "time", "what", "column", "cost", "left"), rows)
        options = charts.budget_chart(points, float(account.budget.epsilon)) if account else {}
        self.chart.show(options)


def _read(place: str) -> tuple[Sequence[Account], Sequence[Entry]]:
    if not place:
        raise InputError("ledger must be given", "ledger")
    ledger = Ledger.existing(whole_name("ledger", place))
    return ledger.datasets(), ledger.history()


def _shown(amount: Amount) -> str:
    delta = f", δ = {decimal(amount.delta)}" if amount.delta else ""
    return f"ε = {decimal(amount.epsilon)}{delta}"


def _left(account: Account) -> str:
    """By the sums; and where releases compose, how many small ones."""
    found = remaining(account)
    return _shown(found) if found.more is None else f"{_shown(found)}; {found.terms}"
