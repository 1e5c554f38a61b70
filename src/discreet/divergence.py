"""Distances between Dirichlet distributions: in floats, right to 1e-9, and as rigorous balls.

Everything rests on the Kullback-Leibler divergence. With E(x, y) = lnΓ(y) − lnΓ(x) − (y−x)ψ(x), the
Bregman divergence of lnΓ, KL(Dir(a) ‖ Dir(b)) = Σ E(a_i, b_i) − E(Σa, Σb); and the Bhattacharyya
coefficient of Dir(a) and Dir(b) is exp(−½[KL(m‖a) + KL(m‖b)]) at their midpoint m, so the Hellinger
distance is √(1 − that). Differences of lnΓ would cancel all digits for large counts; `_betas` below
never forms one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb

from discreet import check
from discreet.errors import InputError
from discreet.exact import balls
from discreet.exact.balls import ball, extra_precision

Floats: TypeAlias = npt.NDArray[np.float64]

_SHIFT = 8  # Γ(x) = Γ(x + 8)/(x(x+1)…(x+7)), and Stirling's series from there on
_STIRLING = ((1 / 12, 1), (-1 / 360, 3), (1 / 1260, 5), (-1 / 1680, 7), (1 / 1188, 9))


def _log_excess(ratio: Floats, v: Floats) -> Floats:
    """V − log(1+v), where ratio = 1+v: the Bregman divergence of −log x."""
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
        polynomial = [q * comb(q, m - 1) - comb(q, m) for m in range(q + 1, 1, -1)]
        total += coefficient * np.polyval(polynomial, v) / y**q
    return v * v * total


def _gamma_excess(x: Floats, y: Floats, d: Floats) -> Floats:
    """E(x, y) with d = y − x: a sum of terms that are never negative."""
    total = np.zeros_like(d)
    for j in range(_SHIFT):
        total += _log_excess((y + j) / (x + j), d / (x + j))
    x, y = x + _SHIFT, y + _SHIFT
    v = d / x
    # lnΓ(x) = x·ln x − ½·ln x − x + const + series
    return (
        total + x * _entropy_excess(y / x, v) + 0.5 * _log_excess(y / x, v) + _series_excess(y, v)
    )


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


def _kl(x: Floats, y: Floats, d: Floats) -> Floats:
    """KL(Dir(x) ‖ Dir(y)), d = y − x.

    Where the sums agree it is Σ E(x_i, y_i). Otherwise stick-breaking: a Dirichlet is a product of
    independent Betas, and divergences add up.
    """
    if not d.sum(axis=-1).any():
        return np.asarray(_gamma_excess(x, y, d).sum(axis=-1))
    sticks = _betas(x[..., :-1], y[..., :-1], d[..., :-1], _tails(x), _tails(y), _tails(d))
    return np.asarray(sticks.sum(axis=-1))


def half_excess(a: Floats, b: Floats, step: Floats) -> Floats:
    """φ = ½[lnΓ(a) + lnΓ(b)] − lnΓ((a+b)/2), never negative, with step = b − a.

    The sum over the coordinates is −log of the Bhattacharyya coefficient if the totals agree.
    """
    half = np.stack([-step / 2, step / 2])
    ends = np.stack(np.broadcast_arrays(a, b))
    return np.asarray(_gamma_excess(a + half[1], ends, half).sum(axis=0) / 2)


def minus_log_w(a: float) -> float:
    """−ln w(a), w(a) = Γ(a+½)/(Γ(a)√a): φ for one step from a, or to a."""
    total = 0.0
    while a < 10:
        total += math.log1p(1 / (4 * a * (a + 1))) / 2
        a += 1
    x = 1 / (a * a)
    return total + (1 / 8 - x * (1 / 192 - x * (1 / 640 - x * (17 / 14336 - x * 31 / 18432)))) / a


def half_excess_table(alpha: float, count: int, n: int) -> Floats:
    """`half_excess` from a = α + count to b = α + r for every r = 0 … n, by steps of two.

    φ(b+2) − φ(b) = ½·ln(b(b+1)/m²) with m = (a+b)/2 follows from Γ(x+1) = x·Γ(x). Going away
    from b = a all steps are positive, so their sums keep their digits.
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


def _pair(a: object, b: object) -> tuple[Floats, Floats]:
    first, second = check.parameters("a", a), check.parameters("b", b)
    if first.shape[-1] != second.shape[-1]:
        raise InputError(
            f"a and b must have as many parameters, got {first.shape[-1]} and {second.shape[-1]}",
            "b",
        )
    first, second = np.broadcast_arrays(first, second)
    return first, second


def _plain(values: Floats) -> float | Floats:
    return float(values) if np.ndim(values) == 0 else values


