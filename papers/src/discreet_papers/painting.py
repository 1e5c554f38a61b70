"""From a table to files: a second process draws while the next table is computed."""

from __future__ import annotations

import ctypes
import io
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet_papers import registry
from discreet_papers.parts import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Files: TypeAlias = dict[str, bytes]
_RESOLUTION = 160  # dots per inch
_WHEN_PARENT_DIES = 1  # PR_SET_PDEATHSIG of Linux


@contextmanager
def painter() -> Iterator[Callable[[str, Table], Future[Files]]]:
    """A function that draws a part from its table, beside the caller where processes can fork."""
    if not sys.platform.startswith("linux"):
        yield _at_once
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, context, initializer=_leave_signals) as pool:
        with warnings.catch_warnings():
            # the child only draws; the threads that Python warns of belong to numpy
            warnings.simplefilter("ignore", DeprecationWarning)
            pool.submit(int).result()
        try:
            yield lambda name, table: pool.submit(drawn, name, table)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _leave_signals() -> None:
    """An interrupt is for the process that waits, and its end is the end of this one."""
    ctypes.CDLL(None).prctl(_WHEN_PARENT_DIES, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _at_once(name: str, table: Table) -> Future[Files]:
    future: Future[Files] = Future()
    future.set_result(drawn(name, table))
    return future


def drawn(name: str, table: Table) -> Files:
    """The files of a part."""
    [part] = [part for part in registry.PARTS if part.name == name]
    with _styled():
        figure = part.draw(table)
        svg = _rendered(figure, "svg")
        figure.set_layout_engine("none")  # laid out already
        png = _rendered(figure, "png")
    return {f"{name}.svg": svg, f"{name}.png": png, f"{name}.csv": table.csv().encode()}


@contextmanager
def _styled() -> Iterator[None]:
    """Small readable letters, and SVG files that do not change from run to run."""
    from matplotlib import rc_context

    settings: dict[Any, Any] = {
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.labelsize": 9,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "svg.hashsalt": "discreet",
        "svg.fonttype": "path",
    }
    with rc_context(settings):
        yield


def _rendered(figure: Figure, kind: str) -> bytes:
    """A figure as a file, without the date."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else None
    figure.savefig(buffer, format=kind, dpi=_RESOLUTION, metadata=metadata)
    return buffer.getvalue()
