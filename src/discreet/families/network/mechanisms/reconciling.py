"""What is made of noisy tables of a network, at no cost: tables, or the marginals of one law.

"tables": none has a negative cell, and they agree exactly wherever they overlap. "model": they are
the marginals of one law of all variables too. Found in floats that are the same on every machine,
then rounded to a grid of binary fractions on which they agree to the last digit.
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
from discreet.families.network.mechanisms import fitting
from discreet.families.network.mechanisms.consistency import PARTS, precision, rounded_weights
from discreet.families.network.mechanisms.junction_tree import (
    apportioned,
    junction_tree,
    marginals,
)
from discreet.families.network.mechanisms.near_tables import (
    Layout,
    Near,
    Scopes,
    Shapes,
    evened,
    layout,
    near_tables,
    settle,
    work,
)

RECONCILE = (None, "tables", "model")
MOST_WORK = 1 << 22  # cells of tables, once for every set that they share
FINE = 20  # binary digits of a released cell, more for larger tables
MOST_UNITS = 50  # binary digits of a table's total in units: sums stay below 2**53
MARGIN = 64.0  # units that rounding may need


def read_reconcile(model: Network, reconcile: object) -> str | None:
    """How tables are reconciled, resolved by the structure alone.

    "model" becomes "tables" where the junction tree has more than 2**19 cells, and that None where
    the tables have, once for every set of variables that they share, more than 2**22.
    """
    check.choice("reconcile", reconcile, RECONCILE)
    scopes, shapes = _structure(model)
    if reconcile is None or work(scopes, shapes, MOST_WORK) is None:
        return None
    if reconcile == "model" and junction_tree(scopes, shapes) is not None:
        return "model"
    return "tables"


def stored(reconcile: str | None) -> tuple[tuple[str, str], ...]:
    """The option as documents have it: those that do not have it mean None."""
    return () if reconcile is None else (("reconcile", reconcile),)


def reconciling(
    how: str | None,
    model: Network,
    variances: Sequence[Fraction | None],
    total: int | None,
    parts: int,
    otherwise: Callable[[Ints], NDArray[Any]],
) -> Callable[[Any], NDArray[Any]]:
    """The post-processing of rows of noisy tables, `otherwise` if they are not to be reconciled.

    `variances` are those of one cell of each table, in `parts` of one as the rows are, None of one
    that was not measured and is a marginal of another; `total` is that of all tables, None where it
    is noisy.
    """
    if how is None:
        return otherwise
    return partial(_reconciled, how, model, tuple(variances), total, parts)


def _reconciled(
    how: str,
    model: Network,
    variances: tuple[Fraction | None, ...],
    total: int | None,
    parts: int,
    values: NDArray[Any],
) -> NDArray[Any]:
    if values.shape[1] != model.size:
        return values[:, :0]
    scopes, shapes = _structure(model)
    plan = layout(scopes, shapes)
    known = np.array([0.0 if v is None else float(parts**2 / v) for v in variances])
    rows: list[list[int | Fraction]] = []
    for row in values.tolist():
        whole = _agreed_total(plan, variances, parts, row) if total is None else Fraction(total)
        if whole <= 0:
            rows.append([0] * len(row))
            continue
        noisy = np.array([float(x) for x in row]) / parts
        near = near_tables(plan, known, float(whole), noisy)
        rows.append(
            _model(plan, scopes, shapes, known, whole, near)
            if how == "model"
            else _tables(plan, whole, near.tables)
        )
    return np.array(rows, dtype=object).reshape(len(rows), -1)


def _structure(model: Network) -> tuple[Scopes, Shapes]:
    return (
        tuple(family.columns for family in model.families),
        tuple(family.shape for family in model.families),
    )


def _agreed_total(
    plan: Layout, variances: Sequence[Fraction | None], parts: int, row: list[Any]
) -> Fraction:
    """The weighted mean of the noisy totals, as `consistency` has it."""
    sizes = plan.sizes.tolist()
    shares = rounded_weights([precision(v, m) for v, m in zip(variances, sizes, strict=True)])
    cells = iter(row)
    totals = [sum(itertools.islice(cells, m)) for m in sizes]
    return Fraction(sum(s * t for s, t in zip(shares, totals, strict=True)), PARTS * parts)


def _tables(plan: Layout, total: Fraction, tables: Floats) -> list[int | Fraction]:
    """Tables that nearly agree made whole, in units of a grid, and so that they agree exactly."""
    digits, units = _grid(plan, total)
    scaled, margin = np.ldexp(tables, digits), 0.0
    while margin < units / float(plan.sizes.max()):
        mixed = evened(plan, float(units), margin, scaled)
        settled = settle(plan, float(units), np.rint(mixed))
        if settled.min() >= 0:
            return _released(plan, total, digits, settled)
        margin = max(MARGIN, 4 * margin)
    # about as many units as cells: the even spread
    return [x for m in plan.sizes.tolist() for x in [_plain(total / m)] * m]


def _model(
    plan: Layout,
    scopes: Scopes,
    shapes: Shapes,
    precision: Floats,
    total: Fraction,
    near: Near,
) -> list[int | Fraction]:
    """The marginals of one law in whole units of a grid."""
    tree = junction_tree(scopes, shapes)
    assert tree is not None
    digits, units = _grid(plan, total)
    even = float(total) / plan.sizes.max()
    start = np.maximum(evened(plan, float(total), 0.0, near.tables), even * 2.0**-40)
    states = [shape[-1] for shape in shapes]
    laws = fitting.fitted(tree, states, precision, near, start)
    cliques = apportioned(tree, float(units), laws)
    found = marginals(tree, cliques, plan.sizes.tolist())
    return _released(plan, total, digits, np.concatenate(found))


def _grid(plan: Layout, total: Fraction) -> tuple[int, int]:
    """Binary digits of a cell, and the number of units that a table has."""
    wanted = max(FINE, int(plan.sizes.max()).bit_length() + FINE // 2)
    digits = min(wanted, MOST_UNITS - math.floor(total).bit_length())
    return digits, math.floor(total * Fraction(2) ** digits)


def _released(plan: Layout, total: Fraction, digits: int, found: Floats) -> list[int | Fraction]:
    """Units as records, and what the grid left over of their number.

    That is less than a unit. In the cell of every table in which all variables are in their first
    state it is a law of its own, which agrees.
    """
    unit = Fraction(2) ** -digits
    cells = [int(x) * unit for x in found.tolist()]
    left = total - math.floor(total / unit) * unit
    for start in plan.starts.tolist():
        cells[start] += left
    return [_plain(x) for x in cells]


def _plain(x: Fraction) -> int | Fraction:
    return x.numerator if x.denominator == 1 else x
