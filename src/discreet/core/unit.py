"""Whose records a mechanism protects, and how much of the counts one of them can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from discreet import check
from discreet.core.counts import AVERAGED, PER_UNIT
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.core.mechanism import Config


@dataclass(frozen=True)
class Unit:
    """Who is protected: a record, or all that was kept of one person.

    Of a person at most `most` records were kept; or, if `averaged`, all of them, with a weight of 1
    together. Adding or removing the person then changes the counts as so many records do, or as one
    does: a mean of what single records add lies in their convex hull.
    """

    OPTIONS: ClassVar = ("unit", "max_per_unit", "per_unit")

    name: str = "record"
    most: int = 1
    averaged: bool = False

    @classmethod
    def read(cls, n: int | None, unit: object, max_per_unit: object, per_unit: object) -> Unit:
        """From the options of a mechanism; under substitution n is given."""
        name = check.label("unit", unit)
        most = check.whole("max_per_unit", max_per_unit, least=1, most=10**6)
        averaged = check.choice("per_unit", per_unit, PER_UNIT) == "average"
        if n is not None and most > 1:
            raise InputError(
                f"max_per_unit must be 1 under substitution, got {most}; a unit with several "
                "records is protected under adjacency 'add-remove'",
                "max_per_unit",
            )
        if averaged and n is not None:
            raise InputError(
                "per_unit must be 'cut' under substitution, got 'average'; units that weigh one "
                "are protected under adjacency 'add-remove'",
                "per_unit",
            )
        if averaged and (most > 1 or name == "record"):
            raise InputError(
                "per_unit='average' needs the name of a unit, and no max_per_unit", "per_unit"
            )
        return cls(name, most, averaged)

    @classmethod
    def of(cls, config: Config) -> Unit:
        """Of a mechanism that was made; of one that knows no units a record."""
        options = dict(config.options)
        averaged = options.get("per_unit") == "average"
        return cls(options.get("unit", "record"), options.get("max_per_unit", 1), averaged)

    @property
    def parts(self) -> int:
        """In how many parts a weight of 1 is counted."""
        return AVERAGED if self.averaged else 1

    @property
    def reach(self) -> int:
        """By how much a person changes the counts of categories, in l1."""
        return self.most * self.parts

    @property
    def clause(self) -> str:
        """How a theorem goes on to say whom it protects; nothing of single records."""
        if self == Unit():
            return ""
        if self.averaged:
            return f", where the records of one {self.name} weigh one together"
        most = f"m = {self.most} records" if self.most > 1 else "one record"
        return f", where one {self.name} has at most {most}"

    @property
    def options(self) -> tuple[tuple[str, Any], ...]:
        """As a release stores them; a rule that did not exist once is stored where it is used."""
        rule = (("per_unit", "average"),) if self.averaged else ()
        return (("unit", self.name), ("max_per_unit", self.most), *rule)

    @property
    def options_if_any(self) -> tuple[tuple[str, Any], ...]:
        """The same, of a mechanism that once knew records only."""
        return () if self == Unit() else self.options
