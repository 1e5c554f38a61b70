"""What may go wrong besides, `--delta`, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dp
from tests.cli.cases import MODEL, call, done

THREE = ("--categories", "a,b,c")
NORMAL = ("--mechanism", "gaussian", "--delta", "1e-6")


def test_a_release_says_what_was_taken_and_why(patients: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    asked = ("release", patients, *MODEL, "--out", out, "--force")
    said = " ".join(done(*asked, "--epsilon", "1", "--delta", "1e-6").out.split())
    assert "; lattice was taken: its noise has standard deviation 1.78 per count, that of" in said
    assert "gaussian with δ = 1e-06 4.88" in said
    assert "It cost ε = 1, δ = 0 for replacing one record." in said
    assert dp.Release.load(out).guarantee.delta == 0
    said = " ".join(done(*asked, "--epsilon", "0.05", "--delta", "0.01").out.split())
    assert "; gaussian was taken: its noise has standard deviation 16.5 per count" in said
    assert "It cost ε = 0.05, δ = 0.01 for replacing one record." in said
    assert dp.Release.load(out).mechanism.name == "gaussian"
    said = done(*asked, "--epsilon", "1", *NORMAL).out
    assert "was taken" not in said
    assert "It cost ε = 1, δ = 1e-06 for replacing one record." in said
    assert "was taken" not in done("show", out).out


def test_a_delta_above_one_in_n(patients: Path) -> None:
    asked = ("release", patients, *MODEL, "--epsilon", "1", "--mechanism", "gaussian")
    result = call(*asked, "--delta", "0.02", "--quiet", "--json")
    assert result.status == 0
    assert result.document["guarantee"]["delta"] == "1/50"
    assert result.err == (
        "Warning: delta = 0.02 is above 1/n: it allows a release that publishes one of the 81 "
        "records as it is, chosen at random; take a much smaller one.\n"
    )
    assert call(*asked, "--delta", "0.01", "--quiet", "--json").err == ""
    private = (*asked, "--quiet", "--json", "--adjacency", "add-remove", "--delta")
    assert call(*private, "0.01").err == ""  # n is not told
    assert "delta = 0.02 is large for any number of records" in call(*private, "0.02").err
    counts = ("--categories", "cured,failed", "--n", "81")
    plan = ("plan", *counts, "--epsilon", "1", "--mechanism", "gaussian", "--delta")
    assert call(*plan, "0.01").err == ""
    assert call(*plan, "0.02").err == result.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--mechanism", "gaussian"), "delta must be given for 'gaussian', a small number above 0"),
        (("--mechanism", "gaussian", "--delta", "1"), "delta must lie strictly between 0 and 1"),
        (("--delta", "1"), "delta must lie strictly between 0 and 1, got 1"),
        (("--mechanism", "gaussian", "--delta", "-1e-6"), "delta must lie strictly between 0"),
        (("--mechanism", "gaussian", "--delta", "x"), "delta must be a number, got 'x'"),
        ((*NORMAL, "--postprocess", "remap"), "postprocess must be one of"),
        (("--mechanism", "ls_dim", "--delta", "1e-6"), "delta is not an option of ls_dim"),
    ],
)
def test_bad_input_is_one_sentence_and_charges_nothing(
    patients: Path, budget: Path, options: tuple[str, ...], sentence: str
) -> None:
    paid = ("--ledger", budget, "--dataset", "d")
    result = call("release", patients, *MODEL, "--epsilon", "1", *paid, *options)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err
    assert result.err.count("\n") == 1
    assert done("ledger", "show", budget, "--json").document == []


@pytest.mark.parametrize("name", ["ehd", "ehds", "ehdl", "smooth_hellinger", "optimal", "ls_dim"])
def test_where_there_is_no_theory_of_a_private_n(name: str, patients: Path, budget: Path) -> None:
    paid = ("--ledger", budget, "--dataset", "d", "--adjacency", "add-remove")
    result = call("release", patients, *MODEL, "--epsilon", "1", *paid, "--mechanism", name)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        f"Error: {name} is defined for adjacency 'substitute' only, got 'add-remove'; use "
        "'lattice' or 'ls_hist' or 'gaussian'\n"
    )
    assert done("ledger", "show", budget, "--json").document == []


@pytest.mark.slow
def test_plan_compare_and_audit() -> None:
    plan = done("plan", *THREE, "--n", 60, "--error", "0.3", *NORMAL, "--json").document
    assert "gaussian" in plan["question"]
    assert plan["error"] <= 0.3
    taken = done("plan", *THREE, "--n", 60, "--epsilon", "1", "--delta", "1e-6").out
    assert taken.startswith("What lattice with epsilon = 1 buys")
    compared = done("compare", *THREE, "--counts", "7,3,2", "--epsilon", "1", "--json").document
    (row,) = [row for row in compared if row["mechanism"].startswith("gaussian")]
    assert row["mechanism"] == "gaussian, δ = 1e-06"
    assert 0.999 < row["loss"] <= 1
    audited = ("audit", *THREE, "--epsilon", "1", *NORMAL)
    for more in (("--n", 60), ("--adjacency", "add-remove")):
        assert "at δ = 1e-06" in done(*audited, *more).out
        found = done(*audited, *more, "--json").document
        assert found["guarantee"]["delta"] == "1/1000000"
        assert 0.999 < found["bounds"]["lower"] <= found["bounds"]["upper"] <= 1
    refused = call(*audited, "--n", 60, "--out", "certificate.json")
    assert (refused.status, refused.err) == (
        2,
        "Error: certificates are of mechanisms with δ = 0\n",
    )
    hist = ("audit", "--mechanism", "ls_hist", "--categories", "a,b", "--epsilon", "1")
    assert "exact loss  1" in done(*hist, "--adjacency", "add-remove", "--total", 5).out
