"""Normal noise on the tables of networks: exact δ, audits, persons, and what is taken unasked."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core import Law
from tests.families.network.networks import CHAIN, FORK, PAIR, tables

PRIVATE_N: dict[str, Any] = {"adjacency": "add-remove"}
PERSON: dict[str, Any] = PRIVATE_N | {"unit": "patient", "max_per_unit": 2}
DELTA = 1e-4


def made(net: dp.BayesNet, n: int | None, epsilon: float, **options: Any) -> dp.Mechanism:
    return dp.mechanism("gaussian", net, n, epsilon=epsilon, **({"delta": DELTA} | options))


def losses(law: Any, change: tuple[int, ...]) -> tuple[Any, Any]:
    """The privacy losses of all outputs, on a grid, rounded down, and their probabilities."""
    step, size = 1e-4, 1 << 18
    total = np.zeros(size)
    total[0] = 1.0
    numbers = [
        (v, s)
        for part, by in zip(law.parts, split(law, change), strict=True)
        for v, s in zip(getattr(part, "variances", ()), by, strict=False)
        if s
    ]
    for variance, shift in numbers:
        reach = math.ceil(12 * math.sqrt(variance)) + 2
        z = np.arange(-reach, reach + 1)
        p = np.exp(-(z**2) / (2 * float(variance)))
        places = np.floor((2 * z * shift + shift**2) / (2 * float(variance)) / step).astype(int)
        one = np.bincount(places % size, p / p.sum(), size)
        total = np.fft.irfft(np.fft.rfft(total) * np.fft.rfft(one), size)
    places = np.arange(size)
    return np.where(places < size // 2, places, places - size) * step, np.maximum(total, 0)


def split(law: Law, change: tuple[int, ...]) -> list[tuple[int, ...]]:
    parts: Any = law
    ends = np.cumsum([part.dimension for part in parts.parts]).tolist()
    return [change[e - p.dimension : e] for e, p in zip(ends, parts.parts, strict=True)]


CHANGES: list[tuple[dp.BayesNet, int | None, dict[str, Any], tuple[int, ...]]] = [
    (PAIR, 9, {}, (1, -1, 1, 0, 0, -1)),
    (CHAIN, 9, {}, (1, -1, 1, 0, 0, -1, 1, 0, 0, 0, 0, -1)),
    (FORK, 9, {"shares": (0.2, 0.3, 0.5)}, (1, -1, 1, 0, 0, -1, 1, 0, 0, -1)),
    (CHAIN, None, PRIVATE_N, (1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0)),
    (CHAIN, None, PERSON, (2, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0)),
    (CHAIN, None, PERSON, (1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1)),
]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("net", "n", "options", "change"), CHANGES)
def test_delta_by_convolution(
    net: dp.BayesNet,
    n: int | None,
    options: dict[str, Any],
    change: tuple[int, ...],
    epsilon: float,
) -> None:
    """The law of the privacy loss, a sum over all cells that change: δ(ε) is at most δ."""
    mechanism = made(net, n, epsilon, **options)
    law = mechanism.make_raw_law((n or 0,) + (0,) * (net.size - 1))
    loss, p = losses(law, change)
    for target, claimed in ((epsilon, DELTA), (epsilon / 2, None)):
        delta = float((p * np.maximum(-np.expm1(target - np.maximum(loss, target)), 0)).sum())
        limit = claimed or float(mechanism.guarantee.delta_at(target))
        assert delta <= limit * (1 + 1e-3) + 1e-12
        if abs(np.array(change)).max() == max(1, mechanism.guarantee.max_per_unit):
            assert delta > 0.3 * limit  # not wasted either


@pytest.mark.parametrize("n", [9, None])
@pytest.mark.parametrize("net", [PAIR, CHAIN, FORK])
def test_an_audit_finds_epsilon_and_half_the_noise(net: dp.BayesNet, n: int | None) -> None:
    adjacency = "add-remove" if n is None else "substitute"
    mechanism, louder = (made(net, n, epsilon, adjacency=adjacency) for epsilon in (1, 2))
    audit = dp.audit(mechanism)
    assert 0.95 < audit.epsilon_lower <= audit.epsilon <= 1
    wrong = dp.audit(replace(mechanism, make_raw_law=louder.make_raw_law))
    assert wrong.epsilon_lower > 1.5
    assert audit.delta(0.5) > DELTA
    with pytest.raises(dp.InputError, match="total is for finite mechanisms only"):
        dp.audit(mechanism, 3)


def test_noise_for_records_is_too_little_for_persons() -> None:
    person, record = made(CHAIN, None, 1, **PERSON), made(CHAIN, None, 1, **PRIVATE_N)
    assert dp.audit(person).epsilon <= 1
    assert dp.audit(replace(person, make_raw_law=record.make_raw_law)).epsilon_lower > 1.5
    averaged = made(CHAIN, None, 1, **PRIVATE_N, unit="patient", per_unit="average")
    assert dp.audit(averaged).epsilon <= 1
    assert dp.audit(replace(averaged, make_raw_law=record.make_raw_law)).epsilon_lower > 100


def test_what_it_promises() -> None:
    mechanism = made(CHAIN, 9, 1)
    guarantee = mechanism.guarantee
    assert str(guarantee) == "ε = 1, δ = 0.0001 for replacing one record"
    law: Any = mechanism.make_raw_law((9, *[0] * (CHAIN.size - 1)))
    precision = sum(1 / part.variances[0] for part in law.parts[1:])
    assert guarantee.rho == pytest.approx(float(precision), rel=1e-9)  # 2·Σ 1/(2σ²)
    removed = made(CHAIN, None, 1, **PERSON).guarantee
    assert str(removed).endswith("adding or removing one patient (a unit has at most 2 records)")
    assert removed.under("substitute").rho == 2 * removed.rho
    # a single table, of which δ(ε) is exact
    assert made(PAIR, 9, 1).guarantee.curve == replace(
        made(PAIR, 9, 1).guarantee.curve,  # type: ignore[type-var]
        pair=True,
        dimension=2,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "delta must be given for 'gaussian'"),
        ({"delta": 1}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1e-6, "shares": "sizes"}, "shares must be one of 'optimal', 'equal'"),
        ({"delta": 1e-6, "max_per_unit": 2}, "max_per_unit must be 1 under substitution"),
        ({"delta": 1e-12, "epsilon": 1e-9} | PERSON | {"max_per_unit": 10**6}, "would not fit"),
    ],
)
def test_what_is_refused(options: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"epsilon": 1, "n": None if "adjacency" in options else 9} | options
    with pytest.raises(dp.InputError, match=said):
        dp.mechanism("gaussian", PAIR, **given)


def bayes(features: int) -> dp.BayesNet:
    """A class, and features that depend on it alone."""
    names = [f"x{i}" for i in range(features)]
    return dp.BayesNet({name: ["c"] for name in names}, dict.fromkeys(["c", *names], (0, 1)))


def test_the_better_noise_is_taken() -> None:
    few, many = tables(PAIR, [(0, 1)] * 9), bayes(30)
    counted = tables(many, [(0,) * 31] * 9)
    taken = dp.release(few, PAIR, 1, delta=1e-6)
    assert taken.mechanism.name == "lattice"
    assert taken.guarantee.delta == 0
    assert "of gaussian with δ = 1e-06" in taken.title
    normal = dp.release(counted, many, 1, delta=1e-6)
    assert normal.mechanism.name == "gaussian"
    assert normal.reason == (
        "its tables have 0.46 times the standard deviation of those of lattice"
    )
    assert dp.release(counted, many, 1).mechanism.name == "lattice"
    assert dp.release(counted, many, 1, delta=1e-6, shares="sizes").mechanism.name == "lattice"
    hidden = dp.release(counted, many, 1, delta=1e-6, adjacency="add-remove")
    assert hidden.mechanism.name == "gaussian"
    with pytest.raises(dp.InputError, match="shares must be one of"):
        dp.release(counted, many, 1, delta=1e-6, shares="all")
    assert dp.plan(many, 50, epsilon=1, delta=1e-6).guarantee.delta == Fraction(1, 10**6)


def test_its_posterior_is_wider() -> None:
    records = tables(FORK, [(0, 0, 0)] * 120 + [(1, 0, 1)] * 50 + [(1, 1, 1)] * 30)
    release = dp.release(records, FORK, 1, "gaussian", delta=1e-6, rng=np.random.default_rng(1))
    found, exact = release.noise_aware(), FORK.posterior(records)
    for node in FORK.nodes:
        assert (found.sd(node) > exact.sd(node)).any()
        assert (abs(found.mean(node) - exact.mean(node)) < 5 * found.sd(node)).all()
    assert dp.Release.from_json(release.to_json()) == release
