from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.cli.history import table
from discreet.core.documents import digest
from discreet.ledger import Ledger, schema
from tests.cli.cases import MODEL, call, call_as_nobody, done, spent
from tests.ledger import workers
from tests.ledger.cases import ABOUT, guarantee
from tests.optional import module


def release(patients: Path, budget: Path, epsilon: str, *options: object) -> Any:
    paid = ("--epsilon", epsilon, "--ledger", budget, "--dataset", "trial-7", *options)
    return call("release", patients, *MODEL, *paid)


def test_from_an_empty_place_to_a_verified_release(patients: Path, tmp_path: Path) -> None:
    place, out = tmp_path / "budget.db", tmp_path / "release.json"
    made = done("ledger", "init", place, "--budget", "3", "--delta", "1e-6")
    assert made.out == f"Ledger {place}: every new data set may cost ε = 3, δ = 1e-6.\n"
    assert place.stat().st_mode & 0o777 == 0o600
    created = done("ledger", "create", "trial-7", place, "--budget", "1.5", "--json").document
    assert created[0]["budget"] == {"epsilon": "3/2", "delta": "1/1000000"}
    assert release(patients, place, "1", "--out", out).status == 0
    refused = release(patients, place, "1")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err == (
        "Refused: dataset 'trial-7' has epsilon 0.5 left of 1.5, the release costs 1\n"
    )
    raised = done("ledger", "raise", "trial-7", place, "--budget", "2", "--reason", "more")
    assert "ε = 2" in raised.out
    assert release(patients, place, "1").status == 0
    [account] = done("ledger", "show", place, "--json").document
    assert account["spent"]["epsilon"] == account["budget"]["epsilon"] == "2"
    assert account["remaining"]["epsilon"] == "0"
    history = done("ledger", "history", place, "--json").document
    assert [entry["kind"] for entry in history] == [
        "open",
        "create",
        "charge",
        "outcome",
        "raise",
        "charge",
        "outcome",
    ]
    assert history[4]["content"]["reason"] == "more"
    report = done("ledger", "verify", place, "--release", out, "--json").document
    assert report == {
        "ok": True,
        "entries": 7,
        "datasets": 1,
        "unfinished": [],
        "problems": [],
    }
    assert "the chain, the totals and the rules hold" in done("ledger", "verify", place).out
    for command in ("show", "history", "verify", "migrate"):
        assert done("ledger", command, place, "--quiet").out == ""


