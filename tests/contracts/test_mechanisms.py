"""One contract that every public mechanism keeps, over a grid of settings.

It walks `dp.MECHANISMS`: a new mechanism cannot escape it.
"""

from __future__ import annotations

import itertools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import discreet as dp

SETTINGS: list[tuple[int, int, Any, float]] = list(
    itertools.product(
        [2, 3, 5],  # categories
        [0, 1, 7],  # records
        [0.001, 1, 1e6, "jeffreys"],  # prior
        [1e-6, 0.7, 50],  # epsilon
    )
)
OPTIONS: dict[str, dict[str, Any]] = {
    "smooth_hellinger": {"delta": 1e-6, "calibrate": True},
    "gaussian": {"delta": 1e-6},
}


NAMES = [  # where every setting takes an audit, later
    pytest.param(name, marks=[pytest.mark.slow] if name == "smooth_hellinger" else [])
    for name in dp.MECHANISMS
]


def corner_counts(k: int, n: int) -> list[tuple[int, ...]]:
    """All records in one category, in the first or the last, and spread with one category empty."""
    spread = [n // (k - 1)] * (k - 1) + [0]
    spread[0] += n - sum(spread)
    return [(n, *[0] * (k - 1)), (*[0] * (k - 1), n), tuple(spread)]


def settings(name: str) -> list[tuple[int, int, Any, float]]:
    """All; where every one takes an audit, those with many categories for one prior."""
    if name != "smooth_hellinger":
        return SETTINGS
    return [s for s in SETTINGS if s[0] < 5 or s[2:] == (1, 0.7)]


@pytest.mark.parametrize("name", NAMES)
def test_laws_and_draws(name: str, rng: np.random.Generator) -> None:
    for k, n, prior, epsilon in settings(name):
        model = dp.DirichletMultinomial(range(k), prior=prior)
        made = dp.mechanism(name, model, n=n, epsilon=epsilon, **OPTIONS.get(name, {}))
        for counts in corner_counts(k, n):
            law, raw_law = made.law(counts), made.raw_law(counts)
            try:
                support, log_p = law.support, law.log_p
            except dp.NotEnumerable:
                assert name == "gaussian" or (name == "lattice" and k > 2)
            else:
                assert support.shape == (len(log_p), k)
                assert np.issubdtype(support.dtype, np.integer)
                assert abs(np.exp(log_p).sum() - 1) <= 1e-12
                assert len(np.unique(support, axis=0)) == len(support)
                index = int(log_p.argmax())
                assert law.probability(support[index]) == pytest.approx(
                    math.exp(log_p[index]), rel=1e-9
                )
                draw = law.sample(rng=rng)
                assert (support == draw).all(axis=1).any()
            raw = raw_law.sample(rng=rng)
            value = made.postprocess(raw)
            assert len(value) == k
            assert min(value) >= 0
            if n == 0:
                assert raw_law.candidates == 1
                assert value == (0,) * k


@pytest.mark.parametrize("name", NAMES)
def test_guarantee_repr_json_and_pickle(name: str) -> None:
    for k, n, prior, epsilon in settings(name):
        model = dp.DirichletMultinomial([f"category {i}" for i in range(k)], prior=prior)
        options = OPTIONS.get(name, {})
        made = dp.mechanism(name, model, n=n, epsilon=epsilon, **options)
        guarantee = made.guarantee
        assert guarantee.private == (name != "ehdl")
        assert guarantee.adjacency is dp.Adjacency.SUBSTITUTE
        assert (guarantee.basis is None) == (name == "ehdl")
        if guarantee.private:
            assert guarantee.epsilon <= made.config.epsilon
            assert "replacing one record" in repr(made)
        assert name in repr(made)
        assert pickle.loads(pickle.dumps(made)) == made

        counts = corner_counts(k, n)[2]
        release = dp.release(
            counts, model, epsilon, mechanism=name, allow_nonprivate=name == "ehdl", **options
        )
        assert release.value == made.postprocess(release.raw)
        assert not release.simulated
        assert release.guarantee == guarantee
        assert dp.Release.from_json(release.to_json()) == release
        assert pickle.loads(pickle.dumps(release)) == release
        assert release.posterior.mean().sum() == pytest.approx(1)
        assert json.loads(release.to_json())["n"] == n
        assert "<table>" in release._repr_html_()
        assert name in repr(release)


@pytest.mark.parametrize("name", dp.MECHANISMS)
def test_refusals(name: str) -> None:
    model = dp.DirichletMultinomial(("a", "b", "c"))
    options = OPTIONS.get(name, {})

    def make(**changes: object) -> object:
        return dp.mechanism(name, model, **({"n": 6, "epsilon": 1} | options | changes))

    for epsilon in (0, -1, math.nan, math.inf, "1", True, None, 1e-12):
        with pytest.raises(dp.InputError, match="epsilon must"):
            make(epsilon=epsilon)
    for n in (-1, 2.5, None, "6", True, 2**70):
        with pytest.raises(dp.InputError, match="n must"):
            make(n=n)
    with pytest.raises(dp.InputError, match=f"colour is not an option of {name}"):
        make(colour="red")
    with pytest.raises(dp.InputError, match="adjacency"):
        make(adjacency="attribute")
    if name not in ("lattice", "ls_hist", "gaussian"):
        with pytest.raises(
            dp.InputError,
            match=f"{name} is defined for adjacency 'substitute' only, got 'add-remove'; "
            "use 'lattice' or 'ls_hist' or 'gaussian'$",
        ):
            make(adjacency="add-remove", n=None)
    made = dp.mechanism(name, model, n=6, epsilon=1, **options)
    for counts, message in (
        ((1, 2, 2), "counts must sum to the declared n = 6"),
        ((1, 5), "counts must have 3 entries"),
        ((-1, 5, 2), r"counts\[0\] must not be negative"),
        ((1.5, 2.5, 2), r"counts\[0\] must be a whole number"),
        ((math.nan, 3, 3), r"counts\[0\] must be a whole number"),
        ((True, 3, 2), r"counts\[0\] must be a whole number"),
        ((2**64, 3, 2), r"counts\[0\] must be at most"),
        ({"a": 1, "z": 5}, "position 1 a label that is not a category"),
        ({1, 2, 3}, "counts must be a sequence"),
        (["a", "b", "a"], "use model.count"),
        (np.ones((3, 1)), "counts must have one dimension, got 2"),
        (np.array(6), "counts must have one dimension, got 0"),
        ("abc", "counts must be a sequence"),
        (None, "counts must be a sequence"),
    ):
        with pytest.raises(dp.InputError, match=message):
            made.law(counts)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["ehd", "ehds"])
