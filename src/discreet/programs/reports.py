"""What a check and an audit of a program found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from discreet import check
from discreet.errors import DiscreetError, InputError, MissingPackageError
from discreet.programs import auditing, declared
from discreet.programs.auditing import Witness
from discreet.programs.checking import Proof
from discreet.programs.diagnostics import Diagnostic, ProgramError
from discreet.programs.program import Program
from discreet.programs.syntax import Span

Verdict: TypeAlias = Literal["PROVED", "REFUTED", "UNKNOWN"]


@dataclass(frozen=True, repr=False)
class Report:
    """PROVED with a derivation; REFUTED with a witness, or UNKNOWN: both with what is wrong."""

    program: Program
    verdict: Verdict
    proof: Proof | None
    diagnostic: Diagnostic | None
    witness: Witness | None
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "PROVED"

    def __bool__(self) -> bool:
        return self.proved

    def __str__(self) -> str:
        head = f"{self.program.name}: {self.verdict}, declared {self.program.budget}"
        if self.diagnostic is None:
            return head
        parts = [head, str(self.diagnostic)]
        if self.witness is not None:
            parts.append(f"witness: {self.witness}")
        return "\n".join(parts)

    __repr__ = __str__

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        program, found = self.program, self.diagnostic
        return {
            "program": program.name,
            "file": program.source.file,
            "line": program.source.first_line,
            "verdict": self.verdict,
            "declared": str(program.budget),
            "adjacency": program.adjacency.value,
            "spent": [] if self.proof is None else self.proof.lines(),
            "diagnostic": None if found is None else found.document(),
            "witness": None if self.witness is None else self.witness.document(),
            "seconds": round(self.seconds, 4),
        }


def check_program(program: Program) -> Report:
    """Prove it, or say where it fails and look for data that show it."""
    start = time.perf_counter()
    try:
        found = program.prove()
        return Report(program, "PROVED", found, None, None, time.perf_counter() - start)
    except ProgramError as error:
        diagnostic = error.diagnostic
    except MissingPackageError:
        raise
    except DiscreetError as error:
        diagnostic = Diagnostic(_whole(program), str(error), kind="unknown")
    except (ArithmeticError, LookupError, TypeError, ValueError, AssertionError, RecursionError):
        fix = "please report it, with the program"
        diagnostic = Diagnostic(
            _whole(program), "the checker failed on this", fix=fix, kind="unknown"
        )
    witness = None
    if diagnostic.kind != "syntax":
        witness = auditing.refute(program, diagnostic.values, seconds=1.0)
    verdict: Verdict = "UNKNOWN" if witness is None else "REFUTED"
    return Report(program, verdict, None, diagnostic, witness, time.perf_counter() - start)


def _whole(program: Program) -> Span:
    """Where a program stands."""
    line, column = program.source.first_line, program.source.indent
    return Span(line, column, line, column + 1)


@dataclass(frozen=True, repr=False)
class ProgramAudit:
    """The worst loss over all small data sets; `epsilon` is a lower bound of the true loss."""

    program: Program
    witness: Witness
    n: int

    @property
    def epsilon(self) -> float:
        """The exact loss at the witness."""
        return self.witness.epsilon

    @property
    def claimed(self) -> float:
        """The declared ε there."""
        return self.witness.claimed

    @property
    def tightness(self) -> float:
        """The loss as a share of the claim."""
        return self.witness.tightness

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.witness.violated

    def __str__(self) -> str:
        verdict = "REFUTED" if self.violated else "within the claim"
        records = ""
        if declared.support(self.program.records.item) is None:
            tried = ", ".join(map(auditing.show, auditing.records_of(self.program)))
            records = f" of the records {tried}"
        which = "all" if self.n <= auditing.SMALL else "nearly constant"
        sets = f"{which} data sets{records} up to n = {self.n}"
        return f"{self.program.name}, {sets}: {verdict}; {self.witness}"

    __repr__ = __str__


def audit_program(program: Program, n: object, given: Mapping[str, object]) -> ProgramAudit:
    """Go through all data sets of up to n records and their neighbours."""
    if program.fault is not None:
        raise ProgramError(program.fault)
    most = check.whole("n", n, least=1, most=auditing.SMALL)
    chosen: dict[str, Any] = next(auditing.instances(program))
    for name, value in given.items():
        kinds = dict(program.kinds)
        if name not in kinds:
            raise InputError(f"{name!r} is no parameter of {program.name}", name)
        chosen[name] = kinds[name].read(name, value)
    found, reached = auditing.audited(program, chosen, most)
    if found is None or not reached:
        raise InputError(
            f"n = {most} is too many: the program has too many sequences of draws", "n"
        )
    return ProgramAudit(program, found, reached)
