"""Windows around the noisy counts, wide enough that almost nothing is left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints
from discreet.noise_aware.prior import log_rise, log_steps
from discreet.noise_aware.product import Product
from discreet.noise_aware.totals import Problem, slope

MOST_VALUES = 1 << 20  # in all windows together
TOLERANCE = 1e-12  # probability that may be left out
_START = 32.0  # the first windows end where the noise has fallen by e^-32
_ROUNDS = 24
_MOST_VECTORS = 50_000_000


def prepare(problem: Problem, rounds: int = _ROUNDS) -> Product:
    """Windows wide enough that almost nothing is left out."""
    best = math.inf
    for lows, highs in islice(widening(problem), rounds):
        plain = build(problem, lows, highs)
        product = replace(plain, tilt=_tilt(plain))
        if product.left_out <= TOLERANCE:
            return product
        if product.left_out < best:
            best, kept = product.left_out, product
    if not best < 1e-3:
        raise NotEnumerable("the counts that the raw output allows lie too far from it to list")
    return kept


def widening(problem: Problem) -> Iterator[tuple[list[int], list[int]]]:
    """Ever wider windows, given by their ends, until they hold everything."""
    reach = _START + 1.5 * math.log(len(problem.z)) + max(0.0, -math.log(problem.kernel.scale))
    centres = [min(max(math.floor(z), 0), problem.most) for z in problem.z]
    for _ in range(_ROUNDS):
        half = math.ceil(problem.kernel.reach(reach))
        lows = [max(0, centre - half) for centre in centres]
        highs = [min(problem.most, centre + half) for centre in centres]
        yield lows, highs
        if max(lows) == 0 and min(highs) == problem.most:
            return
        reach *= 1.4


def few(problem: Problem) -> bool:
    """Whether the vectors within the first windows may be few enough to list."""
    lows, highs = next(widening(problem))
    sizes = (high - low + 1 for low, high in zip(lows, highs, strict=True))
    return math.prod(sizes) <= _MOST_VECTORS


def build(problem: Problem, lows: list[int], highs: list[int]) -> Product:
    """The factors within windows, not tilted yet, in cells of one size."""
    stride = -(-(sum(highs) - sum(lows) + len(lows)) // MOST_VALUES)
    sizes = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
    return factors(problem, lows, [np.arange(0, size, stride) for size in sizes], stride)


def factors(problem: Problem, lows: list[int], begins: list[Ints], stride: int) -> Product:
    """The factors in the cells that begin there; all but the last of a window end at the next.

    The last one is as wide as the one before it.
    """
    first, slopes, widths = [], [], []
    for i, (low, begin) in enumerate(zip(lows, begins, strict=True)):
        width = np.append(np.diff(begin), begin[-1] - begin[-2] if len(begin) > 1 else 1)
        if stride == 1:
            offset = float(problem.z[i] - low) - begin.astype(np.float64)
            noise = problem.kernel.log(offset)
            first.append(log_steps(problem.prior[i], low, len(begin)) + noise)
            slopes.append(np.zeros(len(begin)))
        else:
            first.append(log_factor(problem, i, low, begin.astype(np.float64)))
            end = log_factor(problem, i, low, begin + (width - 1.0))
            slopes.append((end - first[-1]) / np.maximum(width - 1, 1))
        widths.append(width)
    return Product(
        problem,
        np.array(lows),
        np.array([len(begin) for begin in begins]),
        stride,
        np.concatenate(begins).astype(np.float64),
        np.concatenate(widths),
        np.concatenate(first),
        np.concatenate(slopes),
    )


def log_factor(problem: Problem, i: int, low: int, inner: Floats) -> Floats:
    """Log f_i at low + inner, with the prior relative to low."""
    alpha, z = float(problem.prior[i]), problem.z[i]
    prior = log_rise(alpha, low + inner) - log_rise(alpha, np.array(float(low)))
    return np.asarray(prior + problem.kernel.log(float(z - low) - inner))


def _tilt(plain: Product) -> float:
    """λ for which q, seen from the mean total under the tilted factors, is level: by bisection."""
    problem = plain.problem

    def seen(tilt: float) -> float:
        return slope(problem, plain.least, replace(plain, tilt=tilt).mean)

    level = seen(0.0)
    rising = problem.n is not None and problem.last is None and problem.prior[-1] < 1
    if rising and level > 0:
        return 0.0  # q is log-convex, and nearly level unless the last count is near 0
    steep = problem.kernel.scale
    near = 1e-3 * steep
    if abs(level) < near:
        return level
    size = 2 * steep
    while size < 100 + 2 * steep and (seen(size) > size or not seen(-size) > -size):
        size *= 4
    low, high = -size, size
    near = max(near, 1e-14 * size)
    while high - low > near:
        middle = (low + high) / 2
        level = seen(middle)
        low, high = (middle, high) if level > middle else (low, middle)
    return level if abs(level - middle) < near else (low + high) / 2
