"""Programs from text, for the tests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from unittest import mock

from discreet import language
from discreet.language import Pos
from discreet.programs import auditing, exploring
from discreet.programs.auditing import Witness
from discreet.programs.declared import Records
from discreet.programs.diagnostics import ProgramError
from discreet.programs.exploring import TooManyError
from discreet.programs.program import Program, Source, make_program

WORDS = (*language.__all__, "map", "sum", "len", "range", "min", "max", "abs")
BINDINGS = tuple(sorted((word, word) for word in WORDS if word != "private"))


def made(
    lines: str,
    data: Records,
    adjacent: str,
    budget: object,
    params: Mapping[str, object] | None = None,
    n: int | None = None,
) -> Program:
    """The program with this body, of data and of params; eps alone where none are given."""
    kinds = {"eps": Pos} if params is None else dict(params)
    body = "".join(f"    {line}\n" for line in lines.strip().splitlines())
    text = f"def program({', '.join(('data', *kinds))}):\n{body}"
    return make_program(
        Source("program", text, bindings=BINDINGS), data, adjacent, budget, kinds, n
    )


def proved(program: Program) -> bool:
    """Whether there is a proof; no witness is looked for."""
    try:
        program.prove()
    except ProgramError:
        return False
    return True


def some_loss(program: Program, eps: Fraction, seed: int, most: int) -> Witness | None:
    """The worst loss over some pairs of neighbours with one and with two records."""
    pairs = [*auditing.neighbours(program, 1), *auditing.neighbours(program, 2)]
    chosen = random.Random(seed).sample(pairs, min(most, len(pairs)))
    found: Witness | None = None
    with mock.patch.object(exploring, "MOST_PATHS", 90):
        for one, two in chosen:
            try:
                witness = auditing.loss(program, {"eps": eps}, one, two)
            except TooManyError:
                return found
            if found is None or witness.tightness > found.tightness:
                found = witness
    return found
