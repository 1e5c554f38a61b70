"""Hellinger distances from one posterior to all others of the same total, with proved errors."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from flint import arb

from discreet.divergence.enclosures import size_bits
from discreet.errors import ExactnessError
from discreet.exact import Floats, balls, compositions, floats
from discreet.exact.balls import ball
from discreet.exact.floats import U


class Table(NamedTuple):
    """high + low is known to within `error`."""

    high: Floats
    low: Floats
    error: float


@lru_cache(maxsize=16)
def bent_log_gamma(alpha: Fraction, n: int) -> Table:
    """g(j) = lnΓ(α + j/2) minus the line through its ends, for j = 0 … 2n, as pairs of floats.

    A line cancels in ½[g(2c) + g(2r)] − g(c+r); without it nothing is larger than the result for
    the two ends, so no digits are lost for large α.
    """
    high, low = np.zeros(2 * n + 1), np.zeros(2 * n + 1)
    with balls.precision(160 + size_bits((alpha + n,))):
        start = ball(alpha).lgamma()
        slope = (ball(alpha + n).lgamma() - start) / (2 * n)
        worst = arb(0)
        for j in range(1, 2 * n):
            value = ball(alpha + Fraction(j, 2)).lgamma() - start - slope * j
            high[j] = first = float(value.mid())
            low[j] = second = float((value - first).mid())
            worst = worst.max(abs(value - first - second))
        error = floats.up(float(worst.upper()))
    if not error <= 2.0**-96 * max(-float(high.min()), 1e-290):
        raise ExactnessError("a table of log-gammas is not as accurate as it should be")
    return Table(high, low, error)


def half_excess(alpha: Fraction, count: int, n: int) -> tuple[Floats, float]:
    """φ(r) = ½[lnΓ(α+c) + lnΓ(α+r)] − lnΓ(α + (c+r)/2) for r = 0 … n, and an absolute error.

    The error comes on top of 3u·φ. Sums of the high parts are exact as pairs; the small parts, at
    most 2⁻⁵² of the largest entry each, are added with an error of 2⁻⁵⁰ of themselves.
    """
    table = bent_log_gamma(alpha, n)
    high, low = table.high, table.low
    ends, lost = floats.two_sum(high[::2] / 2, high[2 * count] / 2)
    value, lost_too = floats.two_sum(ends, -high[count : count + n + 1])
    small = lost + lost_too + (low[::2] / 2 + low[2 * count] / 2 - low[count : count + n + 1])
    largest = float(np.abs(high).max())
    return value + small, 2 * table.error + 2.0**-98 * largest


def hellinger_row(
    prior: tuple[Fraction, ...], counts: tuple[int, ...], n: int
) -> tuple[Floats, float]:
    """H(Dir(α+c), Dir(α+r)) for every composition r of n, in order, and its relative error.

    With φ = Σφ_i known to ρ·φ, 1 − e^{−φ} is known to ρ + DECAY_ERROR, because x/(e^x − 1) ≤ 1, and
    its root to half of that. Where r = c all terms cancel exactly.
    """
    parts = [half_excess(alpha, c, n) for alpha, c in zip(prior, counts, strict=True)]
    absolute = sum(error for _, error in parts)
    exponents = np.concatenate(list(compositions.table_sums([part for part, _ in parts], n)))
    exponents = np.maximum(exponents, 0.0)
    least = float(np.min(exponents, where=exponents > 0, initial=np.inf))
    relative = (len(prior) + 4) * U + absolute / least
    error = relative / 2 * (1 + relative) + floats.DECAY_ERROR / 2 + 2 * U
    return np.sqrt(floats.decay(exponents)), floats.up(error)
