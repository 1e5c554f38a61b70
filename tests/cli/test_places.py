"""Every command that writes a file: nothing is replaced, read or charged without being asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cases import MODEL, call, done

NET = """network clinic { }
variable outcome { type discrete [ 3 ] { cured, improved, unchanged }; }
variable therapy { type discrete [ 2 ] { cryo, immuno }; }
probability ( outcome ) { table 0.5, 0.3, 0.2; }
probability ( therapy | outcome ) { (cured) 0.5, 0.5; (improved) 0.8, 0.2; (unchanged) 0.5, 0.5; }
"""
SMALL = ("--categories", "a,b", "--epsilon", "1")
PAID: dict[str, tuple[str, ...]] = {
    "release": MODEL,
    "network": ("--structure", "net.bif"),
    "mean": (
        *("--column", "age", "--bounds", "0:100", "--prior-mean", "40"),
        *("--prior-variance", "100", "--variance", "300"),
    ),
    "regress": ("--y", "age", "--x", "patients", "--bounds", "age=0:9", "--bounds", "patients=0:1"),
}
FREE: dict[str, tuple[str, ...]] = {
    "plan": (*SMALL, "--n", "7"),
    "compare": (*SMALL, "--counts", "3,4"),
    "audit": (*SMALL, "--n", "4", "--mechanism", "ehd"),
    "ledger show": ("budget.db",),
    "ledger released": ("budget.db", "3"),
    "show": ("saved.json",),
}
OPTIONS = {
    "network": ("--out", "--bif"),
    "plan": ("--plot",),
    "compare": ("--plot",),
    "ledger show": ("--plot",),
    "ledger released": ("--out",),
    "show": ("--plot",),
}
CASES = [
    (command, option)
    for command in (*PAID, *FREE)
    for option in OPTIONS.get(command, ("--out", "--plot"))
]


@pytest.fixture
def here(patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("net.bif").write_text(NET)
    paid = ("--epsilon", "1", "--ledger", "budget.db", "--dataset", "first")
    done("release", "patients.csv", *MODEL, *paid, "--out", "saved.json", "--quiet")
    return tmp_path


def asked(command: str) -> tuple[str, ...]:
    if command in FREE:
        return (*command.split(), *FREE[command])
    paid = ("--epsilon", "1", "--ledger", "budget.db", "--dataset", "d")
    return (command, "patients.csv", *PAID[command], *paid)


@pytest.mark.parametrize(("command", "option"), CASES)
def test_a_file_that_exists_is_kept(here: Path, command: str, option: str) -> None:
    before = len(done("ledger", "history", "budget.db", "--json").document)
    Path("mine.png").write_text("mine")
    Path("folder.png").mkdir()
    Path("dead.png").symlink_to("no/where.png")
    for name, words in {
        "mine.png": "'mine.png' exists already: --force replaces it",
        "./mine.png": "'./mine.png' exists already: --force replaces it",
        "folder.png": "'folder.png' cannot be written: it is not a regular file",
        "no/such.png": "'no/such.png' cannot be written: No such file or directory",
        "dead.png": "'dead.png' cannot be written: No such file or directory",
    }.items():
        result = call(*asked(command), option, name)
        assert (result.status, result.out) == (2, ""), result
        assert result.err == f"Error: {option[2:]} {words}\n"
    assert Path("mine.png").read_text() == "mine"
    assert len(done("ledger", "history", "budget.db", "--json").document) == before


@pytest.mark.parametrize(
    ("command", "option"), [case for case in CASES if case[0] not in ("plan", "regress")]
)
def test_it_is_replaced_if_asked_to(here: Path, command: str, option: str) -> None:
    Path("mine.png").write_text("mine")
    done(*asked(command), option, "mine.png", "--force", "--quiet")
    assert Path("mine.png").stat().st_size > 100
    assert not [path for path in here.iterdir() if path.name.startswith(".discreet")]


@pytest.mark.parametrize("command", PAID)
def test_two_things_do_not_go_to_one_file(here: Path, command: str) -> None:
    other = OPTIONS.get(command, ("--out", "--plot"))[1]
    for force in ((), ("--force",)):
        result = call(*asked(command), "--out", "x.png", other, "./x.png", *force)
        assert (result.status, result.out) == (2, "")
        assert result.err == f"Error: {other[2:]} must be another file than out\n"
    for kept, option in (("patients.csv", "--out"), ("budget.db", "--out"), ("net.bif", other)):
        if other == "--bif" or kept != "net.bif":
            result = call(*asked(command), option, kept, "--force")
            assert (result.status, result.out) == (2, "")
            assert "must be another file than" in result.err
    assert not Path("x.png").exists()
