"""Best-of timing, peak memory of a call in a process of its own, and tables of ratios."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console(width=110)


def best(call: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some calls, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def in_turn(calls: Sequence[Callable[[], object]], repeats: int = 5) -> list[float]:
    """Seconds of the fastest of some calls of each, which take turns, after one to warm up."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats + 1):
        for call, seconds in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    return [min(seconds[1:]) for seconds in times]


def _measured(call: Callable[[], object], results: Any) -> None:
    before = _peak()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    results.put((seconds, _peak(), _peak() - before))


def _peak() -> float:
    """The most memory this process has had, in MB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def once_with_memory(call: Callable[[], object]) -> tuple[float, float, float]:
    """Seconds of the first call in a fresh process, its peak memory in MB, and the growth."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=_measured, args=(call, results))
    process.start()
    answer: tuple[float, float, float] = results.get()
    process.join()
    return answer


def milliseconds(seconds: float) -> str:
    """A time as people read it."""
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def show(title: str, headings: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    console.print(f"\n[italic]{title}[/italic]")
    table = Table()
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)
