"""What went wrong in one sentence, and the exit status."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from pathlib import Path

import click

from discreet.errors import DiscreetError, InputError, UnknownValuesError

REFUSED, USAGE, INTERRUPTED = 1, 2, 130
OPTIONS = (
    *("max_per_unit", "request_id", "worst_case"),
    *("noise_variance", "prior_mean", "prior_variance"),
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
    if isinstance(error, UnknownValuesError):
        _show_privately(error)
    return status


def _sentence(error: BaseException) -> tuple[str, int]:
    if isinstance(error, (click.exceptions.Abort, KeyboardInterrupt)):
        return "Interrupted.", INTERRUPTED
    if isinstance(error, InputError):
        return f"Error: {spoken(str(error))}", USAGE
    if isinstance(error, DiscreetError):
        return f"Refused: {spoken(str(error))}", REFUSED
    if isinstance(error, MemoryError):
        return "Error: there is not enough memory", REFUSED
    if isinstance(error, OSError):
        return f"Error: {error.strerror or 'a file cannot be used'}", REFUSED
    # the message of a foreign error may quote records, so only its type and place are shown
    return f"Error: unexpected {type(error).__name__} in {_place(error)}; please report it", REFUSED


def spoken(text: str) -> str:
    """A sentence of the library in the words of the command line.

    Only what the library itself says so: a condition such as ward='north' stays as it was given.
    """
    text = text.replace("calibrate=True", "--calibrate")
    text = re.sub(r"\b(unknown|other|postprocess)='([^']*)'", r"--\1 \2", text)
    text = text.replace("raise_budget", "discreet ledger raise")
    for name in OPTIONS:
        text = re.sub(rf"\b{name}\b", "--" + name.replace("_", "-"), text)
    return text


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "discreet" in Path(frame.filename).parts] or frames
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
    if error.values:
        shown = ", ".join(map(repr, error.values))
        click.echo(f"Private, for you only: values such as {shown}", err=True)
    if error.hint:
        click.echo(f"Private, for you only: {error.hint}", err=True)
