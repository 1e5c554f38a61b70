"""Which values of a column mean a declared category, whatever the column's type.

A category is text, an integer or a boolean, and so may be the column: 1 is found as 1, 1.0, '1' or
true, and 'true' in a column of booleans. Text is compared letter by letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from discreet.check import Category
from discreet.errors import InputError

Value: TypeAlias = str | int | float | bool
KINDS = {"text": str, "integers": int, "decimal numbers": float, "booleans": bool}

_MOST = 2**53  # integers that floats can tell apart


def forms(category: Category, kind: str) -> list[Any]:
    """The values of one kind that mean the category."""
    if kind == "text":
        return _texts(category)
    whole = _whole(category)
    if kind == "booleans":
        if isinstance(category, str):
            whole = {"true": 1, "false": 0}.get(category.lower(), whole)
        return [bool(whole)] if whole in (0, 1) else []
    # beyond, a column of integers would read otherwise once a missing value makes it one of floats
    if whole is None or abs(whole) > _MOST:
        return []
    return [whole] if kind == "integers" else [float(whole)]


def _texts(category: Category) -> list[str]:
    if isinstance(category, str):
        return _spellings(category) if category.lower() in ("true", "false") else [category]
    numbers = [str(int(category)), f"{int(category)}.0"]
    return [*numbers, *_spellings(str(bool(category)))] if category in (0, 1) else numbers


def _spellings(word: str) -> list[str]:
    return [word.lower(), word.capitalize(), word.upper()]


def _whole(category: Category) -> int | None:
    """The integer that the category is, or says."""
    if not isinstance(category, str):
        return int(category)
    digits = category.removeprefix("-")
    canonical = digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")
    return int(category) if canonical and category != "-0" and len(category) < 20 else None


def accepted(categories: Sequence[Category], kind: str, name: str) -> list[list[Any]]:
    """For each category the values that mean it; refuses what cannot be told apart."""
    found = [forms(category, kind) for category in categories]
    if not any(found):
        raise InputError(
            f"{name} holds {kind}, and none of the categories {_few(categories)} is one; "
            + ("cut it into declared bins first" if kind == "decimal numbers" else _ADVICE),
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


def _few(categories: Sequence[Category]) -> str:
    more = ", …" if len(categories) > 3 else ""
    return ", ".join(map(repr, categories[:3])) + more


def positions(categories: Sequence[Category]) -> dict[tuple[str, Any], int]:
    """From kind and value to the place of the category, for values in Python."""
    result: dict[tuple[str, Any], int] = {
        (str(kind_of(category)), category): place for place, category in enumerate(categories)
    }
    for kind in KINDS:
        for place, category in enumerate(categories):
            for value in forms(category, kind):
                result.setdefault((kind, value), place)
    return result


def kind_of(value: object) -> str | None:
    """The kind of a value in Python; None for what cannot be a category."""
    return next((kind for kind, type_ in KINDS.items() if type(value) is type_), None)
