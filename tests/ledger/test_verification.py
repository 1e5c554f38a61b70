"""Changed, removed and rolled-back entries."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError, LedgerError
from discreet.ledger import Entry, Ledger, Receipt, Report, schema
from tests.ledger.cases import ABOUT, document, guarantee
from tests.ledger.conftest import execute

COLUMNS = schema.COLUMNS.split(", ")


def fill(ledger: Ledger) -> dict[str, Any]:
    """Every kind of entry; returns the last release."""
    ledger.create("parts", 2, 0.1, "add-remove", "patient", parts=("north", "south"))
    ledger.charge("parts", guarantee(1, "1e-3", "add-remove", "patient", 3), ABOUT, part="north")
    ledger.charge("d", guarantee(1), ABOUT)
    ledger.raise_budget("d", 4, reason="agreed")
    first = ledger.charge("d", guarantee("0.5"), ABOUT, request_id="r-1")
    ledger.record(first, document(first, guarantee("0.5")))
    receipt = ledger.charge("d", guarantee("0.25"), ABOUT)
    release = document(receipt, guarantee("0.25"))
    ledger.record(receipt, release)
    return release


@pytest.fixture
def filled(tmp_path: Path) -> tuple[Ledger, dict[str, Any]]:
    ledger = Ledger.open(tmp_path / "budget.db", budget=3)
    return ledger, fill(ledger)


def edit(ledger: Ledger, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(ledger.place)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(sql, values)
        connection.commit()


def problems(ledger: Ledger, release: dict[str, Any] | None = None) -> str:
    try:
        return " / ".join(ledger.verify(release).problems)
    except LedgerError as error:
        return str(error)


def changes(value: object) -> list[object]:
    if value is None:
        return ["x", 77]
    if isinstance(value, int):
        return [value + 1000, -value]
    text = str(value)
    middle = len(text) // 2
    other = "1" if text[middle : middle + 1] != "1" else "2"
    return [text + "x", text[:middle] + other + text[middle + 1 :], 5, text.encode()]


def test_an_untouched_ledger_verifies(place: str) -> None:
    ledger = Ledger.open(place, budget=3)
    release = fill(ledger)
    assert ledger.verify(release) == Report(10, 2, (3, 5), (), paid_by=9)
    assert "2 charged, outcome unknown" in str(ledger.verify())
    with pytest.raises(InputError, match="release must"):
        ledger.verify([1])  # type: ignore[arg-type]


def test_a_change_of_any_stored_value_is_found(
    filled: tuple[Ledger, dict[str, Any]], tmp_path: Path
) -> None:
    ledger, _ = filled
    copy = Ledger(str(tmp_path / "copy.db"))
    tried = 0
    for entry in ledger.history():
        for column in COLUMNS:
            for value in changes(getattr(entry, column)):
                if column == "number" and not isinstance(value, int):
                    continue
                shutil.copy(ledger.place, copy.place)
                edit(
                    copy,
                    f"UPDATE discreet_entries SET {column} = ? WHERE number = ?",
                    value,
                    entry.number,
                )
                assert problems(copy), (entry.number, column, value)
                tried += 1
    assert tried > 250
    for version in (0, 1, 3, -1, "x", None):
        shutil.copy(ledger.place, copy.place)
        try:
            edit(copy, "UPDATE discreet_version SET version = ?", version)
        except sqlite3.IntegrityError:
            continue
        assert problems(copy)


def test_a_changed_state_is_refused_before_it_is_used(
    filled: tuple[Ledger, dict[str, Any]],
) -> None:
    ledger, _ = filled
    last = ledger.history("d")[-1]
    content = last.content.replace('"epsilon":"1750000000000"', '"epsilon":"0"')
    assert content != last.content
    edit(ledger, "UPDATE discreet_entries SET content = ? WHERE number = ?", content, last.number)
    for attempt in (
        lambda: ledger.charge("d", guarantee(3), ABOUT),
        lambda: ledger.charge("e", guarantee(1), ABOUT),
        lambda: ledger.remaining("d"),
        ledger.history,
        ledger.datasets,
    ):
        with pytest.raises(LedgerError, match="an entry was changed after it was written"):
            attempt()


@pytest.mark.parametrize("number", [0, -1, -(2**62) - 1, -(2**63)])
def test_entries_below_the_first_are_not_hidden(
    filled: tuple[Ledger, dict[str, Any]], number: int
) -> None:
    """A forged charge with its hash, stored release and all, where no number should be."""
    ledger, _ = filled
    model = next(e for e in ledger.history() if e.request == "r-1")
    forged = replace(model, number=number, step=99, request="forged", settles=3)
    forged = replace(forged, hash=forged.sealed())
    names = ", ".join(f":{name}" for name in COLUMNS)
    insert = f"INSERT INTO discreet_entries ({', '.join(COLUMNS)}) VALUES ({names})"
    with closing(sqlite3.connect(ledger.place)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed"):
            connection.execute(insert, vars(forged))
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(insert, vars(forged))
        connection.commit()
    assert f"its number is {number}, not positive" in problems(ledger)
    assert ledger.verify().entries == 11
    with pytest.raises(LedgerError, match="is damaged"):
        ledger.charge("d", guarantee("0.5"), ABOUT, request_id="forged")
    with pytest.raises(LedgerError, match="is damaged"):
        ledger.released(3)


def test_entries_that_are_counted_and_not_found(
    filled: tuple[Ledger, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, _ = filled
    monkeypatch.setattr(schema, "COUNT", "SELECT COUNT(*) + 1 FROM discreet_entries")
    assert problems(ledger) == "11 entries are counted and 10 found"


def test_removed_entries_are_found(filled: tuple[Ledger, dict[str, Any]], tmp_path: Path) -> None:
    ledger, release = filled
    copy = Ledger(str(tmp_path / "copy.db"))
    entries = ledger.history()
    for entry in entries:
        shutil.copy(ledger.place, copy.place)
        edit(copy, "DELETE FROM discreet_entries WHERE number = ?", entry.number)
        assert problems(copy, release)
    edit(copy, "DELETE FROM discreet_entries")
    assert "no entries" in problems(copy)


def rewrite(ledger: Ledger, change: Callable[[Entry], Entry]) -> None:
    """What someone does who knows the format: change an entry and recompute all hashes."""
    fields = ", ".join(f"{column} = :{column}" for column in COLUMNS)
    previous = ""
    with closing(sqlite3.connect(ledger.place)) as connection:
        for entry in ledger.history():
            changed = replace(change(entry), previous=previous)
            changed = replace(changed, hash=changed.sealed())
            previous = changed.hash
            connection.execute(
                f"UPDATE discreet_entries SET {fields} WHERE number = {entry.number}", vars(changed)
            )
        connection.commit()


def content(number: int, old: str, new: str) -> Callable[[Entry], Entry]:
    def change(entry: Entry) -> Entry:
        if entry.number != number:
            return entry
        assert old in entry.content
        return replace(entry, content=entry.content.replace(old, new))

    return change


def column(number: int, **values: Any) -> Callable[[Entry], Entry]:
    return lambda entry: replace(entry, **values) if entry.number == number else entry


PROMISED = '"guarantee":{"adjacency":"substitute","curve":null,"delta":"0","epsilon":'
ZERO = '{"delta":"0","epsilon":'


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (content(5, f'"whole":{ZERO}"1000', f'"whole":{ZERO}"0'), "totals do not follow"),
        (content(5, f'"charged":{ZERO}"1000', f'"charged":{ZERO}"9'), "what was charged is not"),
        (content(5, f'{PROMISED}"1"', f'{PROMISED}"-1"'), "without a guarantee"),
        (content(5, f'{PROMISED}"1"', f'{PROMISED}"9"'), "epsilon 3 left of 3, the release"),
        (content(5, '"guarantee":{', '"guarantees":{'), "malformed"),
        (content(4, f'"budget":{ZERO}"3', f'"budget":{ZERO}"9'), "totals do not follow"),
        (content(6, f'"budget":{ZERO}"4', f'"budget":{ZERO}"1'), "budget must be raised"),
        (content(2, '"parts":[["north"', '"parts":[["south"'), "parts must be distinct"),
        (content(8, '"value":[5', '"value":[6'), "does not have its digest"),
        (content(10, '"value":[5', '"value":[6'), "does not have its digest"),
        (content(10, '"release":', '"leash":'), "malformed"),
        (content(1, '"version":2', '"version":3'), "the version of the tables"),
        (content(1, '"format":"discreet-ledger"', '"format":"x"'), "its version is wrong"),
        (column(9, kind="gift"), "its kind is unknown"),
        (column(9, kind="create"), "exists already"),
        (column(8, settles=None), "the outcome of no open charge"),
        (column(8, settles=3), "the outcome of no open charge"),
        (column(9, step=99), "is not the next entry"),
        (column(9, content="[1]"), "malformed"),
        (column(9, content="{"), "malformed"),
        (column(1, dataset="d2"), "out of place"),
    ],
)
def test_the_rules_are_checked_even_if_all_hashes_fit(
    filled: tuple[Ledger, dict[str, Any]], change: Callable[[Entry], Entry], found: str
) -> None:
    ledger, _ = filled
    rewrite(ledger, change)
    assert found in problems(ledger)


def test_a_consistent_forgery_is_shown_by_a_release(filled: tuple[Ledger, dict[str, Any]]) -> None:
    ledger, release = filled
    rewrite(ledger, content(6, '"reason":"agreed"', '"reason":"forged"'))
    assert ledger.verify().ok
    assert "is not the one that paid for the release" in problems(ledger, release)


def test_the_tables_refuse_two_entries_from_one_state(
    filled: tuple[Ledger, dict[str, Any]],
) -> None:
    """The second lock: a step, a request and an outcome exist once."""
    ledger, _ = filled
    for change in (column(9, step=3), column(9, request="r-1"), column(9, settles=7)):
        with pytest.raises(sqlite3.IntegrityError):
            rewrite(ledger, change)


def test_a_rolled_back_ledger_is_shown_by_a_release(ledger: Ledger, tmp_path: Path) -> None:
    ledger.charge("d", guarantee(1), ABOUT)
    ledger.backup(tmp_path / "old.db")
    receipt = ledger.charge("d", guarantee(1), ABOUT)
    release = document(receipt, guarantee(1))
    ledger.record(receipt, release)
    assert ledger.verify(release).ok
    old = Ledger(str(tmp_path / "old.db"))
    assert old.verify().ok
    (told,) = old.verify(release).problems
    assert told.startswith("the release was paid for by entry 4 but the ledger ends at 3: it was")
    for _ in range(3):
        old.charge("d", guarantee("0.5"), ABOUT)
    (told,) = old.verify(release).problems
    assert told.startswith("entry 4 is not the one that paid for the release: the ledger was")


def test_the_same_charge_in_two_copies_has_two_hashes(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.ledger.chain.now", lambda: "2024-05-03T12:00:00+00:00")
    ledger.create("d")
    ledger.backup(tmp_path / "old.db")
    old = Ledger(str(tmp_path / "old.db"))
    first, again = (each.charge("d", guarantee(1), ABOUT) for each in (ledger, old))
    assert first.number == again.number
    assert first.hash != again.hash


def test_releases_that_the_ledger_does_not_vouch_for(ledger: Ledger) -> None:
    receipt = ledger.charge("d", guarantee(1), ABOUT)
    release = document(receipt, guarantee(1))
    assert "was not recorded" in problems(ledger, release)
    ledger.record(receipt, release)
    assert problems(ledger, release | {"sha256": "whatever"}) == ""
    assert "not the one that was recorded" in problems(ledger, release | {"value": [6, 7]})
    assert "did not pay for the guarantee" in problems(
        ledger, release | {"guarantee": release["guarantee"] | {"epsilon": "1/2"}}
    )
    assert "did not pay" in problems(ledger, release | {"guarantee": None})
    other = release["receipt"] | {"dataset": "e"}
    assert "is not the one that paid" in problems(ledger, release | {"receipt": other})
    for none in (None, {}, {"number": 1}, release["receipt"] | {"hash": "x"}, 5):
        assert "carries no receipt" in problems(ledger, release | {"receipt": none})


def test_receipts_are_read_back(ledger: Ledger) -> None:
    receipt = ledger.charge("d", guarantee(1), ABOUT)
    assert Receipt.read(json.loads(json.dumps(receipt.document()))) == receipt
    for bad in ({**receipt.document(), "number": 0}, {**receipt.document(), "extra": 1}, None):
        with pytest.raises(InputError):
            Receipt.read(bad)
    stranger = replace(receipt, hash="0" * 64)
    with pytest.raises(LedgerError, match="does not have the charge of the receipt"):
        ledger.record(stranger, document(stranger, guarantee(1)))
    with pytest.raises(InputError, match="receipt must be a Receipt"):
        ledger.record(None, {})  # type: ignore[arg-type]


def test_changes_on_a_server_are_found(postgres: str) -> None:
    ledger = Ledger.open(postgres, budget=3)
    fill(ledger)
    for entry in ledger.history():
        for name in ("dataset", "kind", "content", "previous", "hash"):
            where = f"WHERE number = {entry.number}"
            execute(postgres, f"UPDATE discreet_entries SET {name} = {name} || 'x' {where}")
            assert problems(ledger), (entry.number, name)
            execute(postgres, f"UPDATE discreet_entries SET {name} = left({name}, -1) {where}")
    assert ledger.verify().ok


def test_many_problems_are_summed_up(filled: tuple[Ledger, dict[str, Any]]) -> None:
    ledger, _ = filled
    for _ in range(40):
        ledger.charge("d", guarantee("0.001"), ABOUT)
    edit(ledger, "UPDATE discreet_entries SET kind = 'x'")
    report = ledger.verify()
    assert len(report.problems) == 21
    assert report.problems[-1].endswith("more problems")
