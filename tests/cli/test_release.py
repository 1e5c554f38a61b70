from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest

import discreet as dp
from discreet.cli import places, showing
from tests.cli.cases import (
    COUNTS,
    MODEL,
    call,
    call_as_nobody,
    done,
    spawn,
    spent,
    write_csv,
)
from tests.ledger import workers

FREE = ("--epsilon", "100000")  # so large that the released counts are the true ones


def value(result: Any) -> list[int]:
    return list(result.document["value"])


@pytest.fixture(params=["csv", "semicolons", "tsv", "gz", "jsonl", "parquet", "duckdb", "pattern"])
def data(request: pytest.FixtureRequest, tmp_path: Path, patients: Path) -> str:
    """The same records in every kind of file."""
    kind = request.param
    if kind == "csv":
        return str(patients)
    if kind in ("semicolons", "tsv"):
        name = "a file; with 'signs'.csv" if kind == "semicolons" else "patients.tsv"
        return str(write_csv(tmp_path / name, ";" if kind == "semicolons" else "\t", '"'))
    if kind == "duckdb":
        path = str(tmp_path / "clinic.duckdb")
        with duckdb.connect(path) as connection:
            connection.execute(f"create table visits as from read_csv('{patients}')")
        return path
    names = {"gz": "p.csv.gz", "jsonl": "p.jsonl", "parquet": "ä ö.parquet", "pattern": "1.parquet"}
    path = str(tmp_path / names[kind])
    form = {"gz": "(format csv, header, compression gzip)", "jsonl": "(format json)"}
    target = form.get(kind, "(format parquet)")
    duckdb.sql(f"copy (from read_csv('{patients}')) to '{path}' {target}")
    return path if kind != "pattern" else str(tmp_path / "?.parquet")


def test_every_kind_of_file_gives_the_same_counts(data: str, schema: Any) -> None:
    result = done("release", data, *MODEL, *FREE, "--json")
    assert value(result) == list(COUNTS.values())
    jsonschema.validate(result.document, schema)


def test_names_with_quotes_commas_and_letters_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "résumé.csv"
    lines = ['"the ""out"", come";n', '"a, b";1', '"Ä ""x""";2', '"a, b";3', "日本;4"]
    path.write_text("\n".join(lines), encoding="utf-8")
    categories = '"a, b","Ä ""x""",日本'
    options = ("--column", 'the "out", come', "--categories", categories)
    result = done("release", path, *options, *FREE, "--json")
    assert result.document["model"]["categories"] == ["a, b", 'Ä "x"', "日本"]
    assert value(result) == [2, 1, 1]
    shown = done("release", path, *options, "--epsilon", "1").out
    assert "日本" in shown
    assert 'Ä "x"' in shown


