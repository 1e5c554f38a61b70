"""Mechanisms for the tables of a network: their exact loss, their releases, what is refused."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet.core.tables import Tables
from discreet.exact import compositions
from discreet.laws.product import ProductLaw
from discreet.mechanisms import families
from discreet.mechanisms.lattice import lattice_law
from discreet.models.network import BayesNet

ROOT = Path(__file__).parents[2]
STATES = {"a": (0, 1), "b": (0, 1)}
PAIR = BayesNet({"b": ["a"]}, STATES)
CHAIN = BayesNet({"b": ["a"], "c": ["b"]}, {**STATES, "c": ("x", "y", "z")})


def tables(net: BayesNet, records: Any) -> Tables:
    """Counted in Python."""
    values = []
    for family in net.families:
        places = [net.nodes.index(name) for name in family.columns]
        cells = itertools.product(*(net.states[name] for name in family.columns))
        values.append(
            tuple(sum(tuple(r[p] for p in places) == cell for r in records) for cell in cells)
        )
    return Tables(tuple(family.columns for family in net.families), tuple(values))


def logs(net: BayesNet, made: dp.Mechanism, counted: Tables) -> dict[tuple[int, ...], float]:
    """Log probabilities of outputs: of all of them, or of raw ones that include every data set's.

    At the data themselves additive noise that keeps the total attains its largest ratio.
    """
    if made.name == "laplace_updates":
        law = made.law(counted)
        return dict(zip(map(tuple, law.support.tolist()), law.log_p.tolist(), strict=True))
    raw = made.raw_law(counted)
    shapes = [compositions.rows(counted.total, family.cells).tolist() for family in net.families]
    outputs = [tuple(itertools.chain(*z)) for z in itertools.product(*shapes)]
    return {z: float(raw.log_weight(z).mid()) - raw.log_normaliser for z in outputs}


def exact_loss(net: BayesNet, made: dp.Mechanism, n: int) -> float:
    """The largest |log ratio| over all data, all ways to replace a record, and all outputs."""
    world = list(itertools.product(*net.states.values()))
    found: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}

    def law(records: tuple[Any, ...]) -> dict[tuple[int, ...], float]:
        counted = tables(net, records)
        key = net.flat(counted)
        if key not in found:
            found[key] = logs(net, made, counted)
        return found[key]

    worst = 0.0
    for rest in itertools.combinations_with_replacement(world, n - 1):
        for one, other in itertools.combinations(world, 2):
            p, q = law((*rest, one)), law((*rest, other))
            assert p.keys() == q.keys()
            worst = max(worst, max(abs(p[z] - q[z]) for z in p))
    return worst


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("epsilon", [0.5, 2])
@pytest.mark.parametrize("name", ["laplace_updates", "lattice"])
def test_exact_loss_of_two_nodes(name: str, epsilon: float, n: int) -> None:
    made = dp.mechanism(name, PAIR, n, epsilon=epsilon)
    assert exact_loss(PAIR, made, n) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("shares", ["equal", "sizes"])
def test_exact_loss_of_three_nodes(shares: str) -> None:
    made = dp.mechanism("lattice", CHAIN, 1, epsilon=1.5, shares=shares)
    assert exact_loss(CHAIN, made, 1) == pytest.approx(1.5, rel=1e-9)


def test_half_the_noise_is_caught() -> None:
    for name in ("laplace_updates", "lattice"):
        twice = dp.mechanism(name, PAIR, 2, epsilon=2)
        made = dp.mechanism(name, PAIR, 2, epsilon=1)
        wrong = replace(made, make_law=twice.make_law, make_raw_law=twice.make_raw_law)
        assert exact_loss(PAIR, wrong, 2) > 1.9
    # the whole budget for every table
    cells = tuple(family.cells for family in PAIR.families)
    parts = (Fraction(1), Fraction(1))
    made = dp.mechanism("lattice", PAIR, 2, epsilon=1)
    wrong = replace(made, make_raw_law=partial(families._each, lattice_law, 2, parts, cells))
    assert exact_loss(PAIR, wrong, 2) > 1.9


def test_shares_sum_to_the_budget() -> None:
    for shares in ("equal", "sizes"):
        parts = families.split(CHAIN, Fraction(7, 10), shares)
        assert sum(parts) == Fraction(7, 10)
    assert parts[2] > parts[1] > parts[0]


def test_a_product_law() -> None:
    made = dp.mechanism("lattice", PAIR, 2, epsilon=8)
    law = made.law(tables(PAIR, [(0, 0), (1, 1)]))
    assert isinstance(law, ProductLaw)
    assert np.exp(law.log_p).sum() == pytest.approx(1)
    place = 7
    outcome = tuple(law.support[place].tolist())
    assert law.probability(outcome) == pytest.approx(np.exp(law.log_p[place]))
    drawn = law.sample(50_000, np.random.default_rng(1))
    share = (drawn == law.support[place]).all(axis=1).mean()
    p = np.exp(law.log_p[place])
    assert abs(share - p) < 5 * (p * (1 - p) / 50_000) ** 0.5


@pytest.mark.parametrize("name", ["laplace_updates", "lattice"])
def test_a_release(name: str, tmp_path: Path) -> None:
    data = pd.DataFrame({"a": [0, 1] * 200, "b": [0, 0, 1, 1] * 100, "c": list("xyzz") * 100})
    counted = CHAIN.count(data)
    made = dp.release(counted, CHAIN, epsilon=3, mechanism=name)
    assert made.guarantee.epsilon == 3
    assert made.n_source == "sum of the counts"
    posterior = made.posterior
    assert posterior.mean("c").shape == (2, 3)
    assert posterior.mean("a").sum() == pytest.approx(1)
    if name == "lattice":
        starts = np.cumsum([0, *(family.cells for family in CHAIN.families)])
        for start, end in itertools.pairwise(starts.tolist()):
            assert sum(made.value[start:end]) == 400
    assert min(made.value) >= 0
    made.save(tmp_path / "release.json")
    document = json.loads((tmp_path / "release.json").read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "docs" / "release.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    again = dp.Release.load(tmp_path / "release.json")
    assert again == made
    assert again.posterior.mean("b").tolist() == posterior.mean("b").tolist()
    assert "400" not in repr(counted)


def test_a_private_number_of_records() -> None:
    data = pd.DataFrame({"a": [0, 1, None], "b": [0, 1, 1]}).astype({"a": "Int64"})
    counted = PAIR.count(data, unknown="drop")
    with pytest.raises(dp.PrivacyRefusedError, match="no public n"):
        dp.release(counted, PAIR, epsilon=1)
    with pytest.raises(dp.InputError, match="use 'laplace_updates'"):
        dp.release(counted, PAIR, epsilon=1, adjacency="add-remove")
    made = dp.release(counted, PAIR, 1, "laplace_updates", adjacency="add-remove")
    assert str(made.guarantee) == "ε = 1, δ = 0 for adding or removing one record"
    assert made.config.n is None


def test_it_is_paid_for(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=2)
    counted = tables(PAIR, [(0, 1), (1, 1)])
    made = dp.release(counted, PAIR, epsilon=1.5, ledger=ledger, dataset="net")
    assert ledger.remaining("net").epsilon == Fraction(1, 2)
    assert ledger.verify(made).ok
    with pytest.raises(dp.BudgetError):
        dp.release(counted, PAIR, epsilon=1, ledger=ledger, dataset="net")


def test_what_is_refused() -> None:
    counted = tables(PAIR, [(0, 1)])
    with pytest.raises(
        dp.InputError, match="mechanism must be one of 'lattice', 'laplace_updates'"
    ):
        dp.release(counted, PAIR, epsilon=1, mechanism="ehds")
    with pytest.raises(dp.InputError, match="another network"):
        dp.release(counted, CHAIN, epsilon=1)
    with pytest.raises(dp.InputError, match="tables must be made by"):
        dp.release((1, 2, 3), PAIR, epsilon=1)
    with pytest.raises(dp.InputError, match="counts must sum to the declared n = 5"):
        dp.release(counted, PAIR, epsilon=1, n=5)
    with pytest.raises(dp.InputError, match="shares must be one of"):
        dp.release(counted, PAIR, epsilon=1, shares="all")
    made = dp.mechanism("lattice", PAIR, 1, epsilon=1)
    for use in (dp.audit, lambda m: dp.accuracy(m, counted)):
        with pytest.raises(dp.InputError, match="must be one for counts of categories"):
            use(made)


def test_no_records() -> None:
    for name in ("laplace_updates", "lattice"):
        made = dp.release(tables(PAIR, []), PAIR, epsilon=1, mechanism=name)
        assert made.value == (0,) * 6
