"""README is held to what its commands print: code is run, outputs and figures are found again.

Where noise from the operating system is in an output, its words and fixed numbers are compared with
a real run, and its other numbers with a simulation whose noise is that of the example.
"""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import accuracy, networks, regression

import discreet as dp
from discreet.cli import COMMANDS
from discreet_papers import registry
from discreet_papers.data import remark
from discreet_papers.parts import Scale
from tests.cli.cases import done
from tests.pages import run_python

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)(?: \w+)?\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
OUTPUTS = [text for language, text in BLOCKS if not language]
NOISY = re.compile(r"0\.\d{2,}|\d+(?= % (?:of|privacy))")


def table(head: str) -> list[list[str]]:
    """The rows of the table whose first line begins so; empty first cells are those above."""
    lines = README[README.index(f"\n{head}") + 1 :].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
    for above, row in pairwise(rows):
        row[0] = row[0] or above[0]
    return rows


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def shown(text: str, value: float) -> bool:
    """Whether the value is this text when it is rounded."""
    unit = 10.0 ** -len(text.partition(".")[2])
    return abs(number(text) - value) <= unit / 2 * (1 + 1e-3)


def test_every_output_is_held() -> None:
    """By one of the tests here, and the second one by tests/cli/test_check_command.py."""
    starts = ["lattice, n = 600", "REFUTED cure_rate", "category   posterior", "29 tables"]
    assert [text[: len(start)] for text, start in zip(OUTPUTS, starts, strict=True)] == starts


# ---- code ---------------------------------------------------------------------------------------


def test_the_code_runs_and_prints_what_the_comments_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    code = [text for language, text in BLOCKS if language == "python"]
    held = [run_python(text, f"README.md, block {i}", names)[1] for i, text in enumerate(code)]
    assert sum(held) == 9, held
    words = re.search(r"`discreet (network [^`]*)`", README)
    assert words
    done(*words[1].split())


def test_the_commands_run_in_the_order_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words and fixed numbers of the output are those of a real run; … stands for lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_LEDGER", raising=False)
    (start,) = (text for language, text in BLOCKS if "ledger init" in text and language == "sh")
    out = ""
    for command in start.replace("\\\n", " ").splitlines():
        if command.startswith("discreet "):
            out = done(*command.split()[1:]).out
        else:
            subprocess.run(["sh", "-c", command], check=True)
    lines = [NOISY.sub("#", line).rstrip() for line in out.splitlines()]
    for part in OUTPUTS[0].split("…\n"):
        wanted = [NOISY.sub("#", line) for line in part.splitlines()]
        assert any(lines[i : i + len(wanted)] == wanted for i in range(len(lines))), part
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")
    assert dp.Release.load("release.json").config.n == 600


def test_the_numbers_of_the_first_release() -> None:
    model = dp.DirichletMultinomial(("cured", "improved", "unchanged"))
    rng = np.random.default_rng(428)  # whose noise is +5, −5, 0
    release = dp.release((300, 175, 125), model, 0.5, rng=rng)
    assert release.raw == (305, 170, 125)
    found = " ".join(str(release.summary()).split())
    rows = [line.strip("│ ").split("│") for line in OUTPUTS[0].splitlines() if "│" in line]
    assert len(rows) == 6
    for row in rows:
        assert " ".join(" ".join(row).split()) in found
    assert " ".join(" ".join(OUTPUTS[0].splitlines()[11:13]).split()) in found


def test_the_numbers_of_the_summary() -> None:
    """The noise of this seed is 0."""
    model = dp.BetaBinomial(categories=("cured", "not cured"))
    release = dp.release((71, 19), model, epsilon=0.2, rng=np.random.default_rng(3))
    found = str(release.summary())
    assert all(part.strip() in found for part in OUTPUTS[2].split("…\n"))


# ---- figures ------------------------------------------------------------------------------------


def test_the_figures_of_reproduce() -> None:
    """Verdicts from docs/findings.md, which tests/study holds to what is measured."""
    page = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    verdicts = [int(text) for text in re.findall(r"^(\d+) of \d+ claims\.$", page, re.MULTILINE)]
    ours = sum(claim.paper == "ours" for claim in registry.CLAIMS)  # all of them hold
    numbers = re.search(r"^(\d+ of \d+) come out to the last digit", page, re.MULTILINE)
    assert sum(verdicts) + ours == len(registry.CLAIMS)
    assert numbers
    assert "This holds with" not in page
    assert "This does not" not in page
    expected = [
        f"{len(registry.PARTS)} tables and figures",
        f"{len(registry.CLAIMS)} claims: {verdicts[0] + ours} hold, {verdicts[1]} hold with a "
        f"condition, {verdicts[2]} do not hold",
        f"{numbers[1]} printed numbers come out to the last digit",
        *(
            f"{part.name}: {remark(files)}"
            for part in registry.PARTS
            if (files := part.synthetic(Scale()))
        ),
        "Report: reproduced/report.html",
    ]
    assert OUTPUTS[3].splitlines() == expected


