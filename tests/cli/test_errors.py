"""Bad input: one sentence, status 2, and nothing is charged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cases import MODEL, call, done

FILES = {
    "latin.csv": ("outcome\nmäßig\n".encode("latin-1"), "it is not UTF-8 text"),
    "ragged.csv": (b"outcome,x\ncured,1\nimproved,2,3\ncured\n", "different numbers of columns"),
    "empty.csv": (b"", "is empty"),
    "other.csv": (b"outcom,x\ncured,1\n", "'outcome' does not exist in the first line"),
    "none.csv": (b"a,b\ncured,1\n", "column 'outcome' does not exist in the first line"),
    "floats.csv": (b"outcome\n1.5\n2.25\n", "some values are missing or undeclared"),
    "case.csv": (b"outcome\nCured\ncured \n", "exactly as written, case and spaces included"),
    "unknown.csv": (b"outcome\nx\ny\nz\ncured\n", "some values are missing or undeclared"),
    "missing.csv": (b"outcome,x\ncured,1\n,2\n", "some values are missing or undeclared"),
    "broken.parquet": (b"PAR1 nothing", "cannot be read"),
    "broken.duckdb": (b"nothing" * 100, "cannot be read"),
    "notes.docx": (b"x", "must be a .csv, .tsv, .jsonl, .parquet or .duckdb file"),
}


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path: Path, budget: Path, name: str) -> None:
    content, words = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    refused(words, budget, path, *MODEL, "--epsilon", "1")


def refused(words: str, budget: Path, *arguments: object) -> None:
    paid = ("--ledger", budget, "--dataset", "d")
    result = call("release", *arguments, *paid)
    assert (result.status, result.out) == (2, "")
    assert words in result.err, result.err
    assert result.err.startswith("Error: ")
    assert len(result.err.splitlines()) == 1
    assert len(done("ledger", "history", budget, "--json").document) == 1


def test_places(tmp_path: Path, budget: Path) -> None:
    rest = (*MODEL, "--epsilon", "1")
    refused("'no.csv' does not exist", budget, "no.csv", *rest)
    refused("'no/*.parquet' does not exist", budget, "no/*.parquet", *rest)
    refused("is a directory; give a pattern such as", budget, tmp_path, *rest)


OPTIONS = {
    "epsilon must be greater than 0": ("--epsilon", "0"),
    "epsilon must lie between 1e-09 and 1e+06": ("--epsilon", "1e7"),
    "epsilon must be a number of ordinary size": ("--epsilon", "1e999999999"),
    "epsilon must be a number, got 'half'": ("--epsilon", "half"),
    "categories must be names separated by commas": ("--categories", "a,,b"),
    "categories must name at least two": ("--categories", "a"),
    "categories must be distinct": ("--categories", "a,b,a"),
    "prior must be a number": ("--prior", "1,x,3"),
    "prior must have 3 entries": ("--prior", "1,2"),
    "--by and --groups belong together": ("--by", "therapy"),
    "--unit and --max-per-unit belong together": ("--unit", "patient"),
    "--max-per-unit must lie between 1": ("--unit", "patient", "--max-per-unit", "0"),
    "--unknown other needs the declared category": ("--unknown", "other"),
    "where must be a condition": ("--where", ""),
    "counts must sum to the declared n = 80": ("--n", "80"),
    "gamma is not an option of lattice": ("--gamma", "2"),
    "delta is not an option of lattice": ("--delta", "1e-6", "--mechanism", "lattice"),
    "table is for a DuckDB file": ("--table", "x"),
}


@pytest.mark.parametrize("words", OPTIONS)
def test_options(patients: Path, budget: Path, words: str) -> None:
    options = {"--epsilon": "1", "--column": "outcome", "--categories": MODEL[3]}
    given = list(OPTIONS[words])
    kept = [part for pair in options.items() if pair[0] not in given for part in pair]
    refused(words, budget, patients, *kept, *given)


def test_an_epsilon_beyond_what_remains(patients: Path, budget: Path) -> None:
    paid = ("--ledger", budget, "--dataset", "d")
    done("release", patients, *MODEL, "--epsilon", "2.9999999", *paid)
    for epsilon in ("0.0000002", "1000"):
        result = call("release", patients, *MODEL, "--epsilon", epsilon, *paid)
        assert (result.status, result.out) == (1, "")
        assert "dataset 'd' has epsilon 1e-7 left of 3" in result.err
    done("release", patients, *MODEL, "--epsilon", "1e-7", *paid)
    assert len(done("ledger", "history", budget, "--json").document) == 6


@pytest.mark.slow
def test_plan(tmp_path: Path) -> None:
    asked = ("plan", "--categories", "a,b", "--n", "20")
    document = done(*asked, "--error", "0.3", "--json").document
    assert set(document) == {"epsilon", "error", "error_95", "width", "question", "guarantee"}
    assert document["error"] <= 0.3
    assert document["width"] is None
    assert done(*asked, "--width", "0.5", "--json").document["width"] <= 0.5
    picture = tmp_path / "curve.svg"
    shown = done(*asked, "--epsilon", "1", "--plot", picture).out
    assert shown.startswith("What lattice with epsilon = 1 buys, for 20 records")
    assert picture.exists()
    assert done(*asked, "--epsilon", "1", "--quiet").out == ""
    done(*asked, "--epsilon", "1", "--adjacency", "add-remove", "--at", "0.2,0.8")
    done(*asked, "--epsilon", "1", "--mechanism", "ehds", "--gamma", "0.5", "--worst-case")
    for words, options in {
        "exactly one of error, width and epsilon": (),
        "exactly one of error, width and epsilon must be given, got": ("--error", 1, "--width", 1),
        "error must be a number, got 'x'": ("--error", "x"),
        "at must be a number": ("--epsilon", 1, "--at", "a,b"),
    }.items():
        result = call(*asked, *options)
        assert result.status == 2
        assert words in result.err


def test_compare(tmp_path: Path) -> None:
    asked = ("compare", "--categories", "a,b", "--epsilon", "1")
    rows = done(*asked, "--counts", "7,9", "--json").document
    assert {row["mechanism"] for row in rows} >= {"lattice", "ls_hist", "ehdl"}
    assert next(row["epsilon"] for row in rows if row["mechanism"] == "ehdl") is None
    picture = tmp_path / "errors.png"
    shown = done(*asked, "--counts", "7,9", "--plot", picture).out
    assert "smooth_hellinger," in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert picture.exists()
    assert done(*asked, "--counts", "7,9", "--quiet").out == ""
    path = tmp_path / "x.csv"
    path.write_text("x\na\nb\na\n")
    assert done("compare", path, *asked[1:], "--column", "x").out.count("owner") == 1
    for words, options in {
        "counts or a data file must be given": (),
        "counts or a data file must be given, and not both": (path, "--counts", "1,2"),
        "column must be given with a data file": (path,),
        "counts[1] must be a whole number": ("--counts", "1,two"),
        "counts must have 2 entries": ("--counts", "1,2,3"),
    }.items():
        result = call(*asked, *options)
        assert result.status == 2
        assert words in result.err


def test_audit(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    asked = ("audit", "--mechanism", "ehds", "--categories", "a,b", "--n", "12", "--epsilon", "1")
    picture = tmp_path / "profile.pdf"
    shown = done(*asked, "--out", certificate, "--plot", picture).out
    assert "exact loss" in shown
    assert picture.exists()
    document = done(*asked, "--json").document
    assert document["format"] == "discreet-certificate"
    held = done("audit", "--verify", certificate)
    assert held.out.endswith("The certificate holds.\n")
    assert done("audit", "--verify", certificate, "--json").document == document
    assert done(*asked, "--quiet").out == ""
    certificate.write_text(certificate.read_text().replace('"n": 12', '"n": 13'))
    for words, options in {
        "was changed": ("audit", "--verify", certificate),
        "cannot be read": ("audit", "--verify", tmp_path / "no.json"),
        "mechanism must be given, or a certificate": ("audit",),
        "epsilon must be given": asked[:-2],
        "n must be given": (*asked[:5], *asked[7:]),
        "out must be another file than verify": (
            *("audit", "--verify", certificate, "--out", certificate),
        ),
    }.items():
        result = call(*options)
        assert result.status == 2
        assert words in result.err
    many = ("audit", "--mechanism", "lattice", "--categories", ",".join("abcdefgh"))
    large = call(*many, "--n", "100000", "--epsilon", "1")
    assert large.status in (0, 1)
