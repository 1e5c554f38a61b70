"""One column with its declared categories, and what a source of records can be asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from discreet.check import Category
from discreet.data import kinds
from discreet.data.categories import accepted, numbered
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.data.units import Owners

Cell: TypeAlias = tuple[int | None, ...]  # places of categories; None is missing or undeclared


@dataclass(frozen=True)
class Axis:
    """A column, its categories, and the values that mean them."""

    name: str
    categories: tuple[Category, ...]
    kind: str
    forms: list[list[Any]]

    @classmethod
    def of(cls, name: str, categories: Sequence[Category], kind: str) -> Axis:
        """The axis of a column that holds values of a kind."""
        kind = kinds.TEXT if kind in (kinds.WRITTEN, kinds.NOTHING) else kind
        if kind not in kinds.CATEGORICAL:
            raise InputError(
                f"column {name!r} must hold text, integers, booleans or categoricals, got {kind}",
                "column",
            )
        return cls(name, tuple(categories), kind, accepted(categories, kind, f"column {name!r}"))

    @property
    def plain(self) -> bool:
        """Whether its text is compared as a number where it is one."""
        by_number = self.kind == kinds.TEXT and numbered(self.categories)
        return by_number or self.kind == kinds.DECIMALS

    @property
    def known(self) -> list[Any]:
        """All values that mean a category."""
        return [value for values in self.forms for value in values]

    def places(self) -> dict[Any, int]:
        """From a value to the place of its category."""
        return {value: place for place, values in enumerate(self.forms) for value in values}


class Source(Protocol):
    """Records in some engine. What comes back to Python is as small as the table of counts.

    How a record is read depends on that record and on declared types alone, never on the other
    records: otherwise one of them could change the counts by more than the guarantee assumes.
    `reference` says how.
    """

    def kind(self, name: str) -> str:
        """What a column holds."""

    def values(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """For every combination of values that mean categories their number; else None."""

    def bounded(
        self, axes: Sequence[Axis], cells: Sequence[Cell], owners: Owners, drop: bool
    ) -> list[int]:
        """The number of records in every cell, of each unit so much as `owners` says.

        Then the numbers of records without a unit, of those in no cell, of those whose unit is a
        float that may stand for several integers, and of those that were dropped: with `drop` those
        without a unit or a category.
        """

    def several(
        self,
        axes: Sequence[Axis],
        tables: Sequence[Sequence[int]],
        drop: bool,
        owners: Owners | None = None,
    ) -> dict[int | None, int]:
        """The numbers of records in the cells of several tables, which are numbered throughout.

        A table is given by the places of its axes. None has those with a value that means no
        category; with `drop` such records are left out of all tables, and None has their number. A
        record with `owners` has the same weight in all tables.

        Raises:
            InputError: units cannot be told apart, or a record has none and is not left out.
        """

    def examples(self, axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
        """Up to five different records with a value that means no category."""


def listed(axes: Sequence[Axis], rows: Sequence[tuple[Any, ...]]) -> dict[Cell, int]:
    """Numbers by cell, from values and their numbers."""
    lookups = [axis.places() for axis in axes]
    cells: dict[Cell, int] = {}
    for *values, number in rows:
        cell = tuple(_place(lookup, v) for lookup, v in zip(lookups, values, strict=True))
        cells[cell] = cells.get(cell, 0) + int(number)
    return cells


def _place(lookup: dict[Any, int], value: object) -> int | None:
    try:
        return lookup.get(value)
    except TypeError:
        return None


def strides(axes: Sequence[Axis], tables: Sequence[Sequence[int]]) -> list[tuple[int, list[int]]]:
    """For every table the number of its first cell, and by how much each axis moves in it."""
    result, start = [], 0
    for table in tables:
        sizes = [len(axes[place].categories) for place in table]
        steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        result.append((start, steps))
        start += math.prod(sizes)
    return result
