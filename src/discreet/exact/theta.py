"""Sums over integers of the weights of normal and of lattice noise, in balls."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from discreet.exact import balls
from discreet.exact.balls import ball

LONGEST = 1000  # the largest σ whose tails are added up term by term
_TERMS = 500  # of the formula for the others, at most


def log_lattice(cells: int, epsilon: Fraction) -> arb:
    """The log of the sum of e^{−ε·½‖z‖₁} over all z ∈ Z^cells with Σz = 0.

    Counting such z by their positive part it is Σ_j C(k−1, j)²·x^j/(1−x)^{k−1} with x = e^{−ε},
    j = 0 … k−1.
    """
    top, x = cells - 1, (-ball(epsilon)).exp()
    terms = sum((math.comb(top, j) ** 2 * x**j for j in range(top + 1)), arb(0))
    return (terms / (1 - x) ** top).log()


def ripple(variance: Fraction) -> arb:
    """2·Σ_{k≥1} exp(−2π²σ²k²), how far sums over shifted integers are from the integral.

    By Poisson's summation formula Σ_z exp(−(z − w)²/(2σ²)) is
    σ√(2π)·(1 + 2·Σ_k exp(−2π²σ²k²)·cos(2πkw)).
    """
    return _series((-2 * arb.pi() ** 2 * ball(variance)).exp())


def log_theta(variance: Fraction) -> arb:
    """The log of Σ_z exp(−z²/(2σ²)): by itself or by its dual, whichever converges faster."""
    if 6 * variance > 1:  # σ² > 1/(2π) or nearly
        return (2 * arb.pi() * ball(variance)).log() / 2 + ripple(variance).log1p()
    return _series((-1 / (2 * ball(variance))).exp()).log1p()


def _series(q: arb) -> arb:
    """2·Σ_{k≥1} q^{k²}; the terms from k on are at most 2·q^{k²}/(1 − q)."""
    total, k = arb(0), 1
    while True:
        rest = 2 * q ** (k * k) / (1 - q)
        if rest <= total * arb(2) ** -balls.working_bits():
            return total + rest * arb(0.5, 0.5)
        total += 2 * q ** (k * k)
        k += 1


def tail(start: int, variance: Fraction) -> arb:
    """P(Z ≥ start) for P(z) ∝ exp(−z²/(2σ²)) on the integers."""
    if start <= 0:
        return 1 - tail(1 - start, variance)
    whole = log_theta(variance).exp()
    if variance <= LONGEST**2:
        return added(start, variance) / whole
    return _integrated(start, variance) / whole


def added(start: Fraction | int, variance: Fraction) -> arb:
    """Σ exp(−z²/(2σ²)) over z = start, start + 1, … from start ≥ 0 on, which may be a fraction.

    Each term is the one before times a ratio that falls by one factor.
    The ratios fall, so from a term t with ratio r on the rest is at most t·r/(1 − r).
    """
    bits = balls.working_bits()
    with balls.extra_precision(64):
        term = ball(-Fraction(start * start) / (2 * variance)).exp()
        ratio = ball(-Fraction(2 * start + 1) / (2 * variance)).exp()
        factor = ball(-1 / variance).exp()
        total, least = term, arb(2) ** -bits
        while True:
            for _ in range(64):
                term *= ratio
                ratio *= factor
                total += term
            rest = term * ratio / (1 - ratio)
            if rest < total * least:
                return total + rest * arb(0.5, 0.5)


def _integrated(start: int, variance: Fraction) -> arb:
    """Σ_{z≥start} g(z) for g(x) = exp(−x²/(2σ²)) and a large σ by Euler and Maclaurin's formula.

    With a = start − ½ it is ∫_a^∞ g − Σ_{k=1}^p g^{(2k−1)}(a)·B_{2k}(½)/(2k)! up to
    |B_{2p}|/(2p)!·∫_a^∞ |g^{(2p)}|, with |B_{2p}|/(2p)! ≤ 4/(2π)^{2p}. The derivatives are those
    of Hermite, g^{(k)}(x) = (−1/σ)^k·He_k(x/σ)·g(x), and |He_k(x)| ≤ 1.09·√(k!)·e^{x²/4} (Cramér).
    """
    sigma, least = ball(variance).sqrt(), arb(2) ** -balls.working_bits()
    left = (arb(start) - arb(1) / 2) / sigma
    total = sigma * (arb.pi() / 2).sqrt() * (left / arb(2).sqrt()).erfc()
    rest = 4 * sigma * arb(1.09) * arb.pi().sqrt() * (left / 2).erfc()
    before, hermite = arb(1), left
    factor = (-left * left / 2).exp() * sigma  # g(a)/σ^{2k−1}/(2k)!
    for k in range(1, _TERMS):
        factor /= sigma**2 * (2 * k * (2 * k - 1))
        total += hermite * factor * (arb(2) / 4**k - 1) * arb.bernoulli(2 * k)
        rest *= arb(2 * k * (2 * k - 1)).sqrt() / (2 * arb.pi() * sigma) ** 2
        if rest < total * least:
            break
        for j in (2 * k - 1, 2 * k):
            before, hermite = hermite, left * hermite - j * before
    return total + rest * arb(0, 1)
