from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ExactnessError
from discreet.exact import balls
from discreet.exact.shells import _shell_of, _shells, unimodal
from tests.statistics import noncentrality, pearson


@given(st.integers(0, 40), st.integers(0, 40))
def test_shells_partition_the_range(left: int, right: int) -> None:
    mode, low, high = left, 0, left + right
    points: dict[int, int] = {}
    for index, (edge, size) in enumerate(_shells(mode, low, high)):
        for offset in range(size):
            point = edge + offset if edge >= mode else edge - offset
            assert point not in points
            assert abs(point - mode) >= abs(edge - mode)
            points[point] = index
    assert sorted(points) == list(range(low, high + 1))
    for point, index in points.items():
        assert _shell_of(point - mode, high - mode) == index


@pytest.mark.parametrize(
    "mode", [0, pytest.param(3, marks=pytest.mark.slow), pytest.param(11, marks=pytest.mark.slow)]
)
def test_the_law_is_right_and_a_steeper_one_is_rejected(
    mode: int, rng: np.random.Generator
) -> None:
    t = np.arange(12)
    draws = unimodal(
        mode,
        0,
        11,
        lambda x: -arb(abs(x - mode)).sqrt(),
        100_000,
        rng.bytes,
    )
    observed = np.bincount(draws, minlength=12)

    def law(scale: float) -> np.ndarray:
        weights = np.exp(-scale * np.sqrt(np.abs(t - mode)))
        return np.asarray(weights / weights.sum())

    statistic, limit = pearson(observed, law(1.0))
    assert statistic < limit
    assert noncentrality(law(1.0), law(1.25), 100_000) > 150
    assert pearson(observed, law(1.25))[0] > limit


def test_a_weight_that_rises_is_noticed(rng: np.random.Generator) -> None:
    with pytest.raises(ExactnessError):
        unimodal(0, 0, 100, lambda x: -arb(abs(x - 37)), 1000, rng.bytes)


def test_a_weight_known_only_at_high_precision(rng: np.random.Generator) -> None:
    """Undecided and infinite enclosures are refined, not trusted."""

    def log_weight(x: int) -> arb:
        if x and balls.working_bits() < 200:
            return arb.nan() if x % 2 else arb(-x, 5)
        return -arb(x)

    draws = unimodal(0, 0, 9, log_weight, 20_000, rng.bytes)
    p = np.exp(-np.arange(10.0))
    statistic, limit = pearson(np.bincount(draws, minlength=10), p / p.sum())
    assert statistic < limit
