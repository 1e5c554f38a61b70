"""Releases that a ledger pays for: validate, charge, draw, record, return, in that order."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dp
from discreet.core import Counts
from discreet.core.counts import Grouping
from discreet.core.law import Law

MODEL = dp.DirichletMultinomial(("a", "b", "c"))


@pytest.fixture
def ledger(tmp_path: Path) -> dp.Ledger:
    return dp.Ledger.open(tmp_path / "budget.db", budget=1.0, delta=1e-6)


def pay(ledger: dp.Ledger, epsilon: object = 0.25, **options: Any) -> dp.Release[Any, Any, Any]:
    options = {"dataset": "trial-7"} | options
    return dp.release((30, 20, 10), MODEL, epsilon, ledger=ledger, **options)  # type: ignore[arg-type]


def test_releases_are_paid_for_until_the_budget_is_spent(ledger: dp.Ledger) -> None:
    for _ in range(4):
        release = pay(ledger)
        assert release.receipt is not None
        assert ledger.verify(release).ok
        assert ledger.verify(json.loads(release.to_json())).ok
        assert dp.Release.from_json(release.to_json()) == release
    with pytest.raises(dp.BudgetError) as caught:
        pay(ledger, 1e-9)
    assert caught.value.remaining_epsilon == 0
    assert ledger.remaining("trial-7").epsilon == 0
    assert str(caught.value) == (
        "dataset 'trial-7' has epsilon 0 left of 1, the release costs 1e-9; nor do the "
        "releases compose to the budget"
    )


def test_nothing_is_charged_for_what_is_refused(ledger: dp.Ledger) -> None:
    before = ledger.history()
    big = dp.DirichletMultinomial(range(8))
    attempts: list[Callable[[], object]] = [
        lambda: pay(ledger, 0),
        lambda: pay(ledger, mechanism="magic"),
        lambda: pay(ledger, n=61),
        lambda: pay(ledger, mechanism="ehdl"),
        lambda: pay(ledger, mechanism="ehdl", allow_nonprivate=True),
        lambda: pay(ledger, rng=np.random.default_rng(1)),
        lambda: pay(ledger, dataset=None),
        lambda: pay(ledger, part="north"),
        lambda: pay(ledger, gamma=2),
        lambda: dp.release([100] * 8, big, 0.1, "ehd", ledger=ledger, dataset="trial-7"),
        lambda: dp.release(
            MODEL.count(["a", "z"], unknown="drop"), MODEL, 0.1, ledger=ledger, dataset="trial-7"
        ),
        lambda: dp.release((1, 2, 3), MODEL, 0.1, dataset="trial-7"),
        lambda: dp.release((1, 2, 3), MODEL, 0.1, request_id="r"),
    ]
    for wrong in attempts:
        with pytest.raises(dp.DiscreetError):
            wrong()
    assert ledger.history() == before


def test_a_failure_after_the_charge_leaves_the_charge(
    ledger: dp.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Law, "sample", fails)
        with pytest.raises(KeyboardInterrupt):
            pay(ledger, request_id="first")
    assert (
        ledger.remaining("trial-7").epsilon
        == dp.Ledger.open(ledger.place).remaining("trial-7").epsilon
    )
    assert float(ledger.remaining("trial-7").epsilon) == 0.75
    assert len(ledger.verify().unfinished) == 1
    with pytest.raises(dp.LedgerError, match="outcome unknown"):
        pay(ledger, request_id="first")
    assert float(ledger.remaining("trial-7").epsilon) == 0.75


def test_nothing_is_returned_that_was_not_recorded(
    ledger: dp.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full between charge and outcome."""

    def full(*_: object) -> None:
        raise dp.LedgerError("disk is full")

    monkeypatch.setattr(dp.Ledger, "record", full)
    with pytest.raises(dp.LedgerError, match="full"):
        pay(ledger)
    assert float(ledger.remaining("trial-7").epsilon) == 0.75


