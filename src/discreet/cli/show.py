"""`discreet show`: a saved release, read again."""

from __future__ import annotations

import click

from discreet.cli import common


@click.command()
@click.argument("file", type=common.FILE)
@click.option("--node", help="Of a network: whose table is shown, and drawn.")
@common.plot_option
@common.force_option
@common.output_options
def command(
    file: str, node: str | None, plot: str | None, force: bool, as_json: bool, quiet: bool
) -> None:
    """Show a saved release: tables, intervals, guarantee and receipt. It costs nothing.

    FILE is what --out or release.save wrote. One that was changed or is not complete is refused.

    \b
    discreet show release.json
    discreet show release.json --plot posterior.png
    """
    from discreet.cli import places, showing
    from discreet.releases.published import Release

    places.require({"plot": plot}, force, file=file)
    showing.present(Release.load(file), plot, force, as_json, quiet, node)
