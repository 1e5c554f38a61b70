"""What goes wrong is a sentence in the page, costs nothing, and the server keeps running."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.cli.cases import call
from tests.explorer.browsing import Explorer, labelled, planned


def confirm(page: Any) -> None:
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release and pay").click()


@pytest.mark.slow
def test_a_file_that_vanishes_between_plan_and_release(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    planned(page, explorer, trial, "0.5")
    page.get_by_role("button", name="Release…").click()
    page.get_by_text("cannot be undone").wait_for()
    (trial / "patients.csv").unlink()
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    assert dp.Ledger.open(trial / "budget.db").remaining("trial-7").epsilon == 1


@pytest.mark.slow
def test_a_ledger_that_is_damaged(page: Any, explorer: Explorer, trial: Path) -> None:
    (trial / "budget.db").write_bytes(b"nothing that a ledger is" * 100)
    planned(page, explorer, trial, "0.5")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("alert").filter(has_text="ledger").wait_for()
    page.goto(f"{explorer.address}budget")
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    page.get_by_role("button", name="Show").click()
    page.get_by_role("alert").filter(has_text="ledger").wait_for()


@pytest.mark.slow
def test_names_that_break_something_end_in_a_sentence(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    """DuckDB's word for Ctrl-C in the name of a damaged file does not end the server."""
    damaged = trial / "query interrupted.parquet"
    damaged.write_bytes(b"PAR1 nothing PAR1")
    planned(page, explorer, trial, "0.5")
    for name in (str(damaged), "x" * 5000 + ".parquet"):
        labelled(page, "File on this machine").fill(name)
        labelled(page, "Column").focus()  # columns are looked for
        confirm(page)
        page.get_by_role("alert").filter(has_text="cannot be read").wait_for()
    page.goto(f"{explorer.address}budget")
    labelled(page, "Ledger").fill("~nobody-of-this-name/budget.db")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("alert").filter(has_text="is no name of a file").wait_for()


@pytest.fixture
def locked(trial: Path) -> Iterator[Path]:
    """Somebody else writes into the ledger, and does not stop."""
    with sqlite3.connect(trial / "budget.db", isolation_level=None) as other:
        other.execute("begin immediate")
        yield trial
        other.rollback()
    other.close()


@pytest.mark.slow
def test_a_ledger_that_is_locked(page: Any, explorer: Explorer, locked: Path) -> None:
    planned(page, explorer, locked, "0.5")
    confirm(page)
    page.get_by_text("Counting and paying…").wait_for()
    page.get_by_role("alert").filter(has_text="locked by another process").wait_for()


def ended(pids: list[int]) -> bool:
    """Whether the processes are gone, within a while."""
    for _ in range(600):
        if not any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(child) for child in found.split()]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_killed_while_it_waits_for_the_ledger(page: Any, locked: Path) -> None:
    server = Explorer()
    planned(page, server, locked, "0.5")
    confirm(page)
    page.get_by_text("Counting and paying…").wait_for()
    workers = children(server.process.pid)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    assert workers
    assert ended(workers)
    server.close()
    ledger = dp.Ledger.open(locked / "budget.db")
    assert ledger.remaining("trial-7").epsilon == 1
    assert ledger.verify()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_killed_half_way_through_a_release(page: Any, trial: Path, delay: float) -> None:
    server = Explorer()
    planned(page, server, trial, "0.25")
    confirm(page)
    time.sleep(delay)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    server.close()
    ledger = dp.Ledger.open(trial / "budget.db")
    assert ledger.verify()
    kinds = [entry.kind for entry in ledger.history("trial-7")]
    assert kinds in (["create"], ["create", "charge"], ["create", "charge", "outcome"])
    spent = 1 - ledger.remaining("trial-7").epsilon
    assert spent == Fraction(1, 4) * kinds.count("charge")


@pytest.mark.slow
def test_ctrl_c_ends_it_without_a_word() -> None:
    server = Explorer()
    workers = children(server.process.pid)
    server.process.send_signal(signal.SIGINT)
    printed, _ = server.process.communicate(timeout=60)
    assert "Traceback" not in printed
    assert ended(workers)


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "discreet", "explore", "--no-browser", "--port", port]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert f"port {port} cannot be used" in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--port", "99999"), ("--port", "http"), ("--quiet",)])
def test_arguments_that_make_no_sense(arguments: tuple[str, ...]) -> None:
    found = call("explore", "--no-browser", *arguments)
    assert found.status == 2
    assert "Traceback" not in found.err


def test_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    found = call("explore", "--no-browser")
    assert found.status == 2
    assert found.err == "Error: the explorer needs nicegui: pip install 'discreet[explorer]'\n"


def test_an_address_without_the_token(page: Any, explorer: Explorer) -> None:
    host = "/".join(explorer.address.split("/")[:3])
    assert page.goto(f"{host}/").status == 403
    page.get_by_text("it has a token").wait_for()
    assert page.goto(f"{host}/_nicegui/x").status == 403
    assert page.goto(explorer.address.replace("127.0.0.1", "localhost")).status == 200


@pytest.mark.slow
def test_the_address_as_json() -> None:
    command = [sys.executable, "-m", "discreet", "explore", "--no-browser", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "{\n"
    assert '"address": "http://127.0.0.1:' in server.stdout.readline()
    server.terminate()
    server.communicate(timeout=60)


@pytest.mark.slow
def test_the_token_is_not_in_the_list_of_processes(tmp_path: Path) -> None:
    """What a browser is started with is seen by every user of the machine."""
    script, told = tmp_path / "browser", tmp_path / "told"
    script.write_text(f'#!/bin/sh\necho "$@" > {told}\n', encoding="utf-8")
    script.chmod(0o700)
    server = subprocess.Popen(
        [sys.executable, "-m", "discreet", "explore"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"BROWSER": str(script)},
    )
    assert server.stdout is not None
    token = server.stdout.readline().split("/")[-2]
    for _ in range(600):
        if told.exists() and told.read_text(encoding="utf-8"):
            break
        time.sleep(0.1)
    shown = told.read_text(encoding="utf-8").strip()
    page = Path(shown.removeprefix("file://"))
    assert token not in shown
    assert token in page.read_text(encoding="utf-8")
    assert page.parent.stat().st_mode & 0o077 == 0
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=60)
    assert not page.exists()
