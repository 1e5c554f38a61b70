"""`discreet audit`: the exact privacy loss, and certificates."""

from __future__ import annotations

import json
from pathlib import Path

import click

from discreet import check
from discreet.cli import common


@click.command()
@click.option("--verify", type=click.Path(dir_okay=False), help="Recompute a certificate instead.")
@click.option("--mechanism", type=click.Choice(common.MECHANISMS))
@click.option("--categories", help="Declared categories, separated by commas.")
@click.option("--prior", default="1", show_default=True, help="A number, numbers or jeffreys.")
@click.option("--n", type=int, help="The public number of records; not under add-remove.")
@click.option("--epsilon", help="The nominal parameter of the mechanism.")
@click.option("--adjacency", default="substitute", type=click.Choice(["substitute", "add-remove"]))
@click.option("--total", type=int, help="Under add-remove, how many records are covered.")
@common.mechanism_options
@click.option("--out", type=click.Path(dir_okay=False), help="Write the certificate as JSON.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the privacy profile.")
@common.output_options
def command(
    verify: str | None,
    mechanism: str | None,
    categories: str | None,
    prior: str,
    n: int | None,
    epsilon: str | None,
    adjacency: str,
    total: int | None,
    out: str | None,
    plot: str | None,
    as_json: bool,
    quiet: bool,
    gamma: str | None,
    delta: str | None,
    calibrate: bool,
    postprocess: str | None,
    distance: str | None,
) -> None:
    """What a mechanism really loses, over all counts, neighbours and outputs. No data are read.

    \b
    discreet audit --mechanism ehds --categories a,b --n 100 --epsilon 1
    discreet audit --verify certificate.json
    """
    from discreet import auditing, making, verifying
    from discreet.errors import InputError

    common.require_plot(plot)
    common.require_writable("out", out)
    if verify is not None:
        found = verifying.verify(Path(verify))
    else:
        for argument, value in (
            ("mechanism", mechanism),
            ("categories", categories),
            ("epsilon", epsilon),
        ):
            if value is None:
                raise InputError(f"{argument} must be given", argument)
        made = making.mechanism(
            str(mechanism),
            common.model_of(str(categories), prior),
            n,
            epsilon=check.text_number("epsilon", str(epsilon)),
            adjacency=adjacency,
            **common.mechanism_settings(gamma, delta, calibrate, postprocess, distance),
        )
        found = auditing.audit(made, total)
    if out is not None:
        found.certificate.save(out)
    if plot is not None:
        common.save_plot(plot, found.plot)
    if as_json:
        common.print_json(json.loads(found.certificate.to_json()))
    elif not quiet:
        common.console().print(str(found), markup=False)
        if verify is not None:
            common.console().print("The certificate holds.")
