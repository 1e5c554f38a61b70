"""Validators: each returns the value in its exact form or raises one clear sentence.

Public arguments are quoted with their value. For counts and records the sentence names argument,
position and rule, never the value.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np

from discreet.errors import InputError

Category: TypeAlias = str | int | bool
Number: TypeAlias = float | Fraction | Decimal  # read as the exact decimal of its shortest repr

SMALL, LARGE = Fraction(1, 10**9), Fraction(10**6)  # between which ε lies
_MOST_BITS = 1200  # of numerator and denominator together: text_number reads str(number) again
MOST_RECORDS = 2**62  # leaves room for noise in 64-bit integers


def _fail(argument: str, sentence: str) -> InputError:
    return InputError(f"{argument} {sentence}", argument)


def brief(value: object) -> str:
    """A single public value on one short line; of anything larger only the type.

    Arguments get swapped: a sequence where a model or a number belongs may be the private counts.
    """
    if not isinstance(value, (str, bytes, bool, int, float, Decimal, Fraction, np.generic, Enum)):
        return "None" if value is None else f"a {type(value).__name__}"
    if isinstance(value, np.generic):
        value = value.item()
    try:
        return shorten(str(value) if isinstance(value, (Fraction, Decimal)) else repr(value))
    except ValueError:  # an integer of more digits than Python prints
        return f"a huge {type(value).__name__}"


def shorten(text: str) -> str:
    """At most 60 characters."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def big(number: int) -> str:
    """A whole number, or its size if it is long."""
    return str(number) if number < 10**18 else f"about 10^{int(number.bit_length() * 0.30103)}"


def rational(argument: str, value: object) -> Fraction:
    """Read a finite number as the exact decimal of its shortest repr."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, Fraction, Decimal, np.integer, np.floating)
    ):
        raise _fail(argument, f"must be a number, got {brief(value)}")
    if isinstance(value, Fraction):
        number = Fraction(int(value.numerator), int(value.denominator))  # numpy's would overflow
    elif isinstance(value, (int, np.integer)):
        number = Fraction(int(value))
    else:
        number = text_number(argument, str(value))
    if number.numerator.bit_length() + number.denominator.bit_length() > _MOST_BITS:
        raise _fail(argument, f"must be a number of ordinary size, got {brief(value)}")
    return number


def text_number(argument: str, text: str) -> Fraction:
    """A number in writing, read exactly; absurdly long ones are refused before they are built."""
    exponent = re.search(r"[eE]([-+]?\d+)$", text.strip())
    if len(text) > 400 or (exponent and (len(exponent[1]) > 5 or abs(int(exponent[1])) > 400)):
        raise _fail(argument, f"must be a number of ordinary size, got {brief(text)}")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        if text.strip().lower().lstrip("+-") in ("inf", "infinity", "nan", "snan"):
            raise _fail(argument, f"must be finite, got {text}") from None
        raise _fail(argument, f"must be a number, got {text!r}") from None


def positive(argument: str, value: object) -> Fraction:
    """A finite number above zero."""
    number = rational(argument, value)
    if number <= 0:
        raise _fail(argument, f"must be greater than 0, got {brief(value)}")
    return number


def between(argument: str, value: object, least: Fraction, most: Fraction) -> Fraction:
    """A positive number in a range."""
    number = positive(argument, value)
    if not least <= number <= most:
        rule = f"must lie between {float(least):g} and {float(most):g}"
        raise _fail(argument, f"{rule}, got {brief(value)}")
    return number


def epsilon(value: object) -> Fraction:
    """A privacy parameter from 1e-9 to 1e6."""
    return between("epsilon", value, SMALL, LARGE)


def gamma(value: object) -> Fraction:
    """A rate of smoothing from 1e-9 to 1e9."""
    return between("gamma", value, SMALL, Fraction(10**9))


def share(argument: str, value: object) -> Fraction:
    """A number strictly between 0 and 1."""
    number = rational(argument, value)
    if not 0 < number < 1:
        raise _fail(argument, f"must lie strictly between 0 and 1, got {brief(value)}")
    return number


def whole(argument: str, value: object, least: int = 0, most: int = MOST_RECORDS) -> int:
    """A public integer in a range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise _fail(argument, f"must be a whole number, got {brief(value)}")
    if not least <= value <= most:
        raise _fail(argument, f"must lie between {least} and {most}, got {brief(value)}")
    return int(value)


