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
@click.option(
    "--data",
    type=common.FILE,
    metavar="FOLDER",
    help="Real records for P2: census2000.csv, votes84.csv, spect.csv.",
)
@common.output_options
def command(
    what: tuple[str, ...],
    out: str,
    quick: bool,
    seed: int | None,
    data: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the tables, figures and claims of the papers anew.

    WHAT is p0, p1, p2, p3, p4, ours or all, or figures by name, such as p0-figure-2. For each of
    them the folder gets a PNG, an SVG and a CSV file, and report.html shows everything. A run that
    was interrupted goes on where it stopped; other files of these names are never replaced.

    p2-figure-2 reads census2000.csv from the folder of --data (columns educ, exper, expersq and
    lweekinc), p2-data reads votes84.csv (class and 16 votes) and spect.csv (diagnosis and F1 to
    F22). Synthetic records stand in for a file that is not there; the figure and the last lines
    printed say so. All else needs no files.

    \b
    discreet reproduce all --out reproduced
    discreet reproduce p0-figure-2 p1-table-1 --out reproduced --quick
    discreet reproduce p2 --data FOLDER --out reproduced
    """
    from discreet_papers import reproduce
    from discreet_papers.running import SEED

    run = reproduce(what, out, quick, SEED if seed is None else seed, data)
    document = {
        "folder": str(run.folder),
        "report": str(run.report),
        "parts": [part.name for part in run.parts],
        "synthetic": run.synthetic,
        "claims": {name: found.verdict.value for name, found in run.findings.items()},
    }
    common.done(document, run, as_json, quiet)
