"""Arrays of floats with a proved bound on their error: balls by the million.

Only + − × / √, rounding to whole numbers and scaling by powers of two are used, all of them
correctly rounded by IEEE 754, so that the bounds hold on every machine, whatever its library of
elementary functions. u = 2⁻⁵³ is the relative error of one operation, γ_m = m·u/(1 − m·u) that of
m in a row.
"""

from __future__ import annotations

import math

import numpy as np
from flint import arb

from discreet.exact import Floats, balls

U = 2.0**-53
EXP_ERROR = 2.0**-50  # relative
NEGLIGIBLE = 1e-304  # e^{-700}: what `exp` may leave out
DECAY_ERROR = 2.0**-48  # relative

_LOG2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")  # ends in 11 zero bits: its multiples are exact
_LOG2_LOW = float.fromhex("0x1.ef35793c76730p-45")
_EXP = [1 / math.factorial(j) for j in range(13, -1, -1)]
_DECAY = [(-1) ** j / math.factorial(j + 1) for j in range(14, -1, -1)]


def exp(x: Floats) -> Floats:
    """e^x for −∞ ≤ x ≤ 700, within a relative `EXP_ERROR` and, below e^{-700}, `NEGLIGIBLE`.

    x = j·ln 2 + r with |r| ≤ 0.347: the product j·high is exact, so r is off by less than u. The
    Taylor polynomial of degree 13 leaves out 2⁻⁵⁷ and Horner's rule, whose term j carries γ_{2j+2},
    loses at most u·Σ(2j+2)|r|^j/j! = 2u·(1+|r|)e^{|r|} < 4u, all relative to e^r ≥ 0.7: below 8u.
    """
    inside = np.maximum(x, -700.0)
    whole = np.rint(inside * (1 / math.log(2)))
    rest = (inside - whole * _LOG2_HIGH) - whole * _LOG2_LOW
    result = np.full_like(rest, _EXP[0])
    for coefficient in _EXP[1:]:
        result *= rest
        result += coefficient
    result = np.ldexp(result, whole.astype(np.int32))
    return np.where(x < -700.0, 0.0, result)


def decay(x: Floats) -> Floats:
    """1 − e^{−x} for x ≥ 0, within a relative `DECAY_ERROR`.

    Up to 0.35 by Σ_j (−x)^j/(j+1)!·x: Horner's rule loses 2u·e^x against a sum of at least 0.84,
    and the 15 terms leave out less than u. Beyond, 8u·e^{−x} + u against at least 0.29: below 32u.
    """
    result = 1.0 - exp(-x)
    near = x < 0.35
    small = x[near]
    series = np.full_like(small, _DECAY[0])
    for coefficient in _DECAY[1:]:
        series *= small
        series += coefficient
    result[near] = series * small
    return result


def log(x: Floats) -> tuple[Floats, float]:
    """ln x for 1e-300 ≤ x ≤ 1e300, and a bound on the error.

    Whatever the library returns as y is checked: ln x = y + ln(1 + s) with s = x·e^{−y} − 1, and
    |ln(1+s)| ≤ 2|s| for |s| ≤ ½. s itself is known to EXP_ERROR + 3u.
    """
    y = np.log(x)
    half = np.rint(y) / 2  # e^{−y} may be out of range, its root is not
    residual = float(np.abs(x * exp(-half) * exp(-(y - half)) - 1).max(initial=0.0))
    if not residual < 0.25:
        return y, math.inf
    return y, 2 * (residual + 3 * EXP_ERROR)


def log_of_sum(terms: Floats, error: float) -> tuple[float, float]:
    """ln Σ terms and a bound on its error; the terms are positive and relatively known to `error`.

    m − 1 additions in any order lose at most γ_{m−1}, relatively.
    """
    total = float(terms.sum())
    with balls.precision(balls.PRECISION):
        value = float(arb(total).log().mid())
    lost = error + (len(terms) + 2) * U + len(terms) * NEGLIGIBLE / total
    return value, up(lost * (1 + 2 * lost) + 2 * U * abs(value))


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and what rounding lost, exactly (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def up(x: float) -> float:
    """A little more: covers the rounding of the few operations behind a bound."""
    return math.nextafter(x * (1 + 2.0**-40), math.inf)
