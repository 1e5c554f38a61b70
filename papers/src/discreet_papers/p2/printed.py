"""The numbers that P2 prints as results. They are few."""

from __future__ import annotations

import math

from discreet_papers.parts import Printed


def omega() -> float:
    """The positive root of e^ω = 1 + 2ω."""
    from scipy.optimize import brentq

    return float(brentq(lambda x: math.exp(x) - 1 - 2 * x, 0.5, 3, xtol=1e-14))


def kappa() -> float:
    """e^ω/(1 − e^{−ω})."""
    return math.exp(omega()) / -math.expm1(-omega())


PRINTED: tuple[Printed, ...] = (
    Printed("p2", "Theorem 4, ω, as the root of e^ω = 1 + 2ω", "1.25643", omega),
    Printed("p2", "Theorem 4, κ, as e^ω/(1 − e^{−ω})", "4.91081", kappa),
)
