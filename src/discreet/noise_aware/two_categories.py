"""Two categories and a public n: the one unknown count, listed around the noisy one.

p(c | z) ∝ g_1(c)·g_2(n − c)·P(z | c). A window around z leaves out a probability that is
bounded; if it has too many counts, neighbours are grouped into cells, with a bound on the error.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats, Ints
from discreet.noise_aware.kernels import Kernel
from discreet.noise_aware.prior import log_rise, log_steps, tail

MOST_LISTED = 1 << 18
TOLERANCE = 1e-12  # probability that may be left out
_CELLS = 1 << 17
_REACH = 36.0  # the window ends where the noise has fallen by e^-36


class Listed(NamedTuple):
    """Both counts, one pair a row, with the logs of their weights, and bounds on the errors."""

    counts: Floats
    logs: Floats
    left_out: float
    grouped: float


def infer(prior: tuple[Fraction, ...], n: int, z: Fraction, kernel: Kernel) -> Listed:
    """The law of the first count given its noisy version z."""
    centre, reach = min(max(math.floor(z), 0), n), _REACH
    while True:
        half = math.ceil(kernel.reach(reach))
        low, high = max(0, centre - half), min(n, centre + half)
        if high - low < MOST_LISTED:
            inner: Floats = np.arange(high - low + 1.0)
            logs = _listed(prior, n, z, kernel, low, high)
            edges, grouped = (float(logs[0]), float(logs[-1])), 0.0
        else:
            cells = _Cells.over(low, high, math.floor(z), n)
            inner = cells.inner
            values = _at(prior, z, kernel, cells)
            logs, edges = values + np.log(cells.sizes), (float(values[0]), float(values[-1]))
            grouped = _grouping(prior, z, kernel, cells, logs)
        left_out = _left_out(prior, n, z, kernel, (low, high), edges, logs)
        if left_out <= TOLERANCE or (low, high) == (0, n):
            counts = np.column_stack([float(low) + inner, float(n - low) - inner])
            return Listed(counts, logs, left_out, grouped)
        reach *= 1.5


def _listed(
    prior: tuple[Fraction, ...], n: int, z: Fraction, kernel: Kernel, low: int, high: int
) -> Floats:
    size = high - low + 1
    first = log_steps(prior[0], low, size)
    second = log_steps(prior[1], n - high, size)[::-1]
    return np.asarray(first + second + kernel.log(float(z - low) - np.arange(float(size))))


def _left_out(
    prior: tuple[Fraction, ...],
    n: int,
    z: Fraction,
    kernel: Kernel,
    window: tuple[int, int],
    edges: tuple[float, float],
    logs: Floats,
) -> float:
    """A bound on the probability outside the window."""
    from scipy import special

    (low, high), (a, b) = window, (float(alpha) for alpha in prior)
    ends = np.array([float(z - high), float(z - low)])
    up, down = kernel.log(ends + np.array([-1.0, 1.0])) - kernel.log(ends)
    above = tail(edges[1], (a, high), (b, n - high), up)
    below = tail(edges[0], (b, n - low), (a, low), down)
    outside = np.logaddexp(above, below) - special.logsumexp(logs)
    return math.exp(min(float(outside), 0.0))


class _Cells(NamedTuple):
    """Neighbouring counts in groups: where they begin, how many they are."""

    low: int
    n: int
    starts: Ints  # relative to low
    sizes: Ints

    @property
    def halves(self) -> Floats:
        return np.asarray((self.sizes - 1) / 2)

    @property
    def inner(self) -> Floats:
        """The middles, relative to low."""
        return np.asarray(self.starts + self.halves)

    @property
    def middles(self) -> tuple[Floats, Floats]:
        """Both counts in the middle."""
        return float(self.low) + self.inner, float(self.n - self.low) - self.inner

    @classmethod
    def over(cls, low: int, high: int, z: int, n: int) -> _Cells:
        """Cells of about equal size in √c up to n/2 and in √(n−c) beyond, as is Beta(c, n−c).

        None has z, where the noise has its kink, inside.
        """
        size, middle = high - low + 1, min(max(n // 2, low), high)
        parts = (math.sqrt(low), math.sqrt(middle)), (math.sqrt(n - high), math.sqrt(n - middle))
        length = sum(stop - start for start, stop in parts)
        roots = [
            np.linspace(*part, 2 + int(_CELLS * (part[1] - part[0]) / length)) for part in parts
        ]
        edges = [
            (roots[0] ** 2 - float(low)).astype(np.int64),
            size - (roots[1] ** 2 - float(n - high)).astype(np.int64),
            np.array([0, z - low, z + 1 - low], dtype=np.int64),
        ]
        starts = np.unique(np.concatenate(edges))
        starts = starts[(starts >= 0) & (starts < size)]
        return cls(low, n, starts, np.diff(np.append(starts, size)))


def _at(prior: tuple[Fraction, ...], z: Fraction, kernel: Kernel, cells: _Cells) -> Floats:
    """The log weight of one count in the middle of each cell."""
    first, second = (
        log_rise(float(alpha), counts) for alpha, counts in zip(prior, cells.middles, strict=True)
    )
    return np.asarray(first + second + kernel.log(float(z - cells.low) - cells.inner))


def _grouping(
    prior: tuple[Fraction, ...], z: Fraction, kernel: Kernel, cells: _Cells, logs: Floats
) -> float:
    """A bound on the error in total variation of standing for each cell by its middle.

    Within a cell of counts m ± h let the log weight have slope at most s and curvature at most q.
    Its weight is then right to a factor cosh(s·h)·e^{q·h²/2}, and the weighted mean of the counts
    is at most d = h²·s/2 away from m. The Betas of a cell form an exponential family with
    log-normaliser K, K''(u) = ψ'(a+u) + ψ'(b−u) between I₀ and I₁ for |u| ≤ 2h, in which
    E₀[(f_s/f_0)(f_t/f_0)] = exp(K(s+t) − K(s) − K(t)); so their mixture has a χ² divergence of at
    most d²·I₁ + h²·(I₁ − I₀)/2 + ½·h⁴·I₁²·e^{h²·I₁} from the middle one, and TV ≤ ½·√χ².
    """
    from scipy import special

    def trigamma(x: Floats) -> Floats:
        return np.asarray(special.polygamma(1, x))

    h = cells.halves
    away = np.abs(float(z - cells.low) - cells.inner) + h
    slope, curvature = kernel.steepest(away), np.full_like(h, kernel.curvature)
    for alpha, middle in zip(map(float, prior), cells.middles, strict=True):
        end = middle - h
        slope += np.abs(alpha - 1) / (end + min(alpha, 1.0))
        curvature += np.abs(trigamma(end + alpha) - trigamma(end + 1))
    a, b = (float(alpha) + middle for alpha, middle in zip(prior, cells.middles, strict=True))
    with np.errstate(all="ignore"):
        near = trigamma(np.maximum(a - 2 * h, 1e-9)), trigamma(np.maximum(b - 2 * h, 1e-9))
        most = np.maximum(near[0] + trigamma(b + 2 * h), near[1] + trigamma(a + 2 * h))
        least = trigamma(a + 2 * h) + trigamma(b + 2 * h)
        square = h * h
        chi = (square * slope / 2) ** 2 * most + square * (most - least) / 2
        chi += square**2 * most**2 / 2 * np.exp(square * most)
        apart = np.sqrt(chi) / 2
    x, y = slope * h, curvature * square / 2
    relative = logs - logs.max()
    shares = np.exp(relative)
    # cosh(x)·e^y − 1 times the share: unlike a total variation, a weight may be off by more than 1
    excess = np.expm1(-x) ** 2 / 2 - np.exp(-x) * np.expm1(-y)
    wrong = np.exp(np.minimum(relative + x + y, 700.0)) * excess
    error = shares * np.where(apart < 1, apart, 1.0) + wrong
    return float(min(np.where(h == 0, 0.0, error).sum() / shares.sum(), 1.0))
