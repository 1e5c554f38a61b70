"""The best count to release: alone, in a batch, and by brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, NotEnumerable
from discreet.exact import Floats
from discreet.families.dirichlet.optimum import remap, search
from discreet.families.dirichlet.optimum.losses import (
    LOSSES,
    WEIGHTS,
    Problem,
    log_weights,
    loss_matrix,
    problem,
)

ONE = (Fraction(1), Fraction(1))


def brute_force(task: Problem) -> tuple[Floats, float]:
    """Costs w_c·P(z|c)·L(c, r) summed over c, for every clamped z and r; and the least in all."""
    epsilon, c = float(task.epsilon), np.arange(task.n + 1)
    noise = np.exp(-epsilon * np.abs(c[:, None] - c)) * np.tanh(epsilon / 2)
    noise[:, [0, -1]] /= np.tanh(epsilon / 2) * (1 + np.exp(-epsilon))
    np.testing.assert_allclose(noise.sum(axis=1), 1)
    costs = (np.exp(log_weights(task))[:, None] * noise).T @ loss_matrix(task)
    return costs, float(costs.min(axis=1).sum())


@pytest.mark.slow
@given(
    st.sampled_from([ONE, (Fraction(1, 2),) * 2, (Fraction(2), Fraction(5))]),
    st.sampled_from([(Fraction(1, 1000),) * 2, (Fraction(10**6), Fraction(3))]),
    st.booleans(),
    st.integers(1, 100),
    st.sampled_from(["50", "5", "1", "0.1", "0.001"]),
    st.sampled_from(LOSSES),
    st.sampled_from(WEIGHTS),
)
def test_best_ones(
    usual: tuple[Fraction, ...],
    unusual: tuple[Fraction, ...],
    pick: bool,
    n: int,
    epsilon: str,
    loss: str,
    weights: str,
) -> None:
    task = problem(usual if pick else unusual, n, Fraction(epsilon), loss, weights)
    best, losses = search.best_ones(task, np.arange(n + 1))
    costs, least = brute_force(task)
    found = costs[np.arange(n + 1), best]
    np.testing.assert_allclose(found, costs.min(axis=1), rtol=1e-8)
    assert (np.diff(best) >= 0).all()
    assert remap.expected_loss(task) == pytest.approx(least, rel=1e-8)
    assert (losses >= 0).all()
    for z in (0, n // 3, n // 2, n):
        assert search.best_ones(task, np.array([z]))[0][0] == best[z]
    few = np.unique([0, n // 5, n // 2, n])
    assert search.best_ones(task, few)[0].tolist() == best[few].tolist()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_far_from_the_ends_nothing_is_moved_at_any_n(loss: str, weights: str) -> None:
    """A flat prior far from the ends: the posterior of c is symmetric around z."""
    for n in (10**6, 10**12):
        task = problem(ONE, n, Fraction(1), loss, weights)
        z = np.array([0, n // 2, n // 2 + 5, n])
        best = search.best_ones(task, z)[0].tolist()
        assert best[1:3] == [n // 2, n // 2 + 5]
        assert best[0] in (0, 1)
        assert best[3] in (n - 1, n)


def test_a_wide_search_is_the_table() -> None:
    """A thousand counts for one z: dropping stretches loses nothing."""
    for prior in (ONE, (Fraction(1, 1000), Fraction(40))):
        for loss in ("hellinger", "squared_error"):
            task = problem(prior, 1500, Fraction("0.005"), loss, "prior_predictive")
            costs, _ = brute_force(task)
            for z in (0, 700, 1499):
                best = int(search.best_ones(task, np.array([z]))[0][0])
                assert costs[z, best] == pytest.approx(costs[z].min(), rel=1e-8)


def test_ties_go_to_the_first() -> None:
    """Symmetric, and torn between both ends: the smaller count."""
    task = problem((Fraction(1, 1000),) * 2, 10, Fraction("0.1"), "hellinger", "prior_predictive")
    assert search.best_ones(task, np.arange(11))[0][5] == 0


def test_sizes_are_refused_by_public_values() -> None:
    task = problem(ONE, 10**9, Fraction("1e-4"), "hellinger", "uniform")
    with pytest.raises(InputError, match=r"800003 counts would be weighed .* at most 100000"):
        remap.require_small(task)
    task = problem(ONE, 10**9, Fraction("0.01"), "total_variation", "uniform")
    with pytest.raises(InputError, match=r"8003 counts would be weighed .* at most 2000"):
        remap.require_small(task)
    remap.require_small(problem(ONE, 10**9, Fraction("0.01"), "hellinger", "uniform"))
    with pytest.raises(NotEnumerable, match="n up to about 2409638 is"):
        remap.expected_loss(problem(ONE, 10**8, Fraction(1), "hellinger", "uniform"))
