"""Nothing private leaves: not in a release, not in an error, not in a picture."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.cli.cases import MODEL, call, done, spawn

SENTINEL = "Sentinel-7391-Müller"
COUNTS = (317, 811, 559)  # no figure of the model, the budget or the software has these digits


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Records whose patients, and whose counts, must not come out."""
    labels = [x for x, number in zip("abc", COUNTS, strict=True) for _ in range(number)]
    path = tmp_path / "secret.csv"
    lines = [f"{label},{SENTINEL},{i}" for i, label in enumerate(labels)]
    path.write_text("\n".join(["outcome,name,i", *lines]), encoding="utf-8")
    return path


def texts(*results: Any) -> str:
    return "\n".join(part for result in results for part in (result.out, result.err))


def numbers(text: str) -> set[int]:
    return {int(found) for found in re.findall(r"(?<![\w.])\d+(?![\w.])", text)}


def test_a_release_does_not_tell_the_counts(
    secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With noise that is never 0, no figure that is printed is a true count."""
    original = dp.Law.sample

    def shifted(self: dp.Law, size: Any = None, rng: Any = None) -> Any:
        drawn = original(self, size, rng)
        return (drawn[0] + 40, drawn[1] - 20, drawn[2] - 20) if size is None else drawn

    monkeypatch.setattr(dp.Law, "sample", shifted)
    budget, out = tmp_path / "budget.db", tmp_path / "release.json"
    done("ledger", "init", budget, "--budget", "100")
    options = ("--column", "outcome", "--categories", "a,b,c", "--epsilon", "10")
    paid = ("--ledger", budget, "--dataset", "d", "--request-id", "r")
    pictures = [tmp_path / f"out.{kind}" for kind in ("png", "svg", "pdf")]
    results = [
        done("release", secret, *options, *paid, "--out", out, "--plot", picture, "--force")
        for picture in pictures
    ]
    results.append(done("release", secret, *options, *paid, "--json"))
    results.append(done("ledger", "history", budget, "--json"))
    results.append(done("ledger", "history", budget))
    shown = texts(*results) + out.read_text() + _words(pictures[1])
    assert SENTINEL not in shown + pictures[1].read_text()
    assert numbers(shown) & {sum(COUNTS)}
    assert not numbers(shown) & set(COUNTS)
    true = dp.DirichletMultinomial(tuple("abc")).posterior(COUNTS)
    assert not {f"{mean:.3f}" for mean in true.mean()} & set(re.findall(r"0\.\d{3}", shown))
    for picture in pictures:
        content = picture.read_bytes()
        assert SENTINEL.encode() not in content
        assert not [number for number in COUNTS if str(number).encode() in _metadata(content)]
    database = b"".join(path.read_bytes() for path in tmp_path.glob("budget.db*"))
    assert SENTINEL.encode() not in database
    assert not [n for n in COUNTS if re.search(rb"(?<!\w)%d(?!\w)" % n, database)]


def _words(picture: Path) -> str:
    """The texts of an SVG: matplotlib keeps them as comments beside the outlines."""
    found = re.findall(r"<!--(.*?)-->|<dc:\w+>(.*?)</dc:", picture.read_text(), re.DOTALL)
    assert any("lattice" in comment for comment, _ in found)
    return "\n".join(map("".join, found))


def _metadata(content: bytes) -> bytes:
    """The texts that a PNG or PDF carries beside the picture."""
    if content.startswith(b"\x89PNG"):
        found = b""
        place = 8
        while place < len(content):
            size = int.from_bytes(content[place : place + 4], "big")
            if content[place + 4 : place + 8] != b"IDAT":
                found += content[place + 8 : place + 8 + size]
            place += size + 12
        return found
    return b"".join(re.findall(rb"/Info.*|/(?:Title|Author|Subject|Creator|Producer) .*", content))


HOSTILE = {
    "undeclared": "outcome\n" + "a\n" * 317 + f"{SENTINEL}\n",
    "ragged": f"outcome,x\na,1\nb,2\n{SENTINEL},{SENTINEL},3,4\n",
    "no header": f"{SENTINEL},317\nb,1\n",
    "quote": f'outcome\n"{SENTINEL}\na\n',
    "types": "outcome,age\n" + "a,1\n" * 30_000 + f"{SENTINEL},2\n",
    "floats": "outcome\n1.5\n2.5\n",
    "dates": "outcome\n2020-01-01\n2021-07-09\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_error_does_not_quote_records(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(HOSTILE[kind], encoding="utf-8")
    asked = ["release", path, "--column", "outcome", "--categories", "a,b", "--epsilon", "1"]
    if kind == "types":
        asked += ["--where", "age >= 1", "--adjacency", "add-remove"]
    result = call(*asked)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("Error: ")
    assert len(result.err.splitlines()) == 1
    assert SENTINEL not in result.err
    assert "317" not in result.err
    assert "2021" not in result.err


def test_bytes_that_are_not_text_are_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"outcome\n" + SENTINEL.encode("latin-1") + b"\nb\n")
    asked = ("release", path, "--column", "outcome", "--categories", "a,b", "--epsilon", "1")
    result = call(*asked)
    assert result.status == 2
    assert "Sentinel" not in result.err
    assert "it is not UTF-8 text" in result.err


def on_terminal(*arguments: object, status: int = 2) -> str:
    """What a process writes to a terminal as its standard error."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "discreet", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    found = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        found += part
    os.close(ours)
    assert process.wait() == status
    return found.decode()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "--unknown drop --adjacency add-remove",
            "3 records with missing or undeclared values, left out",
        ),
        (
            "--unknown other --other 0",
            "3 records with missing or undeclared values, counted as '0'",
        ),
        ("--unknown drop --adjacency add-remove --json", "3 records with missing"),
    ],
)
def test_how_many_records_are_left_out_is_told_to_a_terminal_only(
    rule: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("outcome,x\n" + "1.0,a\n0.0,b\n" * 5 + ",c\n" * 3)  # as pandas writes gaps
    asked = f"release {path} --column outcome --categories 0,1 --epsilon 1 {rule}".split()
    assert f"Private, for you only: {said}" in on_terminal(*asked, status=0)
    hidden = spawn(*asked)
    assert hidden.returncode == 0
    assert "Private" not in hidden.stderr + hidden.stdout
    assert "3 records" not in hidden.stderr + hidden.stdout


def test_what_is_left_out_of_networks_and_sums_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,x\n" + "0,1,2.5\n" * 9 + "0,,\n1,2,inf\n")
    states = "type discrete [ 2 ] { 0, 1 };"
    (tmp_path / "net.bif").write_text(
        "network n { }\n"
        f"variable a {{ {states} }}\nvariable b {{ {states} }}\n"
        "probability ( a ) { table 0.5, 0.5; }\nprobability ( b ) { table 0.5, 0.5; }\n"
    )
    rules = ["--epsilon", "1", "--unknown", "drop", "--adjacency", "add-remove"]
    network = (
        "network",
        path,
        "--structure",
        tmp_path / "net.bif",
        "--mechanism",
        "laplace_updates",
    )
    mean = ("mean", path, "--column", "x", "--bounds", "0:5")
    line = ("regress", path, "--y", "x", "--x", "a", "--bounds", "x=0:5", "--bounds", "a=0:1")
    for command in (network, mean, line):
        assert "for you only: 2 records" in on_terminal(*command, *rules, status=0), command


def test_undeclared_values_are_shown_to_a_terminal_only(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"outcome\na\nCured\ncured \n{SENTINEL}\n", encoding="utf-8")
    asked = ("release", path, "--column", "outcome", "--categories", "a,cured", "--epsilon", "1")
    shown = on_terminal(*asked)
    assert SENTINEL in shown
    assert "Private, for you only: values such as" in shown
    assert "some differ from 'cured' only by case, spaces or the form of letters" in shown
    assert "more values are undeclared than declared" in shown
    hidden = spawn(*asked)
    assert hidden.returncode == 2
    assert SENTINEL not in hidden.stderr
    assert "Private" not in hidden.stderr
    assert "case and spaces included" in hidden.stderr
    assert "Cured" not in hidden.stderr


def test_a_password_is_not_shown(tmp_path: Path, patients: Path) -> None:
    url = "postgresql://user:PASSWORD@127.0.0.1:1/x"
    paid = ("--epsilon", "1", "--ledger", url, "--dataset", "d")
    for arguments in (("release", patients, *MODEL, *paid), ("ledger", "show", url)):
        result = call(*arguments)
        assert result.status == 1
        assert "PASSWORD" not in texts(result)


def test_a_comparison_says_for_whom_it_is(secret: Path) -> None:
    options = ("--column", "outcome", "--categories", "a,b,c", "--epsilon", "1")
    result = done("compare", secret, *options)
    assert "owner" in result.out.lower()
    assert SENTINEL not in result.out
