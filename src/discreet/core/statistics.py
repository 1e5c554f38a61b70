"""Sums over records of numbers, which were clipped to public bounds and put on a grid."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, field

from discreet import check
from discreet.core.counts import Records
from discreet.errors import InputError


@dataclass(frozen=True)
class Statistics(Records):
    """Sufficient statistics in whole grid steps. Private: the repr does not show them.

    `values` are the number of records and then the sums, of a regression in the order of `places`.
    `columns` are those that were read, and `reading` how: bounds, grid and radius, so that a model
    takes only what it can bound. `where`, `dropped`, `line_breaks` and `unknown` tell which records
    were counted, and `unit`, `max_per_unit` and `per_unit` whose, as in `Counts`. If every unit
    weighs one, its averages are what is summed, on the same grid, and `values` begin with the
    number of units.
    """

    columns: tuple[str, ...]
    values: tuple[int, ...] = field(repr=False)
    reading: Hashable = field(repr=False)
    where: str | None = None
    dropped: bool = False
    line_breaks: bool = field(default=False, compare=False)
    unknown: int = field(default=0, repr=False, compare=False)
    unit: str = "record"
    max_per_unit: int = 1
    per_unit: str = "cut"

    def __post_init__(self) -> None:
        self.require_unit()
        for place, value in enumerate(self.values):
            if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**62:
                raise InputError(f"values[{place}] must be a whole number below 2**62", "values")
        if not self.values or self.values[0] < 0:
            raise InputError("values[0] must be the number of records", "values")
        check.choice("dropped", self.dropped, (True, False))

    @property
    def column(self) -> str | None:
        """The column, if there is only one; the model knows the names of several."""
        return self.columns[0] if len(self.columns) == 1 else None

    @property
    def n_records(self) -> int:
        """The number of records, or of units if each weighs one."""
        return self.values[0]


def places(rows: int, constant: bool) -> list[tuple[int, int]]:
    """Where the sums of a regression stand in their symmetric matrix of constant, X and y.

    Above the diagonal row by row, then on it; the square of a constant, n, is not among them.
    """
    above = list(itertools.combinations(range(rows), 2))
    return above + [(i, i) for i in range(int(constant), rows)]
