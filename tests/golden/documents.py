"""What the software writes, kept as it was: `python -m tests.golden.documents` writes it anew.

Releases, certificates, a ledger and the JSON of the command line, of every mechanism, adjacency
and set of options. A change of these files is a change of the format or of a law: it needs a
version, an option or a default of its own, so that what was paid for stays readable.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discreet as dp
from tests.cli.cases import done
from tests.golden.cases import NAMES, made

HERE = Path(__file__).parent
AB = dp.BetaBinomial(categories=("a", "b"))
ABC = dp.DirichletMultinomial(("a", "b", "c"))
FLAGS = dp.BayesNet({"b": ["a"]}, {"a": ("y", "n"), "b": (True, False)})
MEAN = dp.NormalMean(0, 1, 1, (0, 4), grid=2)
AUDITED: dict[str, tuple[dp.Mechanism, int | None]] = {
    **{
        name: (dp.mechanism(name, AB, n=6, epsilon=1), None)
        for name in ("ls_dim", "ls_hist", "ehd", "ehdl", "ehds", "lattice", "optimal")
    },
    "smooth_hellinger": (
        dp.mechanism("smooth_hellinger", AB, n=6, epsilon=1, delta=1e-5, calibrate=True),
        None,
    ),
    "ehds calibrated": (dp.mechanism("ehds", ABC, n=4, epsilon=1, calibrate=True), None),
    "lattice add-remove": (
        dp.mechanism("lattice", AB, epsilon=1, adjacency="add-remove", unit="u", max_per_unit=2),
        4,
    ),
    "network": (dp.mechanism("lattice", FLAGS, n=2, epsilon=1), None),
    "mean": (dp.mechanism("hellinger", MEAN, n=2, epsilon=1, points=5), None),
    "ls_hist add-remove": (
        dp.mechanism("ls_hist", AB, epsilon=1, adjacency="add-remove", unit="u", max_per_unit=2),
        4,
    ),
    "randomized_response": (dp.mechanism("randomized_response", AB, n=6, epsilon=1), None),
}
# of the command line, without noise; {…} are files beside the golden ones
COMMANDS: tuple[str, ...] = (
    "plan --categories a,b --n 40 --error 0.1",
    "plan --categories a,b,c --n 30 --epsilon 1",
    "compare --categories a,b --counts 7,3 --epsilon 1",
    "audit --mechanism ehds --categories a,b --n 12 --epsilon 1",
    "audit --mechanism lattice --categories a,b,c --n 5 --epsilon 1/2",
    "audit --verify {certificate}",
    "mean --column x --bounds 0:4 --n 50 --epsilon 1 --expected-error",
    "mean --column x --bounds 0:4 --n 50 --epsilon 1 --adjacency add-remove --expected-error",
    "regress --y y --bounds x=0:4 --bounds y=0:9 --n 90 --epsilon 1 --expected-error",
    "ledger show {ledger} --dataset lattice",
    "ledger history {ledger} --dataset lattice",
    "ledger verify {ledger}",
    "ledger released {ledger} 4",
    "show {release}",
    "check {program}",
)
PROGRAM = """from discreet.language import *


@private(data=List[Bool], adjacent="substitute", budget="2*eps", params={"eps": Pos})
def kept(data, eps):
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(max(x, 1 / 2), max(y, 1 / 2))
"""


def lines(name: str) -> dict[str, Any]:
    """A golden file with a name and a document in every line."""
    text = (HERE / name).read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    return {line["name"]: line["document"] for line in found}


# what the golden ledger paid for, when it was written; no ledger pays for ehdl
PAID = tuple(name for name in NAMES if name in lines("releases_1.jsonl") and name != "ehdl")


def releases() -> dict[str, Any]:
    """Seeded releases, as JSON."""
    return {name: json.loads(made(name).to_json()) for name in NAMES}


def certificates() -> dict[str, Any]:
    """Certificates of exact audits."""
    return {
        name: json.loads(dp.audit(mechanism, total).certificate.to_json())
        for name, (mechanism, total) in AUDITED.items()
    }


@contextlib.contextmanager
def ledger() -> Iterator[str]:
    """The golden ledger, in a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "budget.db")
        with contextlib.closing(sqlite3.connect(place)) as file:
            file.executescript((HERE / "ledger.sql").read_text(encoding="utf-8"))
        yield place


def commands(*chosen: str) -> dict[str, Any]:
    """The JSON that commands print about the golden files."""
    with ledger() as place, tempfile.TemporaryDirectory() as folder:
        files = {
            "ledger": place,
            "certificate": _file(folder, "c.json", lines("certificates.jsonl")["ehds calibrated"]),
            "release": _file(folder, "r.json", lines("releases.jsonl")["lattice"]),
            "program": _file(folder, "kept.py", PROGRAM),
        }
        found = {}
        for command in chosen or COMMANDS:
            words = [word.format(**files) for word in command.split()]
            text = json.dumps(done(*words, "--json").document)
            for name, path in files.items():
                text = text.replace(path, f"{{{name}}}")
            found[command] = json.loads(text, object_hook=_untimed)
        return found


def _untimed(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "seconds"}


def _file(folder: str, name: str, content: Any) -> str:
    place = Path(folder) / name
    place.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(place)


def _pay() -> str:
    """A ledger that paid for every release, as SQL."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "budget.db")
        book = dp.Ledger.open(place, budget=500, delta=1e-3)
        book.create("network attribute", budget=100, adjacency="attribute")
        for name in PAID:
            made(name, ledger=book, dataset=name, request_id=name)
        book.raise_budget("lattice", 600, reason="golden")
        with contextlib.closing(sqlite3.connect(place)) as file:
            return "\n".join(file.iterdump()) + "\n"


def _add(name: str, documents: dict[str, Any]) -> None:
    """Write what is new behind what is there, which never changes."""
    known = lines(name)
    with (HERE / name).open("a", encoding="utf-8") as file:
        for key, value in documents.items():
            if key not in known:
                file.write(json.dumps({"name": key, "document": value}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    _add("releases.jsonl", releases())
    _add("certificates.jsonl", certificates())
    _add("commands.jsonl", commands())
