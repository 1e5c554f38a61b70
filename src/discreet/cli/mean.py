"""`discreet mean`: from a column of numbers to the released posterior of their mean."""

from __future__ import annotations

from typing import Any

import click

from discreet import text_input
from discreet.cli import common, numeric
from discreet.families.normal import FAMILY


@click.command()
@click.argument("data", required=False, type=common.FILE)
@click.option("--column", required=True, help="The column with the numbers.")
@click.option(
    "--bounds",
    required=True,
    metavar="LOW:HIGH",
    help="Public bounds of the numbers; they are clipped to them.",
)
@click.option("--prior-mean", help="Of the mean; else the middle of the bounds.")
@click.option("--prior-variance", help="Of the mean; else (width of the bounds/4)².")
@click.option(
    "--variance", help="Of the numbers around their mean, known; else (width of the bounds/4)²."
)
@numeric.epsilon_options
@click.option(
    "--mechanism",
    type=click.Choice(FAMILY.names),
    help="gaussian and input need --delta; laplace and gaussian have add-remove.  [default: "
    "laplace, with --delta the better of both]",
)
@click.option("--points", type=int, help="Of hellinger: how many posteriors it chooses from.")
@common.adjacency_option()
@numeric.count_options
@click.option(
    "--unknown",
    default="error",
    show_default=True,
    type=click.Choice(["error", "drop", "middle"]),
    help="What happens to missing and infinite values; drop needs add-remove.",
)
@numeric.end_options
def command(
    column: str,
    bounds: str,
    prior_mean: str | None,
    prior_variance: str | None,
    variance: str | None,
    delta: str | None,
    mechanism: str | None,
    points: int | None,
    adjacency: str,
    **given: Any,
) -> int:
    """Release the mean of a column of numbers, with differential privacy.

    The numbers are taken for normal with a known variance, their mean for normal too before they
    are seen. DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes; the
    engine sums, and only the sum is read.

    \b
    discreet mean patients.csv --column pressure --bounds 0:300 --epsilon 0.5 \\
        --ledger budget.db --dataset trial-7 --out release.json
    discreet mean patients.csv --column pressure --bounds 0:300 --epsilon 0.5 \\
        --prior-mean 120 --prior-variance 400 --variance 900 \\
        --where "age >= 50" --adjacency add-remove
    """
    from discreet.families.normal.model import NormalMean

    model = NormalMean(
        text_input.number("prior_mean", prior_mean),
        text_input.number("prior_variance", prior_variance),
        text_input.number("variance", variance),
        numeric.pair("bounds", bounds, "LOW:HIGH"),
    )

    rules = {name: given.pop(name) for name in common.RULES}

    def count(data: str) -> Any:
        return model.count(data, column, **rules)

    options = {"delta": text_input.number("delta", delta), "points": points}
    return numeric.answer(model, count, mechanism, adjacency, options, rules, **given)
