"""Exact draws: the sampled law is the real-valued law, not its float image.

There is one primitive, `bernoulli`: random bits are compared with a probability that is known as a
ball, and both are refined only while the comparison is undecided. No float takes part.

A `Source` gives that many random bytes: `os.urandom` for a release, the `bytes` method of a numpy
Generator for a simulation of the very same law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
from flint import arb

from discreet.errors import ExactnessError, InputError
from discreet.exact import Bools, Ints, balls
from discreet.exact.balls import Real, ball

LEAST_RATE = Fraction(1, 2**53)  # of geometric numbers that fit 64 bits
Source: TypeAlias = Callable[[int], bytes]

_BITS = 72  # one byte decides most comparisons, a further 64-bit word nearly all the rest


def below(bound: int, source: Source) -> int:
    """A uniform integer in [0, bound), of any size."""
    bits = (bound - 1).bit_length()
    surplus = -bits % 8
    while True:
        number = int.from_bytes(source((bits + 7) // 8), "little") >> surplus
        if number < bound:
            return number


def below_many(bound: int, size: int, source: Source) -> Ints:
    """Uniform integers in [0, bound), bound ≤ 2^63."""
    shift = np.uint64(64 - max(1, (bound - 1).bit_length()))
    kept = np.empty(0, dtype=np.uint64)
    while len(kept) < size:
        words = np.frombuffer(source(8 * max(64, 2 * (size - len(kept)))), dtype="<u8") >> shift
        kept = np.concatenate([kept, words[words < bound]])
    return kept[:size].astype(np.int64)


def bernoulli(p: Real, size: int, source: Source) -> Bools:
    """Independent draws that are true with probability exactly p."""
    return _compare(balls.bounds(p, _BITS), p, size, source)


def _compare(limits: tuple[int, int], p: Real, size: int, source: Source) -> Bools:
    """Is a uniform number below p, where floor ≤ 2^72·p ≤ ceiling are `limits`?"""
    low, high = limits
    if low > 1 << _BITS or high < 0:
        raise ExactnessError("a probability lies outside [0, 1]")
    octets = np.frombuffer(source(size), dtype=np.uint8)
    result: Bools = octets < (low >> 64)
    for index in np.flatnonzero(~result & (octets <= (high >> 64))):
        word = int(octets[index]) << 64 | int.from_bytes(source(8), "little")
        result[index] = word < low or (word < high and _undecided(word, p, source))
    return result


def _undecided(word: int, p: Real, source: Source) -> bool:
    """Go on with more bits of the uniform number and of p until they differ."""
    bits = _BITS
    while True:
        word, bits = word << 64 | int.from_bytes(source(8), "little"), bits + 64
        low, high = balls.bounds(p, bits)
        if word < low:
            return True
        if word >= high:
            return False


def _bit(rate: Fraction, power: int) -> arb:
    return 1 / (1 + ball(rate * 2**power).exp())


def _tail(rate: Fraction, power: int) -> arb:
    return ball(-rate * 2**power).exp()


def require_rate(rate: Fraction) -> None:
    """Refuse, by public values, noise that would not fit 64-bit integers."""
    if rate < LEAST_RATE:
        raise InputError(
            "epsilon must be larger for so many tables, records or parts of one unit: the noise "
            "would not fit 64-bit integers",
            "epsilon",
        )


@lru_cache(maxsize=1024)
def _bit_limits(rate: Fraction) -> tuple[tuple[tuple[int, int], ...], tuple[int, int]]:
    powers = max(0, math.ceil(math.log2(50 / rate)))
    if powers > 60:
        raise ExactnessError("a geometric rate below 2**-54 does not fit 64-bit integers")
    bits = tuple(balls.bounds(partial(_bit, rate, i), _BITS) for i in range(powers))
    return bits, balls.bounds(partial(_tail, rate, powers), _BITS)


def geometric(rate: Fraction, size: int, source: Source) -> Ints:
    """P(g) = (1 − q)·q^g for g = 0, 1, 2, …, with q = exp(−rate).

    q^g = Π q^{2^i·g_i} over the binary digits of g, so the digits are independent: digit i is one
    with probability q^{2^i}/(1 + q^{2^i}). The digits from the first that is almost surely zero
    onwards form again such a number, with rate·2^i.
    """
    bits, tail = _bit_limits(rate)
    result = np.zeros(size, dtype=np.int64)
    for power, limits in enumerate(bits):
        digit = _compare(limits, partial(_bit, rate, power), size, source)
        result |= digit.astype(np.int64) << power
    for index in np.flatnonzero(_compare(tail, partial(_tail, rate, len(bits)), size, source)):
        more = 1 + int(geometric(rate * 2 ** len(bits), 1, source)[0])
        if (more + 1) << len(bits) > 2**62:
            raise ExactnessError("a geometric draw does not fit 64-bit integers")
        result[index] += more << len(bits)
    return result


def coins(size: int, source: Source) -> Bools:
    """Fair coins."""
    octets = np.frombuffer(source((size + 7) // 8), dtype=np.uint8)
    return np.unpackbits(octets)[:size].astype(np.bool_)


def floored_laplace(rate: Fraction, size: int, source: Source) -> Ints:
    """⌊Y⌋ for Y Laplace with scale 1/rate: a geometric number, or minus one minus it."""
    magnitude = geometric(rate, size, source)
    return np.where(coins(size, source), magnitude, -1 - magnitude)


def _zero(rate: Fraction) -> arb:
    return (ball(rate) / 2).tanh()


@lru_cache(maxsize=1024)
def _zero_limits(rate: Fraction) -> tuple[int, int]:
    return balls.bounds(partial(_zero, rate), _BITS)


def discrete_laplace(rate: Fraction, size: int, source: Source) -> Ints:
    """P(z) ∝ exp(−rate·|z|) on the integers: zero with probability tanh(rate/2), else ±(1 + g)."""
    magnitude = 1 + geometric(rate, size, source)
    signed = np.where(coins(size, source), magnitude, -magnitude)
    zero = _compare(_zero_limits(rate), partial(_zero, rate), size, source)
    return np.where(zero, 0, signed)


def accept_each(p: Callable[[int], Real], items: Ints, source: Source) -> Bools:
    """Keep item j with probability p(j), each occurrence independently."""
    result = np.zeros(len(items), dtype=np.bool_)
    order = np.argsort(items, kind="stable")
    distinct, starts, times = np.unique(items[order], return_index=True, return_counts=True)
    for item, start, count in zip(distinct, starts, times, strict=True):
        result[order[start : start + count]] = bernoulli(p(int(item)), int(count), source)
    return result


def balanced_laplace(rate: Fraction, width: int, size: int, source: Source) -> Ints:
    """Rows of discrete Laplace numbers, given that they sum to zero."""
    return until_accepted(partial(_balanced, rate, width, source), size)


def _balanced(rate: Fraction, width: int, source: Source, size: int) -> Ints:
    """All but one are free; the last is minus their sum, kept with its share of the weight.

    exp(−rate·|last|) is the probability that a geometric number of that rate reaches |last|.
    """
    free = width - 1
    noise = discrete_laplace(rate, size * free, source).reshape(size, free)
    last = -noise.sum(axis=1)
    kept = geometric(rate, size, source) >= np.abs(last)
    return np.asarray(np.column_stack([noise, last])[kept])


def until_accepted(propose: Callable[[int], Ints], size: int) -> Ints:
    """Collect accepted rows until there are enough; `propose(m)` returns those accepted of m."""
    kept = propose(size + size // 4)
    while len(kept) < size:
        missing = size - len(kept)
        share = max(0.02, len(kept) / (size + size // 4 + 1))
        kept = np.concatenate([kept, propose(int(missing / share) + 1)])
    return kept[:size]
