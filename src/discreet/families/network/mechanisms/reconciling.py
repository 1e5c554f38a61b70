r"""Noisy tables made into tables: none negative, and agreeing exactly wherever they overlap.

Post-processing of what was released, so free. The nearest tables that agree are found by least
squares, weighted by the precision w of the noise; then

    minimise ½·Σ_J w_J·‖x_J − a_J‖² − Σ_J Σ_c α_Jc·ln x_Jc   over tables x that agree,

with a_J the tables that agree and α_Jc = 0.3·|J|·Π_i q_i(c_i) + 0.01, a weak Dirichlet prior around
the product of the one-way marginals q_i of these: by the alternating direction method of
multipliers (ADMM), over-relaxed by 1.6 (Boyd et al. 2011, section 3.4.3). That is in floats, the
same on every machine (see `overlaps`). What is left of negative cells goes by mixing in a little of
the even spread, which agrees; then cells are rounded to a grid and made to agree to the last unit,
in whole numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core.tables import Network
from discreet.exact import Floats, Ints
from discreet.families.network.mechanisms import overlaps
from discreet.families.network.mechanisms.consistency import PARTS, rounded_weights
from discreet.families.network.mechanisms.overlaps import Layout

RECONCILE = (None, "tables", "model")
DEFAULT = "tables"  # of what is not P2's
MOST_WORK = 1 << 22  # cells of tables, once for every set that they share

STRENGTH = 0.3  # of the prior, in records for every cell
LEAST = 0.01  # prior of every cell, in records
RELAXED = 1.6
STEPS = 100
NEAR = 0.003  # standard deviations of the noise, where iteration ends
RARE = 1e-5  # least share of a state
FINE = 20  # binary digits of a released cell, more for larger tables
MOST_UNITS = 50  # binary digits of a table's total in units: sums stay below 2**53
MARGIN = 64  # units that rounding may need


def read_reconcile(model: Network, reconcile: object) -> str | None:
    """How tables are reconciled, resolved by the structure alone: `None` where it is too large."""
    check.choice("reconcile", reconcile, RECONCILE)
    if reconcile is None or overlaps.work(*_structure(model), MOST_WORK) is None:
        return None
    return "tables"


def stored(reconcile: str | None) -> tuple[tuple[str, str], ...]:
    """The option as documents have it: those that do not have it mean None."""
    return () if reconcile is None else (("reconcile", reconcile),)


def reconciling(
    how: str | None,
    model: Network,
    variances: Sequence[Fraction],
    total: int | None,
    parts: int,
    otherwise: Callable[[Ints], NDArray[Any]],
) -> Callable[[Any], NDArray[Any]]:
    """The post-processing of raw tables, `otherwise` if they are not to be reconciled."""
    if how is None:
        return otherwise
    return partial(reconciled, model, tuple(variances), total, parts)


def _structure(model: Network) -> tuple[overlaps.Scopes, overlaps.Shapes]:
    return (
        tuple(family.columns for family in model.families),
        tuple(family.shape for family in model.families),
    )


def reconciled(
    model: Network,
    variances: Sequence[Fraction],
    total: int | None,
    parts: int,
    values: NDArray[Any],
) -> NDArray[Any]:
    """Rows of noisy tables as rows of tables; their total is noisy too where it is None.

    `variances` are those of one cell of each table, and both they and the rows in `parts` of one.
    """
    if values.shape[1] != model.size:
        return values[:, :0]
    plan = overlaps.layout(*_structure(model))
    rows = [_row(plan, variances, total, parts, row) for row in values.tolist()]
    return np.array(rows, dtype=object).reshape(len(rows), -1)


def _row(
    plan: Layout,
    variances: Sequence[Fraction],
    total: int | None,
    parts: int,
    row: list[Any],
) -> list[int | Fraction]:
    whole = agreed_total(plan, variances, parts, row) if total is None else Fraction(total)
    if whole <= 0:
        return [0] * len(row)
    precision = np.array([float(parts**2 / v) for v in variances])
    noisy = np.array([float(x) for x in row]) / parts
    return exact(plan, whole, admm(plan, precision, float(whole), noisy))


def agreed_total(
    plan: Layout, variances: Sequence[Fraction], parts: int, row: list[Any]
) -> Fraction:
    """The weighted mean of the noisy totals, as `consistency` has it."""
    shares = rounded_weights(
        [1 / (v * size) for v, size in zip(variances, plan.sizes.tolist(), strict=True)]
    )
    cells = iter(row)
    totals = [sum(itertools.islice(cells, size)) for size in plan.sizes.tolist()]
    return Fraction(sum(s * t for s, t in zip(shares, totals, strict=True)), PARTS * parts)


def admm(plan: Layout, precision: Floats, total: float, noisy: Floats) -> Floats:
    """Tables that agree, all but for small negative remainders positive."""
    held = overlaps.weights(plan, precision)
    nearest = overlaps.agree(plan, held, total, noisy)
    shares = one_way(plan, nearest)
    prior = STRENGTH * plan.sizes[plan.table] * product(plan, shares) + LEAST
    quadruple = 4 * prior / precision[plan.table]
    enough = NEAR / math.sqrt(precision.max())
    positive, dual = np.maximum(nearest, 0.0), np.zeros_like(nearest)
    for _ in range(STEPS):
        found = overlaps.agree(plan, held, total, (nearest + positive - dual) / 2)
        target = RELAXED * found - (RELAXED - 1) * positive + dual
        before = positive
        positive = (target + np.sqrt(target * target + quadruple)) / 2
        dual = target - positive
        if max(np.abs(positive - before).max(), np.abs(found - positive).max()) < enough:
            break
    return overlaps.agree(plan, held, total, positive)


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


def exact(plan: Layout, total: Fraction, tables: Floats) -> list[int | Fraction]:
    """Tables that nearly agree, on a grid: none negative, agreeing and of this total exactly."""
    largest = int(plan.sizes.max())
    digits = min(
        max(FINE, largest.bit_length() + FINE // 2),
        MOST_UNITS - math.floor(total).bit_length(),
    )
    grid = Fraction(2) ** digits
    units = math.floor(total * grid)
    found = _whole(plan, float(units), np.ldexp(tables, digits))
    if found is None:  # fewer units than cells, or nearly
        return [x for size in plan.sizes.tolist() for x in [_plain(total / size)] * size]
    # What the grid leaves over is less than a unit. In one cell of all tables, that in which
    # everything is in its first state, it is a law of its own, and agrees.
    cells = [Fraction(int(x)) / grid for x in found.tolist()]
    for start in plan.starts.tolist():
        cells[start] += total - units / grid
    return [_plain(x) for x in cells]


def _whole(plan: Layout, total: float, tables: Floats) -> Floats | None:
    """Whole numbers, none negative, by as little as is enough of an even spread."""
    even = (total / plan.sizes)[plan.table]
    margin = float(MARGIN)
    while margin < even.min():
        lacking = np.maximum(margin - tables, 0.0)
        part = (lacking / (lacking + (even - margin))).max()
        mixed = np.rint(tables + part * (even - tables))
        settled = overlaps.settle(plan, total, mixed)
        if settled.min() >= 0:
            return settled
        margin *= 4
    return None


def _plain(x: Fraction) -> int | Fraction:
    return x.numerator if x.denominator == 1 else x
