"""What accuracy means: a loss for every pair of counts, and weights on the true counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from discreet import check
from discreet.divergence import half_excess_table
from discreet.errors import InputError
from discreet.exact import Floats, compositions
from discreet.families.dirichlet.optimum import binary

Loss: TypeAlias = str | tuple[tuple[Fraction, ...], ...]
Weights: TypeAlias = str | tuple[Fraction, ...]

LOSSES = ("hellinger", "total_variation", "squared_error")
WEIGHTS = ("uniform", "prior_predictive")
MOST_GIVEN = 300  # compositions for which a matrix of losses may be given
MOST_LISTED = 2000  # compositions over which losses are tabulated
_MOST_LOSS = 10**100


@dataclass(frozen=True)
class Problem:
    """Minimise Σ_c w_c Σ_r P(r|c)·L(c, r) over the ε-private laws P(r|c); all of it is public."""

    prior: tuple[Fraction, ...]
    n: int
    epsilon: Fraction
    loss: Loss
    weights: Weights

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.prior)

    @property
    def candidates(self) -> int:
        """How many vectors of counts there are."""
        return compositions.count(self.n, self.k)

    @property
    def named(self) -> bool:
        """Whether loss and weights are named, not given as numbers."""
        return isinstance(self.loss, str) and isinstance(self.weights, str)

    @cached_property
    def geometric(self) -> bool:
        """Whether the geometric mechanism with the optimal remap has the least expected loss.

        So it is for two categories if no L(c, r) falls as r moves away from c, as with every named
        loss. Ghosh, Roughgarden and Sundararajan (2009) prove it for losses in |c − r|; their
        exchange of mass needs no more. With a = e^{−ε}: suppose for counts i, i+1 and outputs j < k
        both a·P(j|i) < P(j|i+1) and a·P(k|i+1) < P(k|i). If i < j, a little of P(k|c), c ≤ i, can
        move to j; if i ≥ k, a little of P(j|c), c > i, to k; otherwise both to the output i. No
        loss rises and privacy is kept. Where nothing can move any more, outputs below some l(i)
        have P(r|i+1) = a·P(r|i), those above it P(r|i) = a·P(r|i+1), l(i) never falls, and such a
        law is the geometric one followed by a random map; the best map is not random.
        """
        if self.k != 2 or isinstance(self.loss, str):
            return self.k == 2
        return all(
            all(row[r] >= row[r + 1] for r in range(c))
            and all(row[r] <= row[r + 1] for r in range(c, self.n))
            for c, row in enumerate(self.loss)
        )


def problem(
    prior: tuple[Fraction, ...], n: int, epsilon: Fraction, loss: object, weights: object
) -> Problem:
    """Read a loss and weights."""
    k = len(prior)
    return Problem(prior, n, epsilon, _loss(loss, n, k), _weights(weights, n, k))


def _loss(value: object, n: int, k: int) -> Loss:
    if isinstance(value, str) or not isinstance(value, Iterable):
        name = str(check.choice("loss", value, LOSSES))
        if name == "total_variation" and k != 2:
            raise InputError(f"loss 'total_variation' needs two categories, got {k}", "loss")
        return name
    size = _size("loss", n, k, MOST_GIVEN)
    table = value.to_numpy() if hasattr(value, "to_numpy") else value
    rows = [list(row) if isinstance(row, Iterable) else [] for row in table]
    if len(rows) != size or any(len(row) != size for row in rows):
        lengths = {len(row) for row in rows}
        shape = (
            f"an array of shape {(len(rows), *lengths)}"
            if len(lengths) == 1
            else "rows of different lengths"
        )
        raise InputError(
            f"loss must be a matrix with a row and a column for each of the {size} vectors of "
            f"counts, got {shape}",
            "loss",
        )
    return tuple(
        tuple(_not_negative(f"loss[{i}][{j}]", entry, _MOST_LOSS) for j, entry in enumerate(row))
        for i, row in enumerate(rows)
    )


def _weights(value: object, n: int, k: int) -> Weights:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(check.choice("weights", value, WEIGHTS))
    size = _size("weights", n, k, MOST_LISTED)
    listed = check.by_position("weights", value)
    entries = [_not_negative(f"weights[{i}]", entry, 1) for i, entry in enumerate(listed)]
    if len(entries) != size:
        raise InputError(
            f"weights must have {size} entries, one for each vector of counts, got {len(entries)}",
            "weights",
        )
    total = sum(entries, Fraction(0))
    if abs(total - 1) > check.SMALL:
        raise InputError(f"weights must sum to 1, got {float(total):.12g}", "weights")
    return tuple(entry / total for entry in entries)


def _size(argument: str, n: int, k: int, most: int) -> int:
    size = compositions.count(n, k)
    if size > most:
        raise InputError(
            f"{argument} can be given for at most {most} vectors of counts; n = {n} and {k} "
            f"categories have {check.big(size)}",
            argument,
        )
    return size


def _not_negative(argument: str, value: object, most: int) -> Fraction:
    number = check.rational(argument, value)
    if not 0 <= number <= most * (1 + check.SMALL):
        raise InputError(
            f"{argument} must lie between 0 and {most:g}, got {check.brief(value)}", argument
        )
    return number


@lru_cache(maxsize=4)
def loss_matrix(task: Problem) -> Floats:
    """L[c, r] over all vectors of counts, in the order of `compositions.rows`."""
    if not isinstance(task.loss, str):
        return np.array([[float(entry) for entry in row] for row in task.loss])
    if task.n == 0:
        return np.zeros((1, 1))
    if task.k == 2:
        ones = np.arange(task.n + 1)
        return binary.losses(task.prior, task.n, task.loss, ones[:, None], ones)
    rows = compositions.rows(task.n, task.k)
    if task.loss == "squared_error":
        norms = (rows * rows).sum(axis=1)
        squares = norms[:, None] + norms - 2 * rows @ rows.T
        return np.asarray(squares / float(sum(task.prior) + task.n) ** 2)
    exponents = np.zeros((len(rows), len(rows)))
    for alpha, column in zip(task.prior, rows.T, strict=True):
        tables = np.array([half_excess_table(float(alpha), c, task.n) for c in range(task.n + 1)])
        exponents += tables[column[:, None], column]
    return np.sqrt(-np.expm1(-exponents))


@lru_cache(maxsize=64)
def log_weights(task: Problem) -> Floats:
    """log w_c over all vectors of counts, in the order of `compositions.rows`.

    "prior_predictive" is the Dirichlet-multinomial law, w_c ∝ Π Γ(α_i + c_i)/(Γ(α_i)·c_i!).
    """
    if task.weights == "uniform":
        return np.full(task.candidates, -np.log(task.candidates))
    if not isinstance(task.weights, str):
        with np.errstate(divide="ignore"):
            return np.asarray(np.log([float(entry) for entry in task.weights]))
    rows = compositions.rows(task.n, task.k)
    logs = np.zeros(len(rows))
    j = np.arange(task.n)
    for alpha, column in zip(task.prior, rows.T, strict=True):
        logs += np.append(0.0, np.cumsum(np.log((float(alpha) + j) / (1 + j))))[column]
    logs -= logs.max()
    return np.asarray(logs - np.log(np.exp(logs).sum()))
