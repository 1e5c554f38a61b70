"""Theorem 4 of P2: the loss of posterior samples, and the bound that says nothing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betainc, expit

import discreet as dp
from discreet import divergence
from discreet.core.tables import Tables
from discreet.families.network import smoothness
from discreet.families.network.model import BayesNet

PAIR = BayesNet({"b": ["a"]}, {"a": (0, 1), "b": ("x", "y", "z")})
FORK = BayesNet({"b": ["a"], "c": ["a"]}, {"a": (0, 1), "b": (0, 1), "c": (0, 1)})
CHAIN = BayesNet({"b": ["a"], "c": ["b"]}, {"a": (0, 1), "b": (0, 1), "c": (0, 1)})


def vertices(k: int, omega: float) -> list[list[float]]:
    return [[1 - (k - 1) * omega if i == j else omega for i in range(k)] for j in range(k)]


def losses(net: BayesNet, omega: float, weights: Any) -> tuple[float, float]:
    """Of a sample of θ given one record, for a prior on the corners of the truncated simplices.

    The largest |log ratio| over all θ and over records that differ; in one attribute.
    """
    rows = [(f.node, row, f.shape[-1]) for f in net.families for row in range(f.rows)]
    thetas = list(itertools.product(*(range(k) for _, _, k in rows)))
    prior = np.array([math.prod(weights[i][v] for i, v in enumerate(t)) for t in thetas])
    sets = {(node, row): vertices(k, omega) for node, row, k in rows}
    records = list(itertools.product(*(range(len(labels)) for labels in net.labels)))
    posteriors = {}
    for record in records:
        at = dict(zip(net.nodes, record, strict=True))
        likelihood = np.ones(len(thetas))
        for f in net.families:
            row = 0
            for parent, states in zip(f.parents, f.shape, strict=False):
                row = row * states + at[parent]
            place = rows.index((f.node, row, f.shape[-1]))
            likelihood *= [sets[f.node, row][t[place]][at[f.node]] for t in thetas]
        posteriors[record] = np.log(prior * likelihood / (prior @ likelihood))
    found = [0.0, 0.0]
    for x, y in itertools.combinations(records, 2):
        loss = float(np.abs(posteriors[x] - posteriors[y]).max())
        found[0] = max(found[0], loss)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1:
            found[1] = max(found[1], loss)
    return found[0], found[1]


@given(
    st.sampled_from([PAIR, FORK, CHAIN]),
    st.floats(0.001, 0.33),
    st.lists(st.floats(1e-6, 1), min_size=15, max_size=15),
)
def test_truncation_loss_holds(net: BayesNet, omega: float, numbers: list[float]) -> None:
    sizes = [f.shape[-1] for f in net.families for _ in range(f.rows)]
    parts = np.split(np.array(numbers[: sum(sizes)]), np.cumsum(sizes)[:-1])
    record, attribute = losses(net, omega, [part / part.sum() for part in parts])
    assert record <= smoothness.truncation_loss(net, omega) + 1e-9
    assert attribute <= smoothness.truncation_loss(net, omega, "attribute") + 1e-9


@pytest.mark.parametrize(
    ("net", "favoured"),
    [(PAIR, (0, 0, 1)), (FORK, (0, 0, 1, 0, 1)), (CHAIN, (0, 0, 1, 0, 1))],
)
def test_truncation_loss_is_nearly_attained(net: BayesNet, favoured: tuple[int, ...]) -> None:
    """By a prior that is almost certain of a θ under which one record is likely."""
    omega, sizes = 0.1, [f.shape[-1] for f in net.families for _ in range(f.rows)]
    weights = [
        [1 - 1e-9 * (k - 1) if v == best else 1e-9 for v in range(k)]
        for k, best in zip(sizes, favoured, strict=True)
    ]
    record, attribute = losses(net, omega, weights)
    assert record > 0.99 * smoothness.truncation_loss(net, omega)
    assert attribute > 0.99 * smoothness.truncation_loss(net, omega, "attribute")
    assert attribute > 1.4 * 2 * math.log(1 / omega)  # P2's Appendix C.2


def test_truncation_loss_by_hand() -> None:
    two, three = math.log(0.9 / 0.1), math.log(0.8 / 0.1)
    assert smoothness.truncation_loss(PAIR, 0.1) == pytest.approx(2 * (two + three), rel=1e-14)
    assert smoothness.truncation_loss(CHAIN, 0.1) == pytest.approx(6 * two, rel=1e-14)
    assert smoothness.truncation_loss(CHAIN, 0.1, "attribute") == pytest.approx(4 * two, rel=1e-14)


@pytest.mark.parametrize("adjacency", ["substitute", "attribute"])
def test_truncation_loss_is_what_posterior_sample_pays(adjacency: str) -> None:
    counted = Tables((("a",), ("a", "b"), ("b", "c")), ((3, 0), (1, 2, 0, 0), (0, 1, 2, 0)))
    made = dp.mechanism("posterior_sample", CHAIN, 3, epsilon=2, adjacency=adjacency, omega="cut")
    law: Any = made.raw_law(counted)
    assert smoothness.truncation_loss(CHAIN, law.parts[0].omega, adjacency) == pytest.approx(2)


def tail(alpha: float, beta: float, size: Any) -> Any:
    """P(|ln(θ/(1−θ))| > L)."""
    return betainc(alpha, beta, expit(-size)) + betainc(beta, alpha, expit(-size))


@given(st.floats(0.05, 1e4), st.floats(0.05, 1e4))
def test_rates_are_valid_and_not_far_from_the_best(alpha: float, beta: float) -> None:
    starts = np.geomspace(1e-3, 50, 1500)
    rates = smoothness.beta_rates(alpha, beta, starts)
    fine = np.geomspace(1e-3, 50, 7919)
    p = tail(alpha, beta, fine)
    seen = p > 1e-290
    slopes = -np.log(np.minimum(p[seen], 1)) / fine[seen]
    assert (slopes >= rates[np.searchsorted(starts, fine[seen], "right") - 1] - 1e-9).all()
    assert rates.max() <= min(alpha, beta) + 1e-9 or not seen.all()


def test_rates_of_the_uniform_prior() -> None:
    starts = np.geomspace(1e-2, 50, 1500)
    exact = (np.logaddexp(0, starts) - math.log(2)) / starts  # increases from ½ to 1
    rates = smoothness.beta_rates(1, 1, starts)
    assert (rates <= exact).all()
    assert (rates >= 0.985 * exact).all()


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0.05, 1e4), min_size=2, max_size=5))
def test_rates_of_more_states_are_valid(parameters: list[float]) -> None:
    """Of the union bound, checked on a finer grid."""
    starts, fine = np.geomspace(1e-3, 50, 1500), np.geomspace(1e-3, 50, 7919)
    rates = smoothness.dirichlet_rates(parameters, starts)
    k, total = len(parameters), sum(parameters)
    cut = 1 / (np.exp(fine) + k - 1)
    p = sum(betainc(a, total - a, cut) for a in parameters)
    seen = p > 1e-290
    slopes = -np.log(np.minimum(p[seen], 1)) / fine[seen]
    assert (slopes >= rates[np.searchsorted(starts, fine[seen], "right") - 1] - 1e-9).all()


@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (2, 5), (0.5, 30)])
def test_rates_of_two_states_are_those_of_beta_laws(alpha: float, beta: float) -> None:
    starts = np.geomspace(1e-3, 50, 1500)
    rates = smoothness.dirichlet_rates((alpha, beta), starts)
    known = smoothness.beta_rates(alpha, beta, starts)
    assert (rates <= known * (1 + 1e-9) + 1e-9).all()
    assert rates.max() >= 0.9 * known.max()


def test_rates_of_three_states_by_simulation() -> None:
    starts = np.geomspace(0.1, 20, 500)
    rates = smoothness.dirichlet_rates((2, 3, 5), starts)
    least = np.random.default_rng(1).dirichlet((2, 3, 5), 200_000).min(axis=1)
    length = np.log((1 - 2 * least) / least)  # the least L that a draw is as smooth as
    for place in (200, 300, 350):
        for size in starts[place::40]:
            far = (length > size).sum()
            allowed = min(1.0, math.exp(-rates[place] * size))
            assert far <= stats.binom.isf(1e-6, 200_000, allowed)


def test_part_2_for_three_states() -> None:
    net = BayesNet({}, {"a": (0, 1, 2)}, {"a": (1e6, 1e6, 2e6)})
    found = smoothness.beta_smoothness(net)
    assert (found.ratio, found.distance) == (4, 1)
    assert found.vacuous  # as C·ln C is 2 or more
    assert smoothness.beta_smoothness(PAIR).vacuous


def one_node(alpha: float) -> BayesNet:
    return BayesNet({}, {"a": (0, 1)}, prior=alpha)


@given(st.floats(1.01, 1e4), st.floats(1e-4, 20), st.floats(1.01, 50), st.floats(0.001, 0.999))
def test_smoothness_is_p2s_formula_at_its_best(
    rate: float, start: float, ratio: float, part: float
) -> None:
    def printed(delta: float) -> float:
        k, w = smoothness.KAPPA, smoothness.OMEGA
        inner = math.exp(-start * delta * rate) / (math.exp(-w * (1 - delta)) - math.exp(-w))
        last = math.log(inner + math.exp(start * (1 - delta) * rate))
        m = (k / rate + start * (1 / (1 - math.exp(-w)) + 1) + math.log(ratio) + last) * ratio
        return math.sqrt(m / 2)

    found = smoothness.smoothness(rate, start, ratio)
    most = 1 - 1 / rate  # of the δ that are allowed
    assert found.value == pytest.approx(printed(most), rel=1e-9)
    if start * rate < 600:
        assert found.value <= printed(part * most) * (1 + 1e-9)
    assert found.value >= math.sqrt(ratio * math.log(ratio) / 2)
    assert found.vacuous == (found.value >= 1)


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 10, 100, 1000])
def test_part_2_is_vacuous_for_ordinary_priors(alpha: float) -> None:
    found = smoothness.beta_smoothness(one_node(alpha))
    assert found.vacuous
    assert str(found).startswith("vacuous: ")


def test_part_2_says_something_for_a_single_node_with_an_extreme_prior() -> None:
    values = []
    for alpha in (1e4, 1e6, 1e8):
        found = smoothness.beta_smoothness(one_node(alpha))
        assert not found.vacuous
        truth = divergence.total_variation((alpha + 1, alpha), (alpha, alpha + 1))
        assert truth < found.value / 100
        values.append(found.value)
    assert values == pytest.approx([0.933, 0.845, 0.834], abs=1e-3)
    assert min(values) > math.sqrt(math.log(2))
    assert str(smoothness.beta_smoothness(one_node(1e6))) == "δ = 0.8448"


@given(
    st.sampled_from([FORK, CHAIN]),
    st.lists(st.floats(1e-3, 1e10), min_size=6, max_size=6),
    st.sampled_from(["substitute", "attribute"]),
)
def test_part_2_is_vacuous_for_more_than_one_node(
    shape: BayesNet, numbers: list[float], adjacency: str
) -> None:
    prior = {n: numbers[2 * i : 2 * i + 2] for i, n in enumerate(shape.nodes)}
    net = BayesNet(shape.parents, shape.states, prior)
    found = smoothness.beta_smoothness(net, adjacency)
    assert found.ratio == pytest.approx(math.prod(sum(p) / min(p) for p in prior.values()))
    assert found.distance == (3 if (shape, adjacency) != (CHAIN, "attribute") else 2)
    assert found.vacuous
    assert found.value >= math.sqrt(found.ratio * math.log(found.ratio) / 2 * found.distance)


def test_lemma_3_counts_all_rows() -> None:
    found = smoothness.beta_smoothness(BayesNet({"b": ["a"]}, {"a": (0, 1), "b": (0, 1)}, 1e6))
    single = smoothness.beta_rates(1e6, 1e6, np.geomspace(1e-6, 100, 3000))
    place = int(np.argmin(abs(np.geomspace(1e-6, 100, 3000) - found.start)))
    assert found.rate == pytest.approx(single[place] - math.log(3) / found.start, rel=1e-9)
    mass = 3 * tail(1e6, 1e6, found.start)  # of the prior where some row is less smooth
    assert mass <= math.exp(-found.rate * found.start)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smoothness.truncation_loss(PAIR, 0.34), "omega must be less than 1/3"),
        (lambda: smoothness.truncation_loss(PAIR, 0), "omega must be greater than 0, got 0"),
        (lambda: smoothness.truncation_loss(PAIR, 0.1, "add-remove"), "adjacency must be"),
        (lambda: smoothness.beta_smoothness(FORK, "add-remove"), "adjacency must be"),
        (lambda: smoothness.smoothness(-1, 1, 2), "rate must be greater than 0, got -1"),
        (lambda: smoothness.smoothness(math.nan, 1, 2), "rate must be finite, got nan"),
        (lambda: smoothness.smoothness(2, 1, 2, 0), "distance must lie between 1"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        call()
