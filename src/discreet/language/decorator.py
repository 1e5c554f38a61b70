"""`private`: from a decorated function to a program that can be checked, run and audited."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from discreet import check
from discreet.errors import InputError, PrivacyRefusedError
from discreet.language import words
from discreet.language.showing import Explanation
from discreet.ledger import Ledger
from discreet.programs.declared import Records
from discreet.programs.diagnostics import ProgramError
from discreet.programs.program import Program, Source, make_program
from discreet.programs.reports import ProgramAudit, Report, audit_program, check_program
from discreet.releases.programs import release_program
from discreet.releases.published import AnyRelease


def private(
    *,
    data: Records,
    adjacent: str,
    budget: object,
    params: Mapping[str, object] | None = None,
    n: int | None = None,
) -> Callable[[Callable[..., Any]], PrivateProgram]:
    """Declare a function as a program whose privacy is proved.

    Args:
        data: the private records: List[Bool], List[Enum("a", "b")], List[Real], List[Tuple[…]].
        adjacent: "substitute" (the number of records is public) or "add-remove" (it is not).
        budget: ε in terms of the parameters, such as "2*eps", or (ε, δ) such as ("eps", "delta").
        params: the public parameters and their bounds: Pos, Real, Nat, AtLeast(x), Between(x, y),
            Vector(Pos), Candidates(Beta).
        n: the number of records, where it is known when the program is written.
    """
    if params is not None and not isinstance(params, Mapping):
        raise InputError(f"params must be a mapping, got {check.brief(params)}", "params")

    def decorate(function: Callable[..., Any]) -> PrivateProgram:
        made = make_program(_source(function), data, adjacent, budget, dict(params or {}), n)
        found = PrivateProgram(made)
        for listener in _listeners:
            listener.append(found)
        return found

    return decorate


_listeners: list[list[PrivateProgram]] = []


@contextmanager
def collected() -> Iterator[list[PrivateProgram]]:
    """All programs that are made meanwhile, also those whose names are used again."""
    made: list[PrivateProgram] = []
    _listeners.append(made)
    try:
        yield made
    finally:
        _listeners.remove(made)


def _source(function: Callable[..., Any]) -> Source:
    """The text of the function and where it stands."""
    if not isinstance(function, FunctionType):
        raise InputError(f"a program is a function, got {check.brief(function)}", "function")
    if hasattr(function, "__wrapped__"):
        raise InputError(
            "@private stands directly above def, with no decorator between", "function"
        )
    name = function.__name__
    if name == "<lambda>":
        raise InputError("a program is written with def: a lambda has no source", "function")
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError):
        raise InputError(
            f"the source of {name} is not available (it was typed into a shell without history, or "
            "made by exec): write it to a file or a notebook cell",
            "function",
        ) from None
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    shown = "".join(
        line.removeprefix(margin) for line in lines
    )  # a docstring may stand further left
    return Source(
        name,
        shown,
        first,
        len(margin),
        inspect.getsourcefile(function) or "<program>",
        tuple(sorted(_bindings(shown, function).items())),
    )


def _bindings(text: str, function: FunctionType) -> dict[str, str]:
    """The names of the text that are words of the language, found by what they are bound to."""
    found: dict[str, str] = {}
    scope = function.__globals__ | _closure(function)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            value = scope.get(node.id, getattr(builtins, node.id, None))
            name = _word(node.id, value)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = scope.get(node.value.id)
            value = getattr(module, node.attr, None) if inspect.ismodule(module) else None
            name = _word(node.attr, value)
        else:
            continue
        if name is not None:
            found[ast.unparse(node)] = name
    return found


def _closure(function: FunctionType) -> dict[str, object]:
    """What the function sees of the one around it; names without a value yet are no words."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found: dict[str, object] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found[name] = None
    return found


def _word(written: str, value: object) -> str | None:
    if value is words.pi and written == "pi":
        return "pi"
    if written in words.BUILTINS and value is getattr(builtins, written):
        return written
    return words.WORDS.get(id(value))


class PrivateProgram:
    """A program: `check`, `explain`, `run`, `audit`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.__name__ = program.name

    def check(self) -> Report:
        """Prove it: PROVED; or REFUTED with data that show it, or UNKNOWN, both with what is wrong.

        No data are needed. A check takes a few milliseconds.
        """
        return check_program(self.program)

    def explain(self) -> Explanation:
        """The derivation line by line: print it, or show it in a notebook."""
        return Explanation(self.check())

    def run(
        self,
        data: object,
        *,
        rng: np.random.Generator | None = None,
        ledger: Ledger | None = None,
        dataset: str | None = None,
        request_id: str | None = None,
        part: str | None = None,
        **parameters: object,
    ) -> AnyRelease:
        """Draw a release from private records; a program that is not PROVED is refused.

        Args:
            data: the private records.
            rng: a numpy Generator makes a reproducible simulation, marked as such: not private.
            ledger: pays for the release (`dp.Ledger.open`).
            dataset: the name under which the ledger keeps the budget of these data.
            request_id: a name for this release: asked again with it, the ledger returns the stored
                one instead of paying twice.
            part: a declared part of the data set, for parallel composition.
            parameters: of the program, such as eps=1.

        Guarantee:
            The declared budget at these parameters; basis: the checked derivation. Draws are exact.
            The released value is computed from the draws without the data.
        """
        try:
            return release_program(
                self.program, data, parameters, rng, ledger, dataset, request_id, part
            )
        except ProgramError:
            raise PrivacyRefusedError(
                f"{self.__name__} is not proved private: {self.check()}"
            ) from None

    def audit(self, n: int = 3, **parameters: object) -> ProgramAudit:
        """The exact loss over all data sets of up to n records and their neighbours.

        Args:
            n: how many records at most.
            parameters: numbers to audit at; those left out are chosen.
        """
        return audit_program(self.program, n, parameters)

    def __call__(self, *_: object, **__: object) -> None:
        """A program is not called."""
        raise InputError(
            f"a program is run by {self.__name__}.run(data, …), which checks it first", "function"
        )

    def __repr__(self) -> str:
        return f"<program {self.__name__}: {self.program.budget}>"
