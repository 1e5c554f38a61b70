"""Numbers of running programs: exact rationals, whole steps from a public offset, and balls."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from flint import arb

from discreet.errors import ExactnessError, InputError
from discreet.exact import balls
from discreet.exact.balls import Real, ball
from discreet.programs import symbolic
from discreet.programs.symbolic import Expression, rational_gcd

DIGITS = 30  # of roots, logarithms and exponentials of public numbers
MORE_DIGITS = 60  # of π, which goes into them


@dataclass(frozen=True)
class Whole:
    """offset + step·count: offset and step are public, the count may be private, None if hidden."""

    offset: Fraction
    step: Fraction
    count: int | None

    @property
    def value(self) -> Fraction:
        """The number itself."""
        assert self.count is not None
        return self.offset + self.step * self.count


@dataclass(frozen=True)
class Irrational:
    """A real number known as a ball."""

    real: Real


class Secret:
    """A private value of a replay, which has no data."""

    def __repr__(self) -> str:
        return "a private value"


SECRET = Secret()
Numeric: TypeAlias = Fraction | Whole | Irrational | Secret

_ROUNDED: dict[str, Callable[[Expression], Expression]] = {
    "sqrt": symbolic.sqrt,
    "log": symbolic.log,
    "exp": symbolic.exp,
    "pi": lambda _: symbolic.PI,
}


def rounded(name: str, x: Expression) -> Fraction:
    """sqrt, log, exp of a public number rounded up to 30 digits, π to 60: by definition.

    Up, because they are mostly divided by: eps/sqrt(…) is then not above what it is meant to be.
    """
    if name in ("sqrt", "log") and (x.value is None or x.value <= 0):
        raise InputError(f"the program takes {name} of a number that is not positive", "program")
    if name == "exp" and (x.value is None or abs(x.value) > 1000):
        raise InputError("the program takes exp of a number beyond 1000", "program")
    wanted = _ROUNDED[name](x)
    if wanted.value is not None:
        return wanted.value

    def digits(value: arb) -> Fraction | None:
        if not value.is_finite() or value.rel_accuracy_bits() < 220:
            return None
        exact = balls.fraction(value.mid())
        bits = exact.numerator.bit_length() - exact.denominator.bit_length()
        size = math.floor(bits * 0.30103)  # digits before the point, or one more
        scale = Fraction(10) ** ((MORE_DIGITS if name == "pi" else DIGITS) - size)
        whole = (value * ball(scale)).ceil().unique_fmpz()
        return None if whole is None else int(whole) / scale

    return balls.refine(lambda: wanted.ball({}), digits, 256)


def as_number(x: object) -> Numeric | None:
    """A flag counts as a whole number."""
    if isinstance(x, bool):
        return Whole(Fraction(0), Fraction(1), int(x))
    return x if isinstance(x, (Fraction, Whole, Irrational, Secret)) else None


def plain(x: Numeric) -> Fraction | Irrational | Secret:
    """Without its steps."""
    if isinstance(x, Whole):
        return SECRET if x.count is None else x.value
    return x


def plain_if_any(x: object) -> Fraction | Irrational | Secret | None:
    """Without its steps; None if it is no number."""
    found = as_number(x)
    return None if found is None else plain(found)


def number_of(x: object) -> Numeric:
    """As a number; nothing else is expected."""
    found = as_number(x)
    if found is None:
        raise ExactnessError("something else than a number")
    return found


def plain_of(x: object) -> Fraction | Irrational | Secret:
    """As a number without its steps; nothing else is expected."""
    return plain(number_of(x))


def step_of(values: list[Any]) -> Fraction | None:
    """The step that all numbers are whole multiples of."""
    numbers = [plain_if_any(value) for value in values]
    if not all(isinstance(number, Fraction) for number in numbers):
        return None
    found = reduce(rational_gcd, (number for number in numbers if isinstance(number, Fraction)))
    return found or Fraction(1)


def real(x: Fraction | Irrational) -> Real:
    """As a ball."""
    return x.real if isinstance(x, Irrational) else (lambda: ball(x))


def add(x: Numeric, y: Numeric) -> Numeric:
    """x + y; whole steps stay whole steps."""
    if isinstance(x, Whole) and isinstance(y, Whole):
        step = rational_gcd(x.step, y.step)
        count = None
        if x.count is not None and y.count is not None:
            count = int((x.step * x.count + y.step * y.count) / step)
        return Whole(x.offset + y.offset, step, count)
    for one, two in ((x, y), (y, x)):
        if isinstance(one, Whole) and isinstance(two, Fraction):
            return Whole(one.offset + two, one.step, one.count)
    a, b = plain(x), plain(y)
    if isinstance(a, Secret) or isinstance(b, Secret):
        return SECRET
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    left, right = real(a), real(b)
    return Irrational(balls.memo(lambda: left() + right()))


def multiply(x: Numeric, y: Numeric) -> Numeric:
    """x·y."""
    if x == Fraction(0) or y == Fraction(0):
        return Fraction(0)
    for one, two in ((x, y), (y, x)):
        if isinstance(one, Whole) and isinstance(two, Fraction) and two:
            count = None if one.count is None else one.count * (1 if two > 0 else -1)
            return Whole(one.offset * two, one.step * abs(two), count)
    a, b = plain(x), plain(y)
    if isinstance(a, Secret) or isinstance(b, Secret):
        return SECRET
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    left, right = real(a), real(b)
    return Irrational(balls.memo(lambda: left() * right()))


def negative(x: Numeric) -> Numeric:
    """−x."""
    return multiply(x, Fraction(-1))


def divide(x: Numeric, y: Numeric) -> Numeric:
    """x/y."""
    return multiply(x, inverse(y))


def inverse(x: Numeric) -> Numeric:
    """1/x."""
    a = plain(x)
    if isinstance(a, Secret):
        return SECRET
    if isinstance(a, Fraction):
        if not a:
            raise InputError("the program divides by a released 0", "program")
        return 1 / a
    inner = a.real
    return Irrational(balls.memo(lambda: 1 / inner()))
