"""The ledger as tables and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

    from discreet.ledger import Account, Entry


def accounts_table(accounts: Sequence[Account]) -> Table:
    """One row per data set."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading in ("data set", "protects", "budget", "spent", "left"):
        table.add_column(heading)
    for account in accounts:
        protects = f"{account.adjacency.change} one {account.unit}"
        amounts = (account.budget, account.spent, account.remaining())
        table.add_row(*(Text(str(cell)) for cell in (account.dataset, protects, *amounts)))
    return table


def table(entries: Sequence[Entry]) -> Table:
    """One row per entry."""
    from rich.table import Table
    from rich.text import Text

    settled = {entry.settles for entry in entries if entry.kind == "outcome"}
    found = Table()
    for heading in ("entry", "time (UTC)", "data set", "what", "cost", "left"):
        found.add_column(heading)
    for entry in entries:
        what = entry.kind
        if entry.kind == "charge" and entry.number not in settled:
            what = "charge, outcome unknown"
        elif entry.kind == "charge":
            what = str(entry.document.get("about", {}).get("mechanism", "charge"))
        left = "" if not entry.dataset else str(entry.account.remaining())
        cells = (entry.number, entry.at, entry.dataset, what, entry.charged or "", left)
        found.add_row(*(Text(str(cell)) for cell in cells))
    return found


def plot_history(entries: Sequence[Entry]) -> Axes:
    """What was spent of the budgets, over time."""
    from discreet.errors import InputError
    from discreet.plots.budget import Spending, plot_budget

    settled = {entry.settles for entry in entries if entry.kind == "outcome"}
    found: dict[str, list[tuple[str, float, float, str]]] = {}
    for entry in entries:
        if entry.dataset and entry.kind != "outcome":
            account = entry.account
            open_ = entry.kind == "charge" and entry.number not in settled
            state = float(account.spent.epsilon), float(account.budget.epsilon)
            found.setdefault(entry.dataset, []).append((entry.at, *state, "unfinished" * open_))
    if not found:
        raise InputError("the ledger has no data set to plot", "plot")
    return plot_budget({name: Spending(*zip(*rows, strict=True)) for name, rows in found.items()})
