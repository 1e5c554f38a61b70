"""Conditions on one record, such as "age >= 50 and therapy in ('a', 'b')", for any engine.

A small part of SQL: columns compared with constants or with each other, in (…), between … and …,
is [not] null, and, or, not, parentheses. Whether a record satisfies it depends on that record
alone, which is what makes it harmless to the privacy of the others; subqueries, window functions
and calls cannot even be written. A comparison with a missing value is not satisfied.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from discreet.check import shorten
from discreet.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

Constant: TypeAlias = str | int | float | bool

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><=|>=|<>|!=|==|=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
_KEYWORDS = {"and", "or", "not", "in", "is", "null", "between", "true", "false"}
_OPERATORS = {"=": eq, "==": eq, "<>": ne, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_OPPOSITE = {eq: ne, ne: eq, lt: ge, ge: lt, gt: le, le: gt}
_MIRRORED = {eq: eq, ne: ne, lt: gt, gt: lt, le: ge, ge: le}


@dataclass(frozen=True)
class Column:
    """A column by name."""

    name: str


@dataclass(frozen=True)
class Comparison:
    """`column operator other`; only records in which neither is missing can satisfy it."""

    column: Column
    operator: Any
    other: Column | Constant


@dataclass(frozen=True)
class Missing:
    """`column is null`, or is not."""

    column: Column
    missing: bool


@dataclass(frozen=True)
class Joined:
    """Conditions joined by and, or by or."""

    parts: tuple[Condition, ...]
    by: Any


Condition: TypeAlias = Comparison | Missing | Joined


def parse(text: object) -> Condition:
    """Read a condition; the error says where it stops making sense."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("where must be a condition such as \"age >= 50 and sex = 'f'\"", "where")
    try:
        return _Parser(text).condition()
    except RecursionError:
        raise InputError("where must not have thousands of parentheses", "where") from None


def columns_of(condition: Condition | None) -> list[str]:
    """The names of all columns that it reads."""
    if condition is None:
        return []
    if isinstance(condition, Joined):
        return [name for part in condition.parts for name in columns_of(part)]
    names = [condition.column.name]
    if isinstance(condition, Comparison) and isinstance(condition.other, Column):
        names.append(condition.other.name)
    return names


def negated(condition: Condition) -> Condition:
    """The condition satisfied where the other one is known to fail, as in SQL.

    `not` is pushed down to the comparisons, so that a missing value satisfies neither of the two.
    """
    if isinstance(condition, Joined):
        parts = tuple(negated(part) for part in condition.parts)
        return Joined(parts, and_ if condition.by is or_ else or_)
    if isinstance(condition, Missing):
        return Missing(condition.column, not condition.missing)
    return Comparison(condition.column, _OPPOSITE[condition.operator], condition.other)


def expression(condition: Condition, schema: Mapping[str, Any]) -> nw.Expr:
    """The condition as an expression of the user's engine."""
    import narwhals as nw

    if isinstance(condition, Joined):
        parts = [expression(part, schema) for part in condition.parts]
        return reduce(condition.by, parts)
    here = nw.col(condition.column.name)
    if isinstance(condition, Missing):
        return here.is_null() if condition.missing else ~here.is_null()
    if isinstance(condition.other, Column):
        other = nw.col(condition.other.name)
        known = ~here.is_null() & ~other.is_null()
        return cast("nw.Expr", known & condition.operator(here, other))
    dtype = schema[condition.column.name]
    if dtype in (nw.Categorical, nw.Enum):
        here, dtype = here.cast(nw.String), nw.String
    constant: object = fits(condition, _kind(dtype), type(dtype).__name__)
    if dtype in (nw.Date, nw.Datetime):
        moment = datetime.datetime.fromisoformat(str(constant))
        constant = moment.date() if dtype == nw.Date else moment
    return cast("nw.Expr", ~here.is_null() & condition.operator(here, constant))


def _kind(dtype: Any) -> str:
    import narwhals as nw

    kinds = {nw.String: "text", nw.Boolean: "booleans", nw.Date: "dates", nw.Datetime: "dates"}
    found = next((word for kind, word in kinds.items() if dtype == kind), None)
    return found or ("numbers" if dtype.is_numeric() else "other")


