"""Integrals over mixtures of Betas: distances, and which of two is larger.

All integrals run over t = logit x, where the densities f(x)·x·(1−x) are smooth and fall off
exponentially, by Gauss and Legendre's rule between the quantiles of both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.exact import Floats
from discreet.posteriors.beta_mixture import BetaMixture

_LEVELS = np.concatenate([10.0 ** np.arange(-16, -1, 1.5), [0.05, 0.1, 0.2, 0.35, 0.5]])
_POINTS = 16


def _panels(*laws: BetaMixture) -> tuple[Floats, Floats]:
    """Nodes and weights in the logit."""
    cuts = [law.logit_quantiles(_LEVELS) for law in laws]
    cuts += [-BetaMixture(law.b, law.a, law.weights).logit_quantiles(_LEVELS) for law in laws]
    edges = np.unique(np.concatenate(cuts))
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    half = np.diff(edges)[:, None] / 2
    middle = (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def _integral(
    p: BetaMixture, q: BetaMixture, integrand: Callable[[Floats, Floats], Floats]
) -> float:
    """∫ integrand(ln f, ln g) over the logit; f and g are the densities of p and q there."""
    from scipy import special

    t, weights = _panels(p, q)
    log_f, log_g = p._evaluate(t)[1], q._evaluate(t)[1]
    jacobian = special.log_expit(t) + special.log_expit(-t)
    return float(weights @ integrand(log_f + jacobian, log_g + jacobian))


def hellinger(p: BetaMixture, q: BetaMixture) -> float:
    """√(½∫(√f − √g)²)."""
    square = _integral(p, q, lambda f, g: (np.exp(f / 2) - np.exp(g / 2)) ** 2)
    return float(np.sqrt(min(square / 2, 1.0)))


def total_variation(p: BetaMixture, q: BetaMixture) -> float:
    """½·Σ|Δ(F − G)| between the points where the densities cross, each found by bisection."""
    t, _ = _panels(p, q)
    above = p._evaluate(t)[1] > q._evaluate(t)[1]
    turns = np.flatnonzero(above[1:] != above[:-1])
    low, high = t[turns], t[turns + 1]
    for _ in range(50):
        middle = (low + high) / 2
        same = (p._evaluate(middle)[1] > q._evaluate(middle)[1]) == above[turns]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    gaps = p._evaluate(low)[0] - q._evaluate(low)[0]
    return float(np.abs(np.diff(np.concatenate([[0.0], gaps, [0.0]]))).sum() / 2)


def kl(p: BetaMixture, q: BetaMixture) -> float:
    """∫ f·ln(f/g), as ∫ f·ln(f/g) − f + g, which is nowhere negative."""
    return _integral(p, q, lambda f, g: np.exp(f) * (f - g - 1) + np.exp(g))


def exceeds(p: BetaMixture, q: BetaMixture) -> float:
    """P(X > Y) = ∫ f_X(x)·F_Y(x) dx for independent X ~ p, Y ~ q."""
    from scipy import special

    t, weights = _panels(p, q)
    density = np.exp(p._evaluate(t)[1] + special.log_expit(t) + special.log_expit(-t))
    return float(min(weights @ (density * q._evaluate(t)[0]), 1.0))
