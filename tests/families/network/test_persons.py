"""Networks of persons with several records: what one of them can change, and what is promised."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core import Adjacency
from discreet.core.counts import AVERAGED
from discreet.core.curves import Curve
from discreet.core.law import ProductLaw
from discreet.core.tables import Tables
from discreet.exact import balls
from discreet.laws.noise import NoiseLaw
from tests.families.network.networks import CHAIN, FORK, PAIR, tables
from tests.families.network.persons import RULES, counted, persons, vector
from tests.families.network.test_noisy_tables import assert_agreement, parts

NAMES = ("lattice", "laplace_updates")
PRIVATE_N: dict[str, Any] = {"adjacency": "add-remove"}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_what_one_person_changes(rule: str, most: int) -> None:
    """Over all data sets of up to three persons with up to three records, against m|I| and m√|I|.

    What a person adds does not depend on the others, which the data sets show.
    """
    people = list(persons(PAIR, most))
    added = {person: vector(PAIR, person, rule) for person in people}
    data = [0 * added[people[0]]]
    for size in (1, 2):
        some = itertools.combinations_with_replacement(people, size)
        data += [sum(added[person] for person in chosen) for chosen in some]
    size, longest, farthest = len(PAIR.families), 0, 0.0
    for rest in data:
        for person in people:
            change = (rest + added[person]) - rest
            longest = max(longest, int(abs(change).sum()))
            farthest = max(farthest, float(np.linalg.norm(change)))
    reach = AVERAGED if rule == "average" else most
    assert longest == reach * size
    assert farthest == pytest.approx(reach * math.sqrt(size), rel=1e-12)
    swaps = [abs(added[one] - added[two]) for one, two in itertools.combinations(people, 2)]
    assert max(int(swap.sum()) for swap in swaps) == 2 * reach * size
    longest_swap = max(float(np.linalg.norm(swap)) for swap in swaps)
    assert longest_swap == pytest.approx(reach * math.sqrt(2 * size), rel=1e-12)


def pieces(law: Any) -> list[NoiseLaw]:
    """Of the tables that are measured."""
    found: Any = law.parts if isinstance(law, ProductLaw) else (law,)
    return [part for part in found if isinstance(part, NoiseLaw)]


def rates(law: Any) -> list[Fraction]:
    """Of every table."""
    return [law.rate for law in pieces(law)]


@pytest.mark.parametrize("name", NAMES)
def test_the_noise_is_as_wide_as_a_person(name: str) -> None:
    plain = dp.mechanism(name, CHAIN, epsilon=1, **PRIVATE_N)
    nobody = (0,) * CHAIN.size
    once = rates(plain.make_raw_law(nobody))
    assert sum(once) * (1 if name == "lattice" else len(CHAIN.families)) == 1
    for options, wider, said in (
        ({"unit": "patient", "max_per_unit": 3}, 3, "at most 3 records of every patient"),
        ({"unit": "patient"}, 1, "at most one record of every patient"),
        ({"unit": "patient", "per_unit": "average"}, 3600, "every patient weighs one"),
    ):
        made = dp.mechanism(name, CHAIN, epsilon=1, **PRIVATE_N, **options)
        assert [wider * rate for rate in rates(made.make_raw_law(nobody))] == once
        guarantee = made.guarantee
        assert str(guarantee).startswith("ε = 1, δ = 0 for adding or removing one patient")
        assert guarantee.unit == "patient"
        assert guarantee.max_per_unit == options.get("max_per_unit", 1)
        assert "patient" in str(guarantee.basis)
        assert made.config.heading.endswith(said)
        assert pickle.loads(pickle.dumps(made)) == made
        # twice what a record would be told of it
        assert guarantee.under("substitute").epsilon == 2


def test_records_are_stored_as_before() -> None:
    for name in NAMES:
        for n, more in ((3, {}), (None, PRIVATE_N)):
            made = dp.mechanism(name, PAIR, n, epsilon=1, **more)
            assert dict(made.config.options).keys() <= {"shares", "reconcile"}
            asked = dp.mechanism(name, PAIR, n, epsilon=1, max_per_unit=1, **more)
            assert asked == made


@pytest.mark.parametrize("name", NAMES)
def test_one_record_of_every_person_under_substitution(name: str) -> None:
    values = replace(tables(PAIR, [(0, 1), (1, 1)]), unit="patient")
    made = dp.release(values, PAIR, 1, name)
    assert str(made.guarantee) == "ε = 1, δ = 0 for replacing one patient"
    assert "patient" in str(made.guarantee.basis)
    assert dp.Release.from_json(made.to_json()) == made
    plain = dp.mechanism(name, PAIR, 2, epsilon=1)
    assert made.guarantee.curve == plain.guarantee.curve
    vector = PAIR.to_vector(values)
    assert made.mechanism.make_raw_law(vector) == plain.make_raw_law(vector)


# -- curves ------------------------------------------------------------------------------------


def columns(made: dp.Mechanism, values: Any, half: int = 1000) -> list[Any]:
    """The log probabilities of every number of the output, from −half to half."""
    z = np.arange(-half, half + 1)
    laws = pieces(made.make_raw_law(tuple(int(x) for x in values)))
    rates = [(c, float(law.rate)) for law in laws for c in law.center]
    return [math.log(math.tanh(rate / 2)) - rate * abs(z - c) for c, rate in rates]


def divergence(p: list[Any], q: list[Any], alpha: float) -> float:
    """D_α of independent numbers."""
    sums = [
        np.exp(alpha * one + (1 - alpha) * other).sum() for one, other in zip(p, q, strict=True)
    ]
    return float(np.log(sums).sum()) / (alpha - 1)


def bound(curve: Curve | None, alpha: Any) -> float:
    assert curve is not None
    with balls.precision(balls.PRECISION):
        return float(curve.renyi(Fraction(alpha)).upper())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_curve_of_a_person(name: str, most: int) -> None:
    """D_α by summing over all outputs, for all persons who come, go or are replaced."""
    options: Any = {"unit": "patient", "max_per_unit": most}
    made = dp.mechanism(name, PAIR, epsilon=2, **PRIVATE_N, **options)
    nobody = np.zeros(PAIR.size, dtype=int)
    laws = {p: columns(made, vector(PAIR, p, "cut")) for p in persons(PAIR, most)}
    guarantee, empty = made.guarantee, columns(made, nobody)
    for alpha in (1.001, 2.0, 8.0):
        both = [(law, empty) for law in laws.values()]
        alone = max(divergence(*pair, alpha) for law, no in both for pair in ((law, no), (no, law)))
        pairs = itertools.permutations(laws.values(), 2)
        swapped = max(divergence(one, other, alpha) for one, other in pairs)
        for found, curve, promise in (
            (alone, guarantee.curve, guarantee),
            (swapped, guarantee.replacing, guarantee.under("substitute")),
        ):
            assert found <= bound(curve, alpha) * (1 + 1e-7)
            assert found == pytest.approx(bound(curve, alpha), rel=1e-6)  # attained
            assert found <= alpha * float(promise.rho)


def test_delta_of_a_person() -> None:
    """δ(ε) of a person with two records of one kind, over both tables, is below the curve's."""
    more: Any = PRIVATE_N | RULES["cut"] | {"shares": "sizes"}
    made = dp.mechanism("lattice", PAIR, epsilon=2, **more)
    there = vector(PAIR, ((0, 0), (0, 0)), "cut")
    here, moved = (columns(made, values) for values in (0 * there, there))
    changed = [i for i in range(PAIR.size) if there[i]]
    p = np.add.outer(*(here[i] for i in changed)).ravel()
    q = np.add.outer(*(moved[i] for i in changed)).ravel()
    for epsilon in (0.0, 0.5, 1.5):
        for one, other in ((p, q), (q, p)):
            delta = np.maximum(np.exp(one) - math.exp(epsilon) * np.exp(other), 0).sum()
            assert delta <= float(made.guarantee.delta_at(epsilon)) + 1e-9
    assert made.guarantee.delta_at(2) == 0