def fits(condition: Comparison, kind: str, shown: str) -> Constant:
    """The constant of a comparison in the type of its column; refuses what does not fit."""
    name, constant = condition.column.name, condition.other
    assert not isinstance(constant, Column)
    text, truth = isinstance(constant, str), isinstance(constant, bool)
    if kind == "text" and not text and not truth and condition.operator in (eq, ne):
        return str(constant)
    if kind == "dates" and text:
        try:
            return str(datetime.datetime.fromisoformat(str(constant)))
        except ValueError:
            raise InputError(
                f"where compares the dates of column {name!r} with {shorten(repr(constant))}, "
                "which is no date such as '2024-12-31'",
                "where",
            ) from None
    number = not text and not truth
    if (kind, True) not in (("text", text), ("numbers", number), ("booleans", truth)):
        raise InputError(
            f"where compares column {name!r}, which holds {shown}, with {shorten(repr(constant))}",
            "where",
        )
    return constant


class _Parser:
    """Recursive descent; one method for each level of precedence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.place = 0
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                raise self._error(position)
            kind = str(found.lastgroup)
            word, start = found[kind], found.start(kind)
            if kind == "word" and word.lower() in _KEYWORDS:
                kind, word = "keyword", word.lower()
            self.tokens.append((kind, word, start))
            position = found.end()

    def condition(self) -> Condition:
        result = self._or()
        if self.place < len(self.tokens):
            raise self._error(self.tokens[self.place][2])
        return result

    def _or(self) -> Condition:
        parts = [self._and()]
        while self._take("keyword", "or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Joined(tuple(parts), or_)

    def _and(self) -> Condition:
        parts = [self._not()]
        while self._take("keyword", "and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else Joined(tuple(parts), and_)

    def _not(self) -> Condition:
        if self._take("keyword", "not"):
            return negated(self._not())
        if self._take("sign", "("):
            inner = self._or()
            self._require("sign", ")")
            return inner
        return self._simple()

    def _simple(self) -> Condition:
        left = self._operand()
        if not isinstance(left, Column):
            operator = self._operator()
            right = self._operand()
            if not isinstance(right, Column):
                raise self._error(self.tokens[self.place - 1][2])
            return Comparison(right, _MIRRORED[operator], left)
        if self._take("keyword", "is"):
            missing = not self._take("keyword", "not")
            self._require("keyword", "null")
            return Missing(left, missing)
        turned = self._take("keyword", "not")
        if self._take("keyword", "in"):
            self._require("sign", "(")
            values = [self._constant()]
            while self._take("sign", ","):
                values.append(self._constant())
            self._require("sign", ")")
            equal = tuple(Comparison(left, eq, value) for value in values)
            found: Condition = Joined(equal, or_)
        elif self._take("keyword", "between"):
            low = self._constant()
            self._require("keyword", "and")
            high = self._constant()
            found = Joined((Comparison(left, ge, low), Comparison(left, le, high)), and_)
        elif turned:
            raise self._error(self._position())
        elif self.place < len(self.tokens) and self.tokens[self.place][1] in _OPERATORS:
            return Comparison(left, self._operator(), self._operand())
        else:
            return Comparison(left, eq, True)  # a column of booleans by itself
        return negated(found) if turned else found

    def _operator(self) -> Any:
        if self.place < len(self.tokens) and self.tokens[self.place][1] in _OPERATORS:
            self.place += 1
            return _OPERATORS[self.tokens[self.place - 1][1]]
        raise self._error(self._position())

    def _operand(self) -> Column | Constant:
        kind, word, position = (
            self.tokens[self.place] if self.place < len(self.tokens) else ("", "", len(self.text))
        )
        self.place += 1
        if kind == "word":
            return Column(word)
        if kind == "quoted":
            return Column(word[1:-1].replace('""', '"'))
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if kind == "number":
            if not math.isfinite(float(word)):
                raise self._error(position)
            return int(word) if re.fullmatch(r"[-+]?\d+", word) else float(word)
        if kind == "keyword" and word in ("true", "false"):
            return word == "true"
        raise self._error(position)

    def _constant(self) -> Constant:
        position = self._position()
        value = self._operand()
        if isinstance(value, Column):
            raise self._error(position)
        return value

    def _take(self, kind: str, word: str) -> bool:
        taken = self.place < len(self.tokens) and self.tokens[self.place][:2] == (kind, word)
        self.place += taken
        return taken

    def _require(self, kind: str, word: str) -> None:
        if not self._take(kind, word):
            raise self._error(self._position())

    def _position(self) -> int:
        return self.tokens[self.place][2] if self.place < len(self.tokens) else len(self.text)

    def _error(self, position: int) -> InputError:
        rest = self.text[position:].strip()
        where = f"at {shorten(repr(rest))}" if rest else "at its end"
        return InputError(
            f'where is not understood {where}: write conditions such as "age >= 50", '
            '"sex = \'f\'", "ward in (1, 2)" or "age is not null", joined by and, or, not',
            "where",
        )
