"""Balls: real numbers known to lie in an interval, from python-flint's `arb`.

A `Real` is a function without arguments that encloses one real number at the working precision;
evaluated again at a higher precision it gives a smaller ball around the same number.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import arb, ctx, fmpq

from discreet.errors import ExactnessError

Real: TypeAlias = Callable[[], arb]
T = TypeVar("T")

PRECISION = 128
MOST_PRECISION = 1 << 16
NEVER = arb.neg_inf()  # the log of a weight that is zero
_TINY = arb(2) ** -1074

# flint keeps one working precision for the whole process, so threads take turns. A ball computed
# at the wrong precision would still be right, only wider than asked for.
_turn = threading.RLock()


def _after_fork() -> None:
    """A child process starts with a lock of its own: nobody would release the inherited one."""
    global _turn
    _turn = threading.RLock()
    ctx.prec = 53


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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


def refine(real: Real, decide: Callable[[arb], T | None], bits: int = PRECISION) -> T:
    """Enclose a real number ever more tightly until the ball settles the question."""
    while bits <= MOST_PRECISION:
        with precision(bits):
            answer = decide(real())
        if answer is not None:
            return answer
        bits *= 2
    raise ExactnessError(f"a ball is still undecided at {MOST_PRECISION} bits")


def memo(real: Callable[[], T]) -> Callable[[], T]:
    """The same real number, or numbers, computed once per precision."""
    known: dict[int, T] = {}

    def remembered() -> T:
        bits = ctx.prec
        if bits not in known:
            known[bits] = real()
        return known[bits]

    return remembered


def root(square: arb) -> arb:
    """√ of a number known not to be negative, though its ball may reach below 0."""
    if square > 0:
        return square.sqrt()
    high = square.upper()
    return arb(0).union(high.sqrt()) if high > 0 else arb(0)


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
    """Integers with low ≤ 2^bits · x ≤ high, at most two apart."""

    def narrow(value: arb) -> tuple[int, int] | None:
        scaled = value * arb(2) ** bits
        if not scaled.is_finite() or scaled.rad() > 2:
            return None
        low, high = floor(scaled.lower()), -floor(-scaled.upper())
        return (low, high) if high - low <= 2 else None

    return refine(real, narrow, max(PRECISION, bits + 32))


def nearest(real: Real) -> float:
    """A real number as a float, right to the last digits."""

    def accurate(value: arb) -> float | None:
        sure = value.rel_accuracy_bits() >= 60 or abs(value) < _TINY
        return float(value.mid()) if sure else None

    return refine(real, accurate)


def sharp(real: Real) -> arb:
    """A ball around a real number that is finite, with a radius below 1e-15."""
    return refine(real, lambda value: value if value.is_finite() and value.rad() < 1e-15 else None)


def rounded_down(real: Real) -> Fraction:
    """A decimal of 15 significant digits that is certainly not above a number other than 0."""

    def beneath(value: arb) -> Fraction | None:
        if value.rel_accuracy_bits() < 60:
            return None
        lower = fraction(value.lower())
        if lower == 0:
            return lower
        scale = _decimal_scale(abs(lower), 15)
        return (lower * scale // 1) / scale

    return refine(real, beneath)


def rounded_up(real: Real) -> Fraction:
    """A decimal of 15 significant digits that is certainly not below a number other than 0."""
    return -rounded_down(lambda: -real())


def _decimal_scale(number: Fraction, digits: int) -> Fraction:
    """A power of ten that brings about so many digits before the point."""
    before_point = _digits(int(number)) if number >= 1 else 1 - _digits(int(1 / number))
    return Fraction(10) ** (digits - before_point)


def _digits(number: int) -> int:
    """How many a positive number has; Python writes no more than 4300 of them."""
    fewer = (number.bit_length() - 1) * 30103 // 100_000
    return fewer + 1 + int(number >= 10 ** (fewer + 1))
