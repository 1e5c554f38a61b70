"""Bayesian networks: structure, counting, posteriors, records, and other libraries' models."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import discreet as dp
from discreet.families.network.model import BayesNet
from tests.optional import module

STATES = {"rain": ("yes", "no"), "sprinkler": (True, False), "grass": (0, 1, 2)}
PARENTS = {"sprinkler": ["rain"], "grass": ["sprinkler", "rain"]}
NET = BayesNet(PARENTS, STATES)
SIZES = {  # nodes, arcs, free parameters: data/README.md
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "sachs": (11, 17, 178),
    "child": (20, 25, 230),
    "insurance": (27, 52, 1008),
    "alarm": (37, 46, 509),
}


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(STATES))


def test_structure() -> None:
    assert NET.nodes == ("rain", "sprinkler", "grass")
    assert NET.parents == {"rain": (), "sprinkler": ("rain",), "grass": ("sprinkler", "rain")}
    assert NET.children == {"rain": ("sprinkler", "grass"), "sprinkler": ("grass",), "grass": ()}
    assert NET.family("grass").shape == (2, 2, 3)
    assert [(f.rows, f.cells) for f in NET.families] == [(1, 2), (2, 4), (4, 12)]
    assert repr(NET) == "<BayesNet of 3 nodes and 3 arcs: rain, sprinkler, grass>"
    turned = BayesNet({"a": ["b"], "b": ["c"], "c": []}, dict.fromkeys("abc", (0, 1)))
    assert turned.order == ("c", "b", "a")


@pytest.mark.parametrize(
    ("parents", "states", "sentence"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "abc", "cycle: a ← b ← c ← a"),
        ({"a": ["a"]}, "a", "cycle: a ← a"),
        ({"z": ["a"], "a": ["b"], "b": ["a"]}, "zab", "cycle: a ← b ← a"),
        ({"rain": [], "grass": ["rainy"]}, ("rain", "grass"), "did you mean 'rain'?"),
        ({"a": ["b"]}, "a", "parent 'b' of 'a' is no node"),
        ({"a": [], "b": ["a"]}, "a", "states of node 'b' must be declared"),
        ({"a": "b", "b": []}, "ab", "parents of 'a' must be a list of nodes in order, got 'b'"),
        ({"a": {"b", "c"}}, "abc", "parents of 'a' must be a list of nodes in order, got a set"),
        ({"a": ["b", "b"], "b": []}, "ab", "must not name a node twice"),
        ({"a": [], 5: ["a"]}, "a", "node must"),
        ({}, "", "at least one node"),
        ([("a", "b")], "ab", "parents must be a mapping"),
    ],
)
def test_bad_structures(parents: Any, states: Any, sentence: str) -> None:
    with pytest.raises(dp.InputError, match=sentence.replace("?", r"\?")):
        BayesNet(parents, dict.fromkeys(states, (0, 1)))


def test_bad_states_and_priors() -> None:
    with pytest.raises(dp.InputError, match="states of 'a' must name at least two states, got"):
        BayesNet({"a": []}, {"a": ["only"]})
    with pytest.raises(dp.InputError, match="states must be given"):
        BayesNet({"a": []})
    for prior in (0, -1, math.nan, {"rain": 1}, {**dict.fromkeys(STATES, 1), "grass": [1, 2]}):
        with pytest.raises(dp.InputError, match="prior"):
            BayesNet(PARENTS, STATES, prior)
    wide = {str(i): list(map(str, range(i))) for i in range(30)}
    with pytest.raises(dp.InputError, match="cells, at most"):
        BayesNet(wide, dict.fromkeys(wide, (0, 1)))


PAIR: tuple[Any, Any] = ({"b": ["a"]}, {"a": (0, 1), "b": (0, 1, 2)})


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ({"a": [1, 1], "b": [[1, 2, 3], [1, 2, 0]]}, "prior['b'][1][2] must be greater than 0"),
        ({"a": [1, "x"], "b": 1}, "prior['a'][1] must be a number, got 'x'"),
        ({"a": 1, "b": -1}, "prior['b'] must be greater than 0, got -1"),
        ({"a": 1}, "prior must have an entry for node 'b'"),
        ({"a": 1, "b": 1, "c": 1}, "prior must be by node, and 'c' is none"),
    ],
)
def test_what_is_said_of_priors(prior: Any, sentence: str) -> None:
    with pytest.raises(dp.InputError, match=f"^{re.escape(sentence)}"):
        BayesNet(*PAIR, prior)


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([0.5, 0.6], 1, "probabilities['a'] must sum to 1, not 1.1"),
        ([0.5, 0.5], [[0, 0, 1], [0.5, 0.6, -0.1]], "probabilities['b'], row 1, must not be neg"),
        ([0.5, 0.5], [[0, 0, 1], [0.5, 0.6, 0.1]], "probabilities['b'], row 1, must sum to 1, not"),
        ([0.5, 0.5], [[0, 0, 1], [1]], "probabilities['b'] must be a number or an array"),
        ([0.5, 0.5], [0, 0, 1], "probabilities of 'b' must be a table of 2 rows and 3 columns"),
    ],
)
def test_what_is_said_of_probabilities(a: Any, b: Any, sentence: str) -> None:
    with pytest.raises(dp.InputError, match=f"^{re.escape(sentence)}"):
        BayesNet(*PAIR, probabilities={"a": a, "b": b})
    with pytest.raises(dp.InputError, match=r"^probabilities must have an entry for node 'b'"):
        BayesNet(*PAIR, probabilities={"a": a})
    with pytest.raises(
        dp.InputError, match=r"^probabilities must be a mapping by node, got a list"
    ):
        BayesNet(*PAIR, probabilities=[a, b])  # type: ignore[arg-type]


def test_priors() -> None:
    net = BayesNet(PARENTS, STATES, {"rain": 0.1, "sprinkler": (1, 2), "grass": np.ones((4, 3))})
    assert net.prior[0] == (Fraction(1, 10),) * 2
    assert list(net.prior[1]) == [1, 2, 1, 2]
    assert list(net.prior[2]) == [1] * 12


def test_a_long_chain_needs_no_recursion() -> None:
    names = [f"x{i}" for i in range(5000)]
    above = {b: [a] for a, b in itertools.pairwise(names)}
    assert BayesNet(above, dict.fromkeys(names, (0, 1))).order[-1] == "x4999"


records = st.lists(
    st.tuples(st.sampled_from(["yes", "no"]), st.booleans(), st.integers(0, 2)), max_size=30
)


@given(records)
def test_counts_are_those_of_a_loop(rows: list[tuple[Any, ...]]) -> None:
    data = frame(rows).astype({"rain": "string", "sprinkler": bool, "grass": int})
    tables = NET.count(data)
    assert tables.n_records == len(rows)
    for family, values in zip(NET.families, tables.values, strict=True):
        cells = itertools.product(*(STATES[name] for name in family.columns))
        places = [list(STATES).index(name) for name in family.columns]
        found = [sum(tuple(r[p] for p in places) == cell for r in rows) for cell in cells]
        assert list(values) == found
    assert "values" not in repr(tables)


def test_missing_and_undeclared_values() -> None:
    data = pl.DataFrame({"rain": ["yes", None, "no"], "sprinkler": [True] * 3, "grass": [0, 1, 7]})
    with pytest.raises(dp.UnknownValuesError) as caught:
        NET.count(data)
    sentence = str(caught.value)
    assert sentence.startswith("column 'rain' and 'grass' must hold declared categories")
    assert "7" not in sentence
    assert "other" not in sentence
    assert (
        "adjacency='add-remove' and mechanism='lattice', 'gaussian' or 'laplace_updates'"
        in sentence
    )
    assert len(caught.value.values) == 2
    tables = NET.count(data, unknown="drop")
    assert (tables.n_records, tables.dropped) == (1, True)
    with pytest.raises(dp.InputError, match="unknown must be one of"):
        NET.count(data, unknown="other")
    with pytest.raises(dp.InputError, match="column 'grass' does not exist"):
        NET.count(data.drop("grass"))


@pytest.mark.parametrize("data", [[], [{"rain": "yes"}], np.zeros((2, 3)), None])
def test_what_is_no_frame(data: Any) -> None:
    with pytest.raises(dp.InputError, match=r"^data must be a data frame or relation with named"):
        NET.count(data)


def test_posterior() -> None:
    rows = [("yes", True, 0)] * 3 + [("no", False, 2)] * 2 + [("no", True, 1)]
    post = NET.posterior(NET.count(frame(rows)))
    assert post.mean("rain").tolist() == [[4 / 8, 4 / 8]]
    assert post.mean("sprinkler").tolist() == [[4 / 5, 1 / 5], [2 / 5, 3 / 5]]
    first = post.table("grass")[0]  # sprinkler on, rain
    assert first.tolist() == [4, 1, 1]
    law = stats.beta(4, 2)
    assert post.sd("grass")[0, 0] == pytest.approx(law.std())
    assert post.interval("grass", 0.9)[0, 0] == pytest.approx(law.ppf([0.05, 0.95]))
    twice = post.update(NET.count(frame(rows)))
    assert twice.table("rain").tolist() == [[7, 7]]
    by_hand = sum(
        math.log(post.mean("rain")[0, STATES["rain"].index(r)])
        + math.log(post.mean("sprinkler")[STATES["rain"].index(r), STATES["sprinkler"].index(s)])
        + math.log(
            post.mean("grass")[2 * STATES["sprinkler"].index(s) + STATES["rain"].index(r), g]
        )
        for r, s, g in rows
    )
    assert post.log_likelihood(frame(rows)) == pytest.approx(by_hand)
    other = BayesNet({"a": []}, {"a": (0, 1)})
    with pytest.raises(dp.InputError, match="another network"):
        NET.posterior(other.count(pd.DataFrame({"a": [0, 1]})))
    with pytest.raises(dp.InputError, match="tables must be made by"):
        NET.posterior([1, 2])  # type: ignore[arg-type]


def test_records_have_the_law_of_the_network(rng: np.random.Generator) -> None:
    """Chi-square of all 12 cells of the joint law, 100,000 records, false alarms 1e-6."""
    net = BayesNet(
        PARENTS,
        STATES,
        probabilities={
            "rain": [0.2, 0.8],
            "sprinkler": [[0.01, 0.99], [0.4, 0.6]],
            "grass": [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6], [0.05, 0.05, 0.9]],
        },
    )
    drawn = net.sample(100_000, rng)
    assert list(drawn.columns) == list(STATES)
    expected, found = [], []
    for (i, r), (j, s), g in itertools.product(
        enumerate(STATES["rain"]), enumerate(STATES["sprinkler"]), range(3)
    ):
        p = net.conditional("rain")[0, i] * net.conditional("sprinkler")[i, j]
        expected.append(1e5 * p * net.conditional("grass")[2 * j + i, g])
        hit = (drawn["rain"] == r) & (drawn["sprinkler"] == s) & (drawn["grass"] == g)
        found.append(int(hit.sum()))
    assert stats.chisquare(found, expected).pvalue > 1e-6
    assert stats.chisquare(found, np.roll(expected, 1)).pvalue < 1e-6
    with pytest.raises(dp.InputError, match="no probabilities"):
        NET.sample(3)


@pytest.mark.parametrize("name", SIZES)
def test_published_networks(name: str, shared_data: Path, tmp_path: Path) -> None:
    net = BayesNet.from_bif(shared_data / "bif" / f"{name}.bif")
    arcs = sum(len(family.parents) for family in net.families)
    free = sum(family.rows * (family.shape[-1] - 1) for family in net.families)
    assert (len(net.nodes), arcs, free) == SIZES[name]
    data = net.sample(2000, np.random.default_rng(1))
    post = net.posterior(net.count(data))
    post.to_bif(tmp_path / "out.bif")
    again = BayesNet.from_bif(tmp_path / "out.bif")
    assert (again.parents, again.states) == (net.parents, net.states)
    for node in net.nodes:
        assert again.conditional(node) == pytest.approx(post.mean(node), abs=1e-15)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pgmpy about itself
@pytest.mark.parametrize("name", ["asia", "child"])
def test_pgmpy_agrees(name: str, shared_data: Path) -> None:
    """The same file, posterior means to 1e-12, and models there and back."""
    module("pgmpy", "peers")
    from pgmpy.estimators import BayesianEstimator
    from pgmpy.readwrite import BIFReader

    path = shared_data / "bif" / f"{name}.bif"
    net, peer = BayesNet.from_bif(path), BIFReader(str(path)).get_model()
    data = net.sample(3000, np.random.default_rng(2)).astype(str)
    post = net.posterior(net.count(data))
    states = {node: list(labels) for node, labels in net.states.items()}
    estimator = BayesianEstimator(peer, data, state_names=states)
    for family in net.families:
        assert ours(peer.get_cpds(family.node), net, family.node) == pytest.approx(
            net.conditional(family.node), abs=1e-9
        )
        ones = np.ones((family.shape[-1], family.rows))
        cpd = estimator.estimate_cpd(family.node, prior_type="dirichlet", pseudo_counts=ones)
        assert ours(cpd, net, family.node) == pytest.approx(post.mean(family.node), abs=1e-12)
    model = post.to_pgmpy()
    assert model.check_model()
    back = BayesNet(model)
    assert (back.parents, back.states) == (net.parents, net.states)
    for node in net.nodes:
        assert back.conditional(node) == pytest.approx(post.mean(node), abs=1e-12)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pgmpy about itself
def test_the_tables_of_pgmpy_follow_the_states_by_name() -> None:
    """Evidence in another order than the arcs, and states of a parent in another order."""
    module("pgmpy", "peers")
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    bare = BayesNet(model, dict.fromkeys("abc", (0, 1)))
    assert bare.probabilities is None
    own = {"a": ["x", "y"], "b": ["u", "v", "w"], "c": ["p", "q"]}
    table = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]])
    model.add_cpds(
        TabularCPD("a", 2, [[0.2], [0.8]], state_names={"a": own["a"]}),
        TabularCPD("b", 3, [[0.3], [0.5], [0.2]], state_names={"b": own["b"]}),
        TabularCPD("c", 2, table, ["b", "a"], [3, 2], {**own, "a": ["y", "x"]}),
    )
    net = BayesNet(model)
    assert net.parents == {"a": (), "b": (), "c": ("b", "a")}
    assert net.states == {name: tuple(labels) for name, labels in own.items()}
    for b, a, c in itertools.product("uvw", "xy", "pq"):
        row = own["b"].index(b) * 2 + own["a"].index(a)
        expected = model.get_cpds("c").get_value(a=a, b=b, c=c)
        assert net.conditional("c")[row, own["c"].index(c)] == expected
    assert list(net.sample(5, np.random.default_rng(0)).columns) == list(net.nodes)
    turned = BayesNet(model, {**own, "c": ["q", "p"]})
    assert turned.conditional("c").tolist() == net.conditional("c")[:, ::-1].tolist()
    assert BayesNet(model, {**own, "c": ["other", "p"]}).probabilities is None
    given = {"a": [0.5, 0.5], "b": [0.2, 0.2, 0.6], "c": np.full((6, 2), 0.5)}
    assert BayesNet(model, probabilities=given).conditional("a").tolist() == [[0.5, 0.5]]
    model.add_cpds(TabularCPD("b", 3, [[0.3], [0.5], [0.2]], state_names={"b": ["u", "v", "z"]}))
    with pytest.raises(dp.InputError, match="the CPD of 'c' must have the states of 'b'"):
        BayesNet(model)


def ours(cpd: Any, net: BayesNet, node: str) -> np.ndarray:
    """A table of pgmpy in our order of parents and states."""
    family = net.family(node)
    table = np.transpose(cpd.values, [*(cpd.variables.index(p) for p in family.parents), 0])
    for axis, name in enumerate(family.columns):
        order = [cpd.state_names[name].index(state) for state in net.states[name]]
        table = np.take(table, order, axis=axis)
    return np.asarray(table.reshape(-1, family.shape[-1]))


def test_a_networkx_graph() -> None:
    networkx = module("networkx", "peers")
    graph = networkx.DiGraph([("rain", "grass"), ("sprinkler", "grass")])
    net = BayesNet(graph, STATES)
    assert net.parents["grass"] == ("rain", "sprinkler")
