"""Noise-aware networks: tables alone against all their counts, calibration, what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

import discreet as dp
from discreet.core import MechanismSpec
from discreet.core.tables import Tables
from discreet.exact import compositions
from discreet.families.network import mixture, moves
from discreet.families.network.mechanisms import noisy_tables
from discreet.families.network.model import BayesNet
from discreet.families.network.noise_aware import infer_network
from discreet.noise_aware import infer
from tests.statistics import FALSE_ALARM

STATES: dict[str, tuple[Any, ...]] = {"a": ("no", "yes"), "b": ("x", "y")}
PRIOR = {"a": [0.5, 2], "b": [[1, 0.3], [2, 4]]}
PAIR = BayesNet({"b": ["a"]}, STATES, PRIOR)
APART = BayesNet({}, {"a": (0, 1), "b": range(4)}, {"a": [0.5, 2], "b": [1, 0.3, 2, 4]})
ALONE = BayesNet({}, {"b": range(4)}, {"b": [1, 0.3, 2, 4]})
WIDE = BayesNet({"b": ["a"]}, {"a": range(4), "b": ("x", "y", "z")})  # 12 cells


def flat(n: Any) -> Any:
    return np.zeros(len(n))


def brute_force(
    net: BayesNet,
    place: int,
    z: Sequence[float],
    rate: float,
    totals: Sequence[int],
    log_p_of_n: Callable[[Any], Any] = flat,
) -> tuple[Any, Any]:
    """Means and standard deviations of the rows of a family, over all its tables."""
    family = net.families[place]
    alpha = np.array([float(a) for a in net.prior[place]])
    counts = np.concatenate([compositions.rows(n, family.cells) for n in totals])
    n, total = counts.sum(axis=1), alpha.sum()
    logs = (special.gammaln(alpha + counts) - special.gammaln(counts + 1.0)).sum(axis=1)
    logs += special.gammaln(n + 1.0) - special.gammaln(total + n) + log_p_of_n(n)
    logs -= rate * np.abs(np.array(z) - counts).sum(axis=1)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    rows = (alpha + counts).reshape(len(counts), family.rows, family.shape[-1])
    sums = rows.sum(axis=2, keepdims=True)
    shares = rows / sums
    mean = np.tensordot(weights, shares, 1)
    variances = shares * (1 - shares) / (sums + 1) + (shares - mean) ** 2
    return mean, np.sqrt(np.tensordot(weights, variances, 1))


def by_family(net: BayesNet, raw: Sequence[int]) -> list[Sequence[int]]:
    ends = np.cumsum([family.cells for family in net.families]).tolist()
    return [raw[e - f.cells : e] for e, f in zip(ends, net.families, strict=True)]


def check(
    net: BayesNet, name: str, raw: Sequence[int], n: int, epsilon: float, **more: str
) -> None:
    found = infer_network(dp.mechanism(name, net, n, epsilon=epsilon, **more), tuple(raw))
    rates = [epsilon / (2 * len(net.families))] * len(net.families)
    if name == "lattice":  # ε·½‖z − c‖₁
        rates = [epsilon * float(part) / 2 for part in noisy_tables.split(net, more["shares"])]
    for place, part in enumerate(by_family(net, raw)):
        node = net.nodes[place]
        mean, sd = brute_force(net, place, part, rates[place], [n])
        np.testing.assert_allclose(found.mean(node), mean, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.sd(node), sd, rtol=0, atol=1e-9)
        assert found.diagnostics(node).method == "exact"


@pytest.mark.parametrize("shares", ["equal", "sizes"])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_lattice_against_all_tables(epsilon: float, shares: str) -> None:
    for head in ((1, 2), (-5, 8), (3, 0)):
        for tail in ((1, 2, 0, 0), (-4, 9, -3, 1), (3, 0, 0, 0)):
            check(APART, "lattice", (*head, *tail), 3, epsilon, shares=shares)


@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_laplace_updates_against_all_tables(epsilon: float) -> None:
    """All cells are noisy and the total is known: of two cells both count."""
    for raw in ((1, 2, 1, 0, 2, 0), (-4, 9, 3, 3, 3, 3), (3, 3, -1, -2, -3, 0), (0,) * 6):
        check(APART, "laplace_updates", raw, 3, epsilon)


@settings(max_examples=25)
@example((3, 0, 0, 0, 0, 0), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 2, 1.0)
@given(
    st.tuples(*[st.integers(-9, 9)] * 6),
    st.tuples(*[st.floats(0.01, 30).map(lambda x: round(x, 3))] * 6),
    st.integers(1, 6),
    st.sampled_from([0.05, 1.0, 6.0]),
)
def test_any_output_and_prior(
    raw: tuple[int, ...], prior: tuple[float, ...], n: int, epsilon: float
) -> None:
    net = BayesNet({}, APART.states, {"a": prior[:2], "b": prior[2:]})
    check(net, "laplace_updates", raw, n, epsilon)
    kept = (raw[0], n - raw[0], *raw[2:5], n - sum(raw[2:5]))
    check(net, "lattice", kept, n, epsilon, shares="sizes")


@pytest.mark.parametrize(
    ("n_prior", "totals", "log_p"),
    [
        (None, range(30), flat),
        ((2, 5), range(2, 6), flat),
        (stats.poisson(4), range(30), stats.poisson(4).logpmf),
    ],
)
def test_a_private_number_of_records(n_prior: Any, totals: Any, log_p: Any) -> None:
    raw = (1, -1, 0, 2)
    for name in ("laplace_updates", "lattice"):
        made = dp.mechanism(name, ALONE, epsilon=2, adjacency="add-remove")
        found = infer(made, raw, n_prior=n_prior)
        mean, sd = brute_force(ALONE, 0, raw, 2, totals, log_p)
        np.testing.assert_allclose(found.mean("b"), mean, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.sd("b"), sd, rtol=0, atol=1e-9)


@pytest.mark.parametrize("epsilon", [4.0, 20.0])
@pytest.mark.parametrize("n_prior", [None, (2, 5)])
def test_persons_with_several_records(epsilon: float, n_prior: Any) -> None:
    """Whole records, with noise of m times the scale; of averages whole persons, noise in parts."""
    totals = range(30) if n_prior is None else range(2, 6)
    for raw in ((1, -1, 0, 2), (3, 1, 0, 0)):
        for options, wider, parts in (
            ({"max_per_unit": 2}, 2, 1),
            ({"per_unit": "average"}, 1, 3600),
        ):
            more: dict[str, Any] = {"adjacency": "add-remove", "unit": "patient"} | options
            made = dp.mechanism("lattice", ALONE, epsilon=epsilon, **more)
            output = [parts * z + (17 * i * i + 1100) * (parts > 1) for i, z in enumerate(raw)]
            found = infer(made, tuple(output), n_prior=n_prior)
            z = [x / parts for x in output]
            mean, sd = brute_force(ALONE, 0, z, epsilon / wider, totals)
            np.testing.assert_allclose(found.mean("b"), mean, rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.sd("b"), sd, rtol=0, atol=1e-9)
            assert found.diagnostics("b").method == "exact"


@pytest.mark.parametrize("name", ["lattice", "laplace_updates"])
def test_no_records(name: str) -> None:
    made = dp.mechanism(name, PAIR, 0, epsilon=1)
    found = infer_network(made, (0,) * 6)
    np.testing.assert_allclose(found.mean("b"), [[1 / 1.3, 0.3 / 1.3], [1 / 3, 2 / 3]])
    with pytest.raises(dp.InputError, match="raw must be an output"):
        infer_network(made, (0, 0, 1, -1, 0, 0))


def counted(net: BayesNet, joint: Any) -> Tables:
    """Tables of a network of two nodes from the counts of both."""
    columns = tuple(family.columns for family in net.families)
    return Tables(columns, (tuple(joint.sum(axis=1).tolist()), tuple(joint.ravel().tolist())))


def release(net: BayesNet, joint: Any, epsilon: float, name: str, seed: int, **more: Any) -> Any:
    rng = np.random.default_rng(seed)
    return dp.release(counted(net, np.array(joint)), net, epsilon, name, rng=rng, **more)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("lattice", {}),
        pytest.param("laplace_updates", {}, marks=pytest.mark.slow),
        pytest.param("laplace_updates", {"adjacency": "add-remove"}, marks=pytest.mark.slow),
        pytest.param("lattice", {"adjacency": "add-remove"}, marks=pytest.mark.slow),
    ],
)
def test_intervals_hold_what_they_say(name: str, more: dict[str, str]) -> None:
    """θ from the prior, data, a release: where θ lies in its posterior. False alarm 1e-6."""
    # Dir(2, 2) for a is what the prior of b's table says of a, so that the posterior is exact
    net = BayesNet({"b": ["a"]}, STATES, {"a": 2, "b": 1})
    rng, runs = np.random.default_rng(6), 100
    aware, plain = np.empty((runs, 3)), np.empty((runs, 3))
    for run in range(runs):
        weights, rows = rng.dirichlet((2, 2)), rng.dirichlet((1, 1), 2)
        n = int(rng.integers(4, 10)) if more else 12
        joint = rng.multinomial(n, (weights[:, None] * rows).ravel()).reshape(2, 2)
        made = release(net, joint, 0.4, name, run, reconcile=None, **more)
        found = made.noise_aware(n_prior=(4, 9) if more else None)
        truth = [("a", None, weights), ("b", 0, rows[0]), ("b", 1, rows[1])]
        for i, (node, place, theta) in enumerate(truth):
            aware[run, i] = found.row(node, place).cdf(theta[0])
            plain[run, i] = made.posterior.row(node, place).cdf(theta[0])
    for i in range(3):
        inside = int((np.abs(aware[:, i] - 0.5) < 0.475).sum())
        assert stats.binomtest(inside, runs, 0.95).pvalue > FALSE_ALARM
        assert stats.kstest(aware[:, i], "uniform").pvalue > FALSE_ALARM
        inside = int((np.abs(plain[:, i] - 0.5) < 0.475).sum())
        assert stats.binomtest(inside, runs, 0.95).pvalue < FALSE_ALARM


def test_intervals_and_rows() -> None:
    found = release(CHAIN_OF_TWO, [[30, 5, 5], [1, 2, 7]], 2, "lattice", 3).noise_aware()
    joint, row = found.joint("c"), found.row("c", {"b": "y"})
    assert joint.categories[3:] == ("b=y, c=0", "b=y, c=1", "b=y, c=2")
    assert row.categories == (0, 1, 2)
    np.testing.assert_allclose(found.mean("c")[1], row.mean())
    np.testing.assert_allclose(found.sd("c")[1], row.sd())
    # neighbouring components are joined: within a fiftieth of a standard deviation
    apart = abs(found.interval("c", 0.9)[1] - row.interval(0.9))
    assert (apart < row.sd()[:, None] / 50).all()
    assert found.interval("c").shape == (2, 3, 2)
    # θ among the cells of a row, from draws of the whole table: within 6 standard errors
    theta = joint.sample(20_000, np.random.default_rng(1))[:, 3:]
    theta /= theta.sum(axis=1, keepdims=True)
    assert (np.abs(theta.mean(axis=0) - row.mean()) < 6 * row.sd() / 20_000**0.5).all()
    for configuration in (1, np.int64(1), ("y",), ["y"]):
        assert (found.row("c", configuration).mean() == row.mean()).all()
    assert found.row("b").categories == ("x", "y")
    assert (found.predictive("c") == found.mean("c")).all()


CHAIN_OF_TWO = BayesNet({"c": ["b"]}, {"b": ("x", "y"), "c": (0, 1, 2)})


def test_plain_rows() -> None:
    posterior = release(CHAIN_OF_TWO, [[30, 5, 5], [1, 2, 7]], 2, "lattice", 3).posterior
    row = posterior.row("c", ("y",))
    assert isinstance(row, dp.DirichletPosterior)
    np.testing.assert_array_equal(row.alpha, posterior.table("c")[1])
    np.testing.assert_allclose(row.interval(), posterior.interval("c")[1], atol=1e-12)


def test_only_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    real = moves.draw

    def counting(problem: Any, *rest: Any) -> Any:
        calls.append(len(problem.prior))
        return real(problem, *rest)

    monkeypatch.setattr(moves, "draw", counting)
    found = release(CHAIN_OF_TWO, [[30, 5, 5], [1, 2, 7]], 1, "lattice", 1).noise_aware()
    assert calls == []
    mean = found.mean("c")
    found.interval("c")
    found.row("c", 1)
    found.sample(10, np.random.default_rng(1))  # the table of b is a marginal of that of c
    assert calls == [6]
    monkeypatch.setattr(mixture, "_KEPT", 0)
    found.mean("b")
    again = pickle.loads(pickle.dumps(found))
    assert (again.mean("b") == found.mean("b")).all()
    assert (again.mean("c") == mean).all()
    assert len(calls) > 1


def test_one_release_has_one_posterior() -> None:
    """In whatever order tables are asked for, and where the counts behind them are drawn."""
    made = release(WIDE, np.full((4, 3), 9), 0.2, "laplace_updates", 1)
    first, second = made.noise_aware(), dp.Release.from_json(made.to_json()).noise_aware()
    assert first.diagnostics("b").method == "chains"
    assert first.diagnostics("b").tables == 2
    second.mean("a")
    for node in ("b", "a"):
        assert (first.mean(node) == second.mean(node)).all()
    one, same, other = (made.noise_aware(rng=np.random.default_rng(i)) for i in (1, 1, 2))
    assert (one.mean("b") == same.mean("b")).all()
    assert (one.mean("b") != other.mean("b")).any()
    # the standard error of so many draws: 6 of them
    worth = min(law.diagnostics("b").ess for law in (one, other))
    assert (np.abs(one.mean("b") - other.mean("b")) < 6 * (2 / worth) ** 0.5 * one.sd("b")).all()


def test_ways_out(tmp_path: Path) -> None:
    made = release(CHAIN_OF_TWO, [[30, 5, 5], [1, 2, 7]], 5, "lattice", 1)
    found = made.noise_aware()
    assert repr(found) == f"<noise-aware posterior of {CHAIN_OF_TWO!r}>"
    records = found.sample(20_000, np.random.default_rng(1))
    share = (records["b"] == "x").mean()
    mean = found.mean("b")[0, 0]
    assert abs(share - mean) < 6 * (mean * (1 - mean) / 20_000) ** 0.5
    logs = np.log(found.mean("b"))[0] @ [2, 1] + np.log(found.mean("c"))[0, 0]
    logs += np.log(found.mean("c"))[0, 2] + np.log(found.mean("c"))[1, 1]
    tables = counted(CHAIN_OF_TWO, np.array([[1, 0, 1], [0, 1, 0]]))
    assert found.log_likelihood(tables) == pytest.approx(logs)
    found.to_bif(tmp_path / "net.bif")
    again = BayesNet.from_bif(tmp_path / "net.bif")
    np.testing.assert_allclose(again.conditional("c"), found.mean("c"))


def test_labels_that_look_alike() -> None:
    net = BayesNet({"b": ["a"]}, {"a": (1, "1"), "b": (0, 1)})
    joint = release(net, [[3, 4], [5, 6]], 3, "lattice", 1).noise_aware().joint("b")
    assert joint.categories == ("a=1, b=0", "a=1, b=1", "a='1', b=0", "a='1', b=1")


@pytest.mark.parametrize(
    ("node", "configuration", "sentence"),
    [
        ("d", 0, "node must be one of 'a', 'b'"),
        ("b", None, r"all parents of 'b' \('a'\), got None"),
        ("b", 2, "configuration must lie between 0 and 1, got 2"),
        ("b", -1, "configuration must lie between 0 and 1, got -1"),
        ("b", True, "configuration must be a whole number"),
        ("b", "yes", r"all parents of 'b' \('a'\), got 'yes'"),
        ("b", ("yes", "no"), "all parents of 'b'"),
        ("b", ("maybe",), "state of 'a' must be one of 'no', 'yes', got 'maybe'"),
        ("b", {"c": "yes"}, "all parents of 'b'"),
        ("a", ("yes",), "it has no parents"),
    ],
)
def test_wrong_rows(node: str, configuration: Any, sentence: str) -> None:
    made = release(PAIR, [[3, 4], [5, 6]], 3, "lattice", 1)
    for law in (made.noise_aware(), made.posterior):
        with pytest.raises(dp.InputError, match=sentence):
            law.row(node, configuration)


def test_what_is_refused() -> None:
    made = dp.mechanism("lattice", PAIR, 3, epsilon=1, shares="sizes")
    for raw in ((1, 2, 3, 0, 0), (1, 2, 3, 0, 0, 0, 0), (1.5, 1.5, 3, 0, 0, 0), None):
        with pytest.raises(dp.InputError, match="raw must be"):
            infer(made, raw)  # type: ignore[arg-type]
    for raw in ((1, 1, 3, 0, 0, 0), (1, 2, 3, 0, 0, 1)):
        with pytest.raises(dp.InputError, match="raw must be an output"):
            infer(made, raw)
    with pytest.raises(dp.InputError, match="n_prior must be None where n is public"):
        infer(made, (1, 2, 3, 0, 0, 0), n_prior=(1, 2))
    with pytest.raises(dp.InputError, match="rng must be"):
        infer(made, (1, 2, 3, 0, 0, 0), rng=7)  # type: ignore[arg-type]
    other = replace(made, config=replace(made.config, mechanism="else"))
    with pytest.raises(dp.InputError, match="mechanism must be one of 'lattice'"):
        infer(other, (1, 2, 3, 0, 0, 0))
    with pytest.raises(dp.InputError, match="of networks are for"):
        infer(dp.mechanism("map", made.config.model, 3, epsilon=1), (1, 2))


def test_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    made = release(WIDE, np.full((4, 3), 1), 3, "lattice", 1)
    found = made.noise_aware()
    summary = made.summary(noise_aware=found)
    text = str(summary)
    assert text.startswith("simulated, not private: lattice, n = 12: ε = 3")
    assert len(summary.rows) == WIDE.size
    assert "more line" not in text
    mean, (low, high) = found.mean("b")[2, 1], found.interval("b")[2, 1]
    plain = made.posterior.mean("b")[2, 1]
    line = ("b", "a=2", "y", f"{plain:.3f}", f"{mean:.3f}", f"{low:.3f} – {high:.3f}")
    assert line in summary.rows
    assert summary.heading[3:5] == ("as released", "noise-aware")
    assert "<td>a=2</td>" in summary._repr_html_()
    one = made.summary(noise_aware=found, node="b")
    assert {row[0] for row in one.rows} == {"b"}
    monkeypatch.setattr("discreet.families.network.summary.SHOWN", 6)
    text = str(made.summary(noise_aware=found))
    assert text.endswith("… 10 more lines; summary(node='b') shows all of one node.")
    assert len(made.summary(noise_aware=found, node="b").rows) == 12
    monkeypatch.setattr("discreet.families.network.summary.LARGE", 11)
    assert made.summary(noise_aware=found).rows[-1][4:] == ("–", "–")
    assert "–" not in made.summary(noise_aware=found, node="b").rows[0][4]
    monkeypatch.setattr(MechanismSpec, "can", lambda *_: False)
    assert made.summary().heading[3:] == ("as released", "95 %, without the noise")
    with pytest.raises(dp.InputError, match="node must be one of 'a', 'b', got 'c'"):
        made.summary(node="c")


def test_plots() -> None:
    made = release(WIDE, np.full((4, 3), 9), 3, "lattice", 1)
    ax = made.plot(node="b")
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[:5] == ["a=0", "x", "y", "z", "a=1"]
    assert len(labels) == 16
    assert ax.get_xlabel().startswith("P(b | a)\n")
    assert "lattice, n = 108" in ax.get_title(loc="left")
    pair = release(PAIR, [[3, 4], [5, 6]], 3, "lattice", 1)
    for law in (pair.posterior, pair.noise_aware()):
        ax = law.plot("b")
        assert [text.get_text() for text in ax.get_yticklabels()] == ["a=no", "a=yes"]
        assert ax.get_xlabel().startswith("P(b = x | a)\nposterior: mean")
        lines = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
        np.testing.assert_allclose(lines, law.mean("b")[:, 0])
    assert [text.get_text() for text in pair.plot(node="a").get_yticklabels()] == ["no"]


def test_a_plot_of_many_rows() -> None:
    long = "a parent with quite a long name"
    net = BayesNet({"b": [long]}, {long: range(50), "b": (0, 1)})
    ax = release(net, np.full((50, 2), 3), 3, "laplace_updates", 1).posterior.plot("b")
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[0] == "0"
    assert labels[-1] == "… and 10 more"
    assert len(labels) == 41


def test_plots_and_summaries_that_are_refused() -> None:
    made = release(PAIR, [[3, 4], [5, 6]], 3, "lattice", 1)
    with pytest.raises(
        dp.InputError, match="node must be given, whose table is drawn: one of 'a', 'b'"
    ):
        made.plot()
    other = release(WIDE, np.full((4, 3), 9), 3, "lattice", 1).noise_aware()
    for use in (made.summary, lambda noise_aware: made.plot(None, noise_aware, "a")):
        with pytest.raises(dp.InputError, match="noise_aware must be the noise-aware posterior"):
            use(noise_aware=other)
    simple = dp.release((3, 4), dp.BetaBinomial(), 1, rng=np.random.default_rng(1))
    for use in (simple.summary, simple.plot):
        with pytest.raises(dp.InputError, match="node is for releases of networks, got 'a'"):
            use(node="a")


@pytest.mark.parametrize("name", ["posterior_sample", "map"])
def test_other_mechanisms_of_networks(name: str) -> None:
    """They have no noise-aware posterior; what was released is shown."""
    net = BayesNet({"b": ["a"]}, STATES)
    made = release(net, [[3, 4], [5, 6]], 3, name, 1)
    with pytest.raises(dp.InputError, match="noise-aware posteriors of networks are for"):
        made.noise_aware()
    summary = made.summary()
    line = ("b", "a=yes", "x", f"{made.posterior.mean('b')[1, 0]:.3f}")
    assert summary.heading[3:] == ("as released",)
    assert line in summary.rows
    assert [text.get_text() for text in made.plot(node="b").get_yticklabels()] == ["a=no", "a=yes"]
    with pytest.raises(dp.InputError, match="noise-aware posteriors of networks are for"):
        made.summary(n_prior=(1, 2))
