"""Binomial numbers: trial by trial, from their law, and mixed; and an even spread."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from discreet.exact import binomial
from discreet.exact.balls import ball
from tests.statistics import pearson

ODDS = partial(ball, Fraction(3, 7))


def fits(drawn: np.ndarray, law: np.ndarray) -> bool:
    """Values with few expected draws belong together."""
    observed = np.bincount(drawn, minlength=len(law))
    common = law * len(drawn) > 5
    joined = np.append(observed[common], observed[~common].sum())
    p = np.append(law[common], law[~common].sum())
    assert (joined[p == 0] == 0).all()
    statistic, limit = pearson(joined[p > 0], p[p > 0])
    return statistic < limit


@pytest.mark.parametrize(("few", "near"), [(1000, 1 << 14), (3, 1 << 14), (3, 4)])
def test_draws_have_their_law(
    few: int, near: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever share of the trials is drawn at once; a p that is 0.02 larger is rejected."""
    monkeypatch.setattr(binomial, "_FEW", few)
    monkeypatch.setattr(binomial, "_NEAR", near)
    trials = np.tile([30, 0, 7, 19], 20_000)
    drawn = binomial.binomial(ODDS, trials, rng.bytes)
    assert (drawn[trials == 0] == 0).all()
    for number in (7, 19, 30):
        law, wrong = (stats.binom.pmf(np.arange(number + 1), number, p) for p in (0.3, 0.32))
        ours = drawn[trials == number]
        assert fits(ours, law)
        assert not fits(ours, wrong)


@pytest.mark.parametrize("odds", [Fraction(1), Fraction(1, 10**9), Fraction(10**9), Fraction(2)])
@pytest.mark.parametrize("number", [1001, 10**6 + 1, 2**60])
def test_large_numbers(odds: Fraction, number: int, rng: np.random.Generator) -> None:
    """Modes at the ends and two of them; mean and variance."""
    size = 400
    drawn = binomial.binomial(partial(ball, odds), np.full(size, number), rng.bytes)
    p = odds / (1 + odds)
    assert (drawn >= 0).all()
    assert (drawn <= number).all()
    away = drawn.astype(object) - round(number * p)
    spread = float(number * p * (1 - p)) ** 0.5
    assert abs(float(away.mean())) <= 5.5 * spread / size**0.5 + 1
    if spread > 30:  # nearly normal
        ratio = float((away**2).mean()) / spread**2
        assert stats.chi2.ppf(5e-7, size) < ratio * size < stats.chi2.isf(5e-7, size)


def test_numbers_far_apart(rng: np.random.Generator) -> None:
    trials = np.array([10**12, 5, 10**12 + 3, 0, 10**7, 900])
    drawn = binomial.binomial(partial(ball, Fraction(1)), trials, rng.bytes)
    assert (np.abs(2 * drawn - trials) <= 6 * np.sqrt(trials)).all()


@pytest.mark.parametrize("k", [2, 3, 7])
def test_an_even_spread(k: int, rng: np.random.Generator) -> None:
    records = np.tile([0, 4, 6], 30_000)
    rows = binomial.spread_evenly(k, records, rng.bytes)
    assert rows.shape == (90_000, k)
    assert (rows.sum(axis=1) == records).all()
    for column in rows[records == 6].T:
        assert fits(column, stats.binom.pmf(np.arange(7), 6, 1 / k))
    both = rows[records == 4][:, 0] * 5 + rows[records == 4][:, -1]
    shares = [1 / k, 1 / k, max(1 - 2 / k, 0.0)]
    pairs = [(a, b) for a in range(5) for b in range(5)]
    law = [stats.multinomial.pmf([a, b, max(4 - a - b, 0)], 4, shares) for a, b in pairs]
    assert fits(both, np.nan_to_num(law))
    assert binomial.spread_evenly(1, records[:3], rng.bytes).tolist() == [[0], [4], [6]]
