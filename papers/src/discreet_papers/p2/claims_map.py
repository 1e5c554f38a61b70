"""P2 §4.2: Algorithm 3, the MAP estimate by the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.exact import Floats
from discreet.families.network import bounds
from discreet.families.network.mechanisms.map_estimate import by_mass
from discreet.families.network.smoothness import beta_smoothness
from discreet_papers.p2.brute_force import (
    PAIR,
    binary,
    counts_of,
    largest_of,
    neighbours,
)
from discreet_papers.p2.simulating import tables
from discreet_papers.parts import Claim, Finding, Verdict

_GRID = 20_001


def _density_loss(
    first: tuple[float, float], second: tuple[float, float], omega: float, delta: float
) -> tuple[float, float]:
    """How far two posterior densities on [ω, 1 − ω] are apart, and the loss of Algorithm 3, ε = 1.

    Integrals by the midpoint rule; the base measure is the same in both and cancels.
    """
    from scipy.stats import beta

    edges = np.linspace(omega, 1 - omega, _GRID)
    theta, step = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    logs: list[Floats] = []
    densities: list[Floats] = []
    for a, b in (first, second):
        density = beta.pdf(theta, a, b)
        density /= density.sum() * step
        weight = density / (2 * delta)
        base = np.exp(weight - weight.max())
        logs.append(weight - weight.max() - np.log(base.sum()))
        densities.append(density)
    return float(np.abs(densities[0] - densities[1]).max()), largest_of(logs)


def _private() -> Finding:
    omega, n = 0.1, 1000
    lipschitz = math.sqrt(math.log((1 - omega) / omega))
    apart, loss = _density_loss((1, n + 1), (2, n), omega, lipschitz)
    alpha, many = 100, 10_000
    smooth = beta_smoothness(binary(alpha, a="")).value  # √(M/2), one node and one record
    wide, worse = _density_loss((alpha, alpha + many), (alpha + 1, alpha + many - 1), 0, smooth)
    made = by_mass(PAIR, 2, Fraction(1), points=5)
    audited = 0.0
    for one, other in neighbours(PAIR, 2):
        laws = [made.raw_law(tables(PAIR, counts_of(PAIR, x))) for x in (one, other)]
        parts = zip(*(law.parts for law in laws), strict=True)  # type: ignore[attr-defined]
        ratios = [(p.log_p - q.log_p) for p, q in parts]
        audited = max(audited, sum(r.max() for r in ratios), sum(-r.min() for r in ratios))
    words = (
        f"Not with the density as the score, which no such Δ bounds. One node, θ in [{omega}, "
        f"{1 - omega}], {n:,} records: Δ = √(Lr) is {lipschitz:.2f}, one record changes the "
        f"density by {apart:.1f}, and at ε = 1 Algorithm 3 loses {loss:.1f}. With prior "
        f"Beta({alpha}, {alpha}), {many:,} records and Δ = √(M/2) = {smooth:.2f} the density "
        f"changes by {wide:.0f} and the loss is {worse:.0f}. With probability masses on a finite "
        f"grid it is private: an arc of two nodes, five points a row, loses {audited:.3f}."
    )
    return Finding(
        Verdict.of(max(loss, worse) <= 1, audited <= 1),
        words,
        {
            "lipschitz_delta": lipschitz,
            "density_change": apart,
            "loss": loss,
            "smooth_delta": smooth,
            "smooth_density_change": wide,
            "smooth_loss": worse,
            "masses_loss": float(audited),
        },
    )


def _lemma_4() -> Finding:
    epsilon, t, delta = 8, 0.3, 1
    score = np.array([1.0, 1 - t + 1e-9, 1 - 2 * t])
    base = np.array([1e-6, 0.5, 0.5])
    weights = np.exp(epsilon * score / (2 * delta)) * base
    missed = float(weights[2] / weights.sum())
    share = 0.5 + 1e-6
    printed = math.exp(-epsilon * t) / share
    right = bounds.map_miss(epsilon, t, delta, share)
    words = (
        f"With e^(−εt/(2Δ)); as printed it is right for Δ ≤ ½. Δ = {delta}, ε = {epsilon}, "
        f"t = {t} and three outputs: the probability is {missed:.4f}, the bound as printed "
        f"{printed:.4f}, the right one {right:.4f}."
    )
    return Finding(
        Verdict.of(missed <= printed, missed <= right),
        words,
        {"missed": missed, "printed": printed, "right": right},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-corollary-4",
        "Corollary 4, Algorithm 3",
        "The exponential mechanism with the posterior density as its score and Δ = √(Lr) or "
        "√(0.5M) is ε-private.",
        _private,
        "E12",
    ),
    Claim(
        "p2-lemma-4",
        "Lemma 4",
        "The score of the answer is 2t or more below the best with probability e^{−εt}/ξ(S_t) at "
        "most.",
        _lemma_4,
        "E12",
    ),
)