def hellinger(a: object, b: object) -> float | Floats:
    """Hellinger distance √(1 − B((a+b)/2)/√(B(a)·B(b))) between Dir(a) and Dir(b).

    Arrays of parameter vectors are broadcast along all axes but the last. Relative error at most
    1e-9 for parameters from 1e-3 to 1e12. Reference: P0 §3 (its integral lacks two roots, E1).
    """
    first, second = _pair(a, b)
    middle, half = (first + second) / 2, (second - first) / 2
    exponent = 0.5 * (_kl(middle, first, -half) + _kl(middle, second, half))
    return _plain(np.sqrt(-np.expm1(-np.maximum(exponent, 0.0))))


def kl(a: object, b: object) -> float | Floats:
    """Kullback-Leibler divergence KL(Dir(a) ‖ Dir(b)) = ∫ p log(p/q); arrays as in `hellinger`."""
    first, second = _pair(a, b)
    return _plain(np.maximum(_kl(first, second, second - first), 0.0))


def l1(a: object, b: object) -> float | Floats:
    """The l1 distance Σ|a_i − b_i| between the parameters; arrays as in `hellinger`."""
    first, second = _pair(a, b)
    return _plain(np.abs(first - second).sum(axis=-1))


def total_variation(a: object, b: object) -> float | Floats:
    """Total variation distance sup_A |P(A) − Q(A)| between Beta(a) and Beta(b); two parameters.

    A difference of incomplete beta functions at the points where the densities cross: in floats
    where those are accurate enough, otherwise in balls. Arrays as in `hellinger`.
    """
    first, second = _pair(a, b)
    if first.shape[-1] != 2:
        raise InputError(
            f"total_variation needs two parameters (a Beta), got {first.shape[-1]}", "a"
        )
    return _plain(beta_total_variation(first, second))


def beta_total_variation(first: Floats, second: Floats) -> Floats:
    """Total variation of Betas, for arrays that are known to be valid."""
    result, sure = _float_total_variation(first, second)
    for where in zip(*np.nonzero(~np.atleast_1d(sure)), strict=True):
        index = where if np.ndim(sure) else ()
        a = tuple(Fraction(float(x)) for x in first[index])
        b = tuple(Fraction(float(x)) for x in second[index])
        result[index] = balls.nearest(partial(total_variation_ball, a, b))
    return result


