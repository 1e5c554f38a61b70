"""How often intervals of noise-aware tables hold the truth. Minutes in all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import discreet as dp
from discreet.core.counts import AVERAGED
from discreet.core.tables import Tables
from discreet.exact import Floats, Ints
from tests.families.network.persons import RULES
from tests.statistics import FALSE_ALARM

BINARY = (0, 1)
# Dir(2, 2) for a is what the prior of b's table says of a
PAIR = dp.BayesNet({"b": ["a"]}, dict.fromkeys("ab", BINARY), {"a": 2, "b": 1})
COLLIDER = dp.BayesNet({"c": ["a", "b"]}, dict.fromkeys("abc", BINARY), {"a": 4, "b": 4, "c": 1})
# a node with two children, of which one has another parent, and a child of that
FIVE = dp.BayesNet(
    {"b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d"]}, dict.fromkeys("abcde", BINARY)
)
CHECKS = 600


def counted(
    net: dp.BayesNet, theta: dict[str, Floats], sizes: Ints, rule: str | None, rng: Any
) -> Tables:
    """Tables of persons with so many independent records each."""
    places: dict[str, Ints] = {}
    for node in net.order:
        row = np.zeros(sizes.sum(), dtype=int)
        for parent in net.family(node).parents:
            row = 2 * row + places[parent]
        places[node] = (rng.random(len(row)) < theta[node][row, 1]).astype(int)
    weights = np.repeat(AVERAGED // sizes if rule == "average" else sizes // sizes, sizes)
    values = []
    for family in net.families:
        cell = np.zeros(len(weights), dtype=int)
        for name in family.columns:
            cell = 2 * cell + places[name]
        table = np.bincount(cell, weights, family.cells)
        values.append(tuple(int(count) for count in table))
    columns = tuple(family.columns for family in net.families)
    return Tables(columns, tuple(values), **(RULES[rule] if rule else {}))


def held(
    net: dp.BayesNet, persons: int, epsilon: float, rule: str | None, **how: Any
) -> tuple[int, int]:
    """How many of some intervals of 95 % hold θ, drawn from the prior: noise-aware, and without."""
    aware: list[bool] = []
    plain: list[bool] = []
    rng, most = np.random.default_rng(5), {"cut": 2, "average": 3}
    while len(aware) < CHECKS:
        theta = {
            f.node: np.array([rng.dirichlet(row) for row in priors.reshape(-1, 2)])
            for f, prior in zip(net.families, net.prior, strict=True)
            for priors in [np.array(prior, dtype=float)]
        }
        sizes = rng.integers(1, most.get(rule or "", 1) + 1, persons)
        tables = counted(net, theta, sizes, rule, rng)
        made = dp.release(tables, net, epsilon, rng=rng, **(how or {"adjacency": "add-remove"}))
        found = made.noise_aware()
        for node, true in theta.items():
            joint = found.joint(node)
            parts = joint.parameters.reshape(len(joint.weights), -1, 2)
            below = joint.weights @ special.betainc(parts[..., 0], parts[..., 1], true[:, 0])
            rows = made.posterior.table(node)
            without = special.betainc(rows[:, 0], rows[:, 1], true[:, 0])
            aware += (abs(below - 0.5) < 0.475).tolist()
            plain += (abs(without - 0.5) < 0.475).tolist()
    return sum(aware[:CHECKS]), sum(plain[:CHECKS])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "persons", "epsilon", "rule"),
    [(PAIR, 200, 0.25, None), (COLLIDER, 200, 0.3, None), (COLLIDER, 100, 0.4, "cut")],
)
def test_intervals_hold_what_they_say(
    net: dp.BayesNet, persons: int, epsilon: float, rule: str | None
) -> None:
    """Of persons too, whose kept records are independent; without the noise they do not."""
    aware, plain = held(net, persons, epsilon, rule)
    assert stats.binomtest(aware, CHECKS, 0.95).pvalue > FALSE_ALARM
    assert stats.binomtest(plain, CHECKS, 0.95).pvalue < FALSE_ALARM


@pytest.mark.slow
def test_intervals_of_averages_are_cautious() -> None:
    """A mean of several records varies less than one of them."""
    aware, _ = held(COLLIDER, 300, 1.0, "average")
    assert stats.binomtest(aware, CHECKS, 0.95, alternative="less").pvalue > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["lattice", "laplace_updates", "fourier"])
@pytest.mark.parametrize(("persons", "epsilon"), [(300, 1.0), (3000, 0.3)])
def test_tables_that_overlap(mechanism: str, persons: int, epsilon: float) -> None:
    """All noisy tables are used, and rows that are rarely seen fall back to their prior."""
    aware, plain = held(FIVE, persons, epsilon, None, mechanism=mechanism)
    assert stats.binomtest(aware, CHECKS, 0.95).pvalue > FALSE_ALARM
    assert stats.binomtest(plain, CHECKS, 0.95).pvalue < FALSE_ALARM
