"""`discreet release`: from a file to a paid-for posterior."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from discreet import check
from discreet.cli import common

if TYPE_CHECKING:
    from discreet.releases import Release


@click.command()
@click.argument("data")
@click.option("--column", required=True, help="The column with the categories.")
@common.model_options
@click.option("--epsilon", required=True, help="What the release may cost.")
@click.option(
    "--mechanism",
    default="lattice",
    show_default=True,
    type=click.Choice(common.MECHANISMS),
)
@click.option(
    "--adjacency",
    default="substitute",
    show_default=True,
    type=click.Choice(["substitute", "add-remove"]),
    help="substitute: n is public; add-remove: it is private.",
)
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
@click.option("--unit", help="The column that tells whose record it is: protects whole units.")
@click.option("--max-per-unit", type=int, help="How many records of one unit are kept.")
@click.option("--by", help="A second column: one posterior for each of its groups.")
@click.option("--groups", help="Its declared groups, separated by commas.")
@click.option("--table", help="The table of a DuckDB file.")
@common.mechanism_options
@click.option("--ledger", envvar="DISCREET_LEDGER", help="A file or postgresql:// URL that pays.")
@click.option("--dataset", help="The data set whose budget pays.")
@click.option("--request-id", help="A name for this release; a retry returns what was stored.")
@click.option("--part", help="A declared part of the data set.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the release as JSON.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw it: .png, .svg or .pdf.")
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
) -> None:
    """Release a posterior from the column of a file, with differential privacy.

    DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes. The engine
    counts; only counts are read. The release is printed as a table, and written by --out.

    \b
    discreet release patients.csv --column outcome --categories cured,improved,unchanged \\
        --epsilon 0.5 --ledger budget.db --dataset trial-7 --plot out.png
    """
    from discreet.releasing import release

    budget = check.text_number("epsilon", epsilon)
    check.epsilon(budget)
    model = common.model_of(categories, prior)
    settings = {name: given.pop(name) for name in ("gamma", "delta", "calibrate")}
    settings |= {name: given.pop(name) for name in ("postprocess", "distance")}
    options = common.mechanism_settings(**settings)
    if given["groups"] is not None:
        given["groups"] = common.listed("groups", given["groups"])
    for argument, path in (("out", out), ("plot", plot)):
        common.require_writable(argument, path)
    common.require_plot(plot)
    book = None if ledger is None or dataset is None else common.open_ledger(ledger)
    with common.waiting("counting"):
        counts = model.count(data, column, **given)
    with common.waiting("releasing"):
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
    if out is not None:
        made.save(out)
    if plot is not None:
        common.save_plot(plot, made.plot)
    if as_json:
        common.print_json(json.loads(made.to_json()))
    elif not quiet:
        show(made)
        if book is not None and dataset is not None:
            left = book.remaining(dataset, part)
            common.console().print(f"Left for {dataset}: {left}.", markup=False)
        for what, path in (("Release", out), ("Plot", plot)):
            if path is not None:
                common.console().print(f"{what} written to {path}.", markup=False)


def show(made: Release) -> None:
    """The release as tables and sentences."""
    from discreet.errors import NotEnumerable

    console = common.console()
    try:
        console.print(made.summary())
    except NotEnumerable as error:
        console.print(made.posterior)
        console.print(f"Without the noise: {error}.", markup=False)
    if made.config.model.by is not None:
        for group, posterior in made.by_group().items():
            rows = ", ".join(
                f"{label} {mean:.3f}"
                for label, mean in zip(posterior.categories, posterior.mean(), strict=True)
            )
            console.print(f"{made.config.model.by.column} {group}: {rows}", markup=False)
    public = (
        " The number of records is made public." if made.n_source == "sum of the counts" else ""
    )
    console.print(f"It cost {made.guarantee}.{public}", markup=False)
