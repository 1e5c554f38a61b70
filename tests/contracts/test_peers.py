"""Where other libraries are known to fail: each weakness as a test of ours."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import discreet as dp
from discreet.exact import balls, draw

BETA = dp.BetaBinomial()


def test_outputs_are_integers_whatever_the_input(rng: np.random.Generator) -> None:
    """A float Laplace leaks which input it had through the outputs it cannot represent."""
    made = dp.mechanism("lattice", BETA, n=1, epsilon=1, postprocess=None)
    here, there = (
        set(np.asarray(made.law(c).sample(20_000, rng))[:, 0].tolist()) for c in ((1, 0), (0, 1))
    )
    near = set(range(-7, 9))
    assert near <= here
    assert near <= there  # no output is possible for one input and impossible for the other


def test_no_weight_underflows_to_zero(rng: np.random.Generator) -> None:
    """Utilities far apart: the float weight is 0, the exact law still gives it its probability."""
    made = dp.mechanism("ehdl", BETA, n=10**9, epsilon=10**6)
    law = made.law((5 * 10**8, 5 * 10**8))
    with balls.precision(128):
        log_weight = law.log_weight((0, 10**9))
    assert -math.inf < float(log_weight.mid()) < -(10**9)
    assert math.exp(float(log_weight.mid())) == 0.0
    draw = law.sample(rng=rng)
    assert isinstance(draw, tuple)
    assert sum(draw) == 10**9


def test_listed_probabilities_are_never_nan() -> None:
    for epsilon in (1e-6, 50, 10**6):
        for name in ("ehd", "ehdl", "ehds"):
            log_p = dp.mechanism(name, BETA, n=74, epsilon=epsilon).law((74, 0)).log_p
            assert np.isfinite(log_p).all()
            assert abs(np.exp(log_p).sum() - 1) < 1e-12


def test_counts_of_2_to_the_60_keep_their_last_digit(rng: np.random.Generator) -> None:
    n = 2**60 + 1
    law = dp.mechanism("lattice", BETA, n=n, epsilon=50).law((n, 0))
    assert law.sample(rng=rng) == (n, 0)
    draws = dp.mechanism("lattice", BETA, n=n, epsilon=1).law((2**59, n - 2**59))
    odd = np.asarray(draws.sample(2000, rng))[:, 0] & 1
    assert 0.3 < odd.mean() < 0.7


def test_the_noise_has_no_bounded_range() -> None:
    """One inverse CDF from 53 bits ends near |36| at ε = 1; ours goes on, given such bits."""

    def zeros_then_ones(first: int) -> draw.Source:
        asked = 0

        def source(size: int) -> bytes:
            nonlocal asked
            asked += size
            return (b"\x00" if asked <= first else b"\xff") * size

        return source

    # every digit of the geometric number one, and its tail as well
    assert draw.geometric(Fraction(1), 1, zeros_then_ones(120))[0] >= 64
    raw = dp.mechanism("lattice", BETA, n=9, epsilon=1).raw_law((4, 5))
    assert raw.probability((2004, -1995)) == 0.0  # in floats; as a ball it is positive
    with balls.precision(128):
        assert raw.log_weight((2004, -1995)) > -2001
