"""One contract that every mechanism for networks keeps. It walks `making.NETWORK_MECHANISMS`."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import discreet as dp
from discreet.core import Law
from discreet.core.law import ProductLaw
from discreet.laws.noise import NoiseLaw
from tests.families.network import persons
from tests.families.network.networks import CHAIN, FORK, PAIR, exact_loss, tables
from tests.families.network.persons import RULES
from tests.specs import NETWORK_MECHANISMS
from tests.statistics import noncentrality, pearson

ROOT = Path(__file__).parents[2]
STATES = {"a": (0, 1), "b": (0, 1), "c": (0, 1)}
RECORDS = [(0, 1, 1), (1, 1, 0), (0, 0, 0), (1, 1, 1)]
PRIVATE_N = ("lattice", "gaussian", "laplace_updates")
NEEDED: dict[str, dict[str, Any]] = {"gaussian": {"delta": 1e-6}}
OPTIONS: dict[str, dict[str, Any]] = NEEDED | {"posterior_sample": {"grid": 40}}
PURE = [name for name in NETWORK_MECHANISMS if name not in NEEDED]
EXACT = ("lattice", "laplace_updates", "fourier", "map")  # which lose all that they promise


def nets() -> list[dp.BayesNet]:
    """One node; two; three, of which one has three states."""
    return [dp.BayesNet({}, {"a": ("yes", "no")}), PAIR, CHAIN]


def counted(net: dp.BayesNet, n: int) -> Any:
    """Records of all kinds, repeated."""
    picked = [tuple(s[(i + j) % len(s)] for j, s in enumerate(net.labels)) for i in range(n)]
    return tables(net, picked)


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_exact_loss_is_within_the_claim(name: str, n: int) -> None:
    options = OPTIONS.get(name, {})
    for net in (PAIR, FORK) if n < 3 or name not in OPTIONS else (PAIR,):
        for epsilon in (0.5, 3):
            made = dp.mechanism(name, net, n, epsilon=epsilon, **options)
            audit = dp.audit(made)
            assert audit.epsilon_lower <= audit.epsilon <= epsilon
            assert exact_loss(net, made, n) == pytest.approx(audit.epsilon, rel=1e-9)
            if name in EXACT:
                assert audit.epsilon_lower == audit.epsilon == epsilon


# Priors and ε with which the loss comes near the claim, and the share of it that is then lost.
TIGHT: dict[str, tuple[Any, int, dict[str, Any], float]] = {
    "lattice": (1, 1, {}, 1.0),
    "laplace_updates": (1, 1, {}, 1.0),
    "fourier": (1, 1, {}, 1.0),
    "posterior_sample": (dict.fromkeys("abc", (1, 1000)), 1, {"grid": 60}, 0.75),
    "map": (1, 1, {}, 1.0),
}


@pytest.mark.parametrize("name", PURE)
def test_half_the_noise_is_caught(name: str) -> None:
    prior, epsilon, options, share = TIGHT[name]
    net = dp.BayesNet({"b": ["a"], "c": ["a"]}, STATES, prior)
    made = dp.mechanism(name, net, 1, epsilon=epsilon, **options)
    assert share - 1e-9 <= exact_loss(net, made, 1) / epsilon <= 1 + 1e-9
    louder = dp.mechanism(name, net, 1, epsilon=2 * epsilon, **options)
    wrong = replace(made, make_raw_law=louder.make_raw_law)
    assert exact_loss(net, wrong, 1) > 1.05 * epsilon
    assert dp.audit(wrong).epsilon_lower > 1.05 * epsilon


@pytest.mark.parametrize("name", NETWORK_MECHANISMS)
def test_laws_and_draws(name: str, rng: np.random.Generator) -> None:
    for net in nets():
        for n in (0, 1, 7):
            for epsilon in (1e-3, 1, 50):
                made = dp.mechanism(name, net, n, epsilon=epsilon, **NEEDED.get(name, {}))
                values = counted(net, n)
                raw_law = made.raw_law(values)
                raw = raw_law.sample(rng=rng)
                assert len(raw) == raw_law.dimension
                assert len(made.postprocess(raw)) == net.size
                assert made.law(values).dimension == len(raw)
                if n == 0 and name == "map":
                    assert set(map(float, made.postprocess(raw))) <= {1 / 2, 1 / 3}
                elif n == 0 and name != "posterior_sample":
                    assert made.postprocess(raw) == (0,) * net.size


@pytest.mark.parametrize("name", NETWORK_MECHANISMS)
def test_guarantee_json_pickle_and_posterior(name: str, tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "release.schema.json").read_text(encoding="utf-8"))
    for net in nets():
        values = counted(net, 40)
        made = dp.mechanism(name, net, 40, epsilon=2, **NEEDED.get(name, {}))
        assert made.guarantee.epsilon == 2
        assert made.guarantee.basis is not None
        assert "replacing one record" in repr(made)
        assert pickle.loads(pickle.dumps(made)) == made
        release = dp.release(values, net, 2, name, **NEEDED.get(name, {}))
        assert release.guarantee == made.guarantee
        assert release.value == made.postprocess(release.raw)
        assert release.n_source == "sum of the counts"
        assert pickle.loads(pickle.dumps(release)) == release
        release.save(tmp_path / "release.json", overwrite=True)
        document = json.loads((tmp_path / "release.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(document)
        again = dp.Release.load(tmp_path / "release.json")
        assert again == release
        for node in net.nodes:
            mean = release.posterior.mean(node)
            assert mean.shape == (net.family(node).rows, len(net.states[node]))
            assert mean.sum(axis=1) == pytest.approx(1)
            assert (again.posterior.mean(node) == mean).all()
            assert (release.posterior.sd(node) >= 0).all()
            interval = release.posterior.interval(node)
            assert (interval[..., 0] <= interval[..., 1]).all()
        frame = release.posterior.sample(5, np.random.default_rng(1))
        assert len(frame) == 5
        likelihood = release.posterior.log_likelihood(values)  # where θ is 0 it is −∞
        assert math.isfinite(likelihood) or (name, likelihood) == ("map", -math.inf)
        assert name in repr(release)
        assert "<p>" in release._repr_html_()
        assert str(release.summary())
        edited = document | {"value": [0] * len(document["value"])}
        with pytest.raises(dp.DocumentError):
            dp.Release.from_json(edited)


@pytest.mark.parametrize("name", PRIVATE_N)
@pytest.mark.parametrize("rule", [None, *RULES])
def test_a_private_n_and_persons(name: str, rule: str | None, tmp_path: Path) -> None:
    """What is promised and written, read, drawn and shown, where n is private."""
    schema = json.loads((ROOT / "docs" / "release.schema.json").read_text(encoding="utf-8"))
    options = (RULES[rule] if rule else {}) | NEEDED.get(name, {})
    unit = options.get("unit", "record")
    for net in nets():
        people = [(record,) for record in itertools.product(*net.states.values())] * 3
        values = persons.counted(net, people, rule or "cut", unit=unit, **_most(rule))
        made = dp.mechanism(name, net, epsilon=2, adjacency="add-remove", **options)
        assert f"adding or removing one {unit}" in repr(made)
        more = NEEDED.get(name, {})
        release = dp.release(values, net, 2, name, adjacency="add-remove", **more)
        assert release.guarantee == made.guarantee
        assert (release.n_source, release.config.n) == (None, None)
        document = json.loads(release.to_json())
        jsonschema.Draft202012Validator(schema).validate(document)
        release.save(tmp_path / "release.json", overwrite=True)
        again = dp.Release.load(tmp_path / "release.json")
        assert again == release
        assert pickle.loads(pickle.dumps(again)) == release
        for node in net.nodes:
            for law in (release.posterior, release.noise_aware()):
                mean, interval = law.mean(node), law.interval(node)
                assert mean.sum(axis=1) == pytest.approx(1)
                assert (interval[..., 0] <= interval[..., 1]).all()
        assert str(release.summary())
        assert math.isfinite(release.posterior.log_likelihood(values))
        edits: list[dict[str, Any]] = [{"n": 3}, {"options": {}}]
        edits += [{part: [9] * net.size} for part in ("value", "raw")]
        for edit in edits:
            if document | edit != document:
                with pytest.raises(dp.DocumentError):
                    dp.Release.from_json(document | edit)
        assert math.isfinite(dp.audit(made, None if name in NEEDED else 1).epsilon)


def _most(rule: str | None) -> dict[str, Any]:
    return {} if rule else {"max_per_unit": 1}


@pytest.mark.parametrize("name", NETWORK_MECHANISMS)
def test_simulation_is_reproducible_and_marked(name: str) -> None:
    releases = [
        dp.release(
            *(counted(PAIR, 9), PAIR, 1, name),
            rng=np.random.default_rng(5),
            **NEEDED.get(name, {}),
        )
        for _ in range(2)
    ]
    assert releases[0] == releases[1]
    assert releases[0].simulated


@pytest.mark.parametrize("name", NETWORK_MECHANISMS)
def test_refusals(name: str) -> None:
    more: Any = NEEDED.get(name, {})
    epsilon: Any
    for epsilon in (0, -1, math.nan, "1", True, None):
        with pytest.raises(dp.InputError, match="epsilon must"):
            dp.mechanism(name, PAIR, 3, epsilon=epsilon, **more)
    wrong: Any
    for wrong in (-1, 2.5, None, "6", True):
        with pytest.raises(dp.InputError, match="n must"):
            dp.mechanism(name, PAIR, wrong, epsilon=1, **more)
    with pytest.raises(dp.InputError, match=f"colour is not an option of {name}"):
        dp.mechanism(name, PAIR, 3, epsilon=1, colour="red", **more)
    if name not in PRIVATE_N:
        advice = "use 'lattice' or 'gaussian' or 'laplace_updates'"
        with pytest.raises(dp.InputError, match=rf"adjacency 'substitute'.* {advice}"):
            dp.mechanism(name, PAIR, epsilon=1, adjacency="add-remove")
    if name != "posterior_sample":
        with pytest.raises(dp.InputError, match="use 'posterior_sample'"):
            dp.mechanism(name, PAIR, 3, epsilon=1, adjacency="attribute", **more)
    made = dp.mechanism(name, PAIR, 2, epsilon=1, **more)
    with pytest.raises(dp.InputError, match="counts must sum to the declared n = 2"):
        made.law(tables(PAIR, [(0, 1)]))
    with pytest.raises(dp.InputError, match="another network"):
        made.law(tables(FORK, [(0, 1, 1)]))
    with pytest.raises(dp.InputError, match="tables must be made by"):
        made.law((1, 2, 3))
    for raw in ((1.5, 2), (1,), (1,) * 99, None, (2**70,) * 6, "abc"):
        with pytest.raises(dp.InputError, match="raw must be"):
            made.postprocess(raw)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NETWORK_MECHANISMS)
def test_it_is_paid_for(name: str, tmp_path: Path) -> None:
    more: Any = NEEDED.get(name, {})
    ledger = dp.Ledger.open(tmp_path / "budget.db")
    ledger.create("net", 2, 1.5e-6 if more else 0)
    values = tables(PAIR, [(0, 1), (1, 1)])
    who: Any = {"ledger": ledger, "dataset": "net"} | more
    made = dp.release(values, PAIR, 1.5, name, request_id="one", **who)
    assert float(ledger.remaining("net").epsilon) == 0.5
    assert ledger.verify(made).ok
    again = dp.release(values, PAIR, 1.5, name, request_id="one", **who)
    assert again.value == made.value
    with pytest.raises(dp.BudgetError):
        dp.release(values, PAIR, 1.9, name, **who)


def _finite(law: Law) -> Law:
    """The same law with its tails in a last cell on either side."""
    if isinstance(law, NoiseLaw):
        low, high = min(law.center) - 12, max(law.center) + 12
        return replace(law, center=law.center[:1], low=low, high=high, total=None)
    return law


EPSILONS = {"posterior_sample": (4, 12)}
DRAWN = OPTIONS | {"lattice": {"shares": "sizes"}}


@pytest.mark.parametrize("name", PURE)
def test_draws_follow_the_law(name: str, rng: np.random.Generator) -> None:
    """Of the first part of the output: chi-square, false alarms 1e-6; another ε is rejected."""
    size = 4_000
    laws = []
    for epsilon in EPSILONS.get(name, (3, 5)):
        made = dp.mechanism(name, FORK, 30, epsilon=epsilon, **DRAWN.get(name, {}))
        law = made.raw_law(counted(FORK, 30))
        laws.append(_finite(law.parts[0] if isinstance(law, ProductLaw) else law))
    places = np.union1d(laws[0].support[:, 0], laws[1].support[:, 0])
    truth, wrong = (np.zeros(len(places)) for _ in laws)
    for p, law in zip((truth, wrong), laws, strict=True):
        p[np.searchsorted(places, law.support[:, 0])] = np.exp(law.log_p)
        assert p.sum() == pytest.approx(1, abs=1e-12)
    drawn = laws[0].sample(size, rng)[:, 0]
    observed = np.bincount(np.searchsorted(places, drawn), minlength=len(places))
    often = (truth > 3e-3) & (wrong > 3e-3)  # the rest is one cell, with one of these
    often[np.flatnonzero(often)[0]] = False

    def binned(x: Any) -> Any:
        return np.append(x[often], x[~often].sum())

    statistic, limit = pearson(binned(observed), binned(truth))
    assert statistic < limit
    assert noncentrality(binned(truth), binned(wrong), size) > 150
    statistic, limit = pearson(binned(observed), binned(wrong))
    assert statistic > limit
