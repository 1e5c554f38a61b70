"""From Rényi divergences to (ε, δ), at the order that proves the most."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from flint import arb

from discreet.exact import balls
from discreet.exact.balls import ball

_LOWEST, _HIGHEST = -18.0, 40.0  # of log(α − 1), where orders are looked for


class Divergence(Protocol):
    """What has Rényi divergences."""

    def renyi(self, alpha: Fraction) -> arb:
        """A bound on D_α."""


def log_delta(divergence: arb, alpha: Fraction, epsilon: Fraction) -> arb:
    """Log δ = (α−1)(D_α − ε) + (α−1)·log(1 − 1/α) − log α (Canonne, Kamath and Steinke 2020)."""
    return (ball(alpha) - 1) * (divergence - ball(epsilon) + _entropy(alpha))


def _entropy(alpha: Fraction) -> arb:
    """Log(1 − 1/α) − log α/(α−1)."""
    a = ball(alpha)
    return (1 - 1 / a).log() - a.log() / (a - 1)


def converted(divergence: arb, alpha: Fraction, delta: Fraction) -> arb:
    """The ε that D_α proves at δ: D_α + log(1/δ)/(α−1) + log(1 − 1/α) − log α/(α−1)."""
    return divergence - ball(delta).log() / (ball(alpha) - 1) + _entropy(alpha)


def threshold(alpha: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    """The largest D_α that proves (ε, δ)."""
    return ball(epsilon) + ball(delta).log() / (ball(alpha) - 1) - _entropy(alpha)


def best_order(curve: Divergence, score: Callable[[arb, Fraction], arb]) -> Fraction:
    """The order, of some, with the least score; any order is right, so floats may choose it."""
    known: dict[float, float] = {}

    def value(t: float) -> float:
        if t not in known:
            alpha = _order(t)
            with balls.precision(balls.PRECISION):
                known[t] = float(score(curve.renyi(alpha), alpha).mid())
        return known[t] if math.isfinite(known[t]) else math.inf

    centre, step = 2.0, 4.0  # of log(α − 1)
    while step > 1e-4:
        nearby = (centre, max(centre - step, _LOWEST), min(centre + step, _HIGHEST))
        best = min(nearby, key=value)
        if best == centre:
            step /= 2
        centre = best
    return _order(centre)


def _order(t: float) -> Fraction:
    return 1 + Fraction(f"{math.exp(t):.6g}")