def test_a_locked_ledger_refuses_before_anything_is_drawn(
    ledger: dp.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("drawn without a charge")

    pay(ledger)
    monkeypatch.setattr(Law, "sample", never)
    connection = sqlite3.connect(ledger.place)
    connection.execute("begin immediate")  # someone holds the lock
    monkeypatch.setattr("discreet.ledger.stores.PATIENCE", 0.1)
    try:
        with pytest.raises(dp.LedgerError):
            pay(ledger)
    finally:
        connection.close()


def test_a_retry_returns_what_was_stored(ledger: dp.Ledger) -> None:
    first = pay(ledger, request_id="monday")
    again = pay(ledger, request_id="monday")
    assert again == first
    assert float(ledger.remaining("trial-7").epsilon) == 0.75
    with pytest.raises(dp.InputError, match="another release"):
        pay(ledger, 0.3, request_id="monday")
    # the same settings for other records are another release, too
    frame = pl.DataFrame({"x": ["a", "b", "a"], "age": [20, 30, 40]})

    def asked(where: str) -> dp.Release[Any, Any, Any]:
        return dp.release(
            MODEL.count(frame, "x", where=where),
            MODEL,
            0.1,
            adjacency="add-remove",
            ledger=ledger,
            dataset="people",
            request_id="r",
        )

    young = asked("age < 35")
    assert (young.column, young.where) == ("x", "age < 35")
    assert asked("age < 35") == young
    with pytest.raises(dp.InputError, match="another release"):
        asked("age >= 35")


def test_what_becomes_of_undeclared_values_is_part_of_a_request(ledger: dp.Ledger) -> None:
    frame = pl.DataFrame({"x": ["a", "b", None]})

    def asked(**rules: Any) -> dp.Release[Any, Any, Any]:
        counts = MODEL.count(frame, "x", **rules)
        options: dict[str, Any] = {"ledger": ledger, "dataset": "people", "request_id": "r"}
        return dp.release(counts, MODEL, 0.1, adjacency="add-remove", **options)

    first = asked(unknown="drop")
    assert asked(unknown="drop") == first
    for other in ("a", "c"):
        with pytest.raises(dp.InputError, match="another release"):
            asked(unknown="other", other=other)


def test_units_and_adjacency_have_to_match(ledger: dp.Ledger) -> None:
    ledger.create("patients", budget=2, adjacency="add-remove", unit="patient")
    records = [("p1", "a"), ("p1", "b"), ("p2", "c")]
    frame = pl.DataFrame(records, schema=["patient", "x"], orient="row")
    counts = MODEL.count(frame, "x", unit="patient", max_per_unit=2)
    release = dp.release(
        counts, MODEL, 0.5, adjacency="add-remove", ledger=ledger, dataset="patients"
    )
    assert release.receipt is not None
    with pytest.raises(dp.PrivacyRefusedError, match="protects one patient"):
        pay(ledger, dataset="patients", adjacency="add-remove")
    # add-remove of a record counts twice where records are replaced
    pay(ledger)
    pay(ledger, 0.1, adjacency="add-remove")
    assert float(ledger.remaining("trial-7").epsilon) == 0.55
    with pytest.raises(dp.BudgetError, match="twice its epsilon"):
        pay(ledger, 0.4, adjacency="add-remove")


def test_parts_are_paid_once(ledger: dp.Ledger) -> None:
    ledger.create("wards", budget=1, adjacency="add-remove", parts=("north", "south"))
    for part in ("north", "south"):
        pay(ledger, 0.75, dataset="wards", part=part, adjacency="add-remove")
    assert float(ledger.remaining("wards").epsilon) == 0.25
    with pytest.raises(dp.BudgetError):
        pay(ledger, 0.5, dataset="wards", part="north", adjacency="add-remove")


def by_hand(**said: Any) -> Counts:
    return Counts((3, 2, 1), MODEL.categories, **said)


@pytest.mark.parametrize(
    "counts",
    [
        lambda: by_hand(column=5),
        lambda: by_hand(where=5),
        lambda: by_hand(where="\ud800"),
        lambda: by_hand(other="z"),
        lambda: by_hand(dropped=True, other="a"),
        lambda: by_hand(by=Grouping(5, ("x", "y"), ("a", "b"))),  # type: ignore[arg-type]
        lambda: by_hand(by=Grouping("g", ("x", "x"), ("a", "b"))),
    ],
)
def test_what_could_not_be_read_again_is_not_paid_for(
    ledger: dp.Ledger, counts: Callable[[], Counts]
) -> None:
    before = ledger.history()
    options: dict[str, Any] = {"ledger": ledger, "dataset": "d", "adjacency": "add-remove"}
    with pytest.raises(dp.InputError):
        dp.release(counts(), MODEL, 0.1, **options)
    assert ledger.history() == before
    release = dp.release(by_hand(column="x", where="x > 1", dropped=True), MODEL, 0.1, **options)
    assert dp.Release.from_json(ledger.released(3)) == release


def test_bad_ledgers() -> None:
    for wrong in ("budget.db", 5, Path("budget.db")):
        with pytest.raises(dp.InputError, match="ledger must be made by"):
            pay(wrong)  # type: ignore[arg-type]


def test_the_ledger_holds_nothing_private(ledger: dp.Ledger) -> None:
    secret = 987_654
    # so much noise that the released count is the true one with a probability below 1e-6
    dp.release((secret, 5, 7), MODEL, 1e-7, ledger=ledger, dataset="trial-7", request_id="r")
    kept = Path(ledger.place).read_bytes() + b"".join(
        part.read_bytes() for part in Path(ledger.place).parent.glob("budget.db-*")
    )
    assert str(secret + 12).encode() in kept  # n is public
    assert str(secret).encode() not in kept.replace(str(secret + 12).encode(), b"")
