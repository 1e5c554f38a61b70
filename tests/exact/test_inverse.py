"""Continuous draws by the inverse of a distribution function, in balls."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.exact.inverse import beta_between, inverse, rounded, tail_mass, uniform

PARAMETERS = st.floats(0.05, 20_000).map(lambda x: Fraction(repr(x)))


def test_uniform_numbers_keep_their_bits() -> None:
    source = np.random.default_rng(1).bytes
    u = uniform(source)
    with balls.precision(64):
        first = u()
    with balls.precision(300):
        second = u()
    assert first.contains(second)
    assert second.rad() < arb(2) ** -290
    drawn = [float(uniform(source)().mid()) for _ in range(2000)]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-6


@settings(deadline=None, max_examples=80)
@given(PARAMETERS, PARAMETERS, st.floats(0.001, 1))
def test_tail_mass_is_the_incomplete_beta(a: Fraction, b: Fraction, share: float) -> None:
    """Against arb's own, for the tail below the mean."""
    with balls.precision(128):
        x = ball(Fraction(share) * a / (a + b))
        mine, theirs = tail_mass(x, ball(a), ball(b)), x.beta_lower(ball(a), ball(b))
        assert mine.overlaps(theirs)
        assert mine.rel_accuracy_bits() > 60


@settings(deadline=None, max_examples=60)
@given(PARAMETERS, PARAMETERS, st.floats(0.001, 0.49), st.integers(1, 2**32 - 1))
def test_the_root_is_enclosed(a: Fraction, b: Fraction, limit: float, word: int) -> None:
    """Against scipy where floats know better than 1e-9, and by the function itself elsewhere."""
    low, high = partial(ball, Fraction(limit)), partial(ball, 1 - Fraction(limit))
    law = beta_between(a, b, low, high)
    u = Fraction(word, 2**32)
    root = inverse(law, partial(ball, u))
    with balls.precision(128):
        x = root()
        assert x.rad() < 1e-12
        assert law.share(x.lower()) < ball(u) < law.share(x.upper())
        mass = float(law.mass().mid())
    if mass > 1e-3:
        beta = stats.beta(float(a), float(b))
        expected = (beta.cdf(float(x.mid())) - beta.cdf(limit)) / (
            beta.cdf(1 - limit) - beta.cdf(limit)
        )
        assert expected == pytest.approx(float(u), abs=1e-6)


def test_rounding_is_decided_however_near() -> None:
    step = Fraction(1, 2 * 10**6)
    for tiny in (Fraction(1, 10**60), -Fraction(1, 10**60)):
        real = partial(ball, Fraction(3, 10**6) + step + tiny)
        assert rounded(real, 10**6) == (4 if tiny > 0 else 3)


def test_sharp_laws_far_in_a_tail() -> None:
    """A range that the law itself hits with probability e^{−10^6}."""
    low, high = partial(ball, Fraction(49, 100)), partial(ball, Fraction(51, 100))
    law = beta_between(Fraction(3_000_000), Fraction(20), low, high)
    x = inverse(law, partial(ball, Fraction(1, 2)))()
    assert float(law.mass().mid()) == 0
    # near the upper end the density grows like e^{λx}, and half the mass is within log 2/λ
    slope = 3_000_000 / 0.51
    assert float((ball(Fraction(51, 100)) - x).mid()) == pytest.approx(
        math.log(2) / slope, rel=1e-3
    )
