"""What other processes do in the tests; they are forked from a server that has imported this."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
from collections.abc import Callable
from contextlib import chdir, suppress
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path

from discreet.errors import BudgetError, DiscreetError, LedgerError
from discreet.ledger import Ledger
from tests.ledger.cases import ABOUT, document, guarantee

for _module in ("discreet.ledger.files", "sqlalchemy.dialects.postgresql.psycopg", "psycopg"):
    with suppress(ImportError):
        import_module(_module)  # once, before the processes are forked


def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with chdir(Path(__file__).parents[2]):  # where the server finds it, wherever a test is
        forkserver.ensure_running()
    return context


def ready(tell: Connection, target: Callable[..., None], *arguments: object) -> None:
    """Say that the process is there, then work."""
    tell.send(True)
    target(*arguments)


def attempts(ledger: Ledger, dataset: str, count: int, epsilon: str) -> int:
    """How many of the attempts are granted."""
    granted = 0
    for _ in range(count):
        try:
            ledger.charge(dataset, guarantee(epsilon), ABOUT)
            granted += 1
        except BudgetError:
            pass
    return granted


def release_until_killed(ledger: Ledger, output: Path) -> None:
    """A release is written only after its outcome was recorded."""
    with output.open("a", encoding="utf-8") as lines:
        while True:
            receipt = ledger.charge("d", guarantee("0.01"), ABOUT)
            release = document(receipt, guarantee("0.01"))
            ledger.record(receipt, release)
            lines.write(json.dumps(release) + "\n")
            lines.flush()


def open_in_a_loop(folder: Path) -> None:
    for number in range(10**6):
        Ledger.open(folder / f"{number}.db", budget=2)


def open_new(place: str) -> str:
    return repr(Ledger.open(place, budget=3))


def fill_the_disk(ledger: Ledger, room: int) -> tuple[int, str]:
    """Charges until a file may grow no more: how many were granted, and the refusal."""
    limit = max(Path(ledger.place).stat().st_size, room)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for granted in range(10_000):
        try:
            ledger.charge("d", guarantee("0.001"), ABOUT)
        except LedgerError as error:
            return granted, str(error)
    return granted, ""


def refused_as(ledger: Ledger, user: int | None) -> str:
    """What someone without the right to write is told."""
    if user is not None:
        os.setgid(user)
        os.setuid(user)
    try:
        ledger.charge("d", guarantee("0.001"), ABOUT)
    except DiscreetError as error:
        return f"{type(error).__name__}: {error}"
    return "granted"


def charge_on_both_sides_of_a_fork(ledger: Ledger, count: int) -> int:
    attempts(ledger, "d", count, "0.001")
    child = os.fork()
    attempts(ledger, "d", count, "0.001")
    if child == 0:
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
