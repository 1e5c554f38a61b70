"""Balls: real numbers known to lie in an interval, from python-flint's `arb`.

A `Real` is a function without arguments that encloses one real number at the working precision;
evaluated again at a higher precision it gives a smaller ball around the same number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeAlias

from flint import arb, ctx, fmpq

from discreet.errors import ExactnessError

Real: TypeAlias = Callable[[], arb]

PRECISION = 128
MOST_PRECISION = 1 << 16
NEVER = arb.neg_inf()  # the log of a weight that is zero
_TINY = arb(2) ** -1074

# flint keeps one working precision for the whole process, so threads take turns. A ball computed
# at the wrong precision would still be right, only wider than asked for.
_turn = threading.RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work at this many bits."""
    with _turn:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def working_bits() -> int:
    """The working precision."""
    return int(ctx.prec)


@contextmanager
def extra_precision(bits: int) -> Iterator[None]:
    """Work at this many bits more, for the digits that a difference is about to cancel."""
    with precision(ctx.prec + bits):
        yield


def ball(number: Fraction | int) -> arb:
    """A rational as a ball."""
    if isinstance(number, int):
        return arb(number)
    return arb(fmpq(number.numerator, number.denominator))


def refine(real: Real, bits: int = PRECISION) -> Iterator[arb]:
    """Balls around one real number, each from twice the precision of the one before."""
    while bits <= MOST_PRECISION:
        with precision(bits):
            yield real()
        bits *= 2
    raise ExactnessError(f"a ball is still undecided at {MOST_PRECISION} bits")


def memo(real: Real) -> Real:
    """The same real number, computed once per precision."""
    known: dict[int, arb] = {}

    def remembered() -> arb:
        bits = ctx.prec
        if bits not in known:
            known[bits] = real()
        return known[bits]

    return remembered


def fraction(number: arb) -> Fraction:
    """An exact ball (radius 0) as a rational."""
    exact = number.fmpq()
    return Fraction(int(exact.p), int(exact.q))


def floor(number: arb) -> int:
    """The floor of an exact ball (radius 0)."""
    whole = number.floor().unique_fmpz()
    assert whole is not None
    return int(whole)


def bounds(real: Real, bits: int) -> tuple[int, int]:
    """Integers with floor ≤ 2^bits · x ≤ ceiling, at most two apart."""
    for value in refine(real, max(PRECISION, bits + 32)):
        scaled = value * arb(2) ** bits
        if scaled.is_finite():
            low = floor(scaled.lower())
            high = -floor(-scaled.upper())
            if high - low <= 2:
                return low, high
    raise AssertionError("refine ends with an exception")


def nearest(real: Real) -> float:
    """A real number as a float, right to the last digits."""
    for value in refine(real):
        if value.rel_accuracy_bits() >= 60 or abs(value) < _TINY:
            return float(value.mid())
    raise AssertionError("refine ends with an exception")


def rounded_up(real: Real, digits: int = 15) -> Fraction:
    """A decimal with so many significant digits that is certainly not below a positive number."""
    for value in refine(real):
        if value.rel_accuracy_bits() >= 60:
            upper = fraction(value.upper())
            places = digits - len(str(int(upper))) if upper >= 1 else digits + _zeros(upper)
            scale = Fraction(10) ** places
            return -(-upper * scale // 1) / scale
    raise AssertionError("refine ends with an exception")


def rounded_down(real: Real, digits: int = 15) -> Fraction:
    """A decimal that is certainly not above a positive number."""
    for value in refine(real):
        if value.rel_accuracy_bits() >= 60:
            lower = fraction(value.lower())
            places = digits - len(str(int(lower))) if lower >= 1 else digits + _zeros(lower)
            scale = Fraction(10) ** places
            return (lower * scale // 1) / scale
    raise AssertionError("refine ends with an exception")


def _zeros(small: Fraction) -> int:
    return len(str(small.denominator // small.numerator)) - 1
