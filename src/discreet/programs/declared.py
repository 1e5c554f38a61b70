"""What a program declares before it sees data: kinds of records and of parameters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from discreet import check
from discreet.errors import InputError
from discreet.programs.families import Law, read_law

Label: TypeAlias = str | int | bool
MOST_VALUES = 64  # of a kind of record that is gone through one by one


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True)
class Category:
    """One of some labels; without labels, a whole number below the length of the prior."""

    labels: tuple[Label, ...] | None

    def __str__(self) -> str:
        if self.labels is None:
            return "Enum"
        return f"Enum({', '.join(map(repr, self.labels))})"


@dataclass(frozen=True)
class Number:
    """A real number within public bounds, or any."""

    low: Fraction | None = None
    high: Fraction | None = None
    open: bool = False  # low itself is not allowed
    whole: bool = False

    def __str__(self) -> str:
        if self.low is None:
            return "Real"
        if self.whole:
            return "Nat"
        if self.high is not None:
            return f"Between({check.show(self.low)}, {check.show(self.high)})"
        return "Pos" if self.open else f"AtLeast({check.show(self.low)})"

    @property
    def positive(self) -> bool:
        """Whether all its values are above 0."""
        return self.low is not None and (self.low > 0 or (self.low == 0 and self.open))

    def read(self, argument: str, value: object) -> Fraction:
        """A parameter's value, exact."""
        found = check.rational(argument, value)
        low = self.low
        if self.whole and found.denominator != 1:
            raise InputError(f"{argument} must be a whole number, got {value}", argument)
        if low is not None and (found < low or (self.open and found == low)):
            rule = "above" if self.open else "at least"
            raise InputError(f"{argument} must be {rule} {check.show(low)}, got {value}", argument)
        if self.high is not None and found > self.high:
            raise InputError(
                f"{argument} must be at most {check.show(self.high)}, got {value}", argument
            )
        return found


@dataclass(frozen=True)
class Record:
    """Several kinds side by side: a tuple."""

    parts: tuple[Kind, ...]

    def __str__(self) -> str:
        return f"Tuple[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True)
class Records:
    """A list of private records."""

    item: Kind

    def __str__(self) -> str:
        return f"List[{self.item}]"


@dataclass(frozen=True)
class Many:
    """A public vector of numbers, of any length."""

    item: Number

    def __str__(self) -> str:
        return f"Vector({self.item})"

    def read(self, argument: str, value: object) -> tuple[Fraction, ...]:
        """Every entry, exact."""
        return tuple(
            self.item.read(f"{argument}[{place}]", entry)
            for place, entry in enumerate(_listed(argument, value))
        )


@dataclass(frozen=True)
class Candidates:
    """A public list of distributions of one family."""

    family: str

    def __str__(self) -> str:
        return f"Candidates({self.family})"

    def read(self, argument: str, value: object) -> tuple[Law, ...]:
        """All candidates."""
        return tuple(
            read_law(f"{argument}[{place}]", entry, self.family)
            for place, entry in enumerate(_listed(argument, value))
        )


NATURAL = Number(Fraction(1), whole=True)
Kind: TypeAlias = Flag | Category | Number | Record
Parameter: TypeAlias = Number | Many | Candidates


def _listed(argument: str, value: object) -> Sequence[object]:
    listed = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []
    if not listed:
        raise InputError(f"{argument} must be a list that is not empty", argument)
    return listed


def support(kind: Kind) -> tuple[Any, ...] | None:
    """All values, where they are few."""
    if isinstance(kind, Flag):
        return (False, True)
    if isinstance(kind, Category):
        return kind.labels
    if isinstance(kind, Record):
        parts = [support(part) for part in kind.parts]
        if any(part is None for part in parts):
            return None
        if math.prod(len(part or ()) for part in parts) > MOST_VALUES:
            return None
        return tuple(itertools.product(*[part or () for part in parts]))
    return None


def read_records(kind: Kind, data: object) -> tuple[Any, ...]:
    """Private records, each checked; an error names the position and the rule, never the value."""
    several = getattr(data, "itertuples", None) or getattr(data, "iter_rows", None)
    if several is not None and not isinstance(kind, Record):
        raise InputError("data must be one column of the frame, such as frame['x']", "data")
    if several is not None:
        named = {"index": False, "name": None} if hasattr(data, "itertuples") else {}
        data = several(**named)
    elif getattr(data, "ndim", 1) > 1:
        if not isinstance(kind, Record):
            raise InputError("data must have one dimension: pass one column", "data")
        data = data.tolist()  # type: ignore[attr-defined]
    try:
        records = None if isinstance(data, (str, bytes, dict)) else iter(data)  # type: ignore[call-overload]
    except TypeError:
        records = None
    if records is None:
        raise InputError("data must be a list of records", "data")
    return tuple(_read(kind, f"data[{place}]", value) for place, value in enumerate(records))


def _read(kind: Kind, where: str, value: object) -> Any:
    item = getattr(value, "item", None)  # of a numpy scalar
    plain = item() if callable(item) and getattr(value, "shape", None) == () else value
    if isinstance(kind, Flag):
        if isinstance(plain, bool):
            return plain
        raise InputError(
            f"{where} must be True or False: of 0 and 1 make x == 1, and drop missing values first",
            "data",
        )
    if isinstance(kind, Category):
        return _category(kind, where, plain)
    if isinstance(kind, Record):
        if not isinstance(plain, (tuple, list)) or len(plain) != len(kind.parts):
            raise InputError(f"{where} must be a tuple of {len(kind.parts)} values", "data")
        parts = enumerate(zip(kind.parts, plain, strict=True))
        return tuple(_read(part, f"{where}[{i}]", entry) for i, (part, entry) in parts)
    return _number(kind, where, plain)


def _category(kind: Category, where: str, value: object) -> Label:
    if kind.labels is None:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        raise InputError(f"{where} must be a whole number from 0 on", "data")
    for label in kind.labels:
        if type(label) is type(value) and label == value:
            return label
    labels = ", ".join(map(repr, kind.labels[:10])) + (", …" if len(kind.labels) > 10 else "")
    raise InputError(f"{where} must be one of the declared labels: {labels}", "data")


def _number(kind: Number, where: str, value: object) -> Fraction:
    try:
        if isinstance(value, bool):
            raise InputError("")
        found = check.rational(where, value)
        kind.read(where, found)
    except InputError:
        rule = "a finite number" if kind.low is None else f"a number within {kind}"
        raise InputError(f"{where} must be {rule}", "data") from None
    return found
