"""Post-processing "remap" of `lattice`: to the counts with the least expected loss."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from discreet.core import CategoricalModel, Law, PointMass
from discreet.core.law import Outcome
from discreet.errors import InputError
from discreet.families.dirichlet.mechanisms.lattice import clamped_law
from discreet.families.dirichlet.optimum.losses import Problem, problem
from discreet.families.dirichlet.optimum.remap import remap, require_small
from discreet.laws.lattice import LatticeLaw, PostprocessedLattice, lattice_law
from discreet.laws.mapped import MappedLaw

__all__ = ["remap", "remapped_law", "task"]


def task(
    model: CategoricalModel, n: int | None, epsilon: Fraction, loss: object, weights: object
) -> Problem:
    """What the noisy counts are mapped to the best answer of."""
    if n is None:
        raise InputError(
            "postprocess 'remap' needs a public n, got adjacency 'add-remove'", "postprocess"
        )
    found = problem(
        model.prior,
        n,
        epsilon,
        "hellinger" if loss is None else loss,
        "uniform" if weights is None else weights,
    )
    require_small(found)
    return found


def remapped_law(task: Problem, counts: Outcome) -> Law:
    """The law of the counts that the noisy ones are mapped to."""
    if task.n == 0:
        return PointMass(counts)
    raw = lattice_law(task.n, task.epsilon, counts)
    released = partial(remap, task)
    if isinstance(raw, LatticeLaw):
        return PostprocessedLattice(raw, released)
    # what lies outside [0, n] is mapped like the nearer end
    return MappedLaw(clamped_law(task.n, task.epsilon, counts), released)
