"""How private normal noise is: δ(ε) of the Gaussian, continuous and on the integers, in balls.

δ(ε) = max over sets A of P(A) − e^ε·P'(A) is the hockey-stick divergence of the laws P, P' of the
output under two neighbouring data sets.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial

from flint import arb

from discreet.errors import InputError
from discreet.exact import balls, theta
from discreet.exact.balls import ball

_SPREADS = tuple(Fraction(n, 4) for n in (1, 2, 3, 4, 5, 6, 8, 12, 16))
_ONE, _TEN = 10**11, 10**12  # a variance has 12 significant digits
LARGEST_PAIR = theta.LONGEST**2  # variances beyond have the bound, which is as good there


def gaussian_delta(epsilon: Fraction | arb, mu: arb) -> arb:
    """δ(ε) of normal noise for a shift of μ standard deviations (Balle and Wang 2018, Theorem 8).

    δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), for any real ε.
    """
    loss = ball(epsilon) if isinstance(epsilon, Fraction) else epsilon
    left, right = loss / mu - mu / 2, loss / mu + mu / 2
    root = arb(2).sqrt()
    return ((left / root).erfc() - loss.exp() * (right / root).erfc()) / 2


def discrete_gaussian_delta(
    epsilon: Fraction,
    sensitivity_squared: Fraction,
    variance: Fraction,
    dimension: int = 1,
    least: Fraction = Fraction(1),
) -> arb:
    """An upper bound on δ(ε) of discrete Gaussian noise on vectors of whole numbers.

    Coordinate i has noise P(z) ∝ exp(−z²/(2σ_i²)) with σ_i² ≥ least·variance, and for neighbours
    with difference s, Σ (s_i/σ_i)² ≤ sensitivity_squared/variance.

    For every τ < min σ_i the bound is (1 + r)^d·δ_normal(ε − d·log((1 + r)/(1 − r))) for a shift of
    μ·(1 − τ²/min σ_i²)^{−1/2} standard deviations, r = 2·Σ_k exp(−2π²τ²k²). With min σ_i = 10⁵ and
    τ = 2 it is that of normal noise to ten digits, in any dimension.
    """
    # The discrete law is nearly a function of normal noise (as in Peikert 2010, Theorem 3.1). Let
    # W_i ~ N(s_i, σ_i² − τ²) and, given W_i = w, let Z_i = z with probability
    # exp(−(z − w)²/(2τ²))/θ(w), θ(w) the sum over all z, which is τ√(2π)·(1 ± r) (theta.ripple).
    # So P(Z_i = z) = ∫ N(w; s_i, σ_i² − τ²)·N(z; w, τ²)·τ√(2π)/θ(w) dw is the normal density
    # N(z; s_i, σ_i²) times a factor between 1/(1 + r) and 1/(1 − r). The discrete Gaussian P_i is
    # that density times a constant c_i ≤ 1, which is the same for all s, as s_i is whole. So
    # (1 − r)·c_i ≤ P_i/P(Z_i = ·) ≤ (1 + r)·c_i, and for any set A, c = Π c_i,
    # P(A) − e^ε·P'(A) ≤ c·(1 + r)^d·[P(Z ∈ A) − e^ε·((1 − r)/(1 + r))^d·P(Z' ∈ A)].
    # Z is drawn from W alone, so the bracket is at most that of W, which is normal: a shift of
    # (Σ s_i²/(σ_i² − τ²))^{1/2} ≤ μ·(1 − τ²/min σ_i²)^{−1/2} standard deviations.
    best = arb(1)
    for spread in _SPREADS:  # of τ²
        if spread < least * variance:
            r = theta.ripple(spread)
            shift = sensitivity_squared / variance / (1 - spread / (least * variance))
            loss = ball(epsilon) - dimension * ((1 + r) / (1 - r)).log()
            best = best.min((1 + r) ** dimension * gaussian_delta(loss, ball(shift).sqrt()))
    return best


def least_gaussian_delta(
    epsilon: Fraction,
    sensitivity_squared: Fraction,
    variance: Fraction,
    dimension: int = 1,
    least: Fraction = Fraction(1),
) -> arb:
    """A lower bound on δ(ε) where some neighbours have Σ (s_i/σ_i)² = sensitivity_squared/variance.

    ((1 − r)/(1 + r))^d·δ_normal(ε + d·log((1 + r)/(1 − r))) for a shift of
    μ·(1 + τ²/min σ_i²)^{−1/2}, with r of ρ² = τ²/(1 + τ²/min σ_i²).
    """
    # Normal noise of variance τ² on top makes the output less telling. Its density at y is
    # Σ_z P_i(z)·N(y; z, τ²) = c_i·(1 ± r)·N(y; s_i, σ_i² + τ²), by Poisson's formula with
    # ρ_i² = σ_i²τ²/(σ_i² + τ²) ≥ ρ², and c_i = 1/(1 + ripple(σ_i²)) ≥ 1/(1 + r). So for any set A
    # the difference is at least Π c_i·(1 − r)^d·[N(A) − e^ε·((1 + r)/(1 − r))^d·N'(A)].
    best, lowest = arb(0), least * variance
    for spread in _SPREADS:  # of τ²
        shrunk = 1 + spread / lowest
        if spread / shrunk > Fraction(1, 10):  # else r is no use
            r, shift = theta.ripple(spread / shrunk), sensitivity_squared / variance / shrunk
            ratio = (1 + r) / (1 - r)
            loss = ball(epsilon) + dimension * ratio.log()
            best = best.max(gaussian_delta(loss, ball(shift).sqrt()) / ratio**dimension)
    return best


def discrete_hockey_stick(epsilon: Fraction, shift: int, variance: Fraction) -> arb:
    """δ(ε) of discrete Gaussian noise on one number that changes by `shift`, exactly.

    P(Z ≥ m) − e^ε·P(Z ≥ m + shift), m the least z > εσ²/shift − shift/2 (Canonne, Kamath and
    Steinke 2020, Theorem 7).
    """
    if shift == 0:
        return arb(0)
    step = abs(shift)
    m = (epsilon * variance / step - Fraction(step, 2)) // 1 + 1
    return theta.tail(m, variance) - ball(epsilon).exp() * theta.tail(m + step, variance)


def discrete_pair_delta(epsilon: Fraction, variance: Fraction) -> arb:
    """δ(ε) of discrete Gaussian noise on two numbers, of which one rises and one falls by 1.

    The ratio of the probabilities of an output depends on its difference w = z_1 − z_2 alone, which
    has P(w) = exp(−w²/(4σ²))·Σ_z exp(−(z − w/2)²/σ²)/θ(σ²)²; the sum is the same for all even w,
    and for all odd ones.
    """
    if variance > LARGEST_PAIR:
        return discrete_gaussian_delta(epsilon, Fraction(2), variance, 2)
    # The loss of w is (w + 1)/σ² where c − c' = (1, −1), so that δ = P(w > εσ² − 1) − e^ε·P(w > εσ²
    # + 1): under c' the difference has the law of w − 2. Split by parity, w = 2v or 2v + 1.
    # exp(−w²/(4σ²)) = exp(−(v + odd/2)²/σ²), a normal weight of variance σ²/2.
    half, result = variance / 2, arb(0)
    for odd in (Fraction(0), Fraction(1)):
        start = (epsilon * variance - 1 - odd) // 2 + 1 + odd / 2  # the least v + odd/2
        inner = 2 * theta.added(odd / 2, half) - (1 - odd.numerator)
        told = theta.added(start, half) - ball(epsilon).exp() * theta.added(start + 1, half)
        result += inner * told
    return result / (2 * theta.log_theta(variance)).exp()


@lru_cache(maxsize=1024)
def gaussian_variance(
    epsilon: Fraction,
    delta: Fraction,
    sensitivity_squared: Fraction,
    dimension: int = 1,
    least: Fraction = Fraction(1),
) -> Fraction:
    """The least variance of discrete Gaussian noise that is proved (ε, δ)-private.

    Rounded up to 12 significant digits; the arguments are those of `discrete_gaussian_delta`, and
    what is returned has been checked in balls.
    """
    if sensitivity_squared <= 0:
        raise InputError("the sensitivity must be positive", "delta")

    def bound(variance: Fraction) -> arb:
        return discrete_gaussian_delta(epsilon, sensitivity_squared, variance, dimension, least)

    return least_variance(bound, delta)


def least_variance(bound: Callable[[Fraction], arb], delta: Fraction) -> Fraction:
    """The least variance at which a bound on δ, which falls with it, is at most `delta`.

    Rounded up to 12 significant digits, and checked in balls.
    """
    if not 0 < delta < 1:
        raise InputError("delta must lie between 0 and 1", "delta")

    def enough(variance: Fraction) -> bool:
        return balls.refine(partial(bound, variance), lambda value: _at_most(value, ball(delta)))

    unit = Fraction(1, _ONE)
    while enough(unit * _TEN):
        unit /= 10
    while not enough(unit * _TEN):
        unit *= 10
    low, high = _ONE, _TEN
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(unit * middle) else (middle, high)
    return unit * high


def _at_most(value: arb, limit: arb) -> bool | None:
    if value <= limit:
        return True
    return False if value > limit else None
