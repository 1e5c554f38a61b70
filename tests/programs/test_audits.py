"""What is proved is true: the exact loss over all small data sets is at most the claim."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from discreet.programs import auditing
from discreet.programs.auditing import Witness
from tests.programs.tables import BROKEN, PROVED, at, size_of, table

EPSILONS = (Fraction(1), Fraction(1, 2), Fraction(2))
LONG = ("clamped", "naive_bayes_substitute", "normal_hellinger", "normal_input")
CASES = [
    pytest.param(
        name,
        eps,
        id=f"{name}-{eps}",
        marks=pytest.mark.slow if name in LONG and eps != 1 else (),
    )
    for name in PROVED
    for eps in EPSILONS
]
LEAST = {  # the share of the claim that is seen to be lost
    "beta_l1": 1.0,
    "beta_l1_add_remove": 1.0,
    "beta_l1_fold": 1.0,
    "beta_l1_half": 1.0,
    "dirichlet_l1": 1.0,
    "adaptive": 1.0,
    "naive_bayes": 1.0,
    "normal_mean": 1.0,
    "normal_mean_tight": 1.0,
    "clamped": 0.999,
    "beta_hellinger": 0.99,
    "beta_hellinger_100": 0.99,
    "beta_hellinger_jeffreys": 0.99,
    "beta_hellinger_prior": 0.99,
    "beta_total_variation": 0.99,
    "dirichlet_hellinger": 0.99,
    "normal_input": 0.99,
    "finite_hellinger": 0.8,
    "normal_hellinger": 0.7,
}


@cache
def worst(name: str, eps: Fraction, slow: bool = False) -> Witness:
    program = PROVED[name]
    found = auditing.worst_loss(program, at(program, eps), size_of(program, slow))
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "eps"), CASES)
def test_no_small_data_show_more_than_is_claimed(name: str, eps: Fraction) -> None:
    found = worst(name, eps)
    assert not found.violated, str(found)
    if eps == 1:  # and the claim is nearly reached
        assert found.tightness >= LEAST.get(name, 0)


def test_the_shares_are_those_of_listed_programs() -> None:
    assert LEAST.keys() <= PROVED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROVED)
def test_no_larger_data_show_more_than_is_claimed(name: str) -> None:
    found = worst(name, Fraction(1), True)
    assert not found.violated, str(found)


@pytest.mark.parametrize("name", ["beta_input", "learn_bias"])
def test_two_candidates_lose_half_of_what_the_exponential_mechanism_claims(name: str) -> None:
    # the sum of the weights is the same for both records
    assert worst(name, Fraction(1)).tightness == pytest.approx(0.5)


@pytest.mark.slow
def test_the_table_has_every_program() -> None:
    lines = table().splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*PROVED, *BROKEN]
    assert all(line.split()[1] in ("PROVED", "REFUTED") for line in lines[1:])
