"""Tables that overlap, all used: against sums over all records of small networks, and updates."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import special

import discreet as dp
from discreet.core.tables import Tables
from discreet.exact import Floats, compositions
from discreet.families.network import overlaps, rows
from discreet.families.network.mechanisms import fourier, noisy_tables
from discreet.families.network.mechanisms.consistency import agreeing
from discreet.noise_aware import infer
from discreet.noise_aware.kernels import NormalKernel

BINARY = (0, 1)
# what the priors of larger tables say of smaller ones is the prior of these in EVEN, not in ODD
EVEN = dp.BayesNet({"b": ["a"]}, dict.fromkeys("ab", BINARY), {"a": 2, "b": 1})
ODD = dp.BayesNet(
    {"b": ["a"]}, dict.fromkeys("ab", BINARY), {"a": [0.5, 3], "b": [[1, 0.4], [2, 4]]}
)
CHAIN = dp.BayesNet(
    {"b": ["a"], "c": ["b"]}, dict.fromkeys("abc", BINARY), {"a": 2, "b": 1, "c": 1}
)
COLLIDER = dp.BayesNet({"c": ["a", "b"]}, dict.fromkeys("abc", BINARY), {"a": 4, "b": 4, "c": 1})


def counted(net: dp.BayesNet, joint: Sequence[int]) -> Tables:
    """The tables of a network of binary nodes from the counts of all kinds of records."""
    cells = np.indices((2,) * len(net.nodes)).reshape(len(net.nodes), -1)
    values = []
    for family in net.families:
        axes = [net.nodes.index(name) for name in family.columns]
        places = np.ravel_multi_index(tuple(cells[axes]), family.shape)
        table = np.bincount(places, joint, family.cells)
        values.append(tuple(int(count) for count in table))
    return Tables(tuple(family.columns for family in net.families), tuple(values))


def all_records(
    net: dp.BayesNet, totals: Iterable[int], log_noise: Callable[[Floats, Any], Floats]
) -> dict[str, tuple[Floats, Floats]]:
    """Means and standard deviations of all rows, over all numbers of records of every kind."""
    size = 2 ** len(net.nodes)
    kinds = np.concatenate([compositions.rows(n, size) for n in totals]).astype(np.float64)
    logs = special.gammaln(kinds.sum(axis=1) + 1) - special.gammaln(kinds + 1).sum(axis=1)
    tables, parameters = [], {}
    for family, prior in zip(net.families, net.prior, strict=True):
        axes = [net.nodes.index(name) for name in family.columns]
        cells = np.indices((2,) * len(net.nodes)).reshape(len(net.nodes), -1)
        places = np.ravel_multi_index(tuple(cells[axes]), family.shape)
        table = kinds @ np.eye(family.cells)[places]
        alpha = np.array([float(a) for a in prior]).reshape(family.rows, -1)
        after = alpha + table.reshape(len(kinds), family.rows, -1)
        logs += (special.gammaln(after) - special.gammaln(alpha)).sum(axis=(1, 2))
        whole = special.gammaln(alpha.sum(axis=1)) - special.gammaln(after.sum(axis=2))
        logs += whole.sum(axis=1)
        tables.append(table)
        parameters[family.node] = after
    logs += log_noise(kinds, tables)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    found = {}
    for node, after in parameters.items():
        sums = after.sum(axis=2, keepdims=True)
        shares = after / sums
        mean = np.tensordot(weights, shares, 1)
        variances = shares * (1 - shares) / (sums + 1) + (shares - mean) ** 2
        found[node] = mean, np.sqrt(np.tensordot(weights, variances, 1))
    return found


def on_cells(net: dp.BayesNet, raw: Sequence[int], rates: Sequence[float]) -> Any:
    """The log of Laplace noise on every cell."""
    ends = np.cumsum([family.cells for family in net.families])
    z = [np.array(raw[e - f.cells : e]) for e, f in zip(ends, net.families, strict=True)]

    def log_noise(_: Floats, tables: list[Floats]) -> Floats:
        parts = zip(rates, tables, z, strict=True)
        return np.asarray(-sum(rate * abs(t - seen).sum(axis=1) for rate, t, seen in parts))

    return log_noise


def on_parities(net: dp.BayesNet, raw: Sequence[int], epsilon: float) -> Any:
    cells = np.indices((2,) * len(net.nodes)).reshape(len(net.nodes), -1)
    rate = epsilon / fourier.sensitivity([family.columns for family in net.families])

    def log_noise(kinds: Floats, _: Any) -> Floats:
        total = np.zeros(len(kinds))
        for names, z in zip(fourier.closure(net)[1:], raw, strict=True):
            odd = sum(cells[net.nodes.index(name)] for name in names) % 2
            total -= rate * abs(kinds @ odd - z)
        return total

    return log_noise


def near(found: Any, wanted: dict[str, tuple[Floats, Floats]], mean: float, sd: float) -> None:
    """Means within so many standard deviations, and these within such a share."""
    for node, (means, sds) in wanted.items():
        assert (abs(found.mean(node) - means) < mean * sds).all(), node
        assert (abs(found.sd(node) / sds - 1) < sd).all(), node


NAMES = ["lattice", "lattice by sizes", "laplace_updates", "fourier"]


def check(net: dp.BayesNet, name: str, n: int, epsilon: float, mean: float, sd: float) -> None:
    rng = np.random.default_rng(n)
    joint = rng.multinomial(n, rng.dirichlet(np.ones(2 ** len(net.nodes))))
    more: Any = {"shares": "sizes"} if name == "lattice by sizes" else {}
    tables = counted(net, joint.tolist())
    made = dp.release(tables, net, epsilon, name.split()[0], rng=rng, **more)
    if name == "fourier":
        log_noise = on_parities(net, made.raw, epsilon)
    elif name.startswith("lattice"):
        shares = dict(made.config.options)["shares"]  # 0: not measured
        log_noise = on_cells(net, made.raw, [epsilon * float(part) / 2 for part in shares])
    else:
        number = len(net.families)
        log_noise = on_cells(net, made.raw, [epsilon / (2 * number)] * number)
    near(made.noise_aware(), all_records(net, [n], log_noise), mean, sd)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("net", [EVEN, ODD])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_two_nodes(net: dp.BayesNet, name: str, epsilon: float) -> None:
    """But for the draws this is the posterior: means within some 6 of their standard errors."""
    check(net, name, 15, epsilon, 0.1, 0.1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("net", [CHAIN, COLLIDER])
def test_three_nodes(net: dp.BayesNet, name: str) -> None:
    """What other tables know is taken for normal, and so are the priors of their parents."""
    check(net, name, 7, 1.0, 0.3, 0.12)


def test_a_private_number_of_records() -> None:
    made = dp.mechanism("lattice", EVEN, epsilon=3, adjacency="add-remove", shares="sizes")
    raw = (4, 2, 1, 3, 0, 2)
    rates = [3 * float(part) for part in noisy_tables.split(EVEN, "sizes")]
    for n_prior, totals in ((None, range(25)), ((5, 7), range(5, 8))):
        wanted = all_records(EVEN, totals, on_cells(EVEN, raw, rates))
        near(infer(made, raw, n_prior=n_prior), wanted, 0.1, 0.1)


def test_components_are_those_of_agreement() -> None:
    """The most likely tables, without a prior, are the weighted least squares of `consistency`."""
    shapes, scopes = [(2, 3), (3, 2), (2, 2)], [("a", "b"), ("b", "c"), ("a", "c")]
    rng = np.random.default_rng(2)
    tables = [rng.integers(0, 50, shape) for shape in shapes]
    for table in tables:
        table[0, 0] += 200 - table.sum()
    kernel = NormalKernel(1.0)
    variances = [4, 9, 2]
    seen = [
        overlaps.Seen(names, shape, table.ravel().astype(np.float64), kernel, float(v))
        for names, shape, table, v in zip(scopes, shapes, tables, variances, strict=True)
    ]
    cells: Any = [table.ravel().tolist() for table in tables]
    wanted: Any = agreeing(cells, scopes, shapes, list(map(Fraction, variances)))
    for place, one in enumerate(seen):
        noisy, known, used = overlaps.around(seen, place, totals=False)
        assert used == 3
        precision = np.eye(len(one.z)) * noisy[0].precision
        target = noisy[0].precision * one.z
        for form in known:
            precision += form.precision[np.ix_(form.sums, form.sums)]
            target += (form.precision @ form.centre)[form.sums]
        found = np.linalg.solve(precision, target)
        np.testing.assert_allclose(found, np.array(wanted[place], dtype=float), atol=1e-2)


SECOND = counted(ODD, (1, 6, 3, 0))


@pytest.mark.parametrize("name", ["lattice", "laplace_updates", "fourier"])
def test_without_noise_an_update_pools_the_counts(name: str) -> None:
    first = dp.release(counted(ODD, (9, 4, 0, 7)), ODD, 500, name, rng=np.random.default_rng(1))
    updated = first.noise_aware().update(SECOND)
    pooled = ODD.posterior(counted(ODD, (10, 10, 3, 7)))
    for node in ODD.nodes:
        np.testing.assert_allclose(updated.mean(node), pooled.mean(node), rtol=1e-5)
        np.testing.assert_allclose(updated.sd(node), pooled.sd(node), rtol=1e-5)
        np.testing.assert_allclose(updated.interval(node), pooled.interval(node), rtol=1e-4)


def test_an_update_is_a_prior_that_has_seen_more() -> None:
    joint = (5, 2, 1, 6)
    rng = np.random.default_rng(1)
    made = dp.release(counted(ODD, joint), ODD, 1, rng=rng, shares="sizes")
    prior = {
        "a": [0.5 + 7, 3 + 3],
        "b": [[1 + 1, 0.4 + 6], [2 + 3, 4 + 0]],
    }
    later = dp.BayesNet({"b": ["a"]}, ODD.states, prior)
    rates = [float(part) / 2 for part in noisy_tables.split(ODD, "sizes")]
    wanted = all_records(later, [14], on_cells(later, made.raw, rates))
    found = made.noise_aware().update(SECOND)
    near(found, wanted, 0.1, 0.1)
    twice = made.noise_aware().update(counted(ODD, (1, 0, 3, 0))).update(counted(ODD, (0, 6, 0, 0)))
    again = pickle.loads(pickle.dumps(found))
    for node in ODD.nodes:
        assert (twice.mean(node) == found.mean(node)).all()
        assert (again.mean(node) == found.mean(node)).all()
        nothing = made.noise_aware().update(counted(ODD, (0, 0, 0, 0)))
        assert (nothing.mean(node) == made.noise_aware().mean(node)).all()


def test_tables_of_another_network_are_refused() -> None:
    made = dp.release(counted(ODD, (5, 2, 1, 6)), ODD, 1, rng=np.random.default_rng(1))
    with pytest.raises(dp.InputError, match="tables were counted for another network"):
        made.noise_aware().update(counted(CHAIN, (1,) * 8))
    with pytest.raises(dp.InputError, match="tables must be made by"):
        made.noise_aware().update((1, 2))  # type: ignore[arg-type]


def test_what_the_prior_says_of_the_parents() -> None:
    """The product of two uniform numbers: E[ρ²] is 1/9 in every row; a Dirichlet law of 20/7."""
    net = dp.BayesNet({"c": ["a", "b"]}, dict.fromkeys("abc", BINARY))
    found = rows.parents(net, net.prior)
    assert found["c"].sum() == pytest.approx(20 / 7, rel=0.2)
    np.testing.assert_allclose(found["c"] / found["c"].sum(), 0.25, atol=0.03)
    steep = dp.BayesNet({"c": ["a"]}, {"a": BINARY, "c": BINARY}, {"a": (30, 10), "c": 1})
    found = rows.parents(steep, steep.prior)
    np.testing.assert_allclose(found["c"], (30, 10), rtol=0.6)
    assert found["c"][0] / found["c"].sum() == pytest.approx(0.75, abs=0.03)
