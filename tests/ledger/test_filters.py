"""Budgets (ε, δ): what composes, and the adversaries that break other rules."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import discreet as dp
from discreet.core import Adjacency, Guarantee, Theorem
from discreet.core.curves import Curve, Known, Normal, Pure
from discreet.core.renyi import threshold
from discreet.errors import BudgetError, InputError, PrivacyRefusedError
from discreet.exact import balls
from discreet.exact.hockey_stick import gaussian_variance
from discreet.ledger import Account, Amount, Ledger
from discreet.ledger.filters import Filter
from tests.ledger.cases import ABOUT

TENTH = Fraction(1, 10)


def promise(
    epsilon: Any, delta: Any = 0, curve: Curve | None = None, adjacency: str = "substitute"
) -> Guarantee:
    numbers, basis = (Fraction(epsilon), Fraction(delta)), Theorem("a", "test")
    return Guarantee(*numbers, Adjacency(adjacency), basis=basis, curve=curve)


def normal(epsilon: Any, delta: Any) -> Guarantee:
    exact = Fraction(epsilon), Fraction(delta)
    curve = Normal(Fraction(1), gaussian_variance(*exact, Fraction(1)))
    return promise(*exact, curve)


def account(epsilon: float, delta: float, **terms: Any) -> Account:
    terms = {"adjacency": "substitute", "unit": "record", "order": None} | terms
    return Account.new("d", Amount.budget(epsilon, delta), **terms)


def admitted(opened: Account, guarantee: Guarantee, part: str | None = None) -> int:
    """How many of them are admitted, one after the other."""
    cost, number = opened.cost(guarantee), 0
    while True:
        try:
            opened = opened.pay(cost, part)
        except BudgetError:
            return number
        number += 1


@pytest.mark.parametrize(
    ("budget", "epsilon", "least"),
    [(5.1, "0.1", 100), (1, "0.02", 125), (3, "0.1", 41), (1, "0.1", 10), (1, "0.005", 1900)],
)
def test_small_releases_compose(budget: float, epsilon: str, least: int) -> None:
    opened = account(budget, 1e-6)
    found = admitted(opened, promise(epsilon))
    assert found >= least
    assert opened.releases_left(Fraction(epsilon)) == found
    by_sums = admitted(account(budget, 1e-6, order="sums"), promise(epsilon))
    assert by_sums == Fraction(str(budget)) // Fraction(epsilon) <= found


def test_with_a_delta_of_zero_nothing_changes() -> None:
    opened = account(1, 0)
    assert opened.filter is None
    assert opened.document().keys() == {"budget", "adjacency", "unit", "whole", "parts"}
    assert opened.pay(opened.cost(promise(1))).document()["whole"].keys() == {"epsilon", "delta"}
    assert admitted(opened, promise("0.1")) == 10


def test_the_filter_is_not_wider_than_its_order_proves() -> None:
    opened = account(2, 1e-6)
    assert opened.filter is not None
    limit = Fraction(opened.filter.limit_units, 10**15)
    share = Fraction(99, 100) * Fraction(1, 10**6)
    proved = balls.rounded_up(partial(threshold, opened.filter.order, Fraction(2), share))
    assert limit <= proved < limit + Fraction(1, 10**13)
    total = opened
    for _ in range(admitted(opened, promise(TENTH))):
        total = total.pay(total.cost(promise(TENTH)))
    exact = (
        total.whole.epsilon_units
        // 10**11
        * math.log(math.cosh(0.1 * (float(opened.filter.order) - 0.5)) / math.cosh(0.05))
        / (float(opened.filter.order) - 1)
    )
    assert exact <= float(limit)
    assert total.whole.renyi_units / 1e15 == pytest.approx(exact, rel=1e-9)


def test_whatever_fits_plain_zcdp_fits() -> None:
    """At the order chosen D_α ≤ αρ, so Σρ ≤ T/α is enough: ρ-zCDP of (1, 1e-6) is 0.0244."""
    opened = account(1, 1e-6)
    assert opened.filter is not None
    rho = Fraction(opened.filter.limit_units, 10**15) / opened.filter.order
    assert float(rho) == pytest.approx(0.0243, abs=2e-4)
    each = promise(100, Fraction(1, 10**9), Known(Fraction(999, 7000) * rho))
    assert admitted(opened, each) == 7


def test_normal_noise_is_charged_by_its_variance() -> None:
    opened = account(1, 1e-6)
    each = normal("0.1", "1e-7")
    assert admitted(opened, each) > 50
    assert opened.releases_left(0.1, 1e-7) == admitted(opened, each)
    assert admitted(account(1, 1e-6, order="sums"), each) == 10


def test_the_first_release_may_take_all_of_delta() -> None:
    """Before anything is known nobody can choose by it; afterwards only the sums count."""
    opened = account(1, 1e-6)
    after = opened.pay(opened.cost(promise(1, "1e-6")))
    assert (after.filter, after.reserved_units) == (None, 0)
    assert after.remaining() == Amount()
    large = opened.pay(opened.cost(promise("0.7")))  # D_α of which is beyond the filter already
    assert large.filter is None
    assert large.pay(large.cost(promise("0.3", "1e-6"))).remaining() == Amount()


def test_a_share_of_delta_is_kept_from_the_sums() -> None:
    opened = account(1, 1e-6)
    opened = opened.pay(opened.cost(promise("0.1")))
    assert opened.filter is not None
    with pytest.raises(BudgetError, match=r"delta 9.95e-7 is reserved .* order 'sums'"):
        opened.pay(opened.cost(promise("0.5", "1e-6")))
    small = promise("0.5", "1e-9")
    assert opened.pay(opened.cost(small)).remaining().delta == Fraction(4, 10**9)


def test_releases_chosen_by_what_was_seen_break_a_rule_that_keeps_nothing() -> None:
    """Σδ_i ≤ δ by sums, or Σ D_α within a filter that has all of δ: together 1.4·δ.

    First randomised response; if it says the less likely, a release that tells all with probability
    δ, which the sums admit; if the likelier, one as telling as its D_α allows.
    """
    epsilon, delta, first = 1.0, 1e-6, 0.25
    order = 22.0
    constant = (order - 1) * math.log(1 - 1 / order) - math.log(order)
    most = epsilon + (math.log(delta) - constant) / (order - 1)  # T
    likely = math.exp(first) / (1 + math.exp(first))
    spent = math.log(
        likely * math.exp((order - 1) * first) + (1 - likely) * math.exp((1 - order) * first)
    ) / (order - 1)
    left = most - spent
    told = math.exp((order - 1) * (left - (epsilon - first)) + constant)  # δ(ε − ε_1) of D_α = left
    reached = (1 - likely) * delta + likely * told
    assert reached > 1.3 * delta
    # the same adversary here: the sums refuse what tells all with probability δ
    opened = account(epsilon, delta)
    seen = opened.pay(opened.cost(promise(first)))
    with pytest.raises(BudgetError, match="delta"):
        seen.pay(seen.cost(promise("1e-9", delta)))
    own = seen.remaining().delta
    assert seen.filter is not None
    share = float(own) + (seen.filter.reserved_units / 1e24)
    assert share <= delta
    assert (1 - likely) * float(own) + likely * told * 0.99 <= delta


def test_budgets_that_move_with_what_is_left_are_not_offered() -> None:
    """The order, the limit and the split of δ stay as they were, whatever was released."""
    opened = account(1, 0.01)
    after = opened.pay(opened.cost(normal("0.05", "1e-5"))).pay(opened.cost(promise("0.01")))
    assert (after.filter, after.reserved_units) == (opened.filter, opened.reserved_units)


def test_after_a_raise_only_the_sums_count() -> None:
    opened = account(1, 1e-6)
    for _ in range(60):
        opened = opened.pay(opened.cost(promise("0.02")))
    assert opened.remaining().epsilon == 0
    raised = opened.raised(Amount.budget(2, 1e-6))
    assert raised.filter is None
    assert raised.remaining() == Amount.budget(Fraction("0.8"), Fraction(5, 10**9))
    assert admitted(raised, promise("0.1")) == 8


def test_parts_compose_one_by_one() -> None:
    opened = account(1, 1e-6, adjacency="add-remove", parts=("north", "south"))
    each = promise("0.02", adjacency="add-remove")
    assert admitted(opened, each, "north") == admitted(opened, each) == 125
    half = opened
    for _ in range(60):
        half = half.pay(half.cost(each), "north")
    assert admitted(half, each, "south") == 125
    assert admitted(half, each) == 65 == half.releases_left(0.02)
    assert half.releases_left(0.02, part="south") == 125


def test_adjacencies_are_converted_release_by_release() -> None:
    counts = dp.BetaBinomial()
    made = dp.mechanism("lattice", counts, epsilon=0.01, adjacency="add-remove")
    opened = account(1, 1e-6)
    cost = opened.cost(made.guarantee)
    assert opened.filter is not None
    pure, order = Pure(Fraction(1, 100)), opened.filter.order
    twice = 2 * balls.rounded_up(lambda: pure.renyi(order))
    assert cost.epsilon == Fraction(2, 100)
    assert Fraction(cost.renyi_units, 10**15) == pytest.approx(float(twice), rel=1e-2)
    with pytest.raises(PrivacyRefusedError, match="does not imply"):
        account(1, 1e-6, adjacency="add-remove").cost(promise("0.1"))


@pytest.mark.parametrize("order", [1, 0.5, 10**7, "two", float("nan")])
def test_an_order_is_a_number_above_one(place: str, order: Any) -> None:
    with pytest.raises(InputError, match="order must"):
        Ledger.open(place, budget=1, delta=1e-6, order=order)


def test_an_order_is_fixed_for_good(place: str) -> None:
    ledger = Ledger.open(place, budget=1, delta=1e-6, order=12)
    ledger.charge("d", promise("0.1"), ABOUT)
    ledger.create("e", order=30)
    ledger.create("f", order="sums")
    orders = {
        found.dataset: None if found.filter is None else found.filter.order
        for found in ledger.datasets()
    }
    assert orders == {"d": 12, "e": 30, "f": None}
    with pytest.raises(InputError, match="order must be left out or the same"):
        Ledger.open(place, order=13)
    with pytest.raises(InputError, match="exists already"):
        ledger.create("d", order=13)
    with pytest.raises(InputError, match="order is for a budget with a delta"):
        ledger.create("g", delta=0, order=12)
    assert Ledger.open(place, order=12) == ledger
    assert ledger.verify().ok


def test_a_ledger_keeps_what_composes(place: str) -> None:
    ledger = Ledger.open(place, budget=1, delta=1e-6)
    for _ in range(125):
        ledger.charge("d", promise("0.02"), ABOUT)
    with pytest.raises(BudgetError, match="nor do the releases compose to the budget"):
        ledger.charge("d", promise("0.02"), ABOUT)
    assert ledger.releases_left("d", 0.02) == 0
    [state] = ledger.datasets()
    assert state.spent.epsilon == Fraction("2.5")
    assert ledger.verify().ok
    ledger.raise_budget("d", 3, reason="a second study")
    ledger.charge("d", promise("0.5"), ABOUT)
    assert ledger.verify().ok


def test_without_room_for_an_order_only_the_sums_count() -> None:
    assert Filter.of(Amount.budget(1e-9, 1e-20), None) is None or account(1e-9, 1e-20).filter
    tiny = account(1, 1e-6, order=Fraction(101, 100))
    assert tiny.filter is None  # no D_1.01 proves (1, 1e-6)
    assert admitted(tiny, promise("0.1")) == 10


def test_no_release_gives_budget_back() -> None:
    with pytest.raises(InputError, match="rho must not be negative"):
        Known(Fraction(-1, 10))


@pytest.mark.parametrize("change", [{"order": "1/2"}, {"limit": "-5"}, {"failing": "-1"}])
def test_filters_of_documents_are_sound(change: dict[str, str]) -> None:
    opened = account(1, 1e-6)
    document = opened.document()
    assert Account.read("d", document) == opened
    with pytest.raises(InputError, match="order above 1"):
        Account.read("d", document | {"filter": document["filter"] | change})


def test_a_raise_that_would_leave_nothing_is_refused() -> None:
    opened = account(3, 1e-6)
    for _ in range(41):
        opened = opened.pay(opened.cost(promise("0.1")))
    with pytest.raises(InputError, match=r"budget must cover ε = 4\.1"):
        opened.raised(Amount.budget(4, 1e-6))
    assert opened.raised(Amount.budget(5, 1e-6)).remaining().epsilon == Fraction("0.9")
