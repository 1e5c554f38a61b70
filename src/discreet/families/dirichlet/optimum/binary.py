"""Two categories at any n: losses and weights on a stretch of counts, without lost digits.

A count is the number of ones; a stretch is given by its first and last count. n is at least 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.divergence.excess import minus_log_w
from discreet.divergence.gammas import log_beta_density, log_gamma_ratio
from discreet.exact import Floats, Ints

Prior: TypeAlias = tuple[Fraction, ...]
Stretch: TypeAlias = tuple[int, int]

_CELLS = 1 << 20
_NEGLIGIBLE = 40.0  # e^-40 is nothing beside 1


def losses(prior: Prior, n: int, loss: str, counts: Ints, outputs: Ints) -> Floats:
    """L(c, r) for counts and outputs that are not far from each other; arrays are broadcast."""
    low = min(int(counts.min()), int(outputs.min()), n - 1)
    high = max(int(counts.max()), int(outputs.max()), low + 1)
    c, r = counts - low, outputs - low
    if loss == "squared_error":
        return np.asarray(2 * ((c - r) / float(sum(prior) + n)) ** 2)
    if loss == "total_variation":
        a, b = float(prior[0] + low), float(prior[1] + (n - low))
        c, r = np.broadcast_arrays(c, r)
        return _total_variations(a, b, high - low, c.ravel(), r.ravel()).reshape(c.shape)
    curve = _bent_log_gammas(prior, n, low, high)
    exponents = (curve[2 * c] + curve[2 * r]) / 2 - curve[c + r]
    return np.asarray(np.sqrt(-np.expm1(-np.maximum(exponents, 0.0))))


def _bent_log_gammas(prior: Prior, n: int, low: int, high: int) -> Floats:
    """h(x) = lnΓ(a + x) + lnΓ(b + n − x) minus a line, at x = low, low + ½, …, high.

    −log of the Bhattacharyya coefficient of the posteriors of c and r is ½[h(c) + h(r)] −
    h((c+r)/2), in which a line cancels. The line here goes through h(m) and h(m+1), m in the
    middle, and steps h(x+1) − h(x) = ln((a+x)/(b+n−1−x)) are summed from there, so that nothing is
    much larger than the result.
    """
    middle = min((low + high) // 2, n - 1)
    ones, zeros = middle, n - 1 - middle
    halfway = -minus_log_w(float(prior[0] + ones)) - minus_log_w(float(prior[1] + zeros))
    curve = np.empty(2 * (high - low) + 1)
    for offset, start in ((0, 0.0), (1, halfway)):
        t = np.arange(low - middle, high - middle - offset, dtype=np.float64) + offset / 2
        rise = _log_ratio(prior[0], ones, t) - _log_ratio(prior[1], zeros, -t)
        above = start + np.cumsum(rise[middle - low :])
        below = start - np.cumsum(rise[: middle - low][::-1])
        curve[offset::2] = np.concatenate([below[::-1], [start], above])
    return curve


def _log_ratio(alpha: Fraction, count: int, step: Floats) -> Floats:
    """ln((α + count + step)/(α + count))."""
    base = float(alpha + count)
    near = np.abs(step) < base / 2
    far = np.log((float(alpha) + (count + step)) / base)
    return np.where(near, np.log1p(np.where(near, step / base, 0.0)), far)


def _total_variations(a: float, b: float, span: int, c: Ints, r: Ints) -> Floats:
    """Total variation of Beta(a + c, b − c) and Beta(a + r, b − r), for pairs in [0, span].

    It is F_c(x) − F_r(x), c < r, where the densities cross: logit x is the mean of ln(s/t) over
    j = c … r−1 with s = a + j, t = b − 1 − j. And it is the sum of these
    f_j = I_x(s, t+1) − I_x(s+1, t) = x^s(1−x)^t/(s·B(s, t+1)) > 0, for which
    ln f_{j+1} − ln f_j = logit x − ln((s+1)/t).
    """
    from scipy import special

    middle = span // 2
    j = np.arange(span)
    slope = math.log((a + middle + 1) / (b - 1 - middle))
    falls = np.log((a + j + 1) / (b - 1 - j)) - slope
    bend = np.concatenate(
        [np.cumsum(falls[:middle][::-1])[::-1], [0.0], -np.cumsum(falls[middle:-1])]
    )
    logits = np.append(0.0, np.cumsum(np.log((a + j) / (b - 1 - j)) - slope))
    pairs, places = np.unique(np.minimum(c, r) * (span + 1) + np.maximum(c, r), return_inverse=True)
    first, last = pairs // (span + 1), pairs % (span + 1)
    steps = last - first
    tilt = (logits[last] - logits[first]) / np.maximum(steps, 1)
    x, y = special.expit(slope + tilt), special.expit(-slope - tilt)
    here, rest = np.asarray(a + middle), np.asarray(b - middle)
    level = log_beta_density(here, rest, x, y) + np.log(x / here)  # ln f_middle
    value = np.zeros(len(pairs))
    for part in _parts(steps):
        term = np.arange(int(steps[part].sum())) + np.repeat(
            first[part] - np.cumsum(steps[part]) + steps[part], steps[part]
        )
        logs = bend[term] + (term - middle) * np.repeat(tilt[part], steps[part])
        terms = np.exp(logs + np.repeat(level[part], steps[part]))
        owner = np.repeat(np.arange(part.stop - part.start), steps[part])
        value[part] = np.bincount(owner, weights=terms, minlength=part.stop - part.start)
    return value[places.ravel()]


def _parts(sizes: Ints) -> Iterator[slice]:
    """Slices of about equal total size."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        done = ends[start] - sizes[start]
        stop = max(start + 1, int(np.searchsorted(ends, done + _CELLS, side="right")))
        yield slice(start, stop)
        start = stop


