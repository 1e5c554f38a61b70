"""The most likely θ: what it costs and how good it is; and P2's score, the mass."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import discreet as dp
from discreet.core.tables import Tables
from discreet.errors import AccuracyWarning
from discreet.exact import balls
from discreet.families.network.mechanisms.map_estimate import by_mass, largest_change
from tests.families.network.networks import CHAIN, FORK, PAIR, exact_loss, tables
from tests.families.network.test_noisy_tables import assert_agreement

ONE = dp.BayesNet({}, {"a": (0, 1)})


def ones(count: int, n: int) -> Tables:
    return Tables((("a",),), ((n - count, count),))


@pytest.mark.parametrize(
    ("n", "error"), [(10**2, 0.048), (10**3, 0.0147), (10**4, 0.0046), (10**6, 0.00046)]
)
def test_it_learns(n: int, error: float, rng: np.random.Generator) -> None:
    """Root mean squared errors of θ = 0.3 at ε = 1, within 4 %: five standard deviations."""
    size = 8000
    made = dp.mechanism("map", ONE, n, epsilon=1)
    noise = made.raw_law(ones(0, n)).sample(size, rng)[:, 1]
    raw = rng.binomial(n, 0.3, size) + noise
    found = made.make_released(np.stack([n - raw, raw], axis=1))[:, 1].astype(float)
    assert np.sqrt(((found - 0.3) ** 2).mean()) == pytest.approx(error, rel=0.04)


def likelihood(theta: Any, parameters: Any) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = (parameters - 1) * np.log(theta)
    return float(np.where(parameters == 1, 0, logs).sum())


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([1, 1.5, 4]))
def test_it_is_the_mode_of_tables_that_agree(seed: int, prior: float) -> None:
    """No θ is more likely given the tables that `lattice` releases from the same draw."""
    rng = np.random.default_rng(seed)
    net = dp.BayesNet(CHAIN.parents, CHAIN.states, prior)
    counted = tables(net, [(0, 1, "x"), (1, 1, "z"), (1, 0, "x")] * 9)
    lattice = dp.mechanism("lattice", net, 27, epsilon=2, shares="sizes", reconcile=None)
    raw = lattice.raw_law(counted).sample(rng=rng)
    near = lattice.postprocess(raw)
    assert_agreement(net, near)
    found = dp.mechanism("map", net, 27, epsilon=2).postprocess(raw)
    sizes = [f.shape[-1] for f in net.families for _ in range(f.rows)]
    assert sum(sizes) == len(found)
    for end, k in zip(np.cumsum(sizes), sizes, strict=True):
        theta = np.array(found[end - k : end], dtype=float)
        assert sum(found[end - k : end]) == 1
        parameters = prior + np.maximum(np.array(near[end - k : end], dtype=float), 0)
        best = likelihood(theta, parameters)
        for other in rng.dirichlet(np.ones(k), 30):
            mixed = 0.9 * theta + 0.1 * other
            assert likelihood(mixed, parameters) <= best + 1e-9


def test_where_the_mode_is_not_one_point() -> None:
    """Without records, or where the prior falls everywhere, it is the mean."""
    for prior, mean in ((1, 1 / 2), (0.25, 1 / 2), ((2, 3), 1 / 3), ((0.25, 0.5), 1 / 3)):
        net = dp.BayesNet({}, {"a": (0, 1)}, {"a": prior} if isinstance(prior, tuple) else prior)
        assert float(dp.mechanism("map", net, 0, epsilon=1).postprocess((0, 0))[0]) == mean


def test_the_score_is_stated_and_the_mass_is_warned_of(tmp_path: Any) -> None:
    counted = ones(30, 100)
    made = dp.release(counted, ONE, 1, "map")
    assert dict(made.config.options) == {"score": "distance"}
    assert dp.Release.from_json(made.to_json()) == made
    with pytest.warns(AccuracyWarning, match="learns next to nothing"):
        old = dp.release(counted, ONE, 1, "map", score="mass")
    assert dict(old.config.options) == {"points": 10}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dp.Release.from_json(old.to_json()) == old
    with pytest.raises(dp.InputError, match="points is for score 'mass'"):
        dp.mechanism("map", ONE, 3, epsilon=1, points=10)
    with pytest.raises(dp.InputError, match="score must be one of"):
        dp.mechanism("map", ONE, 3, epsilon=1, score="density")
    for points in (1, 102, 2.5):
        with pytest.raises(dp.InputError, match="points must"):
            by_mass(CHAIN, 3, Fraction(1), points=points)
    for score in ("mass", "distance"):  # neither reads what the other one wrote
        edited = (
            (old if score == "distance" else made)
            .to_json()
            .replace('"options": {', f'"options": {{"score": "{score}", ', 1)
        )
        with pytest.raises(dp.DocumentError):
            dp.Release.from_json(edited)


# A record makes one row of every child even and leaves the other even by going away.
_ROWS = [(1, 1), (1, 2)]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_the_exact_loss_by_mass(n: int, epsilon: Fraction) -> None:
    for net in (PAIR, FORK):
        made = by_mass(net, n, epsilon)
        audit = dp.audit(made)
        assert audit.epsilon_lower <= audit.epsilon <= epsilon
        assert exact_loss(net, made, n) == pytest.approx(audit.epsilon, rel=1e-9)


def test_half_the_noise_by_mass_is_caught() -> None:
    prior: Any = {"a": (2, 1), "b": _ROWS, "c": _ROWS}
    net = dp.BayesNet(FORK.parents, FORK.states, prior)
    made, louder = (by_mass(net, 1, Fraction(e), points=2) for e in (50, 100))
    assert 0.55 <= exact_loss(net, made, 1) / 50 <= 1
    assert exact_loss(net, replace(made, make_raw_law=louder.make_raw_law), 1) > 52.5


def by_mass_released(counted: Tables, net: dp.BayesNet, epsilon: int, points: int) -> Any:
    with pytest.warns(AccuracyWarning):
        return dp.release(counted, net, epsilon, "map", score="mass", points=points)


@pytest.mark.parametrize("a", [0.01, 0.5, 1, 3, 40])
def test_what_a_record_changes_in_a_mass(a: float) -> None:
    """The bound is the total variation of gamma laws, and holds for Beta laws with any b."""
    bound = float(largest_change(Fraction(str(a))).mid())
    x = np.linspace(0, 4 * a + 40, 400_001)
    moved = np.abs(stats.gamma(a).cdf(x) - stats.gamma(a + 1).cdf(x)).max()
    assert bound == pytest.approx(moved, rel=1e-4)
    for more, b in itertools.product((0, 0.3, 2, 50), (0.01, 1, 7, 1000)):
        grid = np.linspace(0, 1, 20_001)
        shares = [stats.beta(a + more + step, b).cdf(grid) for step in (0, 1)]
        assert np.abs(shares[0] - shares[1]).max() <= bound + 1e-12
    assert bound <= 1


def test_the_chosen_point_is_likely() -> None:
    """At a large ε the released θ is the cell with the largest mass."""
    counted = tables(PAIR, [(0, 1)] * 70 + [(1, 1)] * 25 + [(1, 0)] * 5)
    made = by_mass_released(counted, PAIR, 10**4, points=100)
    assert made.posterior.samples == 1
    assert made.posterior.mean("a")[0] == pytest.approx([0.7, 0.3], abs=0.011)
    assert made.posterior.mean("b")[1] == pytest.approx([5 / 30, 25 / 30], abs=0.02)
    assert all(200 % Fraction(x).denominator == 0 for x in made.value)
    assert (made.posterior.interval("a")[..., 0] == made.posterior.mean("a")).all()


def test_a_wide_grid_covers_the_simplex() -> None:
    made = by_mass_released(tables(CHAIN, []), CHAIN, 1, points=2)
    assert set(map(Fraction, made.value)) <= {
        Fraction(1, 4),
        Fraction(3, 4),
        Fraction(3, 16),
        Fraction(9, 16),
        Fraction(1, 16),
    }
    assert balls.rounded_down(lambda: largest_change(Fraction(1))) < Fraction(37, 100)


@pytest.mark.parametrize("c", [1, 3])
def test_no_float_decides_whether_map_can_be_drawn(c: int) -> None:
    """Huge exponents and parameters, where float masses err by more than the weights differ."""
    net = dp.BayesNet({}, {"x": ("a", "b")}, prior=1e8)
    made = by_mass(net, 1000, Fraction(10**6), points=10)
    law = made.raw_law(Tables((("x",),), ((c, 1000 - c),)))
    assert len(np.asarray(law.sample(5))) == 5
