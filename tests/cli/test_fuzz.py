"""Whatever is typed: a status of 0, 1 or 2, no traceback, and no charge that is not an entry."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from types import FrameType

import pytest

from discreet.ledger import Ledger, stores
from tests.cli import fuzzing
from tests.cli.cases import Result, call, spawn

LONGEST = 30  # seconds for one call: beyond, it hangs


class Hangs(BaseException):
    """A call does not come back."""


def stop(number: int, frame: FrameType | None) -> None:
    raise Hangs


class Watch:
    """What the calls have done to the good ledger."""

    def __init__(self) -> None:
        self.paid: set[tuple[str | None, str]] = set()
        self.statuses = {0: 0, 1: 0, 2: 0}

    def see(self, given: list[str], result: Result) -> None:
        assert result.status in (0, 1, 2), given
        assert "Traceback" not in result.err, given
        assert "please report it" not in result.err, (given, result.err)
        self.statuses[result.status] += 1
        if result.status:
            assert result.err or "verify" in given, given
        elif "--json" in given and "--help" not in given and "--version" not in given:
            assert result.document is not None
        paid = bool(given) and given[0] in fuzzing.PAID and "--expected-error" not in given
        paid = paid and _after(given, "--ledger") == "budget.db"
        if paid and (result.status == 0 or result.out.startswith("{")):
            request = _after(given, "--request-id") or f"\0{len(self.paid)}"
            self.paid.add((_after(given, "--dataset"), request))


def _after(given: list[str], option: str) -> str | None:
    return given[given.index(option) + 1] if option in given[:-1] else None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fuzzing.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stores, "PATIENCE", 0.05)
    return tmp_path


def charges_of(folder: Path) -> int:
    """How many releases the good ledger has paid for, each with its outcome."""
    ledger = Ledger(str(folder / "budget.db"))
    report = ledger.verify()
    assert report.ok, report.problems
    assert report.unfinished == ()
    return sum(entry.kind == "charge" for entry in ledger.history())


@pytest.mark.parametrize(
    ("seed", "number"), [(1, 300), pytest.param(2, 10_000, marks=pytest.mark.slow)]
)
def test_calls_in_this_process(folder: Path, seed: int, number: int) -> None:
    rng, watch = random.Random(seed), Watch()
    previous = signal.signal(signal.SIGALRM, stop)
    try:
        for _ in range(number):
            given = fuzzing.arguments(rng)
            signal.alarm(LONGEST)
            watch.see(given, call(*given))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    assert charges_of(folder) == len(watch.paid)
    assert len(watch.paid) > number / 100
    assert min(watch.statuses.values()) > number / 50


@pytest.mark.parametrize("number", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_calls_as_processes(folder: Path, number: int) -> None:
    rng, watch = random.Random(number), Watch()
    for _ in range(number):
        given = fuzzing.arguments(rng)
        while any("\0" in part or "\ud800" in part for part in given):
            given = fuzzing.arguments(rng)
        done = spawn(*given, cwd=folder, timeout=120, env=os.environ | {"COLUMNS": "80"})
        watch.see(given, Result(done.returncode, done.stdout, done.stderr))
    assert charges_of(folder) == len(watch.paid)
