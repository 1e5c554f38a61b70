"""`discreet plan`: before anything is spent."""

from __future__ import annotations

import click

from discreet import check
from discreet.cli import common


@click.command()
@common.model_options
@click.option("--n", required=True, type=int, help="The number of records, or a guess at it.")
@click.option("--error", help="The largest acceptable expected error (Hellinger distance).")
@click.option("--width", help="The largest acceptable width of the 95 % credible interval.")
@click.option("--epsilon", help="Or: what does this epsilon buy?")
@click.option(
    "--mechanism", default="lattice", show_default=True, type=click.Choice(common.MECHANISMS)
)
@click.option("--at", help="Public proportions or counts, separated by commas.")
@click.option("--worst-case", is_flag=True, help="Judge at the worst counts.")
@click.option("--adjacency", default="substitute", type=click.Choice(["substitute", "add-remove"]))
@common.mechanism_options
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the curve.")
@common.output_options
def command(
    categories: str,
    prior: str,
    n: int,
    error: str | None,
    width: str | None,
    epsilon: str | None,
    mechanism: str,
    at: str | None,
    worst_case: bool,
    adjacency: str,
    plot: str | None,
    as_json: bool,
    quiet: bool,
    gamma: str | None,
    delta: str | None,
    calibrate: bool,
    postprocess: str | None,
    distance: str | None,
) -> None:
    """The least epsilon that reaches a target, or what an epsilon buys. No data are read.

    \b
    discreet plan --categories cured,improved,unchanged --n 600 --error 0.05
    """
    from discreet.planning import plan

    common.require_plot(plot)
    targets = {"error": error, "width": width, "epsilon": epsilon}
    settings = common.mechanism_settings(gamma, delta, calibrate, postprocess, None)
    if distance is not None:
        settings["distance"] = distance
    if adjacency != "substitute":
        settings["adjacency"] = adjacency
    found = plan(
        common.model_of(categories, prior),
        n,
        **{  # type: ignore[arg-type]
            name: None if text is None else check.text_number(name, text)
            for name, text in targets.items()
        },
        mechanism=mechanism,
        at=None if at is None else common.numbers("at", at),
        worst_case=worst_case,
        **settings,
    )
    if plot is not None:
        common.save_plot(plot, found.plot)
    if as_json:
        common.print_json(
            {
                "epsilon": str(found.epsilon),
                "error": found.error,
                "error_95": found.error_quantile,
                "width": found.width if width is not None else None,
                "question": found.question,
                "guarantee": str(found.guarantee),
            }
        )
    elif not quiet:
        common.console().print(str(found), markup=False)
