"""`discreet mean`: from a column of numbers to the released posterior of their mean."""

from __future__ import annotations

from typing import Any

import click

from discreet import typed
from discreet.cli import common, numeric


@click.command()
@click.argument("data", required=False, type=common.FILE)
@click.option("--column", required=True, help="The column with the numbers.")
@click.option(
    "--bounds",
    required=True,
    metavar="LOW:HIGH",
    help="Public bounds of the numbers; they are clipped to them.",
)
@click.option("--prior-mean", required=True, help="Of the mean.")
@click.option("--prior-variance", required=True, help="Of the mean.")
@click.option("--variance", required=True, help="Of the numbers around their mean, known.")
@numeric.epsilon_options
@click.option(
    "--mechanism",
    type=click.Choice(["laplace", "gaussian", "input", "hellinger"]),
    help="gaussian and input need --delta.  [default: laplace, with --delta gaussian]",
)
@click.option("--points", type=int, help="Of hellinger: how many posteriors it chooses from.")
@click.option(
    "--adjacency",
    default="substitute",
    show_default=True,
    type=click.Choice(common.ADJACENCIES),
    help="Means have substitute only: n is public.",
)
@numeric.count_options
@click.option(
    "--unknown",
    default="error",
    show_default=True,
    type=click.Choice(["error", "middle"]),
    help="Missing values may count as the middle of the bounds, infinite ones as a bound.",
)
@numeric.end_options
def command(
    column: str,
    bounds: str,
    prior_mean: str,
    prior_variance: str,
    variance: str,
    delta: str | None,
    mechanism: str | None,
    points: int | None,
    adjacency: str,
    where: str | None,
    unknown: str,
    table: str | None,
    **shared: Any,
) -> int:
    """Release the mean of a column of numbers, with differential privacy.

    The numbers are taken for normal with a known variance, their mean for normal too before they
    are seen. DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes; the
    engine sums, and only the sum is read.

    \b
    discreet mean patients.csv --column pressure --bounds 0:300 \\
        --prior-mean 120 --prior-variance 400 --variance 900 --epsilon 0.5 \\
        --ledger budget.db --dataset trial-7 --out release.json
    """
    from discreet.models.normal import NormalMean

    model = NormalMean(
        typed.number("prior_mean", prior_mean),
        typed.number("prior_variance", prior_variance),
        typed.number("variance", variance),
        numeric.pair("bounds", bounds, "LOW:HIGH"),
    )

    def count(data: str) -> Any:
        return model.count(data, column, where=where, unknown=unknown, table=table)

    if mechanism is None:
        mechanism = "laplace" if delta is None else "gaussian"
    options = {"delta": typed.number("delta", delta), "points": points}
    return numeric.answer(model, count, mechanism, adjacency, options, **shared)
