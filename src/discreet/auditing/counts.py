"""Audits of mechanisms for counts of categories: all counts, all neighbours, all outputs."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from discreet import check
from discreet.auditing.audits import Audit, pair_loss, rounded
from discreet.auditing.spaces import Space, space
from discreet.core import Mechanism, Witness
from discreet.core.law import Outcome
from discreet.errors import InputError
from discreet.exact import balls, floats
from discreet.laws.lattice import PostprocessedLattice
from discreet.progress import track

Losses: TypeAlias = dict[tuple[Outcome, Outcome], float]


def audit_counts(mechanism: Mechanism, total: int | None = None) -> Audit:
    """The privacy loss over all counts of n records or, under add-remove, of up to `total`."""
    if mechanism.config.n is not None and total is not None:
        raise InputError(f"total is for add-remove only, got {check.brief(total)}", "total")
    return examine(mechanism, total)


def examine(mechanism: Mechanism, total: int | None = None, losses: Losses | None = None) -> Audit:
    """The audit; `losses` collects the losses of all pairs of neighbours that are compared."""
    if (known := by_its_raw_law(mechanism)) is not None:
        return known
    if mechanism.config.n == 0:
        return Audit(mechanism, 0.0, 0.0, None, total, 0.0)
    where = space(mechanism, total)
    upper, width, witness = worst(where, losses)
    assert witness is not None
    return Audit(mechanism, upper, loss_at(mechanism, where, witness), witness, total, width)


def worst(where: Space, losses: Losses | None = None) -> tuple[float, float, Witness | None]:
    """Upper bounds on the loss and on its width, and where the loss is attained."""
    upper, wide, highest, witness = 0.0, 0.0, -1.0, None
    for c, d in track(where.pairs(), "audit", where.size):
        loss, error, place, forward, width = pair_loss(where.row(c), where.row(d))
        bound, apart = floats.up(loss + error), floats.up(width + 2 * error)
        upper = max(upper, bound) if bound <= math.inf else math.inf  # unknown is unbounded
        wide = max(wide, apart) if apart <= math.inf else math.inf
        if losses is not None:
            losses[c, d] = loss
        if loss > highest:
            output = tuple(where.outputs[place].tolist())
            highest, witness = loss, Witness(*((c, d) if forward else (d, c)), output)
    return upper, wide, witness


def loss_at(mechanism: Mechanism, where: Space, witness: Witness) -> float:
    """The loss at one output of two neighbours, rounded down: by balls where the law has them."""
    laws = [mechanism.make_law(counts) for counts in (witness.counts, witness.neighbour)]
    if any(isinstance(law, PostprocessedLattice) or law.candidates is None for law in laws):
        place = np.flatnonzero((where.outputs == np.array(witness.output)).all(axis=1))
        rows = [where.row(counts) for counts in (witness.counts, witness.neighbour)]
        here, there = (float(logs[place].sum()) for logs, _ in rows)
        return max(0.0, here - there - floats.up(rows[0][1] + rows[1][1])) if len(place) else 0.0
    with balls.precision(balls.PRECISION):
        first, second = (law.log_weight(witness.output) - law.log_total() for law in laws)
        if second == balls.NEVER and first > balls.NEVER:
            return math.inf
        lowest = (first - second).lower()
        return max(0.0, math.nextafter(float(lowest), -math.inf)) if lowest.is_finite() else 0.0


def by_its_raw_law(mechanism: Mechanism) -> Audit | None:
    """The lattice law, projected or clipped, three or more categories and n ≥ k: exactly ε.

    Its raw weights are exp(−ε·½‖z − c‖₁) with one normaliser for all c, so the raw loss is ε, and
    post-processing adds nothing. An output with all counts positive comes from one raw outcome
    only, itself; seen from itself and from a neighbour its ratio is e^ε. So the loss is ε.
    """
    n, k = mechanism.config.n, len(mechanism.config.model.categories)
    if n is None or n < k or k < 3:
        return None
    law = mechanism.make_law((n, *[0] * (k - 1)))
    if not isinstance(law, PostprocessedLattice) or law.keeps == "nothing":
        return None
    output = (n - k + 1, *[1] * (k - 1))
    neighbour = (n - k + 2, 0, *[1] * (k - 2))
    epsilon = law.raw.epsilon
    bounds = rounded(epsilon, math.inf), rounded(epsilon, 0)
    return Audit(mechanism, *bounds, Witness(output, neighbour, output))
