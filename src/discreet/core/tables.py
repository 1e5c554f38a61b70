"""The tables of the families of a network, counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from discreet import check
from discreet.check import Category
from discreet.core.counts import AnyModel, Records
from discreet.errors import InputError


@dataclass(frozen=True)
class Tables(Records):
    """How many records fall into each cell of several tables. Private: the repr does not show them.

    `columns` are the variables of every table, the last varying fastest, and `values` the counts.
    `where`, `dropped`, `line_breaks` and `unknown` tell which records were counted, and `unit`,
    `max_per_unit` and `per_unit` whose, as in `Counts`; `states` are those of the variables of each
    table, if they are known.
    """

    columns: tuple[tuple[str, ...], ...]
    values: tuple[tuple[int, ...], ...] = field(repr=False)
    where: str | None = None
    dropped: bool = False
    states: tuple[tuple[tuple[Category, ...], ...], ...] | None = None
    line_breaks: bool = field(default=False, compare=False)
    unknown: int = field(default=0, repr=False, compare=False)
    unit: str = "record"
    max_per_unit: int = 1
    per_unit: str = "cut"

    def __post_init__(self) -> None:
        self.require_unit()
        if len(self.columns) != len(self.values):
            raise InputError("values must have one table for each of columns", "values")
        for number, table in enumerate(self.values):
            for place, count in enumerate(table):
                if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                    raise InputError(
                        f"values: entry {place} of table {number} must be a whole number that is "
                        "not negative",
                        "values",
                    )
        if len({sum(table) for table in self.values}) > 1:
            raise InputError("values must have the same total in every table", "values")
        if self.values and sum(self.values[0]) > check.MOST_RECORDS:
            raise InputError("values must sum to at most 2**62 in every table", "values")
        check.choice("dropped", self.dropped, (True, False))

    @property
    def n_records(self) -> int:
        """The number of records, or of units if each weighs one."""
        return sum(self.values[0]) // self.parts if self.values else 0

    @property
    def weights(self) -> tuple[tuple[int | Fraction, ...], ...]:
        """The counts, of units if each weighs one."""
        if not self.averaged:
            return self.values
        return tuple(tuple(Fraction(c, self.parts) for c in table) for table in self.values)


class Network(AnyModel, Protocol):
    """A model of several variables: what mechanisms read of it is public."""

    @property
    def families(self) -> tuple[Any, ...]:
        """The families, with their `node`, and `columns`, `shape`, `rows`, `cells` of the table."""

    @property
    def prior(self) -> tuple[tuple[Fraction, ...], ...]:
        """The Dirichlet parameters of every family's table."""


MOST = 10**8  # records, and prior parameters, whose incomplete beta functions are enclosed


def require_moderate(name: str, model: Network, n: int) -> None:
    """Refuse, by public values, what a mechanism of incomplete beta functions is too slow for."""
    largest = max(max(prior) for prior in model.prior)
    if n > MOST or largest > MOST:
        argument, value = ("n", n) if n > MOST else ("prior", check.show(largest))
        raise InputError(
            f"{argument} must be at most {MOST} for {name!r}, got {value}; use 'lattice'", argument
        )
