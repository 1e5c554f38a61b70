"""`discreet explore`: the explorer in a browser."""

from __future__ import annotations

from importlib.util import find_spec

import click

from discreet.cli import common
from discreet.errors import InputError
from discreet.extras import missing


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A free one if left out.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@common.output_options
def command(port: int, no_browser: bool, as_json: bool, quiet: bool) -> int:
    """See in a browser what privacy costs, plan a release, look at a budget.

    The page is served on this machine only, at an address with a secret token. Ctrl-C ends it.

    \b
    discreet explore
    discreet explore --port 8080 --no-browser
    """
    for package in ("nicegui", "matplotlib"):
        if find_spec(package) is None:  # imported later: first the explorer's processes start
            raise missing(f"the explorer needs {package}", "discreet[explorer]")
    if quiet and no_browser and not as_json:
        raise InputError("quiet needs json or a browser: nobody would know the address", "quiet")
    from discreet.explorer.computing import Computer
    from discreet.explorer.gate import listen

    taken = listen(port)
    computer = Computer()  # its processes start while the server's packages are imported
    from discreet.explorer.server import serve

    def announce(address: str) -> None:
        common.done(
            {"address": address}, f"The explorer is at {address}\nCtrl-C ends it.", as_json, quiet
        )

    serve(computer, taken, not no_browser, announce)
    return 0
