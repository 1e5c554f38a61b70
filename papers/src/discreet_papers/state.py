"""What an earlier run has finished, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import discreet
from discreet._version import __version__
from discreet.core.documents import digest
from discreet.core.files import replace_file
from discreet.errors import InputError
from discreet_papers.data import DataSet
from discreet_papers.parts import Scale

_NAME = ".finished.json"


class Finished:
    """The results of one folder, by name, each with the key under which it was made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._path = folder, folder / _NAME
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = {}  # no earlier run, or one that was killed while writing
        self._found: dict[str, Any] = found if isinstance(found, dict) else {}

    def begin(self, files: Iterable[str]) -> None:
        """Take the folder, unless it has such files that no run has written."""
        if self._path.exists():
            return
        for file in files:
            if os.path.lexists(self.folder / file):
                raise InputError(
                    f"out {str(self.folder)!r} has {file} already, which is of no earlier run: "
                    "give another folder",
                    "out",
                )
        write(self._path, "{}")

    def get(self, name: str, key: str, needed: Sequence[str] = ()) -> Any:
        """What was noted, if it was made under the same key and its files are as they were."""
        entry = self._found.get(name)
        if not isinstance(entry, dict) or entry.get("key") != key:
            return None
        files = entry.get("files")
        same = (
            isinstance(files, dict)
            and set(needed) <= set(files)
            and all(_file_digest(self.folder / file) == value for file, value in files.items())
        )
        return entry.get("result") if same else None

    def note(self, name: str, key: str, result: Any, files: list[str]) -> None:
        """Write down that it is finished."""
        digests = {file: _file_digest(self.folder / file) for file in files}
        self._found[name] = {"key": key, "result": result, "files": digests}
        write(self._path, json.dumps(self._found, indent=1, sort_keys=True))


def key_of(name: str, scale: Scale, data: Sequence[DataSet] = ()) -> str:
    """What a result depends on: its name, the scale, the records it reads and the software."""
    files = [one.here(scale.data) for one in data]
    return digest(
        {
            "name": name,
            "quick": scale.quick,
            "seed": scale.seed,
            "data": [_file_digest(path) if path else None for path in files],
            "software": [__version__, _sources()],
        }
    )


def write(path: Path, content: str | bytes) -> None:
    """Write a file of the folder in one step."""
    try:
        replace_file(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        reason = error.strerror or "a file cannot be made"
        raise InputError(f"out {str(path.parent)!r} cannot be written: {reason}", "out") from None


def _file_digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


@cache
def _sources() -> str:
    """Of the code of both packages: results of another version are not kept."""
    found = hashlib.sha256()
    for root in (Path(str(discreet.__file__)).parent, Path(__file__).parent):
        for path in sorted(root.rglob("*.py")):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()
