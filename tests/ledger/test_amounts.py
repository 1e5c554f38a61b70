from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.ledger import Amount

UNIT, FINE = Fraction(1, 10**12), Fraction(1, 10**24)


@given(st.fractions(0, 100), st.fractions(0, 1))
def test_costs_are_rounded_up_and_by_less_than_a_unit(epsilon: Fraction, delta: Fraction) -> None:
    cost = Amount.cost(epsilon, delta)
    assert epsilon <= cost.epsilon < epsilon + UNIT
    assert delta <= cost.delta < delta + FINE


@given(st.fractions(Fraction(1, 10**9), 100), st.fractions(0, Fraction(999, 1000)))
def test_budgets_are_rounded_down_and_by_less_than_a_unit(eps: Fraction, delta: Fraction) -> None:
    budget = Amount.budget(eps, delta)
    assert eps - UNIT < budget.epsilon <= eps
    assert delta - FINE < budget.delta <= delta


def test_decimals_are_exact_as_people_write_them() -> None:
    assert Amount.budget(0.1, 1e-6) == Amount(10**11, 10**18)
    assert Amount.cost(Fraction("0.003"), Fraction(0)).epsilon * 1000 == 3
    assert str(Amount.budget(2.999999999999, 1e-20)) == "ε = 2.999999999999, δ = 1e-20"
    assert str(Amount.budget(100, 0.00001)) == "ε = 100, δ = 0.00001"


@given(st.integers(0, 10**21), st.integers(0, 10**24))
def test_documents_are_read_back(epsilon: int, delta: int) -> None:
    amount = Amount(epsilon, delta)
    assert Amount.read(amount.document()) == amount


def test_covering_and_the_maximum_look_at_both_numbers() -> None:
    small, wide = Amount(1, 5), Amount(2, 3)
    assert not small.covers(wide)
    assert not wide.covers(small)
    assert Amount.largest([small, wide]) == Amount(2, 5)
    assert Amount.largest([]) == Amount()
    assert small + wide == Amount(3, 8)


@pytest.mark.parametrize("budget", [0, -1, 1e-10, 1e10, float("nan"), float("inf"), "3", None])
def test_a_budget_is_a_number_of_ordinary_size(budget: object) -> None:
    with pytest.raises(InputError, match="budget must"):
        Amount.budget(budget, 0)


@pytest.mark.parametrize("delta", [-1e-9, 1, 2, float("nan"), "0"])
def test_a_delta_is_below_one(delta: object) -> None:
    with pytest.raises(InputError, match="delta must"):
        Amount.budget(1, delta)
