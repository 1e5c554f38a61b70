"""The family of the guide, as a package of its own: found by its entry point, in a new process."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "your-own-family.md"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The files of the page, as pip would have installed them."""
    text = GUIDE.read_text(encoding="utf-8")
    parts = re.findall(r"^```python\n# waiting\.py(?:, continued)?\n(.*?)^```$", text, re.S | re.M)
    (tmp_path / "waiting.py").write_text("\n\n".join(parts), encoding="utf-8")
    point = re.search(r"^WaitingTime = \"(.*)\"$", text, re.M)
    assert point
    info = tmp_path / "waiting-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiting\nVersion: 0.1\n")
    entry = f"[discreet.families]\nWaitingTime = {point[1]}\n"
    (info / "entry_points.txt").write_text(entry)
    with (tmp_path / "waits.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["ward", "days"], *(["a", i % 9] for i in range(90))])
    return tmp_path


def discreet(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "discreet", *words],
        env=os.environ | {"PYTHONPATH": str(package), "PYTHONIOENCODING": "utf-8"},
        cwd=package,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_the_command_line_has_a_family_that_is_installed(package: Path) -> None:
    assert "WaitingTime" in discreet(package, "family").stdout
    shown = discreet(package, "family", "WaitingTime", "release", "--help").stdout
    assert "Longer times count as this.  [default: 30]" in re.sub(r"\s+", " ", shown).replace(
        ". [", ".  ["
    )
    asked = ("family", "WaitingTime", "release", "waits.csv", "--column", "days", "--epsilon", "1")
    made = discreet(package, *asked, "--most", "8", "--out", "release.json", "--json")
    assert made.returncode == 0, made.stderr
    document = json.loads(made.stdout)
    assert document["model"] == {"kind": "WaitingTime", "most": 8, "a": "1", "b": "1"}
    assert document["n"] == 90
    assert discreet(package, "show", "release.json").returncode == 0
    expected = discreet(package, *asked, "--n", "90", "--expected-error", "--json")
    assert set(json.loads(expected.stdout)) == {"error"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--most", "0"), "most must lie between 2 and 10000, got 0"),
        (("--a", "x"), "a must be a number, got 'x'"),
        (("--epsilon", "-1"), "epsilon must be greater than 0"),
        (("--column", "nights"), "column 'nights' does not exist"),
        (("--adjacency", "add-remove"), "'add-remove' is not 'substitute'"),
        (("--n", "7"), "declared n = 7"),
        (("--colour", "red"), "No such option '--colour'"),
    ],
)
def test_what_is_refused(package: Path, words: tuple[str, ...], said: str) -> None:
    asked = ("family", "WaitingTime", "release", "waits.csv", "--column", "days", "--epsilon", "1")
    found = discreet(package, *asked, *words)
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_the_noise_of_the_page_is_needed(package: Path) -> None:
    """What the page says of a rate that forgets the bound."""
    file = package / "waiting.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("epsilon / model.most)", "epsilon)", 1), encoding="utf-8")
    code = "import waiting; from discreet.testing import check_family; check_family(waiting.FAMILY)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert "it loses 4, more than 1" in found.stderr


def test_a_document_of_a_family_that_is_not_installed(package: Path) -> None:
    asked = ("family", "WaitingTime", "release", "waits.csv", "--column", "days", "--epsilon", "1")
    assert discreet(package, *asked, "--out", "release.json").returncode == 0
    (package / "waiting-0.1.dist-info" / "entry_points.txt").unlink()
    found = discreet(package, "show", "release.json")
    assert found.returncode == 2
    assert "model is of kind 'WaitingTime', which no installed package has" in found.stderr


@pytest.mark.parametrize(
    "point", ["no_such_module:FAMILY", "waiting:nothing", "waiting:WaitingTime"]
)
def test_an_entry_point_that_leads_nowhere_is_named(package: Path, point: str) -> None:
    entry = f"[discreet.families]\nWaitingTime = {point}\n"
    (package / "waiting-0.1.dist-info" / "entry_points.txt").write_text(entry)
    for words in (("family", "WaitingTime", "plan", "--n", "5"), ("family",)):
        found = discreet(package, *words)
        assert "Traceback" not in found.stderr
        assert "the entry point of family 'WaitingTime'" in found.stderr
