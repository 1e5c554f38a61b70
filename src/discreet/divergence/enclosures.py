"""Distances between Dirichlet distributions as rigorous balls, at the working precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from discreet.exact import balls
from discreet.exact.balls import ball, extra_precision


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
        return balls.root(-((-exponent).expm1()))


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
        if middle in (left, right):
            break  # as near as this precision allows
        value = f(middle)
        if value.contains(0):  # the zero itself, perhaps: close in on it from both sides
            width = tolerance
            while width < right - left:
                if f(middle - width) * f(middle + width) < 0:
                    return (middle - width).union(middle + width)
                width *= 2
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


def _not_negative(value: arb) -> arb:
    return value if value >= 0 else value.max(arb(0))
