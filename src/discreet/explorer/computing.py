"""Figures are computed in other processes, so that no page waits for another one's figures."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from discreet.explorer import previews
from discreet.explorer.previews import Missing

QUICK = max(1, min(4, os.cpu_count() or 1))
MOST_SECONDS = 10.0
LEFT_SECONDS = 1.0  # for a figure that nobody waits for any more
REMEMBERED = 4_000
SLOW = ("averaged", "limit")  # for which quick figures do not wait
START_SECONDS = 60.0  # for a process to import what it needs
LATE = Missing(f"it takes more than {MOST_SECONDS:g} seconds", lasting=False)
STOPPED = Missing("the computation was stopped", lasting=False)
_NICE = 5  # calmer would be too late on a busy machine: limits are in seconds, not work
Key: TypeAlias = tuple[Any, ...]


class Worker:
    """One process, and one figure at a time."""

    def __init__(self, calm: int) -> None:
        self._calm, self._ended = calm, False
        self._start()

    def _start(self) -> None:
        spawned = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawned.Pipe()
        self._process = spawned.Process(target=_work, args=(theirs, self._calm), daemon=True)
        self._process.start()
        theirs.close()
        self._ready = False

    def end(self) -> None:
        """End the process, also one that is still computing."""
        self._ended = True
        self._process.kill()
        self._process.join()

    def compute(self, key: Key, wanted: Callable[[], bool]) -> Any:
        """A figure; one that takes too long, or is no longer wanted, is given up."""
        try:
            if not self._ready:
                if not self._pipe.poll(START_SECONDS):
                    self._restart()
                    return STOPPED
                self._ready = bool(self._pipe.recv())
            begun = time.monotonic()
            self._pipe.send(key)
            while not self._pipe.poll(0.25):
                spent = time.monotonic() - begun
                if spent > (MOST_SECONDS if wanted() else LEFT_SECONDS):
                    self._restart()
                    return LATE if wanted() else STOPPED
            return self._pipe.recv()
        except (EOFError, OSError):  # out of memory, or killed from outside
            self._restart()
            return STOPPED

    def _restart(self) -> None:
        if not self._ended:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._start()


def _work(pipe: Connection, calm: int) -> None:
    """Answer until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(AttributeError, OSError):
        os.nice(calm)  # quicker ones come first
    previews.warm_up()
    with suppress(EOFError, OSError):
        pipe.send(True)  # ready
        while True:
            pipe.send(_answered(*pipe.recv()))


def _answered(*key: Any) -> Any:
    try:
        return previews.figure(*key)
    except Exception as error:  # a defect, but not one that ends the explorer
        return Missing(f"the computation failed with {type(error).__name__}", lasting=False)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


class Computer:
    """Workers, what they found, and which pages wait for what."""

    def __init__(self) -> None:
        self._workers = {False: [Worker(0) for _ in range(QUICK)], True: [Worker(_NICE)]}
        self._free: dict[bool, asyncio.Queue[Worker]] = {}
        self._known: OrderedDict[Key, Any] = OrderedDict()
        self._running: dict[Key, tuple[asyncio.Task[Any], list[int]]] = {}

    async def figure(self, kind: str, *arguments: Any, patient: bool = False) -> Any:
        """A figure of `previews`, at once where it was asked for before."""
        key = (kind, *arguments)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found: Any = STOPPED
        for _ in range(3):  # it may have been given up just when it is wanted again
            if key not in self._running:
                waiting: list[int] = []
                task = asyncio.create_task(self._computed(key, patient or kind in SLOW, waiting))
                self._running[key] = task, waiting
                task.add_done_callback(lambda _: self._running.pop(key, None))
            task, waiting = self._running[key]
            waiting.append(1)
            try:
                found = await asyncio.shield(task)
            finally:
                waiting.pop()
            if found is not STOPPED:
                break
        return found

    async def _computed(self, key: Key, slow: bool, waiting: list[int]) -> Any:
        if slow not in self._free:
            self._free[slow] = asyncio.Queue()
            for worker in self._workers[slow]:
                self._free[slow].put_nowait(worker)
        worker = await self._free[slow].get()
        try:
            if not waiting:
                return STOPPED
            found = await asyncio.to_thread(worker.compute, key, lambda: bool(waiting))
        finally:
            self._free[slow].put_nowait(worker)
        if not isinstance(found, Missing) or found.lasting:
            self._known[key] = found
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

    def close(self) -> None:
        """End all processes."""
        for workers in self._workers.values():
            for worker in workers:
                worker.end()
