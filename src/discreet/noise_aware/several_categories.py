"""Several unknown counts: all vectors while they are few, independent draws beyond that."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats, Ints
from discreet.noise_aware.product import Product
from discreet.noise_aware.totals import log_q
from discreet.noise_aware.windows import log_factor

MOST_POINTS = 1_000_000
_AT_ONCE = 4_000_000
_NEGLIGIBLE = -40.0  # logs of probabilities that are dropped on the way, beside that of the total
_TRIES = 40


class Points(NamedTuple):
    """Vectors of counts with the logs of their weights, and a bound on what is left out."""

    counts: Floats
    logs: Floats
    left_out: float


def enumerate_points(product: Product) -> Points | None:
    """All vectors within the windows, but for negligible ones; None if they are too many.

    A partial vector is dropped if its probability under the factors is negligible: whatever
    follows has no more, and what is dropped is added up.
    """
    if product.stride != 1:
        return None
    peak = float(product.log_weights.max())
    rows = np.zeros((1, 0), dtype=np.int64)
    sums, logs, dropped = np.zeros(1, dtype=np.int64), np.zeros(1), 0.0
    least = product.log_inside - peak + _NEGLIGIBLE
    for factor in product.log_p:
        if len(rows) * len(factor) > _AT_ONCE:
            return None
        grid = logs[:, None] + factor
        parents, value = np.nonzero(grid >= least)
        dropped += float(np.exp(grid[grid < least]).sum())
        rows = np.column_stack([rows[parents], value])
        sums, logs = sums[parents] + value, grid[parents, value]
    logs = logs + product.log_weights[sums]
    possible = np.isfinite(logs)
    if possible.sum() > MOST_POINTS:
        return None
    counts = _counts(product, rows[possible])
    left_out = product.left_out + dropped * math.exp(min(peak - product.log_inside, 700.0))
    return Points(counts, logs[possible], left_out)


def _counts(product: Product, inner: Ints) -> Floats:
    """Counts from what they have above the low ends, and the last one if it is not free."""
    counts = (inner + product.lows).astype(np.float64)
    if product.problem.n is None:
        return counts
    rest = (product.problem.n - product.least) - inner.sum(axis=1)
    return np.column_stack([counts, rest.astype(np.float64)])


def draw_points(product: Product, draws: int, rng: np.random.Generator) -> Points:
    """Independent draws: a total, then how it splits over the two halves of the counts, and so on.

    With cells of one count these are draws from p(c | z) itself. With larger cells a count is drawn
    within its cell as if log f_i were straight there; importance weights make up for it.
    """
    p = np.exp(product.log_totals - product.log_inside)
    total = rng.choice(len(p), size=draws, p=p / p.sum())
    cells = split(product.levels, total, rng)
    if product.stride == 1:
        return Points(_counts(product, cells), np.zeros(draws), product.left_out)
    inner, logs = spread(product, cells, rng)
    above = inner.sum(axis=1)
    logs += log_q(product.problem, product.least, above) - product.tilt * above
    logs -= product.log_weights[total]
    kept = np.isfinite(logs)
    return Points(_counts(product, inner[kept]), logs[kept], product.left_out)


def spread(product: Product, cells: Ints, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Counts within cells, above the low ends, and the logs of their importance weights."""
    logs = np.zeros(len(cells))
    if product.stride == 1:
        return cells, logs
    inner = np.empty_like(cells)
    for i, (start, low) in enumerate(zip(product.starts, product.lows.tolist(), strict=True)):
        place = start + cells[:, i]
        within = _within(product.slopes[place] + product.tilt, product.widths[place], rng)
        inner[:, i] = product.begin[place].astype(np.int64) + within
        logs += log_factor(product.problem, i, low, inner[:, i].astype(np.float64))
        logs -= product.first[place] + product.slopes[place] * within
    return inner, logs


def _within(slopes: Floats, size: Ints, rng: np.random.Generator) -> Ints:
    """U in 0 … size − 1 with P(u) ∝ e^{slope·u}, by inversion."""
    steep = np.where(np.abs(slopes) * size < 1e-9, 1e-9 / size, slopes)
    p = rng.random(len(slopes))
    # from the heavier end, where nothing overflows
    u = np.log1p(p * np.expm1(-np.abs(steep) * size)) / -np.abs(steep)
    u = np.where(steep > 0, size - 1 - np.floor(u), np.floor(u))
    return np.asarray(np.clip(u.astype(np.int64), 0, size - 1))


def split(levels: list[list[Floats]], totals: Ints, rng: np.random.Generator) -> Ints:
    """From the total of all down the tree to the single counts."""
    shares = [totals]
    for laws in levels[-2::-1]:
        finer: list[Ints] = []
        for parent, share in enumerate(shares):
            if 2 * parent + 1 < len(laws):
                left = _share(laws[2 * parent], laws[2 * parent + 1], share, rng)
                finer += [left, share - left]
            else:
                finer.append(share)
        shares = finer
    return np.column_stack(shares)


def _share(left: Floats, right: Floats, totals: Ints, rng: np.random.Generator) -> Ints:
    """X given X + Y = total for independent X ~ left, Y ~ right.

    Draw X from its own law, keep it with probability right[total − X]/max(right); the few that are
    rejected over and over are drawn from the listed law.
    """
    if left.max() < right.max():  # propose from the narrower law
        return np.asarray(totals - _share(right, left, totals, rng))
    result = np.empty(len(totals), dtype=np.int64)
    waiting = np.arange(len(totals))
    cumulative = np.concatenate([[0.0], np.cumsum(left)])
    first = np.maximum(totals - (len(right) - 1), 0)
    last = np.minimum(totals, len(left) - 1)
    accept = right / right.max()
    for _ in range(_TRIES):
        low, high, total = first[waiting], last[waiting], totals[waiting]
        start, stop = cumulative[low], cumulative[high + 1]
        target = start + (stop - start) * rng.random(len(waiting))
        value = np.clip(np.searchsorted(cumulative, target, side="right") - 1, low, high)
        kept = rng.random(len(waiting)) < accept[total - value]
        result[waiting[kept]] = value[kept]
        waiting = waiting[~kept]
        if not len(waiting):
            return result
    for place in waiting.tolist():
        at, begin, end = int(totals[place]), int(first[place]), int(last[place]) + 1
        weights = left[begin:end] * right[at - end + 1 : at - begin + 1][::-1]
        listed = np.cumsum(weights)
        chosen = np.searchsorted(listed, listed[-1] * rng.random(), side="right")
        result[place] = begin + min(int(chosen), len(listed) - 1)
    return result
