"""What an earlier run has finished, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from discreet._version import __version__
from discreet.core.documents import digest, replace_file
from discreet.errors import InputError
from discreet.study.reproduce.parts import Scale

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


def key_of(name: str, scale: Scale) -> str:
    """What a result depends on: its name, the scale and the software."""
    return digest(
        {
            "name": name,
            "quick": scale.quick,
            "seed": scale.seed,
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
    """Of the code of discreet: results of another version are not kept."""
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()
