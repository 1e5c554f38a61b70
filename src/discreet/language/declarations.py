"""How data and parameters are declared: List[Bool], Pos, AtLeast(1), Candidates(Beta)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet import check
from discreet.errors import InputError
from discreet.programs.declared import (
    NATURAL,
    Category,
    Flag,
    Kind,
    Many,
    Number,
    Record,
    Records,
)
from discreet.programs.declared import (
    Candidates as CandidatesKind,
)

Bool = Flag()
Real = Number()
Pos = Number(Fraction(0), open=True)
Nat = NATURAL


class _Enum:
    """Enum("a", "b", "c"): one of these labels. Enum alone: any number of categories."""

    def __call__(self, *labels: str | int) -> Category:
        return Category(tuple(check.categories(labels, "labels")))


Enum = _Enum()


def _kind(value: object) -> Kind:
    if value is Enum:
        return Category(None)
    if isinstance(value, (Flag, Category, Number, Record)):
        return value
    named = {bool: "Bool", str: 'Enum("a", "b")', int: "Real", float: "Real"}
    if isinstance(value, type) and value in named:
        raise InputError(f"a record must be {named[value]}, got Python's {value.__name__}", "data")
    raise InputError(
        f"a record must be Bool, Enum(…), Real or Tuple[…], got {check.brief(value)}", "data"
    )


class _List:
    """List[Bool]: private records of that kind."""

    def __getitem__(self, item: object) -> Records:
        return Records(_kind(item))


class _Tuple:
    """Tuple[Bool, Enum("a", "b")]: several values of one record."""

    def __getitem__(self, items: Any) -> Record:
        parts = items if isinstance(items, tuple) else (items,)
        return Record(tuple(map(_kind, parts)))


List = _List()
Tuple = _Tuple()


def AtLeast(low: object) -> Number:  # noqa: N802 - a kind, like Pos
    """A number that is not below."""
    return Number(check.rational("low", low))


def Between(low: object, high: object) -> Number:  # noqa: N802 - a kind, like Pos
    """A number strictly above the first and not above the second."""
    ends = check.rational("low", low), check.rational("high", high)
    if ends[0] >= ends[1]:
        raise InputError(f"low must be below high, got {low} and {high}", "low")
    return Number(*ends, open=True)


def Vector(item: Number) -> Many:  # noqa: N802 - a kind, like Pos
    """A public vector of such numbers, of any length."""
    if not isinstance(item, Number):
        raise InputError(f"Vector needs a kind of number, got {check.brief(item)}", "item")
    return Many(item)


def Candidates(family: Any) -> CandidatesKind:  # noqa: N802 - a kind, like Pos
    """A public list of distributions of one family, such as Beta."""
    name = getattr(family, "word", None)
    if name not in ("Beta", "Dirichlet", "Normal", "Finite"):
        raise InputError(
            f"Candidates needs Beta, Dirichlet, Normal or Finite, got {check.brief(family)}",
            "family",
        )
    return CandidatesKind(name)
