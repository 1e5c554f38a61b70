"""What is wrong with a program: where, why, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import DiscreetError
from discreet.programs.syntax import Span


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    `kind` is "syntax" (not in the language), "private" (a private value where a public one is
    needed), "distance" (no bound where one is needed), "budget" (more than was declared), "value"
    (a number that is not allowed), or "unknown" (the solver gave no answer).
    """

    span: Span
    message: str
    reason: str = ""
    fix: str = ""
    kind: str = "distance"
    declared: str = ""
    example: str = ""
    costs: tuple[str, ...] = ()
    values: Mapping[str, Fraction] | None = None  # of the example

    def __str__(self) -> str:
        parts = [f"line {self.span.line}: {self.message}", self.reason, self.fix]
        return "; ".join(part for part in parts if part)

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        span = self.span
        return {
            "line": span.line,
            "column": span.column + 1,
            "end_line": span.end_line,
            "end_column": span.end_column + 1,
            "kind": self.kind,
            "message": self.message,
            "reason": self.reason,
            "fix": self.fix,
            "example": self.example,
            "spent": list(self.costs),
        }


class ProgramError(DiscreetError, ValueError):
    """A program is not in the language, or not proved; `diagnostic` says where and why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic
