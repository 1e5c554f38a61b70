from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Ints
from discreet.laws.mapped import MappedLaw
from discreet.laws.noise import NoiseLaw
from discreet.laws.table import TableLaw
from tests.statistics import pearson


def halved(rows: Ints) -> Ints:
    ones = rows[:, 0] // 3
    return np.column_stack([ones, 9 - ones])


@pytest.mark.parametrize("unit", [1, 10**17, 10**30])
def test_a_table_is_drawn_as_it_says(unit: int, rng: np.random.Generator) -> None:
    law = TableLaw(3, 2, (unit, 2 * unit, 0, 7 * unit))
    assert law.probability((2, 1)) == 0
    assert law.probability((3, 0)) == pytest.approx(0.7)
    assert law.support.tolist() == [[0, 3], [1, 2], [3, 0]]
    assert law.candidates == 3
    assert np.exp(law.log_p).tolist() == pytest.approx([0.1, 0.2, 0.7])
    draws = law.sample(20_000, rng)[:, 0]
    observed = np.bincount(draws, minlength=4)
    assert observed[2] == 0
    statistic, limit = pearson(observed[[0, 1, 3]], np.array([0.1, 0.2, 0.7]))
    assert statistic < limit
    assert pearson(observed[[0, 1, 3]], np.array([0.12, 0.2, 0.68]))[0] > limit


def test_a_mapped_law_sums_what_leads_to_an_outcome(rng: np.random.Generator) -> None:
    base = NoiseLaw((4,), Fraction(1, 2), "two-sided", 0, 9, 9)
    law = MappedLaw(base, halved)
    p = np.exp(base.log_p)
    expected = np.bincount(np.arange(10) // 3, weights=p).astype(np.float64)
    assert law.support.tolist() == [[0, 9], [1, 8], [2, 7], [3, 6]]
    assert np.exp(law.log_p) == pytest.approx(expected, rel=1e-12)
    for outcome, value in zip(law.support, expected, strict=True):
        assert law.probability(outcome) == pytest.approx(value, rel=1e-12)
    bounded, error = law.bounded_log_p()
    assert error < 1e-12
    assert np.abs(bounded - np.log(expected)).max() < 1e-12
    assert law.probability((9, 0)) == 0
    observed = np.bincount(law.sample(20_000, rng)[:, 0], minlength=4)
    statistic, limit = pearson(observed, expected)
    assert statistic < limit


def test_far_outcomes_of_a_mapped_law_keep_their_digits() -> None:
    base = NoiseLaw((0,), Fraction(40), "two-sided", 0, 90, 90)
    law = MappedLaw(base, halved)
    bounded, error = law.bounded_log_p()
    assert bounded[-1] == pytest.approx(-40 * 90, abs=1)  # e^-3600 is no float
    assert error < 1e-10
