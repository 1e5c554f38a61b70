"""Runs of `discreet reproduce`: what they write, that they resume, and what they refuse."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.cases import call, done, spawn

from discreet_papers import findings, registry
from discreet_papers.drawing import panels
from discreet_papers.parts import (
    PAPERS,
    Claim,
    Finding,
    Part,
    Printed,
    Scale,
    Table,
    Verdict,
)
from discreet_papers.running import reproduce

ERRATA = {f"E{i}" for i in range(1, 22)}


def test_the_registry() -> None:
    ids = [claim.id for claim in registry.CLAIMS]
    names = [part.name for part in registry.PARTS]
    assert len(ids) == len(set(ids))
    assert len(names) == len(set(names))
    assert {name.split("-")[0] for name in (*ids, *names)} <= set(PAPERS)
    assert sum(claim.paper != "ours" for claim in registry.CLAIMS) >= 25
    assert {
        e for claim in registry.CLAIMS for e in re.findall(r"E\d+", claim.erratum or "")
    } >= ERRATA
    wanted = [f"p0-figure-{i}" for i in range(1, 7)] + ["p0-table-1", "p1-table-1", "p1-table-2"]
    wanted += ["p1-figure-1", "p1-bounds", *(f"p3-figure-{i}" for i in range(1, 9))]
    wanted += ["p2-figure-1", "p2-figure-2", "p2-table-1", "p2-data"]
    wanted += ["p4-normal-mean", "p4-programs"]
    wanted += [f"p1-study-{what}" for what in ("size", "dimension", "prior", "variance")]
    assert set(wanted) <= set(names)
    for part in registry.PARTS:
        assert len(part.caption) > 60
        assert part.label


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A small registry instead of the real one; what was computed and measured, in order."""
    calls: list[str] = []

    def part(name: str) -> Part:
        def compute(scale: Scale) -> Table:
            calls.append(name)
            rows = [(i, float(x)) for i, x in enumerate(scale.rng(name).normal(size=3))]
            return Table.of("i x", rows)

        def draw(table: Table) -> Any:
            figure, [ax] = panels(1)
            ax.plot(table.numbers("i"), table.numbers("x"))
            return figure

        return Part(name, "Figure <1>", "A caption & more.", compute, draw)

    def measure() -> Finding:
        calls.append("claim")
        return Finding(Verdict.of(1 < 2), "One is < 2.", {"one": 1.0})

    monkeypatch.setattr(registry, "PARTS", tuple(part(f"p0-figure-{i}") for i in (1, 2)))
    monkeypatch.setattr(registry, "CLAIMS", (Claim("p0-one", "§1", "1 < 2", measure, "E1"),))
    numbers = (
        Printed("p0", "Table 1", "0.33", lambda: 1 / 3),
        Printed("p0", "x", "3", lambda: 1.0, "wrong"),
    )
    monkeypatch.setattr(registry, "PRINTED", numbers)
    return calls


