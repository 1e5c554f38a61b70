"""The rules of a budget, on both stores."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from discreet.core import Adjacency, Guarantee
from discreet.errors import BudgetError, InputError, LedgerError, PrivacyRefusedError
from discreet.ledger import Account, Amount, Ledger
from tests.ledger.cases import ABOUT, document, guarantee


def test_a_thousand_small_releases_fit_exactly() -> None:
    account = Account.new("d", Amount.budget(3.0, 0), "substitute", "record")
    for _ in range(1000):
        account = account.pay(account.cost(guarantee("0.003")))
    assert account.remaining() == Amount()
    with pytest.raises(BudgetError, match="epsilon 0 left of 3, the release costs 1e-12"):
        account.pay(account.cost(guarantee("1e-15")))


def test_what_is_not_covered_is_refused_with_what_remains(place: str) -> None:
    ledger = Ledger.open(place, budget=3, delta=1e-6)
    ledger.charge("trial-7", guarantee("2.8", "9e-7"), ABOUT)
    before = ledger.history()
    sentence = "dataset 'trial-7' has epsilon 0.2 left of 3, the release costs 0.5"
    with pytest.raises(BudgetError) as raised:
        ledger.charge("trial-7", guarantee("0.5"), ABOUT)
    assert str(raised.value) == sentence
    assert raised.value.dataset == "trial-7"
    assert raised.value.remaining_epsilon == Fraction(1, 5)
    assert raised.value.remaining_delta == Fraction(1, 10**7)
    with pytest.raises(BudgetError, match=r"has delta 1e-7 left of 1e-6, the release costs 0.001"):
        ledger.charge("trial-7", guarantee("0.1", "1e-3"), ABOUT)
    with pytest.raises(BudgetError, match="'new' has epsilon 3 left"):
        ledger.charge("new", guarantee("3.1"), ABOUT)
    assert ledger.history() == before
    ledger.charge("trial-7", guarantee("0.2", "1e-7"), ABOUT)
    assert ledger.remaining("trial-7") == Amount()


def test_a_quote_is_what_a_charge_takes(place: str) -> None:
    ledger = Ledger.open(place, budget=3, delta=1e-6)
    before = ledger.history()
    first = ledger.quote("new", guarantee("0.5"))
    assert first.new
    assert first.account.remaining().epsilon == 3
    assert ledger.history() == before  # nothing is written
    ledger.charge("new", guarantee("0.5"), ABOUT)
    assert ledger.remaining("new") == first.after.remaining()
    twice = ledger.quote("new", guarantee("0.5", 0, "add-remove"))
    assert not twice.new
    assert twice.cost.epsilon == 1
    with pytest.raises(BudgetError, match=r"has epsilon 2\.5 left of 3, the release costs 2\.6"):
        ledger.quote("new", guarantee("2.6"))
    with pytest.raises(InputError, match="differs from 'new' only by"):
        ledger.quote("NEW", guarantee("0.5"))


def test_add_remove_counts_twice_under_substitution(place: str) -> None:
    ledger = Ledger.open(place)
    ledger.create("d", budget=3, delta=0.1)
    ledger.charge("d", guarantee(1, "0.01", "add-remove"), ABOUT)
    left = ledger.remaining("d")
    assert left.epsilon == 1
    counted = Fraction(1, 10) - left.delta
    e = Fraction("2.718281828459045")
    assert 0 <= counted - (1 + e) / 100 < Fraction(1, 10**15)
    with pytest.raises(BudgetError, match=r"costs 1.2"):
        ledger.charge("d", guarantee("0.6", 0, "add-remove"), ABOUT)


@pytest.mark.parametrize(
    ("kept", "released"),
    [
        ("add-remove", "substitute"),
        ("substitute", "attribute"),
        ("attribute", "add-remove"),
    ],
)
def test_other_adjacencies_are_refused(ledger: Ledger, kept: str, released: str) -> None:
    ledger.create("d", adjacency=kept)
    with pytest.raises(PrivacyRefusedError, match=f"kept under adjacency '{kept}'"):
        ledger.charge("d", guarantee(1, 0, released), ABOUT)
    assert ledger.remaining("d").epsilon == 3


def test_the_unit_must_match_but_not_the_records_per_unit(ledger: Ledger) -> None:
    ledger.create("d", adjacency="add-remove", unit="patient")
    with pytest.raises(PrivacyRefusedError, match="protects one patient, the release one record"):
        ledger.charge("d", guarantee(1, 0, "add-remove"), ABOUT)
    ledger.charge("d", guarantee(1, 0, "add-remove", "patient", 5), ABOUT)
    ledger.charge("d", guarantee(1, 0, "add-remove", "patient", 2), ABOUT)
    assert ledger.remaining("d").epsilon == 1


@pytest.mark.parametrize("epsilon", [float("inf"), float("nan"), Fraction(-1), 0.5])
def test_what_has_no_exact_guarantee_is_refused(ledger: Ledger, epsilon: Fraction | float) -> None:
    basis = None if epsilon == float("inf") else guarantee(1).basis
    bad = Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=basis)
    with pytest.raises(PrivacyRefusedError, match="without a guarantee"):
        ledger.charge("d", bad, ABOUT)
    assert ledger.datasets() == ()


@pytest.mark.parametrize("delta", [Fraction(-1, 10), Fraction(11, 10)])
def test_a_delta_outside_its_range_is_refused(ledger: Ledger, delta: Fraction) -> None:
    with pytest.raises(PrivacyRefusedError):
        ledger.charge("d", guarantee(1, delta), ABOUT)


def test_of_disjoint_parts_the_largest_counts(place: str) -> None:
    ledger = Ledger.open(place)
    ledger.create("d", 3, 0.1, "add-remove", parts=("north", "south"))

    def pay(epsilon: object, delta: object, part: str | None) -> None:
        ledger.charge("d", guarantee(epsilon, delta, "add-remove"), ABOUT, part=part)

    pay(1, "0.01", "north")
    pay(2, "0.005", "south")
    (account,) = ledger.datasets()
    assert account.spent == Amount.budget(2, 0.01)
    pay("0.5", 0, None)
    assert ledger.remaining("d").epsilon == Fraction(1, 2)
    assert ledger.remaining("d", "north").epsilon == Fraction(3, 2)
    pay("1.5", 0, "north")
    with pytest.raises(BudgetError, match=r"epsilon 0.5 left of 3, the release costs 0.6"):
        pay("0.6", 0, "south")
    with pytest.raises(InputError, match="part must be one of 'north', 'south'"):
        pay(1, 0, "west")
    assert ledger.verify().ok


def test_parts_are_for_add_remove_only(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="parts need adjacency 'add-remove'"):
        ledger.create("d", parts=("a", "b"))
    ledger.create("d", adjacency="add-remove")
    with pytest.raises(InputError, match="'d' was created without parts"):
        ledger.charge("d", guarantee(1, 0, "add-remove"), ABOUT, part="a")
    wrong: tuple[Any, ...] = ("ab", ("a",), ("a", "a"), 5, ("a", ""), {"a": 1, "b": 2})
    for parts in wrong:
        with pytest.raises(InputError, match="parts"):
            ledger.create("e", adjacency="add-remove", parts=parts)


def test_a_new_data_set_takes_the_defaults_and_the_terms_of_its_release(place: str) -> None:
    ledger = Ledger.open(place, budget=3, delta=1e-6)
    ledger.charge("d", guarantee(1, 0, "add-remove", "patient", 3), ABOUT)
    (account,) = ledger.datasets()
    assert account.budget == Amount.budget(3, 1e-6)
    assert (account.adjacency, account.unit) == (Adjacency.ADD_REMOVE, "patient")


def test_terms_of_the_ledger_bind_new_data_sets(ledger: Ledger, tmp_path: object) -> None:
    strict = Ledger.open(f"{tmp_path}/strict.db", 3, adjacency="substitute", unit="patient")
    with pytest.raises(PrivacyRefusedError, match="protects one patient"):
        strict.charge("d", guarantee(1), ABOUT)
    strict.charge("d", guarantee(1, 0, "add-remove", "patient"), ABOUT)
    assert strict.remaining("d").epsilon == 1


def test_without_a_default_an_unknown_data_set_is_refused(place: str) -> None:
    ledger = Ledger.open(place)
    ledger.create("trial-7", budget=1)
    with pytest.raises(InputError, match=r"'trial-8' is not in ledger .* did you mean 'trial-7'"):
        ledger.charge("trial-8", guarantee(1), ABOUT)
    with pytest.raises(InputError, match="budget must be given"):
        ledger.create("trial-8")
    with pytest.raises(InputError, match="dataset 'nope' is not in ledger"):
        ledger.remaining("nope")


def test_names_that_look_alike_share_a_budget_or_are_refused(ledger: Ledger) -> None:
    ledger.charge("caf\u00e9", guarantee(1), ABOUT)
    ledger.charge("cafe\u0301", guarantee(1), ABOUT)
    assert ledger.remaining("caf\u00e9").epsilon == 1
    with pytest.raises(InputError, match="differs from 'café' only by case"):
        ledger.charge("CAF\u00c9", guarantee(1), ABOUT)
    with pytest.raises(InputError, match="exists already"):
        ledger.create("cafe\u0301")
    for name in ("", " d", "d ", "a\nb", "a\0b", "\ud800", "x" * 201, None, 5, ["d"]):
        with pytest.raises(InputError, match="dataset must"):
            ledger.charge(name, guarantee(1), ABOUT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        "TRIAL-7 A",
        "trial\N{EN DASH}7 a",
        "trial\N{NON-BREAKING HYPHEN}7 a",
        "trial\N{MINUS SIGN}7 a",
        "trial-7\N{NO-BREAK SPACE}a",
        "trial-7\N{OGHAM SPACE MARK}a",
        "trial-\N{FULLWIDTH DIGIT SEVEN} a",
    ],
)
def test_a_name_that_looks_like_another_is_refused(ledger: Ledger, other: str) -> None:
    ledger.create("trial-7 a")
    with pytest.raises(InputError, match="differs from 'trial-7 a' only by case, spaces, dashes"):
        ledger.charge(other, guarantee(1), ABOUT)
    with pytest.raises(InputError, match=r"parts\[1\] .* differs from 'trial-7 a' only by"):
        ledger.create("d", adjacency="add-remove", parts=("trial-7 a", other))
    assert [account.dataset for account in ledger.datasets()] == ["trial-7 a"]


@pytest.mark.parametrize(
    "letter",
    ["\N{ZERO WIDTH SPACE}", "\N{SOFT HYPHEN}", "\N{RIGHT-TO-LEFT OVERRIDE}", "\u2028"],
)
def test_invisible_characters_are_refused(ledger: Ledger, letter: str) -> None:
    name = f"a{letter}b"
    ledger.create("d", adjacency="add-remove", parts=("north", "south"))
    paid = guarantee(1, 0, "add-remove")
    for attempt in (
        lambda: ledger.charge(name, paid, ABOUT),
        lambda: ledger.charge("d", paid, ABOUT, request_id=name),
        lambda: ledger.charge("d", paid, ABOUT, part=name),
        lambda: ledger.create("e", unit=name),
        lambda: ledger.create("e", adjacency="add-remove", parts=("a", name)),
        lambda: ledger.charge("e", guarantee(1, unit=name), ABOUT),
    ):
        with pytest.raises(InputError, match=r"must not contain invisible characters, got 'a\\"):
            attempt()
    assert len(ledger.history()) == 2


def test_a_guarantee_made_by_hand(ledger: Ledger) -> None:
    basis = guarantee(1).basis
    plain = Guarantee(Fraction(1), Fraction(0), "substitute", basis=basis)  # type: ignore[arg-type]
    ledger.charge("d", plain, ABOUT)
    with pytest.raises(InputError, match="adjacency must be one of"):
        Guarantee(Fraction(1), Fraction(0), "near", basis=basis)  # type: ignore[arg-type]
    with pytest.raises(PrivacyRefusedError, match="without a guarantee"):
        ledger.charge("d", Guarantee(Fraction(1), 1e-6, plain.adjacency, basis=basis), ABOUT)  # type: ignore[arg-type]
    long = Fraction(2**1500 + 1, 2**1500)
    for bad in (guarantee(long), guarantee(1, long - 1)):
        with pytest.raises(InputError, match="must be a number of ordinary size"):
            ledger.charge("d", bad, ABOUT)
    assert ledger.remaining("d").epsilon == 2
    assert ledger.verify().ok


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a;--", "数据 集", "%s :x ?", "\\", "🦊"])
def test_any_printable_name_is_safe(place: str, name: str) -> None:
    ledger = Ledger.open(place, budget=1)
    receipt = ledger.charge(name, guarantee(1), {"note": name}, request_id=name)
    ledger.record(receipt, document(receipt, guarantee(1)))
    assert ledger.remaining(name) == Amount()
    assert [account.dataset for account in ledger.datasets()] == [name]
    assert {entry.kind for entry in ledger.history(name)} == {"create", "charge", "outcome"}
    assert ledger.verify(document(receipt, guarantee(1))).ok


def test_budgets_are_raised_explicitly_and_never_lowered(place: str) -> None:
    ledger = Ledger.open(place, budget=1)
    ledger.charge("d", guarantee(1), ABOUT)
    for budget, delta in ((1, None), (0.5, 0.1), (1, 0)):
        with pytest.raises(InputError, match="budget must be raised"):
            ledger.raise_budget("d", budget, delta)
    ledger.raise_budget("d", 1.5, 1e-6, reason="the board agreed on 3 May")
    assert ledger.remaining("d") == Amount.budget(0.5, 1e-6)
    entry = ledger.history("d")[-1]
    assert (entry.kind, entry.document["reason"]) == ("raise", "the board agreed on 3 May")
    ledger.charge("d", guarantee("0.5"), ABOUT)
    with pytest.raises(InputError, match="not in ledger"):
        ledger.raise_budget("e", 5)
    assert ledger.verify().ok


def test_a_retry_returns_the_stored_release(place: str) -> None:
    ledger = Ledger.open(place, budget=3)
    receipt = ledger.charge("d", guarantee(1), ABOUT, request_id="r-1")
    assert receipt.stored is None
    with pytest.raises(LedgerError, match=r"outcome unknown: .* use a new request_id"):
        ledger.charge("d", guarantee(1), ABOUT, request_id="r-1")
    release = document(receipt, guarantee(1))
    ledger.record(receipt, release)
    again = ledger.charge("d", guarantee(1), dict(reversed(ABOUT.items())), request_id="r-1")
    assert again == receipt
    assert again.stored == release
    assert ledger.remaining("d").epsilon == 2
    others = [
        (guarantee(2), ABOUT),
        (guarantee(1), {**ABOUT, "config": "1" * 64}),
        (guarantee(1, "1e-9"), ABOUT),
    ]
    for other, about in others:
        with pytest.raises(InputError, match="request_id 'r-1' was used for another release"):
            ledger.charge("d", other, about, request_id="r-1")
    assert ledger.charge("e", guarantee(1), ABOUT, request_id="r-1").stored is None
    assert ledger.remaining("d").epsilon == 2


def test_a_release_can_be_had_again(place: str) -> None:
    ledger = Ledger.open(place, budget=3)
    receipt = ledger.charge("d", guarantee(1), ABOUT)
    with pytest.raises(LedgerError, match="entry 3 was charged, outcome unknown"):
        ledger.released(receipt.number)
    release = document(receipt, guarantee(1))
    ledger.record(receipt, release)
    assert ledger.released(receipt.number) == release
    outcome = ledger.history("d")[-1]
    assert outcome.settles == receipt.number
    assert outcome.document["release"] == release
    assert len(outcome.document["digest"]) == 64
    for other in (1, outcome.number, 99, 0, "3"):
        with pytest.raises(InputError, match="number must"):
            ledger.released(other)  # type: ignore[arg-type]


def test_an_outcome_belongs_to_its_charge(place: str) -> None:
    ledger = Ledger.open(place, budget=3)
    first = ledger.charge("d", guarantee(1), ABOUT)
    second = ledger.charge("d", guarantee("0.5"), ABOUT)
    with pytest.raises(InputError, match="document must carry the receipt"):
        ledger.record(first, document(second, guarantee(1)))
    with pytest.raises(InputError, match="the guarantee that was charged"):
        ledger.record(second, document(second, guarantee(1)))
    ledger.record(first, document(first, guarantee(1), 5))
    ledger.record(first, document(first, guarantee(1), 5))
    with pytest.raises(LedgerError, match="has another outcome already"):
        ledger.record(first, document(first, guarantee(1), 6))
    assert ledger.verify().unfinished == (second.number,)
    assert [entry.kind for entry in ledger.history("d")].count("outcome") == 1


@pytest.mark.parametrize(
    "about", [None, [1], {"x": object()}, {"x": float("nan")}, {"x": "\ud800"}]
)
def test_about_is_public_json(ledger: Ledger, about: dict[str, object]) -> None:
    with pytest.raises(InputError, match="about must"):
        ledger.charge("d", guarantee(1), about)
    with pytest.raises(InputError, match="about must have at most"):
        ledger.charge("d", guarantee(1), {"x": "y" * 30_000})
    assert ledger.datasets() == ()
