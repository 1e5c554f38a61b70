"""A private n with a flat prior: the counts are independent given one latent number.

For A > 1, s!/Γ(A + s) ∝ ∫₀¹ u^s·(1−u)^{A−2} du. So p(c | z) ∝ ∫ (1−u)^{A−2}·Π f_i(c_i)·u^{c_i} du:
draw u from its posterior, then every count by itself. With u = e^{−t} the integrand is smooth in
ln t, and the trapezoidal rule with a step below its width converges exponentially.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import numpy as np

from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints
from discreet.noise_aware import windows
from discreet.noise_aware.product import Product
from discreet.noise_aware.several_categories import Points, spread
from discreet.noise_aware.totals import Problem
from discreet.noise_aware.windows import TOLERANCE, widening

_FINE = 16  # cells are narrower than their counts by this factor
_HIGHEST = 6.5  # ln t
_NEGLIGIBLE = 40.0
_MOST_NODES = 2000
_MOST_CELLS = 5000  # of each kind, in one window
_ROUNDS = 8


def draw_mixed(problem: Problem, draws: int, rng: np.random.Generator) -> Points:
    """Independent draws; a prior of n that is not flat enters by importance weights."""
    best = math.inf
    for lows, highs in islice(widening(problem), _ROUNDS):
        product = _cells(problem, lows, highs)
        nodes, weights = _latent(product)
        likely = weights > 1e-4 * TOLERANCE
        left_out = math.fsum(
            p * min(replace(product, tilt=-t).outside, 1.0)
            for t, p in zip(nodes[likely].tolist(), weights[likely].tolist(), strict=True)
        )
        if left_out < best:
            best, kept = left_out, (product, nodes, weights)
        if left_out <= TOLERANCE:
            break
    if not best < 1e-3:
        raise NotEnumerable("the counts that the raw output allows lie too far from it to list")
    product, nodes, weights = kept
    times = rng.multinomial(draws, weights)
    parts = [
        _draw(replace(product, tilt=-t), many, rng)
        for t, many in zip(nodes.tolist(), times.tolist(), strict=True)
        if many
    ]
    inner, logs = (np.concatenate(column) for column in zip(*parts, strict=True))
    totals = product.least + inner.sum(axis=1).astype(np.float64)
    logs = logs + problem.n_prior.log(totals)
    if (extra := _shape(problem)[1]) is not None:
        logs = logs + np.log(totals + extra)
    possible = np.isfinite(logs)
    if not possible.any():
        raise NotEnumerable("the prior of n and the raw output are too far apart")
    counts = (inner[possible] + product.lows).astype(np.float64)
    return Points(counts, logs[possible], best)


def _cells(problem: Problem, lows: list[int], highs: list[int]) -> Product:
    """Single counts, or cells within which the logs of the factors are nearly straight.

    Their curvature is that of (α − 1)·ln c; the noise is straight on either side of z.
    """
    if sum(highs) - sum(lows) <= windows.MOST_VALUES // 8:
        return windows.factors(
            problem,
            lows,
            [np.arange(high - low + 1) for low, high in zip(lows, highs, strict=True)],
            1,
        )
    begins = []
    for alpha, z, low, high in zip(problem.prior, problem.z, lows, highs, strict=True):
        ratio = 1 + 1 / (_FINE * math.sqrt(max(abs(float(alpha) - 1), 1.0)))
        single = min(low + min(math.ceil(1 / (ratio - 1)), _MOST_CELLS), high)
        growth = math.log(max(high, 1) / max(single, 1))
        steps = min(math.ceil(growth / math.log(ratio)), _MOST_CELLS) + 2
        growing = float(single) * np.exp(np.linspace(0.0, growth, steps)) - float(low)
        edges = [np.arange(single - low + 1), growing.astype(np.int64)]
        kink = math.floor(z) - low
        edges.append(np.array([kink, kink + 1, high - low]))
        if problem.kernel.curvature:  # within a cell the noise is nearly straight
            narrow = max(1, math.floor(1 / (_FINE * problem.kernel.scale)))
            edges.append(np.arange(0, high - low, narrow))
        begin = np.unique(np.concatenate(edges))
        begins.append(begin[(begin >= 0) & (begin <= high - low)])
    return windows.factors(problem, lows, begins, 0)


def _shape(problem: Problem) -> tuple[float, float | None]:
    """A, if it is well above 1; otherwise A + 1 with the factor A + s that makes up for it."""
    total = float(problem.total_prior)
    return (total, None) if total >= 1.25 else (total + 1, total)


def _latent(product: Product) -> tuple[Floats, Floats]:
    """Values of t with their posterior probabilities, on a grid that is even in ln t."""
    shape, _ = _shape(product.problem)

    def logs(y: Floats) -> Floats:
        t = np.exp(y)
        sums = [float(replace(product, tilt=-value).log_sums.sum()) for value in t.tolist()]
        volume = (shape - 2) * np.log(-np.expm1(-t)) - t + y
        return np.asarray(volume - t * float(product.least) + np.array(sums))

    # below this t every total within the windows is as likely as at t = 0
    lowest = math.log(1e-9) - math.log(
        product.least + float(product.begin.max()) * len(product.lows) + 1
    )
    low, high = lowest, _HIGHEST
    while True:
        y = np.linspace(low, high, 64)
        values = logs(y)
        likely = np.flatnonzero(values > values.max() - _NEGLIGIBLE)
        step = y[1] - y[0]
        start, stop = max(y[likely[0]] - step, low), min(y[likely[-1]] + step, high)
        if stop - start > 0.5 * (high - low):
            break
        low, high = float(start), float(stop)
    width = min(0.15, 0.7 / math.sqrt(shape))
    count = max(64, math.ceil((high - low) / width))
    if count > _MOST_NODES:
        raise NotEnumerable("the prior is too strong for a private n; give a narrower n_prior")
    y = np.linspace(low, high, count)
    values = logs(y)
    weights = np.exp(values - values.max())
    if low == lowest:  # and the integrand is ∝ t^{A−1}·d ln t
        weights[0] *= 0.5 + 1 / ((shape - 1) * (y[1] - y[0]))
    return np.exp(y), np.asarray(weights / weights.sum())


def _draw(product: Product, size: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Every count by itself, from its tilted factor."""
    cumulative = np.cumsum(np.exp(np.concatenate(product.log_p)))
    ends = product.starts + product.sizes - 1
    floors = np.concatenate([[0.0], cumulative[ends[:-1]]])
    target = floors + (cumulative[ends] - floors) * rng.random((size, len(ends)))
    places = np.searchsorted(cumulative, target, side="right")
    cells = np.clip(places, product.starts, ends) - product.starts
    return spread(product, cells, rng)