def test_total_variation_with_large_parameters(name: str, rng: np.random.Generator) -> None:
    """Float parameters would round the prior away; every neighbour has to be drawable."""
    for prior, n in ((10**12, 9), (0.1, 2**39)):
        made = dp.mechanism(
            name, dp.BetaBinomial(prior), n=n, epsilon=20, distance="total_variation"
        )
        for ones in (0, 1, n // 2 - 1):
            law = made.law((ones, n - ones))
            assert all(sum(map(int, row)) == n for row in np.asarray(law.sample(5, rng)))
        if n < 100:
            assert abs(np.exp(law.log_p).sum() - 1) <= 1e-12


@pytest.mark.parametrize("name", ["ls_dim", "ls_hist", "lattice"])
@pytest.mark.parametrize("k", [2, 10, 100, 10_000])
def test_many_categories(name: str, k: int) -> None:
    model = dp.DirichletMultinomial(range(k), prior=0.001)
    for n in (0, 1, 10**9, 2**60):
        counts = [n // k] * k
        counts[-1] += n - sum(counts)
        for epsilon in (1e-6, 1, 50):
            release = dp.release(counts, model, epsilon, mechanism=name)
            assert len(release.value) == k
            assert min(release.value) >= 0
            if name == "lattice":
                assert sum(release.value) == n


@pytest.mark.parametrize("name", ["ehd", "ehdl", "ehds", "smooth_hellinger"])
def test_huge_binary_counts(name: str, rng: np.random.Generator) -> None:
    for n in (10**6, 10**12, 2**60):
        for prior in (0.001, 1, 1e6):
            for ones in (0, 1, n // 2, n):
                for epsilon in (1e-6, 1, 50):
                    made = dp.mechanism(
                        name, dp.BetaBinomial(prior), n=n, epsilon=epsilon, **OPTIONS.get(name, {})
                    )
                    draw = made.law((ones, n - ones)).sample(rng=rng)
                    assert isinstance(draw, tuple)
                    assert sum(draw) == n
