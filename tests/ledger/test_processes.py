"""Many processes at once, and processes that are killed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Amount, Ledger, stores
from discreet.ledger.entries import release_digest
from tests.ledger import workers


@pytest.mark.parametrize("attempts", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_exactly_what_the_budget_covers_is_granted(place: str, attempts: int) -> None:
    """8 processes make 8·attempts on a budget for 5·attempts, of 0.003 each."""
    ledger = Ledger.open(place, budget=Fraction(15 * attempts, 1000))
    with workers.processes().Pool(8) as pool:
        work = [(ledger, "d", attempts, "0.003")] * 8
        granted = pool.starmap(workers.attempts, work, chunksize=1)
    assert sum(granted) == 5 * attempts
    assert ledger.remaining("d") == Amount()
    report = ledger.verify()
    assert report.ok
    assert len(report.unfinished) == 5 * attempts


@pytest.mark.parametrize("attempts", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_exactly_what_composes_is_granted(place: str, attempts: int) -> None:
    """The same with a δ: more than the sums cover, and less than is asked for."""
    budget = Fraction("0.14") if attempts == 20 else Fraction("0.5")
    ledger = Ledger.open(place, budget, delta=1e-6)
    account = ledger.create("d")
    composing = account.releases_left(0.003)
    assert budget / Fraction("0.003") < composing < 8 * attempts
    with workers.processes().Pool(8) as pool:
        work = [(ledger, "d", attempts, "0.003")] * 8
        granted = pool.starmap(workers.attempts, work, chunksize=1)
    assert sum(granted) == composing
    assert ledger.releases_left("d", 0.003) == 0
    assert ledger.verify().ok


def test_many_open_the_same_new_ledger(place: str) -> None:
    with workers.processes().Pool(8) as pool:
        opened = pool.map(workers.open_new, [place] * 8, chunksize=1)
    assert len(set(opened)) == 1
    assert len(Ledger.open(place, 3).history()) == 1


def _kill(count: int, target: Callable[..., None], *arguments: object, longest: float) -> None:
    moments = random.Random(20170701)
    for _ in range(count):
        ready, tell = workers.processes().Pipe(duplex=False)
        process = workers.processes().Process(target=workers.ready, args=(tell, target, *arguments))
        process.start()
        ready.recv()  # it is imported, however long that takes
        time.sleep(moments.uniform(0, longest))
        process.kill()
        process.join()


def _check(ledger: Ledger, output: Path) -> None:
    """No charge is lost, no release is unpaid, and the totals hold."""
    assert ledger.verify().ok
    entries = ledger.history("d")
    charges = {entry.number: entry for entry in entries if entry.kind == "charge"}
    digests = {e.settles: e.document["digest"] for e in entries if e.kind == "outcome"}
    releases = [json.loads(line) for line in output.read_text().splitlines() if line[-1] == "}"]
    assert releases
    assert len({release["receipt"]["number"] for release in releases}) == len(releases)
    for release in releases:
        receipt = release["receipt"]
        assert charges[receipt["number"]].hash == receipt["hash"]
        assert digests[receipt["number"]] == release_digest(release)
    costs = [entry.charged for entry in charges.values()]
    spent = sum((cost for cost in costs if cost is not None), Amount())
    assert spent == ledger.datasets()[0].spent
    assert (spent.epsilon_units, spent.delta_units) == (10**10 * len(charges), 0)
    assert ledger.verify(releases[-1]).ok


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_killed_processes_leave_a_sound_ledger(place: str, tmp_path: Path, delta: float) -> None:
    ledger = Ledger.open(place, budget=1000, delta=delta)
    _kill(20, workers.release_until_killed, ledger, tmp_path / "out", longest=0.3)
    _check(ledger, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_two_hundred_killed_processes_leave_a_sound_ledger(
    place: str, tmp_path: Path, delta: float
) -> None:
    ledger = Ledger.open(place, budget=1000, delta=delta)
    _kill(200, workers.release_until_killed, ledger, tmp_path / "out", longest=0.3)
    _check(ledger, tmp_path / "out")


def _opened(path: Path) -> str:
    try:
        return f"{len(Ledger.open(path, 2).history())} entries"
    except LedgerError as error:
        return str(error).partition(";")[0]


def test_a_creator_that_is_killed_leaves_a_ledger_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.1)
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        _kill(1, workers.open_in_a_loop, folder, longest=0.1 + attempt / 100)
        for path in folder.glob("*.db"):
            assert _opened(path) in ("1 entries", f"ledger {str(path)!r} is empty")
