"""Names that a reader takes for one are one: no second budget, and none that was there is lost."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.ledger import Amount, Ledger, Receipt
from discreet.ledger.names import IGNORABLE, skeleton
from tests.cli.cases import done
from tests.ledger.cases import ABOUT, document, guarantee

LETTERS = [chr(code) for code in range(sys.maxunicode + 1)]
INVISIBLE = [chr(code) for low, high in IGNORABLE for code in range(low, high + 1)]


def test_the_table_is_the_published_one() -> None:
    """4,174 code points (DerivedCoreProperties.txt), and these among them by their names."""
    assert len(set(INVISIBLE)) == len(INVISIBLE) == 4174
    for name in (
        *("SOFT HYPHEN", "COMBINING GRAPHEME JOINER", "ARABIC LETTER MARK", "HANGUL FILLER"),
        *("ZERO WIDTH SPACE", "ZERO WIDTH JOINER", "WORD JOINER", "VARIATION SELECTOR-16"),
        *("MONGOLIAN VOWEL SEPARATOR", "ZERO WIDTH NO-BREAK SPACE", "VARIATION SELECTOR-256"),
        *("KHMER VOWEL INHERENT AQ", "HALFWIDTH HANGUL FILLER", "TAG SPACE"),
        *("RIGHT-TO-LEFT OVERRIDE", "SHORTHAND FORMAT LETTER OVERLAP"),
    ):
        assert unicodedata.lookup(name) in INVISIBLE
    # format characters that are seen, such as those that begin a number in Arabic
    shown = {c for c in LETTERS if unicodedata.category(c) == "Cf"} - set(INVISIBLE)
    assert all("ARABIC" in unicodedata.name(c) or ord(c) > 0x6DD for c in shown)
    assert not [c for c in INVISIBLE if c.isalnum() and unicodedata.category(c) != "Lo"]


def test_what_is_not_seen_does_not_count() -> None:
    assert {skeleton(f"a{letter}b{letter}") for letter in INVISIBLE} == {"ab"}
    assert skeleton("cafe\N{COMBINING GRAPHEME JOINER}\u0301") == skeleton("caf\u00e9")


def test_runs_of_spaces_and_dashes_are_one() -> None:
    spaces = [letter for letter in LETTERS if letter.isspace()]
    dashes = [letter for letter in LETTERS if unicodedata.category(letter) == "Pd"]
    assert len(spaces) >= 25
    assert len(dashes) >= 25
    for letter in (*spaces, "\N{BRAILLE PATTERN BLANK}"):
        assert skeleton(f"a{letter}{letter} b{letter}") == "a b"
        assert skeleton(f"a{letter}\N{ZERO WIDTH SPACE}{letter}b") == "a b"
    for letter in (*dashes, "\N{MINUS SIGN}", "\N{HYPHEN BULLET}", "\N{SUPERSCRIPT MINUS}"):
        assert skeleton(f"a{letter}-{letter}b") == "a-b"
        assert skeleton(f"a-\N{SOFT HYPHEN}{letter}b") == "a-b"


def test_names_that_differ_stay_apart() -> None:
    names = ("trial 7", "trial-7", "trial7", "trial_7", "trial 77", "trail 7", "trial - 7", "七")
    assert len({skeleton(name) for name in names}) == len(names)
    assert all(skeleton(skeleton(name)) == skeleton(name) for name in names)


SPELLINGS = (
    "trial 7--a",
    "trial  7-a",
    "trial \N{NO-BREAK SPACE}7-a",
    "trial\N{IDEOGRAPHIC SPACE}7-a",
    "trial 7\N{EN DASH}\N{EM DASH}a",
    "trial 7\N{MINUS SIGN}a",
    "trial 7-a\N{VARIATION SELECTOR-16}",
    "tri\N{COMBINING GRAPHEME JOINER}al 7-a",
    "trial\N{HANGUL FILLER} 7-a",
    "trial\N{BRAILLE PATTERN BLANK}7-a",
    "trial 7-a\N{BRAILLE PATTERN BLANK}",
    "Trial 7-A",
    "trial\u2065 7-a",
    "trial\U000e0fff 7-a",
)


@pytest.mark.parametrize("other", SPELLINGS)
def test_another_spelling_opens_no_second_budget(place: str, other: str) -> None:
    ledger = Ledger.open(place, budget=3)
    ledger.charge("trial 7-a", guarantee(1), ABOUT)
    before = ledger.history()
    for attempt in (
        lambda: ledger.charge(other, guarantee(1), ABOUT),
        lambda: ledger.quote(other, guarantee(1)),
        lambda: ledger.create(other),
    ):
        with pytest.raises(InputError, match="differs from 'trial 7-a' only by"):
            attempt()
    with pytest.raises(InputError, match=r"parts\[1\] .* differs from 'trial 7-a' only by"):
        ledger.create("d", adjacency="add-remove", parts=("trial 7-a", other))
    with pytest.raises(InputError, match="is not in ledger"):
        ledger.remaining(other)
    assert ledger.history() == before
    assert ledger.remaining("trial 7-a").epsilon == 2


@pytest.mark.parametrize("letter", ["\N{VARIATION SELECTOR-16}", "\N{HANGUL FILLER}", "\u2065"])
def test_new_names_have_no_invisible_characters(ledger: Ledger, letter: str) -> None:
    """Those of format were refused before; older ledgers may have the others."""
    name = f"a{letter}b"
    ledger.create("d", adjacency="add-remove", parts=("north", "south"))
    paid = guarantee(1, 0, "add-remove")
    for attempt in (
        lambda: ledger.charge(name, paid, ABOUT),
        lambda: ledger.charge(letter, paid, ABOUT),
        lambda: ledger.charge("d", paid, ABOUT, request_id=name),
        lambda: ledger.create("e", adjacency="add-remove", parts=("a", name)),
        lambda: ledger.create("\N{BRAILLE PATTERN BLANK}"),
    ):
        with pytest.raises(InputError, match=r"must not contain invisible characters, got '"):
            attempt()
    assert len(ledger.history()) == 2


# ledgers of an older discreet, whose rule was less strict


@pytest.fixture
def older(place: str, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """A ledger with two names that are one today, parts that are, and an odd request."""
    ledger = Ledger.open(place, budget=3)
    with monkeypatch.context() as patch:
        for module in ("opening", "charging"):
            patch.setattr(f"discreet.ledger.{module}.require_visible", lambda *_: None)
        patch.setattr("discreet.ledger.opening.require_unlike", lambda *_: None)
        ledger.charge("trial 7", guarantee(1), ABOUT)
        ledger.charge("trial  7", guarantee(2), ABOUT, request_id="r\ufe0f")
        ledger.charge("heart \u2764\ufe0f", guarantee(1), ABOUT)
        ledger.create("wards", adjacency="add-remove", parts=("a-b", "a--b"))
    return ledger


def test_what_an_older_ledger_has_is_neither_merged_nor_lost(older: Ledger) -> None:
    left = {account.dataset: account.remaining().epsilon for account in older.datasets()}
    assert left == {"trial 7": 2, "trial  7": 1, "heart \u2764\ufe0f": 2, "wards": 3}
    older.charge("trial 7", guarantee(2), ABOUT)
    with pytest.raises(dp.BudgetError, match="'trial 7' has epsilon 0 left"):
        older.charge("trial 7", guarantee("0.1"), ABOUT)
    older.charge("trial  7", guarantee("0.5"), ABOUT)
    assert older.remaining("trial  7").epsilon == 0.5
    older.raise_budget("trial  7", 4)
    older.charge("heart \u2764\ufe0f", guarantee(1), ABOUT)
    for part in ("a-b", "a--b"):
        older.charge("wards", guarantee(1, 0, "add-remove"), ABOUT, part=part)
        assert older.remaining("wards", part).epsilon == 2
    assert older.remaining("wards") == Amount.budget(2, 0)
    for third in ("trial\N{NO-BREAK SPACE} 7", "TRIAL 7", "heart \u2764", "heart  \u2764\ufe0f"):
        with pytest.raises(InputError, match="differs from"):
            older.charge(third, guarantee("0.1"), ABOUT)
    assert len(older.datasets()) == 4


def test_what_an_older_ledger_has_is_verified_and_said(older: Ledger) -> None:
    report = older.verify()
    assert report.ok, report.problems
    assert report.alike == (("trial 7", "trial  7"),)
    assert "'trial 7' and 'trial  7' look alike and have budgets of their own" in str(report)
    assert "look alike" in done("ledger", "verify", older.place).out
    assert done("ledger", "show", older.place, "--dataset", "trial  7", "--json").document


def test_an_older_request_is_found_again(older: Ledger) -> None:
    [charge] = [entry for entry in older.history("trial  7") if entry.kind == "charge"]
    receipt = Receipt("trial  7", charge.number, charge.hash)
    release = document(receipt, guarantee(2))
    older.record(receipt, release)
    again = older.charge("trial  7", guarantee(2), ABOUT, request_id="r\ufe0f")
    assert again.stored == release
    assert older.released(charge.number) == release
    assert Receipt.read(receipt.document()) == receipt
    assert older.verify(release).ok


def test_a_ledger_without_such_names_says_nothing(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "budget.db", budget=3)
    for name in ("trial 7", "trial-7", "trial7"):
        ledger.charge(name, guarantee(1), ABOUT)
    assert ledger.verify().alike == ()
    assert "alike" not in str(ledger.verify())
