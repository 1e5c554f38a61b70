"""Parities of binary networks: sensitivity, exact agreement, stealth, size."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.core.tables import Tables
from discreet.families.network.mechanisms import fourier
from discreet.families.network.mechanisms.fourier import closure, sensitivity
from discreet.laws.noise import NoiseLaw
from tests.families.network.networks import FORK, tables
from tests.families.network.test_noisy_tables import assert_agreement


def naive_bayes(features: int) -> dp.BayesNet:
    nodes = ["y", *(f"x{i}" for i in range(features))]
    return dp.BayesNet({name: ["y"] for name in nodes[1:]}, dict.fromkeys(nodes, (0, 1)))


@st.composite
def networks(draw: Any) -> dp.BayesNet:
    size = draw(st.integers(1, 6))
    nodes = [f"n{i}" for i in range(size)]
    parents = {
        node: [p for p in nodes[:i] if draw(st.booleans())][:3] for i, node in enumerate(nodes)
    }
    return dp.BayesNet(parents, dict.fromkeys(nodes, ("no", "yes")))


def brute_force(net: dp.BayesNet) -> int:
    """Over all differences between two records."""
    sets = [set(subset) for subset in closure(net)]
    worst = 0
    for bits in itertools.product((0, 1), repeat=len(net.nodes)):
        changed = {node for node, bit in zip(net.nodes, bits, strict=True) if bit}
        worst = max(worst, sum(len(s & changed) % 2 for s in sets))
    return worst


@settings(deadline=None, max_examples=60)
@given(networks())
def test_the_sensitivity_is_exact(net: dp.BayesNet) -> None:
    assert sensitivity([f.columns for f in net.families]) == brute_force(net)


@settings(deadline=None, max_examples=30)
@given(networks())
def test_without_elimination_it_is_a_bound(net: dp.BayesNet) -> None:
    before, fourier.MOST_ELIMINATED = fourier.MOST_ELIMINATED, 1
    try:
        found = sensitivity([f.columns for f in net.families])
    finally:
        fourier.MOST_ELIMINATED = before
    assert brute_force(net) <= found <= len(closure(net)) - 1


@pytest.mark.parametrize("features", [1, 2, 16, 200])
def test_naive_bayes(features: int) -> None:
    net = naive_bayes(features)
    assert len(closure(net)) == 2 * features + 2
    assert sensitivity([f.columns for f in net.families]) == 2 * features


@settings(deadline=None, max_examples=40)
@given(networks(), st.integers(0, 10**6), st.integers(0, 40), st.sampled_from([0, 0.3, 2]))
def test_marginals_are_dyadic_and_agree(net: dp.BayesNet, seed: int, n: int, t: float) -> None:
    rng = np.random.default_rng(seed)
    records = [tuple(rng.choice(["no", "yes"], len(net.nodes))) for _ in range(n)]
    made = dp.release(tables(net, records), net, 1, "fourier", rng=rng, t=t)
    assert_agreement(net, made.value)
    raised = -(-4 * Fraction(str(t)) * len(closure(net)) ** 2 // 1)
    assert sum(made.value[: net.families[0].cells]) == n + raised
    for x in made.value:
        assert Fraction(x).denominator & (Fraction(x).denominator - 1) == 0


@settings(deadline=None, max_examples=30)
@given(networks(), st.integers(0, 10**6))
def test_without_noise_the_tables_come_back(net: dp.BayesNet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = [tuple(rng.choice(["no", "yes"], len(net.nodes))) for _ in range(9)]
    counted = tables(net, records)
    made = dp.mechanism("fourier", net, 9, epsilon=1)
    law = made.raw_law(counted)
    assert isinstance(law, NoiseLaw)
    assert made.postprocess(law.center) == net.to_vector(counted)
    assert law.rate == Fraction(1, sensitivity([f.columns for f in net.families]))
    odd = [
        sum(
            len({node for node, x in zip(net.nodes, r, strict=True) if x == "yes"} & set(s)) % 2
            for r in records
        )
        for s in closure(net)[1:]
    ]
    assert law.center == tuple(odd)


@pytest.mark.parametrize("t", [1, 2])
def test_stealth(t: float, rng: np.random.Generator) -> None:
    """Corollary 3 for t ≥ 1; far from tight: all of 300 are non-negative."""
    net = naive_bayes(16)
    made = dp.mechanism("fourier", net, 50, epsilon=1, t=t)
    law = made.raw_law(tables(net, [(0,) * 17] * 50))
    hidden = np.mean([min(made.postprocess(raw)) >= 0 for raw in law.sample(300, rng)])
    assert hidden >= 1 - np.exp(-t)
    bare = dp.mechanism("fourier", net, 50, epsilon=1)
    shown = np.mean([min(bare.postprocess(raw)) >= 0 for raw in law.sample(300, rng)])
    assert shown < 0.05


def test_three_hundred_nodes(rng: np.random.Generator) -> None:
    nodes = [f"n{i}" for i in range(300)]
    parents = {
        node: [nodes[j] for j in sorted({int(rng.integers(i)) for _ in range(min(i, 3))})]
        for i, node in enumerate(nodes)
    }
    net = dp.BayesNet(parents, dict.fromkeys(nodes, (0, 1)))
    records = [tuple(row) for row in rng.integers(0, 2, (50, 300)).tolist()]
    made = dp.release(tables(net, records), net, 100, "fourier")
    assert len(made.raw) == len(closure(net)) - 1
    assert dp.Release.from_json(made.to_json()) == made
    assert made.posterior.mean("n7").sum() == pytest.approx(len(made.posterior.mean("n7")))


@st.composite
def wider(draw: Any) -> dp.BayesNet:
    """Networks of one to four nodes with two to four states."""
    size = draw(st.integers(1, 4))
    nodes = [f"n{i}" for i in range(size)]
    parents = {node: [p for p in nodes[:i] if draw(st.booleans())] for i, node in enumerate(nodes)}
    return dp.BayesNet(parents, {node: range(draw(st.integers(2, 4))) for node in nodes})


def center(made: dp.Mechanism, counted: Any) -> list[int]:
    law: Any = made.raw_law(counted)
    return [x for part in getattr(law, "parts", (law,)) for x in part.center]


@settings(deadline=None, max_examples=40)
@given(wider(), st.integers(0, 10**6))
def test_any_number_of_states(net: dp.BayesNet, seed: int) -> None:
    """The tables come back without noise, and agree with it."""
    rng = np.random.default_rng(seed)
    records = [tuple(int(rng.integers(len(s))) for s in net.labels) for _ in range(12)]
    counted = tables(net, records)
    made = dp.mechanism("fourier", net, 12, epsilon=1)
    assert made.postprocess(center(made, counted)) == net.to_vector(counted)
    release = dp.release(counted, net, 1, "fourier", rng=rng)
    assert_agreement(net, release.value)
    assert sum(release.value[: net.families[0].cells]) == 12
    assert dp.Release.from_json(release.to_json()) == release


@settings(deadline=None, max_examples=40)
@given(wider())
def test_the_sensitivity_with_more_states(net: dp.BayesNet) -> None:
    """Of one record, in steps of noise: by all pairs of records."""
    made = dp.mechanism("fourier", net, 1, epsilon=1)
    world = list(itertools.product(*net.labels))
    laws: list[Any] = [made.raw_law(tables(net, [record])) for record in world[:40]]
    parts = [getattr(law, "parts", (law,)) for law in laws]
    losses = [
        sum(
            p.rate * abs(x - y)
            for p, q in zip(one, other, strict=True)
            for x, y in zip(p.center, q.center, strict=True)
        )
        for one, other in itertools.combinations(parts, 2)
    ]
    assert max(losses) == 1 if len(world) <= 40 else max(losses) <= 1


@pytest.mark.parametrize(
    ("parents", "states"),
    [
        ({"b": ["a"]}, (3, 3)),
        ({"b": ["a"]}, (2, 3)),
        ({"b": ["a"], "c": ["a"]}, (3, 2, 2)),
        ({"c": ["a", "b"]}, (2, 3, 3)),
    ],
)
def test_the_exact_loss_with_three_states(parents: Any, states: tuple[int, ...]) -> None:
    """Of two and three nodes: all that is promised, and no more; half the noise is caught."""
    net = dp.BayesNet(parents, dict(zip("abc", map(range, states), strict=False)))
    for n in (1, 2) if len(states) == 2 else (1,):
        made, louder = (dp.mechanism("fourier", net, n, epsilon=e) for e in (1, 2))
        audit = dp.audit(made)
        assert audit.epsilon_lower == audit.epsilon == 1
        wrong = replace(made, make_raw_law=louder.make_raw_law)
        assert dp.audit(wrong).epsilon_lower == 2


def test_stealth_with_three_states(rng: np.random.Generator) -> None:
    net = dp.BayesNet({"b": ["a"], "c": ["a"]}, {"a": range(3), "b": range(4), "c": range(2)})
    counted = tables(net, [(0, 0, 0)] * 50)
    made, bare = (dp.mechanism("fourier", net, 50, epsilon=1, t=t) for t in (1, 0))
    raw = made.raw_law(counted).sample(300, rng)
    assert np.mean([min(made.postprocess(row)) >= 0 for row in raw]) >= 1 - np.exp(-1)
    assert np.mean([min(bare.postprocess(row)) >= 0 for row in raw]) < 0.05


def test_what_is_refused() -> None:
    for t in (-1, float("nan"), "1", 1e9):
        with pytest.raises(dp.InputError, match="t must"):
            dp.mechanism("fourier", FORK, 3, epsilon=1, t=t)


def test_tables_of_different_records_are_refused() -> None:
    columns = (("a",), ("a", "b"), ("a", "c"))
    wrong = Tables(columns, ((1, 1), (2, 0, 0, 0), (1, 0, 0, 1)))
    with pytest.raises(dp.InputError, match="same records"):
        dp.release(wrong, FORK, 1, "fourier")


def test_huge_counts_stay_whole() -> None:
    n = 2**62
    huge = Tables((("a",), ("a", "b"), ("a", "c")), ((n, 0), (n, 0, 0, 0), (n, 0, 0, 0)))
    made = dp.release(huge, FORK, 1, "fourier")
    assert all(isinstance(x, (int, Fraction)) for x in made.value)
    assert sum(made.value[:2]) == n
