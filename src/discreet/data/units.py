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

from discreet import check
from discreet.core.counts import PER_UNIT
from discreet.data import kinds
from discreet.data.axes import Axis, Cell, Source
from discreet.errors import InputError

MOST_CELLS = 200  # columns of the table with one row per unit
MOST_FLOAT = 2**53  # from here on a float may be several integers


def require_unit(unit: str | None, max_per_unit: int | None, per_unit: str) -> None:
    """Refuse rules for the records of one unit that do not fit together."""
    check.choice("per_unit", per_unit, PER_UNIT)
    if unit is not None:
        check.label("unit", unit)
    if per_unit == "average":
        if unit is None:
            raise InputError(
                "per_unit='average' needs unit='…', the column that tells whose record it is",
                "unit",
            )
        if max_per_unit is not None:
            raise InputError(
                "max_per_unit must be None with per_unit='average', which keeps all records, got "
                f"{check.brief(max_per_unit)}",
                "max_per_unit",
            )
    elif (unit is None) != (max_per_unit is None):
        raise InputError(
            "unit and max_per_unit belong together: the column that tells whose record it is, and "
            "how many records of one are kept (or per_unit='average', where each unit weighs one)",
            "max_per_unit" if max_per_unit is None else "unit",
        )
    if max_per_unit is not None:
        check.whole("max_per_unit", max_per_unit, least=1, most=10**6)


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
