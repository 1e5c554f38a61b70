"""Columns and tables by name: what is said of one that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from discreet.errors import InputError


def require_column(name: str, columns: Sequence[str]) -> None:
    """Refuse a column that is not there; near names are suggested."""
    if name not in columns:
        raise InputError(f"column {missing(name, columns)} in data", "column")


def missing(name: str | None, names: Sequence[str], listed: bool = True) -> str:
    """What was asked for and what there is."""
    if name is None:
        return f"must be given: there are {_listed(names)}"
    lowered = {other.strip().lower(): other for other in names}
    near = difflib.get_close_matches(name.strip().lower(), lowered, n=1)
    if near and listed:
        return f"{name!r} does not exist (did you mean {lowered[near[0]]!r}?)"
    return f"{name!r} does not exist" + (f"; there are {_listed(names)}" if listed else "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "") or "none"
