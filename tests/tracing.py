"""What a call goes through: files of the library, and how often it changes between them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import discreet

HERE = str(Path(discreet.__file__).parent)


class Way(NamedTuple):
    files: set[str]
    switches: int  # calls of a function in another of our files


def way(call: Callable[[], Any]) -> Way:
    """The way of a call when all is loaded: it is made once before."""
    call()
    files: set[str] = set()
    switches = 0

    def entered(frame: FrameType, event: str, _: Any) -> None:
        nonlocal switches
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(HERE):
            return
        files.add(file.removeprefix(HERE))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(HERE):
            caller = caller.f_back
        switches += caller is not None and caller.f_code.co_filename != file

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Way(files, switches)
