"""Which declared category a value means: one rule, about one value at a time.

A value means the label that has its exact text; or, where all declared labels are different
numbers, the label that is the same decimal number: 1 is found as 1, 1.0, '1', '01.00', '10e-1' or
true. The text of a number is its shortest decimal, so that 1 and 1.0 are '1'; that of a truth value
is true or false, in small letters, in capitals, or with one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from discreet.check import Category
from discreet.data import kinds
from discreet.errors import InputError

# how a decimal number is written; no part can be read in two ways, which would take long
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
LONGEST = 1000  # characters of a number: longer text is text
_MOST = 2**53  # integers that floats can tell apart
_MOST_PLACES = 400


def decimal(value: object) -> Decimal | None:
    """The decimal number that a value is, or says; of floats the shortest that means them."""
    if isinstance(value, str):
        number = len(value) <= LONGEST and re.fullmatch(DECIMAL, value)
        return Decimal(value) if number else None
    if isinstance(value, (int, np.bool_, np.integer)):
        return Decimal(int(value))
    if isinstance(value, (float, np.floating)):
        return Decimal(str(value)) if math.isfinite(value) else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def plainly(number: Decimal) -> str:
    """The one form of a decimal number: its digits without zeros around them, and its exponent."""
    if not number:
        return "0"
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # it is finite
    text = "".join(map(str, digits)).lstrip("0")
    short = text.rstrip("0")
    power = exponent + len(text) - len(short)
    return f"{'-' * sign}{short}{f'e{power}' if power else ''}"


def _shortest(number: Decimal) -> str | None:
    """Its shortest decimal; None of numbers that nobody writes out."""
    if abs(number.adjusted()) > _MOST_PLACES:
        return None
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) if number else "0"


def numbered(categories: Sequence[Category]) -> bool:
    """Whether all labels are different numbers."""
    numbers = [decimal(category) for category in categories]
    return None not in numbers and len(set(numbers)) == len(numbers)


def forms(category: Category, kind: str, by_number: bool) -> list[Any]:
    """The values of one kind that mean a category.

    With `by_number` the labels are different numbers, and text that is a number is compared in the
    form that `plainly` gives it.
    """
    word = {"true": True, "false": False}.get(str(category).lower())
    number = decimal(category)
    if number is not None and not by_number and _shortest(number) != str(category):
        number = None
    if by_number and number in (0, 1):
        word = bool(number)
    if kind == kinds.TEXT:
        texts = [plainly(number)] if by_number and number is not None else []
        return [*texts, *_spellings(word)] if word is not None else texts or [str(category)]
    if kind == kinds.BOOLEANS:
        truth = bool(number) if word is None and number in (0, 1) else word
        return [] if truth is None else [truth]
    # beyond, a column of integers would read otherwise once a missing value makes it one of floats
    if number is None or number.copy_abs() >= _MOST:
        return []
    if kind == kinds.INTEGERS:
        return [int(number)] if number == number.to_integral_value() else []
    if kind == kinds.DECIMALS:
        return [plainly(number)]
    nearest: Any = np.float32(number) if kind == kinds.SINGLES else float(number)
    return [float(nearest) + 0.0] if decimal(nearest) == number else []  # −0 is 0


def _spellings(word: bool) -> list[str]:
    return ["true", "True", "TRUE"] if word else ["false", "False", "FALSE"]


def accepted(categories: Sequence[Category], kind: str, name: str) -> list[list[Any]]:
    """For each category the values that mean it; refuses what cannot be told apart."""
    by_number = numbered(categories)
    found = [forms(category, kind, by_number) for category in categories]
    if not any(found):
        raise InputError(
            f"{name} holds {kind}, and none of the categories {_few(categories)} is one; "
            + (_BINS if kind in kinds.FRACTIONS else _ADVICE),
            "column",
        )
    owner: dict[Any, Category] = {}
    for category, values in zip(categories, found, strict=True):
        for value in values:
            if value in owner:
                raise InputError(
                    f"categories {owner[value]!r} and {category!r} cannot be told apart in {name}, "
                    f"which holds {kind}",
                    "categories",
                )
            owner[value] = category
    return found


_ADVICE = "declare the categories as they occur in the data"
_BINS = f"{_ADVICE}, or cut it into declared bins first"


def _few(categories: Sequence[Category]) -> str:
    more = ", …" if len(categories) > 3 else ""
    return ", ".join(map(repr, categories[:3])) + more


def positions(categories: Sequence[Category]) -> dict[tuple[str, Any], int]:
    """From kind and form to the place of the category, for values in Python."""
    by_number = numbered(categories)
    result = {prepared(label, by_number): place for place, label in enumerate(categories)}
    for kind in kinds.CATEGORICAL:
        for place, category in enumerate(categories):
            for value in forms(category, kind, by_number):
                result.setdefault((kind, value), place)
    return result


def finder(categories: Sequence[Category]) -> Callable[[object], int | None]:
    """The place of the category that a value in Python means, as a function."""
    lookup, by_number = positions(categories), numbered(categories)

    def find(value: object) -> int | None:
        try:
            return lookup.get(prepared(value, by_number))
        except TypeError:  # a signalling NaN
            return None

    return find


def prepared(value: object, by_number: bool) -> tuple[str, Any]:
    """Kind and form of a value in Python, as `positions` has them."""
    if isinstance(value, np.float32):
        return kinds.SINGLES, float(value)
    plain = value.item() if isinstance(value, np.generic) else value
    kind = kinds.of_value(plain)
    if kind == kinds.DECIMALS or (kind == kinds.TEXT and by_number):
        number = decimal(plain)
        return kind, plain if number is None else plainly(number)
    return kind, plain if kind in kinds.CATEGORICAL else None
