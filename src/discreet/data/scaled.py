"""Columns of numbers with public bounds, and the numbers by which they are put on a grid."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction

from discreet import check
from discreet.data.units import Owners, require_unit
from discreet.errors import InputError

UNKNOWN = ("error", "drop", "middle")
_MOST = Fraction(10**300)  # what floats hold; its inverse is the narrowest that bounds may be
# the largest bound over the width: a constant that an engine reads one float off moves no value by
# half a step of the finest grid
_FINEST = 10**8


@dataclass(frozen=True)
class Scaled:
    """A column of numbers, its public bounds, and how they are mapped into [−1, 1].

    Attributes:
        name: the column.
        low: the lower bound.
        high: the upper bound; values outside are clipped.
        centred: whether u = (x − centre)/half; otherwise u = x/max(|low|, |high|), as a model
            without an intercept needs it.
    """

    name: str
    low: Fraction
    high: Fraction
    centred: bool = True

    def __post_init__(self) -> None:
        check.label("column", self.name)
        check.choice("centred", self.centred, (True, False))
        for bound in ("low", "high"):
            value = check.rational(f"{bound} of column {self.name!r}", getattr(self, bound))
            object.__setattr__(self, bound, value)
            if abs(value) > _MOST:
                raise InputError(f"{bound} of column {self.name!r} must not exceed 1e300", bound)
        if self.high - self.low < self._narrowest:
            raise InputError(
                f"bounds of column {self.name!r} must be low < high and apart from each other, got "
                f"{check.show(self.low)} and {check.show(self.high)}",
                "bounds",
            )

    @property
    def _narrowest(self) -> Fraction:
        return max(1 / _MOST, max(abs(self.low), abs(self.high)) / _FINEST)

    @property
    def middle(self) -> Fraction:
        """The middle of the bounds."""
        return (self.low + self.high) / 2

    @property
    def shift(self) -> Fraction:
        """What is subtracted."""
        return self.middle if self.centred else Fraction(0)

    @property
    def scale(self) -> Fraction:
        """What is divided by."""
        return (self.high - self.low) / 2 if self.centred else max(abs(self.low), abs(self.high))

    @property
    def floats(self) -> tuple[float, float, float, float, float]:
        """Low, high, shift, 1/scale and middle, as every engine computes with them.

        The scale is rounded so that |x − shift| ≤ scale for every float x between the bounds, and
        its inverse so that their product is at most 1: then |(x − shift)·(1/scale)| ≤ 1, because
        rounding keeps the order of numbers. Nothing is divided by a constant: for that polars takes
        a quotient or a product with the inverse, by the number of records at hand, so that one more
        record would change how others are read.
        """
        low, high, shift, middle = map(float, (self.low, self.high, self.shift, self.middle))
        scale = max(high - shift, shift - low) if self.centred else max(abs(low), abs(high))
        inverse = 1 / scale
        while scale * inverse > 1:
            inverse = math.nextafter(inverse, 0.0)
        return low, high, shift, inverse, middle


@dataclass(frozen=True)
class NumberRules:
    """Which records are summed.

    Attributes:
        where: a condition on one record; the others are left out.
        unknown: what happens to values that are missing, infinite or no numbers: "error"; "drop"
            leaves their records out; "middle" takes the middle of the bounds for what is missing
            and clips what is infinite.
        table: the table of a DuckDB file.
        line_breaks: declares that a correct writer wrote the CSV file.
        unit: the column that tells whose record it is.
        max_per_unit: how many records of one unit are kept.
        per_unit: "cut" to `max_per_unit` records, or "average": all records of a unit weigh 1.
    """

    where: str | None = None
    unknown: str = "error"
    table: str | None = None
    line_breaks: bool = False
    unit: str | None = None
    max_per_unit: int | None = None
    per_unit: str = "cut"

    def __post_init__(self) -> None:
        check.choice("line_breaks", self.line_breaks, (True, False))
        check.choice("unknown", self.unknown, UNKNOWN)
        require_unit(self.unit, self.max_per_unit, self.per_unit)


@dataclass(frozen=True)
class Steps:
    """All that the sums depend on besides the records; see `moments`."""

    columns: tuple[Scaled, ...]
    grid: int
    radius: Fraction | None
    squares: bool
    unknown: str
    owners: Owners | None = None

    def __post_init__(self) -> None:
        for column in self.columns:
            if not isinstance(column, Scaled):
                raise InputError(f"columns must be Scaled, got {check.brief(column)}", "columns")
        if len(self.columns) < (1 if self.radius is None else 2):
            raise InputError(
                "columns must name at least one column, and with a radius one besides the last",
                "columns",
            )

    @property
    def names(self) -> list[str]:
        """The columns that are read."""
        return [column.name for column in self.columns]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The products that are summed: the upper triangle row by row."""
        places = range(len(self.columns))
        return list(itertools.combinations_with_replacement(places, 2)) if self.squares else []


@dataclass(frozen=True)
class Totals:
    """What comes back from an engine.

    The number of records, or the sum of their weights; the sums; the columns with values that it
    cannot take; the number of records that it left out for them; and texts that say no number,
    which are private.
    """

    n: int
    sums: tuple[int, ...]
    products: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    left_out: int = 0
    examples: tuple[object, ...] = field(default=(), repr=False)
