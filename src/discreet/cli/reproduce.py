"""`discreet reproduce`, which is the command of a package of its own."""

from __future__ import annotations

from importlib.metadata import entry_points

import click

from discreet.errors import MissingPackageError


def _command() -> click.Command:
    for found in entry_points(group="discreet.commands", name="reproduce"):
        command: click.Command = found.load()
        return command
    return _missing


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def _missing(words: tuple[str, ...]) -> None:
    raise MissingPackageError(
        "the papers' tables, figures and claims need discreet-papers, in the folder papers of a "
        "clone: pip install ./papers"
    )


command = _command()
