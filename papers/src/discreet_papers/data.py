"""Real records from the folder of `--data`, and synthetic ones where a file is not there."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet import check
from discreet.errors import InputError

LEAST = 100  # records: a tenth of them trains


@dataclass(frozen=True)
class DataSet:
    """Records of a file that is not part of discreet, and what stands in for them."""

    file: str
    read: Callable[[Path], Any] = field(repr=False)
    make_up: Callable[[], Any] = field(repr=False)

    def here(self, folder: Path | None) -> Path | None:
        """The file in this folder, if it is there."""
        path = folder / self.file if folder else None
        return path if path and path.exists() else None

    def records(self, folder: Path | None) -> Any:
        """Those of the file, or synthetic ones: the same every time."""
        path = self.here(folder)
        return self.read(path) if path else self.make_up()


def remark(files: Iterable[str]) -> str:
    """What the reader of a figure has to know."""
    return (
        f"Synthetic records in place of {', '.join(files)}: for the real ones pass a folder that "
        "has them with --data."
    )


def folder_of(data: object, known: Sequence[DataSet]) -> Path | None:
    """The folder of `--data`. What is known of its files is read once, so that errors come now.

    Raises:
        InputError: it is not a folder, has none of the files, or has one that cannot be used.
    """
    if data is None:
        return None
    if not isinstance(data, (str, Path)) or not str(data):
        raise InputError(f"data must be the path of a folder, got {check.brief(data)}", "data")
    folder = Path(data)
    try:
        is_folder = folder.is_dir()
        found = [one for one in known if one.here(folder)]
    except (OSError, ValueError) as error:
        raise _unreadable(folder, error) from None
    if not is_folder:
        raise InputError(f"data must be a folder that exists, got {str(folder)!r}", "data")
    if not found:
        names = ", ".join(one.file for one in known)
        raise InputError(f"data must have one of {names}, got the folder {str(folder)!r}", "data")
    for one in found:
        one.records(folder)
    return folder


def cells(path: Path, columns: Sequence[str], others: int = 0) -> list[list[str]]:
    """The records of a CSV file in these columns, and in all others if so many have to be there.

    Raises:
        InputError: the file cannot be read, or breaks a rule.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file, strict=True)
    except (OSError, ValueError, csv.Error) as error:
        raise _unreadable(path, error) from None
    if missing := [name for name in columns if head.count(name) != 1]:
        raise broken(path, f"have one column {missing[0]!r}")
    rest = [i for i, name in enumerate(head) if name not in columns]
    if others and len(rest) != others:
        raise broken(path, f"have {others} more columns, got {len(rest)}")
    if len(rows) < LEAST:
        raise broken(path, f"have at least {LEAST} records")
    for number, row in enumerate(rows, 1):
        if len(row) != len(head):
            raise broken(path, f"have a cell for every column in record {number}")
    places = [head.index(name) for name in columns] + (rest if others else [])
    return [[row[i] for i in places] for row in rows]


def broken(path: Path, rule: str) -> InputError:
    """Of a rule about the content of a file."""
    return InputError(f"data {str(path)!r} must {rule}", "data")


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or "not a CSV file in UTF-8"
    return InputError(f"data {str(path)!r} cannot be read: {reason}", "data")
