"""The counts behind randomised response.

Each of n records tells its category with probability λ = (e^ε − 1)/(e^ε + k − 1), else any one of
all k, so that p(θ | z) ∝ Dir(θ; α)·Π (λθ_j + q)^{z_j}, q = 1/(e^ε + k − 1). If m_j of the z_j
reports of a category told the truth in this sense,
p(m | z) ∝ Π f_j(m_j)/Γ(Σα + Σm) with f_j(m) = C(z_j, m)·(e^ε − 1)^m·Γ(α_j + m).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints
from discreet.laws.response import ResponseLaw
from discreet.noise_aware import table
from discreet.noise_aware.prior import log_rise
from discreet.noise_aware.product import sums_of
from discreet.noise_aware.several_categories import Points, split
from discreet.noise_aware.table import Found

MOST_RECORDS = 10**7
_NEGLIGIBLE = 1e-18  # probabilities of m_j that are left out, beside the largest


def infer(
    prior: tuple[Fraction, ...], epsilon: Fraction, z: tuple[int, ...], rng: np.random.Generator
) -> Found:
    """All vectors of counts while they are few, independent draws beyond that."""
    law = ResponseLaw(z, epsilon)
    if law.can_be_listed:
        return _listed(prior, law)
    if law.n > MOST_RECORDS:
        raise NotEnumerable(
            f"the noise-aware posterior of {law.n} perturbed records would list how many of them "
            f"told the truth, and at most {MOST_RECORDS} are feasible",
            law.n,
        )
    told, left_out = _told(prior, float(epsilon), z, table.number_of_draws(len(prior)), rng)
    counts = told + _others(prior, told, law.n, rng)
    points = Points(counts.astype(np.float64), np.zeros(len(counts)), left_out)
    return Found(points.counts, points.logs, table.of_draws(points, rng))


def _listed(prior: tuple[Fraction, ...], law: ResponseLaw) -> Found:
    """P(z | c)/Πc! is the same with z and c exchanged, so the law around z has the likelihoods.

    The prior of c is ∝ Π Γ(α_i + c_i)/c_i!.
    """
    from scipy import special

    counts = law.support.astype(np.float64)
    alpha = np.array([float(a) for a in prior])
    return Found(counts, law.log_p + special.gammaln(alpha + counts).sum(axis=1))


def _told(
    prior: tuple[Fraction, ...],
    epsilon: float,
    z: tuple[int, ...],
    draws: int,
    rng: np.random.Generator,
) -> tuple[Ints, float]:
    """Independent draws from p(m | z), and a bound on the probability that they leave out.

    Multiplied by e^{τm} and e^{−τs} nothing changes. The f_j·e^{τm} are laws of independent
    numbers, and τ is chosen so that e^{−τs}/Γ(Σα + s), which is log-concave, is level at their mean
    total. Totals are drawn first, then how they split.
    """
    from scipy import special

    total_prior = float(sum(prior))
    logs = [_log_factor(float(a), epsilon, reports) for a, reports in zip(prior, z, strict=True)]
    tilt = _tilt(logs, total_prior)
    laws, lows, outside = [], [], 0.0
    for factor in logs:
        p = _tilted(factor, tilt)
        kept = np.flatnonzero(p > _NEGLIGIBLE * p.max())
        low, high = int(kept[0]), int(kept[-1]) + 1
        laws.append(p[low:high])
        lows.append(low)
        outside += float(p[:low].sum() + p[high:].sum())

    def log_q(s: Floats) -> Floats:
        return np.asarray(-special.gammaln(total_prior + s) - tilt * s)

    levels = sums_of(laws)
    totals = log_q(sum(lows) + np.arange(float(len(levels[-1][0]))))
    peak = float(log_q(np.arange(sum(z) + 1.0)).max())
    weights = levels[-1][0] * np.exp(totals - peak)
    total = rng.choice(len(weights), size=draws, p=weights / weights.sum())
    # P(some m_j outside | z) ≤ Q(outside)·max q/E_Q[q], Q the law of independent numbers
    left_out = min(outside / float(weights.sum()), 1.0)
    return split(levels, total, rng) + np.array(lows), left_out


def _log_factor(alpha: float, epsilon: float, reports: int) -> Floats:
    """ln f(m) for m = 0 … z, up to a constant."""
    from scipy import special

    m = np.arange(reports + 1.0)
    gain = epsilon + math.log(-math.expm1(-epsilon))
    return np.asarray(log_rise(alpha, m) - special.gammaln(reports - m + 1) + m * gain)


def _tilted(logs: Floats, tilt: float) -> Floats:
    tilted = logs + tilt * np.arange(float(len(logs)))
    p = np.exp(tilted - tilted.max())
    return np.asarray(p / p.sum())


def _tilt(logs: list[Floats], total_prior: float) -> float:
    """τ = −ln(Σα + the mean total under the tilted factors), which only falls with τ."""
    from scipy import optimize

    def excess(tilt: float) -> float:
        mean = sum(float(_tilted(each, tilt) @ np.arange(float(len(each)))) for each in logs)
        return tilt + math.log(total_prior + mean)

    n = sum(len(each) - 1 for each in logs)
    ends = -math.log(total_prior + n) - 1, 1 - math.log(total_prior)
    return float(optimize.brentq(excess, *ends, xtol=1e-6))


def _others(prior: tuple[Fraction, ...], told: Ints, n: int, rng: np.random.Generator) -> Ints:
    """The categories of the records that did not tell them: θ ~ Dir(α + m) gives each of them.

    A gamma number of shape a is one of shape a + 1 times U^{1/a}: in logs it is never 0.
    """
    shape = told + np.array([float(a) for a in prior])
    logs = np.log(rng.standard_gamma(shape + 1)) + np.log(rng.random(shape.shape)) / shape
    theta = np.exp(logs - logs.max(axis=1, keepdims=True))
    theta /= theta.sum(axis=1, keepdims=True)
    return np.asarray(rng.multinomial(n - told.sum(axis=1), theta), dtype=np.int64)
