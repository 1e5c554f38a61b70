"""The command line. Commands are loaded when they are used, so that `--help` is quick."""

from __future__ import annotations

import io
import signal
import sys
from importlib import import_module
from types import FrameType
from typing import Any

import click

from discreet._version import __version__

COMMANDS = {
    "release": "Release a posterior from a file, paid for by a ledger.",
    "network": "Release the tables of a Bayesian network from a file.",
    "regress": "Release a linear regression from a file.",
    "mean": "Release the mean of a column of numbers from a file.",
    "family": "Release with a family of models of another package.",
    "show": "A saved release: tables, guarantee and receipt.",
    "plan": "What does an epsilon buy, and which one reaches a target?",
    "compare": "All mechanisms at the same counts, side by side.",
    "audit": "The exact privacy loss of a mechanism; certificates.",
    "ledger": "Budgets: init, create, raise, show, history, released, verify, …",
    "check": "Prove the programs of a file private, or say why not.",
    "explore": "See in a browser what privacy costs; plan a release.",
    "reproduce": "The papers' tables, figures and claims, computed anew.",
    "demo": "Release posteriors from two trials of wart therapy.",
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
        found: click.Command = import_module(f"discreet.cli.{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="discreet")
def commands() -> None:
    """Release Bayesian posteriors under differential privacy.

    \b
    Before:      discreet plan --categories cured,failed --n 600 --error 0.05
    Once:        discreet ledger init budget.db --budget 3
    A release:   discreet release patients.csv --column outcome \\
                     --categories cured,failed --epsilon 0.5 \\
                     --ledger budget.db --dataset trial-7 --out release.json
    Afterwards:  discreet show release.json
                 discreet ledger show budget.db

    Exit status: 0 done, 1 refused or failed, 2 wrong usage. Completion in bash:
    eval "$(_DISCREET_COMPLETE=bash_source discreet)"
    """


def main() -> None:
    """Run a command; a mistake of the user is one sentence, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no Greek letters
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(run(sys.argv[1:]))


_asked: list[int] = []  # the status that a signal asks for


def _terminate(number: int, frame: FrameType | None) -> None:
    """End as after an interrupt: what was begun is cleaned up."""
    signal.signal(number, signal.SIG_IGN)
    _asked.append(128 + number)
    raise SystemExit(128 + number)


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; no exception leaves it."""
    try:
        status: Any = commands.main(arguments, prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
        return int(status or 0)
    except SystemExit as end:  # shell completion, or terminated
        return int(end.code or 0)
    except BaseException as error:
        from discreet.cli.failures import explain

        # DuckDB, if it is interrupted, raises an error of its own
        return _asked[0] if _asked else explain(error)
