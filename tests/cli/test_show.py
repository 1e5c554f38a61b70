"""`discreet show` and `discreet ledger released`: what was paid for is had again."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.core.documents import digest
from discreet.core.law import Law
from tests.cli.cases import MODEL, call, done
from tests.golden.cases import NAMES, made, signed
from tests.ledger.cases import ABOUT, document, guarantee

WITHOUT_INTERVALS = (
    *("program of a number", "program of many parameters", "network map", "network attribute"),
    *("network posterior_sample", "network posterior_sample, coarse", "network map by distance"),
    *("network fourier, three states", "network posterior_sample, tempered"),
    "network posterior_sample, many states",
)


def saved(name: str, folder: Path, **who: Any) -> Path:
    path = folder / "release.json"
    made(name, **who).save(path)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_release_is_shown(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    release = dp.Release.load(path)
    before = path.read_bytes()
    shown = done("show", path).out
    assert "simulated, not private: " in shown
    assert f"Guarantee: {release.guarantee}.\n" in shown
    assert "Receipt: none, no ledger paid for it.\n" in shown
    assert f"Drawn by {release.software}.\n" in shown
    if release.guarantee.basis is not None:
        assert f"Basis: {release.guarantee.basis}.\n" in shown
    assert ("95 % interval" in shown) == (name not in WITHOUT_INTERVALS)
    assert done("show", path, "--json").document == json.loads(before)
    assert done("show", path, "--quiet").out == ""
    assert path.read_bytes() == before


def test_a_summary_is_the_one_of_the_release(tmp_path: Path) -> None:
    shown = done("show", saved("lattice", tmp_path)).out
    release = made("lattice")
    assert shown.count("noise-aware") == shown.count("as released") == 3
    for law in (release.posterior, release.noise_aware()):
        for mean, (low, high) in zip(law.mean(), law.interval(), strict=True):
            assert f"{mean:.3f}" in shown
            assert f"{low:.3f} – {high:.3f}" in shown
    assert "Number of records: 7, declared.\n" in shown


def test_which_records_were_counted_is_said(tmp_path: Path) -> None:
    dropped = done("show", saved("dropped", tmp_path)).out
    assert "Column: 'a'\nCondition: 'age > 20'\nRecords with missing or undeclared" in dropped
    assert "Number of records" not in dropped
    (tmp_path / "more").mkdir()
    other = done("show", saved("other", tmp_path / "more")).out
    assert "Missing and undeclared values count as 'rest'.\n" in other
    assert "Number of records: 5, made public by this release.\n" in other


def test_a_release_of_somebody_else_does_not_control_the_terminal(tmp_path: Path) -> None:
    edited = json.loads(made("dropped").to_json()) | {"column": "\x1b[2J", "where": "\x9b2J"}
    path = tmp_path / "release.json"
    path.write_text(json.dumps(signed(edited)))
    shown = done("show", path).out
    assert "Column: '\\x1b[2J'\nCondition: '\\x9b2J'" in shown
    assert not set(shown) & {"\x1b", "\x9b"}


def test_values_of_programs(tmp_path: Path) -> None:
    shown = done("show", saved("program of many parameters", tmp_path)).out
    assert "program program, n = 5: " in shown
    assert "It returned (4, 6, 3).\n" in shown


PLOTTED = {
    "lattice": (),
    "groups": (),
    "network lattice": ("--node", "c"),
    "mean laplace": (),
    "line statistics": (),
    "program of a posterior": (),
    "program of a normal": (),
}


@pytest.mark.parametrize("name", PLOTTED)
def test_a_saved_release_is_drawn(name: str, tmp_path: Path) -> None:
    path, picture = saved(name, tmp_path), tmp_path / "out.png"
    asked = ("show", path, "--plot", picture, *PLOTTED[name])
    assert done(*asked).out.endswith(f"Plot written to {picture}.\n")
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.write_text("mine")
    refused = call(*asked)
    assert (refused.status, refused.out) == (2, "")
    assert "out.png' exists already: --force replaces it" in refused.err
    assert picture.read_text() == "mine"
    done(*asked, "--force", "--quiet")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_node_of_a_network(tmp_path: Path) -> None:
    path = saved("network lattice", tmp_path)
    shown = done("show", path, "--node", "c").out
    assert "a=y" in shown
    assert done("show", path).out != shown
    for options, words in (
        (("--node", "x"), "node must be one of"),
        (
            ("--plot", tmp_path / "x.png"),
            "node must be given, whose table is drawn: one of 'a', 'c'",
        ),
    ):
        result = call("show", path, *options)
        assert (result.status, result.out) == (2, "")
        assert words in result.err
    (tmp_path / "more").mkdir()
    result = call("show", saved("lattice", tmp_path / "more"), "--node", "c")
    assert (result.status, result.out) == (2, "")
    assert result.err == "Error: node is for releases of networks, got 'c'\n"


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    path = saved("lattice", tmp_path)
    stored = json.loads(path.read_text())
    wrong = tmp_path / "wrong.json"
    contents = {
        path.read_text()[:-40]: "is not complete JSON",
        "[1, 2]": "is not a discreet release",
        "not JSON at all": "is not complete JSON",
        "": "is not complete JSON",
        json.dumps(stored | {"n": 0}): "was changed after it was written",
        json.dumps(signed(stored | {"n": 0})): "raw must be an output that the mechanism can give",
        json.dumps(stored | {"version": 4}): "has format version 4, this software reads 1 to 3",
        "[" * 100_000: "is not complete JSON",
    }
    for content, words in contents.items():
        wrong.write_text(content)
        result = call("show", wrong)
        assert (result.status, result.out) == (2, ""), content[:50]
        assert words in result.err
        assert result.err.startswith(f"Error: path {str(wrong)!r}")
        assert len(result.err.splitlines()) == 1
        assert "Release.load" not in result.err
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    for place, words in {
        tmp_path / "binary": "it is not a text file",
        tmp_path / "missing": "No such file or directory",
        tmp_path: "Is a directory",
        "": "must be the name of a file",
        "a\0b": "must be the name of a file",
    }.items():
        result = call("show", place)
        assert (result.status, result.out) == (2, "")
        assert words in result.err
        assert len(result.err.splitlines()) == 1
    result = call("show", path, "--plot", path)
    assert result.status == 2
    assert "plot must end in" in result.err
    result = call(
        "show", saved("program of a number", _new(tmp_path)), "--plot", tmp_path / "x.png"
    )
    assert (result.status, result.out) == (1, "")
    assert "does not release one distribution" in result.err


def _new(folder: Path) -> Path:
    (folder / "new").mkdir()
    return folder / "new"


# what the ledger keeps


@pytest.mark.parametrize("place", ["sqlite", "postgres"])
def test_the_stored_release_is_written_byte_for_byte(
    place: str, patients: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    ledger = str(tmp_path / "budget.db")
    if place == "postgres":
        ledger = request.getfixturevalue("postgres")
    out, again = tmp_path / "release.json", tmp_path / "again.json"
    done("ledger", "init", ledger, "--budget", "3")
    paid = ("--epsilon", "1", "--ledger", ledger, "--dataset", "trial-7", "--out", out)
    done("release", patients, *MODEL, *paid)
    assert done("ledger", "released", ledger, 3, "--out", again).out == (
        f"lattice, n = 81: ε = 1, δ = 0 for replacing one record\nRelease written to {again}.\n"
    )
    assert again.read_bytes() == out.read_bytes()
    done("ledger", "verify", ledger, "--release", again)
    shown = done("ledger", "released", ledger, 3).out
    assert shown == done("show", out).out
    receipt = dp.Release.load(out).receipt
    assert receipt is not None
    assert "Receipt: data set 'trial-7', entry 3 of its ledger,\n" in shown
    assert f"hash {receipt.hash}.\n" in shown
    stored = done("ledger", "released", ledger, 3, "--json").document
    assert stored == json.loads(out.read_text())
    assert done("ledger", "released", ledger, 3, "--quiet").out == ""
    assert len(dp.Ledger(ledger).history()) == 4  # nothing was paid for


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ehdl"])
def test_every_kind_of_release_is_had_again(name: str, budget: Path, tmp_path: Path) -> None:
    ledger, again = dp.Ledger(str(budget)), tmp_path / "again.json"
    guarantee = made(name).guarantee
    ledger.create("d", 100, 0.1, guarantee.adjacency, guarantee.unit)
    path = saved(name, tmp_path, ledger=ledger, dataset="d", request_id="r")
    done("ledger", "released", budget, 3, "--out", again)
    assert again.read_bytes() == path.read_bytes()
    assert made(name, ledger=ledger, dataset="d", request_id="r") == dp.Release.load(path)


def test_the_file_is_not_overwritten(patients: Path, budget: Path, tmp_path: Path) -> None:
    paid = ("--epsilon", "1", "--ledger", budget, "--dataset", "trial-7", "--quiet")
    done("release", patients, *MODEL, *paid)
    out = tmp_path / "release.json"
    out.write_text("mine")
    asked = ("ledger", "released", budget, 3, "--out")
    result = call(*asked, out)
    assert (result.status, result.out) == (2, "")
    assert "release.json' exists already: --force replaces it" in result.err
    assert out.read_text() == "mine"
    done(*asked, out, "--force")
    assert dp.Release.load(out).receipt
    result = call(*asked, budget, "--force")
    assert (result.status, result.out) == (2, "")
    assert "out must be another file than ledger" in result.err
    done("ledger", "verify", budget)


def test_entries_without_a_release(
    patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "release.json"
    paid = ("--epsilon", "1", "--ledger", budget, "--dataset", "trial-7", "--quiet")
    done("release", patients, *MODEL, *paid)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Law, "sample", killed)
        assert call("release", patients, *MODEL, *paid).status == 130
    ledger = dp.Ledger(str(budget))
    receipt = ledger.charge("trial-7", guarantee("0.5"), ABOUT)
    ledger.record(receipt, document(receipt, guarantee("0.5")))
    cases = {
        1: (2, "got 1, which is an entry of kind 'open'"),
        2: (2, "got 2, which is an entry of kind 'create'"),
        4: (2, "number must be that of a charge, got 4, which is the outcome of entry 3"),
        5: (1, "entry 5 was charged, outcome unknown: no release is stored, as it was interrupted"),
        6: (2, "entry 6: the JSON is not a discreet release"),
        99: (2, "got 99, where the ledger ends at 7"),
        0: (2, "number must lie between 1"),
        10**30: (2, "number must lie between 1"),
    }
    for number, (status, words) in cases.items():
        result = call("ledger", "released", budget, number, "--out", out)
        assert (result.status, result.out) == (status, ""), number
        assert words in result.err
        assert len(result.err.splitlines()) == 1
    assert not out.exists()
    assert call("ledger", "released", budget, "three").status == 2
    assert call("ledger", "released", tmp_path / "no.db", 3).status == 2


def test_where_the_ledger_is(patients: Path, budget: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paid = ("--epsilon", "1", "--ledger", budget, "--dataset", "trial-7", "--json")
    stored = done("release", patients, *MODEL, *paid).document
    assert done("ledger", "released", 3, "--ledger", budget, "--json").document == stored
    monkeypatch.setenv("DISCREET_LEDGER", str(budget))
    assert done("ledger", "released", 3, "--json").document == stored
    assert done("ledger", "released", budget, 3, "--json").document == stored
    for arguments in (("other.db", budget, 3), ()):
        result = call("ledger", "released", *arguments)
        assert result.status == 2
        assert "Usage: discreet ledger released [OPTIONS] [PLACE] NUMBER" in result.err
    result = call("ledger", "show", budget, "another.db")
    assert result.status == 2
    assert "Got unexpected extra argument (another.db)" in result.err


def test_a_damaged_entry_is_not_passed_on(patients: Path, budget: Path) -> None:
    paid = ("--epsilon", "1", "--ledger", budget, "--dataset", "trial-7", "--quiet")
    done("release", patients, *MODEL, *paid)
    with sqlite3.connect(budget) as connection:
        [(content,)] = connection.execute(
            "select content from discreet_entries where number = 4"
        ).fetchall()
        changed = json.loads(content)
        changed["release"]["where"] = "age > 50"
        release = {k: v for k, v in changed["release"].items() if k != "sha256"}
        changed["release"]["sha256"] = digest(release)
        connection.execute(
            "update discreet_entries set content = ? where number = 4", [json.dumps(changed)]
        )
    connection.close()
    result = call("ledger", "released", budget, 3)
    assert (result.status, result.out) == (1, "")
    assert "is damaged: an entry was changed after it was written" in result.err
