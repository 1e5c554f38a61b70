"""The most accurate private mechanism by linear programming, repaired to exact integers.

Minimise Σ_c w_c Σ_r L(c, r)·P(r|c) over laws P with P(r|c) ≤ e^ε·P(r|c') for neighbours c, c'. A
permutation of categories with equal parameters leaves a named problem as it is. To average P over
these permutations changes neither its loss nor its privacy, so some optimum is symmetric, and one
variable stands for a class: all pairs (c, r) that permutations exchange.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet import check
from discreet.errors import DiscreetError, ExactnessError, InputError
from discreet.exact import Floats, Ints, balls, compositions, floats
from discreet.exact.balls import ball
from discreet.families.dirichlet.optimum.losses import Problem, log_weights, loss_matrix

MOST_CANDIDATES = 500
MOST_CONSTRAINTS = 100_000
TOLERANCE = 1e-9  # of the solver; with less it often fails
_BITS = 60
_MOST_EPSILON = Fraction(60)  # e^-60 cannot be seen


@dataclass(frozen=True)
class Shape:
    """The classes of a program, and which of them constrain each other."""

    classes: Ints  # of every (c, r)
    rows: Ints  # for every class the number of its c up to permutation
    columns: Ints  # the same for its r
    times: Ints  # how often a class occurs in one row
    first: Ints  # P[first] ≤ e^ε·P[second]
    second: Ints


@dataclass(frozen=True)
class Solution:
    """Integer weights of the classes; the expected loss, and how far it is from the limit."""

    weights: tuple[int, ...] = field(repr=False)
    shape: Shape = field(repr=False)
    value: float
    gap: float

    def row(self, place: int) -> tuple[int, ...]:
        """The weights of all outputs, for the counts at one place of the list."""
        return tuple(self.weights[i] for i in self.shape.classes[place].tolist())


def require_small(task: Problem) -> None:
    """Refuse a program that takes too long; public values decide."""
    n, k = task.n, task.k
    pairs = k * (k - 1) * compositions.count(n - 1, k) if n else 0
    symmetry = math.prod(math.factorial(m) for m in Counter(_kinds(task)).values())
    constraints = task.candidates * pairs // symmetry
    if task.candidates > MOST_CANDIDATES or constraints > MOST_CONSTRAINTS:
        raise InputError(
            f"n must be smaller for a linear program: n = {n} and {k} categories have "
            f"{check.big(task.candidates)} candidates and about {check.big(constraints)} "
            f"constraints; {MOST_CANDIDATES} and {MOST_CONSTRAINTS} are possible",
            "n",
        )


def _kinds(task: Problem) -> tuple[int, ...]:
    """Categories of one kind may be exchanged."""
    return tuple(task.prior.index(a) for a in task.prior) if task.named else tuple(range(task.k))


@lru_cache(maxsize=64)
def solve(task: Problem) -> Solution:
    """The repaired optimum, or the best constant law if that is no worse."""
    shape = _shape(task.n, task.k, _kinds(task))
    costs = np.exp(log_weights(task))[:, None] * loss_matrix(task)
    size = len(shape.rows)
    objective = _sums(shape.classes.ravel(), costs.ravel(), size)
    shares, multipliers = _linear_program(task, shape, objective)
    best = int(costs.sum(axis=0).argmin())
    constant = shape.columns == shape.columns[shape.classes[0, best]]
    found = [_repaired(task, shape, shares), [int(x) for x in constant]]
    values = [_expected(shape, weights, objective) for weights in found]
    least = int(np.argmin(values))
    bound = _lower_bound(task, shape, objective, multipliers)
    gap = max(0.0, values[least] - bound)
    return Solution(tuple(found[least]), shape, values[least], gap)


@lru_cache(maxsize=8)
def _shape(n: int, k: int, kinds: tuple[int, ...]) -> Shape:
    rows = compositions.rows(n, k)
    size = len(rows)
    # what permutations leave of (c, r) is the set of columns (kind, c_i, r_i), in whatever order
    codes = (np.array(kinds) * (n + 1) + rows[:, None, :]) * (n + 1) + rows
    codes.sort(axis=2)
    classes = np.zeros((size, size), dtype=np.int64)
    for column in np.moveaxis(codes, 2, 0):
        merged = classes * (k * (n + 1) ** 2) + column
        classes = np.unique(merged, return_inverse=True)[1].reshape(size, size)
    # (c, c) and (c', c') are of one class exactly if c and c' are
    _, chosen, number = np.unique(np.diag(classes), return_index=True, return_inverse=True)
    most = int(classes.max()) + 1
    row_of, column_of = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    row_of[classes] = number.reshape(-1, 1)
    column_of[classes] = number.reshape(1, -1)
    pairs = np.array(_neighbours(rows, chosen.tolist()), dtype=np.int64)
    codes = np.unique(classes[pairs[:, 0]] * most + classes[pairs[:, 1]])
    times = np.bincount(classes[chosen].ravel(), minlength=most)
    return Shape(classes, row_of, column_of, times, codes // most, codes % most)


def _neighbours(rows: Ints, chosen: list[int]) -> list[tuple[int, int]]:
    """Pairs of places whose counts differ by one substitution, from some places to all others."""
    place = {tuple(row): i for i, row in enumerate(rows.tolist())}
    pairs = []
    for here in chosen:
        row = rows[here].tolist()
        for i, count in enumerate(row):
            for j in range(len(row)):
                if i != j and count:
                    moved = [c - (m == i) + (m == j) for m, c in enumerate(row)]
                    pairs.append((here, place[tuple(moved)]))
    return pairs


def _linear_program(task: Problem, shape: Shape, objective: Floats) -> tuple[Floats, Floats]:
    """A probability for every class, and a multiplier for every constraint, in floats."""
    from scipy import optimize, sparse

    variables, count = len(objective), len(shape.first)
    numbers = np.arange(count)
    decay = math.exp(-float(task.epsilon))
    private = sparse.csr_array(
        (
            np.repeat([decay, -1.0], count),
            (np.tile(numbers, 2), np.append(shape.first, shape.second)),
        ),
        shape=(count, variables),
    )
    sums = sparse.csr_array(
        (shape.times.astype(np.float64), (shape.rows, np.arange(variables))),
        shape=(int(shape.rows.max()) + 1, variables),
    )
    scale = float(objective.max()) or 1.0  # objectives of order one are solved better
    # the repair of a constraint that is off by t costs about t/ε
    fine = 1e-10 if task.epsilon < Fraction(1, 100) else TOLERANCE
    for method, tolerance in (
        ("highs-ipm", fine),
        ("highs-ipm", TOLERANCE),
        ("highs-ds", TOLERANCE),
    ):
        result: Any = optimize.linprog(
            objective / scale,
            A_ub=private,
            b_ub=np.zeros(count),
            A_eq=sums,
            b_eq=np.ones(sums.shape[0]),
            method=method,
            options={
                "primal_feasibility_tolerance": tolerance,
                "dual_feasibility_tolerance": tolerance,
            },
        )
        if result.status == 0:
            return np.asarray(result.x), np.maximum(-result.ineqlin.marginals, 0.0) * scale
    raise DiscreetError(f"the linear program was not solved: {result.message}")


def _repaired(task: Problem, shape: Shape, shares: Floats) -> list[int]:
    """Integer weights of the classes, with equal row sums, that are exactly private.

    Rounded to integers, I(r|c) ≤ q·I(r|c') with a rational q ≤ e^ε may fail. A mixture with a fixed
    law, weights s(r) in every row, mends that: I(r|c) + s(r) ≤ q·(I(r|c') + s(r)) if
    s(r) ≥ (I(r|c) − q·I(r|c'))/(q − 1). Everything is then verified.
    """
    shares = np.maximum(shares, 0.0)
    shares /= np.bincount(shape.rows, weights=shares * shape.times)[shape.rows]
    weights = [int(x) for x in np.floor(shares * 2.0**_BITS)]
    times, rows, columns = (x.tolist() for x in (shape.times, shape.rows, shape.columns))
    # what rounding left out goes to r = c, a class that occurs once in its row
    for own in np.unique(np.diag(shape.classes)).tolist():
        row = np.flatnonzero(shape.rows == rows[own]).tolist()
        weights[own] += (1 << _BITS) - sum(weights[i] * times[i] for i in row)
    q = balls.rounded_down(lambda: ball(min(task.epsilon, _MOST_EPSILON)).exp())
    top, bottom = q.numerator, q.denominator
    pairs = list(zip(shape.first.tolist(), shape.second.tolist(), strict=True))
    shift = [0] * (max(columns) + 1)
    for i, j in pairs:
        excess = bottom * weights[i] - top * weights[j]
        shift[columns[i]] = max(shift[columns[i]], -(-excess // (top - bottom)))
    weights = [weight + shift[column] for weight, column in zip(weights, columns, strict=True)]
    sums = [0] * (max(rows) + 1)
    for weight, time, row in zip(weights, times, rows, strict=True):
        sums[row] += weight * time
    private = all(bottom * weights[i] <= top * weights[j] for i, j in pairs)
    if not private or min(weights) < 0 or len(set(sums)) > 1:
        raise ExactnessError("the repaired linear program is not private")
    return weights


def _expected(shape: Shape, weights: list[int], objective: Floats) -> float:
    first = shape.classes[0].tolist()
    total = sum(weights[i] for i in first)
    terms = (cost * (weight / total) for cost, weight in zip(objective, weights, strict=True))
    return math.fsum(terms)


def _lower_bound(task: Problem, shape: Shape, objective: Floats, multipliers: Floats) -> float:
    """No private mechanism is better: by weak duality, whatever the multipliers λ ≥ 0.

    Σ over rows of the least, over the classes of the row, of (cost + e^{−ε}·Σλ of the constraints
    where it comes first − Σλ where it comes second)/times. What rounding may add is taken off.
    """
    bounds = []
    for factor in (1.0, 0.0):
        size, scaled = len(objective), factor * multipliers
        up = math.exp(-float(task.epsilon)) * _sums(shape.first, scaled, size)
        down = _sums(shape.second, scaled, size)
        lost = (2 * task.k**2 + 8) * floats.U * (objective + up + down)
        reduced = (objective + up - down - lost) / shape.times
        least = np.full(int(shape.rows.max()) + 1, np.inf)
        np.minimum.at(least, shape.rows, reduced)
        bounds.append(math.fsum(least.tolist()))
    return max(bounds)


def _sums(places: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)
