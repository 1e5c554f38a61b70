"""How much of one unit of privacy, say a patient, is counted.

A unit has T records. If it is *cut* to m and T > m, some of the records have the weight 1 and the
others 0, m in all; if it is *averaged*, its records have whole weights of the sum M, whatever T is.
Both are systematic sampling: the records in order of what they hold have the weights

    w_r = ⌊M·r/T + u⌋ − ⌊M·(r−1)/T + u⌋,    r = 1, …, T,    (M = m if it is cut)

which differ from M/T by less than 1. So of records that hold the same, C_j up to the j-th kind,
⌊M·C_j/T + u⌋ − ⌊M·C_{j−1}/T + u⌋ is counted. The start u is one of 100 points in (0, 1) that
depends on the last digits of the unit's name and on what its records hold: the same in every
engine, and with no preference for a category.

What a record holds is a list of whole numbers: the places of its categories, or its grid steps. All
that is counted of a unit is a function of that unit's rows alone. The weights of one are never
negative and sum to m at most, or to exactly M. So adding or removing a whole unit changes a table
of counts by at most m, or by M, in l1, and sums by as much as m records do, or one of weight M: the
sensitivity that the guarantee is computed from.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from discreet import check
from discreet.core.counts import AVERAGED, PER_UNIT
from discreet.data import kinds
from discreet.data.axes import Axis, Cell, Source
from discreet.errors import InputError

MOST_CELLS = 200  # columns of the table with one row per unit
MOST_FLOAT = 2**53  # from here on a float may be several integers
# of a text file: a whole number with a decimal point, and any other number with one
WHOLE = r"([+-]?[0-9]{1,15})\.0*"
FRACTION = r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
# what becomes of a record: it is counted; or it has an unknown value (or no unit, where these are
# left out), no unit, or one that is a float from MOST_FLOAT on
COUNTED, UNKNOWN, NOBODY, VAGUE = 0, -1, -2, -3


def require_unit(unit: str | None, max_per_unit: int | None, per_unit: str) -> None:
    """Refuse rules for the records of one unit that do not fit together."""
    check.choice("per_unit", per_unit, PER_UNIT)
    if unit is not None and check.label("unit", unit) == "record":
        # guarantees and ledgers say "one record" of single rows, and a unit may have several
        raise InputError(
            "unit must not be 'record', which stands for single rows: rename the column", "unit"
        )
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


class Owners(NamedTuple):
    """The column that tells whose record it is, and how much of one unit is counted.

    That is `total`; of a unit with no more than `whole` records, all of them with the weight 1.
    """

    column: str
    total: int
    whole: int

    @classmethod
    def of(
        cls,
        unit: str | None,
        max_per_unit: int | None,
        per_unit: str,
        parts: int = AVERAGED,
    ) -> Owners | None:
        """From rules that fit together; an average is counted in so many parts."""
        if unit is None:
            return None
        if per_unit == "average":
            return cls(unit, parts, 0)
        return cls(unit, max_per_unit or 1, max_per_unit or 1)


def require_kind(unit: str, kind: str) -> None:
    """Refuse what cannot tell units apart in every engine: of integers single floats merge some."""
    if kind not in kinds.UNITS or kind == kinds.SINGLES:
        raise InputError(
            f"unit {unit!r} must hold text, integers, floats of 64 bits, decimals, booleans, dates "
            f"or times, got {kind}",
            "unit",
        )


def named(text: str) -> str | None:
    """The unit that a text file says: its text, but 1.0 is 1, as pandas writes it beside gaps.

    None for other numbers with a decimal point, of which engines may take two for one.
    """
    if whole := re.fullmatch(WHOLE, text):
        return whole[1]
    return None if re.fullmatch(FRACTION, text) else text


def require_told(unit: str, nobody: bool, vague: bool) -> None:
    """Refuse records without a unit, and units that are floats that may be several integers."""
    if vague:
        raise InputError(
            f"unit {unit!r} holds floats from 2**53 on, or numbers with a fraction in writing, "
            "which cannot tell units apart; give it as integers or text",
            "unit",
        )
    if nobody:
        raise InputError(
            f"unit {unit!r} must tell for every record whose it is; unknown='drop' leaves the "
            "others out",
            "unit",
        )


def bounded(
    source: Source, axes: Sequence[Axis], owners: Owners, unknown: str
) -> tuple[dict[Cell, int], int]:
    """Joint counts with so much of each unit, and how many records were dropped before."""
    require_kind(owners.column, source.kind(owners.column))
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
    *numbers, nobody, lost, vague, dropped = source.bounded(axes, cells, owners, drop)
    require_told(owners.column, bool(nobody), bool(vague))
    result: dict[Cell, int] = dict(zip(cells, numbers, strict=True))
    if lost:
        result[(None,) * len(axes)] = lost
    return result, dropped


def mixing(cells: int) -> list[int]:
    """By how much one record of each cell of a single table moves the start of a unit."""
    return [(37 * place + 11) % 100 for place in range(cells)]


def multipliers(columns: int) -> list[int]:
    """A record that holds a_1, a_2, … moves the start of its unit by 11 + Σ_j 37^j·a_j."""
    return [pow(37, place, 100) for place in range(1, columns + 1)]


def last_digits(unit: object) -> int:
    """The last two digits of a number, or characters of a name where they are digits."""
    if isinstance(unit, (int, float, Decimal)) and not isinstance(unit, bool):
        whole = isinstance(unit, int) or -MOST_FLOAT < unit < MOST_FLOAT
        return abs(int(unit)) % 100 if whole else 0
    name = unit if isinstance(unit, str) else ""
    return _DIGITS.get(name[-1:], 0) + 10 * _DIGITS.get(name[-2:-1], 0)


_DIGITS = {str(digit): digit for digit in range(1, 10)}
