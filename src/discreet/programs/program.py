"""A program as a value: what was declared, and the tree that is checked and run."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from discreet import check
from discreet.core import Adjacency
from discreet.errors import ExactnessError, InputError
from discreet.exact import balls
from discreet.programs import declared, syntax
from discreet.programs.budgets import read_budget
from discreet.programs.checking import Proof, derive
from discreet.programs.costs import Budget
from discreet.programs.declared import Many
from discreet.programs.diagnostics import Diagnostic, ProgramError
from discreet.programs.drawing import Transcript, rehearse
from discreet.programs.parsing import parse_program
from discreet.programs.proving import Prover, show
from discreet.programs.requests import Audit, Draw
from discreet.programs.running import Data, Interpreter, finished
from discreet.programs.symbolic import number

REHEARSED = (0, 1, -1, 1000, -1000)  # a program that fails with each is refused
FAILURES = (
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    AssertionError,
    RecursionError,
)  # of programs that are proved, but do what has no meaning
RESERVED = ("self", "data", "rng", "ledger", "dataset", "request_id", "part")


@dataclass(frozen=True)
class Source:
    """Where a program is written."""

    name: str
    text: str  # of the whole function
    first_line: int = field(default=1, compare=False)
    indent: int = field(default=0, compare=False)
    file: str = field(default="<program>", compare=False)
    bindings: tuple[tuple[str, str], ...] = ()  # names of the file for those of the language


@dataclass(frozen=True)
class Program:
    """One program; `fault` is why its source is not in the language, else None."""

    source: Source
    parameters: tuple[str, ...]
    body: tuple[syntax.Statement, ...] = field(compare=False)  # which the source determines
    records: declared.Records
    kinds: tuple[tuple[str, declared.Parameter], ...]
    adjacency: Adjacency
    budget: Budget
    n: int | None = None
    fault: Diagnostic | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Of the function."""
        return self.source.name

    def prove(self) -> Proof:
        """The proof, found once; raises `ProgramError` where there is none."""
        return self._proof

    @cached_property
    def _proof(self) -> Proof:
        if self.fault is not None:
            raise ProgramError(self.fault)
        try:
            return derive(
                self.parameters,
                self.body,
                self.records,
                self.adjacency,
                dict(self.kinds),
                self.budget,
                self.n,
            )
        except RecursionError:
            span = syntax.Span(self.source.first_line, self.source.indent, 0, 0)
            message = "the program is nested too deeply, or calls itself without end"
            raise ProgramError(
                Diagnostic(span, message, fix="write it flat: name parts", kind="syntax")
            ) from None

    # ---- running -----------------------------------------------------------------------------

    def read_parameters(self, given: Mapping[str, object]) -> dict[str, Any]:
        """The public parameters, exact."""
        kinds = dict(self.kinds)
        for name in given:
            if name not in kinds:
                known = ", ".join(kinds) or "none"
                raise InputError(f"{name!r} is no parameter of {self.name}: {known}", name)
        for name in kinds:
            if name not in given:
                raise InputError(f"{self.name} needs the parameter {name}", name)
        return {name: kind.read(name, given[name]) for name, kind in kinds.items()}

    def read_data(self, data: object) -> tuple[Any, ...]:
        """The private records, exact."""
        values = declared.read_records(self.records.item, data)
        if self.n is not None and len(values) != self.n:
            raise InputError(f"data must have the declared {self.n} records", "data")
        if self.adjacency is Adjacency.SUBSTITUTE and not values:
            raise InputError("data must have at least one record", "data")
        return values

    def costs(self, given: Mapping[str, Any], n: int | None) -> tuple[Fraction, Fraction]:
        """(ε, δ) at these parameters, rounded up."""
        values = {k: v for k, v in given.items() if isinstance(v, Fraction)}
        if n is not None:
            values["n"] = Fraction(n)
        symbols = {k: number(v) for k, v in values.items()}
        found = []
        for part in (self.budget.epsilon, self.budget.delta):
            try:
                exact = part.at(symbols).value
            except ZeroDivisionError:
                raise InputError("the budget divides by 0 at these parameters", "budget") from None
            if exact is None:
                exact = balls.rounded_up(partial(part.ball, values))
            found.append(exact)
        _require_sensible(*found)
        return found[0], found[1]

    def evaluate(
        self,
        given: Mapping[str, Any],
        values: tuple[Any, ...] | None,
        n: int | None,
        draw: Draw,
        audit: Audit | None = None,
        trace: list[Any] | None = None,
    ) -> Any:
        """Run the tree; `values` None is a replay without data.

        An audit says what it allows; a run gives a list for what is public of its draws.
        """
        names = {self.parameters[0]: Data(self.records.item, values, self._every_record)}
        names |= {name: given[name] for name in self.parameters[1:]}
        run = Interpreter(self.adjacency, n, draw, audit, trace, replay=values is None)
        return run.block(self.body, names)

    @cached_property
    def _every_record(self) -> dict[Any, Any] | None:
        """Where they are few, what is known of each: itself."""
        support = declared.support(self.records.item)
        return None if support is None else {value: value for value in support}

    def released(self, given: Mapping[str, Any], n: int | None, raw: tuple[int, ...]) -> Any:
        """The value that a transcript leads to: from public numbers, the data are not there."""
        transcript = Transcript(raw)
        value = finished(self.evaluate(given, None, n, transcript))
        if transcript.place != len(raw):
            raise InputError("raw must be the whole numbers of a raw output", "raw")
        return value

    def require_runnable(
        self, given: Mapping[str, Any], values: tuple[Any, ...], n: int | None
    ) -> None:
        """Refuse, before anything is paid for, what cannot end well: public values decide.

        Only a replay without data is tried. A run with the data but without noise would be an
        oracle: whether it fails would show them.
        """
        if isinstance(self.records.item, declared.Category) and self.records.item.labels is None:
            vectors = [name for name, kind in self.kinds if isinstance(kind, Many)]
            length = min((len(given[name]) for name in vectors), default=math.inf)
            for place, value in enumerate(values):
                if value >= length:
                    raise InputError(
                        f"data[{place}] must be below the length {length} of the prior", "data"
                    )
        for outcome in REHEARSED:
            try:
                finished(self.evaluate(given, None, n, partial(rehearse, outcome)))
                return
            except ExactnessError as error:
                raise InputError(f"{self.name} cannot be run: {error}", "program") from None
            except (InputError, *FAILURES) as error:
                reason = error  # perhaps of the released value, which the next outcome changes
        said = str(reason) if isinstance(reason, InputError) else "it does what has no meaning"
        raise InputError(f"{self.name} fails whatever is drawn: {said}", "program")

    @property
    def digest(self) -> str:
        """SHA-256 of the source and of all that is declared."""
        source = self.source.name, self.source.text, self.source.bindings
        parts = (source, self.records, self.kinds, self.adjacency, self.budget.written, self.n)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def make_program(
    source: Source,
    data: object,
    adjacent: object,
    budget: object,
    params: Mapping[str, object],
    n: object = None,
) -> Program:
    """Read declarations and source; a fault of the source is kept, those of declarations raise."""
    if not isinstance(data, declared.Records):
        raise InputError(f"data must be such as List[Bool], got {check.brief(data)}", "data")
    adjacencies = {a.value: a for a in (Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE)}
    if not isinstance(adjacent, str) or adjacent not in adjacencies:
        raise InputError(
            f"adjacent must be 'substitute' or 'add-remove', got {check.brief(adjacent)}",
            "adjacent",
        )
    adjacency = adjacencies[adjacent]
    length = None if n is None else check.whole("n", n, least=1)
    if length is not None and adjacency is Adjacency.ADD_REMOVE:
        raise InputError("n must be None under add-remove, where it is private", "n")
    kinds: list[tuple[str, declared.Parameter]] = []
    for name, kind in params.items():
        if name == "n":
            raise InputError("params must not have n: it is the number of records", "params")
        if name in RESERVED:
            raise InputError(f"params must not have {name}: it is an argument of run", "params")
        if not isinstance(kind, (declared.Number, declared.Many, declared.Candidates)):
            raise InputError(
                f"params[{name!r}] must be Pos, Real, Nat, AtLeast(x), Between(x, y), Vector(…) or "
                f"Candidates(…), got "
                f"{check.brief(kind)}",
                "params",
            )
        kinds.append((name, kind))
    names = [name for name, kind in kinds if isinstance(kind, declared.Number)]
    if adjacency is Adjacency.SUBSTITUTE:
        names.append("n")
    read = read_budget(budget, names)
    numbers = {name: kind for name, kind in kinds if isinstance(kind, declared.Number)}
    prover = Prover(numbers | {"n": declared.NATURAL})
    for part in (read.epsilon, read.delta):
        if (example := prover.negative_at(part)) is not None:
            at = f" at {show(example)}" if example else ""
            raise InputError(f"budget must not be negative, and {part} is{at}", "budget")
    fault = None
    parameters: tuple[str, ...] = ()
    body: tuple[syntax.Statement, ...] = ()
    try:
        parameters, body = parse_program(
            source.text,
            source.name,
            dict(source.bindings).get,
            source.first_line,
            source.indent,
        )
    except ProgramError as error:
        fault = error.diagnostic
    if fault is None:
        _require_declared(source.name, parameters, [name for name, _ in kinds])
    return Program(source, parameters, body, data, tuple(kinds), adjacency, read, length, fault)


def _require_declared(name: str, parameters: tuple[str, ...], kinds: list[str]) -> None:
    """The first argument is the data, the others are the declared parameters."""
    if not parameters:
        raise InputError(f"{name} must have an argument: the data", "params")
    if parameters[0] in kinds:
        raise InputError(
            f"params must not have {parameters[0]}: the first argument of {name} is the data",
            "params",
        )
    for missing in (other for other in parameters[1:] if other not in kinds):
        raise InputError(
            f'params must declare {missing}, an argument of {name}: params={{"{missing}": Pos}}',
            "params",
        )
    for extra in (other for other in kinds if other not in parameters):
        raise InputError(f"params has {extra}, which is no argument of {name}", "params")


def _require_sensible(epsilon: Fraction, delta: Fraction) -> None:
    """Refuse a budget that is none, at the parameters of a run."""
    if epsilon < 0:
        raise InputError(f"budget must not be negative, got epsilon = {epsilon}", "budget")
    if not 0 <= delta < 1:
        raise InputError(f"budget must have delta from 0 to below 1, got {delta}", "budget")
