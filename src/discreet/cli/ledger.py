"""`discreet ledger`: budgets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from discreet import text_input
from discreet.cli import common
from discreet.cli.common import ledger_place
from discreet.errors import DocumentError

if TYPE_CHECKING:
    from discreet.ledger import Account, Ledger


class InOrder(click.Group):
    """Commands in the order of use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they are defined."""
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Keep budgets of privacy: a file, or postgresql://user@host/database.

    PLACE is the ledger; it may also be given by --ledger or the variable DISCREET_LEDGER.

    \b
    discreet ledger init budget.db --budget 3
    discreet ledger create trial-7 budget.db --budget 1
    discreet ledger show budget.db
    """


order_option = click.option(
    "--order",
    help="With a delta: the order at which releases compose, above 1, or sums for none. "
    "The one for many small releases unless given.",
)


def _open(place: str) -> Ledger:
    from discreet.ledger import Ledger

    return Ledger.existing(place)


@command.command()
@ledger_place
@click.option("--budget", help="The epsilon of every data set without its own; else it needs one.")
@click.option("--delta", help="The delta that goes with it; 0 unless given.")
@common.adjacency_option(None)
@click.option("--unit", help="Who is protected, such as record or patient.")
@order_option
@common.output_options
def init(
    place: str,
    budget: str | None,
    delta: str | None,
    adjacency: str | None,
    unit: str | None,
    order: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a new ledger.

    \b
    discreet ledger init budget.db --budget 3 --delta 1e-6
    """
    from discreet.ledger import Amount, Ledger
    from discreet.ledger.stores import shown

    amounts = text_input.number("budget", budget), text_input.number("delta", delta)
    made = Ledger.open(place, *amounts, adjacency, unit, order)
    where = shown(made.place)
    document: dict[str, Any] = {"ledger": where, "epsilon": None, "delta": None}
    text = f"Ledger {where}: every data set needs a budget of its own, by ledger create."
    if amounts[0] is not None:
        granted = Amount.budget(amounts[0], amounts[1] or 0)
        document |= {"epsilon": str(granted.epsilon), "delta": str(granted.delta)}
        text = f"Ledger {where}: every new data set may cost {granted}."
    common.done(document, text, as_json, quiet)


@command.command()
@click.argument("dataset")
@ledger_place
@click.option("--budget", help="Its epsilon; the ledger's default unless given.")
@click.option("--delta", help="Its delta.")
@common.adjacency_option()
@click.option("--unit", default="record", show_default=True, help="Who is protected.")
@click.option("--parts", help="Names of disjoint parts, separated by commas; add-remove only.")
@order_option
@common.output_options
def create(
    dataset: str,
    place: str,
    budget: str | None,
    delta: str | None,
    adjacency: str,
    unit: str,
    parts: str | None,
    order: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Give a data set a budget of its own.

    \b
    discreet ledger create trial-7 budget.db --budget 1 --unit patient \\
        --adjacency add-remove
    """
    names = () if parts is None else text_input.listed("parts", parts)
    amounts = text_input.number("budget", budget), text_input.number("delta", delta)
    made = _open(place).create(dataset, *amounts, adjacency, unit, names, order)
    _show([made], as_json, quiet)


@command.command("raise")
@click.argument("dataset")
@ledger_place
@click.option("--budget", required=True, help="The new epsilon, larger than before.")
@click.option("--delta", help="The new delta.")
@click.option("--reason", default="", help="Why; it is written down.")
@common.output_options
def raise_budget(
    dataset: str,
    place: str,
    budget: str,
    delta: str | None,
    reason: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Raise the budget of a data set; that is an entry itself.

    Where releases composed only their sums count from then on.

    \b
    discreet ledger raise trial-7 budget.db --budget 2 --reason "second wave"
    """
    amounts = text_input.number("budget", budget), text_input.number("delta", delta)
    book = _open(place)
    before = book.remaining(dataset)
    _show([book.raise_budget(dataset, *amounts, reason)], as_json, quiet)
    if before.more is not None and not (as_json or quiet):
        left = book.releases_left(dataset, before.each)
        common.say(f"Only the sums count from now on: {before.terms} before, {left} now.")


@command.command()
@ledger_place
@click.option("--dataset", help="Only this one.")
@click.option("--delta", help="Report a tighter total at this delta (extra accounting).")
@click.option("--plot", type=common.FILE, help="Draw the budgets over time: .png, .svg or .pdf.")
@common.force_option
@common.output_options
def show(
    place: str,
    dataset: str | None,
    delta: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """What every data set may cost, has cost and has left.

    \b
    discreet ledger show budget.db --dataset trial-7 --plot budget.png
    """
    from discreet.cli import places

    places.require({"plot": plot}, force, ledger=place)
    book = _open(place)
    if dataset is not None:
        book.remaining(dataset)  # refuses an unknown one, with a near name
    accounts = [a for a in book.datasets() if dataset in (None, a.dataset)]
    if plot is not None:
        from discreet.cli.history import plot_history

        places.save_plot(plot, lambda: plot_history(book.history(dataset)), force)
    if delta is None:
        _show(accounts, as_json, quiet)
        return
    from discreet.ledger import tighter_total

    wanted = text_input.number("delta", delta)
    totals = {a.dataset: tighter_total(book, a.dataset, wanted) for a in accounts}
    extra = {
        name: {
            "epsilon": total.epsilon,
            "delta": str(total.delta),
            "exact": list(total.exact),
            "by_guarantee": list(total.by_guarantee),
        }
        for name, total in totals.items()
    }
    _show(accounts, as_json, quiet, extra)
    if not as_json and not quiet:
        for total in totals.values():
            common.say(total)


@command.command()
@ledger_place
@click.option("--dataset", help="Only this one.")
@common.output_options
def history(place: str, dataset: str | None, as_json: bool, quiet: bool) -> None:
    """All entries in order.

    \b
    discreet ledger history budget.db --dataset trial-7
    """
    from discreet.cli.history import entry_document, table

    book = _open(place)
    if dataset is not None:
        book.remaining(dataset)
    entries = book.history(dataset)
    if as_json:
        common.print_json([entry_document(entry) for entry in entries])
    elif not quiet:
        common.console().print(table(entries))


@command.command()
@ledger_place
@click.argument("number", type=int)
@common.out_option
@common.force_option
@common.output_options
def released(
    place: str, number: int, out: str | None, force: bool, as_json: bool, quiet: bool
) -> None:
    """Show the release that entry NUMBER paid for, or write it to a file again.

    The file is the one that --out wrote when it was made, byte for byte. It costs nothing.

    \b
    discreet ledger released budget.db 3
    discreet ledger released budget.db 3 --out release.json
    """
    from discreet.cli import places, showing
    from discreet.releases.published import Release

    places.require({"out": out}, force, ledger=place)
    stored = _open(place).released(number)
    try:
        made = Release.from_json(stored)
    except DocumentError as error:
        raise DocumentError(f"entry {number}: {error}", "number") from None
    if out is None:
        showing.present(made, None, force, as_json, quiet)
        return
    made.save(out, force)
    document = json.loads(made.to_json())
    common.done(document, f"{made.title}\nRelease written to {out}.", as_json, quiet)


@command.command()
@ledger_place
@click.option("--release", "path", type=common.FILE, help="And that it has this release.")
@common.output_options
def verify(place: str, path: str | None, as_json: bool, quiet: bool) -> int:
    """Recompute every hash, total and rule.

    Exit status 1 if something is wrong: an entry or a release was changed, or the ledger was put
    back to an older copy.

    \b
    discreet ledger verify budget.db --release release.json
    """
    report = _open(place).verify(None if path is None else _release(path))
    found = {
        "ok": report.ok,
        "entries": report.entries,
        "datasets": report.datasets,
        "unfinished": list(report.unfinished),
        "problems": list(report.problems),
    }
    common.done(found, report, as_json, quiet and report.ok)
    return 0 if report.ok else 1


def _release(path: str) -> Any:
    """The document in a file as it stands there, if it is a sound release."""
    from discreet.core.documents import parse
    from discreet.core.files import read_file
    from discreet.releases.published import Release

    document = parse(read_file(path), "the release", "release")
    Release.from_json(document)
    return document


@command.command()
@click.argument("target", type=common.FILE)
@ledger_place
@common.output_options
def backup(target: str, place: str, as_json: bool, quiet: bool) -> None:
    """Copy a file ledger to TARGET, a new file, while others use it.

    \b
    discreet ledger backup copy.db budget.db
    """
    _open(place).backup(target)
    common.done({"backup": target}, f"Copied to {target}.", as_json, quiet)


@command.command()
@ledger_place
@common.output_options
def migrate(place: str, as_json: bool, quiet: bool) -> None:
    """Bring a ledger of an older discreet to this version.

    \b
    discreet ledger migrate budget.db
    """
    from discreet.ledger import Ledger

    version = Ledger(place).migrate()
    common.done({"version": version}, f"The ledger has version {version}.", as_json, quiet)


def _show(
    accounts: list[Account], as_json: bool, quiet: bool, totals: dict[str, Any] | None = None
) -> None:
    from discreet.cli.history import account_document, accounts_table

    if as_json:
        documents = [account_document(account) for account in accounts]
        if totals is not None:
            documents = [d | {"tighter_total": totals[d["dataset"]]} for d in documents]
        common.print_json(documents)
    elif not accounts and not quiet:
        common.say("The ledger has no data set yet: a first release or `create` makes one.")
    elif not quiet:
        common.console().print(accounts_table(accounts))
