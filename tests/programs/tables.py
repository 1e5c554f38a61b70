"""The programs of both lists, how they are audited, and a table of what was found.

python -m tests.programs.tables
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.language import PrivateProgram
from discreet.programs import auditing, declared
from discreet.programs.auditing import Witness
from discreet.programs.program import Program
from discreet.programs.reports import Report, check_program


def listed(place: str) -> dict[str, Program]:
    """All programs of a package, by name."""
    package = importlib.import_module(place)
    found: dict[str, Program] = {}
    for module in pkgutil.iter_modules(package.__path__):
        values = vars(importlib.import_module(f"{package.__name__}.{module.name}")).values()
        found |= {v.program.name: v.program for v in values if isinstance(v, PrivateProgram)}
    return found


PROVED, BROKEN = listed("discreet.language.examples"), listed("tests.programs.broken")


def at(program: Program, eps: Fraction) -> dict[str, Any]:
    """Simple parameters with that eps."""
    given = next(iter(auditing.instances(program)))
    return given | ({"eps": eps} if "eps" in given else {})


# programs with long laws: up to how many records, quick and slow
FEWER = {
    "naive_bayes": (1, 3),
    "naive_bayes_substitute": (1, 2),
    "normal_hellinger": (1, 3),
    "finite_hellinger": (2, 4),
    "clamped": (1, 6),
    "beta_input": (3, 5),
    "learn_bias": (3, 5),
    "beta_l1_fold": (3, 5),
    "normal_input": (1, 1),
}


def size_of(program: Program, slow: bool = False) -> int:
    """Up to how many records all data sets are gone through."""
    if program.name in FEWER:
        return FEWER[program.name][slow]
    if program.records.item == declared.Flag():
        return 6 if slow else 3
    return 4 if slow else 2


@dataclass(frozen=True)
class Row:
    """One program of the table."""

    report: Report
    witness: Witness | None

    def __str__(self) -> str:
        name, report, found = self.report.program.name, self.report, self.witness
        start = f"{name:26} {report.verdict:8} {report.program.budget!s:30}"
        if found is None:
            return f"{start} {'-':>9} {'-':>9} {'-':>9} {report.seconds:7.3f}"
        claimed, loss = found.claimed, found.epsilon
        if found.delta is not None:
            claimed, loss = found.claimed_delta, found.delta
        return f"{start} {claimed:9.4g} {loss:9.4g} {found.tightness:9.4g} {report.seconds:7.3f}"


def row(program: Program) -> Row:
    """Checked, and audited where it is proved; a refuted one has its witness."""
    report = check_program(program)
    witness = report.witness
    if report.proved:
        witness = auditing.worst_loss(program, at(program, Fraction(1)), size_of(program))
    return Row(report, witness)


def table() -> str:
    """Of both lists."""
    head = ("program", "verdict", "declared", "claimed", "loss", "tightness", "seconds")
    lines = ["{:26} {:8} {:30} {:>9} {:>9} {:>9} {:>7}".format(*head)]
    lines += [str(row(program)) for program in (*PROVED.values(), *BROKEN.values())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
