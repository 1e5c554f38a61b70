"""The command line. Commands are loaded when they are used, so that `--help` is quick."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from discreet._version import __version__

# name: (module, help)
COMMANDS = {
    "release": ("release", "Release a posterior from a file, paid for by a ledger."),
    "plan": ("plan", "What does an epsilon buy, and which one reaches a target?"),
    "compare": ("compare", "All mechanisms at the same counts, side by side."),
    "audit": ("audit", "The exact privacy loss of a mechanism; certificates."),
    "ledger": ("ledger", "Budgets: init, create, raise, show, history, verify, backup, migrate."),
    "demo": ("demo", "Release posteriors from two trials of wart therapy."),
}


class LazyGroup(click.Group):
    """A group that knows the names and one-line helps of its commands, and imports one if asked."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"discreet.cli.{COMMANDS[cmd_name][0]}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="discreet")
def commands() -> None:
    """Release Bayesian posteriors under differential privacy.

    Exit status: 0 done, 1 refused, 2 wrong usage.
    """


def main() -> None:
    """Run a command; a mistake of the user is one sentence, never a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no Greek letters
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status."""
    from discreet.errors import DiscreetError, InputError, UnknownValuesError

    try:
        status: Any = commands.main(arguments, prog_name="discreet", standalone_mode=False)
        return int(status or 0)
    except click.ClickException as error:
        error.show()
        return 2
    except click.exceptions.Abort:
        return 130
    except UnknownValuesError as error:
        click.echo(f"Error: {error}", err=True)
        _show_privately(error)
        return 2
    except InputError as error:
        click.echo(f"Error: {error}", err=True)
        return 2
    except DiscreetError as error:
        click.echo(f"Refused: {error}", err=True)
        return 1
    except BrokenPipeError:
        # whoever read the output has gone; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        click.echo(f"Error: {error.strerror or 'a file cannot be used'}", err=True)
        return 2


def _show_privately(error: Any) -> None:
    """The undeclared values: to a terminal only, never into a log."""
    if not sys.stderr.isatty():
        return
    if error.values:
        shown = ", ".join(map(repr, error.values))
        click.echo(f"Private, for you only: values such as {shown}", err=True)
    if error.hint:
        click.echo(f"Private, for you only: {error.hint}", err=True)
