r"""Near noisy tables, in floats: those that agree, and none of which has a negative cell.

The nearest tables a that agree are found by least squares, weighted by the precision w of the
noise. Then

    minimise ½·Σ_J w_J·‖x_J − a_J‖² − Σ_J Σ_c α_Jc·ln x_Jc   over tables x that agree,

with α_Jc = 0.3·|J|·Π_i q_i(c_i) + 0.01, a weak Dirichlet prior around the product of the one-way
marginals q_i of a: by the alternating direction method of multipliers (ADMM), over-relaxed by 1.6
(Boyd et al. 2011, sections 3.1 and 3.4.3). On every machine the same, see `overlaps`.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats
from discreet.families.network.mechanisms import overlaps
from discreet.families.network.mechanisms.overlaps import Layout

STRENGTH = 0.3  # of the prior, in records for every cell
LEAST = 0.01  # prior of every cell, in records
RELAXED = 1.6
STEPS = 100
NEAR = 0.003  # standard deviations of the noise, where the iteration ends
RARE = 1e-5  # least share of a state


class Near(NamedTuple):
    """What noisy tables lead to."""

    agreeing: Floats  # the nearest tables that agree
    prior: Floats
    tables: Floats  # that agree, without negative cells but for what the iteration left


def near_tables(plan: Layout, precision: Floats, total: float, noisy: Floats) -> Near:
    """Of noisy tables with these precisions of their cells, and the total to have.

    A table of precision 0 lies in others and is their marginal; it has no prior of its own.
    """
    held = overlaps.weights(plan, precision)
    agreeing = overlaps.agree(plan, held, total, noisy)
    shares = product(plan, one_way(plan, agreeing))
    measured = precision[plan.table] > 0
    prior = np.where(measured, STRENGTH * plan.sizes[plan.table] * shares + LEAST, 0.0)
    quadruple = 4 * prior / np.where(measured, precision[plan.table], 1.0)
    enough = NEAR / math.sqrt(precision.max())
    positive, dual = np.maximum(agreeing, 0.0), np.zeros_like(agreeing)
    for _ in range(STEPS):
        found = overlaps.agree(plan, held, total, (agreeing + positive - dual) / 2)
        target = RELAXED * found - (RELAXED - 1) * positive + dual
        before = positive
        positive = (target + np.sqrt(target * target + quadruple)) / 2
        dual = target - positive
        moved = np.maximum(np.abs(positive - before), np.abs(found - positive))
        if moved[measured].max() < enough:
            break
    return Near(agreeing, prior, overlaps.agree(plan, held, total, positive))


def one_way(plan: Layout, tables: Floats) -> Floats:
    """The shares of every variable's states in tables that agree, none below `RARE`; then a 1."""
    states = sum(plan.numbers)
    sums = np.zeros(states + 1)
    for places in plan.states:
        sums = sums + np.bincount(places, tables, states + 1)
    rest = iter(sums.tolist())
    own = [list(itertools.islice(rest, k)) for k in plan.numbers]
    return np.array([x for each in own for x in _on_simplex(each)] + [1.0])


def _on_simplex(x: list[float]) -> list[float]:
    """The nearest shares (Held, Wolfe and Crowder 1974), none below `RARE`."""
    whole = math.fsum(x)
    x = [value / whole for value in x]
    above = shift = 0.0
    for i, value in enumerate(sorted(x, reverse=True), 1):
        above += value
        if value > (above - 1) / i:
            shift = (above - 1) / i
    shares = [max(value - shift, RARE) for value in x]
    whole = math.fsum(shares)
    return [share / whole for share in shares]


def product(plan: Layout, shares: Floats) -> Floats:
    """For every cell the product of the shares of its states."""
    result = shares[plan.states[0]]
    for states in plan.states[1:]:
        result = result * shares[states]
    return result


def evened(plan: Layout, total: float, least: float, tables: Floats) -> Floats:
    """With so little of the even spread, which agrees, that no cell is below `least`."""
    even = (total / plan.sizes)[plan.table]
    lacking = np.maximum(least - tables, 0.0)
    part = (lacking / (lacking + (even - least))).max()
    return np.asarray(tables + part * (even - tables))
