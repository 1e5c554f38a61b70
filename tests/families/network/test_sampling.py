"""Samples of θ: what they cost, and what is refused."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.core.law import ProductLaw
from discreet.core.tables import Tables
from discreet.exact.inverse import rounded
from discreet.families.network.mechanisms.map_estimate import by_mass
from discreet.laws.truncated import TruncatedDirichletLaw, tilted
from tests.families.network.networks import CHAIN, FORK, PAIR, exact_loss, tables
from tests.statistics import pearson


def rows(made: dp.Mechanism, counted: Any) -> list[TruncatedDirichletLaw]:
    law = made.raw_law(counted)
    assert isinstance(law, ProductLaw)
    return [part for part in law.parts if isinstance(part, TruncatedDirichletLaw)]


@pytest.mark.parametrize(("adjacency", "nodes"), [("substitute", 3), ("attribute", 3)])
@pytest.mark.parametrize("samples", [1, 4])
def test_the_factors(adjacency: str, nodes: int, samples: int) -> None:
    """2|I|·log R a sample, or 2·(1 + most children)·log R; N samples cost N."""
    made = dp.mechanism(
        "posterior_sample",
        FORK,
        2,
        epsilon=3,
        adjacency=adjacency,
        samples=samples,
        omega="cut",
    )
    omega = float(rows(made, tables(FORK, [(0, 0, 0)] * 2))[0].omega)
    assert 2 * nodes * samples * math.log((1 - omega) / omega) == pytest.approx(3)
    assert made.length == samples * FORK.size


def test_attributes_of_a_chain_cost_less() -> None:
    """A middle node has one child; three states have R = (1 − 2ω)/ω."""
    made = dp.mechanism("posterior_sample", CHAIN, 1, epsilon=3, adjacency="attribute", omega="cut")
    laws = rows(made, tables(CHAIN, [(0, 0, "x")]))
    binary, ternary = float(laws[0].omega), float(laws[-1].omega)
    assert 2 * 2 * math.log((1 - binary) / binary) == pytest.approx(3)
    assert 2 * 2 * math.log((1 - 2 * ternary) / ternary) == pytest.approx(3)


@pytest.mark.parametrize("omega", [0.01, 0.2, 0.45])
def test_tempering(omega: float) -> None:
    """A given ω is kept and the counts are multiplied by τ, at most 1."""
    counted = tables(FORK, [(0, 0, 0)] * 10)
    for epsilon in (0.5, 500):
        made = dp.mechanism("posterior_sample", FORK, 10, epsilon=epsilon, omega=omega)
        first = rows(made, counted)[0]
        assert first.omega == Fraction(str(omega))
        power = min(1, epsilon / (6 * math.log((1 - omega) / omega)))
        assert float(first.parameters[0]) == pytest.approx(1 + 10 * power, rel=1e-12)
        assert float(first.parameters[0]) <= 1 + 10 * power


@pytest.mark.parametrize(
    ("n", "epsilon", "samples", "omega"),
    [
        (0, 1, 1, Fraction(2, 9)),
        (10**6, 1, 1, Fraction(2, 3 * 1002)),
        (10**6, 1, 4, Fraction(2, 3 * 502)),
        (10, Fraction(1, 3), 1, Fraction(2, 3 * 4)),
    ],
)
def test_omega_follows_public_values(n: int, epsilon: Any, samples: int, omega: Fraction) -> None:
    """2/(k(2 + √(nε/N))), √ rounded up, for the largest k: here 3."""
    made = dp.mechanism("posterior_sample", CHAIN, n, epsilon=epsilon, samples=samples)
    assert dict(made.config.options)["omega"] == omega
    assert (
        dp.mechanism(
            "posterior_sample", CHAIN, n, epsilon=epsilon, samples=samples, omega=omega
        ).config
        == made.config
    )


def test_it_learns() -> None:
    """√((1 + 2L/ε)θ(1 − θ)/n) for one probability of 0.3, five standard deviations either way."""
    one, n = dp.BayesNet({}, {"a": (0, 1)}), 10_000
    made = dp.mechanism("posterior_sample", one, n, epsilon=1)
    law = rows(made, Tables((("a",),), ((3 * n // 10, 7 * n // 10),)))[0]
    length = math.log((1 - float(law.omega)) / float(law.omega))
    drawn = law.sample(300, np.random.default_rng(4))[:, 0] / 10**6
    error = np.sqrt(((drawn - 0.3) ** 2).mean())  # but for that of the records, θ(1 − θ)/n
    assert error == pytest.approx(math.sqrt(2 * length * 0.21 / n), rel=0.2)


def moments(parameters: Any, omega: float, drawn: Any) -> tuple[Any, Any]:
    """Means and squares against those of a Dirichlet law by plain rejection, in its errors."""
    rng = np.random.default_rng(8)
    kept = rng.dirichlet(parameters, 400_000)
    kept = kept[(kept >= omega).all(axis=1)]
    assert len(kept) > 3000
    found = []
    for power in (1, 2):
        one, other = drawn**power, kept**power
        spread = np.sqrt(one.var(axis=0) / len(one) + other.var(axis=0) / len(other))
        found.append((one.mean(axis=0) - other.mean(axis=0)) / spread)
    return found[0], found[1]


@pytest.mark.parametrize("k", [3, 9])
def test_any_number_of_states(k: int) -> None:
    """By gamma variables as by rejection; with another parameter it is not."""
    rng = np.random.default_rng(k)
    parameters = tuple(Fraction(x) for x in rng.choice([1, 2, 3.5, 0.5], k))
    omega = Fraction(1, 10 * k)
    drawn = np.array(
        [[float(x().mid()) for x in tilted(parameters, omega, rng.bytes)] for _ in range(250)]
    )
    assert drawn.sum(axis=1) == pytest.approx(1)
    assert drawn.min() >= omega
    worst = [np.abs(z).max() for z in moments([float(a) for a in parameters], 0.1 / k, drawn)]
    assert max(worst) < 5.5
    other = [float(a) for a in parameters]
    other[0] += 1
    assert np.abs(moments(other, 0.1 / k, drawn)[0]).max() > 5.5


def test_gamma_variables_have_the_listed_law() -> None:
    """Two states, whose law is listed: chi-square, false alarms 1e-6."""
    law = TruncatedDirichletLaw((Fraction(5, 2), Fraction(4)), Fraction(1, 10), 20)
    rng = np.random.default_rng(2)
    size = 1500
    drawn = [
        rounded(tilted(law.parameters, law.omega, rng.bytes)[0], law.grid) for _ in range(size)
    ]
    places = law.support[:, 0]
    truth = np.exp(law.log_p)
    often = truth * size > 20
    counts = np.array([drawn.count(place) for place in places])

    def binned(x: Any) -> Any:
        return np.append(x[often], x[~often].sum())

    statistic, limit = pearson(binned(counts), binned(truth))
    assert statistic < limit
    wrong = np.exp(replace(law, parameters=(Fraction(7, 2), Fraction(4))).log_p)
    assert pearson(binned(counts), binned(wrong))[0] > limit


def corner_loss(one: Any, other: Any, omega: float) -> float:
    """The largest log ratio of two truncated Dirichlet densities of three states, by quadrature.

    The log ratio is linear in log θ, and so largest at a corner of the truncated simplex.
    """
    masses = []
    for a in (one, other):
        edges = np.linspace(omega, 1 - 2 * omega, 601)
        middle = (edges[1:] + edges[:-1]) / 2
        x, y = np.meshgrid(middle, middle)
        inside = 1 - x - y >= omega
        z = np.where(inside, 1 - x - y, 1)
        density = np.exp(sum((b - 1) * np.log(t) for b, t in zip(a, (x, y, z), strict=True)))
        masses.append((density * inside).sum())
    corners = np.full((3, 3), omega) + np.eye(3) * (1 - 3 * omega)
    change = (np.array(one) - np.array(other)) @ np.log(corners)
    return float(np.abs(change - math.log(masses[0] / masses[1])).max())


@pytest.mark.parametrize("prior", [(1, 1, 1), (1, 60, 60)])
def test_the_loss_of_three_states(prior: tuple[int, ...]) -> None:
    """One node, one record: near the claim for a prior that is concentrated elsewhere."""
    net = dp.BayesNet({}, {"a": ("x", "y", "z")}, {"a": prior})
    made, louder = (dp.mechanism("posterior_sample", net, 1, epsilon=e, omega=0.1) for e in (1, 2))
    losses = []
    for each in (made, louder):
        laws = [
            rows(each, Tables((("a",),), (counts,)))[0]
            for counts in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        ]
        sets = [[float(a) for a in law.parameters] for law in laws]
        losses.append(max(corner_loss(a, b, 0.1) for a in sets for b in sets))
    assert losses[0] <= 1
    assert prior == (1, 1, 1) or losses[1] > 1.05


EXTREME: dict[str, Any] = {"a": (1, 300), "b": [(1, 300), (300, 1)]}


@pytest.mark.parametrize("adjacency", ["substitute", "attribute"])
@pytest.mark.parametrize("options", [{}, {"omega": "cut"}, {"omega": 0.05}])
def test_the_exact_loss(adjacency: str, options: dict[str, Any]) -> None:
    """With priors that are concentrated elsewhere in every row the loss comes near the claim."""
    net = dp.BayesNet({"b": ["a"]}, PAIR.states, EXTREME)
    made = dp.mechanism(
        "posterior_sample", net, 1, epsilon=2, adjacency=adjacency, grid=40, **options
    )
    assert (1.7 if options else 1.1) < exact_loss(net, made, 1) <= 2


def test_the_right_factor_is_needed() -> None:
    """Charging an attribute only for its own node, as P2 does, loses more than it claims (E11)."""
    net = dp.BayesNet({"b": ["a"], "c": ["a"]}, FORK.states, EXTREME | {"c": EXTREME["b"]})
    # three times the budget is what ω = 1/(1 + e^{ε/2}) would allow in this network
    made = dp.mechanism(
        "posterior_sample", net, 1, epsilon=3, adjacency="attribute", omega="cut", grid=60
    )
    omega = rows(made, tables(net, [(0, 0, 0)]))[0].omega
    assert 2 * math.log((1 - omega) / omega) == pytest.approx(1)
    assert exact_loss(net, made, 1) > 2


@settings(deadline=None, max_examples=25)
@example(1e-4, 50, 2, "substitute")  # certainly refused
@given(
    st.floats(1e-4, 40),
    st.integers(1, 50),
    st.integers(2, 1000),
    st.sampled_from(["substitute", "attribute"]),
)
def test_truncation_that_leaves_nothing(
    epsilon: float, samples: int, grid: int, adjacency: str
) -> None:
    """The error names an ε that is enough, and nearly the least."""

    def make(budget: float) -> dp.Mechanism:
        return dp.mechanism(
            "posterior_sample",
            CHAIN,
            1,
            epsilon=budget,
            samples=samples,
            grid=grid,
            adjacency=adjacency,
            omega="cut",
        )

    try:
        make(epsilon)
    except dp.InputError as error:
        found = re.search(r"epsilon must be at least (\S+) for", str(error))
        assert found
        least = float(found.group(1))
        assert least > epsilon
        make(least)
        with pytest.raises(dp.InputError, match="the truncation leaves nothing"):
            make(least * 0.97)


def test_released_samples() -> None:
    counted = tables(CHAIN, [(0, 0, "x"), (1, 1, "z")] * 200)
    made = dp.release(counted, CHAIN, 400, "posterior_sample", samples=3, grid=1000)
    posterior = made.posterior
    assert posterior.samples == 3  # type: ignore[union-attr]
    assert len(made.value) == 3 * CHAIN.size
    for node in CHAIN.nodes:
        parts = [posterior.conditional(node, i) for i in range(3)]  # type: ignore[union-attr]
        assert np.mean(parts, axis=0) == pytest.approx(posterior.mean(node))
        assert np.std(parts, axis=0) == pytest.approx(posterior.sd(node))
    assert posterior.mean("c")[0, 0] > 0.8
    assert posterior.row("c", {"b": 1}).shape == (3, 3)  # type: ignore[union-attr]
    most = 400 * math.log(0.5)  # at the parameters that make the records most likely
    assert most - 50 < posterior.log_likelihood(counted) <= most
    assert "3 released parameters" in repr(posterior)


def test_attribute_level_is_kept_apart(tmp_path: Any) -> None:
    """A budget for whole records cannot be paid with a guarantee for attributes."""
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10, adjacency="substitute")
    counted = tables(PAIR, [(0, 1)] * 9)
    options: dict[str, Any] = {"adjacency": "attribute", "ledger": ledger, "dataset": "net"}
    with pytest.raises(dp.DiscreetError, match="attribute"):
        dp.release(counted, PAIR, 1, "posterior_sample", **options)
    made = dp.release(counted, PAIR, 1, "posterior_sample", adjacency="attribute")
    assert str(made.guarantee) == "ε = 1, δ = 0 for changing one attribute of one record"
    assert dp.Release.from_json(made.to_json()) == made
    assert made.config.n == 9


def test_what_samples_refuse() -> None:
    for options, message in (
        ({"samples": 0}, "samples must"),
        ({"samples": 2.5}, "samples must"),
        ({"grid": 1}, "grid must"),
        ({"omega": 0.4}, "omega must lie between 1e-8 and 1/3"),
        ({"omega": 0}, "omega must"),
        ({"omega": "x"}, "omega must"),
        ({"omega": ["cut"]}, "omega must be one number, or 2"),
    ):
        with pytest.raises(dp.InputError, match=message):
            dp.mechanism("posterior_sample", CHAIN, 3, epsilon=1, **options)


def test_public_limits() -> None:
    wide = dp.BayesNet({}, {"x": ("a", "b")}, prior=1e11)
    for make in (
        partial(dp.mechanism, "posterior_sample", epsilon=1),
        partial(by_mass, epsilon=Fraction(1)),
    ):
        with pytest.raises(dp.InputError, match="n must be at most 100000000"):
            make(PAIR, 10**10)
        with pytest.raises(dp.InputError, match="prior must be at most 100000000"):
            make(wide, 10)
    made = dp.mechanism("posterior_sample", PAIR, 2, epsilon=10**5, omega="cut")
    law = rows(made, tables(PAIR, [(0, 0), (1, 1)]))[0]
    assert law.omega == Fraction(1, 10**8)
    assert law.sample(rng=np.random.default_rng(1))


def test_only_possible_samples_are_read() -> None:
    made = dp.mechanism("posterior_sample", PAIR, 2, epsilon=1, grid=1000)
    raw = made.raw_law(tables(PAIR, [(0, 0), (1, 1)])).sample()
    assert made.postprocess(raw)
    for wrong in ((0,) * 6, (10, 990) * 3, (raw[0] + 1, *raw[1:])):
        with pytest.raises(dp.InputError, match="raw must be"):
            made.postprocess(wrong)


def test_samples_cannot_be_updated() -> None:
    counted = tables(PAIR, [(0, 1), (1, 1)])
    for name in ("posterior_sample", "map"):
        posterior = dp.release(counted, PAIR, 5, name).posterior
        with pytest.raises(dp.NotAPosteriorError, match="release by 'lattice'"):
            posterior.update(counted)
        with pytest.raises(dp.NotAPosteriorError, match="release by 'lattice'"):
            posterior.table("a")
    shown = str(dp.release(counted, PAIR, 5, "posterior_sample").summary())
    assert "No probability was drawn below 0.167, and a record counted as 0.777 of one" in shown
    cut = str(dp.release(counted, PAIR, 5, "posterior_sample", omega="cut").summary())
    assert "what ε leaves of the posterior" in cut
    assert "95 %" not in shown
    wide = dp.release(tables(CHAIN, [(0, 1, "x"), (1, 1, "z")]), CHAIN, 5, "fourier")
    assert "95 %, without the noise" in str(wide.summary())  # nothing knows its noise


def test_a_budget_for_attributes_is_opened_by_name(tmp_path: Any) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10)
    counted = tables(PAIR, [(0, 1)] * 9)
    options: dict[str, Any] = {"ledger": ledger, "dataset": "net"}
    with pytest.raises(dp.PrivacyRefusedError, match="only opened by name"):
        dp.release(counted, PAIR, 1, "posterior_sample", adjacency="attribute", **options)
    ledger.create("net", adjacency="attribute")
    dp.release(counted, PAIR, 1, "posterior_sample", adjacency="attribute", **options)
    dp.release(counted, PAIR, 2, **options)  # replacing a record includes changing an attribute
    assert ledger.remaining("net").epsilon == 7
