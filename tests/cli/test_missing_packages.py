"""What a command needs is asked for before a record is read or a budget is touched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.cases import MODEL, call, done

PAID = ("--epsilon", "1", "--dataset", "trial", "--plot", "x.png")
PRIOR = ("--prior-mean", "50", "--prior-variance", "100", "--variance", "100")
MEAN = ("--column", "age", "--bounds", "0:100", *PRIOR)
REGRESS = ("--y", "age", "--x", "weight", "--bounds", "age=0:100", "--bounds", "weight=0:100")


@pytest.mark.parametrize(
    "command", [("release", *MODEL), ("mean", *MEAN), ("regress", *REGRESS)], ids=lambda c: c[0]
)
@pytest.mark.parametrize("broken", [False, True])
def test_a_plot_without_matplotlib_costs_nothing(
    command: tuple[str, ...],
    broken: bool,
    patients: Path,
    budget: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(*given: object, **options: object) -> None:
        raise AssertionError("data are read")

    monkeypatch.setattr("discreet.data.sources.opened", read)
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    if broken:  # as a build for another numpy is
        monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    else:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
    name, *options = command
    result = call(name, patients, *options, *PAID, "--ledger", budget)
    assert (result.status, result.out) == (2, "")
    cause = ", and the one here does not import (built for another numpy)" * broken
    told = f"Error: plots need matplotlib{cause}: pip install 'discreet[plot]'\n"
    assert result.err == told
    assert done("ledger", "show", budget, "--json").document == []


class Broken:
    """Finds matplotlib, and fails to load it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.split(".")[0] == "matplotlib":
            raise ImportError("built for another numpy", name=name)


@pytest.mark.parametrize("words", [("all", "--out", "x"), ("--help",), ()])
def test_the_papers_are_a_package_of_their_own(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "discreet.cli.reproduce", raising=False)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    result = call("reproduce", *words)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "Error: the papers' tables, figures and claims need discreet-papers, in the folder papers "
        "of a clone: pip install ./papers\n"
    )
    del sys.modules["discreet.cli.reproduce"]  # which monkeypatch would put back
