"""What a record means: plain Python, one record at a time. Every engine has to agree with it.

A record is a mapping from columns to values as the writer of its format wrote them: None, text,
truth values, integers, floats, decimals, dates and times; of a text file what stands there, as
`Written`. Nothing here sees two records, except a unit's own in `kept` and `weights`, so whatever
one record holds, it cannot change how another is read. The engines do the same at scale; the tests
compare.
"""

from __future__ import annotations

import datetime
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet.check import Category
from discreet.data import conditions, kinds
from discreet.data.categories import finder
from discreet.data.conditions import Column, Comparison, Condition, Joined, Missing
from discreet.data.scaled import Steps
from discreet.data.units import MOST_FLOAT, Owners, last_digits, mixing, named

Record: TypeAlias = Mapping[str, Any]


class Written(str):
    """A value of a text file; an empty one is missing."""


def value(written: Any) -> Any:
    """A value, with None for what is missing: nothing, NaN, and where they are written.

    As a category a text is what it is: see `cell`.
    """
    if isinstance(written, Written) and (not written or written in kinds.NANS):
        return None
    if isinstance(written, (float, np.floating, Decimal)) and math.isnan(written):
        return None
    return written


def unit(written: Any) -> Any:
    """Whose record it is; NaN where a value may be that of several units."""
    held = value(written)
    if isinstance(held, Written):
        name = named(held)
        return math.nan if name is None else name
    return math.nan if isinstance(held, float) and abs(held) >= MOST_FLOAT else held


def number(written: Any) -> float | None:
    """The number that a value is, or that a text file says; None if it is none, or NaN."""
    held = value(written)
    if isinstance(held, Written):
        if not held.isascii() or "_" in held or "\0" in held:
            return None
        try:
            held = float(held)
        except ValueError:
            return None
    return None if held is None or math.isnan(held) else float(held)


def truth(written: Any) -> bool | None:
    """The truth value that a value is, or that a text file says."""
    if isinstance(written, Written):
        words = {"true": True, "True": True, "TRUE": True, "1": True}
        return (words | {"false": False, "False": False, "FALSE": False, "0": False}).get(written)
    return None if written is None else bool(written)


def cell(record: Record, labels: Mapping[str, Sequence[Category]]) -> tuple[int | None, ...]:
    """The places of the categories that the record's values mean."""
    held = [record[name] for name in labels]
    plain = [(one and str(one)) or None if isinstance(one, Written) else value(one) for one in held]
    return tuple(finder(of)(one) for of, one in zip(labels.values(), plain, strict=True))


def satisfies(record: Record, condition: Condition) -> bool:
    """Whether a record satisfies a condition, whose comparisons are `typed`."""
    if isinstance(condition, Joined):
        parts = (satisfies(record, part) for part in condition.parts)
        return all(parts) if condition.by is operator.and_ else any(parts)
    here = record[condition.column.name]
    if isinstance(condition, Missing):
        return (value(here) is None) == condition.missing
    other = condition.other
    there = record[other.name] if isinstance(other, Column) else other
    return _compared(condition, here, there)


def _compared(condition: Comparison, here: Any, there: Any) -> bool:
    if value(here) is None or value(there) is None:
        return False
    as_type = condition.typed
    if as_type == conditions.WRITTEN:
        said = [_says_number(here), _says_number(there)]
        as_type = conditions.NUMBERS if all(said) else kinds.TEXT
    read = {conditions.NUMBERS: number, kinds.BOOLEANS: truth, kinds.ZONED: _in_utc}.get(as_type)
    left, right = (here, there) if read is None else (read(here), read(there))
    return left is not None and right is not None and bool(condition.operator(left, right))


def _says_number(written: Written) -> bool:
    try:
        float(written)
    except ValueError:
        return False
    return written.isascii() and "_" not in written and "\0" not in written


def _in_utc(moment: datetime.datetime) -> datetime.datetime:
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment


def kept(records: Iterable[tuple[Any, Any]], cells: Sequence[Any], owners: Owners) -> Counter[Any]:
    """Counts by cell of a single table, with so much of a unit; see `units`.

    Every record gives its unit and its cell; units are the same if they are equal, as 1 and 1.0.
    """
    whose: dict[Any, Counter[Any]] = {}
    for unit, place in records:
        whose.setdefault(unit, Counter())[place] += 1
    result: Counter[Any] = Counter()
    for unit, counts in whose.items():
        of = [counts[place] for place in cells]
        mixed = sum(by * count for by, count in zip(mixing(len(of)), of, strict=True))
        share = _share(last_digits(unit) + mixed, sum(of), owners)
        ends = [share(end) for end in itertools.accumulate(of, initial=0)]
        for place, (below, end) in zip(cells, itertools.pairwise(ends), strict=True):
            result[place] += end - below
    return result


def weights(records: Sequence[tuple[Any, Sequence[int]]], owners: Owners) -> list[int]:
    """The weight of every record, which gives its unit and what it holds; see `units`."""
    whose: dict[Any, list[int]] = {}
    for place, (unit, _) in enumerate(records):
        whose.setdefault(unit, []).append(place)
    result = [0] * len(records)
    for unit, places in whose.items():
        held = [records[place][1] for place in places]
        mixed = sum(11 + sum(37 ** (j + 1) * a for j, a in enumerate(each)) for each in held)
        share = _share(last_digits(unit) + mixed, len(places), owners)
        for rank, place in enumerate(sorted(places, key=lambda place: tuple(records[place][1]))):
            result[place] = share(rank + 1) - share(rank)
    return result


def _share(mixed: int, records: int, owners: Owners) -> Callable[[int], int]:
    """How much is counted of the first r of a unit's records."""
    if records <= owners.whole:
        return lambda rank: rank
    u = Fraction(2 * (mixed % 100) + 1, 200)
    return lambda rank: math.floor(Fraction(owners.total * rank, records) + u)


def steps(record: Record, of: Steps) -> list[int] | None:
    """The grid steps of a record's numbers; see `moments`. None if one is unknown."""
    u = []
    for column in of.columns:
        low, high, shift, inverse, middle = column.floats
        held = record[column.name]
        x = number(held)
        if x is None and isinstance(held, Written) and truth(held) is not None:
            x = float(bool(truth(held)))
        if of.unknown == "middle":
            x = middle if x is None else x
        elif x is None or math.isinf(x):
            return None
        u.append((min(max(x, low), high) - shift) * inverse)
    if of.radius is not None:
        square = u[0] * u[0]
        for x in u[1:-1]:
            square += x * x
        norm, radius = math.sqrt(square), float(of.radius)
        factor = radius / norm if norm > radius else 1.0
        u[:-1] = [x * factor for x in u[:-1]]
    return [math.floor(x * float(of.grid) + 0.5) for x in u]