def test_the_names_of_what_can_be_reproduced() -> None:
    named = re.findall(r"^discreet reproduce (\S+) --out reproduced", README, re.MULTILINE)
    assert named == ["p0-figure-2", "all"]
    assert all(registry.chosen([name]) for name in named)


def test_the_commands_are_all_there() -> None:
    listed = README.split("has the other commands:\n", 1)[1].split(". Names complete")[0]
    shown_before = {"release", "ledger", "show"}
    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted(set(COMMANDS) - shown_before)


def test_what_the_prose_says_of_the_benchmarks() -> None:
    assert f"median of {networks.RUNS} splits" in README
    assert f"Median R² of {regression.RUNS} fits" in README
    text = " ".join(README.split())
    runs = re.findall(r"(?:`make bench`|explorer\.py) o[fn] \d+ \w+ 2026 at commit \w{7}", text)
    assert len(runs) == README.count("at commit") == 4  # every run has its date and its commit
    python = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert python
    assert f"With Python {python[1]} or newer" in README


def test_the_best_of_a_row_is_bold() -> None:
    for line in re.findall(r"^\| .*\*\*.*$", README, re.MULTILINE):
        cells = [cell.strip() for cell in line.strip("|").split("|")[1:]]
        if bold := [cell.strip("*") for cell in cells if re.fullmatch(r"\*\*[\d.]+\*\*", cell)]:
            numbers = [float(x.strip("*")) for x in cells if re.fullmatch(r"[\d.*]+", x)]
            assert [float(x) for x in bold] == [min(numbers)]


@pytest.mark.slow
def test_the_table_of_mean_errors() -> None:
    """Exact, and the same in every run."""
    columns = ("ls_dim", "ehd", "ehds", "ehds, calibrated", "smooth, calibrated", "lattice")
    rows = table("| data | ls_dim |")
    assert len(rows) == 4
    for name, *cells in rows:
        counts = tuple(int(text) for text in re.findall(r"\d+", name.split("(")[1]))
        assert counts in accuracy.DATA.values()
        base = accuracy.mean_error(counts, "ls_hist", {})
        assert base
        for cell, column in zip(cells, columns, strict=True):
            error = accuracy.mean_error(counts, *accuracy.SHOWN[column])
            if error is None:
                assert cell == "too large to audit"
            else:
                assert shown(cell, error / base), (name, column)


@pytest.mark.slow
def test_the_table_of_classifiers(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated, so the same in every run; but for diffprivlib, which is not installed here."""
    monkeypatch.setattr(networks, "DATA", shared_data)
    rows = table("| data | ε | lattice |")
    assert len(rows) == 9
    for name, epsilon, lattice, laplace, _, plain in rows:
        (data,) = (one for one in networks.SETS if one.startswith(name))
        found = networks.accuracies(data, float(epsilon), theirs=False)
        assert shown(lattice, float(np.median(found["lattice"]))), (name, epsilon)
        assert shown(laplace, float(np.median(found["laplace_updates"]))), (name, epsilon)
        assert not plain or shown(plain, float(np.median(found["not private"])))


@pytest.mark.slow
def test_the_table_of_regressions(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, but for diffprivlib. Posteriors are sampled, in chains that the machine's linear
    algebra decides: the first figure was 0.188, 0.203 and 0.207 on three."""
    monkeypatch.setattr(regression, "DATA", shared_data)
    rows = table("| data | discreet | with δ")
    assert len(rows) == 3
    for name, ours, normal, _, plain in rows:
        size = re.match(r"([\d,]+) records", name)
        scores = (
            regression.ten_features(int(number(size[1])), theirs=False)
            if size
            else regression.wages(theirs=False)
        )
        found = {label: float(np.median(values[:, 0])) for label, values in scores.items()}
        for text, label in ((ours, regression.OURS), (normal, regression.WITH_DELTA)):
            assert abs(number(text) - found[label]) < 0.02, (name, found)
        assert shown(plain, found[regression.PLAIN]), (name, found)


# ---- what it installs ---------------------------------------------------------------------------


def test_the_extras_that_are_named_exist() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = text.split("[project.optional-dependencies]")[1].split("[project.scripts]")[0]
    known = set(re.findall(r"^(\w+) = \[", extras, re.MULTILINE))
    whole = re.search(r'^all = \["discreet\[([\w,]+)\]"\]', extras, re.MULTILINE)
    assert whole
    named = set(re.findall(r"extra `(\w+)`", README))
    assert named == {"language", "explorer"}
    assert named <= set(whole[1].split(",")) <= known
