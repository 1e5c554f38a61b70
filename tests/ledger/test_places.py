"""Opening: files and servers that exist, do not exist, or are something else."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import stat
import sys
import tempfile
import threading
import traceback
from pathlib import Path

import pytest

from discreet.errors import InputError, LedgerError, MissingPackageError
from discreet.ledger import Amount, Ledger, schema, stores
from tests.ledger import workers
from tests.ledger.cases import ABOUT, document, guarantee
from tests.ledger.conftest import execute, with_options

NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_opening_again_keeps_what_is_stored(place: str) -> None:
    ledger = Ledger.open(place, budget=3, delta=1e-6)
    ledger.charge("d", guarantee(1), ABOUT)
    for same in (
        Ledger.open(place),
        Ledger.open(place, 3.0),
        Ledger.open(place, 3, 1e-6),
    ):
        assert same == ledger
        assert same.remaining("d") == Amount.budget(2, 5e-9)  # the rest is for what composes
    for budget, delta in ((2, None), (4, None), (3, 0), (3, 1e-5)):
        with pytest.raises(InputError, match="has the default budget ε = 3, δ = 1e-6, got"):
            Ledger.open(place, budget, delta)
    with pytest.raises(InputError, match="unit must be left out or the same"):
        Ledger.open(place, unit="patient")
    with pytest.raises(InputError, match="adjacency must be left out or the same"):
        Ledger.open(place, adjacency="substitute")
    with pytest.raises(InputError, match="delta needs a budget"):
        Ledger.open(place, delta=1e-6)


def test_a_ledger_without_defaults_does_not_get_them_later(place: str) -> None:
    Ledger.open(place)
    with pytest.raises(InputError, match="has no default budget, got ε = 3"):
        Ledger.open(place, budget=3)


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        ledger = Ledger.open(tmp_path / "budget.db", budget=3)
        ledger.charge("d", guarantee(1), ABOUT)
        with sqlite3.connect(tmp_path / "budget.db") as other:
            other.execute("SELECT count(*) FROM discreet_entries").fetchall()
            ledger.charge("d", guarantee(1), ABOUT)
            files = sorted(tmp_path.iterdir())
            assert [f.name for f in files] == ["budget.db", "budget.db-shm", "budget.db-wal"]
            assert {mode(f) for f in files} == {0o600}
        other.close()
        ledger.backup(tmp_path / "copy.db")
        assert mode(tmp_path / "copy.db") == 0o600
    finally:
        os.umask(old)


def test_the_log_is_written_ahead(ledger: Ledger) -> None:
    ledger.create("d")
    other = sqlite3.connect(ledger.place)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_the_last_entry_is_found_by_its_own_index(ledger: Ledger) -> None:
    other = sqlite3.connect(ledger.place)
    plan = other.execute("EXPLAIN QUERY PLAN " + schema.LAST, {"dataset": "d"}).fetchall()
    assert [row[3] for row in plan] == [
        "SEARCH discreet_entries USING INDEX discreet_by_dataset (dataset=?)"
    ]
    other.close()


def test_a_file_is_never_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "target.db")
    with pytest.raises(LedgerError, match="is a broken link"):
        Ledger.open(tmp_path / "link.db", budget=3)
    assert not (tmp_path / "target.db").exists()


def test_a_second_hard_link_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    os.link(ledger.place, tmp_path / "second.db")
    with pytest.raises(LedgerError, match="second hard link"):
        ledger.charge("d", guarantee(1), ABOUT)


def test_places_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger.open(tmp_path, budget=3)
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger.open(tmp_path / "pipe", budget=3)
    with pytest.raises(LedgerError, match="cannot be created: No such file or directory"):
        Ledger.open(tmp_path / "missing" / "budget.db", budget=3)
    with pytest.raises(LedgerError, match="cannot be created: Not a directory"):
        Ledger.open(tmp_path / "file" / "budget.db", budget=3)
    with pytest.raises(LedgerError, match="File name too long"):
        Ledger.open(tmp_path / ("x" * 300), budget=3)
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger(str(tmp_path / "absent.db")).datasets()


@pytest.mark.parametrize("place", ["", "a\0b", None, 5, b"x.db", "mysql://host/db", "http://x"])
def test_a_place_is_a_path_or_a_url(place: str) -> None:
    with pytest.raises(InputError, match="place must"):
        Ledger.open(place, budget=3)


def test_strange_paths_are_just_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "a?mode=ro", "a#b", "100%", "ä ö'\".db", "file:x"):
        ledger = Ledger.open(name, budget=3)
        ledger.charge("d", guarantee(1), ABOUT)
        assert (tmp_path / name).is_file()
    monkeypatch.chdir("/")
    assert ledger.remaining("d").epsilon == 2


def test_files_that_are_no_ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.1)
    path = tmp_path / "x.db"
    path.write_bytes(b"")
    with pytest.raises(LedgerError, match="is empty; if nothing was ever charged"):
        Ledger.open(path, budget=3)
    path.write_bytes(b"date,amount\n1,2\n" * 100)
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(path, budget=3)
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE people (name TEXT)")
    other.commit()
    other.close()
    with pytest.raises(LedgerError, match="is a SQLite file but not a ledger"):
        Ledger.open(path, budget=3)


def test_tables_with_something_added_are_refused(ledger: Ledger) -> None:
    other = sqlite3.connect(ledger.place)
    other.execute(
        "CREATE TRIGGER forget AFTER INSERT ON discreet_entries "
        "BEGIN DELETE FROM discreet_entries WHERE kind = 'charge'; END"
    )
    other.commit()
    other.close()
    with pytest.raises(LedgerError, match="its tables were changed"):
        ledger.charge("d", guarantee(1), ABOUT)


def test_a_locked_ledger_is_said_to_be_locked(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.1)
    ledger.create("d")
    other = sqlite3.connect(ledger.place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match=r"budget.db' is locked by another process"):
        ledger.charge("d", guarantee(1), ABOUT)
    assert ledger.remaining("d").epsilon == 3
    other.close()


def test_a_read_only_file_and_folder_refuse() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        ledger = Ledger.open(folder / "budget.db", budget=3)
        Path(ledger.place).chmod(0o444)
        folder.chmod(0o555)
        user = NOBODY if os.geteuid() == 0 else None
        with workers.processes().Pool(1) as pool:
            told = pool.apply(workers.refused_as, (ledger, user))
        assert told == f"LedgerError: ledger {ledger.place!r} is read-only"
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


@pytest.mark.parametrize("room", [30_000, 45_000, 100_000])
def test_a_full_disk_refuses_and_loses_nothing(ledger: Ledger, room: int) -> None:
    ledger.create("d")
    with workers.processes().Pool(1) as pool:
        granted, told = pool.apply(workers.fill_the_disk, (ledger, room))
    assert "the disk is full" in told
    charges = [entry for entry in ledger.history("d") if entry.kind == "charge"]
    assert len(charges) == granted
    assert (granted > 0) == (room > 30_000)
    assert ledger.verify().ok
    ledger.charge("d", guarantee("0.001"), ABOUT)


def test_a_backup_is_a_ledger_and_overwrites_nothing(ledger: Ledger, tmp_path: Path) -> None:
    ledger.charge("d", guarantee(1), ABOUT)
    ledger.backup(tmp_path / "copy.db")
    copy = Ledger.open(tmp_path / "copy.db")
    assert copy.history() == ledger.history()
    assert copy.verify().ok
    copy.charge("d", guarantee(1), ABOUT)
    assert ledger.remaining("d").epsilon == 2
    with pytest.raises(LedgerError, match="cannot be created: File exists"):
        ledger.backup(tmp_path / "copy.db")
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger(str(tmp_path / "absent.db")).backup(tmp_path / "b.db")
    (tmp_path / "junk.db").write_bytes(b"junk" * 5000)
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger(str(tmp_path / "junk.db")).backup(tmp_path / "b.db")
    assert not (tmp_path / "b.db").exists()


def test_newer_and_older_ledgers(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(place, budget=3)
    receipt = ledger.charge("d", guarantee(1), ABOUT)
    ledger.record(receipt, document(receipt, guarantee(1)))
    assert ledger.migrate() == 2
    assert len(ledger.history()) == 4
    newer = (*schema.MIGRATIONS, ("CREATE TABLE discreet_notes (note TEXT)",))
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", newer)
        ledger.charge("d", guarantee(1), ABOUT)  # an older one is used as it is
        assert Ledger.open(place).migrate() == 3
        ledger.charge("d", guarantee(1), ABOUT)
        assert [entry.kind for entry in ledger.history()[4:]] == ["charge", "migrate", "charge"]
        assert Ledger.open(place, 3) == ledger
        assert ledger.verify(document(receipt, guarantee(1))).ok
    for attempt in (
        lambda: Ledger.open(place),
        lambda: ledger.charge("d", guarantee(1), ABOUT),
        ledger.verify,
        ledger.migrate,
    ):
        with pytest.raises(LedgerError, match=r"was written by a newer discreet \(version 3\)"):
            attempt()


def test_a_ledger_is_a_value(ledger: Ledger) -> None:
    again = pickle.loads(pickle.dumps(ledger))
    assert again == ledger
    receipt = again.charge("d", guarantee(1), ABOUT)
    assert pickle.loads(pickle.dumps(receipt)) == receipt
    assert pickle.loads(pickle.dumps(ledger.history())) == ledger.history()
    assert repr(ledger) == f"<ledger {ledger.place!r}>"


def test_threads_share_a_ledger(place: str) -> None:
    ledger = Ledger.open(place, budget=1)
    granted: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: granted.append(workers.attempts(ledger, "d", 20, "0.01")),
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == 100
    assert ledger.verify().ok


def test_a_fork_shares_a_ledger(place: str) -> None:
    ledger = Ledger.open(place, budget=1)
    with workers.processes().Pool(1) as pool:
        assert pool.apply(workers.charge_on_both_sides_of_a_fork, (ledger, 20)) == 0
    assert ledger.remaining("d") == Amount.budget(0.94, 0)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:geheim@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?user=anna&password=geheim",
        "postgresql://anna:geheim@127.0.0.1:port/db",
        "postgresql://anna:geheim@[::1/db",
        "postgresql+psycopg://anna:geheim@127.0.0.1:1/db?sslmode=geheim",
    ],
)
def test_a_password_is_never_shown(url: str) -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises((LedgerError, InputError)) as raised:
        Ledger.open(url, budget=3)
    assert "geheim" not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__suppress_context__
    assert "geheim" not in repr(Ledger(url))


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy.exc", None)
    with pytest.raises(MissingPackageError, match=r"psycopg: pip install 'discreet\[postgres\]'"):
        Ledger.open("postgresql://localhost/x", budget=3)


def test_a_server_says_what_is_wrong(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger(postgres).datasets()
    ledger = Ledger.open(postgres, budget=3)
    with pytest.raises(LedgerError, match="pg_dump"):
        ledger.backup("copy.db")
    frozen = Ledger(postgres.replace("-csearch", "-cdefault_transaction_read_only%3Don%20-csearch"))
    with pytest.raises(LedgerError, match="is read-only"):
        frozen.charge("d", guarantee(1), ABOUT)
    absent = postgres.replace("/postgres?", "/nowhere?")
    if absent != postgres:
        with pytest.raises(LedgerError, match="cannot be reached"):
            Ledger.open(absent)


def test_a_locked_server_is_said_to_be_locked(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.ledger.postgres import Server

    ledger = Ledger.open(postgres, budget=3)
    monkeypatch.setattr(stores, "PATIENCE", 1)
    with Server(postgres).writing(), pytest.raises(LedgerError, match="is locked"):
        ledger.charge("d", guarantee(1), ABOUT)


def test_a_clerk_can_charge_but_not_change(postgres_server: str, postgres: str) -> None:
    """The role needs SELECT and INSERT only."""
    ledger = Ledger.open(postgres, budget=3)
    name = postgres.rpartition("%3D")[2]
    execute(
        postgres_server,
        f"CREATE ROLE {name}",
        f"GRANT USAGE ON SCHEMA {name} TO {name}",
        f"GRANT SELECT, INSERT ON {name}.discreet_entries TO {name}",
        f"GRANT SELECT ON {name}.discreet_version TO {name}",
    )
    try:
        clerk = Ledger(with_options(postgres_server, f"-csearch_path={name} -crole={name}"))
        receipt = clerk.charge("d", guarantee(1), ABOUT)
        clerk.record(receipt, document(receipt, guarantee(1)))
        assert ledger.verify(document(receipt, guarantee(1))).ok
        with pytest.raises(Exception, match="permission denied"):
            execute(clerk.place, "UPDATE discreet_entries SET dataset = 'e'")
    finally:
        execute(postgres_server, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def test_a_commit_waits_for_the_disk_whatever_the_server_says(postgres: str) -> None:
    from discreet.ledger.postgres import Server

    url = postgres.replace("-csearch", "-csynchronous_commit%3Doff%20-csearch")
    with Server(url).writing() as run:
        assert run("SHOW synchronous_commit") == [("on",)]


def test_existing_makes_none(place: str) -> None:
    for _ in range(2):
        with pytest.raises((InputError, LedgerError)):
            Ledger.existing(place)
    Ledger.open(place, budget=1).create("d")
    assert Ledger.existing(place).remaining("d").epsilon == 1
