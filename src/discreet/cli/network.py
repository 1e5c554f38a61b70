"""`discreet network`: from a file of records and a structure to a released network."""

from __future__ import annotations

from typing import Any

import click

from discreet import text_input
from discreet.cli import common, delivering
from discreet.errors import InputError
from discreet.families.network import FAMILY


@click.command()
@click.argument("data", type=common.FILE)
@click.option(
    "--structure",
    required=True,
    type=common.FILE,
    help="A .bif file with nodes, states and parents; its probabilities are not used.",
)
@click.option("--prior", default="1", show_default=True, help="Of every cell, a number.")
@click.option("--epsilon", required=True, help="What the release may cost.")
@click.option(
    "--mechanism",
    type=click.Choice(FAMILY.names),
    help="lattice is the most accurate without --delta; gaussian needs it.  [default: lattice, "
    "with --delta the better of both]",
)
@click.option(
    "--adjacency",
    default="substitute",
    show_default=True,
    type=click.Choice(["substitute", "add-remove", "attribute"]),
    help="add-remove: lattice, gaussian or laplace_updates; attribute: posterior_sample.",
)
@click.option("--n", type=int, help="The public number of records, checked against the data.")
@click.option("--where", help='Only records that satisfy a condition, such as "age >= 50".')
@click.option(
    "--unknown",
    default="error",
    show_default=True,
    type=click.Choice(["error", "drop"]),
    help="What happens to records with missing or undeclared values.",
)
@common.unit_options
@common.reading_options
@click.option(
    "--shares",
    type=click.Choice(["optimal", "sizes", "equal"]),
    help="How the tables of lattice and gaussian share the budget.  [default: optimal]",
)
@click.option("--delta", help="What may go wrong besides: for normal noise, below 1/n.")
@click.option(
    "--reconcile",
    type=click.Choice(["tables", "model"]),
    help="Make tables of noisy tables, or the marginals of one law.",
)
@click.option("--t", help="Stealth parameter of fourier.")
@click.option("--samples", type=int, help="Of posterior_sample.")
@click.option("--omega", help="Least probability of posterior_sample, which tempers it, or cut.")
@click.option("--score", type=click.Choice(["distance", "mass"]), help="Of map.")
@click.option("--points", type=int, help="Grid of map by mass.")
@common.payment_options
@common.out_option
@click.option("--bif", type=common.FILE, help="Write the released network as a .bif file.")
@common.force_option
@common.output_options
def command(
    data: str,
    structure: str,
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
    bif: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Release the conditional tables of a Bayesian network, with differential privacy.

    DATA is a .csv, .tsv, .jsonl, .parquet or .duckdb file, or a pattern in quotes, with a column
    for every node. All tables are counted in one pass; only counts are read.

    \b
    discreet network patients.csv --structure chest.bif --epsilon 1 \\
        --ledger budget.db --dataset clinic --out release.json --bif public.bif
    """
    from discreet import check
    from discreet.cli import places
    from discreet.families.network.model import BayesNet

    if quiet and not (as_json or out or bif or ledger):
        raise InputError("quiet needs out, bif, json or ledger: nothing would be kept", "quiet")
    places.require({"out": out, "bif": bif}, force, data=data, structure=structure, ledger=ledger)
    delivering.require_payer(ledger, dataset, request_id=request_id, part=part)
    budget = check.epsilon(text_input.number("epsilon", epsilon))
    net = BayesNet.from_bif(structure, text_input.number("prior", prior))
    rules = {name: given.pop(name) for name in common.RULES}
    numbers = [name for name in ("t", "delta", "omega") if given[name] != "cut"]
    given |= {name: text_input.number(name, given[name]) for name in numbers}
    options = {name: value for name, value in given.items() if value is not None}
    return delivering.carry_out(
        lambda: net.count(data, **rules),
        net,
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
        bif=bif,
        force=force,
        as_json=as_json,
        quiet=quiet,
    )
