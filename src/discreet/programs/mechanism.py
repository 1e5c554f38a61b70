"""A program with its parameters as a mechanism: what was proved is what is drawn."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Mechanism
from discreet.core.counts import N_SOURCES
from discreet.core.guarantee import Derivation
from discreet.core.law import Outcome
from discreet.errors import ExactnessError, InputError, NotAPosteriorError, NotEnumerable
from discreet.posteriors.dirichlet import DirichletPosterior
from discreet.posteriors.normal import NormalPosterior
from discreet.programs.documents import (
    describe_program,
    read_program,
    read_value,
    write_value,
)
from discreet.programs.drawing import Sampler, Transcript
from discreet.programs.families import Law
from discreet.programs.program import Program
from discreet.programs.syntax import words

MOST_ORDERS = 50_000  # of parameters: all of up to eight


@dataclass(frozen=True)
class ProgramModel:
    """A program in the place of a model: it reads records, and tells what a value means."""

    kind: ClassVar[str] = "Program"
    by: ClassVar[None] = None

    program: Program

    @property
    def n_source(self) -> str:
        """Whether the program declares n, or its run makes it public."""
        return N_SOURCES[self.program.n is None]

    def to_document(self) -> dict[str, Any]:
        """All that defines it."""
        return describe_program(self.program)

    def released(self, value: Any) -> Any:
        """The posterior, where the program released one."""
        if not isinstance(value, Law):
            raise NotAPosteriorError(
                f"{self.program.name} does not release one distribution: see release.value"
            )
        if value.family == "Beta":
            return DirichletPosterior((True, False), _proper(value, value.parameters))
        if value.family == "Dirichlet":
            alpha = value.parameters[0]
            labels = getattr(self.program.records.item, "labels", None)
            if labels is None or "map" in words(self.program.body):  # which gives other labels
                labels = tuple(range(len(alpha)))
            return DirichletPosterior(labels, _proper(value, alpha))
        if value.family == "Normal" and value.parameters[1] > 0:
            return NormalPosterior(*value.parameters)
        raise NotAPosteriorError(f"{value} is not used as a posterior: see release.value")


def released_posterior(mechanism: Mechanism, value: Any) -> Any:
    """The posterior, where the program released one."""
    model: ProgramModel = mechanism.config.model
    return model.released(value)


def _proper(law: Law, parameters: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Refuse, on use, what noise made negative."""
    if min(parameters) <= 0:
        raise NotAPosteriorError(
            f"{law} is no posterior: noise made a parameter 0 or less; let the program return "
            "Beta(max(x, 1/2), max(y, 1/2)), or use release.value"
        )
    return parameters


@dataclass(frozen=True)
class ProgramConfig(Config):
    """Everything public that defines a run."""

    @property
    def label(self) -> str:
        """The name of the program."""
        return f"program {self.model.program.name}"

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class ProgramLaw:
    """The law of a program's draws, given the records."""

    program: Program
    given: Mapping[str, Any]
    values: tuple[Any, ...] = field(repr=False)  # private
    n: int | None = None

    def require_drawable(self) -> None:
        """Refuse what cannot be run; public values decide, and whether categories exist."""
        self.program.require_runnable(self.given, self.values, self.n)

    def sample(self, rng: np.random.Generator | None = None) -> Outcome:
        """One run: all that was drawn, in order."""
        sampler = Sampler(os.urandom if rng is None else rng.bytes)
        run: list[Any] = []
        replay: list[Any] = []
        try:
            self.program.evaluate(self.given, self.values, self.n, sampler, trace=run)
            transcript = Transcript(sampler.transcript)
            self.program.evaluate(self.given, None, self.n, transcript, trace=replay)
        except Exception:  # one sentence for all, for the reason might show the data
            raise InputError(
                f"{self.program.name} failed on what was drawn, as a division by a released 0 "
                "does: nothing is released, and it stays paid",
                "program",
            ) from None
        # All that the run treated as public has to be what a replay without data finds too: sizes
        # of noise, grids, and what was drawn. Otherwise something private passed for public.
        if run != replay:
            raise ExactnessError(f"{self.program.name} ran otherwise than it was proved: a defect")
        return tuple(sampler.transcript)


@dataclass(frozen=True, repr=False)
class ProgramMechanism(Mechanism):
    """A checked program at given parameters."""

    given: tuple[tuple[str, Any], ...] = field(default=(), kw_only=True)

    @property
    def program(self) -> Program:
        """What is run."""
        found = self.config.model.program
        assert isinstance(found, Program)
        return found

    def domain(self, counts: object) -> Any:
        """The records, if the program is defined for them."""
        return self.program.read_data(counts)

    def postprocess(self, raw: object) -> Any:
        """The released value: from the draws and public numbers; there are no data here."""
        if not isinstance(raw, (tuple, list)) or not all(type(z) is int for z in raw):
            raise InputError("raw must be the whole numbers of a raw output", "raw")
        try:
            return self.program.released(dict(self.given), self.config.n, tuple(raw))
        except ExactnessError:
            raise InputError("raw must be the whole numbers of a raw output", "raw") from None


def program_mechanism(program: Program, given: Mapping[str, Any], n: int | None) -> Mechanism:
    """The mechanism, with the guarantee that the program declares; `ProgramError` if not proved."""
    # The budget is proved for all values of the parameters and all n, so it holds for these.
    program.prove()
    epsilon, delta = program.costs(given, n)
    if epsilon <= 0:
        raise InputError("epsilon of the budget must be positive at these parameters", "budget")
    basis = Derivation(program.name, str(program.budget), program.digest)
    config = ProgramConfig(
        "program",
        ProgramModel(program),
        n if program.adjacency is Adjacency.SUBSTITUTE else None,
        epsilon,
        program.adjacency,
        tuple((name, write_value(given[name])) for name, _ in program.kinds),
    )
    guarantee = Guarantee(epsilon, delta, program.adjacency, basis=basis)
    return ProgramMechanism(
        config, guarantee, _unused, _unused, _unused, given=tuple(sorted(given.items()))
    )


def _unused(_: object) -> Any:
    raise NotEnumerable("the law of a program is not listed: use program.audit(n=…)")


def read_program_mechanism(document: Mapping[str, Any]) -> Mechanism:
    """From the document of a release."""
    n = check.whole("n", document["n"], least=1) if document["n"] is not None else None
    program = _in_order(
        read_program(document["model"], document["adjacency"]),
        document["guarantee"]["basis"]["source"],
    )
    if (n is None) == (program.adjacency is Adjacency.SUBSTITUTE):
        raise InputError("n is public under substitution, and only there", "n")
    if program.n not in (None, n):
        raise InputError("n must be the number of records that the program declares", "n")
    given = {name: read_value(value) for name, value in document["options"].items()}
    return program_mechanism(program, program.read_parameters(given), n)


def _in_order(program: Program, digest: object) -> Program:
    """The parameters in the order of their declaration, by which the proof's digest was made.

    A ledger keeps the keys of a document sorted. Most are declared as the function takes them.
    """
    kinds = dict(program.kinds)
    taken = [(name, kinds[name]) for name in program.parameters[1:]]
    orders = itertools.chain([program.kinds, tuple(taken)], itertools.permutations(taken))
    for order in itertools.islice(orders, MOST_ORDERS):
        found = replace(program, kinds=order)
        if found.digest == digest:
            return found
    return program
