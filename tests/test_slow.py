"""Longer checks: wider grids, larger sizes, threads."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet import divergence
from discreet.divergence import sensitivity
from discreet.divergence.sensitivity import DISTANCES, KINDS
from discreet.exact import balls, compositions
from discreet.exact.balls import ball
from tests.divergence.test_sensitivity import brute_local, brute_smooth
from tests.families.dirichlet.test_papers import float_loss

pytestmark = pytest.mark.slow


def test_divergences_over_the_whole_range(rng: np.random.Generator) -> None:
    """2,000 pairs of vectors with parameters from 1e-3 to 1e12, a quarter of them neighbours."""
    for trial in range(2000):
        k = 2 + trial % 4
        a = 10 ** rng.uniform(-3, 12, k)
        b = 10 ** rng.uniform(-3, 12, k) if trial % 4 else a + np.eye(k)[0]
        if trial % 4 == 1:
            b = a * (1 + rng.uniform(-1, 1, k) * 10 ** rng.uniform(-12, -1))
        b = np.clip(b, 1e-3, 1e12)
        exact_a, exact_b = ([Fraction(x) for x in v] for v in (a.tolist(), b.tolist()))
        for function, enclosure in (
            (dp.hellinger, divergence.hellinger_ball),
            (dp.kl, divergence.kl_ball),
        ):
            truth = balls.nearest(partial(enclosure, exact_a, exact_b))
            assert function(a, b) == pytest.approx(truth, rel=1e-9, abs=0)
        if k == 2 and trial % 8 == 0:
            truth = balls.nearest(partial(divergence.total_variation_ball, exact_a, exact_b))
            assert dp.total_variation(a, b) == pytest.approx(truth, rel=1e-9, abs=0)


def test_sensitivities_on_every_small_case() -> None:
    """Two, three and four categories, all counts, zeros and n = 1 included."""
    cases = 0
    for k, most in ((2, 12), (3, 7), (4, 5)):
        priors = [(1,) * k, (0.5,) * k, (0.001,) * k, (5, 1, 0.1, 30)[:k], (0.01, 3, 0.2, 0.2)[:k]]
        for n, values in itertools.product(range(1, most + 1), priors):
            prior = tuple(Fraction(str(value)) for value in values)
            for distance in DISTANCES if k == 2 else DISTANCES[:1]:
                local = brute_local(prior, n, distance)
                for gamma, kind in itertools.product(map(Fraction, ("1/20", "1", "5")), KINDS):
                    rate = partial(ball, gamma)
                    for c in local:
                        with balls.precision(128):
                            value = sensitivity.smooth(prior, c, rate, kind, distance)
                        expected = brute_smooth(local, c, float(gamma), kind)
                        assert float(value.mid()) == pytest.approx(expected, rel=1e-12)
                        cases += 1
    assert cases > 10_000


@pytest.mark.parametrize(
    ("n", "prior", "name", "expected"),
    [
        (600, 1, "ehd", 0.506),
        (600, 1, "ehdl", 0.899),
        (600, 1, "ehds", 0.439),
        (1000, 1, "ehd", 0.504),
        (1000, 1, "ehdl", 0.908),
        (1000, 1, "ehds", 0.443),
        (600, 0.1, "ehdl", 1.053),
    ],
)
def test_losses_at_larger_n(n: int, prior: float, name: str, expected: float) -> None:
    made = dp.mechanism(name, dp.BetaBinomial(prior), n=n, epsilon=1)
    assert float_loss(made, n)[0] == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(
    ("name", "expected"), [("ls_dim", 0.971), ("ls_hist", 0.478), ("lattice", 0.320)]
)
def test_mean_error_of_ten_bins(name: str, expected: float, rng: np.random.Generator) -> None:
    """Ten bins of 60 at ε = 1: too many outcomes to list, so 20,000 draws."""
    made = dp.mechanism(name, dp.DirichletMultinomial(range(10)), n=600, epsilon=1)
    draws = np.asarray(made.law((60,) * 10).sample(20_000, rng))
    distance = np.asarray(dp.hellinger(draws + 1.0, np.full(10, 61.0)))
    error = 6 * distance.std() / math.sqrt(len(draws))
    assert distance.mean() == pytest.approx(expected, abs=error + 6e-4)


@pytest.mark.parametrize("counts", [(150,) * 4, (3333, 3333, 3333)])
def test_fifty_million_candidates(counts: tuple[int, ...]) -> None:
    """36 and 50 million candidates: by enumeration in blocks."""
    model = dp.DirichletMultinomial(range(len(counts)))
    made = dp.mechanism("ehds", model, n=sum(counts), epsilon=5)
    assert made.law(counts).candidates == compositions.count(sum(counts), len(counts))
    assert sum(dp.release(counts, model, 5, mechanism="ehds").value) == sum(counts)


@pytest.mark.parametrize("prior", [1e-9, 0.001, 1, (1e-3, 1e12), 1e12])
def test_total_variation_at_its_largest(prior: Any, rng: np.random.Generator) -> None:
    n = 10**12
    for ones in (0, 1, 10**6, n // 2, n):
        for epsilon in (1e-6, 50):
            made = dp.mechanism(
                "ehds", dp.BetaBinomial(prior), n=n, epsilon=epsilon, distance="total_variation"
            )
            assert sum(made.law((ones, n - ones)).sample(rng=rng)) == n
    with pytest.raises(dp.InputError, match="n must be at most 1e12"):
        dp.mechanism("ehds", dp.BetaBinomial(prior), n=n + 1, epsilon=1, distance="total_variation")


def test_threads_do_not_disturb_each_other() -> None:
    """Balls share flint's working precision; releases in threads equal releases in a row."""
    model = dp.DirichletMultinomial(range(3))

    def simulate(seed: int) -> object:
        name = ("ehds", "lattice", "ehd", "ls_hist")[seed % 4]
        counts = (seed + 5, 2 * seed, 40)
        return dp.release(counts, model, 1, name, rng=np.random.default_rng(seed)).value

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(simulate, range(200)))
    assert together == [simulate(seed) for seed in range(200)]
