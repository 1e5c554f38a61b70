"""Randomised response: every record is perturbed by itself, so that nobody needs to see it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from discreet import check
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
from discreet.core.mechanism import counting, unchanged
from discreet.exact import Ints, balls
from discreet.exact.balls import ball
from discreet.laws.lattice import project
from discreet.laws.mapped import MappedLaw
from discreet.laws.response import ResponseLaw

POSTPROCESSING = ("project", None)
_BITS = 64  # of the factor in estimates, after the point


def randomized_response(
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    *,
    postprocess: str | None = "project",
) -> Mechanism:
    """Every record keeps its category with probability e^ε/(e^ε + k − 1), else it gets another one.

    k-ary randomised response (Warner 1965 for two categories; P4 §6.1: input perturbation). The
    guarantee is *local*: what one record reports is ε-private by itself, whoever collects it, and
    the raw output counts such reports. So noise grows like √n, where the other mechanisms, which
    trust whoever counts, have the same noise for any n.

    Post-processing: "project", the counts from which such reports are expected, as the nearest
    vector of counts; or None, the reports themselves. Guarantee: ε under substitution.
    """
    check.choice("postprocess", postprocess, POSTPROCESSING)
    # A record reports any category with probability p = e^ε/(e^ε + k − 1) or q = p/e^ε, whatever
    # its own one is, so that replacing it changes no probability of its report by more than e^ε.
    # The reports of the others are independent of it and of its report; counting all of them and
    # what follows are post-processing.
    theorem = Theorem(
        "k-ary randomised response: each record is perturbed by itself, which is locally ε-private",
        "Warner 1965; Kairouz, Oh and Viswanath 2014; P4 §6.1",
    )
    released: partial[Ints] = partial(unchanged)
    if postprocess == "project":
        released = partial(expected, n, len(model.categories), _factor(epsilon))
    return Mechanism(
        config=Config(
            *("randomized_response", model, n, epsilon, Adjacency.SUBSTITUTE),
            (("postprocess", postprocess),),
        ),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem),
        make_raw_law=partial(_raw_law, epsilon),
        make_law=partial(_law, epsilon, released if postprocess == "project" else None),
        make_released=released,
        possible=partial(counting, n),
    )


def expected(n: int, k: int, factor: int, raw: Ints) -> Ints:
    """The counts from which such reports are expected: z + (k·z − n)/(e^ε − 1), as counts.

    It is public and need not be exact, but the same everywhere: 1/(e^ε − 1) is rounded down once to
    `factor`/2^64, which keeps Σ = n, and all that follows is done in whole numbers.
    """
    reports = raw.astype(object)
    moved = ((k * reports - n) * factor + (1 << (_BITS - 1))) >> _BITS
    return project(n, reports + moved).astype(np.int64)


def _factor(epsilon: Fraction) -> int:
    """⌊2^64/(e^ε − 1)⌋, of a number that is irrational."""

    def floor(value: arb) -> int | None:
        whole = (value * arb(2) ** _BITS).floor().unique_fmpz()
        return None if whole is None else int(whole)

    return balls.refine(lambda: 1 / ball(epsilon).expm1(), floor)


def _raw_law(epsilon: Fraction, counts: Outcome) -> Law:
    return ResponseLaw(counts, epsilon) if any(counts) else PointMass(counts)


def _law(epsilon: Fraction, released: partial[Ints] | None, counts: Outcome) -> Law:
    raw = _raw_law(epsilon, counts)
    if released is None or isinstance(raw, PointMass):
        return raw
    return MappedLaw(raw, released)