def test_the_curve_of_an_average_is_that_of_one_record_in_parts() -> None:
    made = dp.mechanism("lattice", PAIR, epsilon=2, **PRIVATE_N, **RULES["average"])
    plain = dp.mechanism("lattice", PAIR, epsilon=2, **PRIVATE_N)
    # noise in small parts tells less than in whole records: nearly continuous Laplace noise
    assert made.guarantee.rho < plain.guarantee.rho
    empty = columns(made, np.zeros(PAIR.size), 200_000)
    for alpha in (1.5, 6.0):
        worst = max(
            divergence(columns(made, vector(PAIR, person, "average"), 200_000), empty, alpha)
            for person in persons(PAIR, 2)
        )
        assert worst <= bound(made.guarantee.curve, alpha) * (1 + 1e-7)
        assert worst == pytest.approx(bound(made.guarantee.curve, alpha), rel=1e-6)


# -- audits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, RULES["cut"], RULES["average"]], ids=str)
def test_an_audit_attains_the_claim(name: str, options: dict[str, Any]) -> None:
    for net in (PAIR, FORK):
        made = dp.mechanism(name, net, epsilon=1.5, **PRIVATE_N, **options)
        found = dp.audit(made, 2)
        assert found.epsilon == found.epsilon_lower == 1.5
        assert found.witness is not None
        here, there = (made.make_raw_law(side) for side in found.witness[:2])
        ratio = here.log_weight(found.witness.output) - there.log_weight(found.witness.output)
        assert float(ratio.mid()) == pytest.approx(1.5, rel=1e-12)
        assert dp.verify(found.certificate.to_json()).epsilon == found.epsilon
        with pytest.raises(dp.DocumentError):
            dp.verify(found.certificate.to_json().replace('"total": 2', '"total": 0'))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, RULES["cut"], RULES["average"]], ids=str)
