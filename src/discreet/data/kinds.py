"""What a column holds: by its declared type, never by its records."""

from __future__ import annotations

import datetime
from decimal import Decimal

TEXT = "text"
WRITTEN = "what a file says"  # text that may say a number: of CSV, JSON and the names of folders
# NaN as programs write it: missing, but as a category
NANS = ("nan", "NaN", "NAN", "-nan", "-NaN", "-NAN")
BOOLEANS = "booleans"
INTEGERS = "integers"
DECIMALS = "decimal numbers"
FLOATS = "floats"
SINGLES = "single floats"
DATES = "dates"
TIMES = "times"
ZONED = "times with a zone"
NOTHING = "nothing but missing values"  # of Python objects: their type is not known, nor needed
OTHER = "other values"

FRACTIONS = (DECIMALS, FLOATS, SINGLES)
NUMBERS = (INTEGERS, *FRACTIONS)
CATEGORICAL = (TEXT, BOOLEANS, *NUMBERS)
UNITS = (*CATEGORICAL, WRITTEN, DATES, TIMES, ZONED, NOTHING)

_OF_VALUES = {
    str: TEXT,
    bool: BOOLEANS,
    int: INTEGERS,
    float: FLOATS,
    Decimal: DECIMALS,
    datetime.date: DATES,
}


def of_value(value: object) -> str:
    """The kind of a value in Python."""
    return _OF_VALUES.get(type(value), OTHER)
