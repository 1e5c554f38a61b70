"""`discreet plan`: before anything is spent."""

from __future__ import annotations

from typing import Any

import click

from discreet import text_input
from discreet.cli import common


@click.command()
@common.model_options
@click.option("--n", required=True, type=int, help="The number of records, or a guess at it.")
@click.option("--error", help="The largest acceptable expected error (Hellinger distance).")
@click.option("--width", help="The largest acceptable width of the 95 % credible interval.")
@click.option("--epsilon", help="Or: what does this epsilon buy?")
@common.mechanism_option()
@click.option("--at", help="Public proportions or counts, separated by commas.")
@click.option("--worst-case", is_flag=True, help="Judge at the worst counts.")
@common.adjacency_option()
@click.option("--max-per-unit", type=int, help="Records of one unit, under add-remove.")
@click.option("--groups", help="Groups of a second column: plans the joint table.")
@click.option("--releases", type=int, help="How many such releases: which budget do they need?")
@click.option("--total-delta", default="1e-6", show_default=True, help="Of that budget.")
@common.mechanism_options
@click.option("--plot", type=common.FILE, help="Draw the curve: .png, .svg or .pdf.")
@common.force_option
@common.output_options
def command(
    categories: str,
    prior: str,
    n: int,
    error: str | None,
    width: str | None,
    epsilon: str | None,
    mechanism: str | None,
    at: str | None,
    worst_case: bool,
    adjacency: str,
    max_per_unit: int | None,
    groups: str | None,
    releases: int | None,
    total_delta: str,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """The least epsilon that reaches a target, or what an epsilon buys. No data are read.

    \b
    discreet plan --categories cured,improved,unchanged --n 600 --error 0.05
    discreet plan --categories cured,improved,unchanged --n 600 --epsilon 0.5
    """
    from discreet import check
    from discreet.cli import places
    from discreet.core.counts import Grouping
    from discreet.planning import plan

    places.require({"plot": plot}, force)
    targets: dict[str, Any] = {
        name: text_input.number(name, text)
        for name, text in (("error", error), ("width", width), ("epsilon", epsilon))
    }
    settings = common.mechanism_settings(given)
    if adjacency != "substitute":
        settings["adjacency"] = adjacency
    if max_per_unit is not None:
        settings |= {"max_per_unit": max_per_unit, "unit": "unit"}
    model = text_input.model_of(categories, prior)
    if groups is not None:
        labels = check.categories(text_input.listed("groups", groups), "groups")
        model = model.grouped(Grouping("group", labels, model.categories))
    with common.said():
        found = plan(
            model,
            n,
            **targets,
            mechanism=mechanism,
            at=None if at is None else text_input.numbers("at", at),
            worst_case=worst_case,
            releases=releases,
            total_delta=text_input.number("total_delta", total_delta),
            **settings,
        )
    if plot is not None:
        places.save_plot(plot, found.plot, force)
    document = {
        "epsilon": str(found.epsilon),
        "error": found.error,
        "error_95": found.error_quantile,
        "width": found.width if width is not None else None,
        "question": found.question,
        "guarantee": str(found.guarantee),
    }
    if found.budget is not None:
        document["budget"] = {
            "releases": found.budget.releases,
            "summed": str(found.budget.summed.epsilon),
            "composed": found.budget.composed and str(found.budget.composed.epsilon),
            "wins": found.budget.wins,
        }
    common.done(document, found, as_json, quiet)
