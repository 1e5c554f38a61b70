from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import balls, floats


def off(values: np.ndarray, truths: list[arb]) -> float:
    """The largest relative distance, rounded up."""
    with balls.precision(160):
        return max(
            float(abs(arb(value) / truth - 1).upper())
            for value, truth in zip(values.tolist(), truths, strict=True)
        )


def test_exp_is_within_its_bound(rng: np.random.Generator) -> None:
    x = np.concatenate(
        [rng.uniform(-700, 700, 4000), -(10.0 ** rng.uniform(-300, 2, 2000)), [0.0, -700.0]]
    )
    halves = np.arange(-40, 40) * math.log(2) / 2  # where the reduction changes
    x = np.concatenate([x, halves, np.nextafter(halves, 1), np.nextafter(halves, -1)])
    with balls.precision(160):
        truths = [arb(value).exp() for value in x.tolist()]
    worst = off(floats.exp(x), truths)
    assert worst <= floats.EXP_ERROR
    assert worst > floats.EXP_ERROR / 100
    assert floats.exp(np.array([-math.inf, -701.0])).tolist() == [0.0, 0.0]


def test_decay_is_within_its_bound(rng: np.random.Generator) -> None:
    x = np.concatenate([10.0 ** rng.uniform(-300, 2.8, 6000), np.nextafter(0.35, [0, 1]), [0.35]])
    with balls.precision(160):
        truths = [-((-arb(value)).expm1()) for value in x.tolist()]
    assert off(floats.decay(x), truths) <= floats.DECAY_ERROR
    assert floats.decay(np.zeros(1))[0] == 0


def test_log_is_within_its_bound(rng: np.random.Generator) -> None:
    x = np.concatenate([10.0 ** rng.uniform(-300, 300, 3000), [1.0, 1e-300, 1e300]])
    values, error = floats.log(x)
    with balls.precision(160):
        for value, point in zip(values.tolist(), x.tolist(), strict=True):
            assert abs(arb(value) - arb(point).log()) <= error
    assert error < 1e-12


@given(st.lists(st.floats(-600, 0), min_size=1, max_size=200))
def test_log_of_sum_is_within_its_bound(logs: list[float]) -> None:
    value, error = floats.log_of_sum(floats.exp(np.array(logs)), floats.EXP_ERROR)
    with balls.precision(160):
        truth = sum((arb(x).exp() for x in logs), arb(0)).log()
        assert abs(arb(value) - truth) <= error
    assert error < 1e-11 * max(1, abs(value))


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_two_sum_loses_nothing(a: float, b: float) -> None:
    total, lost = floats.two_sum(np.array([a]), np.array([b]))
    assert Fraction(a) + Fraction(b) == Fraction(total[0]) + Fraction(lost[0])
