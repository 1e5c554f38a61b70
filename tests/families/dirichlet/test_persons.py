"""Counts of categories in which every person weighs one."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core.counts import AVERAGED, Unit
from discreet.errors import InputError, PrivacyRefusedError

MODEL = dp.DirichletMultinomial(("a", "b", "c"), prior=(1, 2, Fraction(1, 2)))
PERSONS: dict[str, Any] = {"unit": "patient", "per_unit": "average"}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("lattice", {}),
    ("gaussian", {"delta": 0.01}),
    ("ls_hist", {}),
]


def counts(*parts: int) -> dp.Counts:
    return dp.Counts(parts, MODEL.categories, unit="patient", per_unit="average")


def made(name: str, epsilon: float = 1, **options: Any) -> dp.Mechanism:
    return dp.mechanism(name, MODEL, epsilon=epsilon, adjacency="add-remove", **options)


def seen(mechanism: dp.Mechanism, raw: tuple[int, ...]) -> dp.Release[Any, Any, Any]:
    """A simulated release with this output."""
    return dp.Release(mechanism, raw, mechanism.postprocess(raw), True, None)


def test_counts_are_of_persons() -> None:
    found = counts(1800, 5400, 3600)
    assert found.n_records == 3
    assert MODEL.posterior(found).parameters == (
        Fraction(3, 2),
        Fraction(7, 2),
        Fraction(3, 2),
    )


@pytest.mark.parametrize(("name", "options"), CASES)
def test_noise_is_that_of_one_record_in_parts(name: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    fine = made(name, **options, **PERSONS).raw_law((0, 0, 0)).sample(100_000, rng) / AVERAGED
    coarse = made(name, **options).raw_law((0, 0, 0)).sample(100_000, rng)
    assert fine.var() == pytest.approx(coarse.var(), abs=0.2)  # of 1.8 to 3.5


@pytest.mark.parametrize(("name", "options"), CASES)
def test_released_counts_are_exact_fractions(name: str, options: dict[str, Any]) -> None:
    release = dp.release(
        counts(1800, 360_001, 5399),
        MODEL,
        epsilon=1,
        mechanism=name,
        adjacency="add-remove",
        rng=np.random.default_rng(1),
        **options,
    )
    assert release.value == tuple(max(Fraction(0), Fraction(z, AVERAGED)) for z in release.raw)
    assert dp.Release.from_json(release.to_json()) == release
    assert release.guarantee.unit == "patient"
    assert "every patient weighs one" in release.title
    total = float(sum(release.posterior.mean()))
    assert total == pytest.approx(1)


@pytest.mark.parametrize("most", [0, 1])
def test_a_person_who_is_one_record_is_that_record(most: int) -> None:
    """At whole numbers of parts the noise-aware posterior of lattice is that of single records."""
    raw = (7, 3, most)
    plain = made("lattice", unit="patient", max_per_unit=1)
    averaged = made("lattice", **PERSONS)
    one = seen(plain, raw).noise_aware()
    parts = tuple(AVERAGED * z for z in raw)
    same = seen(averaged, parts).noise_aware()
    np.testing.assert_allclose(one.mean(), same.mean(), rtol=2e-2)
    np.testing.assert_allclose(one.interval(0.95), same.interval(0.95), atol=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
def test_intervals_cover(name: str, options: dict[str, Any]) -> None:
    """One record each: 95 %; θ drawn from the prior, binomial limits of 1e-6."""
    rng, runs, mechanism = np.random.default_rng(11), 600, made(name, 0.7, **options, **PERSONS)
    inside = np.zeros(3)
    for theta in rng.dirichlet([1, 2, 0.5], runs):
        true = tuple((AVERAGED * rng.multinomial(60, theta)).tolist())
        raw = mechanism.raw_law(true).sample(rng=rng)
        low, high = seen(mechanism, raw).noise_aware((60, 60)).interval(0.95).T
        inside += (low <= theta) & (theta <= high)
    limit = 4.9 * (0.95 * 0.05 / runs) ** 0.5
    assert (abs(inside / runs - 0.95) < limit).all()


def test_of_several_records_intervals_cover_at_least() -> None:
    """Every person has two records, whose mean varies less than either."""
    rng, runs, mechanism = np.random.default_rng(12), 300, made("lattice", 1, **PERSONS)
    inside = 0
    for theta in rng.dirichlet([1, 2, 0.5], runs):
        true = tuple((AVERAGED // 2 * rng.multinomial(160, theta)).tolist())
        raw = mechanism.raw_law(true).sample(rng=rng)
        low, high = seen(mechanism, raw).noise_aware((80, 80)).interval(0.95)[0]
        inside += low <= theta[0] <= high
    assert inside / runs > 0.95


def test_audits_find_the_whole_person() -> None:
    for name, options in CASES[:2]:
        mechanism = made(name, **options, **PERSONS)
        assert dp.audit(mechanism).epsilon == pytest.approx(1, abs=1e-6)
        halved = made(name, 2, **options, **PERSONS)  # half the noise
        assert dp.audit(halved).epsilon > 1.5


def test_a_person_moves_the_counts_by_all_parts() -> None:
    """Whatever the records of a person: 3600 parts in l1, at most that in l2."""
    for records in itertools.product(range(3), repeat=4):
        column = [("a", "b", "c")[i] for i in records]
        found = MODEL.count(
            _frame(column, ["p"] * 4), "outcome", unit="patient", per_unit="average"
        )
        assert sum(found.values) == AVERAGED == Unit("patient", 1, averaged=True).reach
        assert sum(x * x for x in found.values) <= AVERAGED**2


def _frame(outcome: list[str], patient: list[str]) -> Any:
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"outcome": outcome, "patient": patient})


def test_refusals() -> None:
    three = counts(3600, 3600, 3600)
    with pytest.raises(PrivacyRefusedError, match="every patient weighs one are protected under"):
        dp.release(three, MODEL, epsilon=1)
    with pytest.raises(PrivacyRefusedError, match="'lattice'"):
        dp.release(three, MODEL, epsilon=1, mechanism="randomized_response", n=3)
    with pytest.raises(InputError, match="per_unit must be 'cut' under substitution"):
        dp.mechanism("lattice", MODEL, n=3, epsilon=1, **PERSONS)
    with pytest.raises(InputError, match="needs the name of a unit"):
        made("lattice", per_unit="average")
    with pytest.raises(InputError, match="max_per_unit=1"):
        dp.accuracy(made("lattice", **PERSONS), (1, 2, 3))
    with pytest.raises(InputError, match="max_per_unit=1"):
        dp.plan(MODEL, n=9, epsilon=1, adjacency="add-remove", **PERSONS)
    for option in ({"unit": "patient"}, {"max_per_unit": 2}, {"per_unit": "average"}):
        with pytest.raises(InputError, match="must be given to count"):
            dp.release(MODEL.count(["a", "b"]), MODEL, epsilon=1, adjacency="add-remove", **option)
