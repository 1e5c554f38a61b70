"""Any mechanism with a public n: the probability of the raw output from every vector of counts.

An exponential mechanism divides by a normaliser that depends on the counts, so there is one sum
over all outputs for every vector of counts. They are remembered per mechanism.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np

from discreet import check, divergence
from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints, compositions
from discreet.laws.exponential import ExponentialLaw
from discreet.noise_aware.prior import log_steps
from discreet.progress import track

MOST_PAIRS = 10_000  # n for two categories
MOST_VECTORS = 5_000  # vectors of counts for more
MOST_BY_BALLS = 300  # n for a distance that is computed in balls


def infer(mechanism: Mechanism, raw: Outcome) -> tuple[Floats, Floats]:
    """All vectors of counts, and the logs of their weights: prior times likelihood."""
    rows = _rows(mechanism)
    laws = mechanism.make_raw_law(_counts(rows, 0))
    if isinstance(laws, ExponentialLaw) and laws.distance == "hellinger":
        likelihood = _exponential(mechanism, rows, raw)
    else:
        likelihood = _each(mechanism, rows, raw)
    n = int(rows[0].sum())
    prior = [log_steps(alpha, 0, n + 1) for alpha in mechanism.config.model.prior]
    return rows.astype(np.float64), likelihood + sum(
        table[rows[:, i]] for i, table in enumerate(prior)
    )


def _rows(mechanism: Mechanism) -> Ints:
    """All vectors of counts, if there are not too many."""
    config = mechanism.config
    k, n = len(config.model.categories), config.n
    if n is None:
        raise NotEnumerable(
            f"the noise-aware posterior of {config.mechanism} would sum over every possible n; "
            "use mechanism 'lattice'"
        )
    by_balls = ("distance", "total_variation") in config.options
    most = (MOST_BY_BALLS if by_balls else MOST_PAIRS) + 1 if k == 2 else MOST_VECTORS
    if (vectors := compositions.count(n, k)) > most:
        raise NotEnumerable(
            f"the noise-aware posterior of {config.mechanism} needs the law of the output for all "
            f"{check.big(vectors)} vectors of counts, and at most {most} are feasible; use "
            "mechanism 'lattice'",
            vectors,
        )
    return compositions.rows(n, k)


def _counts(rows: Ints, i: int) -> Outcome:
    return tuple(rows[i].tolist())


def _each(mechanism: Mechanism, rows: Ints, raw: Outcome) -> Floats:
    laws = (mechanism.make_raw_law(_counts(rows, i)) for i in range(len(rows)))
    p = [law.probability(raw) for law in track(laws, "likelihood", len(rows))]
    with np.errstate(divide="ignore"):
        return np.log(p)


def _exponential(mechanism: Mechanism, rows: Ints, raw: Outcome) -> Floats:
    """−κ(c)·H(c, raw) − ln Z(c); H is symmetric, so one table per category serves all counts."""
    n = int(rows[0].sum())
    if min(raw) < 0 or sum(raw) != n:
        return np.full(len(rows), -np.inf)
    exponents, normalisers = _normalisers(mechanism)
    angle = np.zeros(len(rows))
    for i, (alpha, count) in enumerate(zip(mechanism.config.model.prior, raw, strict=True)):
        angle += divergence.half_excess_table(float(alpha), count, n)[rows[:, i]]
    return np.asarray(-exponents * np.sqrt(-np.expm1(-angle)) - normalisers)


@lru_cache(maxsize=8)
def _normalisers(mechanism: Mechanism) -> tuple[Floats, Floats]:
    """κ(c) and ln Z(c) for all vectors of counts."""
    rows = _rows(mechanism)

    def at(i: int) -> tuple[float, float]:
        law = cast("ExponentialLaw", mechanism.make_raw_law(_counts(rows, i)))
        return law._float_exponent, law.log_normaliser

    last = len(rows) - 1
    mirrored = _mirrored(mechanism.config.model.prior) and math.isclose(
        at(last // 3)[0], at(last - last // 3)[0], rel_tol=1e-12
    )
    half = last // 2 if mirrored else last
    values = [at(i) for i in track(range(half + 1), "normalisers")]
    if mirrored:
        values += values[last - half - 1 :: -1]
    exponents, normalisers = np.array(values).T
    return exponents, normalisers


def _mirrored(prior: tuple[Fraction, ...]) -> bool:
    """Whether swapping the two categories leaves everything as it is."""
    return len(prior) == 2 and prior[0] == prior[1]
