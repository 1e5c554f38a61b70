"""`discreet ledger`: budgets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from discreet import check
from discreet.cli import common
from discreet.cli.common import Command

if TYPE_CHECKING:
    from discreet.ledger import Account, Entry, Ledger


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Keep budgets of privacy: a file, or postgresql://user@host/database."""


def ledger_place(function: Command) -> Command:
    """The ledger as an argument, by --ledger, or by the environment."""
    option = click.option(
        "--ledger", envvar="DISCREET_LEDGER", help="The ledger, instead of PLACE."
    )
    return click.argument("place", required=False)(option(function))


def _place(place: str | None, ledger: str | None) -> str:
    from discreet.errors import InputError

    if place is None and ledger is None:
        raise InputError("place must be given: the file or URL of the ledger", "place")
    return place or str(ledger)


def _open(place: str | None, ledger: str | None) -> Ledger:
    return common.open_ledger(_place(place, ledger))


def _number(argument: str, text: str | None) -> Any:
    return None if text is None else check.text_number(argument, text)


@command.command()
@ledger_place
@click.option("--budget", required=True, help="The epsilon of every data set without its own.")
@click.option("--delta", help="The delta that goes with it; 0 unless given.")
@click.option("--adjacency", type=click.Choice(["substitute", "add-remove"]))
@click.option("--unit", help="Who is protected, such as record or patient.")
@common.output_options
def init(
    place: str | None,
    ledger: str | None,
    budget: str,
    delta: str | None,
    adjacency: str | None,
    unit: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a new ledger."""
    from discreet.ledger import Ledger

    where = _place(place, ledger)
    made = Ledger.open(where, _number("budget", budget), _number("delta", delta), adjacency, unit)
    if as_json:
        common.print_json({"ledger": repr(made), "budget": budget, "delta": delta or "0"})
    elif not quiet:
        text = f"{made}: every new data set may cost ε = {budget}, δ = {delta or 0}."
        common.console().print(text, markup=False)


@command.command()
@click.argument("dataset")
@ledger_place
@click.option("--budget", help="Its epsilon; the ledger's default unless given.")
@click.option("--delta", help="Its delta.")
@click.option(
    "--adjacency",
    default="substitute",
    show_default=True,
    type=click.Choice(["substitute", "add-remove"]),
)
@click.option("--unit", default="record", show_default=True, help="Who is protected.")
@click.option("--parts", help="Names of disjoint parts, separated by commas; add-remove only.")
@common.output_options
def create(
    dataset: str,
    place: str | None,
    ledger: str | None,
    budget: str | None,
    delta: str | None,
    adjacency: str,
    unit: str,
    parts: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Give a data set a budget of its own."""
    account = _open(place, ledger).create(
        dataset,
        _number("budget", budget),
        _number("delta", delta),
        adjacency,
        unit,
        common.listed("parts", parts) if parts else (),
    )
    _show([account], as_json, quiet)


@command.command("raise")
@click.argument("dataset")
@ledger_place
@click.option("--budget", required=True, help="The new epsilon, larger than before.")
@click.option("--delta", help="The new delta.")
@click.option("--reason", default="", help="Why; it is written down.")
@common.output_options
def raise_budget(
    dataset: str,
    place: str | None,
    ledger: str | None,
    budget: str,
    delta: str | None,
    reason: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Raise the budget of a data set; that is an entry itself."""
    book = _open(place, ledger)
    account = book.raise_budget(dataset, _number("budget", budget), _number("delta", delta), reason)
    _show([account], as_json, quiet)


@command.command()
@ledger_place
@click.option("--dataset", help="Only this one.")
@click.option("--delta", help="Report a tighter total at this delta (extra accounting).")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the budgets over time.")
@common.output_options
def show(
    place: str | None,
    ledger: str | None,
    dataset: str | None,
    delta: str | None,
    plot: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """What every data set may cost, has cost and has left."""
    from discreet.errors import InputError

    common.require_plot(plot)
    book = _open(place, ledger)
    accounts = [a for a in book.datasets() if dataset in (None, a.dataset)]
    if dataset is not None and not accounts:
        raise InputError(f"dataset {dataset!r} is not in the ledger", "dataset")
    if plot is not None:
        from discreet.cli.history import plot_history

        common.save_plot(plot, lambda: plot_history(book.history(dataset)))
    _show(accounts, as_json, quiet)
    if delta is not None and not quiet and not as_json:
        from discreet.ledger.accounting import tighter_total

        for account in accounts:
            total = tighter_total(book, account.dataset, _number("delta", delta))
            common.console().print(str(total), markup=False)


@command.command()
@ledger_place
@click.option("--dataset", help="Only this one.")
@common.output_options
def history(
    place: str | None, ledger: str | None, dataset: str | None, as_json: bool, quiet: bool
) -> None:
    """All entries in order."""
    entries = _open(place, ledger).history(dataset)
    if as_json:
        common.print_json([_entry(entry) for entry in entries])
    elif not quiet:
        from discreet.cli.history import table

        common.console().print(table(entries))


@command.command()
@ledger_place
@click.option(
    "--release", "path", type=click.Path(dir_okay=False), help="And that it has this release."
)
@common.output_options
def verify(
    place: str | None, ledger: str | None, path: str | None, as_json: bool, quiet: bool
) -> int:
    """Recompute every hash, total and rule; exit status 1 if something is wrong."""
    from discreet.releases import Release

    document = None if path is None else json.loads(Release.load(path).to_json())
    report = _open(place, ledger).verify(document)
    if as_json:
        common.print_json(
            {
                "ok": report.ok,
                "entries": report.entries,
                "datasets": report.datasets,
                "unfinished": list(report.unfinished),
                "problems": list(report.problems),
            }
        )
    elif not quiet or not report.ok:
        common.console().print(str(report), markup=False)
    return 0 if report.ok else 1


@command.command()
@click.argument("target", type=click.Path(dir_okay=False))
@ledger_place
@common.output_options
def backup(target: str, place: str | None, ledger: str | None, as_json: bool, quiet: bool) -> None:
    """Copy a file ledger to TARGET, a new file, while others use it."""
    _open(place, ledger).backup(target)
    _done({"backup": target}, f"Copied to {target}.", as_json, quiet)


@command.command()
@ledger_place
@common.output_options
def migrate(place: str | None, ledger: str | None, as_json: bool, quiet: bool) -> None:
    """Bring a ledger of an older discreet to this version."""
    from discreet.ledger import Ledger

    version = Ledger(_place(place, ledger)).migrate()
    _done({"version": version}, f"The ledger has version {version}.", as_json, quiet)


def _done(document: dict[str, Any], text: str, as_json: bool, quiet: bool) -> None:
    if as_json:
        common.print_json(document)
    elif not quiet:
        common.console().print(text, markup=False)


def _show(accounts: list[Account], as_json: bool, quiet: bool) -> None:
    if as_json:
        common.print_json([_account(account) for account in accounts])
    elif not quiet:
        from discreet.cli.history import accounts_table

        common.console().print(accounts_table(accounts))


def _account(account: Account) -> dict[str, Any]:
    amounts = {
        "budget": account.budget,
        "spent": account.spent,
        "remaining": account.remaining(),
    }
    return {
        "dataset": account.dataset,
        "adjacency": account.adjacency.value,
        "unit": account.unit,
        **{name: {"epsilon": str(a.epsilon), "delta": str(a.delta)} for name, a in amounts.items()},
        "parts": {
            part: {"epsilon": str(a.epsilon), "delta": str(a.delta)} for part, a in account.parts
        },
    }


def _entry(entry: Entry) -> dict[str, Any]:
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