def choice(argument: str, value: object, allowed: Sequence[object]) -> Any:
    """One of a few names; a near miss is suggested."""
    if any(value is item or (type(value) is type(item) and value == item) for item in allowed):
        return value
    names = {str(item): repr(item) for item in allowed}
    near = similar(value, names)
    hint = f"; did you mean {names[near]}?" if near else ""
    raise _fail(argument, f"must be one of {', '.join(names.values())}, got {brief(value)}{hint}")


def similar(value: object, names: Iterable[str]) -> str | None:
    """The name that was probably meant, if one is close."""
    if not isinstance(value, str) or len(value) < 3:
        return None
    return next(iter(difflib.get_close_matches(value, list(names), n=1, cutoff=0.6)), None)


def position(argument: str, category: object, labels: Sequence[Category]) -> int:
    """The place of a declared category."""
    if not isinstance(category, (str, int)) or category not in labels:
        choice(argument, category, labels)
    return labels.index(cast("Category", category))


def label(argument: str, value: object) -> str:
    """A name to be printed: not empty, without control characters."""
    if not isinstance(value, str) or not value:
        raise _fail(argument, f"must be a name, got {brief(value)}")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
        raise _fail(argument, f"must not contain control characters, got {brief(value)}")
    return value


def categories(value: object, argument: str = "categories") -> tuple[Category, ...]:
    """Two or more distinct labels: strings, integers or booleans."""
    if isinstance(value, (str, bytes, Set, Mapping)) or not isinstance(value, Iterable):
        raise _fail(argument, f"must be a sequence of labels in order, got {brief(value)}")
    labels = tuple(item.item() if isinstance(item, np.generic) else item for item in value)
    for position, item in enumerate(labels):
        if isinstance(item, str):
            label(f"{argument}[{position}]", item)
        elif not isinstance(item, int):
            raise _fail(
                f"{argument}[{position}]",
                f"must be a string, integer or boolean, got {brief(item)}",
            )
    if len(labels) < 2:
        raise _fail(argument, f"must name at least two {argument.split()[0]}, got {labels!r}")
    if len(set(labels)) < len(labels):
        twice = next(item for i, item in enumerate(labels) if item in labels[:i])
        raise _fail(argument, f"must be distinct, got {twice!r} twice")
    return cast("tuple[Category, ...]", labels)


def prior(value: object, labels: Sequence[Category]) -> tuple[Fraction, ...]:
    """Dirichlet parameters from 1e-9 to 1e12.

    One for all, a vector in category order, a mapping or Series with every label, or "jeffreys".
    """
    k = len(labels)
    if isinstance(value, str):
        choice("prior", value, ("jeffreys",))
        return (Fraction(1, 2),) * k
    if labelled(value):
        value = _by_label(value, labels, "prior", missing=None)
        if None in value:
            raise _fail("prior", f"must have an entry for {labels[value.index(None)]!r}")
    elif getattr(value, "ndim", 0) == 1:
        value = list(cast("Iterable[object]", value))
    if isinstance(value, (list, tuple)):
        if len(value) != k:
            raise _fail("prior", f"must have {k} entries, one per category, got {len(value)}")
        return tuple(_concentration(f"prior[{i}]", entry) for i, entry in enumerate(value))
    return (_concentration("prior", value),) * k


def _concentration(argument: str, value: object) -> Fraction:
    """A parameter that floats and balls can both work with."""
    return between(argument, value, SMALL, Fraction(10**12))


