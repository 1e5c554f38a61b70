"""`discreet compare`: all mechanisms at the same counts."""

from __future__ import annotations

from typing import Any

import click

from discreet import check
from discreet.cli import common


@click.command()
@click.argument("data", required=False)
@common.model_options
@click.option("--column", help="The column with the categories, if DATA is given.")
@click.option("--counts", help="Or counts in the order of the categories, separated by commas.")
@click.option("--epsilon", required=True, help="The nominal parameter of every mechanism.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the errors.")
@common.output_options
def command(
    data: str | None,
    categories: str,
    prior: str,
    column: str | None,
    counts: str | None,
    epsilon: str,
    plot: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Guarantee, exact loss and error of every mechanism, beside the limit.

    Computed from the counts without noise: from real data it is for the data owner only.

    \b
    discreet compare --categories cured,failed --counts 71,19 --epsilon 1
    """
    from discreet.errors import InputError
    from discreet.study.comparison import compare

    common.require_plot(plot)
    model = common.model_of(categories, prior)
    budget = check.text_number("epsilon", epsilon)
    if (data is None) == (counts is None):
        raise InputError("counts or a data file must be given, and not both", "counts")
    if data is None:
        given: Any = [_whole(i, part) for i, part in enumerate(str(counts).split(","))]
    else:
        if column is None:
            raise InputError("column must be given with a data file", "column")
        with common.waiting("counting"):
            given = model.count(data, column)
    found = compare(model, given, budget)
    if plot is not None:
        common.save_plot(plot, found.plot)
    if as_json:
        rows = [row.cells() for row in found.rows]
        common.print_json([{k: _finite(v) for k, v in row.items()} for row in rows])
    elif not quiet:
        common.console().print(found)


def _whole(position: int, text: str) -> int:
    from discreet.errors import InputError

    try:
        return int(text)
    except ValueError:
        raise InputError(f"counts[{position}] must be a whole number", "counts") from None


def _finite(value: str | float | None) -> str | float | None:
    return None if value in (float("inf"), float("-inf")) else value
