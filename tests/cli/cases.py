"""Calling the command line, in this process and in another."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from discreet.cli import run

COUNTS = {"cured": 41, "improved": 27, "unchanged": 13}
MODEL = ("--column", "outcome", "--categories", "cured,improved,unchanged")


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out, parse_constant=lambda name: 1 / 0)


@contextlib.contextmanager
def captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Streams as `main` sets them up."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="replace") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined,no-any-return]


def call(*arguments: object) -> Result:
    """Run a command here."""
    with captured() as (out, err):
        status = run([str(argument) for argument in arguments])
    return Result(status, text(out), text(err))


def call_as_nobody(*arguments: object) -> Result:
    """Run a command as a user who is not root; for a process of its own."""
    call(*arguments, "--help")  # loads the command while all of Python can be read
    ours = ("discreet.cli.places", "discreet.releases.releasing", "discreet.cli.failures")
    for module in (*ours, "sqlite3", "matplotlib.figure"):
        importlib.import_module(module)
    if os.geteuid() == 0:
        os.setuid(65534)
    return call(*arguments)


def done(*arguments: object) -> Result:
    """Run a command that has to succeed."""
    result = call(*arguments)
    assert (result.status, result.err) == (0, ""), result
    return result


def spawn(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process."""
    command = [sys.executable, "-m", "discreet", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def rows() -> list[tuple[str, str, int]]:
    """Outcome, therapy and age of some patients."""
    found = [label for label, number in COUNTS.items() for _ in range(number)]
    return [
        (outcome, ("cryo", "immuno")[i % 3 == 0], 20 + i % 60) for i, outcome in enumerate(found)
    ]


def write_csv(path: Path, separator: str = ",", quote: str = "") -> Path:
    lines = [separator.join(("outcome", "therapy", "age", "patient"))]
    for i, (outcome, therapy, age) in enumerate(rows()):
        lines.append(separator.join((f"{quote}{outcome}{quote}", therapy, str(age), f"p{i // 2}")))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def spent(ledger: Path, dataset: str) -> str:
    [account] = done("ledger", "show", ledger, "--dataset", dataset, "--json").document
    return str(account["spent"]["epsilon"])
