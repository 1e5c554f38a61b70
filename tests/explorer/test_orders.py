"""A planned release: what is typed, what it costs in words, and the same release elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dp
from discreet.explorer import exports
from discreet.explorer.orders import SAFE, Order, read_order

FIELDS: dict[str, object] = {
    "data": "patients.csv",
    "column": "outcome",
    "categories": 'cured, "it\'s, well, not"',
    "prior": "1/2",
    "epsilon": "0.25",
    "mechanism": "lattice",
    "adjacency": "substitute",
    "unknown": "error",
    "where": "",
    "unit": "",
    "max_per_unit": None,
    "table": None,
    "ledger": "budget.db",
    "dataset": "trial-7",
}
LEFT = Fraction(3, 4)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = ["cured,a,50"] * 71 + ['"it\'s, well, not",b,30'] * 19
    text = "\n".join(["outcome,patient,age", *rows, ""])
    (tmp_path / "patients.csv").write_text(text, encoding="utf-8")
    dp.Ledger.open(tmp_path / "budget.db", budget=1)
    return tmp_path


@pytest.fixture
def order(folder: Path) -> Order:
    return read_order(FIELDS)


def test_what_it_costs_in_words(order: Order) -> None:
    words = " ".join(order.in_words())
    assert "spends ε = 0.25 of the 1 left of 'trial-7'; 0.75 will be left" in words
    assert "at most 1.28" in words  # e^0.25
    assert "replacing one record" in words
    assert "first release from 'trial-7'" in words
    assert "cannot be undone" in words
    assert not dp.Ledger.open("budget.db").datasets()  # a quote writes nothing


def test_what_counts_twice_is_said(folder: Path) -> None:
    dp.Ledger.open("budget.db").create("trial-7", adjacency="substitute")
    words = " ".join(read_order(FIELDS | {"adjacency": "add-remove"}).in_words())
    assert "spends ε = 0.5 of the 1 left" in words
    assert "counts twice" in words


@pytest.mark.parametrize("epsilon", ["1/3", "0.1", "1e-9"])
def test_what_is_rounded_up_does_not_count_twice(folder: Path, epsilon: str) -> None:
    assert "twice" not in " ".join(read_order(FIELDS | {"epsilon": epsilon}).in_words())


def test_a_release_is_paid_once(order: Order) -> None:
    made = order.carry_out()
    assert order.carry_out().value == made.value
    assert order.afterwards(made) == [
        "It cost ε = 0.25, δ = 0 for replacing one record.",
        "The number of records is made public.",
        "Left for trial-7: ε = 0.75, δ = 0.",
    ]
    assert made.guarantee == order.guarantee
    assert dp.Ledger.open("budget.db").remaining("trial-7").epsilon == LEFT


@pytest.mark.parametrize("mechanism", SAFE)
def test_every_mechanism_costs_what_is_said(folder: Path, mechanism: str) -> None:
    order = read_order(FIELDS | {"mechanism": mechanism})
    assert order.carry_out().guarantee.epsilon == Fraction(1, 4)
    assert dp.Ledger.open("budget.db").remaining("trial-7").epsilon == LEFT


def test_units_and_conditions(folder: Path) -> None:
    more = {"unit": "patient", "max_per_unit": "2", "where": "age >= 40"}
    order = read_order(FIELDS | more | {"adjacency": "add-remove"})
    assert "one patient" in " ".join(order.in_words())
    made = order.carry_out()
    assert (made.guarantee.unit, made.guarantee.max_per_unit) == ("patient", 2)
    assert made.guarantee == order.guarantee
    assert made.where == "age >= 40"


@pytest.mark.slow
def test_the_same_elsewhere_is_the_same_release(order: Order, folder: Path) -> None:
    """Command line, script and notebook run as they are, and pay nothing a second time."""
    made = order.carry_out()
    elsewhere = folder / "downloads"
    elsewhere.mkdir()
    scripts = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    (elsewhere / "release.sh").write_text(exports.shell_script(order), encoding="utf-8")
    subprocess.run(
        ["sh", "release.sh"], check=True, env=os.environ | {"PATH": scripts}, cwd=elsewhere
    )
    stored = dp.Release.load(elsewhere / "release.json")
    assert stored.value == made.value
    (elsewhere / "again.py").write_text(exports.script(order), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "again.py"], check=True, capture_output=True, text=True, cwd=elsewhere
    )
    assert str(made.guarantee) in ran.stdout
    _run_notebook(exports.notebook(order), str(made.guarantee))
    assert dp.Ledger.open("budget.db").remaining("trial-7").epsilon == LEFT


def _run_notebook(text: str, expected: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="a notebook needs nbformat")
    nbclient = pytest.importorskip("nbclient", reason="a notebook needs nbclient")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.create_kernel_manager().kernel_spec.argv[0] = sys.executable
    client.execute()
    assert expected in notebook.cells[4].outputs[0].text
    assert "image/png" in notebook.cells[5].outputs[0].data


def test_no_password_is_written_down(order: Order) -> None:
    for url in ("owner:hunter2@host/budgets", "host/budgets?user=owner&password=hunter2"):
        secret = replace(order, ledger=f"postgresql://{url}")
        for written in (
            exports.command_line(secret),
            exports.shell_script(secret),
            exports.script(secret),
            exports.notebook(secret),
        ):
            assert "hunter2" not in written
        assert "DISCREET_LEDGER" in exports.script(secret)


BAD: list[tuple[dict[str, object], str]] = [
    ({"data": ""}, "data must be given"),
    ({"data": "~nobody-of-this-name/x.csv"}, "is no name of a file"),
    ({"ledger": "~nobody-of-this-name/b.db"}, "is no name of a file"),
    ({"column": None}, "column must be given"),
    ({"categories": "cured"}, "categories"),
    ({"categories": "a, a"}, "categories"),
    ({"categories": ",,"}, "categories"),
    ({"prior": "zero"}, "prior"),
    ({"prior": "-1"}, "prior"),
    ({"prior": "1 2 3"}, "prior"),
    ({"epsilon": "lots"}, "epsilon"),
    ({"epsilon": "0"}, "epsilon"),
    ({"epsilon": "1e999999"}, "epsilon"),
    ({"epsilon": "nan"}, "epsilon"),
    ({"mechanism": "ehdl"}, "mechanism"),
    ({"mechanism": "ehds", "adjacency": "add-remove"}, "adjacency"),
    ({"adjacency": "sideways"}, "adjacency"),
    ({"ledger": "  "}, "ledger must be given"),
    ({"unit": "patient"}, "belong together"),
    ({"max_per_unit": "2"}, "belong together"),
    ({"unit": "patient", "max_per_unit": "1.5"}, "max_per_unit"),
    ({"unit": "patient", "max_per_unit": "-3"}, "max_per_unit"),
    ({"unit": "patient", "max_per_unit": "0", "adjacency": "add-remove"}, "max_per_unit"),
    ({"unit": "patient", "max_per_unit": "2"}, "add-remove"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_what_makes_no_sense_gets_a_sentence(changed: dict[str, object], message: str) -> None:
    with pytest.raises(dp.InputError, match=message):
        read_order(FIELDS | changed)


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    order = read_order(FIELDS | {"ledger": str(tmp_path / "none.db")})
    with pytest.raises(dp.InputError, match="does not exist"):
        order.in_words()
    assert not (tmp_path / "none.db").exists()


def test_what_the_budget_does_not_cover_is_refused_before_it_is_confirmed(folder: Path) -> None:
    with pytest.raises(dp.BudgetError, match="has epsilon 1 left of 1, the release costs 2"):
        read_order(FIELDS | {"epsilon": "2"}).in_words()


def test_a_file_that_vanished_costs_nothing(order: Order, folder: Path) -> None:
    (folder / "patients.csv").unlink()
    with pytest.raises(dp.InputError, match="does not exist"):
        order.carry_out()
    assert not dp.Ledger.open("budget.db").datasets()
