"""`discreet release`: from a file to a paid-for posterior."""

from __future__ import annotations

from typing import Any

import click

from discreet import text_input
from discreet.cli import common, delivering
from discreet.errors import InputError


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
@common.unit_options
@click.option("--by", help="A second column: one posterior for each of its groups.")
@click.option("--groups", help="Its declared groups, separated by commas.")
@common.reading_options
@common.mechanism_options
@common.payment_options
@common.out_option
@common.plot_option
@common.force_option
@common.output_options
def command(
    data: str,
    column: str,
    categories: str,
    prior: str,
    epsilon: str,
    mechanism: str | None,
    adjacency: str,
    n: int | None,
    ledger: str | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    out: str | None,
    plot: str | None,
    force: bool,
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

    if quiet and not (as_json or out or plot or ledger):
        raise InputError(
            "--quiet needs --out, --plot, --json or --ledger: nothing would be kept", "quiet"
        )
    places.require({"out": out, "plot": plot}, force, data=data, ledger=ledger)
    delivering.require_payer(ledger, dataset, request_id=request_id, part=part)
    budget = check.epsilon(text_input.number("epsilon", epsilon))
    model = text_input.model_of(categories, prior)
    options = common.mechanism_settings(given)
    if given["groups"] is not None:
        given["groups"] = text_input.listed("groups", given["groups"])
    return delivering.carry_out(
        lambda: model.count(data, column, **given),
        model,
        budget,
        mechanism,
        options,
        n=n,
        adjacency=adjacency,
        ledger=ledger,
        dataset=dataset,
        request_id=request_id,
        part=part,
        out=out,
        plot=plot,
        force=force,
        as_json=as_json,
        quiet=quiet,
    )
