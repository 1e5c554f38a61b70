"""Differences of log-gammas in floats, without cancellation.

With E(x, y) = lnΓ(y) − lnΓ(x) − (y−x)ψ(x), the Bregman divergence of lnΓ,
KL(Dir(a) ‖ Dir(b)) = Σ E(a_i, b_i) − E(Σa, Σb), and the Bhattacharyya coefficient of Dir(a) and
Dir(b) is exp(−½[KL(m‖a) + KL(m‖b)]) at their midpoint m. Forming lnΓ itself would cancel all digits
for large counts; here every E is a sum of terms that are never negative.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.exact import Floats

_SHIFT = 8  # Γ(x) = Γ(x + 8)/(x(x+1)…(x+7)), and Stirling's series from there on
_STIRLING = ((1 / 12, 1), (-1 / 360, 3), (1 / 1260, 5), (-1 / 1680, 7), (1 / 1188, 9))


def _log_excess(ratio: Floats, v: Floats) -> Floats:
    """v − log(1+v), where ratio = 1+v: the Bregman divergence of −log x."""
    s = v / (2 + v)
    s2 = s * s
    # log(1+v) = 2·atanh(s) and v − 2s = s·v
    result = np.asarray(s * v - 2 * s * s2 * np.polyval([1 / j for j in range(17, 1, -2)], s2))
    far = np.abs(v) >= 0.25
    if far.any():
        step, whole = v[far], np.broadcast_to(ratio, v.shape)[far]
        log = np.where(step < -0.5, np.log(whole), np.log1p(np.maximum(step, -0.5)))
        result[far] = step - log
    return result


def _entropy_excess(ratio: Floats, v: Floats) -> Floats:
    """(1+v)·log(1+v) − v, where ratio = 1+v: the Bregman divergence of x·log x."""
    result = np.asarray(v * v - (1 + v) * _log_excess(ratio, v))
    far = np.abs(v) >= 0.25
    if far.any():
        whole = np.broadcast_to(ratio, v.shape)[far]
        result[far] = whole * np.log(whole) - v[far]
    return result


def _series_excess(y: Floats, v: Floats) -> Floats:
    """The Bregman divergence of Stirling's series, from x = y/(1+v) to y.

    That of x^{−q} is v²·P(v)/y^q, where (1+v)^q·[(1+v)^{−q} − 1 + qv] = v²·P(v).
    """
    total = np.zeros_like(v)
    for coefficient, q in _STIRLING:
        polynomial = [q * math.comb(q, m - 1) - math.comb(q, m) for m in range(q + 1, 1, -1)]
        total += coefficient * np.polyval(polynomial, v) / y**q
    return v * v * total


def _gamma_excess(x: Floats, y: Floats, d: Floats) -> Floats:
    """E(x, y) with d = y − x: a sum of terms that are never negative."""
    result = np.empty_like(d)
    small = np.minimum(x, y) < _SHIFT
    result[~small] = _stirling_excess(x[~small], y[~small], d[~small])
    if small.any():
        x, y, d = x[small], y[small], d[small]
        total = _stirling_excess(x + _SHIFT, y + _SHIFT, d)
        for j in range(_SHIFT):
            total += _log_excess((y + j) / (x + j), d / (x + j))
        result[small] = total
    return result


def _stirling_excess(x: Floats, y: Floats, d: Floats) -> Floats:
    """E(x, y) by lnΓ(x) = x·ln x − ½·ln x − x + const + series, for large x and y."""
    v, ratio = d / x, y / x
    logs = _log_excess(ratio, v)
    return np.asarray(x * _entropy_excess(ratio, v) + 0.5 * logs + _series_excess(y, v))


def _betas(x1: Floats, y1: Floats, d1: Floats, x2: Floats, y2: Floats, d2: Floats) -> Floats:
    """KL(Beta(x1, x2) ‖ Beta(y1, y2)) = E(x1, y1) + E(x2, y2) − E(x1+x2, y1+y2), d = y − x.

    The x·log x parts combine: Σ x·q(v) − X·q(V) = Σ x·(1+V)·q((v−V)/(1+V)) where V is the weighted
    mean of the v, q(v) = (1+v)log(1+v) − v, and v − V has a determinant for numerator.
    """
    x, y, d = x1 + x2, y1 + y2, d1 + d2
    total = np.zeros_like(x)
    for j in range(_SHIFT):
        total += _log_excess((y1 + j) / (x1 + j), d1 / (x1 + j))
        total += _log_excess((y2 + j) / (x2 + j), d2 / (x2 + j))
        for i in (2 * j, 2 * j + 1):
            total -= _log_excess((y + i) / (x + i), d / (x + i))
    x1, y1, x2, y2 = x1 + _SHIFT, y1 + _SHIFT, x2 + _SHIFT, y2 + _SHIFT
    x, y = x + 2 * _SHIFT, y + 2 * _SHIFT
    by_difference = np.abs(d1 * x2) + np.abs(d2 * x1) < y1 * x2 + y2 * x1
    determinant = np.where(by_difference, d1 * x2 - d2 * x1, y1 * x2 - y2 * x1)
    for part, other, sign in ((x1, y1, 1), (x2, y2, -1)):
        total += (
            part
            * (y / x)
            * _entropy_excess(other / part * (x / y), sign * determinant / (part * y))
        )
    for part, other, step, sign in ((x1, y1, d1, 1), (x2, y2, d2, 1), (x, y, d, -1)):
        total += sign * 0.5 * _log_excess(other / part, step / part)
        total += sign * _series_excess(other, step / part)
    return total


def _tails(values: Floats) -> Floats:
    """Σ_{j>i} values_j for every i but the last."""
    return np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1]


def dirichlet_kl(x: Floats, y: Floats, d: Floats) -> Floats:
    """KL(Dir(x) ‖ Dir(y)) = Σ E(x_i, y_i) − E(Σx, Σy) with d = y − x, for every row.

    Where the difference would cancel more than three digits, by stick-breaking: a Dirichlet is a
    product of independent Betas, and divergences add up.
    """
    shape, k = d.shape[:-1], d.shape[-1]
    x, y, d = x.reshape(-1, k), y.reshape(-1, k), d.reshape(-1, k)
    parts = _gamma_excess(x, y, d).sum(axis=1)
    result = parts - _gamma_excess(x.sum(axis=1), y.sum(axis=1), d.sum(axis=1))
    lost = result < 1e-3 * parts
    if lost.any():
        x, y, d = x[lost], y[lost], d[lost]
        sticks = _betas(x[:, :-1], y[:, :-1], d[:, :-1], _tails(x), _tails(y), _tails(d))
        result[lost] = sticks.sum(axis=1)
    return np.asarray(result.reshape(shape))


def minus_log_w(a: float) -> float:
    """−ln w(a), w(a) = Γ(a+½)/(Γ(a)√a)."""
    total = 0.0
    while a < 10:
        total += math.log1p(1 / (4 * a * (a + 1))) / 2
        a += 1
    x = 1 / (a * a)
    return total + (1 / 8 - x * (1 / 192 - x * (1 / 640 - x * (17 / 14336 - x * 31 / 18432)))) / a


def half_excess_table(alpha: float, count: int, n: int) -> Floats:
    """φ = ½[lnΓ(a) + lnΓ(b)] − lnΓ((a+b)/2) at a = α + count, b = α + r, for r = 0 … n.

    Summed over the coordinates it is −log of the Bhattacharyya coefficient if the totals agree. The
    first step costs −ln w; then φ(b+2) − φ(b) = ½·ln(b(b+1)/m²), m = (a+b)/2, follows from
    Γ(x+1) = x·Γ(x). Going away from b = a all steps are positive, so their sums keep their digits.
    """
    a = alpha + count
    table = np.zeros(n + 1)
    half = np.arange(max(n - count - 1, 0)) / 2
    b, m = a + 2 * half, a + half
    _climb(table[count:], np.log1p((half * (b + m) + b) / (m * m)) / 2, minus_log_w(a))
    if count:
        half = np.arange(count - 1) / 2
        b, m = alpha + np.arange(count - 2.0, -1, -1), a - half - 1  # from b + 2 down to b
        steps = np.log1p((half * (b + m) + m) / (b * (b + 1))) / 2
        _climb(table[count::-1], steps, minus_log_w(alpha + (count - 1)))
    return table


def _climb(table: Floats, steps: Floats, first: float) -> None:
    """Fill a table from its start: even places from 0, odd places from `first`, by steps of two."""
    table[1:2] = first
    table[2::2] = np.cumsum(steps[0::2])
    table[3::2] = first + np.cumsum(steps[1::2])
