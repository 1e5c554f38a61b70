"""Figures are computed in other processes, so that no page waits for another one's figures."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from discreet.explorer import previews
from discreet.explorer.previews import Missing

QUICK = max(1, min(4, os.cpu_count() or 1))
REMEMBERED = 4_000
SLOW = ("averaged", "limit")  # figures that may take a second; the quick ones do not wait for them
_NICE = 10


class Job:
    """A figure that is being computed, and how many pages wait for it."""

    def __init__(self, result: asyncio.Future[Any]) -> None:
        self.result, self.waiting = result, 0


class Computer:
    """Processes that compute figures, and what they found."""

    def __init__(self) -> None:
        self._pools: dict[bool, ProcessPoolExecutor] = {}
        self._known: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._running: dict[tuple[Any, ...], Job] = {}

    def warm_up(self) -> None:
        """Let the processes import what they need while the first page is loaded."""
        for slow, number in ((False, QUICK), (True, 1)):
            for _ in range(number):
                self._pool(slow).submit(previews.warm_up)

    async def figure(self, kind: str, *arguments: Any, patient: bool = False) -> Any:
        """A figure of `previews`, at once where it was asked for before."""
        key = (kind, *arguments)
        if key not in self._known:
            found = await self._computed(key, patient or kind in SLOW)
            if isinstance(found, Missing) and found == STOPPED:
                return found
            self._known[key] = found
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    async def _computed(self, key: tuple[Any, ...], slow: bool) -> Any:
        job = self._running.get(key)
        if job is None:
            job = self._running[key] = Job(self._started(key, slow))
        job.waiting += 1
        try:
            return await asyncio.shield(job.result)
        except BrokenProcessPool:  # out of memory, or killed from outside
            self._pools.pop(slow, None)
            return STOPPED
        finally:
            job.waiting -= 1
            if not job.waiting:
                self._running.pop(key, None)
                job.result.cancel()  # nobody wants it any more

    def _started(self, key: tuple[Any, ...], slow: bool) -> asyncio.Future[Any]:
        try:
            running = self._pool(slow).submit(previews.figure, *key)
        except BrokenProcessPool:
            del self._pools[slow]
            running = self._pool(slow).submit(previews.figure, *key)
        return asyncio.wrap_future(running)

    def _pool(self, slow: bool) -> Executor:
        if slow not in self._pools:
            number, calm = (1, _NICE) if slow else (QUICK, 0)
            context = multiprocessing.get_context("spawn")
            self._pools[slow] = ProcessPoolExecutor(number, context, _begun, (calm,))
        return self._pools[slow]

    def close(self) -> None:
        """End the processes, also one that is still computing."""
        for pool in self._pools.values():
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


STOPPED = Missing("the computation was stopped")


def _begun(calm: int) -> None:
    """A process that ends with the server, and leaves the processor to quicker ones."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(AttributeError, OSError):
        os.nice(calm)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
