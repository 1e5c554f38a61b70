"""The optimal remap: a raw output z becomes the counts r with the least expected loss given z.

For lattice noise, P(c|z) ∝ w_c·e^{−ε·½‖z−c‖₁} is the same for z and for z clipped to [0, n] in
every coordinate: as Σz = Σc, ½‖z−c‖₁ is Σ max(z_i − c_i, 0), and what lies beyond adds a constant.
The map is public, so it costs no privacy. Of outputs as good up to rounding, the first is taken.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from discreet import check
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats, Ints, compositions
from discreet.families.dirichlet.optimum import binary
from discreet.families.dirichlet.optimum.losses import (
    MOST_LISTED,
    Problem,
    log_weights,
    loss_matrix,
)
from discreet.families.dirichlet.optimum.search import best_ones, first_least, reach, shares
from discreet.progress import track

MOST_REACHED = {"hellinger": 100_000, "squared_error": 100_000, "total_variation": 2000}
MOST_WORK = 200_000_000  # terms of an expected loss
MOST_TABLED = 50_000  # n up to which the whole map is remembered
_MANY = 64
_CELLS = 1 << 22


def require_small(task: Problem) -> None:
    """Refuse what takes too long; public values decide."""
    if task.n == 0 or (not by_reach(task) and task.candidates <= MOST_LISTED):
        return
    if not by_reach(task):
        raise InputError(
            f"n must be smaller for an optimal remap with these settings: n = {task.n} has "
            f"{check.big(task.candidates)} candidates, at most {MOST_LISTED} are possible",
            "n",
        )
    ends = [reach(task, z) for z in (0, task.n // 2, task.n)]
    size, most = max(high - low + 1 for low, high in ends), MOST_REACHED[str(task.loss)]
    if size > most:
        raise InputError(
            f"epsilon must be larger for an optimal remap of n = {task.n} records: {size} counts "
            f"would be weighed for one output, at most {most} are possible",
            "epsilon",
        )


def by_reach(task: Problem) -> bool:
    """Two categories with named loss and weights: only counts near z matter, at any n."""
    return task.k == 2 and task.named


def remap(task: Problem, raw: Ints) -> Ints:
    """The counts to release, for raw outputs in rows."""
    if raw.shape[1] != task.k:
        return raw  # not an output: `Mechanism.postprocess` refuses it
    if task.n == 0 or not len(raw):
        return np.zeros_like(raw)
    clipped = np.clip(raw, 0, task.n)
    if by_reach(task):
        distinct, places = np.unique(clipped[:, 0], return_inverse=True)
        many = len(distinct) > _MANY and task.n <= MOST_TABLED
        best = _table(task)[distinct] if many else best_ones(task, distinct)[0]
        ones = best[places.ravel()]
        return np.column_stack([ones, task.n - ones])
    distinct, places = np.unique(clipped, axis=0, return_inverse=True)
    rows = compositions.rows(task.n, task.k)
    return rows[_best_rows(task, rows, distinct)[0][places.ravel()]]


@lru_cache(maxsize=4)
def _table(task: Problem) -> Ints:
    """Two categories: the count to release for every noisy one."""
    return best_ones(task, np.arange(task.n + 1))[0]


def _best_rows(task: Problem, rows: Ints, clipped: Ints) -> tuple[Ints, Floats]:
    """For each clipped output the index of the counts to release, and their expected loss."""
    losses, weights = loss_matrix(task), log_weights(task)
    best, loss = np.empty(len(clipped), dtype=np.int64), np.empty(len(clipped))
    block = max(1, _CELLS // rows.size)
    for start in track(range(0, len(clipped), block), "remapping"):
        here = slice(start, min(start + block, len(clipped)))
        distance = np.maximum(clipped[here, None, :] - rows, 0).sum(axis=2)
        costs = shares(weights - float(task.epsilon) * distance) @ losses
        best[here] = first_least(costs)
        loss[here] = costs[np.arange(len(costs)), best[here]]
    return best, loss


@lru_cache(maxsize=64)
def expected_loss(task: Problem) -> float:
    """Two categories: Σ_c w_c·E[L(c, r(z)) | c] for the geometric mechanism with this remap."""
    from scipy import signal

    if by_reach(task):
        _require_summable(task)
        _, losses = best_ones(task, np.arange(task.n + 1))
        logs = binary.log_weights(task.prior, task.n, str(task.weights), (0, task.n))
    else:
        rows = compositions.rows(task.n, 2)
        logs = log_weights(task)
        _, losses = _best_rows(task, rows, rows)
    weights = shares(logs[None])[0]
    rate = float(task.epsilon)
    decay = [1.0, -math.exp(-rate)]
    below = signal.lfilter([1.0], decay, weights)  # Σ_{c≤z} w_c·e^{−ε(z−c)}
    above = signal.lfilter([1.0], decay, weights[::-1])[::-1]
    masses = (below + above - weights) * math.tanh(rate / 2)
    masses[[0, -1]] /= -math.expm1(-rate)  # with what is clipped
    return float(masses @ losses)


def _require_summable(task: Problem) -> None:
    low, high = reach(task, task.n // 2)
    width = high - low + 1
    if task.n * width > MOST_WORK:
        raise NotEnumerable(
            f"the expected loss at n = {task.n} sums {check.big(task.n * width)} terms, more than "
            f"{MOST_WORK} are not possible; n up to about {MOST_WORK // width} is",
            task.n * width,
        )
