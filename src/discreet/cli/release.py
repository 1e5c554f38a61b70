"""`discreet release`: from a file to a paid-for posterior."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click

from discreet.cli import common
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.releases import Release


@click.command()
@click.argument("data", type=common.FILE)
@click.option("--column", required=True, help="The column with the categories.")
@common.model_options
@click.option("--epsilon", required=True, help="What the release may cost.")
@common.mechanism_option()
@common.adjacency_option()
@click.option("--n", type=int, help="The public number of records, checked against the data.")
@click.option("--where", help='Only records that satisfy a condition, such as "age >= 50".')
@click.option(
    "--unknown",
    default="error",
    show_default=True,
    type=click.Choice(["error", "other", "drop"]),
    help="What happens to missing and undeclared values.",
)
@click.option("--other", help="The category for them, with --unknown other.")
@click.option(
    "--unit",
    help="The column that tells whose record it is: protects whole units, such as patients.",
)
@click.option(
    "--max-per-unit",
    type=int,
    help="How many records of one unit are kept; more than 1 needs add-remove.",
)
@click.option("--by", help="A second column: one posterior for each of its groups.")
@click.option("--groups", help="Its declared groups, separated by commas.")
@click.option("--table", help="The table of a DuckDB file.")
@common.mechanism_options
@click.option(
    "--ledger",
    envvar="DISCREET_LEDGER",
    show_envvar=True,
    type=common.FILE,
    help="A file or postgresql:// URL that pays.",
)
@click.option("--dataset", help="The data set whose budget pays.")
@click.option("--request-id", help="A name for this release; a retry returns what was stored.")
@click.option("--part", help="A declared part of the data set.")
@click.option("--out", type=common.FILE, help="Write the release as JSON.")
@click.option("--plot", type=common.FILE, help="Draw it: .png, .svg or .pdf.")
@common.output_options
def command(
    data: str,
    column: str,
    categories: str,
    prior: str,
    epsilon: str,
    mechanism: str,
    adjacency: str,
    n: int | None,
    ledger: str | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    out: str | None,
    plot: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Release a posterior from the column of a file, with differential privacy.

    DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes. The engine
    counts; only counts are read. The release is printed as a table, and written by --out.

    \b
    discreet release patients.csv --column outcome \\
        --categories cured,improved,unchanged --epsilon 0.5 \\
        --ledger budget.db --dataset trial-7 --plot out.png
    """
    from discreet import check
    from discreet.cli import places
    from discreet.releasing import release

    if quiet and not (as_json or out or plot or ledger):
        raise InputError("quiet needs out, plot, json or ledger: nothing would be kept", "quiet")
    places.require(out, plot, data=data, ledger=ledger)
    _require_payer(ledger, dataset, request_id=request_id, part=part)
    budget = check.epsilon(common.number("epsilon", epsilon))
    model = common.model_of(categories, prior)
    options = common.mechanism_settings(given)
    if given["groups"] is not None:
        given["groups"] = common.listed("groups", given["groups"])
    book = None if ledger is None else places.open_ledger(ledger)
    with common.waiting("counting"):
        counts = model.count(data, column, **given)
    made = release(
        counts,
        model,
        budget,
        mechanism,
        n=n,
        adjacency=adjacency,
        ledger=book,
        dataset=dataset,
        request_id=request_id,
        part=part,
        **options,
    )
    left = None if book is None or dataset is None else (dataset, book, part)
    return _deliver(made, left, out, plot, as_json, quiet)


def _require_payer(ledger: str | None, dataset: str | None, **others: str | None) -> None:
    """A release that was meant to be paid for is never made without."""
    if ledger is not None and dataset is None:
        raise InputError("dataset must be given with a ledger: whose budget pays", "dataset")
    for argument, value in ({"dataset": dataset} | others).items():
        if ledger is None and value is not None:
            raise InputError(f"{argument} needs a ledger: give --ledger", argument)


def _deliver(
    made: Release,
    left: tuple[str, Any, str | None] | None,
    out: str | None,
    plot: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write and print a release. It is paid for: what fails here must not lose it."""
    from discreet.cli import places, showing
    from discreet.cli.failures import spoken

    safe = False
    try:
        if out is not None:
            made.save(out)
            safe = not as_json
        aware = None
        if plot is not None or not (as_json or quiet):
            aware = showing.noise_aware(made)
        if plot is not None:
            places.save_plot(plot, lambda: made.plot(noise_aware=aware))
        if as_json:
            common.print_json(json.loads(made.to_json()))
            safe = True
        elif not quiet:
            showing.show(made, aware)
            showing.show_cost(made)
            _show_rest(made, left, {"Release": out, "Plot": plot})
    except BaseException as error:
        note = "" if safe else _rescue(made, left)
        if isinstance(error, DiscreetError):
            click.echo(f"Error: {spoken(str(error))}{note and f'; {note}'}", err=True)
            return 1
        if note:
            click.echo(f"Note: {note}", err=True)
        raise
    return 0


def _rescue(made: Release, left: tuple[str, Any, str | None] | None) -> str:
    """Put a release where it is not lost, and say where."""
    from discreet.ledger.stores import shown

    try:
        click.echo(made.to_json())
        return "the release is on standard output, keep it"
    except OSError:  # full, or closed
        if made.receipt is None or left is None:
            click.echo(made.to_json(), err=True)
            return "the release is on standard error, keep it"
    dataset, book, _ = left
    place, name = shlex.quote(shown(book.place)), shlex.quote(dataset)
    return (
        f"the release is stored in the ledger as the outcome of entry {made.receipt.number}: "
        f"discreet ledger history {place} --dataset {name} --json"
    )


def _show_rest(
    made: Release, left: tuple[str, Any, str | None] | None, written: dict[str, str | None]
) -> None:
    """What is left, and where the files are."""
    if left is None:
        common.say("No ledger paid for it: releases from the same data add up.")
    else:
        dataset, book, part = left
        receipt = made.receipt
        number = receipt and receipt.number
        charges = [entry for entry in book.history(dataset) if entry.kind == "charge"]
        charged = next(entry.charged for entry in charges if entry.number == number)
        if charged.epsilon != made.guarantee.epsilon:
            common.say(f"It counts as {charged} because {dataset} is kept under 'substitute'.")
        if number == charges[0].number and receipt and receipt.stored is None:
            _say_first(dataset, [account.dataset for account in book.datasets()])
        common.say(f"Left for {dataset}: {book.remaining(dataset, part)}.")
    for what, path in written.items():
        if path is not None:
            common.say(f"{what} written to {path}.")


def _say_first(dataset: str, known: list[str]) -> None:
    """A name that was mistyped has a whole budget of its own."""
    from discreet import check

    near = check.similar(dataset, [name for name in known if name != dataset])
    hint = "" if near is None else f"; there is also {near!r} in the ledger"
    common.say(f"It is the first release from {dataset!r}{hint}.")
