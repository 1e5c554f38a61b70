"""Derivations and diagnostics for people: text, terminal and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from discreet.programs.reports import Report


@dataclass(frozen=True)
class Explanation:
    """Why a program is private, or why it is not."""

    report: Report

    def __str__(self) -> str:
        proof = self.report.proof
        if proof is None:
            return str(self.report)
        lines = [f"{self.report.program.name}: PROVED {self.report.program.budget}"]
        lines += [f"line {s.span.line}: {s.conclusion}  [{s.total}]" for s in proof.steps]
        return "\n".join([*lines, *proof.lines()])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
