"""A release of a program of the language: `program.run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet import check
from discreet.core import Adjacency
from discreet.ledger import Ledger
from discreet.programs.mechanism import ProgramLaw, program_mechanism
from discreet.programs.program import Program
from discreet.releases.published import Release
from discreet.releases.releasing import Provenance, carry_out


def release_program(
    program: Program,
    data: object,
    given: Mapping[str, object],
    rng: np.random.Generator | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    request_id: str | None = None,
    part: str | None = None,
) -> Release[Any, Any, Any]:
    """Run a program that was proved: `program.run` of `discreet.language`."""
    parameters = program.read_parameters(given)
    values = program.read_data(data)
    if rng is not None:
        check.generator(rng)
    n = len(values) if program.adjacency is Adjacency.SUBSTITUTE else None
    made = program_mechanism(program, parameters, n)
    law = ProgramLaw(program, parameters, values, n)
    law.require_drawable()
    n_source = None if n is None else made.config.model.n_source
    return carry_out(made, law, n_source, Provenance(), ledger, dataset, request_id, part, rng)
