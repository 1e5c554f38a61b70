"""A program of the language as a family: its parameters are the options."""

from __future__ import annotations

from discreet.core.adjacency import Adjacency
from discreet.core.family import Deferred, Family, MechanismSpec, Unavailable

_HERE = "discreet.programs"
_SEE = "is for releases of models; of a program see release.value and release.posterior"
_RUN = Unavailable("a program is run: program.run(data, …)", "model")

FAMILY = Family(
    kind="Program",
    model=Deferred(f"{_HERE}.mechanism:ProgramModel"),
    specs=(
        MechanismSpec(
            "program",
            _RUN,
            "A program that the checker has proved private.",
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            posterior=Deferred(f"{_HERE}.mechanism:released_posterior"),
            noise_aware=Unavailable(f"noise_aware {_SEE}", "release"),
            audit=Unavailable("a program is audited by program.audit(n=…)"),
        ),
    ),
    default="program",
    read=_RUN,
    summary=Unavailable(f"summary {_SEE}", "release"),
    plot=Unavailable(f"plot {_SEE}", "release"),
    reads="nothing",
    write=Deferred(f"{_HERE}.documents:write_value"),
    remake=Deferred(f"{_HERE}.mechanism:read_program_mechanism"),
)
