"""Files that are written, and the ledger that is opened."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import check
from discreet.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PICTURES = (".png", ".svg", ".pdf")
SQLITE_FILES = ("-wal", "-shm", "-journal")  # beside a ledger, while it is used
MOST_BYTES = 10**8  # of a document that may be replaced


def require(
    out: str | None = None, plot: str | None = None, writes: str = "release", **kept: str | None
) -> None:
    """Refuse, before anything is paid for, files that cannot be written or would be lost.

    Args:
        out: where JSON goes; what is there already must be a document of the same kind.
        plot: where a figure goes.
        writes: the kind of document, "release" or "certificate".
        kept: files that must not be overwritten.
    """
    if plot is not None:
        if find_spec("matplotlib") is None:
            raise InputError("plot needs matplotlib: pip install 'discreet[plot]'", "plot")
        if Path(plot).suffix.lower() not in PICTURES:
            raise InputError(f"plot must end in .png, .svg or .pdf, got {_shown(plot)}", "plot")
    taken = {
        _resolved(path + ending): name
        for name, path in kept.items()
        if path is not None
        for ending in (("", *SQLITE_FILES) if name == "ledger" else ("",))
    }
    for argument, path in (("out", out), ("plot", plot)):
        if path is None:
            continue
        if not _writable(path):
            raise InputError(f"{argument} {_shown(path)} cannot be written", argument)
        other = taken.setdefault(_resolved(path), argument)
        if other != argument:
            raise InputError(f"{argument} must be another file than {other}", argument)
    if out is not None and os.path.lexists(target := _resolved(out)):
        if not _is_document(target, writes):
            raise InputError(f"out {_shown(out)} exists and is not a {writes} of discreet", "out")
        if not os.access(Path(target).parent, os.W_OK | os.X_OK):
            raise InputError(f"out {_shown(out)} cannot be replaced", "out")


def require_new(argument: str, path: str | None, **kept: str | None) -> None:
    """Refuse a file that cannot be written, or is one that must not be overwritten."""
    if path is None:
        return
    if not _writable(path):
        raise InputError(f"{argument} {_shown(path)} cannot be written", argument)
    for name, other in kept.items():
        if other is not None and _resolved(other) == _resolved(path):
            raise InputError(f"{argument} must be another file than {name}", argument)
    if os.path.lexists(path):
        raise InputError(f"{argument} {_shown(path)} exists already", argument)


def _is_document(path: str, kind: str) -> bool:
    place = Path(path)
    try:
        if not place.is_file() or place.stat().st_size > MOST_BYTES:
            return False
        document = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == f"discreet-{kind}"


def _writable(path: str) -> bool:
    try:
        place = Path(path)
        if place.is_dir() or not place.parent.is_dir():
            return False
        if place.exists():
            return os.access(place, os.W_OK)
        return bool(path) and os.access(place.parent, os.W_OK | os.X_OK)
    except (OSError, ValueError):
        return False


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _shown(path: str) -> str:
    return repr(path) if len(path) <= 250 else check.brief(path)


def save_plot(path: str, draw: Callable[[], Axes]) -> None:
    """Draw into a file; the name says whether it is PNG, SVG or PDF."""
    import matplotlib as mpl

    mpl.use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have
        figure: Any = draw().figure
        try:
            figure.savefig(path, dpi=150, bbox_inches="tight")
        except OSError as error:
            reason = error.strerror or "the disk is full or failing"
            raise InputError(f"plot {_shown(path)} cannot be written: {reason}", "plot") from None