def _count(argument: str, value: object) -> int:
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and value < 2**53:
        value = int(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise _fail(argument, "must be a whole number")
    if value < 0:
        raise _fail(argument, "must not be negative")
    if value > MOST_RECORDS:
        raise _fail(argument, "must be at most 2**62")
    return int(value)


def counts(value: object, labels: Sequence[Category], argument: str = "counts") -> tuple[int, ...]:
    """Non-negative integers, one per category, from a sequence in order or a mapping by label.

    A category that a mapping leaves out counts as zero. No message contains a count.
    """
    if (dimensions := getattr(value, "ndim", 1)) != 1:
        raise _fail(argument, f"must have one dimension, got {dimensions}")
    if labelled(value):
        entries = _by_label(value, labels, argument)
    elif isinstance(value, (str, bytes, Set)) or not isinstance(value, Iterable):
        raise _fail(argument, "must be a sequence in category order or a mapping by category")
    else:
        entries = list(value)
    if any(isinstance(entry, str) for entry in entries):
        raise _fail(argument, "must be numbers; to count records use model.count(data)")
    if len(entries) != len(labels):
        raise _fail(argument, f"must have {len(labels)} entries, one per category")
    result = tuple(_count(f"{argument}[{i}]", entry) for i, entry in enumerate(entries))
    if sum(result) > MOST_RECORDS:
        raise _fail(argument, "must sum to at most 2**62")
    return result


def labelled(value: object) -> bool:
    """Whether entries carry labels: a mapping, or a pandas Series by its index."""
    return isinstance(value, Mapping) or callable(getattr(value, "items", None))


def by_position(argument: str, value: Iterable[object]) -> Iterable[object]:
    """A sequence in order; labels, which would be ignored, are refused unless they are 0, 1, …."""
    if labelled(value) and list(getattr(value, "index", ())) != list(range(len(list(value)))):
        raise _fail(argument, "must be a sequence in order, got entries with labels of their own")
    return value


def _by_label(
    value: object, labels: Sequence[Category], argument: str, missing: object = 0
) -> list[object]:
    """The entries of a mapping, or of a Series by its index, in category order."""
    known = set(labels)
    found: dict[Category, object] = {}
    for position, item in enumerate(cast("Any", value).items()):
        try:
            key, entry = item
            name = key.item() if isinstance(key, np.generic) else key
            declared = name in known
        except (TypeError, ValueError):
            declared = False
        if not declared:
            raise _fail(
                argument,
                f"has at position {position} a label that is not a category "
                "(a mapping or Series is read by its labels)",
            )
        if name in found:
            raise _fail(argument, f"has at position {position} a label for the second time")
        found[name] = entry
    return [found.get(item, missing) for item in labels]


def entries(argument: str, value: object, labels: Sequence[Category]) -> list[Fraction]:
    """Public numbers, one per category: a sequence in order, or by label, 0 where left out."""
    if labelled(value):
        listed = _by_label(value, labels, argument)
    elif isinstance(value, (str, bytes, Set)) or not isinstance(value, Iterable):
        raise _fail(
            argument, f"must be {len(labels)} numbers, one per category, got {brief(value)}"
        )
    else:
        listed = list(value)
    if len(listed) != len(labels):
        rule = f"must have {len(labels)} entries, one per category"
        raise _fail(argument, f"{rule}, got {len(listed)}")
    return [rational(f"{argument}[{i}]", entry) for i, entry in enumerate(listed)]


def parameters(argument: str, value: object) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One or many Dirichlet parameter vectors, along the last axis."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.ndim == 0:
        raise _fail(argument, "must be Dirichlet parameters, an array of numbers")
    if array.shape[-1] < 2:
        raise _fail(argument, f"must have at least two parameters, got shape {array.shape}")
    bad = ~(np.isfinite(array) & (array > 0))
    if bad.any():
        where = np.unravel_index(int(bad.argmax()), array.shape)
        position = ", ".join(str(int(i)) for i in where)
        raise _fail(f"{argument}[{position}]", "must be positive and finite")
    return array


def reals(argument: str, value: object) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A number or an array of numbers."""
    try:
        array = np.asarray(value)
        words = (isinstance(entry, (str, type(None))) for entry in array.ravel())
        if array.dtype.kind in "biuf" or (array.dtype.kind == "O" and not any(words)):
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise _fail(argument, f"must be a number or an array of numbers, got {brief(value)}")


def generator(rng: object) -> np.random.Generator:
    """A numpy Generator, for simulations."""
    if not isinstance(rng, np.random.Generator):
        raise _fail("rng", f"must be a numpy.random.Generator or None, got {brief(rng)}")
    return rng


def size(value: object) -> int:
    """How many draws."""
    return whole("size", value, most=10**9)


def number_of(number: int, noun: str, plural: str | None = None) -> str:
    """1 record, 2 records."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def equation(name: str, number: Fraction | float) -> str:
    """name = number, or name ≈ number, rounded up."""
    shown = show(number)
    return f"{name} {shown}" if shown.startswith("≈") else f"{name} = {shown}"


def at_most(number: Fraction | float) -> str:
    """A number as people write it, rounded up, without saying so."""
    return show(number).removeprefix("≈ ")


def show(number: Fraction | float) -> str:
    """A number as people write it: exactly if a short decimal does, else rounded up with ≈."""
    if isinstance(number, float):
        return "∞" if math.isinf(number) else f"{number:.6g}"
    if number == 0:
        return "0"
    if not Fraction(1, 10**290) < abs(number) < 10**290:
        return f"about 10^{len(str(abs(number) // 1)) - len(str(1 // abs(number)))}"
    exact = f"{float(number):.12g}"
    if Fraction(exact) == number:
        return exact
    scale = Fraction(10) ** (6 - math.floor(math.log10(abs(number))))
    return f"≈ {float(-(-number * scale // 1) / scale):.7g}"
