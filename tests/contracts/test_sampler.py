"""Every mechanism's exact sampler against its own law, and against a wrong one.

200,000 draws, at most 40 bins by Hellinger distance from the truth, false-alarm rate 1e-6. At the
stated counts and epsilon the law at 1.25·epsilon has non-centrality at least 150, so it has to be
rejected, and is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import discreet as dp
from tests.statistics import bins_by, noncentrality, pearson

SIZE = 200_000
COUNTS = {2: (17, 33), 3: (11, 7, 2), 4: (6, 3, 3, 0)}
EPSILON = {
    "ls_dim": 1,
    "ls_hist": 1,
    "ehd": 8,
    "ehdl": 3,
    "ehds": 8,
    "smooth_hellinger": 6,
    "lattice": 1,
    "optimal": 1,
    "randomized_response": 2,
}
SMALLER = {"optimal": {3: (5, 3, 1), 4: (4, 2, 1, 0)}}  # a linear program
OPTIONS: dict[str, dict[str, Any]] = {
    "smooth_hellinger": {"delta": 0.1},
    "randomized_response": {"postprocess": None},  # what is made of it depends on epsilon too
}


UNLISTED = {"gaussian"}  # its draws are tested with the discrete Gaussian's


def test_no_mechanism_escapes() -> None:
    assert EPSILON.keys() | UNLISTED == dp.MECHANISMS.keys()


SLOW = ("ehd", "ehdl", "smooth_hellinger")  # drawn like ehds


@pytest.mark.parametrize("k", COUNTS)
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in EPSILON],
)
def test_draws_follow_the_law(name: str, k: int, rng: np.random.Generator) -> None:
    counts = (COUNTS | SMALLER.get(name, {}))[k]
    check_draws(name, counts, OPTIONS.get(name, {}), rng)


@pytest.mark.parametrize("k", [2, 3])
def test_draws_of_a_remapped_lattice(k: int, rng: np.random.Generator) -> None:
    check_draws("lattice", COUNTS[k], {"postprocess": "remap"}, rng)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ehd", "ehdl", "ehds", "smooth_hellinger"])
def test_draws_in_total_variation(name: str, rng: np.random.Generator) -> None:
    check_draws(name, COUNTS[2], OPTIONS.get(name, {}) | {"distance": "total_variation"}, rng)


@pytest.mark.parametrize("k", [3, 4])
def test_draws_of_a_clipped_lattice(k: int, rng: np.random.Generator) -> None:
    check_draws("lattice", COUNTS[k], {"postprocess": "clip"}, rng)


@pytest.mark.parametrize("gamma", [0.2, 4])
def test_draws_for_other_gammas(gamma: float, rng: np.random.Generator) -> None:
    check_draws("ehds", COUNTS[3], {"gamma": gamma}, rng)


def check_draws(
    name: str, counts: tuple[int, ...], options: dict[str, Any], rng: np.random.Generator
) -> None:
    model = dp.DirichletMultinomial(range(len(counts)))
    n, epsilon = sum(counts), EPSILON[name]
    law = dp.mechanism(name, model, n=n, epsilon=epsilon, **options).law(counts)
    steeper = dp.mechanism(name, model, n=n, epsilon=1.25 * epsilon, **options).law(counts)
    p = np.exp(law.log_p)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    bins = bins_by(np.asarray(dp.hellinger(law.support + 1.0, np.array(counts) + 1.0)), p, 40)
    where = dict(zip(map(tuple, law.support.tolist()), bins, strict=True))
    truth = np.bincount(bins, weights=p).astype(np.float64)
    wrong = np.zeros_like(truth)
    for outcome, log_p in zip(map(tuple, steeper.support.tolist()), steeper.log_p, strict=True):
        wrong[where.get(outcome, 0)] += np.exp(log_p)

    draws = np.asarray(law.sample(SIZE, rng))
    distinct, times = np.unique(draws, axis=0, return_counts=True)
    observed = np.zeros(len(truth), dtype=np.int64)
    for outcome, count in zip(map(tuple, distinct.tolist()), times, strict=True):
        observed[where[outcome]] += count

    statistic, limit = pearson(observed, truth)
    assert statistic < limit
    assert noncentrality(truth, wrong, SIZE) >= 150
    assert pearson(observed, wrong)[0] > limit
