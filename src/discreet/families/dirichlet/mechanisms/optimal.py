"""The most accurate ε-private mechanism for a loss and weights on the true counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from discreet.core import (
    Adjacency,
    CategoricalModel,
    Config,
    Guarantee,
    Law,
    Mechanism,
    PointMass,
    Theorem,
)
from discreet.core.law import Outcome
from discreet.core.mechanism import counting, summing_to, unchanged
from discreet.exact import Ints, compositions
from discreet.families.dirichlet.mechanisms.remapping import remapped_law
from discreet.families.dirichlet.optimum import program, remap
from discreet.families.dirichlet.optimum.losses import Problem, loss_matrix, problem
from discreet.laws.lattice import two_sided
from discreet.laws.table import TableLaw


@dataclass(frozen=True, repr=False)
class OptimalMechanism(Mechanism):
    """A mechanism that knows how good it is; what that takes is computed on first use."""

    task: Problem

    @property
    def value(self) -> float:
        """The expected loss, averaged over the true counts with the weights."""
        if self.task.n == 0:
            return float(loss_matrix(self.task)[0, 0])
        if self.task.geometric:
            return remap.expected_loss(self.task)
        return program.solve(self.task).value

    @property
    def gap(self) -> float:
        """`value` minus a rigorous lower bound for every ε-private mechanism that releases counts.

        The loss is taken as evaluated in floats.
        """
        if self.task.n == 0 or self.task.geometric:
            return 0.0
        return program.solve(self.task).gap


def optimal(
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    *,
    loss: object = "hellinger",
    weights: object = "uniform",
) -> OptimalMechanism:
    """The ε-private mechanism with the least expected loss Σ_c w_c·E[L(c, r) | c].

    Two categories and a loss that never falls as r moves away from c on either side: the geometric
    mechanism with the optimal remap, at any n (Ghosh, Roughgarden and Sundararajan 2009). Otherwise
    a linear program over all laws P(r|c), whose solution is rounded to integers, mixed with a fixed
    law until every constraint holds, and verified.

    loss: "hellinger", "total_variation" (two categories), "squared_error" (of the posterior mean,
    squared l2 norm), or a matrix L[c, r] over the vectors of counts in lexicographic order.
    weights: "uniform", "prior_predictive", or a vector that sums to one.
    Guarantee: ε under substitution.
    """
    task = problem(model.prior, n, epsilon, loss, weights)
    options = (("loss", task.loss), ("weights", task.weights))
    config = Config("optimal", model, n, epsilon, Adjacency.SUBSTITUTE, options)
    if task.geometric:
        remap.require_small(task)
        # One substitution moves the count of ones by at most 1, which changes the probability of
        # every raw output by a factor of at most e^ε; the remap is public post-processing.
        theorem = Theorem(
            "geometric noise on a count that changes by at most 1, and a public remap",
            "Ghosh, Roughgarden and Sundararajan 2009",
        )
        make_raw_law, make_law = partial(two_sided, n, epsilon), partial(remapped_law, task)
        make_released: Callable[[Ints], Ints] = partial(remap.remap, task)
        possible = partial(summing_to, n)
    else:
        program.require_small(task)
        # bottom·P(r|c) ≤ top·P(r|c') is verified in integers for all neighbours c, c' and all r,
        # with top/bottom ≤ e^ε: ε-privacy by its definition.
        theorem = Theorem(
            "every ratio of probabilities of neighbours is at most e^ε, verified in integers",
            "discreet, optimum/program.py",
        )
        make_raw_law = make_law = partial(_law, task)
        make_released, possible = unchanged, partial(counting, n)
    guarantee = Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem)
    laws = make_raw_law, make_law
    return OptimalMechanism(config, guarantee, *laws, make_released, task, possible=possible)


def _law(task: Problem, counts: Outcome) -> Law:
    if task.n == 0:
        return PointMass(counts)
    rows = compositions.rows(task.n, task.k)
    place = int(np.flatnonzero((rows == np.array(counts)).all(axis=1))[0])
    return TableLaw(task.n, task.k, program.solve(task).row(place))