def log_weights(prior: Prior, n: int, weights: str, stretch: Stretch) -> Floats:
    """log w_c up to a constant: "uniform", or "prior_predictive", the Beta-binomial law.

    Its ratios w_{c+1}/w_c = (a+c)(n−c)/((b+n−1−c)(c+1)) are multiplied up.
    """
    low, high = stretch
    if weights == "uniform":
        return np.zeros(high - low + 1)
    c = np.arange(low, high, dtype=np.float64)
    left = float(n) - c
    a, b = float(prior[0]), float(prior[1])
    rise = np.log((a + c) / (b + (left - 1))) + np.log(left / (c + 1))
    return np.append(0.0, np.cumsum(rise))


def reach(prior: Prior, n: int, epsilon: Fraction, weights: str, z: int) -> Stretch:
    """The counts c whose share w_c·e^{−ε|z−c|} is not negligible beside the largest one.

    ln w_c = A(c) + B(n−c), A(c) = lnΓ(a+c) − ln c!, which is concave or convex, and B likewise. So
    on a stretch lines bound the share; stretches are dropped by that bound or halved.
    """
    rate = float(epsilon)
    if weights == "uniform":
        far = math.ceil(_NEGLIGIBLE / rate) + 1
        return max(0, z - far), min(n, z + far)
    left, right = np.array([0, z], dtype=np.int64), np.array([z, n], dtype=np.int64)
    while True:
        length, side = right - left, np.where(right <= z, rate, -rate)
        first, last, rise, fall = _lines(prior[0], left, right)
        last_b, first_b, fall_b, rise_b = _lines(prior[1], n - right, n - left)
        first, last = first + first_b + side * (left - z), last + last_b + side * (right - z)
        rise, fall = rise - rise_b + side, fall - fall_b + side
        between = np.minimum(first + rise * length, last - fall * length)
        bound = np.where(rise <= 0, first, np.where(fall >= 0, last, between))
        kept = bound >= max(first.max(), last.max()) - _NEGLIGIBLE
        left, right, length = left[kept], right[kept], length[kept]
        wide = length > max(16, (right.max() - left.min()) // 64)
        if not wide.any():
            return int(left.min()), int(right.max())
        middle = left + length // 2
        left, right = (
            np.concatenate([left, middle[wide]]),
            np.concatenate([np.where(wide, middle, right), right[wide]]),
        )


def _lines(alpha: Fraction, left: Ints, right: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """A(c) = lnΓ(α + c) − ln c! at both ends, and slopes of lines through them that lie above it.

    Tangents where it is concave, α ≥ 1; otherwise the chord.
    """
    rest = np.float64(alpha - 1)
    first, last = (log_gamma_ratio((end + 1).astype(np.float64), rest) for end in (left, right))
    if alpha < 1:
        chord = (last - first) / np.maximum(right - left, 1)
        return first, last, chord, chord
    a, end = float(alpha), np.maximum(right, 1.0)
    return first, last, np.log((a + left) / (left + 1.0)), np.log((a + (end - 1)) / end)
