"""A progress bar for work that takes longer than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")

PATIENCE = 2.0  # seconds before a bar appears


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Go through the items; the bar appears on standard error once they take their time."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    if not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    bar: Progress | None = None
    task: TaskID | None = None
    try:
        for done, item in enumerate(items):
            if bar is None and time.monotonic() - start > PATIENCE:
                bar, task = _bar(description, total)
            if bar is not None and task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()


def _bar(description: str, total: int | None) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(description, total=total)
