"""P2 §5.2: what Figure 2 is said to show, by statistics of the census that are kept here."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from discreet.exact import Floats
from discreet_papers.p2 import census
from discreet_papers.p2.claims_regression import pinned_loss
from discreet_papers.p2.regression import cost, norm_of, worst_loss
from discreet_papers.parts import Claim, Finding, Verdict

PRECISIONS = tuple(Fraction(10) ** k for k in range(-3, 5))
SLIGHTLY = 0.05  # of the error


@cache
def expected_errors(b: Fraction, epsilon: float | None = None) -> tuple[float, float]:
    """Test errors of the posterior mean and, on average, of a sample, σ = 1: every tenth trains.

    With ε, both are of the posterior that is tempered to it. The weights' ball is left out: it
    holds all but `outside` of the posterior.
    """
    test = census.every_tenth()[1]
    mean, spread = _posterior(b, 1.0 if epsilon is None else min(1.0, epsilon / float(cost(b))))
    error = test.error(mean)
    return error, error + float(np.trace(spread @ test.xx)) / test.n * census.UNIT**2


def _posterior(b: Fraction, power: float = 1.0) -> tuple[Floats, Floats]:
    train = census.every_tenth()[0]
    spread = np.linalg.inv(power * train.xx + float(b) * np.eye(census.WEIGHTS))
    return spread @ train.xy * power, np.asarray(spread, dtype=np.float64)


def outside(b: Fraction) -> float:
    """A bound on the posterior mass outside of ‖w‖ ≤ 10/√b: a tail of χ² from the nearest edge."""
    from scipy.special import chdtrc

    mean, spread = _posterior(b)
    away = float(norm_of(b)) - float(np.linalg.norm(mean))
    return float(chdtrc(census.WEIGHTS, away**2 / np.linalg.eigvalsh(spread)[-1]))


def _prior() -> Finding:
    exact, sample = (np.array([expected_errors(b)[i] for b in PRECISIONS]) for i in (0, 1))
    lowest = int(sample.argmin())
    rising = bool((np.diff(exact) > 0).all())
    beyond = bool((np.diff(sample[lowest:]) > 0).all())
    left = max(outside(b) for b in PRECISIONS)
    words = (
        f"Without privacy the error grows throughout, from {exact[0]:.4f} at b = 0.001 to "
        f"{exact[-1]:.4f} at b = 10,000. That of a sample first falls, from {sample[0]:.4f} to "
        f"{sample[lowest]:.4f} at b = {float(PRECISIONS[lowest]):g}, since a stronger prior also "
        f"makes samples vary less; then it grows to {sample[-1]:.4f}. (Census of 2000, every tenth "
        f"record to train with. The bound 10/√b on the norm is never felt: it cuts off less than "
        f"{left:.0e} of any posterior.)"
    )
    return Finding(
        Verdict.of(rising and lowest == 0 and beyond, rising and beyond),
        words,
        {
            "exact_first": float(exact[0]),
            "exact_last": float(exact[-1]),
            "sample_first": float(sample[0]),
            "sample_least": float(sample[lowest]),
            "sample_last": float(sample[-1]),
            "least_at": float(PRECISIONS[lowest]),
            "outside": left,
        },
    )


def _slightly() -> Finding:
    test = census.every_tenth()[1]
    constant = test.error(np.zeros(census.WEIGHTS))
    pairs = {b: expected_errors(b) for b in PRECISIONS}
    excess = {b: sample / exact - 1 for b, (exact, sample) in pairs.items()}
    most = max(excess.values())
    best = min(exact for exact, _ in pairs.values())
    tempered = {b: expected_errors(b, 1.0)[1] for b in PRECISIONS}
    at = min(tempered, key=lambda b: tempered[b])
    kept = (constant - tempered[at]) / (constant - best)
    costs = [float(cost(Fraction(b))) for b in (1, 100, 10_000)]
    words = (
        f"A sample's error is at most {most:.1%} above the other, but at what ε P2 does not say: "
        f"with σ = 1 one sample costs {costs[0]:g} at b = 1, {costs[1]:g} at b = 100 and "
        f"{costs[2]:.2f} at b = 10,000, where even without privacy {pairs[PRECISIONS[-1]][0]:.3f} "
        f"is left of the {constant:.3f} of no features at all. Tempered to ε = 1 the best is "
        f"{tempered[at]:.3f} at b = {float(at):g}, {kept:.0%} of what the features explain, and "
        f"b = 1 has {tempered[Fraction(1)]:.2f}."
    )
    cheap = tempered[at] / best - 1 <= SLIGHTLY
    return Finding(
        Verdict.of(cheap and most <= SLIGHTLY, most <= SLIGHTLY),
        words,
        {
            "largest_excess": most,
            "epsilon_b1": costs[0],
            "epsilon_b100": costs[1],
            "epsilon_b10000": costs[2],
            "no_features": constant,
            "not_private": best,
            "tempered": tempered[at],
            "tempered_b": float(at),
            "tempered_b1": tempered[Fraction(1)],
            "kept": kept,
        },
    )


def _privacy() -> Finding:
    norms = (0.1, 0.5, 1.0)
    found = {norm: pinned_loss(norm, 10**6) for norm in norms}
    proved = [worst_loss(norm) for norm in (*norms, 10.0, 100.0)]
    below = all(0.9 * worst_loss(x) < loss <= worst_loss(x) for x, loss in found.items())
    rising = all(np.diff([float(cost(b)) for b in PRECISIONS]) < 0)
    shares = [loss / norm for loss, norm in zip(proved, (*norms, 10.0, 100.0), strict=True)]
    proportional = max(shares) <= min(shares) * 1.01
    small = max(shares[:3]) <= min(shares[:3]) * 1.01
    words = (
        "It increases, and in proportion to the norm bound B up to B = 1 only. There the worst "
        f"loss is 4B/σ², of which a million records attain {found[0.1]:.3f} for B = 0.1 and "
        f"{found[1.0]:.3f} for B = 1. Above it is (1 + B)²/σ², which grows with the square: "
        f"{proved[3]:g} for B = 10 (b = 1) and {proved[4]:,.0f} for B = 100 (b = 0.01)."
    )
    return Finding(
        Verdict.of(rising and below and proportional, rising and below and small),
        words,
        {
            "loss_0.1": found[0.1],
            "loss_0.5": found[0.5],
            "loss_1": found[1.0],
            "proved_0.1": proved[0],
            "proved_1": proved[2],
            "proved_10": proved[3],
            "proved_100": proved[4],
        },
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-figure-2-prior",
        "§5.2, Figure 2",
        "A more concentrated prior of the weights, a larger b, gives a larger error, with and "
        "without privacy.",
        _prior,
    ),
    Claim(
        "p2-figure-2-cost",
        "§5.2, Figure 2",
        "The error of private regression is only slightly larger.",
        _slightly,
    ),
    Claim(
        "p2-figure-2-privacy",
        "§5.2, Figure 2",
        "The privacy of a sample increases with b, in proportion to the bound 10/√b on the norm "
        "of the weights.",
        _privacy,
        "E14",
    ),
)