def test_half_the_noise_is_caught(name: str, options: dict[str, Any]) -> None:
    made, loud = (dp.mechanism(name, PAIR, epsilon=e, **PRIVATE_N, **options) for e in (1, 2))
    assert dp.audit(replace(made, make_raw_law=loud.make_raw_law), 2).epsilon_lower == 2


def test_noise_for_records_is_too_little_for_persons() -> None:
    made = dp.mechanism("lattice", PAIR, epsilon=1, **PRIVATE_N, **RULES["cut"])
    plain = dp.mechanism("lattice", PAIR, epsilon=1, **PRIVATE_N)
    assert dp.audit(replace(made, make_raw_law=plain.make_raw_law), 2).epsilon_lower == 2
    assert dp.audit(replace(made, make_raw_law=plain.make_raw_law), 1).epsilon_lower == 1


def test_an_audit_against_brute_force() -> None:
    """All data sets of up to three records of two nodes, and a person of one or two of them."""
    made = dp.mechanism("lattice", PAIR, epsilon=1, **PRIVATE_N, **RULES["cut"])
    worst = 0.0
    for size in range(3):
        for rest in itertools.combinations_with_replacement(list(persons(PAIR, 1)), size):
            here = sum((vector(PAIR, p, "cut") for p in rest), np.zeros(PAIR.size, dtype=int))
            for person in persons(PAIR, min(2, 3 - size)):
                there = here + vector(PAIR, person, "cut")
                laws = zip(columns(made, here, 9), columns(made, there, 9), strict=True)
                worst = max(worst, sum(float(max(abs(p - q))) for p, q in laws))
    assert worst == pytest.approx(dp.audit(made, 3).epsilon, rel=1e-12)


# -- releases ----------------------------------------------------------------------------------

PEOPLE = [((0, 0), (0, 0)), ((0, 1),), ((1, 1), (0, 1)), ((1, 0),)] * 20


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES)
def test_a_release_of_persons(name: str, rule: str) -> None:
    values = counted(PAIR, PEOPLE, rule)
    assert values.n_records == (80 if rule == "average" else 120)
    made = dp.release(values, PAIR, 400, name, **PRIVATE_N)
    assert made.guarantee.unit == "patient"
    assert dp.Release.from_json(made.to_json()) == made
    weights = [w for table in values.weights for w in table]
    assert np.array(made.value, dtype=float) == pytest.approx(np.array(weights, dtype=float), abs=1)
    assert PAIR.n_records(made.value) == pytest.approx(values.n_records, abs=1)
    assert made.posterior.mean("b") == pytest.approx(PAIR.posterior(values).mean("b"), abs=0.02)
    if name == "lattice":
        assert_agreement(PAIR, made.value)
        assert len({sum(table.ravel()) for table in parts(PAIR, made.value)}) == 1
    else:
        assert min(made.value) >= 0
    if rule == "average":
        scale = AVERAGED * (1 if name == "laplace_updates" else 2**16 * 8)
        assert all((Fraction(x) * scale).denominator == 1 for x in made.value)
    for text in ("patient", made.mechanism.config.counted):
        assert text in str(made.summary()) + repr(made)
    same = dp.release(values, PAIR, 1, name, rng=np.random.default_rng(1), **PRIVATE_N)
    assert same == dp.release(values, PAIR, 1, name, rng=np.random.default_rng(1), **PRIVATE_N)


