"""Figures come from other processes: shared, remembered, given up, and never raised."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from discreet.explorer import computing
from discreet.explorer.computing import Computer
from discreet.explorer.previews import Errors, Missing
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


async def slow_and_quick(computer: Computer) -> tuple[Any, Any]:
    computer._free.clear()
    hard = read_setting("7 5 4", "1", "0.00001")
    slow = asyncio.create_task(computer.figure("averaged", hard, "lattice"))
    await asyncio.sleep(0.1)
    quick = await asyncio.wait_for(computer.figure("errors", SETTING, "ls_hist"), 30)
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
    computer._free.clear()
    hard = read_setting("7 5 4", "1", "0.00002")
    left = asyncio.create_task(computer.figure("averaged", hard, "lattice"))
    await asyncio.sleep(0.1)
    left.cancel()
    return await asyncio.wait_for(computer.figure("limit", SETTING), 9)


@pytest.mark.slow
def test_what_nobody_waits_for_does_not_hold_up_others(computer: Computer) -> None:
    assert isinstance(settled(abandoned(computer)), float)


async def killed(computer: Computer) -> tuple[Any, Any]:
    computer._free.clear()
    hard = read_setting("7 5 4", "1", "0.00003")
    task = asyncio.create_task(computer.figure("averaged", hard, "lattice"))
    await asyncio.sleep(0.2)
    for pid in processes(computer, True):
        os.kill(pid, signal.SIGKILL)
    return await task, await computer.figure("limit", read_setting("7, 3", "1", "1"))


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(computer: Computer) -> None:
    broken, after = settled(killed(computer))
    assert isinstance(broken, Missing)
    assert isinstance(after, float)