def _float_total_variation(first: Floats, second: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The value, and where it is good to 1e-10: equal sums, and no digits lost."""
    from scipy import special

    (a1, b1), (a2, b2) = np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)
    step = a2 - a1
    equal_sums = step == b1 - b2
    with np.errstate(all="ignore"):
        # one crossing, where step·logit(x) = lnB(a2, b2) − lnB(a1, b1); an error in x is harmless
        # because the difference of the distribution functions is flat there
        logit = (special.betaln(a2, b2) - special.betaln(a1, b1)) / step
        x, y = special.expit(logit), special.expit(-logit)
        left = special.betainc(a1, b1, x) - special.betainc(a2, b2, x)
        right = special.betainc(b2, a2, y) - special.betainc(b1, a1, y)
        value = np.abs(np.where(x < 0.5, left, right))
        sure = equal_sums & (value > 1e-5 * np.sqrt(a1 + b1)) & (a1 + b1 < 1e7)
    value = np.where(step == 0, 0.0, value)
    return np.atleast_1d(value)[()] if value.ndim else value, sure | ((step == 0) & (b1 == b2))


# ---- balls ----------------------------------------------------------------------------------


def size_bits(parameters: Sequence[Fraction]) -> int:
    """Bits that a difference of log-gammas at these parameters cancels, about."""
    return 3 * max(int(max(parameters)).bit_length(), 8)


def _log_beta(parameters: Sequence[arb]) -> arb:
    total = arb(0)
    logs = arb(0)
    for parameter in parameters:
        total += parameter
        logs += parameter.lgamma()
    return logs - total.lgamma()


def hellinger_ball(a: Sequence[Fraction], b: Sequence[Fraction]) -> arb:
    """A ball around the Hellinger distance of Dir(a) and Dir(b), at the working precision."""
    with extra_precision(size_bits((*a, *b))):
        if sum(a) == sum(b):
            # only coordinates that differ contribute, and the totals cancel
            exponent = arb(0)
            for x, y in zip(a, b, strict=True):
                if x != y:
                    exponent += (ball(x).lgamma() + ball(y).lgamma()) / 2 - ball(
                        (x + y) / 2
                    ).lgamma()
        else:
            middle = [(ball(x) + ball(y)) / 2 for x, y in zip(a, b, strict=True)]
            exponent = (
                _log_beta([ball(x) for x in a]) + _log_beta([ball(x) for x in b])
            ) / 2 - _log_beta(middle)
        return _root(-((-exponent).expm1()))


def kl_ball(a: Sequence[Fraction], b: Sequence[Fraction]) -> arb:
    """A ball around KL(Dir(a) ‖ Dir(b)), at the working precision."""
    with extra_precision(size_bits((*a, *b))):
        first, second = [ball(x) for x in a], [ball(x) for x in b]
        mean_log = ball(sum(a, Fraction(0))).digamma()
        result = _log_beta(second) - _log_beta(first)
        for x, y in zip(first, second, strict=True):
            result += (x - y) * (x.digamma() - mean_log)
        return _not_negative(result)


def total_variation_ball(a: Sequence[Fraction], b: Sequence[Fraction]) -> arb:
    """A ball around the total variation distance of Beta(a) and Beta(b)."""
    if tuple(a) == tuple(b):
        return arb(0)
    with extra_precision(size_bits((*a, *b))):
        # P(A) − Q(A) for the set A between two crossings of the densities is a difference of the
        # distribution functions; the pieces before the first and after the last start at 0
        gaps = [_cdf_ball(a, t) - _cdf_ball(b, t) for t in _crossings(a, b)]
        steps = zip([arb(0), *gaps], [*gaps, arb(0)], strict=True)
        return sum((abs(later - earlier) for earlier, later in steps), arb(0)) / 2


def _crossings(a: Sequence[Fraction], b: Sequence[Fraction]) -> list[arb]:
    """The logits of the points where the densities of Beta(a) and Beta(b) are equal: one or two.

    log p − log q = (a1−b1)·ln x + (a2−b2)·ln(1−x) − c changes direction at most once.
    """
    p, q = a[0] - b[0], a[1] - b[1]
    c = _log_beta([ball(x) for x in a]) - _log_beta([ball(x) for x in b])

    def log_ratio(t: arb) -> arb:
        return -ball(p) * (-t).exp().log1p() - ball(q) * t.exp().log1p() - c

    if p == -q:
        return [c / ball(p)]
    if p * q <= 0:
        return [_sign_change(log_ratio, None, None)]
    turn = (ball(p) / ball(q)).log().mid()
    return [_sign_change(log_ratio, None, turn), _sign_change(log_ratio, turn, None)]


def _sign_change(f: Callable[[arb], arb], low: arb | None, high: arb | None) -> arb:
    """A ball that holds the zero of a monotone function between two ends (None: without end)."""
    anchor = low if low is not None else high if high is not None else arb(0)
    reach = arb(1)
    while True:
        left = low if low is not None else anchor - reach
        right = high if high is not None else anchor + reach
        if f(left) * f(right) < 0:
            break
        reach *= 2
        if reach > arb(2) ** 64:
            return arb.nan()  # undecided: more precision is needed
    rising = f(right) > 0
    tolerance = arb(2) ** (-balls.working_bits() // 2)  # an error in the point counts squared
    while right - left > tolerance:
        middle = ((left + right) / 2).mid()
        value = f(middle)
        if value.contains(0):
            break
        if (value > 0) == rising:
            right = middle
        else:
            left = middle
    return left.union(right)


def _cdf_ball(parameters: Sequence[Fraction], logit: arb) -> arb:
    """The distribution function of a Beta at the point with that logit.

    Far out in a tail, where the integral is slow or fails, a rigorous bound serves.
    """
    a, b = parameters
    x, y = 1 / (1 + (-logit).exp()), 1 / (1 + logit.exp())
    below, above = _tail_bound(a, b, x, y), _tail_bound(b, a, y, x)
    if below is not None:
        return below
    if above is not None:
        return 1 - above
    if logit > 0:
        return 1 - y.beta_lower(ball(b), ball(a), True)
    return x.beta_lower(ball(a), ball(b), True)


def _tail_bound(a: Fraction, b: Fraction, x: arb, y: arb) -> arb | None:
    """I_x(a, b) as a ball from 0, if it is below the working precision; y = 1 − x.

    I_x(a,b) = x^a·y^b/(a·B(a,b))·Σ_j Π_{i<j} (a+b+i)/(a+1+i)·x^j, whose ratios are at most
    r = x·max(1, (a+b)/(a+1)), so it is at most the first factor over 1 − r.
    """
    ratio = x * ball(max(Fraction(1), (a + b) / (a + 1)))
    if not ratio < 1:
        return None
    log_first = ball(a) * x.log() + ball(b) * y.log() - ball(a).log()
    bound = (log_first - _log_beta([ball(a), ball(b)])).exp() / (1 - ratio)
    return arb(0).union(bound.upper()) if bound < arb(2) ** -balls.working_bits() else None


def _root(square: arb) -> arb:
    """√ of a number known not to be negative, whatever its ball says."""
    return _not_negative(square).sqrt()


def _not_negative(value: arb) -> arb:
    return value if value >= 0 else value.max(arb(0))