class Links(HTMLParser):
    """What a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [str(v) for name, v in attrs if name in ("src", "href", "srcset")]


def test_what_a_run_writes(computed: list[str], tmp_path: Path) -> None:
    run = reproduce(["p0"], tmp_path / "new" / "folder", seed=5)
    files = {path.name for path in run.folder.iterdir()}
    kinds = {f"p0-figure-{i}.{kind}" for i in (1, 2) for kind in ("csv", "png", "svg")}
    assert files == kinds | {"report.html", "claims.json", "printed.csv", ".finished.json"}
    assert (run.folder / "p0-figure-1.png").read_bytes().startswith(b"\x89PNG")
    [claim] = json.loads((run.folder / "claims.json").read_text())
    assert claim == {
        "id": "p0-one",
        "paper": "P0",
        "section": "§1",
        "erratum": "E1",
        "implied": False,
        "statement": "1 < 2",
        "verdict": "holds",
        "words": "One is < 2.",
        "measured": {"one": 1.0},
    }
    page = run.report.read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert links.found
    assert all(link.startswith(("#", "data:image/svg+xml;base64,")) for link in links.found)
    assert "Figure &lt;1&gt;" in page
    assert "A caption &amp; more." in page
    assert "One is &lt; 2." in page
    assert "1 of 2 printed numbers come out" in str(run)
    assert "True" in (run.folder / "printed.csv").read_text()


def test_the_same_seed_gives_the_same_bytes(computed: list[str], tmp_path: Path) -> None:
    first, second = (reproduce(["all"], tmp_path / name, seed=5) for name in "ab")
    other = reproduce(["all"], tmp_path / "c", seed=6)
    for kind in ("csv", "svg", "png"):
        name = f"p0-figure-1.{kind}"
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()
    assert (first.folder / "p0-figure-1.csv").read_bytes() != (
        other.folder / "p0-figure-1.csv"
    ).read_bytes()


@pytest.mark.slow
def test_an_interrupted_run_goes_on(
    computed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = registry.PARTS[1]

    def interrupted(scale: Scale) -> Table:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        parts = (registry.PARTS[0], replace(second, compute=interrupted))
        patch.setattr(registry, "PARTS", parts)
        with pytest.raises(KeyboardInterrupt):
            reproduce(["p0"], tmp_path)
    assert computed == ["p0-figure-1"]
    reproduce(["p0"], tmp_path)
    assert computed == ["p0-figure-1", "p0-figure-2", "claim"]
    reproduce(["p0"], tmp_path)
    assert len(computed) == 3
    (tmp_path / "p0-figure-2.csv").write_text("edited")
    reproduce(["p0"], tmp_path)
    assert computed[3:] == ["p0-figure-2"]
    reproduce(["p0"], tmp_path, seed=9)
    assert computed[4:] == ["p0-figure-1", "p0-figure-2"]
    noted = json.loads((tmp_path / ".finished.json").read_text())
    for name, change in (
        ("p0-one", {"result": True}),
        ("p0-one", {"result": {"verdict": "maybe", "words": "", "measured": {}}}),
        ("p0-figure-1", {"files": {}}),
        ("p0-figure-1", {"key": "other"}),
    ):
        edited = noted | {name: noted[name] | change}
        (tmp_path / ".finished.json").write_text(json.dumps(edited))
        computed.clear()
        reproduce(["p0"], tmp_path, seed=9)
        assert computed == ["claim" if name == "p0-one" else name]
    for damaged in ("", "[1]", '{"p0-figure-1": 5}', '{"p0-figure-1": {"key": 1, "files": 3}}'):
        (tmp_path / ".finished.json").write_text(damaged)
        computed.clear()
        reproduce(["p0"], tmp_path, seed=9)
        assert computed == ["p0-figure-1", "p0-figure-2", "claim"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.slow
def test_the_painter_ends_with_its_process(tmp_path: Path) -> None:
    """kill -9 of the process that waits leaves no process behind."""
    command = [sys.executable, "-m", "discreet", "reproduce", "p0", "--out", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children: list[int] = []
    for _ in range(600):
        children = [p for p in processes() if parent_of(p) == process.pid]
        if children:
            break
        time.sleep(0.1)
    assert children
    process.kill()
    process.wait()
    for _ in range(600):
        if not any(p in processes() for p in children):
            return
        time.sleep(0.1)
    raise AssertionError("a process is left")


def processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def parent_of(process: int) -> int | None:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_figures_by_name(computed: list[str], tmp_path: Path) -> None:
    run = reproduce(["P0-Figure-2"], tmp_path)
    assert [part.name for part in run.parts] == ["p0-figure-2"]
    assert not (tmp_path / "claims.json").exists()
    assert computed == ["p0-figure-2"]
    everything = reproduce(["p0"], tmp_path).report.read_text(encoding="utf-8")
    assert reproduce(["p0-figure-2"], tmp_path).report.read_text(encoding="utf-8") == everything
    assert computed == ["p0-figure-2", "p0-figure-1", "claim"]


def test_the_command(computed: list[str], tmp_path: Path) -> None:
    found = done("reproduce", "p0", "--out", tmp_path / "x", "--quick", "--json").document
    assert found["claims"] == {"p0-one": "holds"}
    assert found["parts"] == ["p0-figure-1", "p0-figure-2"]
    shown = done("reproduce", "p0-figure-1", "--out", tmp_path / "x", "--seed", "3").out
    assert "1 table or figure\n" in shown


def test_files_of_somebody_else_are_kept(computed: list[str], tmp_path: Path) -> None:
    for name in ("report.html", "p0-figure-2.csv", "claims.json"):
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        (folder / name).write_text("mine")
        result = call("reproduce", "p0", "--out", folder)
        assert (result.status, result.out) == (2, "")
        assert f"has {name} already, which is of no earlier run: give another folder" in result.err
        assert (folder / name).read_text() == "mine"
        assert [path.name for path in folder.iterdir()] == [name]
    assert computed == []
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    for _ in range(2):  # what a run wrote itself it may write again
        done("reproduce", "p0", "--out", tmp_path / "other")


def test_bad_input(computed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for arguments, sentence in (
        (
            ("p0-figure-7", "--out", tmp_path / "x"),
            "what must be all, p0, p1, p2, p3, p4, ours, p0-figure-1",
        ),
        (("p0-figure-7", "--out", tmp_path / "x"), "did you mean p0-figure-"),
        (("--out", tmp_path / "x"), "what must be given: all, p0"),
        (("p0", "--out", tmp_path / "file"), "cannot be made: File exists"),
        (("p0", "--out", tmp_path / "file" / "x"), "cannot be made: Not a directory"),
        (("p0", "--out", ""), "out must be the path of a folder"),
        (("p0", "--out", tmp_path / "x", "--seed", "-1"), "seed must"),
    ):
        result = call("reproduce", *arguments)
        assert result.status == 2
        assert sentence in result.err
    assert not (tmp_path / "x").exists()
    for module in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    result = call("reproduce", "p0", "--out", tmp_path / "y")
    assert result.status == 2
    assert "plots need matplotlib: pip install 'discreet[plot]'" in result.err
    assert computed == []


@pytest.mark.parametrize("text", ["0.5", "1e-3", "3.05988187701e-09", "40"])
def test_agreement_to_the_last_digit(text: str) -> None:
    number = Printed("p0", "x", text, lambda: 0.0)
    digits = len(text.split("e")[0].partition(".")[2])
    unit = 10.0 ** (int(text.partition("e")[2] or 0) - digits)
    for share, same in ((-0.6, False), (-0.4, True), (0.9, True), (1.1, False)):
        assert number.agrees(float(text) + share * unit) == same


def test_a_table() -> None:
    rows: list[Any] = [(np.int64(1), np.float64(0.1)), ("x, y", None)]
    table = Table.of("a b", rows)
    assert table.csv() == 'a,b\n1,0.1\n"x, y",\n'
    assert table.where(a=1).rows == ((1, 0.1),)
    assert table.values("a") == [1, "x, y"]


def test_verdicts() -> None:
    assert [Verdict.of(*x) for x in ((True, True), (False, True), (False,))] == list(Verdict)
    assert [v.of_several(2) for v in Verdict] == [
        "2 hold",
        "2 hold with a condition",
        "2 do not hold",
    ]
    assert Verdict.FAILS.of_several(1) == "1 does not hold"


@pytest.mark.slow
def test_two_quick_runs(tmp_path: Path) -> None:
    """Everything, as a user runs it, twice."""
    first, second = (
        spawn("reproduce", "all", "--quick", "--out", tmp_path / name) for name in ("a", "b")
    )
    assert (first.returncode, second.returncode) == (0, 0), (first.stderr, second.stderr)
    for part in registry.PARTS:
        for kind in ("csv", "svg", "png"):
            content = (tmp_path / "a" / f"{part.name}.{kind}").read_bytes()
            assert len(content) > 500
            assert content == (tmp_path / "b" / f"{part.name}.{kind}").read_bytes()
    found = json.loads((tmp_path / "a" / "claims.json").read_text(encoding="utf-8"))
    assert [claim["id"] for claim in found] == [claim.id for claim in registry.CLAIMS]
    page = (tmp_path / "a" / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure") == len(registry.PARTS)


@pytest.fixture(scope="module")
def measured() -> dict[str, Finding]:
    return {claim.id: claim.measure() for claim in registry.CLAIMS}


@pytest.mark.slow
def test_our_own_verdicts(measured: dict[str, Finding]) -> None:
    """Verdicts of the papers' claims stand in the papers' own tests."""
    assert {i: f.verdict.value for i, f in measured.items() if i.startswith("ours")} == {
        "ours-lattice-on-data": "holds",
        "ours-lattice-everywhere": "holds",
        "ours-limit": "holds",
        "ours-calibration": "holds",
        "ours-intervals": "holds",
        "ours-networks": "holds",
        "ours-learning": "holds",
        "ours-monotone": "holds",
        "ours-lattice-normaliser": "holds",
        "ours-squared-hellinger": "holds",
        "ours-midpoint": "holds",
        "ours-total-variation": "holds",
    }


@pytest.mark.slow
def test_the_findings_are_up_to_date(measured: dict[str, Finding]) -> None:
    page = findings.markdown(
        registry.CLAIMS, measured, [(number, number.ours()) for number in registry.PRINTED]
    )
    assert page == (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
