"""Likely outcomes, prior predictive strata, and distances to many posteriors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet import divergence
from discreet.divergence.shifts import shift_hellinger, shift_kl, shift_l1
from discreet.exact import balls, compositions
from discreet.laws import predictive
from discreet.laws.noise import NoiseLaw
from discreet.laws.windows import likely, noise, reach

BETA = dp.BetaBinomial()
THREE = dp.DirichletMultinomial(("a", "b", "c"))


@pytest.mark.parametrize("shape", ["two-sided", "floored"])
@pytest.mark.parametrize("rate", ["0.01", "0.7", "30"])
@pytest.mark.parametrize(("low", "center", "high"), [(0, 3, 9), (0, 0, 9), (0, 9, 9), (0, 0, 0)])
def test_noise_is_the_clamped_law(shape: str, rate: str, low: int, center: int, high: int) -> None:
    law = NoiseLaw((center,), Fraction(rate), shape, low, high)  # type: ignore[arg-type]
    values, p = noise(float(rate), shape, center - low, high - center)
    assert (values + center).tolist() == law.support[:, 0].tolist()
    if high > low:
        assert p == pytest.approx(np.exp(law.log_p), rel=1e-12)
    assert p.sum() == pytest.approx(1, abs=1e-12)


@given(st.floats(1e-6, 5), st.integers(0, 3000), st.integers(0, 3000), st.integers(1, 40))
def test_runs_keep_probability_and_range(rate: float, below: int, above: int, blocks: int) -> None:
    for shape in ("two-sided", "floored"):
        values, p = noise(rate, shape, below, above, blocks)
        assert p.sum() == pytest.approx(1, abs=1e-12)
        assert len(values) <= 2 * blocks + 3
        assert (np.diff(values) > 0).all()
        assert (values[0], values[-1]) == (-below, above)
        full, q = noise(rate, shape, below, above)
        # every run's middle is within half its length of its members, so means agree so far
        assert abs(values @ p - full @ q) <= max(below, above) / blocks + 1


@pytest.mark.parametrize("name", ["lattice", "ls_dim", "ls_hist"])
@pytest.mark.parametrize("counts", [(40, 60), (0, 100), (30, 30, 40), (100, 0, 0)])
def test_a_window_has_what_the_list_has(name: str, counts: tuple[int, ...]) -> None:
    model = dp.DirichletMultinomial(tuple("abc")[: len(counts)])
    law = dp.mechanism(name, model, n=100, epsilon=2).law(counts)
    found = likely(law)
    assert found is not None
    listed = dict(zip(map(tuple, law.support.tolist()), np.exp(law.log_p).tolist(), strict=True))
    near = dict(zip(map(tuple, found[0].tolist()), found[1].tolist(), strict=True))
    # what lies beyond the window is counted at its end
    assert all(near[row] == pytest.approx(listed[row], rel=1e-9, abs=1e-14) for row in near)
    assert sum(near.values()) == pytest.approx(1, abs=1e-12)


def test_too_many_outcomes() -> None:
    assert likely(dp.mechanism("ehd", BETA, n=10**7, epsilon=1).law((0, 10**7))) is None
    assert likely(dp.mechanism("lattice", THREE, n=10**7, epsilon=0.001).law((0, 0, 10**7))) is None
    assert likely(dp.mechanism("ls_dim", THREE, n=10**7, epsilon=0.001).law((0, 0, 10**7))) is None
    raw = dp.mechanism("lattice", THREE, n=9, epsilon=1, postprocess=None).law((3, 3, 3))
    assert likely(raw) is None
    assert reach(1.0, 1e-10) == 25


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 2), (0.05, 0.05), (30, 3)])
def test_prior_predictive_probabilities(prior: tuple[float, float]) -> None:
    model = dp.BetaBinomial(prior=prior)
    rows = compositions.rows(30, 2)
    expected = model.posterior((0, 0)).predictive_counts(30).pmf(rows)
    assert predictive.probabilities(rows, model.prior) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 2), (0.05, 0.05), (30, 3)])
@pytest.mark.parametrize("n", [500, 10_000])
def test_strata_stand_for_all_counts(prior: tuple[float, float], n: int) -> None:
    model = dp.BetaBinomial(prior=prior)
    every = compositions.rows(n, 2)
    p = predictive.probabilities(every, model.prior)
    rows, weights = predictive.strata(model.prior, n, 128)
    assert weights.sum() == pytest.approx(1)
    assert (rows.sum(axis=1) == n).all()
    assert len(rows) < 160
    functions: list[Callable[[Any], Any]] = [
        lambda c: 1 / np.sqrt(c + 1.0),
        lambda c: c == 0,
        lambda c: np.sqrt(c / n * (1 - c / n)),
    ]
    for f in functions:
        expected = float(f(every[:, 0]) @ p)
        assert float(f(rows[:, 0]) @ weights) == pytest.approx(expected, rel=0.02, abs=2e-4)


def test_strata_of_three_categories() -> None:
    model = dp.DirichletMultinomial(("a", "b", "c"), prior=(0.5, 1, 3))
    every = compositions.rows(60, 3)
    p = predictive.probabilities(every, model.prior)
    rows, weights = predictive.strata(model.prior, 60, 256)
    assert len(rows) == 256
    assert (rows.sum(axis=1) == 60).all()
    assert rows.min() >= 0
    functions: list[Callable[[Any], Any]] = [
        lambda c: 1 / np.sqrt(c + 1.0).sum(axis=1),
        lambda c: c[:, 0] * c[:, 2] / 3600,
    ]
    for f in functions:
        assert f(rows) @ weights == pytest.approx(f(every) @ p, rel=0.02)
    few, exact = predictive.strata(model.prior, 60, 2000)
    assert few.tolist() == every.tolist()
    assert exact == pytest.approx(p)


def test_strata_of_huge_n_are_beta_quantiles() -> None:
    n = 10**15
    rows, weights = predictive.strata((Fraction(2), Fraction(3)), n, 256)
    share = rows[:, 0] / n
    assert share @ weights == pytest.approx(0.4, rel=1e-4)
    assert share**2 @ weights == pytest.approx(0.04 + 0.16, rel=1e-3)


def test_points_are_spread_evenly() -> None:
    points = predictive.spread(4096, 3)
    assert points.mean(axis=0) == pytest.approx([0.5] * 3, abs=2e-3)
    assert (points**2).mean(axis=0) == pytest.approx([1 / 3] * 3, abs=2e-3)
    assert np.histogramdd(points, 4)[0].min() > 48  # 64 each on average
    assert predictive.spread(100, 40).shape == (100, 40)


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.floats(1e-3, 1e3), min_size=k, max_size=k),
            st.lists(st.integers(0, 10**9), min_size=k, max_size=k),
            st.lists(st.integers(-30, 30), min_size=k - 1, max_size=k - 1),
        )
    )
)
def test_shifts_agree_with_balls(
    drawn: tuple[list[float], list[int], list[int]],
) -> None:
    """Relative error at most 1e-9, where totals agree (tables) and where they do not."""
    prior = [Fraction(str(round(a, 3))) for a in drawn[0]]
    counts, change = drawn[1], drawn[2]
    near = [max(c + t, 0) for c, t in zip(counts, [*change, -sum(change)], strict=True)]
    rows = np.array([near, counts, [c + 1 for c in counts]], dtype=np.int64)
    here = [a + c for a, c in zip(prior, counts, strict=True)]
    for row, h, kl, l1 in zip(
        rows.tolist(),
        np.concatenate([shift_hellinger(prior, counts, rows[i : i + 1]) for i in range(3)]),
        shift_kl(prior, counts, rows),
        shift_l1(counts, rows),
        strict=True,
    ):
        there = [a + r for a, r in zip(prior, row, strict=True)]
        assert l1 == sum(abs(r - c) for r, c in zip(row, counts, strict=True))
        if row == counts:
            assert h == kl == 0
            continue
        exact = balls.nearest(partial(divergence.hellinger_ball, here, there))
        assert h == pytest.approx(exact, rel=1e-9)
        assert kl == pytest.approx(
            balls.nearest(partial(divergence.kl_ball, here, there)), rel=1e-9
        )


def test_neighbours_at_sizes_beyond_floats() -> None:
    """At n = 2^60 a count is no longer a float, but a difference of counts is."""
    n = 2**60
    rows = np.array([[n // 2 + t, n // 2 - t] for t in range(-3, 4)])
    found = shift_hellinger((Fraction(1), Fraction(1)), (n // 2, n // 2), rows)
    one = math.sqrt(1 / (2 * n))
    assert found == pytest.approx([abs(t) * one for t in range(-3, 4)], rel=1e-9)