def test_a_table_of_several(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("""create table "odd ""name" as select 'a' as x union all select 'b'""")
        connection.execute("create table other as select 'c' as x")
    asked = ("release", path, "--column", "x", "--categories", "a,b", *FREE, "--json")
    assert value(done(*asked, "--table", 'odd "name')) == [1, 1]
    result = call(*asked)
    assert result.status == 2
    assert "table must be given: there are 'odd \"name', 'other'" in result.err


def test_the_table_and_the_sentences(patients: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    shown = done("release", patients, *MODEL, "--epsilon", "0.5", "--out", out).out
    lines = shown.splitlines()
    assert lines[0].strip() == "lattice, n = 81: ε = 0.5, δ = 0 for replacing one record"
    assert max(map(len, lines[:-1])) <= 80
    assert shown.count("noise-aware") == shown.count("as released") == 3
    assert "It cost ε = 0.5, δ = 0 for replacing one record.\n" in shown
    assert "The number of records is made public." in shown
    assert "No ledger paid for it" in shown
    assert f"Release written to {out}." in shown
    declared = done("release", patients, *MODEL, "--epsilon", "0.5", "--n", 81).out
    assert "is made public" not in declared
    release = dp.Release.load(out)
    mean = release.noise_aware().mean()[0]
    assert f"{mean:.3f}" in shown


def test_one_table_for_every_group(patients: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    grouped = ("--by", "therapy", "--groups", "cryo,immuno")
    shown = done("release", patients, *MODEL, *grouped, "--epsilon", "1", "--out", out).out
    assert "therapy cryo" in shown
    assert "therapy immuno" in shown
    assert "cryo: cured" not in shown
    assert shown.count("noise-aware") == shown.count("as released") == 6
    for posterior in dp.Release.load(out).by_group().values():
        for mean in posterior.mean():
            assert f"{mean:.3f}" in shown


def test_noise_awareness_is_computed_once(
    patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    original = dp.Release.noise_aware

    def counted(self: dp.Release[Any, Any, Any], *given: Any, **options: Any) -> Any:
        calls.append(self)
        return original(self, *given, **options)

    monkeypatch.setattr(dp.Release, "noise_aware", counted)
    picture = tmp_path / "out.png"
    done("release", patients, *MODEL, "--epsilon", "1", "--plot", picture)
    assert len(calls) == 1
    assert picture.read_bytes().startswith(b"\x89PNG")
    done("release", patients, *MODEL, "--epsilon", "1", "--json")
    assert len(calls) == 1


@pytest.mark.parametrize("groups", [(), ("--by", "therapy", "--groups", "cryo,immuno")])
def test_where_noise_awareness_is_not_feasible(
    patients: Path, monkeypatch: pytest.MonkeyPatch, groups: tuple[str, ...]
) -> None:
    def infeasible(self: dp.Release[Any, Any, Any], *given: Any, **options: Any) -> Any:
        raise dp.NotEnumerable("too many")

    monkeypatch.setattr(dp.Release, "noise_aware", infeasible)
    shown = done("release", patients, *MODEL, *groups, "--epsilon", "1").out
    assert "noise-aware" not in shown
    assert shown.count("95 % interval") == max(1, len(groups) // 2)
    assert "The intervals treat the released counts as the true ones." in shown


def test_units_conditions_and_unknown_values(patients: Path, schema: Any) -> None:
    unit = ("--unit", "patient", "--max-per-unit", 2, "--adjacency", "add-remove")
    result = done("release", patients, *MODEL, *unit, "--epsilon", "1", "--json")
    assert result.document["guarantee"]["unit"] == "patient"
    assert result.document["guarantee"]["max_per_unit"] == 2
    jsonschema.validate(result.document, schema)
    where = ("--where", "age >= 50 and therapy = 'cryo'")
    refused = call("release", patients, *MODEL, *where, "--epsilon", "1")
    assert refused.status == 1
    assert refused.err.startswith("Refused: counts of the records with age >= 50")
    done("release", patients, *MODEL, *where, "--epsilon", "1", "--adjacency", "add-remove")
    few = ("--column", "outcome", "--categories", "cured,rest", *FREE, "--json")
    other = done("release", patients, *few, "--unknown", "other", "--other", "rest")
    assert value(other) == [41, 40]
    dropped = call("release", patients, *few, "--unknown", "drop")
    assert dropped.status == 1
    assert "have no public n" in dropped.err


@pytest.mark.parametrize(
    "options",
    [
        ("ehds", "--gamma", "2"),
        ("ehd", "--calibrate"),
        ("smooth_hellinger", "--delta", "1e-6", "--calibrate"),
        ("ls_hist",),
        ("lattice", "--postprocess", "clip", "--prior", "jeffreys"),
        ("lattice", "--prior", "1,2.5"),
        ("optimal",),
        ("randomized_response",),
        ("ehds", "--distance", "total_variation"),
    ],
    ids=" ".join,
)
def test_every_mechanism(tmp_path: Path, schema: Any, options: tuple[str, ...]) -> None:
    path = tmp_path / "small.csv"
    path.write_text("x\n" + "a\nb\na\n" * 4)
    asked = ("release", path, "--column", "x", "--categories", "a,b", "--epsilon", "1")
    result = done(*asked, "--mechanism", *options, "--json")
    jsonschema.validate(result.document, schema)
    assert done(*asked, "--mechanism", *options).out


def test_a_mechanism_without_a_guarantee_is_refused(patients: Path) -> None:
    result = call("release", patients, *MODEL, "--epsilon", "1", "--mechanism", "ehdl")
    assert result.status == 1
    assert result.err.startswith("Refused: ehdl is not private")


# a release that is paid for is never lost


def paid(budget: Path) -> tuple[str, ...]:
    return ("--epsilon", "1", "--ledger", str(budget), "--dataset", "trial")


def test_what_the_ledger_charged_is_said(patients: Path, budget: Path) -> None:
    done("ledger", "create", "trial", budget)
    asked = ("release", patients, *MODEL, *paid(budget))
    assert "It counts as" not in done(*asked).out
    doubled = done(*asked, "--adjacency", "add-remove").out
    assert "It counts as ε = 2, δ = 0 because trial is kept under 'substitute'." in doubled


def failing(path: str, draw: object, force: bool) -> None:
    raise dp.InputError("plot cannot be written: disk full", "plot")


def no_space(*given: object, **options: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_failing_plot(
    patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "save_plot", failing)
    monkeypatch.chdir(tmp_path)
    for extra in ((), ("--json",)):
        result = call("release", patients, *MODEL, *paid(budget), "--plot", "x.png", *extra)
        assert result.status == 1
        assert result.err == (
            "Error: plot cannot be written: disk full; the release is on standard output, keep it\n"
        )
        assert dp.Release.from_json(result.out).receipt
    out = tmp_path / "release.json"
    result = call("release", patients, *MODEL, *paid(budget), "--plot", "x.png", "--out", out)
    assert (result.status, result.out) == (1, "")
    written = f"the release was written to {out}"
    assert result.err == f"Error: plot cannot be written: disk full; {written}\n"
    assert dp.Release.load(out).receipt
    assert done("ledger", "verify", budget, "--release", out)


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_a_full_disk(
    patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """Seen before anything is paid for; and if it fills in between, the release is not lost."""
    asked = ("release", patients, *MODEL, *paid(budget), option, tmp_path / "full.png")
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", no_space)
        result = call(*asked)
    assert (result.status, result.out) == (2, "")
    assert result.err.endswith("full.png' cannot be written: No space left on device\n")
    assert done("ledger", "show", budget, "--json").document == []
    monkeypatch.setattr("discreet.core.files._put", no_space)
    result = call(*asked)
    assert result.status == 1
    assert dp.Release.from_json(result.out).receipt
    assert "cannot be written: No space left on device" in result.err
    assert spent(budget, "trial") == "1"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".discreet")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("force", [(), ("--force",)], ids=str)
def test_what_is_no_file_is_not_written(
    patients: Path, budget: Path, tmp_path: Path, force: tuple[str, ...]
) -> None:
    full, pipe = tmp_path / "full.png", tmp_path / "pipe.png"
    full.symlink_to("/dev/full")
    os.mkfifo(pipe)
    for option in ("--out", "--plot"):
        for place in (full, pipe):
            result = call("release", patients, *MODEL, *paid(budget), option, place, *force)
            assert (result.status, result.out) == (2, "")
            assert result.err.endswith(f"{place}' cannot be written: it is not a regular file\n")
    assert done("ledger", "show", budget, "--json").document == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("form", [(), ("--json",)], ids=str)
def test_a_full_output(patients: Path, budget: Path, form: tuple[str, ...]) -> None:
    def run(*options: object) -> str:
        asked = ("release", patients, *MODEL, *options, *form)
        with Path("/dev/full").open("w") as full:
            result = subprocess.run(
                [sys.executable, "-m", "discreet", *map(str, asked)],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert result.returncode == 1
        return result.stderr

    told = run(*paid(budget))
    assert told == (
        "Note: the release is stored in the ledger as the outcome of entry 3: discreet ledger "
        f"released {budget} 3 --out FILE\nError: No space left on device\n"
    )
    out = budget.with_name("rescued.json")
    done("ledger", "released", budget, 3, "--out", out)
    assert dp.Ledger(str(budget)).verify(dp.Release.load(out)).ok
    unpaid = run("--epsilon", "1")
    assert unpaid.endswith(
        "}\nNote: the release is on standard error, keep it\nError: No space left on device\n"
    )
    assert dp.Release.from_json(unpaid[: unpaid.rindex("}") + 1])


def test_no_file_is_overwritten(patients: Path, budget: Path, tmp_path: Path) -> None:
    asked = ("release", patients, *MODEL, *paid(budget))
    certificate, picture = tmp_path / "certificate.json", tmp_path / "picture.png"
    audit = ("audit", "--mechanism", "lattice", "--categories", "a,b", "--n", "5", "--epsilon", 1)
    done(*audit, "--out", certificate, "--quiet")
    picture.write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for option, place in (
        *(("--out", certificate), ("--out", picture), ("--plot", picture)),
        *(("--out", f"{tmp_path}/./picture.png"),),
    ):
        for command in (asked, audit):
            result = call(*command, option, place)
            assert (result.status, result.out) == (2, "")
            words = f"Error: {option[2:]} {str(place)!r} exists already: --force replaces it\n"
            assert result.err == words
    assert done("ledger", "show", budget, "--json").document == []
    assert {path: path.read_bytes() for path in before} == before
    out = tmp_path / "release.json"
    for number, force in ((3, ()), (5, ("--force",))):
        done(*asked, "--out", out, *force)
        release = dp.Release.load(out)
        assert release.receipt is not None
        assert release.receipt.number == number
    done(*asked, "--plot", picture, "--force")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_read_is_never_overwritten(patients: Path, budget: Path, tmp_path: Path) -> None:
    """Not even if that is asked for."""
    other = tmp_path / "p-other.csv"
    other.write_bytes(patients.read_bytes())
    before = other.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(other)
    for data in (tmp_path / "p*.csv", other):
        for out in (other, link):
            result = call("release", data, *MODEL, *paid(budget), "--out", out, "--force")
            assert (result.status, result.out) == (2, "")
            assert result.err == "Error: out must be another file than data\n"
    for ending in ("", "-wal", "-shm", "-journal"):
        place = f"{budget}{ending}"
        result = call("release", patients, *MODEL, *paid(budget), "--out", place, "--force")
        assert (result.status, result.out) == (2, "")
        assert "out must be another file than ledger" in result.err
    assert other.read_bytes() == before
    assert done("ledger", "show", budget, "--json").document == []


def test_the_old_release_stays_until_the_new_one_is_complete(
    patients: Path, budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "release.json"
    asked = ("release", patients, *MODEL, *paid(budget), "--out", out)
    done(*asked)
    before = out.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", no_space)
        result = call(*asked, "--force")
    assert result.status == 1
    assert dp.Release.from_json(result.out).receipt
    assert out.read_bytes() == before
    done(*asked, "--force")
    assert out.read_bytes() != before


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "Interrupted."),
        (MemoryError(), 1, "Error: there is not enough memory"),
        (RuntimeError("41, 27, 13"), 1, "Error: unexpected RuntimeError"),
    ],
)
def test_what_ends_a_command_after_the_charge(
    patients: Path,
    budget: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    words: str,
) -> None:
    def fail(made: object) -> None:
        raise error

    monkeypatch.setattr(showing, "noise_aware", fail)
    result = call("release", patients, *MODEL, *paid(budget))
    assert result.status == status
    assert words in result.err
    assert "41, 27" not in result.err
    assert dp.Release.from_json(result.out).receipt


def test_an_interrupt_between_payment_and_release_is_told(
    patients: Path, budget: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.core.law.Law.sample", interrupted)
    result = call("release", patients, *MODEL, *paid(budget))
    [charge] = [e for e in dp.Ledger.existing(str(budget)).history() if e.kind == "charge"]
    assert result.status == 130
    assert result.err == (
        f"\nInterrupted.\nNote: entry {charge.number} of the ledger was charged for it; discreet "
        "ledger history tells its outcome.\n"
    )


def test_what_would_lose_a_release_is_refused_before_it_is_paid(
    patients: Path, budget: Path, tmp_path: Path
) -> None:
    asked = ("release", patients, *MODEL, *paid(budget))
    before = patients.read_bytes()
    same = tmp_path / "link.csv"
    same.symlink_to(patients)
    cases = {
        "out '/no/such/place/x' cannot be written": ("--out", "/no/such/place/x"),
        f"out '{tmp_path}' cannot be written": ("--out", tmp_path),
        "out must be the name of a file, got ''": ("--out", ""),
        "out must be the name of a file, got 'a\\x00b'": ("--out", "a\0b"),
        "plot must end in .png, .svg or .pdf": ("--plot", "x.jpeg"),
        "plot '/no/such/x.png' cannot be written": ("--plot", "/no/such/x.png"),
        "out must be another file than data": ("--out", same),
        "out must be another file than ledger": ("--out", budget),
        "plot must be another file than out": ("--out", "a.png", "--plot", "./a.png"),
    }
    for words, options in cases.items():
        result = call(*asked, *options)
        assert (result.status, result.out) == (2, "")
        assert words in result.err
    assert done("ledger", "show", budget, "--json").document == []
    assert patients.read_bytes() == before


@pytest.mark.skipif(
    os.getuid() == 0 and not all(p.stat().st_mode & 1 for p in Path(os.__file__).parents),
    reason="Python lies in a folder that root alone may read",
)
@pytest.mark.parametrize("option", ["--out", "--plot", "--force"])
def test_a_read_only_folder(option: str) -> None:
    """Asked by somebody who is not root, who may write everywhere."""
    folder = Path(tempfile.mkdtemp())
    try:
        budget, data = folder / "budget.db", write_csv(folder / "patients.csv")
        done("ledger", "init", budget, "--budget", "3")
        kept = folder / "kept"
        kept.mkdir()
        place = kept / "r.png"
        if option == "--force":
            place.write_text("mine")
            place.chmod(0o444)
        for path in (folder, budget, kept):
            path.chmod(0o777)
        kept.chmod(0o555)
        words = ("--out", place, "--force") if option == "--force" else (option, place)
        asked = ("release", data, *MODEL, *paid(budget), *words)
        with workers.processes().Pool(1) as pool:
            result = pool.apply(call_as_nobody, asked)
        charged = done("ledger", "show", budget, "--json").document
        assert option != "--force" or place.read_text() == "mine"
    finally:
        kept.chmod(0o700)
        shutil.rmtree(folder)
    assert (result.status, result.out) == (2, ""), result.err
    reason = "it is read-only" if option == "--force" else "Permission denied"
    assert result.err.endswith(f"r.png' cannot be written: {reason}\n")
    assert charged == []


def test_a_release_that_was_meant_to_be_paid_for_is(
    patients: Path, budget: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("release", patients, *MODEL, "--epsilon", "1")
    for options, words in (
        (("--quiet",), "--quiet needs --out, --plot, --json or --ledger"),
        (("--ledger", budget), "dataset must be given with a ledger"),
        (("--dataset", "x"), "dataset needs a ledger"),
        (("--request-id", "x"), "--request-id needs a ledger"),
        (("--part", "x"), "part needs a ledger"),
    ):
        result = call(*asked, *options)
        assert result.status == 2
        assert words in result.err
    monkeypatch.setenv("DISCREET_LEDGER", str(budget))
    assert "dataset must be given" in call(*asked).err
    assert "Left for x: ε = 2, δ = 0." in done(*asked, "--dataset", "x").out
    assert spent(budget, "x") == "1"


def test_quiet_prints_nothing(patients: Path, budget: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    assert done("release", patients, *MODEL, *paid(budget), "--quiet", "--out", out).out == ""
    assert json.loads(out.read_text())["receipt"]["dataset"] == "trial"
    quiet_json = done("release", patients, *MODEL, *paid(budget), "--quiet", "--json")
    assert quiet_json.document["receipt"]["number"] == 5


def test_as_a_process(patients: Path, budget: Path) -> None:
    result = spawn("release", patients, *MODEL, *paid(budget))
    assert (result.returncode, result.stderr) == (0, "")
    assert "Left for trial: ε = 2, δ = 0." in result.stdout


def test_a_retry_and_a_name_that_is_nearly_known(patients: Path, tmp_path: Path) -> None:
    place = tmp_path / "budget.db"
    done("ledger", "init", place, "--budget", "3")
    asked = ("release", patients, *MODEL, "--epsilon", "1", "--ledger", place, "--dataset")
    first = done(*asked, "trial-7", "--request-id", "r1").out
    assert "It cost ε = 1" in first
    assert "It is the first release from 'trial-7'.\n" in first
    again = done(*asked, "trial-7", "--request-id", "r1").out
    assert "is returned from the ledger, where entry 3 paid for it" in again
    assert "It cost" not in again
    assert "first release" not in again
    mistyped = done(*asked, "trail-7", "--where", "therapy = 'cryo'", "--adjacency", "add-remove")
    assert "first release from 'trail-7'; there is also 'trial-7' in the ledger." in mistyped.out
    listed = " ".join(done("ledger", "history", place).out.replace("│", " ").split())
    assert "request r1" in listed
    assert "where therapy =" in listed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--unit", "x"), "Error: --unit and --max-per-unit belong together"),
        (("--other", "cured"), "other is for --unknown other, got 'cured' with --unknown error"),
        (("--where", "therapy = cryo"), "does not exist in the first line of data"),
        (("--where", "therapy = cryo"), "text in where goes between single quotes"),
        (("--mechanism", "smooth_hellinger", "--delta", "0.1"), "ask for --calibrate"),
        (("--where", "therapy='cryo'"), "counts of the records with therapy='cryo' have"),
    ],
)
def test_errors_in_the_words_of_the_command_line(
    patients: Path, options: tuple[str, ...], sentence: str
) -> None:
    result = call("release", patients, *MODEL, "--epsilon", "1", *options)
    assert result.status in (1, 2)
    assert sentence in result.err


def test_a_release_tells_what_became_of_undeclared_values(patients: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    free = ("--column", "outcome", "--epsilon", "1", "--adjacency", "add-remove")
    options = (*free, "--out", out, "--force")
    done("release", patients, "--categories", "cured,rest", *options, "--unknown", "drop")
    assert dp.Release.load(out).dropped
    merged = ("--unknown", "other", "--other", "rest")
    done("release", patients, "--categories", "cured,rest", *options, *merged)
    made = dp.Release.load(out)
    assert (made.dropped, made.other) == (False, "rest")
