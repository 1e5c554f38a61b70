"""`discreet audit`: the exact privacy loss, and certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from discreet import text_input
from discreet.cli import common
from discreet.core.documents import VERSION
from discreet.errors import InputError


@click.command()
@click.option("--verify", type=common.FILE, help="Recompute a certificate instead.")
@common.mechanism_option(None)
@click.option("--categories", help="Declared categories, separated by commas.")
@common.prior_option
@click.option("--n", type=int, help="The public number of records; not under add-remove.")
@click.option("--epsilon", help="The nominal parameter of the mechanism.")
@common.adjacency_option()
@click.option("--total", type=int, help="Under add-remove, how many records are covered.")
@common.mechanism_options
@click.option("--out", type=common.FILE, help="Write the certificate as JSON; of δ = 0 only.")
@click.option("--plot", type=common.FILE, help="Draw the privacy profile: .png, .svg or .pdf.")
@common.force_option
@common.output_options
def command(
    verify: str | None,
    out: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """What a mechanism really loses, over all counts, neighbours and outputs. No data are read.

    \b
    discreet audit --mechanism ehds --categories a,b --n 100 --epsilon 1
    discreet audit --verify certificate.json
    """
    from discreet.cli import places
    from discreet.releases import verify as verifying

    places.require({"out": out, "plot": plot}, force, verify=verify)
    found = _audit(given) if verify is None else verifying.verify(Path(verify))
    if out is not None:
        found.certificate.save(out, force)
    if plot is not None:
        places.save_plot(plot, found.plot, force)
    holds = "" if verify is None else "\nThe certificate holds."
    common.done(_document(found) if as_json else None, f"{found}{holds}", as_json, quiet)


def _document(found: Any) -> Any:
    """The certificate; there are none with a δ, but the bounds."""
    made = found.mechanism
    if not made.guarantee.delta:
        return json.loads(found.certificate.to_json())
    return {
        **made.config.document(),
        "guarantee": made.guarantee.to_document(VERSION),
        "bounds": {"lower": found.epsilon_lower, "upper": found.epsilon},
    }


def _audit(given: dict[str, Any]) -> Any:
    from discreet import auditing
    from discreet.core import families

    for argument in ("mechanism", "categories", "epsilon"):
        if given[argument] is None:
            raise InputError(f"{argument} must be given, or a certificate to verify", argument)
    settings = common.mechanism_settings(given)
    made = families.mechanism(
        given["mechanism"],
        text_input.model_of(given["categories"], given["prior"]),
        given["n"],
        epsilon=text_input.number("epsilon", given["epsilon"]),
        adjacency=given["adjacency"],
        **settings,
    )
    return auditing.audit(made, given["total"])
