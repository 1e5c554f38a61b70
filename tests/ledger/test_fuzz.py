"""Broken files: refused or reported, never another exception, never a grant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BudgetError, InputError, LedgerError
from discreet.ledger import Ledger, stores
from tests.ledger.cases import ABOUT, guarantee
from tests.ledger.test_verification import fill

PAGE = 4096


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A ledger whose data set "full" has nothing left."""
    ledger = Ledger.open(tmp_path_factory.mktemp("fuzz") / "budget.db", budget=3)
    fill(ledger)
    ledger.charge("full", guarantee(2), ABOUT)
    ledger.charge("full", guarantee(1), ABOUT, request_id="r")
    return Path(ledger.place).read_bytes()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0)


def try_everything(path: Path) -> bool:
    """Whether anything was found; nothing may be granted."""
    found = False
    ledger = Ledger(str(path))
    for action in (
        lambda: Ledger.open(path, budget=3),
        lambda: ledger.remaining("full"),
        ledger.datasets,
        ledger.history,
    ):
        try:
            action()
        except (LedgerError, InputError):  # InputError: a damaged index hides a data set
            found = True
    with pytest.raises((LedgerError, BudgetError)) as raised:
        ledger.charge("full", guarantee("0.1"), ABOUT)
    found |= isinstance(raised.value, LedgerError)
    try:
        found |= not ledger.verify().ok
    except LedgerError:
        found = True
    return found


def write(path: Path, data: bytes) -> None:
    for file in path.parent.glob(path.name + "-*"):
        file.unlink()
    path.write_bytes(data)


@pytest.mark.usefixtures("impatient")
def test_changed_bytes(original: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("changed") / "x.db"
    pages = len(original) // PAGE
    results: list[bool] = []

    @settings(max_examples=300)
    @given(
        st.integers(0, pages - 1),
        st.integers(0, PAGE - 1),
        st.sampled_from(["flip", "zero", "random", "swap"]),
        st.integers(1, 255),
        st.randoms(use_true_random=False),
    )
    def mutate(page: int, offset: int, how: str, value: int, random: object) -> None:
        data = bytearray(original)
        start = page * PAGE + offset
        end = min(start + value, (page + 1) * PAGE)
        if how == "flip":
            data[start] ^= value
        elif how == "zero":
            data[start:end] = bytes(end - start)
        elif how == "random":
            data[start:end] = random.randbytes(end - start)  # type: ignore[attr-defined]
        else:
            other = (page + 1 + value % (pages - 1)) % pages * PAGE
            data[other : other + PAGE] = original[page * PAGE : (page + 1) * PAGE]
        write(path, bytes(data))
        results.append(try_everything(path))

    mutate()
    assert sum(results) > 30


@pytest.mark.usefixtures("impatient")
def test_cut_and_foreign_files(original: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("cut") / "x.db"

    @settings(max_examples=100)
    @given(
        st.one_of(
            st.integers(0, len(original) - 1).map(lambda size: original[:size]),
            st.binary(max_size=5000),
            st.binary(max_size=5000).map(lambda tail: original[:100] + tail),
            st.binary(max_size=5000).map(lambda tail: b"SQLite format 3\0" + tail),
        )
    )
    def cut(data: bytes) -> None:
        write(path, data)
        assert try_everything(path)

    cut()


@pytest.mark.usefixtures("impatient")
def test_a_damaged_log_is_survived(ledger: Ledger, tmp_path: Path) -> None:
    ledger.charge("full", guarantee(3), ABOUT)
    for junk in (b"", b"junk" * 2000, bytes(range(256)) * 64):
        Path(ledger.place + "-wal").write_bytes(junk)
        with pytest.raises(BudgetError):
            ledger.charge("full", guarantee(1), ABOUT)
        assert ledger.verify().ok
