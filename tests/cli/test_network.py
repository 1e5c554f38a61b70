"""`discreet network`: from a file and a structure to a released network."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import numpy as np
import pytest

import discreet as dp
from tests.cli.cases import call, done

NET = """network clinic { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 3 ] { well, ill, "very ill" }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.5, 0.3, 0.2; (no) 0.8, 0.1, 0.1; }
"""
SECRET = "Müller-7391"


@pytest.fixture
def structure(tmp_path: Path) -> Path:
    path = tmp_path / "chest.bif"
    path.write_text(NET, encoding="utf-8")
    return path


@pytest.fixture
def records(tmp_path: Path, structure: Path) -> Path:
    path = tmp_path / "records.csv"
    net = dp.BayesNet.from_bif(structure)
    net.sample(700, np.random.default_rng(1)).to_csv(path, index=False)
    return path


def test_a_network_is_released(
    structure: Path, records: Path, tmp_path: Path, schema: object
) -> None:
    budget, out, bif = tmp_path / "budget.db", tmp_path / "release.json", tmp_path / "public.bif"
    done("ledger", "init", budget, "--budget", "3")
    paid = ("--ledger", budget, "--dataset", "clinic")
    common = ("network", records, "--structure", structure, "--epsilon", "2", *paid)
    shown = done(*common, "--out", out, "--bif", bif)
    for text in ("lung", "smoke=yes", "very ill", "ε = 2", "Left for clinic: ε = 1", str(bif)):
        assert text in shown.out
    made = dp.Release.load(out)
    net = dp.BayesNet.from_bif(bif)
    assert net.conditional("lung") == pytest.approx(made.posterior.mean("lung"), abs=1e-12)
    refused = call(*common)
    assert refused.status == 1
    assert "epsilon 1 left of 3" in refused.err
    result = done("network", records, "--structure", structure, "--epsilon", "2", "--json")
    jsonschema.validate(result.document, schema)


@pytest.mark.parametrize(
    "options",
    [
        ("--mechanism", "laplace_updates", "--adjacency", "add-remove", "--unknown", "drop"),
        ("--adjacency", "add-remove", "--unknown", "drop"),
        ("--mechanism", "posterior_sample", "--adjacency", "attribute", "--samples", "2"),
        ("--mechanism", "posterior_sample", "--omega", "0.01"),
        ("--mechanism", "gaussian", "--delta", "1e-6", "--shares", "equal"),
        ("--delta", "1e-6", "--adjacency", "add-remove"),
        ("--mechanism", "map", "--prior", "1/2"),
        ("--mechanism", "map", "--score", "mass", "--points", "20"),
        ("--shares", "equal", "--where", "smoke = 'yes'", "--n", "0"),
    ],
)
def test_options(structure: Path, records: Path, options: tuple[str, ...]) -> None:
    result = call("network", records, "--structure", structure, "--epsilon", "3", *options)
    if "--n" in options:
        assert (result.status, result.out) == (2, "")
        assert "counts must sum to the declared n = 0" in result.err
    else:
        assert result.status == 0
        assert result.err == "" or ("mass" in options and "Warning: score" in result.err)
        assert "It cost ε = 3" in result.out


def test_what_is_refused(structure: Path, records: Path, tmp_path: Path) -> None:
    private = tmp_path / "private.csv"
    private.write_text(f"{SECRET},x\nyes,well\n", encoding="utf-8")
    bad = tmp_path / "bad.csv"
    bad.write_text(f"smoke,lung\nyes,{SECRET}\nno,\n", encoding="utf-8")
    call_network = ("network", records, "--structure", structure, "--epsilon", "1")
    for arguments, message in (
        (("network", records, "--structure", private, "--epsilon", "1"), "line 1"),
        (("network", records, "--structure", tmp_path / "no.bif", "--epsilon", "1"), "cannot be"),
        (
            ("network", private, "--structure", structure, "--epsilon", "1"),
            "column 'smoke' does not exist",
        ),
        ((*call_network, "--bif", structure), "bif must be another file than structure"),
        ((*call_network, "--bif", private), "exists already"),
        ((*call_network, "--quiet"), "nothing would be kept"),
        ((*call_network, "--points", "5"), "points is not an option of lattice"),
        ((*call_network, "--mechanism", "map", "--points", "5"), "points is for score 'mass'"),
        ((*call_network, "--t", "x"), "t must"),
        ((*call_network, "--mechanism", "gaussian"), "delta must be given"),
        ((*call_network, "--delta", "2"), "delta must lie strictly between 0 and 1"),
        ((*call_network, "--adjacency", "attribute"), "posterior_sample"),
        ((*call_network, "--dataset", "d"), "dataset needs a ledger"),
    ):
        result = call(*arguments)
        assert result.status == 2, arguments
        assert message in result.err
        assert SECRET not in result.err + result.out
        assert "Traceback" not in result.err
    result = call("network", bad, "--structure", structure, "--epsilon", "1")
    assert result.status in (1, 2)
    assert SECRET not in result.err
