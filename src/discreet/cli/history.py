"""The ledger as tables, as JSON and as a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.ledger.remaining import remaining

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

    from discreet.ledger import Account, Amount, Entry


def accounts_table(accounts: Sequence[Account]) -> Table:
    """One row per data set, and one for each of its parts."""
    rows: list[list[Any]] = []
    for account in accounts:
        protects = f"{account.adjacency.change} one {account.unit}"
        amounts = (account.budget, account.spent, account.remaining())
        rows.append([account.dataset, protects, *amounts, _composed(account)])
        for part, spent in account.parts:
            left = account.remaining(part)
            rows.append([f"  {part}", "a part", "", spent, left, _composed(account, part)])
    headings = ["data set", "protects", "budget", "spent", "left", "composed"]
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    return _table(headings, rows)


def _composed(account: Account, part: str | None = None) -> str:
    """How much of what may compose is used, and how many small releases are possible."""
    if account.filter is None:
        return ""
    return f"{_used(account, part)};\n{remaining(account, part).terms}"


def _used(account: Account, part: str | None = None) -> str:
    return f"{math.ceil(100 * (account.composed(part) or 0))} % used"


def table(entries: Sequence[Entry]) -> Table:
    """One row per entry."""
    settled = {entry.settles for entry in entries if entry.kind == "outcome"}
    rows = [
        [
            entry.number,
            entry.at[:16].replace("T", " "),
            entry.dataset,
            _what(entry, settled),
            entry.charged or "",
            _left(entry.account) if entry.dataset else "",
        ]
        for entry in entries
    ]
    return _table(("entry", "time (UTC)", "data set", "what", "cost", "left"), rows)


def _left(account: Account) -> Amount | str:
    """By the sums; and how much of what may compose is used."""
    left = account.remaining()
    if account.filter is None:
        return left
    return f"{_cell(left, plain=False)};\n{_used(account)}"


def _what(entry: Entry, settled: set[int | None]) -> str:
    if entry.kind == "outcome":
        return f"outcome of {entry.settles}"
    if entry.kind == "raise":
        why = entry.document.get("reason")
        return f"raise to {entry.account.budget}" + (f": {why}" if why else "")
    if entry.kind != "charge":
        return entry.kind
    about = entry.document.get("about", {})
    words = [str(about.get("mechanism", "charge"))]
    for key, before in (("column", "of"), ("where", "where")):
        if about.get(key) is not None:
            words.append(f"{before} {about[key]}")
    asked = "" if entry.request is None else f", request {entry.request}"
    unknown = "" if entry.number in settled else ", outcome unknown"
    return " ".join(words) + asked + unknown


def _table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """Amounts without their δ, if it is 0 everywhere."""
    from rich.table import Table
    from rich.text import Text

    from discreet.ledger import Amount

    plain = not any(isinstance(cell, Amount) and cell.delta for row in rows for cell in row)
    found = Table()
    for heading in headings:
        short = heading in ("entry", "time (UTC)")
        found.add_column(heading, overflow="fold", no_wrap=short)
    for row in rows:
        found.add_row(*(Text(_cell(cell, plain)) for cell in row))
    return found


def _cell(cell: str | int | Amount, plain: bool) -> str:
    if isinstance(cell, (str, int)):
        return str(cell)
    epsilon, delta = str(cell).split(", ")
    return epsilon if plain else f"{epsilon},\n{delta}"


def account_document(account: Account) -> dict[str, Any]:
    """A data set as JSON can hold it; numbers are exact, as text."""
    amounts = {"budget": account.budget, "spent": account.spent, "remaining": account.remaining()}
    document = {
        "dataset": account.dataset,
        "adjacency": account.adjacency.value,
        "unit": account.unit,
        **{name: _exact(amount) for name, amount in amounts.items()},
        "parts": {part: _exact(amount) for part, amount in account.parts},
    }
    if account.filter is None:
        return document
    left = remaining(account)
    composed = {"order": str(account.filter.order), "used": float(account.composed() or 0)}
    return document | {"composed": composed | {"each": str(left.each), "more": left.more}}


def _exact(amount: Amount) -> dict[str, str]:
    return {"epsilon": str(amount.epsilon), "delta": str(amount.delta)}


def entry_document(entry: Entry) -> dict[str, Any]:
    """An entry as JSON can hold it."""
    return {
        "number": entry.number,
        "dataset": entry.dataset,
        "kind": entry.kind,
        "at": entry.at,
        "request_id": entry.request,
        "settles": entry.settles,
        "hash": entry.hash,
        "content": entry.document,
    }


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
