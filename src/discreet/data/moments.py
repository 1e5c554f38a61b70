"""Sums of columns and of their products, clipped to public bounds and put on a grid, in one pass.

For every record and column j, in float64 and in this order,

    x_j clipped to [low_j, high_j],   u_j = (x_j − shift_j)·(1/scale_j), so that |u_j| ≤ 1,
    if a radius is given, u ← u·radius/‖u‖₂ where ‖u‖₂ > radius, for all columns but the last,
    U_j = ⌊u_j·grid + ½⌋, a whole number in [−grid, grid],

and over the records ΣU_j and ΣU_jU_k, as exact whole numbers. U depends on its record alone. With a
radius, ‖U‖₂ ≤ radius·grid + √d/2 + 1/4 over the d columns but the last: rounding to the grid adds
√d/2 at most, and floats far less than the rest.

The sums are exact because U are whole: n records sum without any rounding, in whatever order, in
floats while n·grid² ≤ 2^53 and in 64-bit integers up to 2^62.

A unit that weighs one is summed like a record whose U_j, or U_jU_k, is a mean over the unit's
records, in whole numbers: its records are read on a grid of grid/60, and have whole weights w of
the sum 60 if only sums are asked for, and 3600 if products are (see `units`). So Σw·U is a mean of
60·U, and Σw·U_jU_k one of 60·U_j·60·U_k, and 60·U are steps of the grid itself, at most grid: both
lie in the convex hull of what single records add, and what bounds one record bounds one unit. With
a radius the coarser rounding is made up for: records are drawn into a ball that is smaller by
59·(√d/2 + 1/4)/grid, so that ‖60·U‖₂ ≤ radius·grid + √d/2 + 1/4 as above.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from discreet import check
from discreet.core.counts import AVERAGED
from discreet.data import arrays, conditions, engines, sources
from discreet.data.scaled import NumberRules, Scaled, Steps, Totals
from discreet.data.units import Owners
from discreet.errors import InputError, UnknownValuesError

__all__ = ["Moments", "NumberRules", "Scaled", "moments"]

MOST_GRID = 2**20
SIDE = math.isqrt(AVERAGED)  # by how much coarser records are read whose averages are summed


@dataclass(frozen=True)
class Moments:
    """Sums over the records, in grid steps. Private: the repr does not show them.

    Attributes:
        n: the number of records, or of units if each weighs one.
        sums: ΣU_j of every column, with weights Σw·U_j.
        products: ΣU_jU_k for j ≤ k, the upper triangle row by row; empty if not asked for.
        left_out: the number of records with unknown values that were left out.
        grid: what a constant 1 is in U, so that grid·sums are the products with it.
    """

    n: int = field(repr=False)
    sums: tuple[int, ...] = field(repr=False)
    products: tuple[int, ...] = field(repr=False)
    left_out: int = field(default=0, repr=False, compare=False)
    grid: int = field(default=0, repr=False, compare=False)


def moments(
    data: object,
    columns: Sequence[Scaled],
    grid: int,
    rules: NumberRules | None = None,
    *,
    radius: Fraction | None = None,
    squares: bool = True,
) -> Moments:
    """The number of records, the sums of their columns, and with `squares` those of products.

    The data are a file, a data frame or relation of any engine, or a mapping from names to lists
    or arrays, of which one may tell whose records they are. With a radius, the columns but the last
    are shrunk into a ball.

    Raises:
        InputError: data, columns, grid, rules or radius are not acceptable.
        UnknownValuesError: a value is missing, infinite or no number, and rules refuse it.
    """
    rules = rules or NumberRules()
    steps = Steps(
        tuple(columns),
        check.whole("grid", grid, least=2, most=MOST_GRID),
        None if radius is None else check.between("radius", radius, check.SMALL, Fraction(10**6)),
        squares,
        rules.unknown,
        Owners.of(rules.unit, rules.max_per_unit, rules.per_unit),
    )
    parts = 1
    if rules.per_unit == "average":
        parts = AVERAGED if squares else SIDE
        steps = averaging(steps, parts)
    totals = _totals(data, steps, rules)
    if totals.unknown:
        raise _unknown_values(totals.unknown, totals.examples)
    n = totals.n // parts
    if n * grid**2 >= 2**62:
        raise InputError(
            "grid must be smaller for so many records: their number times grid² must stay below "
            f"2**62, got {grid}",
            "grid",
        )
    return Moments(n, totals.sums, totals.products, totals.left_out, steps.grid)


def averaging(steps: Steps, parts: int) -> Steps:
    """How records are read for averages that lie on a grid; see above."""
    assert steps.owners is not None
    if steps.grid % SIDE:
        raise InputError(
            f"grid must be a multiple of {SIDE} with per_unit='average', got {steps.grid}", "grid"
        )
    radius = steps.radius
    if steps.radius is not None:
        d = len(steps.columns) - 1
        root = Fraction(math.isqrt(d * 10**12) + 1, 10**6)  # √d, rounded up
        radius = steps.radius - (SIDE - 1) * (root / 2 + Fraction(1, 4)) / steps.grid
        if radius <= 0:
            raise InputError(
                "grid must be finer for this radius with per_unit='average', got "
                f"{steps.grid} and {check.show(steps.radius)}",
                "grid",
            )
    owners = steps.owners._replace(total=parts)
    return replace(steps, grid=steps.grid // SIDE, radius=radius, owners=owners)


def _totals(data: object, steps: Steps, rules: NumberRules) -> Totals:
    if isinstance(data, Mapping):
        if rules.where is not None or rules.table is not None or rules.line_breaks:
            raise InputError(
                "where, table and line_breaks need a data frame or a file with columns", "data"
            )
        return arrays.of_mapping(data, steps)
    condition = None if rules.where is None else conditions.parse(rules.where)
    unit = [] if rules.unit is None else [rules.unit]
    with sources.opened(
        data,
        [*steps.names, *unit],
        condition,
        table=rules.table,
        line_breaks=rules.line_breaks,
        small=rules.unit is None,
    ) as source:
        return engines.summing(source, steps)


def _unknown_values(names: Sequence[str], examples: tuple[object, ...]) -> UnknownValuesError:
    comma = any(re.fullmatch(r"[-+]?\d*,\d+", str(value)) for value in examples)
    few = ", ".join(map(repr, names[:3])) + (", …" if len(names) > 3 else "")
    return UnknownValuesError(
        f"column {few} must hold finite numbers; some values are missing, infinite or no numbers "
        "(unknown='drop' leaves their records out, unknown='middle' takes the middle of the bounds "
        "for what is missing and clips what is infinite)",
        examples,
        "some have a decimal comma: write them with a point" if comma else "",
    )
