"""`discreet reproduce`: the papers' tables, figures and claims, computed anew."""

from __future__ import annotations

import click

from discreet.cli import common


@click.command()
@click.argument("what", nargs=-1)
@click.option(
    "--out", required=True, type=common.FILE, metavar="FOLDER", help="Where what is found goes."
)
@click.option("--quick", is_flag=True, help="Fewer runs and coarser grids: less than a minute.")
@click.option("--seed", type=int, help="Of all that is drawn at random.")
@common.output_options
def command(
    what: tuple[str, ...],
    out: str,
    quick: bool,
    seed: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the tables, figures and claims of the papers anew.

    WHAT is p0, p1, p2, p3, p4, ours or all, or figures by name, such as p0-figure-2. For each of
    them the folder gets a PNG, an SVG and a CSV file, and report.html shows everything. A run that
    was interrupted goes on where it stopped.

    \b
    discreet reproduce all --out papers
    discreet reproduce p0-figure-2 p1-table-1 --out papers --quick
    """
    from discreet.study.reproduce import reproduce
    from discreet.study.reproduce.running import SEED

    run = reproduce(what, out, quick, SEED if seed is None else seed)
    document = {
        "folder": str(run.folder),
        "report": str(run.report),
        "parts": [part.name for part in run.parts],
        "claims": {name: found.verdict.value for name, found in run.findings.items()},
    }
    common.done(document, run, as_json, quiet)
