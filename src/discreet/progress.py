"""Progress bars for work that takes longer than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")

PATIENCE = 2.0  # seconds before a bar appears
_display: list[Progress] = []  # the one that is shown, if any: work within work adds its bar to it


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Go through the items; the bar appears on standard error once they take their time."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    if not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    task: TaskID | None = None
    try:
        for done, item in enumerate(items):
            if task is None and time.monotonic() - start > PATIENCE:
                task = _shown().add_task(description, total=total)
            if task is not None:
                _shown().update(task, completed=done)
            yield item
    finally:
        if task is not None:
            _remove(task)


def _shown() -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    if not _display:
        _display.append(Progress(console=Console(stderr=True), transient=True))
        _display[0].start()
    return _display[0]


def _remove(task: TaskID) -> None:
    bar = _shown()
    bar.remove_task(task)
    if not bar.tasks:
        _display.pop().stop()
