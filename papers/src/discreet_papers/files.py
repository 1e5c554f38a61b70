"""The files of a study: whether they can be written is asked before it runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from discreet.core.files import require_writable, write_file
from discreet.errors import InputError

force_option = click.option("--force", is_flag=True, help="Replace files that exist already.")


def places(out: Path | None, names: Sequence[str], force: bool) -> list[Path]:
    """Where the files go in a folder, which is made if it is missing."""
    if out is None:
        return []
    found = [out / name for name in names]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path in found:
            require_writable(path, "out", force)
    except InputError as error:
        raise click.UsageError(str(error).replace("overwrite=True", "--force")) from None
    except OSError as error:
        raise click.UsageError(f"out {str(out)!r} cannot be made: {error.strerror}") from None
    return found


def write_csv(rows: Sequence[Mapping[str, Any]], path: Path, overwrite: bool) -> None:
    """A table with the names of the columns above it."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    write_file(path, text.getvalue().encode(), overwrite)