def test_averages_weigh_every_person_alike() -> None:
    """A posterior of averages is that of the mean over persons."""
    lonely = [((0, 0),)] * 3 + [((1, 1),) * 2]
    once = [((0, 0),)] * 3 + [((1, 1),)]
    first, second = (counted(PAIR, people, "average") for people in (lonely, once))
    assert first.values == second.values
    assert first.weights[0] == (3, 1)
    posterior = PAIR.posterior(first)
    assert posterior.table("a").tolist() == [[4.0, 2.0]]
    assert posterior.update(first).table("a").tolist() == [[7.0, 3.0]]
    plain = tables(PAIR, [(0, 0)] * 3 + [(1, 1)])
    assert posterior.log_likelihood(first) == pytest.approx(posterior.log_likelihood(plain))


def test_what_is_refused() -> None:
    cut, averaged = (counted(PAIR, PEOPLE, rule) for rule in RULES)
    advice = "are protected under adjacency 'add-remove'"
    with pytest.raises(dp.PrivacyRefusedError) as refused:
        dp.release(cut, PAIR, 1)
    assert str(refused.value) == f"counts with up to 2 records per patient {advice} only"
    with pytest.raises(dp.PrivacyRefusedError, match=f"every patient weighs one {advice} only"):
        dp.release(averaged, PAIR, 1)
    with pytest.raises(dp.PrivacyRefusedError) as refused:
        dp.release(cut, PAIR, 1, "fourier")
    assert str(refused.value).endswith(
        f"{advice} with mechanism 'lattice' or 'gaussian' or 'laplace_updates' only"
    )
    said = "counts per patient are released by 'lattice' or 'gaussian' or 'laplace_updates' only"
    for name in ("fourier", "map", "posterior_sample"):
        for values in (cut, averaged, replace(cut, max_per_unit=1)):
            with pytest.raises(dp.PrivacyRefusedError) as refused:
                dp.release(values, PAIR, 1, name, **PRIVATE_N)
            assert str(refused.value) == said
        with pytest.raises(dp.PrivacyRefusedError) as refused:
            dp.release(replace(cut, max_per_unit=1), PAIR, 1, name)
        assert str(refused.value) == said
        with pytest.raises(dp.InputError, match="unit is not an option of"):
            dp.mechanism(name, PAIR, 3, epsilon=1, unit="patient")
    for name in NAMES:
        with pytest.raises(dp.InputError, match="known from the counts and cannot be given"):
            dp.release(cut, PAIR, 1, name, max_per_unit=1, **PRIVATE_N)
        several: tuple[tuple[str, Any, str], ...] = (
            ("max_per_unit", 2, "max_per_unit must be 1 under substitution, got 2"),
            ("per_unit", "average", "per_unit must be 'cut' under substitution, got 'average'"),
        )
        for option, value, sentence in several:
            with pytest.raises(dp.InputError, match=sentence):
                dp.mechanism(name, PAIR, 3, epsilon=1, unit="patient", **{option: value})
        wrong: list[dict[str, Any]] = [{"max_per_unit": 0}, {"unit": ""}, {"per_unit": "mean"}]
        for options in wrong:
            with pytest.raises(dp.InputError, match=next(iter(options))):
                dp.mechanism(name, PAIR, epsilon=1, **PRIVATE_N, **options)
        with pytest.raises(dp.InputError, match="needs the name of a unit"):
            dp.mechanism(name, PAIR, epsilon=1, per_unit="average", **PRIVATE_N)


def test_a_ledger_of_patients(tmp_path: Any) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db")
    ledger.create("visits", 2, adjacency=Adjacency.ADD_REMOVE, unit="patient")
    values: Tables = counted(PAIR, PEOPLE, "cut")
    paid = dp.release(values, PAIR, 1.5, ledger=ledger, dataset="visits", **PRIVATE_N)
    assert float(ledger.remaining("visits").epsilon) == 0.5
    assert ledger.verify(paid).ok
    with pytest.raises(dp.BudgetError):
        dp.release(values, PAIR, 1, ledger=ledger, dataset="visits", **PRIVATE_N)
