"""A planned release: what is typed, what it costs in words, and the same release elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.explorer.orders import Order, read_order

FIELDS: dict[str, Any] = {
    "data": "patients.csv",
    "column": "outcome",
    "categories": "cured, it's not",
    "prior": "1/2",
    "epsilon": "0.25",
    "mechanism": "lattice",
    "adjacency": "substitute",
    "unknown": "error",
    "ledger": "budget.db",
    "dataset": "trial-7",
}


@pytest.fixture
def order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Order:
    monkeypatch.chdir(tmp_path)
    rows = ["cured"] * 71 + ["it's not"] * 19
    (tmp_path / "patients.csv").write_text("\n".join(["outcome", *rows, ""]), encoding="utf-8")
    dp.Ledger.open(tmp_path / "budget.db", budget=1)
    return read_order(**FIELDS)


def test_what_it_costs_in_words(order: Order) -> None:
    dp.Ledger.open("budget.db").create("trial-7", unit="patient")
    words = " ".join(order.in_words())
    assert "ε = 0.25 of the 1 left of 'trial-7'" in words
    assert "1.28" in words  # e^0.25
    assert "replacing one patient" in words
    assert "cannot be undone" in words


def test_a_release_is_paid_once(order: Order) -> None:
    made = order.carry_out()
    assert order.carry_out().value == made.value
    assert dp.Ledger.open("budget.db").remaining("trial-7").epsilon == dp.check.rational("x", 0.75)


def test_the_same_elsewhere_is_the_same_release(order: Order, tmp_path: Path) -> None:
    """Command line, script and notebook run as they are, and pay nothing a second time."""
    made = order.carry_out()
    scripts = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = os.environ | {"PATH": scripts}
    subprocess.run(order.command_line(), shell=True, check=True, env=environment)
    stored = dp.Release.from_json((tmp_path / "release.json").read_text(encoding="utf-8"))
    assert stored.value == made.value
    (tmp_path / "again.py").write_text(order.script(), encoding="utf-8")
    ran = subprocess.run([sys.executable, "again.py"], check=True, capture_output=True, text=True)
    assert str(made.guarantee) in ran.stdout
    _run_notebook(order.notebook(), str(made.guarantee))
    assert dp.Ledger.open("budget.db").remaining("trial-7").epsilon == dp.check.rational("x", 0.75)


def _run_notebook(text: str, expected: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="a notebook needs nbformat")
    nbclient = pytest.importorskip("nbclient", reason="a notebook needs nbclient")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.create_kernel_manager().kernel_spec.argv[0] = sys.executable
    client.execute()
    assert expected in notebook.cells[3].outputs[0].text
    assert "image/png" in notebook.cells[4].outputs[0].data


BAD = [
    ({"data": ""}, "data must be given"),
    ({"column": None}, "column must be given"),
    ({"categories": "cured"}, "categories must be two or more"),
    ({"categories": "a, a"}, "categories"),
    ({"prior": "zero"}, "prior"),
    ({"prior": "-1"}, "prior"),
    ({"epsilon": "lots"}, "epsilon"),
    ({"epsilon": "0"}, "epsilon"),
    ({"mechanism": "ehdl"}, "mechanism"),
    ({"mechanism": "ehds", "adjacency": "add-remove"}, "adjacency"),
    ({"adjacency": "sideways"}, "adjacency"),
    ({"ledger": "  "}, "ledger must be given"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_what_makes_no_sense_gets_a_sentence(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        read_order(**FIELDS | changed)


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    order = read_order(**FIELDS | {"ledger": str(tmp_path / "none.db")})
    with pytest.raises(dp.InputError, match="does not exist"):
        order.in_words()
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_vanished_costs_nothing(order: Order, tmp_path: Path) -> None:
    (tmp_path / "patients.csv").unlink()
    with pytest.raises(dp.InputError, match="does not exist"):
        order.carry_out()
    assert not dp.Ledger.open("budget.db").datasets()
