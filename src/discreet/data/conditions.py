"""Conditions on one record, such as "age >= 50 and therapy in ('a', 'b')", for any engine.

A small part of SQL: columns compared with constants or with each other, in (…), between … and …,
is [not] null, and, or, not, parentheses. Whether a record satisfies it depends on that record
alone, which is what makes it harmless to the privacy of the others; subqueries, window functions
and calls cannot even be written. A comparison with a missing value is not satisfied, and NaN is
missing. Numbers are compared as doubles, whatever the column holds, and times with a zone in UTC.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import Any, TypeAlias

from discreet.check import shorten
from discreet.data import kinds
from discreet.errors import InputError

Constant: TypeAlias = str | int | float | bool | datetime.date

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><=|>=|<>|!=|==|=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
_NUMERAL = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$")
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
    """`column operator other`; only records in which neither is missing can satisfy it.

    `typed` says as what the two are compared: numbers, text, …
    """

    column: Column
    operator: Any
    other: Column | Constant
    typed: str = ""


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


NUMBERS = "numbers"
WRITTEN = "numbers where both are, else text"


def typed(
    condition: Condition, columns: Mapping[str, str], fine: Collection[str] = ()
) -> Condition:
    """The condition with the type in which each comparison is made; `columns` are kinds by name.

    Of the times in columns that are `fine` nanoseconds are known: engines differ in what they make
    of them beside others, and not all others can have nanoseconds.

    Raises:
        InputError: a column holds something else than it is compared with.
    """
    if isinstance(condition, Joined):
        parts = tuple(typed(part, columns, fine) for part in condition.parts)
        return Joined(parts, condition.by)
    if isinstance(condition, Missing):
        if (kind := columns[condition.column.name]) not in kinds.UNITS:
            raise InputError(
                f"where asks whether column {condition.column.name!r} is missing, which holds "
                f"{kind}",
                "where",
            )
        return condition
    here, other = columns[condition.column.name], condition.other
    there = columns[other.name] if isinstance(other, Column) else here
    if kinds.NOTHING in (here, there):  # whatever it is compared with, no record satisfies it
        return replace(condition, typed=kinds.NOTHING)
    if isinstance(other, Column):
        if (condition.column.name in fine) != (other.name in fine):
            names = f"{condition.column.name!r} and {other.name!r}"
            raise InputError(
                f"where compares columns {names}, of which one holds nanoseconds; give both one "
                "precision",
                "where",
            )
        return replace(condition, typed=_common(condition, here, columns[other.name]))
    as_type, constant = _constant(condition, here)
    return replace(condition, other=constant, typed=as_type)


def _common(condition: Comparison, here: str, there: str) -> str:
    """As what two columns are compared."""
    comparable = {
        **dict.fromkeys(kinds.NUMBERS, NUMBERS),
        **{kind: kind for kind in (kinds.TEXT, kinds.BOOLEANS, kinds.DATES, kinds.TIMES)},
        kinds.ZONED: kinds.ZONED,
    }
    both = {here, there}
    if both == {kinds.WRITTEN}:
        return WRITTEN
    [*found] = {comparable.get(kind) for kind in both - {kinds.WRITTEN}}
    if (
        len(found) > 1
        or found[0] is None
        or (len(both) > 1 and found[0] not in (NUMBERS, kinds.TEXT))
    ):
        assert isinstance(condition.other, Column)
        raise _unfit(condition, here, f"column {condition.other.name!r}, which holds {there}")
    return found[0]


def _constant(condition: Comparison, kind: str) -> tuple[str, Constant]:
    """As what a column is compared with a constant, and the constant in that type."""
    constant = condition.other
    if isinstance(constant, bool):
        if kind in (kinds.BOOLEANS, kinds.WRITTEN):
            return kinds.BOOLEANS, constant
    elif isinstance(constant, (int, float)):
        if kind in (*kinds.NUMBERS, kinds.WRITTEN):
            # integers that floats cannot tell apart are compared as floats in every engine
            return NUMBERS, constant if abs(constant) < 2**53 else float(constant)
    elif kind in (kinds.TEXT, kinds.WRITTEN):
        ordered = kind == kinds.WRITTEN and condition.operator not in (eq, ne)
        if ordered and _NUMERAL.match(str(constant)):
            raise InputError(
                f"where compares column {condition.column.name!r} with {shorten(repr(constant))} "
                "letter by letter; write the number without quotes",
                "where",
            )
        return kinds.TEXT, str(constant)
    elif kind in (kinds.DATES, kinds.TIMES, kinds.ZONED):
        return kind, _moment(condition, kind)
    hint = "; text goes between single quotes" if kind == kinds.TEXT else ""
    raise _unfit(condition, kind, f"{shorten(repr(constant))}{hint}")


def _moment(condition: Comparison, kind: str) -> datetime.date:
    """A date or a time, in UTC for a column with zones."""
    name, text = condition.column.name, str(condition.other)
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"where compares the {kind} of column {name!r} with {shorten(repr(text))}, "
            "which is no date such as '2024-12-31'",
            "where",
        ) from None
    if kind != kinds.DATES and not 1678 <= moment.year <= 2261:  # nanoseconds reach no further
        raise _unfit(condition, kind, shorten(repr(text)))
    if kind == kinds.ZONED:
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return moment.astimezone(datetime.UTC).replace(tzinfo=None)
    if moment.tzinfo is not None or (kind == kinds.DATES and moment.time() != datetime.time()):
        raise _unfit(condition, kind, shorten(repr(text)))
    return moment.date() if kind == kinds.DATES else moment


def _unfit(condition: Comparison, kind: str, other: str) -> InputError:
    name = condition.column.name
    return InputError(f"where compares column {name!r}, which holds {kind}, with {other}", "where")


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
            '"sex = \'f\'", "ward in (1, 2)" or "age is not null", joined by and, or, not; a '
            "column with an odd name goes between double quotes",
            "where",
        )
