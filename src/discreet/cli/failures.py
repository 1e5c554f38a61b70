"""What went wrong in one sentence, and the exit status."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from pathlib import Path

import click

from discreet.errors import (
    Charged,
    DiscreetError,
    InputError,
    MissingPackageError,
    UnknownValuesError,
)

REFUSED, USAGE, INTERRUPTED = 1, 2, 130
_HOME = Path(__file__).parents[1]  # the package, whatever the folders above it are called
OPTIONS = (
    *("max_per_unit", "request_id", "worst_case", "line_breaks"),
    *("noise_variance", "prior_mean", "prior_variance", "total_delta", "per_unit"),
)


def explain(error: BaseException) -> int:
    """Say on standard error why a command ended, and return its exit status."""
    if isinstance(error, click.ClickException):
        error.show()
        return USAGE
    _drop_output()
    if isinstance(error, BrokenPipeError):
        return REFUSED
    sentence, status = _sentence(error)
    click.echo(sentence, err=True)
    interrupt = error.__cause__ or error  # which click replaces
    for note in getattr(interrupt, "__notes__", ()):
        if isinstance(note, Charged):
            click.echo(f"Note: {note}; discreet ledger history tells its outcome.", err=True)
    if isinstance(error, UnknownValuesError):
        _show_privately(error)
    return status


def _sentence(error: BaseException) -> tuple[str, int]:
    if isinstance(error, (click.exceptions.Abort, KeyboardInterrupt)):
        return "Interrupted.", INTERRUPTED
    if isinstance(error, (InputError, MissingPackageError)):
        return f"Error: {spoken(str(error))}", USAGE
    if isinstance(error, DiscreetError):
        return f"Refused: {spoken(str(error))}", REFUSED
    if isinstance(error, MemoryError):
        return "Error: there is not enough memory", REFUSED
    if isinstance(error, OSError):
        return f"Error: {error.strerror or 'a file cannot be used'}", REFUSED
    if isinstance(error, ImportError) and error.name:
        return f"Error: {error.name} cannot be imported; please install discreet anew", REFUSED
    # the message of a foreign error may quote records, so only its type and place are shown
    return f"Error: unexpected {type(error).__name__} in {_place(error)}; please report it", REFUSED


def spoken(text: str) -> str:
    """A sentence of the library in the words of the command line.

    Only what the library itself says so: a condition such as ward='north' stays as it was given.
    """
    text = text.replace("calibrate=True", "--calibrate").replace("overwrite=True", "--force")
    text = text.replace("line_breaks=True", "--line-breaks").replace("unit='…'", "--unit …")
    text = text.replace("per_unit='average'", "--per-unit average")
    text = re.sub(r"\b(unknown|other|postprocess)='([^']*)'", r"--\1 \2", text)
    text = re.sub(r"^(\w+) and (\w+) belong together", _both, text)
    text = text.replace("raise_budget", "discreet ledger raise")
    for name in OPTIONS:
        text = re.sub(rf"\b{name}\b", "--" + name.replace("_", "-"), text)
    return text


def _both(found: re.Match[str]) -> str:
    first, second = (name.replace("_", "-") for name in found.groups())
    return f"--{first} and --{second} belong together"


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_HOME)] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else "discreet"


def _drop_output() -> None:
    """If the reader has gone or the disk is full, nothing may be written at exit either."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_privately(error: UnknownValuesError) -> None:
    """The undeclared values: to a terminal only, never into a log."""
    if not sys.stderr.isatty():
        return
    shown = [repr(value) for value in error.values if value is not None]
    if len(shown) < len(error.values):
        shown.append('missing ones, which a condition such as "x is not null" leaves out')
    if shown:
        click.echo(f"Private, for you only: values such as {', '.join(shown)}", err=True)
    if error.hint:
        click.echo(f"Private, for you only: {error.hint}", err=True)
