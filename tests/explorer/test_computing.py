"""Figures come from other processes: shared, remembered, given up, and never raised."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from discreet.explorer import computing
from discreet.explorer.computing import Computer, Worker
from discreet.explorer.previews import Average, Errors
from discreet.explorer.settings import read_setting
from tests.explorer.browsing import settled

SETTING = read_setting("71, 19", "1", "1")


@pytest.fixture(scope="module")
def computer() -> Iterator[Computer]:
    found = Computer()
    yield found
    found.close()


def processes(computer: Computer, slow: bool) -> list[int]:
    return [worker._process.pid or 0 for worker in computer._workers[slow]]


async def asked_twice(computer: Computer) -> tuple[Any, Any]:
    computer._free.clear()
    return await asyncio.gather(
        computer.figure("errors", SETTING, "lattice"), computer.figure("errors", SETTING, "lattice")
    )


def test_the_same_figure_is_computed_once(computer: Computer) -> None:
    one, two = settled(asked_twice(computer))
    assert isinstance(one, Errors)
    assert one is two


async def endless(computer: Computer) -> tuple[Worker, Any]:
    """The worker for slow figures, and one it will never find: its process is stopped."""
    computer._free.clear()
    (worker,) = computer._workers[True]
    await asyncio.to_thread(worker.compute, ("limit", SETTING), lambda: True)  # it is there
    os.kill(worker._process.pid or 0, signal.SIGSTOP)
    task = asyncio.create_task(computer.figure("averaged", SETTING, "lattice"))
    await asyncio.sleep(0.1)
    return worker, task


async def slow_and_quick(computer: Computer) -> tuple[Any, Any]:
    _, slow = await endless(computer)
    quick = await computer.figure("errors", SETTING, "ls_hist")
    return await slow, quick


@pytest.mark.slow
def test_what_takes_too_long_is_given_up(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "MOST_SECONDS", 2.0)
    slow, quick = settled(slow_and_quick(computer))
    assert slow == computing.LATE
    assert isinstance(quick, Errors)


async def abandoned(computer: Computer) -> Any:
    _, left = await endless(computer)
    left.cancel()
    return await computer.figure("limit", read_setting("7, 3", "1", "1"))


@pytest.mark.slow
def test_what_nobody_waits_for_does_not_hold_up_others(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "MOST_SECONDS", 600.0)
    before = processes(computer, True)
    assert isinstance(settled(abandoned(computer)), float)
    assert processes(computer, True) != before  # given up, not waited for


async def killed(computer: Computer) -> tuple[Any, Any]:
    worker, task = await endless(computer)
    os.kill(worker._process.pid or 0, signal.SIGKILL)
    return await task, await computer.figure("limit", read_setting("8, 3", "1", "1"))


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "MOST_SECONDS", 600.0)
    before = processes(computer, True)
    found, after = settled(killed(computer))
    assert isinstance(found, Average)  # by the process that took its place
    assert isinstance(after, float)
    assert processes(computer, True) != before
