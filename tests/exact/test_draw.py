from __future__ import annotations

import math
import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb

from discreet.errors import ExactnessError, InputError
from discreet.exact import draw
from discreet.exact.balls import ball
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from tests.statistics import noncentrality, pearson

SIZE = 200_000


def scripted(*chunks: bytes) -> Callable[[int], bytes]:
    """A source that gives exactly these bytes."""
    stream = b"".join(chunks)
    place = 0

    def source(count: int) -> bytes:
        nonlocal place
        place += count
        assert place <= len(stream), "more random bytes were asked for than expected"
        return stream[place - count : place]

    return source


def tally(values: np.ndarray, edges: range) -> np.ndarray:
    clipped = np.clip(values, edges[0], edges[-1])
    return np.bincount(clipped - edges[0], minlength=len(edges))


@pytest.mark.parametrize(
    "p", [Fraction(1, 3), Fraction(1, 256), Fraction(255, 256), Fraction(1, 2)]
)
def test_bernoulli_decides_by_the_first_byte_that_differs(p: Fraction) -> None:
    for octet in range(256):
        low, high = Fraction(octet, 256), Fraction(octet + 1, 256)
        if high <= p or low >= p:
            got = draw.bernoulli(lambda: ball(p), 1, scripted(bytes([octet]), b"\x00" * 8))[0]
            assert got == (high <= p)


def test_bernoulli_refines_where_the_bits_tie() -> None:
    # 2/3 = 0.101010…: a uniform number that agrees in the first 136 bits is decided by the next
    octets = bytes([0b10101010]) + b"\xaa" * 8 + b"\xaa" * 8
    two_thirds = partial(ball, Fraction(2, 3))
    assert draw.bernoulli(two_thirds, 1, scripted(octets, b"\x00" * 8))[0]
    assert not draw.bernoulli(two_thirds, 1, scripted(octets, b"\xff" * 8))[0]


def test_bernoulli_at_zero_and_one(rng: np.random.Generator) -> None:
    assert not draw.bernoulli(lambda: arb(0), 1000, rng.bytes).any()
    assert draw.bernoulli(lambda: arb(1), 1000, rng.bytes).all()
    # one that is only known as a ball around 1
    assert draw.bernoulli(lambda: (arb(3).log()).exp() / 3, 1000, rng.bytes).all()


def test_a_probability_above_one_stops_the_sampler(rng: np.random.Generator) -> None:
    with pytest.raises(ExactnessError):
        draw.bernoulli(lambda: ball(Fraction(1001, 1000)), 5, rng.bytes)


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1), Fraction(3), Fraction(60)])
def test_geometric_has_its_law_and_rejects_a_wrong_one(
    rate: Fraction, rng: np.random.Generator
) -> None:
    values = draw.geometric(rate, SIZE, rng.bytes)
    most = max(2, min(40, int(8 / rate)))

    def law(r: float) -> np.ndarray:
        g = np.arange(most)
        return np.append(-math.expm1(-r) * np.exp(-r * g), math.exp(-r * most))

    observed = tally(values, range(most + 1))
    statistic, limit = pearson(observed, law(float(rate)))
    assert statistic < limit
    if rate < 10:
        wrong = law(float(rate) * 1.25)
        assert noncentrality(law(float(rate)), wrong, SIZE) > 150
        assert pearson(observed, wrong)[0] > limit


@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(1), Fraction(4)])
def test_discrete_and_floored_laplace(rate: Fraction, rng: np.random.Generator) -> None:
    r, reach = float(rate), max(2, min(19, int(8 / rate)))
    t = np.arange(-reach, reach + 1)
    two_sided = math.tanh(r / 2) * np.exp(-r * np.abs(t))
    floored = -math.expm1(-r) / 2 * np.exp(-r * np.maximum(t, -1 - t))
    for sampler, p in ((draw.discrete_laplace, two_sided), (draw.floored_laplace, floored)):
        values = sampler(rate, SIZE, rng.bytes)
        inside = np.abs(values) <= reach
        observed = np.append(tally(values[inside], range(-reach, reach + 1)), (~inside).sum())
        statistic, limit = pearson(observed, np.append(p, 1 - p.sum()))
        assert statistic < limit
    # the two laws differ, and the test would see it
    assert noncentrality(two_sided, floored, SIZE) > 500


def test_geometric_continues_where_all_digits_are_high() -> None:
    # rate 50: no low digits; 136 zero bits are below the tail's probability e^-50
    first = draw.geometric(Fraction(50), 1, scripted(b"\x00" * 17, b"\xff"))
    assert first[0] == 1


def test_small_rates_reach_far(rng: np.random.Generator) -> None:
    values = draw.geometric(Fraction(1, 10**9), 2000, rng.bytes)
    assert 0.9e9 < values.mean() < 1.1e9


@pytest.mark.parametrize("bound", [1, 2, 3, 255, 256, 257, 2**40 + 1, 2**63])
def test_below_is_uniform_in_range(bound: int, rng: np.random.Generator) -> None:
    many = draw.below_many(bound, 4000, rng.bytes)
    few = np.array([draw.below(bound, rng.bytes) for _ in range(1000)])
    for values in (many, few):
        assert values.min() >= 0
        assert values.max() < bound
        assert abs(values.mean() / bound - (1 - 1 / bound) / 2) < 6 / math.sqrt(12 * len(values))


def test_below_of_more_than_64_bits(rng: np.random.Generator) -> None:
    bound = 3**100
    values = [draw.below(bound, rng.bytes) for _ in range(2000)]
    assert min(values) >= 0
    assert max(values) < bound
    assert abs(sum(values) / len(values) / bound - 0.5) < 0.05


def test_what_does_not_fit_is_refused_before_it_is_drawn() -> None:
    """By the law, which a release asks before anything is charged."""
    rate = draw.LEAST_RATE
    for law in (NoiseLaw((0,), rate / 2, "two-sided"), LatticeLaw((0, 0), rate)):
        with pytest.raises(InputError, match="epsilon must be larger"):
            law.require_drawable()
    NoiseLaw((0,), rate, "two-sided").require_drawable()
    assert abs(int(draw.discrete_laplace(rate, 1, os.urandom)[0])) < 2**62
