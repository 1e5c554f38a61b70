"""`--unit`, `--max-per-unit` and `--per-unit`, wherever the command line counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.cli import delivering
from tests.cli.cases import call
from tests.data.engines import records

NET = """network n {} variable therapy { type discrete [2] { a, b }; }
variable dose { type discrete [3] { 0, 1, 2 }; }
probability (therapy) { table 0.5, 0.5; }
probability (dose | therapy) { (a) 0.2, 0.3, 0.5; (b) 0.2, 0.3, 0.5; }
"""
RULES: list[tuple[tuple[object, ...], dict[str, Any]]] = [
    (("--max-per-unit", 2), {"max_per_unit": 2}),
    (("--per-unit", "average"), {"per_unit": "average"}),
]
COMMANDS = ("release", "network", "mean", "regress")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a command counts; nothing is released."""
    found: list[Any] = []

    def carry_out(count: Any, *_: object, **__: object) -> int:
        found.append(count())
        return 0

    monkeypatch.setattr(delivering, "carry_out", carry_out)
    return found


def asked(command: str, place: Path) -> tuple[tuple[object, ...], Any, tuple[str, ...]]:
    """The arguments of a command, its model, and the columns that it counts."""
    bif = place / "net.bif"
    bif.write_text(NET)
    bounds = ("--bounds", "age=18:90", "--bounds", "dose=0:2")
    return {
        "release": (
            ("--column", "therapy", "--categories", "a,b"),
            dp.DirichletMultinomial(("a", "b")),
            ("therapy",),
        ),
        "network": (("--structure", bif), dp.BayesNet.from_bif(bif), ()),
        "mean": (
            ("--column", "age", "--bounds", "18:90"),
            dp.NormalMean(bounds=(18, 90)),
            ("age",),
        ),
        "regress": (
            ("--y", "age", *bounds),
            dp.LinearRegression(bounds={"age": (18, 90), "dose": (0, 2)}),
            ("age",),
        ),
    }[command]


@pytest.mark.parametrize(("given", "rules"), RULES)
@pytest.mark.parametrize("command", COMMANDS)
def test_persons(
    command: str,
    given: tuple[object, ...],
    rules: dict[str, Any],
    counted: list[Any],
    tmp_path: Path,
) -> None:
    data = tmp_path / "records.csv"
    records(300).to_csv(data, index=False)
    arguments, model, columns = asked(command, tmp_path)
    done = call(command, data, *arguments, "--epsilon", 1, "--unit", "patient", *given)
    assert done.status == 0, done.err
    assert counted == [model.count(data, *columns, unit="patient", **rules)]
    assert counted[0].unit == "patient"


@pytest.mark.parametrize("command", COMMANDS)
def test_rules_that_do_not_fit(command: str, tmp_path: Path) -> None:
    data = tmp_path / "records.csv"
    records(30).to_csv(data, index=False)
    arguments, _, _ = asked(command, tmp_path)
    for given, said in (
        (("--unit", "patient"), "belong together"),
        (("--per-unit", "average"), "needs --unit"),
        (("--unit", "patient", "--per-unit", "average", "--max-per-unit", "2"), "must be None"),
        (("--unit", "patient", "--per-unit", "mean"), "'mean' is not one of"),
    ):
        refused = call(command, data, *arguments, "--epsilon", 1, *given)
        assert refused.status == 2
        assert said in " ".join(refused.err.split()), refused.err
