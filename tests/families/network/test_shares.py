"""Shares of least variance: against a search, the formula against draws, what is not measured."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import discreet as dp
from discreet.core import PointMass
from discreet.families.network.accuracy import table_variances
from discreet.families.network.mechanisms.noisy_tables import split
from discreet.families.network.mechanisms.shares import components, least_variance
from tests.families.network.networks import CHAIN, FORK, PAIR, tables
from tests.families.network.persons import RULES
from tests.families.network.test_noise_aware import by_family
from tests.families.network.test_noisy_tables import after_agreement, assert_agreement, parts

BOTH: list[tuple[int | None, str]] = [(50, "substitute"), (None, "add-remove")]
WEB = dp.BayesNet(
    {"c": ["a", "b"], "d": ["b", "c"], "e": ["a", "d"], "f": ["b", "c", "d"]},
    {"a": range(2), "b": range(3), "c": range(2), "d": range(4), "e": range(2), "f": range(5)},
)


def scopes_and_shapes(net: dp.BayesNet) -> tuple[Any, Any]:
    return [f.columns for f in net.families], [f.shape for f in net.families]


@pytest.mark.parametrize("totals", [False, True])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("net", [CHAIN, WEB])
def test_no_shares_are_better(net: dp.BayesNet, power: int, totals: bool) -> None:
    """What a general search finds from other starts has no less variance."""
    found = components(*scopes_and_shapes(net), totals)
    costs = np.array([1.0 + 0.1 * i for i in range(len(net.families))])
    p = least_variance(found, costs.tolist(), power)
    assert p.sum() == pytest.approx(1)
    assert ((p > 0) == found.measured).all()
    least = found.variances(p**power / costs).sum()
    places = np.flatnonzero(found.measured)

    def variance(logs: Any) -> float:
        shares = np.zeros(len(p))
        shares[places] = np.exp(logs) / np.exp(logs).sum()
        return float(np.log(found.variances(shares**power / costs).sum()))

    for seed in range(4):
        start = np.random.default_rng(seed).normal(size=len(places))
        best = optimize.minimize(variance, start, method="BFGS")
        assert math.exp(best.fun) >= least * (1 - 1e-9)


@pytest.mark.parametrize("totals", [False, True])
@pytest.mark.parametrize("net", [PAIR, CHAIN, FORK, WEB])
def test_the_variance_is_that_of_all_components(net: dp.BayesNet, totals: bool) -> None:
    """By the sum over all subsets, of tables that are measured or nearly not."""
    scopes, shapes = scopes_and_shapes(net)
    found = components(scopes, shapes, totals)
    w = np.where(found.measured, np.arange(1.0, len(scopes) + 1), 1e-12)
    total = after_agreement(scopes, shapes, (1 / w).tolist())
    if not totals:  # the empty subset
        inverse = np.array([1 / math.prod(shape) for shape in shapes])
        total -= inverse.sum() / (w @ inverse)
    w = np.where(found.measured, w, 0.0)
    assert found.variances(w).sum() == pytest.approx(total, rel=1e-6)
    assert found.influence(w).sum() == pytest.approx(total, rel=1e-6)
    assert (found.own_variances(w) <= found.variances(w)).all()


@pytest.mark.parametrize(("n", "adjacency"), BOTH)
@pytest.mark.parametrize("name", ["lattice", "gaussian"])
def test_the_formula_is_what_is_drawn(name: str, n: int | None, adjacency: str) -> None:
    """All tables within 5 standard errors; a table in others is their marginal."""
    more: Any = {"delta": 1e-6} if name == "gaussian" else {}
    made = dp.mechanism(name, CHAIN, n, epsilon=0.3, adjacency=adjacency, reconcile=None, **more)
    truth = CHAIN.to_vector(tables(CHAIN, [(0, 1, "x")] * 30 + [(1, 1, "z")] * 20))
    rows = made.make_raw_law(truth).sample(400, np.random.default_rng(8))
    released = made.make_released(rows)
    for value in released[:20]:
        assert_agreement(CHAIN, value)
        sums = {sum(table.ravel()) for table in parts(CHAIN, value)}
        assert len(sums) == 1
        assert n is None or sums == {n}
    errors = (released - np.array(truth)).astype(float)
    variances, _ = table_variances(made)
    ends = np.cumsum([family.cells for family in CHAIN.families])[:-1]
    for part, variance in zip(np.split(errors, ends, axis=1), variances, strict=True):
        squares = (part**2).sum(axis=1)
        assert abs(squares.mean() - variance) < 5 * squares.std() / math.sqrt(len(squares))
        assert (abs(part.mean(axis=0)) < 5 * part.std(axis=0) / math.sqrt(len(part))).all()


@pytest.mark.parametrize(("n", "adjacency"), BOTH)
def test_nothing_is_said_of_marginals(n: int | None, adjacency: str) -> None:
    """Zeros in the place of their table, whatever the data are; other zeros are refused."""
    more: Any
    for name, more in (("lattice", {}), ("gaussian", {"delta": 1e-6})):
        made = dp.mechanism(name, PAIR, n, epsilon=1, adjacency=adjacency, **more)
        assert dict(made.config.options)["shares"] == (0, 1)
        for first in ((50, 0), (0, 50)):
            law: Any = made.make_raw_law((*first, 25, 25, 0, 0))
            assert law.parts[0] == PointMass((0, 0))
        raw = law.sample(rng=np.random.default_rng(1))
        assert made.postprocess(raw)[0] == sum(made.postprocess(raw)[2:4])
        with pytest.raises(dp.InputError, match="raw must be an output"):
            made.postprocess((1, -1, *raw[2:]))
        assert dict(
            dp.mechanism(name, FORK, n, epsilon=1, adjacency=adjacency, **more).config.options
        )["shares"] == (0, Fraction(1, 2), Fraction(1, 2))


def test_they_are_better_than_sizes_and_short() -> None:
    for net, (n, adjacency) in itertools.product((CHAIN, WEB), BOTH):
        found = {
            shares: float(
                table_variances(
                    dp.mechanism("lattice", net, n, epsilon=0.1, adjacency=adjacency, shares=shares)
                )[0].sum()
            )
            for shares in ("optimal", "sizes", "equal")
        }
        assert found["optimal"] < 0.95 * min(found["sizes"], found["equal"])
        stored = split(net, "optimal", n is None)
        assert sum(stored) == 1
        assert all(2**14 % share.denominator == 0 for share in stored)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.5, 0, 0.5), r"shares\[1\] must be above 0, as the table of 'b' is no marginal"),
        ((0, 0.5, -0.1), r"shares\[2\] must be above 0, .* got -0.1"),
        ((0, 0.6, 0.6), "shares must sum to 1 at most, got 1.2"),
        ((0, "x", 0.6), r"shares\[1\] must be a number"),
        ((0.5, 0.5), "or 3 numbers, one for every table"),
        ("all", "shares must be one of"),
    ],
)
def test_shares_that_are_refused(shares: Any, said: str) -> None:
    asked: dict[str, dict[str, Any]] = {"lattice": {}, "gaussian": {"delta": 1e-6}}
    for name, more in asked.items():
        with pytest.raises(dp.InputError, match=said):
            dp.mechanism(name, CHAIN, 3, epsilon=1, shares=shares, **more)
    assert dp.mechanism("lattice", CHAIN, 3, epsilon=1, shares=(0, 0.5, 0.4))


@pytest.mark.parametrize("name", ["lattice", "gaussian"])
def test_several_tables_tell_of_their_marginal(name: str) -> None:
    """Many features of one class: its posterior is that of all their noise together."""
    count = 12
    net = dp.BayesNet(
        {f"x{i}": ["c"] for i in range(count)},
        {"c": (0, 1)} | {f"x{i}": (0, 1) for i in range(count)},
    )
    more: Any = {"delta": 1e-6} if name == "gaussian" else {}
    records = tables(net, [(0, *[0] * count)] * 140 + [(1, *[1] * count)] * 60)
    spread, sds, exact = [], [], net.posterior(records)
    for seed in range(16):
        made = dp.release(records, net, 3, name, rng=np.random.default_rng(seed), **more)
        found = made.noise_aware()
        spread.append(found.mean("c")[0, 0] - exact.mean("c")[0, 0])
        sds.append(math.sqrt(found.sd("c")[0, 0] ** 2 - exact.sd("c")[0, 0] ** 2))
    assert 0.5 < float(np.std(spread)) / float(np.mean(sds)) < 2
    assert abs(np.mean(spread)) < 5 * np.std(spread) / math.sqrt(16)


def test_persons_have_the_same_shares() -> None:
    for rule in RULES.values():
        made = dp.mechanism("lattice", CHAIN, epsilon=1, adjacency="add-remove", **rule)
        plain = dp.mechanism("lattice", CHAIN, epsilon=1, adjacency="add-remove")
        assert dict(made.config.options)["shares"] == dict(plain.config.options)["shares"]
    assert by_family(PAIR, range(6))[1] == range(2, 6)
