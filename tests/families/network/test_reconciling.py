"""Noisy tables made into tables, and into the marginals of one law."""

from __future__ import annotations

import importlib
import itertools
import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.exact import Floats
from discreet.families.network.mechanisms import (
    fitting,
    junction_tree,
    near_tables,
    reconciling,
)
from tests.families.network.networks import CHAIN, FORK, PAIR, tables
from tests.families.network.test_noisy_tables import SCOPES, assert_agreement, least_squares, parts

WAYS = ("tables", "model")
SINGLE = dp.BayesNet({}, {"a": ("yes", "no")})
APART = dp.BayesNet(
    {"b": ["a"], "d": ["c"]}, {"a": (0, 1), "b": (0, 1, 2), "c": (0, 1), "d": (0, 1)}
)
BITS = dict.fromkeys("abcdef", (0, 1))
# a cycle of the moral graph, b–d–f–e–c, and a table with three parents
LOOP = dp.BayesNet({"b": ["a"], "c": ["a"], "d": ["b"], "e": ["c"], "f": ["d", "e", "a"]}, BITS)
NETS = {"single": SINGLE, "pair": PAIR, "chain": CHAIN, "apart": APART, "loop": LOOP}


def counted(net: dp.BayesNet, n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return tables(
        net,
        [tuple(states[rng.integers(len(states)) // 2] for states in net.labels) for _ in range(n)],
    )


def structure(net: dp.BayesNet) -> tuple[Any, Any]:
    return tuple(f.columns for f in net.families), tuple(f.shape for f in net.families)


def joint_of(net: dp.BayesNet, probabilities: list[Floats]) -> Floats:
    """The law of all variables, written out."""
    shape = [len(states) for states in net.labels]
    law = np.zeros(shape)
    for place in itertools.product(*map(range, shape)):
        row = dict(zip(net.nodes, place, strict=True))
        law[place] = math.prod(
            table.reshape(f.shape)[tuple(row[name] for name in f.columns)]
            for f, table in zip(net.families, probabilities, strict=True)
        )
    return law


def marginals_of(net: dp.BayesNet, law: Floats) -> list[Floats]:
    found = []
    for f in net.families:
        axes = [net.nodes.index(name) for name in f.columns]
        rest = tuple(i for i in range(law.ndim) if i not in axes)
        kept = sorted(axes)
        found.append(law.sum(axis=rest).transpose([kept.index(a) for a in axes]).ravel())
    return found


CASES: list[tuple[str, str, str]] = [
    (net, mechanism, adjacency)
    for net in NETS
    for mechanism in ("lattice", "gaussian", "laplace_updates", "fourier")
    for adjacency in ("substitute", "add-remove")
    if mechanism != "fourier" or adjacency == "substitute"
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "mechanism", "adjacency"), CASES)
def test_tables_are_tables(name: str, mechanism: str, adjacency: str, way: str) -> None:
    """Not negative, agreeing to the last digit, of the right total; read as they were written."""
    net = NETS[name]
    more: dict[str, Any] = {"adjacency": adjacency, "reconcile": way}
    more |= {"delta": 1e-6} if mechanism == "gaussian" else {}
    asked = [(0, 1), (40, 0.2), (3000, 1)]
    if mechanism != "gaussian":  # whose variance takes long to find at an extreme ε
        asked += [(1, 0.01), (1, 1), (40, 0.001), (40, 1e6)]
    for n, epsilon in asked:
        values = counted(net, n)
        made = dp.release(values, net, epsilon, mechanism, rng=np.random.default_rng(n), **more)
        assert dict(made.config.options)["reconcile"] == way
        assert min(made.value) >= 0
        assert_agreement(net, made.value)
        totals = {sum(table.ravel()) for table in parts(net, made.value)}
        assert len(totals) == 1
        if adjacency == "substitute":
            assert totals == {n}
        elif mechanism == "lattice":
            agreed = dp.mechanism(
                "lattice", net, epsilon=epsilon, adjacency=adjacency, reconcile=None
            )
            total = sum(agreed.postprocess(made.raw)[: net.families[0].cells])
            assert totals == {max(total, 0)}
        again = dp.Release.from_json(made.to_json())
        assert again == made
        assert again.to_json() == made.to_json()
        assert all(type(x) in (int, Fraction) for x in made.value)
        if epsilon == 1e6 and n:
            near = np.array(made.value, dtype=float) - net.to_vector(values)
            assert abs(near).max() < 1e-3
        for node in net.nodes:
            assert made.posterior.mean(node).sum(axis=1) == pytest.approx(1)


def test_the_option() -> None:
    """What is asked, stored and meant by documents that do not say it."""
    asked = dp.mechanism("lattice", PAIR, 9, epsilon=1, reconcile="tables")
    assert dict(asked.config.options)["reconcile"] == "tables"
    assert asked.config.document(1) != dp.mechanism("lattice", PAIR, 9, epsilon=1).config.document(
        1
    )
    for name in ("lattice", "laplace_updates", "fourier"):
        assert "reconcile" not in dict(dp.mechanism(name, PAIR, 9, epsilon=1).config.options)
    with pytest.raises(dp.InputError, match="reconcile must be one of None, 'tables', 'model'"):
        dp.mechanism("lattice", PAIR, 9, epsilon=1, reconcile="best")
    for way in (None, *WAYS):
        made = dp.release(counted(PAIR, 9), PAIR, 1, reconcile=way)
        document = json.loads(made.to_json())
        assert dp.Release.from_json(made.to_json()) == made
        assert document["options"].get("reconcile") == way


def test_what_is_too_large_is_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the structure alone, and the release says so."""
    cells = sum(c.cells for c in junction_tree.junction_tree(*structure(LOOP)) or ())
    for most, way in ((cells, "model"), (cells - 1, "tables")):
        junction_tree.junction_tree.cache_clear()
        monkeypatch.setattr(junction_tree, "MOST_CELLS", most)
        made = dp.release(counted(LOOP, 9), LOOP, 1, reconcile="model")
        assert dict(made.config.options)["reconcile"] == way
        assert dp.Release.from_json(made.to_json()) == made
    junction_tree.junction_tree.cache_clear()
    monkeypatch.setattr(reconciling, "MOST_WORK", 3)
    made = dp.release(counted(LOOP, 9), LOOP, 1)
    assert "reconcile" not in dict(made.config.options)
    nodes = [f"x{i}" for i in range(30)]
    grid = {nodes[i]: [nodes[j] for j in range(i) if (i * j) % 7 < 2][:3] for i in range(30)}
    wide = dp.BayesNet(grid, dict.fromkeys(nodes, tuple(range(5))))
    asked = dp.mechanism("laplace_updates", wide, 9, epsilon=1, reconcile="model")
    assert "reconcile" not in dict(asked.config.options)


@pytest.mark.parametrize("case", range(len(SCOPES)))
def test_levels_are_weighted_least_squares(case: int) -> None:
    scopes, states = SCOPES[case]
    rng = np.random.default_rng(case)
    shapes = tuple(tuple(states[name] for name in scope) for scope in scopes)
    found = [rng.integers(-20, 60, size=shape) for shape in shapes]
    for table in found:
        table.ravel()[0] += 500 - table.sum()
    precision = rng.uniform(1, 9, len(scopes))
    plan = near_tables.layout(tuple(scopes), shapes)
    flat = np.concatenate([t.ravel() for t in found]).astype(float)
    agreed = near_tables.agree(plan, near_tables.weights(plan, precision), 500.0, flat)
    expected = np.concatenate(least_squares(found, scopes, precision.tolist()))
    assert agreed == pytest.approx(expected, abs=1e-9)
    units = np.rint(1000 * agreed)
    settled = near_tables.settle(plan, 500_000.0, units)
    assert abs(settled - units).max() < 200
    again = near_tables.agree(plan, near_tables.weights(plan, precision), 500_000.0, settled)
    assert (np.rint(again) == settled).all()


def test_closed_sets() -> None:
    scopes = (("a", "b", "c"), ("b", "c", "d"), ("c", "e"), ("f",))
    assert near_tables.closed_sets(scopes) == [frozenset("bc"), frozenset("c")]
    assert near_tables.work(scopes, ((2,) * 3, (2,) * 3, (2, 2), (2,)), 100) == 16 + 20
    assert near_tables.work(scopes, ((2,) * 3, (2,) * 3, (2, 2), (2,)), 35) is None
    assert near_tables.closed_sets(scopes, 1) is None


def test_what_is_minimised() -> None:
    """At the tables that the iteration ends with the slope has no part along tables that agree."""
    scopes, shapes = structure(LOOP)
    plan = near_tables.layout(scopes, shapes)
    rng = np.random.default_rng(4)
    noisy = rng.normal(60, 40, LOOP.size)
    precision = rng.uniform(0.5, 2, len(scopes)) / 400
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_tables, "STEPS", 20_000)
        patch.setattr(near_tables, "NEAR", 1e-12)
        near = near_tables.near_tables(plan, precision, 400.0, noisy)
    assert near.tables.min() > 0
    cells = precision[plan.table]
    slope = cells * (near.tables - near.agreeing) - near.prior / near.tables
    along = near_tables.agree(plan, near_tables.weights(plan, precision), 0.0, slope / cells)
    assert abs(slope).max() > 1e-3
    assert abs(along).max() < 1e-8


@pytest.mark.parametrize("name", NETS)
def test_a_junction_tree_has_the_marginals(name: str) -> None:
    """Against the law of all variables written out; whole numbers too are those of one law."""
    net = NETS[name]
    scopes, shapes = structure(net)
    tree = junction_tree.junction_tree(scopes, shapes)
    assert tree is not None
    rng = np.random.default_rng(1)
    states = [f.shape[-1] for f in net.families]
    sizes = [f.cells for f in net.families]
    flat = fitting.conditional(rng.uniform(0.01, 1, net.size), states, sizes)
    given = np.split(flat, np.cumsum(sizes)[:-1])
    laws = junction_tree.beliefs(tree, given)
    found = junction_tree.marginals(tree, laws, sizes)
    for mine, wanted in zip(found, marginals_of(net, joint_of(net, given)), strict=True):
        assert mine == pytest.approx(wanted, abs=1e-14)
    whole = junction_tree.apportioned(tree, 1e9, laws)
    for table, wanted in zip(junction_tree.marginals(tree, whole, sizes), found, strict=True):
        assert table.sum() == 1e9
        assert (table == np.rint(table)).all()
        assert abs(table / 1e9 - wanted).max() < 1e-7
    for clique, units in zip(tree, whole, strict=True):
        assert units.min() >= 0
        if clique.parent >= 0:
            ours = np.bincount(clique.own, units)
            assert (ours == np.bincount(clique.theirs, whole[clique.parent])).all()


def test_a_model_is_one_law() -> None:
    """Tables of a loop that agree need not be marginals of one law: those of a model are."""
    perfect = {"same": (1, 0, 0, 1), "other": (0, 1, 1, 0)}
    net = dp.BayesNet({"b": ["a"], "c": ["b"], "d": ["a", "c"]}, dict.fromkeys("abcd", (0, 1)))
    # a = b = c, but (a, c) unequal: each pair agrees with the others on single variables
    flat = [50, 50, *(50 * x for x in perfect["same"]), *(50 * x for x in perfect["same"])]
    flat += [x for pair in perfect["other"] for x in (25 * pair, 25 * pair)]
    tables_, model = (
        reconciling.reconciling(way, net, [Fraction(1)] * 4, 100, 1, lambda x: x)(np.array([flat]))[
            0
        ]
        for way in WAYS
    )

    def apart(value: Any) -> float:
        """How far a and c are from b = a and c = b carried on."""
        a_b, b_c, a_c_d = parts(net, value)[1:]
        a_c = a_c_d.astype(float).sum(axis=2)
        return float(a_c[0, 0] + a_c[1, 1] + a_b[0, 1] + a_b[1, 0] + b_c[0, 1] + b_c[1, 0])

    assert apart(tables_) < 5  # of a law of a, b and c it is 100 at least: one of three must hold
    assert apart(model) >= 100
    assert_agreement(net, model)


def test_a_model_is_never_further_from_its_aim() -> None:
    """Steps only go down, and some are made."""
    net = LOOP
    scopes, shapes = structure(net)
    plan = near_tables.layout(scopes, shapes)
    tree = junction_tree.junction_tree(scopes, shapes)
    assert tree is not None
    noisy = np.random.default_rng(2).normal(60, 25, net.size)
    precision = np.full(len(scopes), 1 / 600)
    near = near_tables.near_tables(plan, precision, 400.0, noisy)
    start = np.maximum(near.tables, 1e-6)
    states = [f.shape[-1] for f in net.families]

    def aim() -> float:
        laws = fitting.fitted(tree, states, precision, near, start)
        found = 400 * np.concatenate(
            junction_tree.marginals(tree, laws, [f.cells for f in net.families])
        )
        cells = precision[plan.table]
        return float((cells * (found - near.agreeing) ** 2 / 2 - near.prior * np.log(found)).sum())

    losses = []
    for steps in (0, 1, 3, 10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fitting, "STEPS", steps)
            losses.append(aim())
    assert losses[0] > losses[1] >= losses[2] >= losses[3]


def test_logarithms() -> None:
    x = np.exp(np.random.default_rng(1).uniform(-650, 650, 10_000))
    assert fitting.logarithm(x) == pytest.approx(np.log(x), rel=1e-15, abs=1e-15)
    assert fitting.logarithm(np.array([1.0, 0.5]))[0] == 0
    edges = np.array([2**-0.5, 2**0.5, 1 - 2**-53, 1 + 2**-52, 5e-324])
    assert fitting.logarithm(edges) == pytest.approx(np.log(edges), rel=1e-15)


def test_huge_numbers_and_large_noise() -> None:
    for n in (2**40, 2**61):
        for way in WAYS:
            made = dp.mechanism("lattice", CHAIN, n, epsilon=1e-3, reconcile=way)
            values = tuple(x for f in CHAIN.families for x in (n, *(0,) * (f.cells - 1)))
            value = made.postprocess(made.make_raw_law(values).sample(rng=np.random.default_rng(1)))
            assert min(value) >= 0
            assert_agreement(CHAIN, value)
            assert {sum(t.ravel()) for t in parts(CHAIN, value)} == {n}


def test_a_total_that_noise_made_negative() -> None:
    for way in WAYS:
        more: dict[str, Any] = {"adjacency": "add-remove", "reconcile": way, "shares": "sizes"}
        made = dp.mechanism("lattice", FORK, epsilon=1, **more)
        assert made.postprocess((-3,) * FORK.size) == (0,) * FORK.size
        tiny = made.postprocess((1, *(0,) * (FORK.size - 1)))
        assert min(tiny) >= 0
        assert 0 < sum(tiny[: FORK.families[0].cells]) < 1
        assert_agreement(FORK, tiny)


SAID = """
import sys, json, hashlib
import numpy as np, discreet as dp
net = dp.BayesNet({"b": ["a"], "c": ["a", "b"], "d": ["c"], "e": ["b", "d"]},
                  {name: tuple(range(2 + i % 3)) for i, name in enumerate("abcde")})
rng = np.random.default_rng(1)
found = []
for way in ("tables", "model"):
    made = dp.mechanism("laplace_updates", net, 900, epsilon=1, reconcile=way)
    for scale in (3, 30, 300):
        value = made.postprocess(30 + rng.integers(-scale, scale, net.size))
        found.append([str(x) for x in value])
print(hashlib.sha256(json.dumps(found).encode()).hexdigest())
"""
# of sums and products in a stated order: any machine has the same
DIGEST = "2db57fb2696e8615a1d3ba00fe163bdca394a1875890a4502510ad7074feb21e"


def test_another_process_finds_the_same() -> None:
    """With another seed of hashes, and with numpy's loops for other processors."""
    plain = {k: v for k, v in os.environ.items() if k != "NPY_DISABLE_CPU_FEATURES"}
    loops: Any = importlib.import_module("numpy._core._multiarray_umath")
    known, here = loops.__cpu_dispatch__, loops.__cpu_features__
    features = " ".join(name for name in known if here.get(name))
    for more in (
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "2", "NPY_DISABLE_CPU_FEATURES": features},
    ):
        done = subprocess.run(
            [sys.executable, "-c", SAID],
            env=plain | more,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == DIGEST


def test_a_large_network_is_reconciled() -> None:
    """As many nodes as munin, two to five states, at most three parents."""
    rng = np.random.default_rng(1)
    states = {f"v{i}": tuple(range(rng.integers(2, 6))) for i in range(724)}
    parents = {
        f"v{i}": [f"v{j}" for j in rng.permutation(np.arange(max(0, i - 6), i))[: rng.integers(4)]]
        for i in range(724)
    }
    net = dp.BayesNet(parents, states)
    made = dp.mechanism("laplace_updates", net, 5000, epsilon=1, reconcile="model")
    assert dict(made.config.options)["reconcile"] == "model"
    value = made.postprocess(rng.integers(-900, 1000, net.size))
    assert min(value) >= 0
    rest = iter(value)
    seen: dict[str, Any] = {}
    for family in net.families:
        table = np.array(list(itertools.islice(rest, family.cells)), dtype=object)
        for axis, name in enumerate(family.columns):
            other = tuple(i for i in range(len(family.shape)) if i != axis)
            marginal = tuple(table.reshape(family.shape).sum(axis=other))
            assert seen.setdefault(name, marginal) == marginal
    assert all(sum(marginal) == 5000 for marginal in seen.values())
