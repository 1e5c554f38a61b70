"""At most m records of one unit of privacy, say a patient.

A unit with T > m records, C_j of them in the first j cells of the table, keeps
⌊m·C_j/T + u⌋ − ⌊m·C_{j−1}/T + u⌋ in cell j: m in all, every (T/m)-th of its records in the order
of the declared categories (systematic sampling). The start u is one of 100 points in (0, 1) that
depends on the last digits of the unit's name and on its counts: the same in every engine, and with
no preference for a category.

What is kept of a unit is a function of that unit's rows alone and never more than m. So adding or
removing a whole unit changes the counts by at most m in l1: the sensitivity that the guarantee is
computed from.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from discreet.data import kinds
from discreet.data.axes import Axis, Cell, Source
from discreet.errors import InputError

MOST_CELLS = 200  # columns of the table with one row per unit
MOST_FLOAT = 2**53  # from here on a float may be several integers


def bounded(
    source: Source, axes: Sequence[Axis], unit: str, most: int, unknown: str
) -> tuple[dict[Cell, int], int]:
    """Joint counts with at most `most` records of each unit, and how many were dropped before."""
    if (kind := source.kind(unit)) not in kinds.UNITS:
        raise InputError(
            f"unit {unit!r} must hold text, numbers, booleans, dates or times, got {kind}", "unit"
        )
    places: list[list[int | None]] = [list(range(len(axis.categories))) for axis in axes]
    if unknown == "other":
        places[-1].append(None)
    cells = list(itertools.product(*places))
    if len(cells) > MOST_CELLS:
        raise InputError(
            f"unit needs a table with one column for each of {len(cells)} combinations of "
            f"categories, at most {MOST_CELLS} are possible",
            "unit",
        )
    drop = unknown == "drop"
    *numbers, nobody, lost, vague, dropped = source.bounded(axes, cells, unit, most, drop)
    if vague:
        raise InputError(
            f"unit {unit!r} holds floats from 2**53 on, which cannot tell units apart; give it as "
            "integers or text",
            "unit",
        )
    if nobody:
        raise InputError(
            f"unit {unit!r} must tell for every record whose it is; unknown='drop' leaves the "
            "others out",
            "unit",
        )
    result: dict[Cell, int] = dict(zip(cells, numbers, strict=True))
    if lost:
        result[(None,) * len(axes)] = lost
    return result, dropped


def mixing(cells: int) -> list[int]:
    """By how much one record of each cell moves the start of a unit."""
    return [(37 * place + 11) % 100 for place in range(cells)]
