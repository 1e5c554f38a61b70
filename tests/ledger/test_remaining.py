"""What is left in the user's terms, and what a number of releases needs."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.errors import BudgetError, InputError
from discreet.ledger import Account, Amount, Ledger
from discreet.ledger.remaining import needed, remaining
from tests.ledger.cases import ABOUT, guarantee

MILLIONTH = Fraction(1, 10**6)
SMALL = Fraction(1, 10**10)


def test_it_prints_how_many_more(place: str) -> None:
    ledger = Ledger.open(place, budget=3, delta=1e-6)
    ledger.create("plain", delta=0)
    assert str(ledger.remaining("plain")) == "ε = 3, δ = 0"
    for _ in range(14):
        ledger.charge("d", guarantee("0.1"), ABOUT)
    left = ledger.remaining("d")
    assert str(left) == "ε = 1.6, δ = 5e-9 by the sums; at ε = 0.1 each, 27 more"
    assert left == Amount.budget(1.6, 5e-9) != Amount.budget(1.6, 0)
    assert (left.each, left.more) == (Fraction(1, 10), ledger.releases_left("d", 0.1))


@pytest.mark.parametrize(
    ("budget", "each"),
    [(3, "0.1"), (1, "0.05"), (0.019, "0.0005"), (1e9, "1e6"), (1e-8, "1e-9"), (1e-9, "1e-9")],
)
def test_small_releases_are_round(place: str, budget: float, each: str) -> None:
    Ledger.open(place, budget, delta=1e-6).create("d")
    assert Ledger.open(place).remaining("d").each == Fraction(each)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_left_that_is_refused(seed: int) -> None:
    """Whatever was released, and raised, before or after: what the sums leave can be paid."""
    rng = np.random.default_rng(seed)
    parts = ("north", "south") if seed % 2 else ()
    opened = Account.new("d", Amount.budget(1, 1e-6), "add-remove", "record", parts, order=None)
    budget = 1
    for turn in range(30):
        part = str(rng.choice(parts)) if parts and rng.random() < 0.7 else None
        if turn == seed % 4 or rng.random() < 0.1:
            with suppress(InputError):  # what composed may cost more than the sums
                opened = opened.raised(Amount.budget(budget + 1, 1e-6))
                budget += 1
        left = remaining(opened, part)
        assert opened.pay(Amount(left.epsilon_units, left.delta_units), part)
        cost = opened.cost(
            guarantee(rng.choice(["0.05", "0.3"]), int(rng.integers(2)) * SMALL, "add-remove")
        )
        with suppress(BudgetError):
            opened = opened.pay(cost, part)
    assert budget > 1


def test_a_raise_before_anything_was_released_keeps_no_delta() -> None:
    opened = Account.new("d", Amount.budget(1, 1e-6), "substitute", "record", order=None)
    raised = opened.raised(Amount.budget(2, 1e-6))
    assert raised.pay(Amount.cost(Fraction(2), MILLIONTH)).remaining() == Amount()


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-7), (0.2, 1e-6), (1, 1e-6), (1, 1e-9), (3, 1e-8), (8, 1e-4)]
)
def test_no_more_normal_noise_is_left_than_is_admitted(epsilon: float, delta: float) -> None:
    """Whatever the family: the noise of counts is coarse, that of sums all but continuous."""
    line = dp.LinearRegression(bounds={"x": (0, 1), "y": (0, 1)}).of("y")
    models: list[tuple[str, Any]] = [
        ("gaussian", dp.BetaBinomial()),
        ("gaussian", dp.NormalMean(bounds=(0, 1))),
        ("statistics", line),
    ]
    for adjacency in ("substitute", "add-remove"):
        opened = Account.new("d", Amount.budget(30, 1e-3), adjacency, "record", order=None)
        n = 50 if adjacency == "substitute" else None
        costs = [
            opened.cost(
                dp.mechanism(
                    name, model, n=n, epsilon=epsilon, delta=delta, adjacency=adjacency
                ).guarantee
            )
            for name, model in models
        ]
        assert opened.filter is not None
        admitted = [opened._more(Amount(), cost) for cost in costs]
        assert opened.releases_left(epsilon, delta) == min(admitted) > 3


@pytest.mark.parametrize(("epsilon", "releases"), [("0.1", 100), ("0.02", 125), ("0.3", 200)])
def test_what_is_needed_is_enough_and_a_little_less_is_not(epsilon: str, releases: int) -> None:
    paid = guarantee(epsilon)
    found = needed(paid, releases, MILLIONTH)
    assert found.wins == "composed"
    assert found.composed is not None
    assert found.summed == Amount.cost(releases * Fraction(paid.epsilon), Fraction(0))
    for share, enough in ((1, True), (Fraction(999, 1000), False)):
        budget = Amount.budget(share * found.composed.epsilon, MILLIONTH)
        opened = Account.new("d", budget, "substitute", "record", order=None)
        assert (opened.releases_left(Fraction(epsilon)) >= releases) is enough


def test_a_few_large_releases_add_up() -> None:
    assert needed(guarantee("1"), 3, MILLIONTH).wins == "sums"
    assert needed(guarantee("0.1"), 10, MILLIONTH).composed is None


def test_more_releases_need_more() -> None:
    budgets = [needed(guarantee("0.05"), number, MILLIONTH).composed for number in (50, 99, 100)]
    for few, many in pairwise(budgets):
        assert few is not None
        assert many is not None
        assert few.epsilon < many.epsilon


def test_a_plan_tells_which_wins() -> None:
    plan = dp.plan(dp.BetaBinomial(), n=300, epsilon=0.1, releases=100)
    assert plan.budget == needed(plan.guarantee, 100, MILLIONTH)
    assert "100 such releases" in str(plan)
    assert "composed wins" in str(plan)
    assert dp.plan(dp.BetaBinomial(), n=300, epsilon=0.1).budget is None
    smaller = dp.plan(dp.BetaBinomial(), n=300, epsilon=0.1, releases=100, total_delta=1e-3)
    assert smaller.budget is not None
    assert plan.budget is not None
    assert smaller.budget.composed is not None
    assert plan.budget.composed is not None
    assert smaller.budget.composed.epsilon < plan.budget.composed.epsilon


@pytest.mark.parametrize("wrong", [{"releases": 0}, {"releases": 1.5}, {"total_delta": 1}])
def test_bad_plans(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        dp.plan(dp.BetaBinomial(), n=300, epsilon=0.1, **wrong)  # type: ignore[arg-type]
