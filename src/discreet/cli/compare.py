"""`discreet compare`: all mechanisms at the same counts."""

from __future__ import annotations

from typing import Any

import click

from discreet import text_input
from discreet.cli import common
from discreet.errors import InputError


@click.command()
@click.argument("data", required=False, type=common.FILE)
@common.model_options
@click.option("--column", help="The column with the categories, if DATA is given.")
@common.reading_options
@click.option("--counts", help="Or counts in the order of the categories, separated by commas.")
@click.option("--epsilon", required=True, help="The nominal parameter of every mechanism.")
@click.option("--plot", type=common.FILE, help="Draw the errors: .png, .svg or .pdf.")
@common.force_option
@common.output_options
def command(
    data: str | None,
    categories: str,
    prior: str,
    column: str | None,
    table: str | None,
    line_breaks: bool,
    counts: str | None,
    epsilon: str,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Guarantee, exact loss and error of every mechanism, beside the limit.

    Computed from the counts without noise: from real data it is for the data owner only.

    \b
    discreet compare --categories cured,failed --counts 71,19 --epsilon 1
    discreet compare trial.csv --column outcome --categories cured,failed --epsilon 1
    """
    from discreet.cli import places
    from discreet.planning.comparison import compare

    places.require({"plot": plot}, force, data=data)
    model = text_input.model_of(categories, prior)
    budget = text_input.number("epsilon", epsilon)
    if (data is None) == (counts is None):
        raise InputError("counts or a data file must be given, and not both", "counts")
    if counts is not None:
        given: Any = [_whole(i, part) for i, part in enumerate(counts.split(","))]
    else:
        if column is None:
            raise InputError("column must be given with a data file", "column")
        with common.waiting("counting"):
            given = model.count(data, column, table=table, line_breaks=line_breaks)
    found = compare(model, given, budget)
    if plot is not None:
        places.save_plot(plot, found.plot, force)
    if as_json:
        common.print_json([row.cells() for row in found.rows])
    elif not quiet:
        common.console().print(found)


def _whole(position: int, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"counts[{position}] must be a whole number", "counts") from None
