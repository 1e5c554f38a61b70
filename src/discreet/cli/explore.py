"""`discreet explore`: the explorer in a browser."""

from __future__ import annotations

from importlib.util import find_spec

import click

from discreet.errors import InputError


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A free one if left out.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(port: int, no_browser: bool) -> int:
    """See in a browser what privacy costs, plan a release, look at a budget.

    The page is served on this machine only, at an address with a secret token. Ctrl-C ends it.

    \b
    discreet explore
    discreet explore --port 8080 --no-browser
    """
    if find_spec("nicegui") is None:
        raise InputError("the explorer needs NiceGUI: pip install 'discreet[explorer]'")
    from discreet.explorer.computing import Computer

    computer = Computer()
    computer.warm_up()  # while the server starts
    from discreet.explorer.server import serve

    def announce(address: str) -> None:
        click.echo(f"The explorer is at {address}\nCtrl-C ends it.")

    serve(computer, port, not no_browser, announce)
    return 0
