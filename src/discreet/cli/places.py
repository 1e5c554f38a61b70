"""Files that are written, and those that must not be."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.core.files import require_writable, shown, write_file
from discreet.errors import InputError
from discreet.extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PICTURES = (".png", ".svg", ".pdf")
SQLITE_FILES = ("-wal", "-shm", "-journal")  # beside a ledger, while it is used


def require(written: Mapping[str, str | None], force: bool = False, **kept: str | None) -> None:
    """Refuse, before anything is paid for, files that cannot be written or would be lost.

    Args:
        written: where something goes, by the name of the option.
        force: whether files that exist may be replaced.
        kept: files that are never replaced.
    """
    asked = {argument: path for argument, path in written.items() if path is not None}
    if "plot" in asked:
        _require_picture(asked["plot"])
    taken = {
        _resolved(file): name
        for name, path in kept.items()
        if asked and path is not None
        for file in _files(name, path)
    }
    for argument, path in asked.items():
        other = taken.setdefault(_resolved(path), argument)
        if other != argument:
            raise InputError(f"{argument} must be another file than {other}", argument)
        require_writable(path, argument, force)


def _require_picture(plot: str) -> None:
    with needed("plots need matplotlib", "discreet[plot]"):
        import matplotlib.figure  # noqa: F401
    if Path(plot).suffix.lower() not in PICTURES:
        raise InputError(f"plot must end in .png, .svg or .pdf, got {shown(plot)}", "plot")


def _files(name: str, path: str) -> list[str]:
    """What a ledger, or data that are given by a pattern, consist of."""
    if name == "ledger":
        return [path, *(path + ending for ending in SQLITE_FILES)]
    found = [path]
    if name == "data":
        from discreet.data.files import matching

        with suppress(ValueError, OSError, re.error):  # which is said where it is read
            found += matching(path)
    return found


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def save_plot(path: str, draw: Callable[[], Axes], force: bool = False) -> None:
    """Draw into a file; the name says whether it is PNG, SVG or PDF."""
    import matplotlib as mpl

    mpl.use("agg")
    picture = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have
        figure: Any = draw().figure
        figure.savefig(picture, format=Path(path).suffix[1:].lower(), dpi=150, bbox_inches="tight")
    write_file(path, picture.getvalue(), force, "plot")
