"""`discreet regress`: from a file of records to a released linear regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from discreet import text_input
from discreet.cli import common, numeric
from discreet.errors import InputError
from discreet.families.regression import FAMILY

BOUNDS, PRIOR = "COLUMN=LOW:HIGH", "[COEFFICIENT=][MEAN:]VARIANCE"


@click.command()
@click.argument("data", required=False, type=common.FILE)
@click.option("--y", required=True, help="The column to be explained.")
@click.option(
    "--x",
    multiple=True,
    metavar="COLUMN,…",
    help="Columns that explain it, with commas or once for each; else all others with bounds.",
)
@click.option(
    "--bounds",
    required=True,
    multiple=True,
    metavar=BOUNDS,
    help="Public bounds, once for every column, y too; records are clipped to them.",
)
@click.option(
    "--prior",
    multiple=True,
    metavar=PRIOR,
    help="Of all coefficients, or once for each and the intercept; else one that the bounds "
    "suggest.",
)
@click.option(
    "--noise-variance",
    metavar="VARIANCE|SHAPE:SCALE",
    help="Of y given x, or of its inverse-gamma prior; else one that the bounds suggest.",
)
@click.option("--radius", help="A bound on the norm of the features, in halves of their bounds.")
@click.option("--no-intercept", is_flag=True, help="Without a constant.")
@numeric.epsilon_options
@click.option(
    "--mechanism",
    default="statistics",
    show_default=True,
    type=click.Choice(FAMILY.names),
    help="sample draws coefficients and needs a known noise variance.",
)
@click.option("--samples", type=int, help="Of sample: how many draws.")
@click.option("--norm", help="Of sample: the largest norm of the coefficients; 1 keeps y's bounds.")
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
    y: str,
    x: tuple[str, ...],
    bounds: tuple[str, ...],
    prior: tuple[str, ...],
    noise_variance: str | None,
    radius: str | None,
    no_intercept: bool,
    delta: str | None,
    mechanism: str,
    samples: int | None,
    norm: str | None,
    adjacency: str,
    **given: Any,
) -> int:
    """Release a Bayesian linear regression, with differential privacy.

    DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes. The engine sums
    products of columns; only sums are read. The coefficients are printed as released and
    noise-aware.

    \b
    discreet regress wages.csv --y pay --x age,years --bounds pay=0:10 \\
        --bounds age=20:60 --bounds years=0:40 --epsilon 1 --delta 1e-6 \\
        --ledger budget.db --dataset wages --out release.json
    """
    from discreet.families.regression.model import LinearRegression

    columns = [name for text in x for name in text_input.listed("x", text)]
    model = LinearRegression(
        _prior(prior),
        _noise(noise_variance),
        _bounds(bounds, (y, *columns)),
        text_input.number("radius", radius),
        not no_intercept,
    ).of(y, columns or None)

    rules = {name: given.pop(name) for name in common.RULES}

    def count(data: str) -> Any:
        return model.count(data, y, model.X, **rules)

    options = {
        "delta": text_input.number("delta", delta),
        "samples": samples,
        "norm": text_input.number("norm", norm),
    }
    return numeric.answer(model, count, mechanism, adjacency, options, rules, **given)


def _bounds(texts: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    given = numeric.named("bounds", texts, BOUNDS)
    for column in columns:
        if column not in given:
            raise InputError(
                f"bounds of column {column!r} must be given: they are public, never learnt from "
                "the data",
                "bounds",
            )
    return {name: numeric.pair("bounds", text, BOUNDS) for name, text in given.items()}


def _prior(texts: Sequence[str]) -> Any:
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return _moments(texts[0])
    return {name: _moments(text) for name, text in numeric.named("prior", texts, PRIOR).items()}


def _moments(text: str) -> Any:
    """A variance, or mean and variance."""
    return numeric.pair("prior", text, PRIOR) if ":" in text else text_input.number("prior", text)


def _noise(text: str | None) -> Any:
    if text is None or ":" not in text:
        return text_input.number("noise_variance", text)
    return numeric.pair("noise_variance", text, "VARIANCE or SHAPE:SCALE")