def test_the_ledger_by_option_and_by_environment(
    budget: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert done("ledger", "show", budget).out.startswith("The ledger has no data set yet")
    done("ledger", "create", "a", "--ledger", budget)
    monkeypatch.setenv("DISCREET_LEDGER", str(budget))
    done("ledger", "create", "b")
    names = [a["dataset"] for a in done("ledger", "show", "--json").document]
    assert names == ["a", "b"]
    done("ledger", "show", budget)
    both = call("ledger", "show", budget, "--ledger", "other.db")
    assert both.err == "Error: place and ledger must not both be given\n"
    monkeypatch.delenv("DISCREET_LEDGER")
    assert call("ledger", "show").err.startswith("Error: place must be given")


def test_a_retry_returns_the_same_release_and_does_not_pay_twice(
    patients: Path, budget: Path
) -> None:
    first, second = (release(patients, budget, "1", "--request-id", "r1", "--json") for _ in "12")
    assert first.status == second.status == 0
    assert first.out == second.out
    assert spent(budget, "trial-7") == "1"
    table, again = (release(patients, budget, "1", "--request-id", "r1") for _ in "12")
    assert table.out == again.out
    other = release(patients, budget, "0.5", "--request-id", "r1")
    assert (other.status, other.out) == (2, "")
    assert "--request-id 'r1' was used for another release" in other.err
    assert release(patients, budget, "1", "--request-id", "r2").status == 0
    assert spent(budget, "trial-7") == "2"
    assert len(done("ledger", "history", budget, "--json").document) == 6


def test_verify_detects_an_edited_release(patients: Path, budget: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    assert release(patients, budget, "1", "--out", out).status == 0
    document = json.loads(out.read_text())
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(document | {"raw": [1, 2, 78]}))
    result = call("ledger", "verify", budget, "--release", edited)
    assert result.status == 2
    assert "the release was changed after it was written" in result.err
    # consistent in itself, but not what was recorded
    forged = dp.Release.from_json(out.read_text())
    object.__setattr__(forged, "raw", forged.raw[::-1])
    object.__setattr__(forged, "value", forged.value[::-1])
    forged.save(edited, overwrite=True)
    result = call("ledger", "verify", budget, "--release", edited)
    assert result.status == 1
    assert "the release is not the one that was recorded for entry 3" in result.out
    unpaid = tmp_path / "unpaid.json"
    done("release", patients, *MODEL, "--epsilon", "1", "--out", unpaid)
    result = call("ledger", "verify", budget, "--release", unpaid, "--quiet")
    assert result.status == 1
    assert "was not paid for from a ledger" in result.out


def test_verify_reads_the_release_as_it_stands(
    patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, edited = tmp_path / "release.json", tmp_path / "edited.json"
    assert release(patients, budget, "1", "--out", out).status == 0
    document = json.loads(out.read_text())
    verify = ("ledger", "verify", budget, "--release")
    monkeypatch.setattr("discreet.releases.published.__version__", "9.9.9")  # after an upgrade
    done(*verify, out)
    for change in ({"software": "discreet 9.9.9"}, {"n": float(document["n"])}):
        other = {key: value for key, value in (document | change).items() if key != "sha256"}
        edited.write_text(json.dumps(other | {"sha256": digest(other)}))
        result = call(*verify, edited)
        assert result.status in (1, 2)
        assert "not the one that was recorded" in result.out or "malformed" in result.err
    text = out.read_text()
    edited.write_text(text.replace('"simulated": false', '"simulated": true, "simulated": false'))
    result = call(*verify, edited)
    assert result.status == 2
    assert "the release has a key twice" in result.err


def test_verify_detects_a_ledger_that_was_rolled_back(
    patients: Path, budget: Path, tmp_path: Path
) -> None:
    copy, out = tmp_path / "copy.db", tmp_path / "release.json"
    assert release(patients, budget, "1").status == 0
    assert done("ledger", "backup", copy, budget).out == f"Copied to {copy}.\n"
    assert release(patients, budget, "1", "--out", out).status == 0
    done("ledger", "verify", budget, "--release", out)
    result = call("ledger", "verify", copy, "--release", out)
    assert result.status == 1
    assert "rolled back to an older copy" in result.out
    assert release(patients, copy, "0.5").status == 0
    result = call("ledger", "verify", copy, "--release", out, "--json")
    assert result.status == 1
    assert "went on from there" in result.document["problems"][0]


def test_verify_detects_a_changed_value(patients: Path, budget: Path) -> None:
    assert release(patients, budget, "1").status == 0
    with sqlite3.connect(budget) as connection:
        connection.execute(
            "update discreet_entries set content = replace(content, '1000000000000', '1') "
            "where kind = 'charge'"
        )
    connection.close()
    result = call("ledger", "verify", budget)
    assert result.status == 1
    assert "entry 3: it was changed after it was written" in result.out


def test_backup_does_not_overwrite(budget: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert done("ledger", "backup", copy, budget, "--json").document == {"backup": str(copy)}
    again = call("ledger", "backup", copy, budget)
    assert again.status == 1
    assert "cannot be created: File exists" in again.err
    assert done("ledger", "verify", copy, "--json").document["ok"]


def test_migration(patients: Path, budget: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("ledger", "create", "trial-7", budget)
    newer = (*schema.MIGRATIONS, ("CREATE TABLE discreet_notes (note TEXT)",))
    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    assert release(patients, budget, "1").status == 0  # an older ledger is used as it is
    assert done("ledger", "migrate", budget, "--json").document == {"version": 3}
    assert done("ledger", "migrate", budget).out == "The ledger has version 3.\n"
    assert release(patients, budget, "1").status == 0
    assert done("ledger", "verify", budget, "--json").document["ok"]
    monkeypatch.undo()
    newest = call("ledger", "show", budget)
    assert newest.status == 1
    assert "newer" in newest.err


def test_tables_fit_a_terminal_of_80_columns(patients: Path, budget: Path) -> None:
    assert release(patients, budget, "1").status == 0
    ledger = Ledger(str(budget))
    ledger.charge("trial-7", guarantee("0.001"), ABOUT)
    shown = done("ledger", "history", budget).out
    at = ledger.history()[-1].at
    assert at[:16].replace("T", " ") in shown
    assert "unknown" in shown
    assert "outcome of 3" in shown
    assert "δ" not in shown
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    done("ledger", "create", "with-delta", budget, "--delta", "1e-7")
    for command in ("show", "history"):
        assert "δ = 1e-7" in " ".join(done("ledger", command, budget).out.split())
    assert table(()).row_count == 0


def test_parts(patients: Path, budget: Path) -> None:
    parts = ("--adjacency", "add-remove", "--parts", "north,south")
    done("ledger", "create", "trial-7", budget, *parts)
    paid = ("--adjacency", "add-remove", "--part")
    for part in ("north", "south"):
        assert release(patients, budget, "2", *paid, part).status == 0
    assert spent(budget, "trial-7") == "2"
    shown = done("ledger", "show", budget).out
    assert "north" in shown
    wrong = release(patients, budget, "1", *paid, "west")
    assert wrong.status == 2
    assert "part must be one of 'north', 'south'" in wrong.err


def test_a_plot_of_the_budget(patients: Path, budget: Path, tmp_path: Path) -> None:
    picture = tmp_path / "budget.svg"
    empty = call("ledger", "show", budget, "--plot", picture)
    assert empty.err == "Error: the ledger has no data set to plot\n"
    assert release(patients, budget, "1").status == 0
    done("ledger", "show", budget, "--plot", picture)
    assert "<svg" in picture.read_text()


def test_a_tighter_total(patients: Path, budget: Path) -> None:
    module("dp_accounting", "accounting")
    for _ in range(3):
        assert release(patients, budget, "0.5", "--adjacency", "add-remove").status == 0
    asked = ("ledger", "show", budget, "--delta", "1e-3")
    [account] = done(*asked, "--json").document
    assert 0 < account["tighter_total"]["epsilon"] < 1.5
    assert account["tighter_total"]["exact"] == ["lattice"]
    assert "for releases settled beforehand" in done(*asked).out


# bad places


def test_a_locked_ledger(patients: Path, budget: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.ledger.stores.PATIENCE", 0.05)
    connection = sqlite3.connect(budget, isolation_level=None)
    connection.execute("begin immediate")
    result = release(patients, budget, "1")
    connection.close()
    assert (result.status, result.out) == (1, "")
    assert result.err == f"Refused: ledger {str(budget)!r} is locked by another process\n"


def test_ledgers_that_cannot_be_used(patients: Path, budget: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a ledger at all, but long enough to be a file of another kind" * 20)
    foreign = tmp_path / "foreign.db"
    sqlite3.connect(foreign).execute("create table t (x)").connection.close()
    cases: dict[str, tuple[Path, int]] = {
        "does not exist; make it with: discreet ledger init PLACE": (tmp_path / "no.db", 2),
        "is not a file": (tmp_path, 1),
        "is not a ledger": (text, 1),
        "is a SQLite file but not a ledger": (foreign, 1),
    }
    for words, (place, status) in cases.items():
        result = release(patients, place, "1")
        assert (result.status, result.out) == (status, ""), result
        assert words in result.err
    other = call("ledger", "init", budget, "--budget", "4")
    assert other.status == 2
    assert "has the default budget ε = 3, δ = 0, got ε = 4, δ = 0" in other.err
    url = call("ledger", "show", "mysql://user:SECRET@host/x")
    assert url.status == 2
    assert "SECRET" not in url.err


def test_a_read_only_ledger() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        place = folder / "budget.db"
        done("ledger", "init", place, "--budget", "3")
        place.chmod(0o444)
        folder.chmod(0o555)
        asked = ("ledger", "create", "d", place)
        with workers.processes().Pool(1) as pool:
            result = pool.apply(call_as_nobody, asked)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert (result.status, result.out) == (1, "")
    assert result.err == f"Refused: ledger {str(place)!r} is read-only\n"


def test_wrong_use_of_a_ledger(budget: Path) -> None:
    done("ledger", "create", "trial-7", budget)
    for words, arguments in {
        "dataset 'trial-8' is not in ledger": ("show", budget, "--dataset", "trial-8"),
        "did you mean 'trial-7'?": ("history", budget, "--dataset", "trial-8"),
        "exists already": ("create", "trial-7", budget),
        "differs from 'trial-7' only by case": ("create", "Trial-7", budget),
        "budget must be raised": ("raise", "trial-7", budget, "--budget", "1"),
        "parts need adjacency 'add-remove'": ("create", "x", budget, "--parts", "a,b"),
        "parts must be names separated by commas": ("create", "x", budget, "--parts", "a,,b"),
        "budget must be a number": ("init", "x.db", "--budget", "many"),
        "path 'no.json' cannot be read": ("verify", budget, "--release", "no.json"),
    }.items():
        result = call("ledger", *arguments)
        assert (result.status, result.out) == (2, "")
        assert words in result.err
        assert len(result.err.splitlines()) == 1


def test_a_ledger_on_a_server(patients: Path, tmp_path: Path, postgres: str) -> None:
    out = tmp_path / "release.json"
    made = done("ledger", "init", postgres, "--budget", "1", "--json").document
    assert made["ledger"].startswith("postgresql://")
    assert "search_path" not in made["ledger"]
    paid = ("--epsilon", "1", "--ledger", postgres, "--dataset", "trial-7")
    done("release", patients, *MODEL, *paid, "--out", out, "--quiet")
    refused = call("release", patients, *MODEL, *paid)
    assert (refused.status, refused.out) == (1, "")
    assert "has epsilon 0 left of 1" in refused.err
    assert done("ledger", "verify", postgres, "--release", out, "--json").document["ok"]
    assert "trial-7" in done("ledger", "show", postgres).out
