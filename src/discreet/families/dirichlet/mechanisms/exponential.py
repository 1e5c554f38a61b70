"""Exponential mechanisms over posteriors: the nearer to the truth, the likelier (P0 §5.3, P1, P3).

All of them release one of the posteriors that n records could have led to, r with probability
∝ exp(−κ·D(posterior of c, posterior of r)); they differ in κ. D is the Hellinger distance or, for
two categories, total variation; both are metrics with values in [0, 1], which is all that the
privacy arguments use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import arb

from discreet import check
from discreet.core import (
    Adjacency,
    CategoricalModel,
    Config,
    Guarantee,
    Law,
    Mechanism,
    PointMass,
    Theorem,
)
from discreet.core.curves import Range
from discreet.core.law import Outcome
from discreet.core.mechanism import counting, unchanged
from discreet.divergence.sensitivity import (
    Distance,
    Prior,
    distance_for,
    least_smooth,
    local,
    overall,
    smooth,
)
from discreet.errors import InputError
from discreet.exact import balls, compositions
from discreet.exact.balls import ball
from discreet.families.dirichlet.mechanisms import P0
from discreet.laws.exponential import ExponentialLaw

MOST_IN_TOTAL_VARIATION = 10**12


def ehd(
    model: CategoricalModel, n: int, epsilon: Fraction, *, distance: str = "hellinger"
) -> Mechanism:
    """EHD: κ = ε/(2·GS), GS the global sensitivity of the distance.

    Guarantee: ε under substitution (P0 Lemma 5.3). Accuracy is poor because GS does not fall as n
    grows.
    """
    metric = _metric(distance, model, n)
    # |D(c, r) − D(c', r)| ≤ D(c, c') ≤ GS for neighbours, so the weight of r changes by at most
    # e^{ε/2} and so does the normaliser (McSherry and Talwar 2007).
    theorem = Theorem("exponential mechanism with global sensitivity", f"{P0}, Lemma 5.3")
    return _exponential(
        Config("ehd", model, n, epsilon, Adjacency.SUBSTITUTE, (("distance", metric),)),
        _promise(epsilon, theorem),
        partial(_global_exponent, model.prior, n, epsilon, metric),
        metric,
    )


def ehdl(
    model: CategoricalModel, n: int, epsilon: Fraction, *, distance: str = "hellinger"
) -> Mechanism:
    """EHDL: κ = ε/(2·LS(c)), LS the local sensitivity. Not private: a benchmark (P0 Algorithm 4).

    κ itself tells about the data, and no bound on the loss is known in general.
    """
    metric = _metric(distance, model, n)
    return _exponential(
        Config("ehdl", model, n, epsilon, Adjacency.SUBSTITUTE, (("distance", metric),)),
        Guarantee(math.inf, Fraction(0), Adjacency.SUBSTITUTE),
        partial(_local_exponent, model.prior, epsilon, metric),
        metric,
    )


def ehds(
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    *,
    gamma: float = 1.0,
    distance: str = "hellinger",
) -> Mechanism:
    """EHDS: κ = ε/(2(1+γ)·S(c)), S the reciprocal γ-smooth sensitivity; P0 has γ = 1.

    Guarantee: ε under substitution (P0 Theorem 5.2), for every γ > 0.
    """
    metric, rate = _metric(distance, model, n), check.gamma(gamma)
    # For neighbours c, c' and any r:
    # |D(c,r)/S(c) − D(c',r)/S(c')| ≤ |D(c,r) − D(c',r)|/S(c) + D(c',r)·|1/S(c) − 1/S(c')|
    #                               ≤ LS(c)/S(c) + 1·γ ≤ 1 + γ,
    # since S ≥ LS, D ≤ 1 and 1/S changes by at most γ per substitution. The weight changes by at
    # most e^{ε/2}, the normaliser by as much again.
    theorem = Theorem(
        "exponential mechanism with reciprocal smooth sensitivity", f"{P0}, Theorem 5.2"
    )
    options = (("gamma", rate), ("distance", metric))
    return _exponential(
        Config("ehds", model, n, epsilon, Adjacency.SUBSTITUTE, options),
        _promise(epsilon, theorem),
        partial(_reciprocal_exponent, model.prior, epsilon, rate, metric),
        metric,
    )


def smooth_hellinger(
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    *,
    delta: float = 0.0,
    distance: str = "hellinger",
    calibrate: bool = False,
) -> Mechanism:
    """M_H of P1 and P3: κ = ε/(2·S(c)), S the exponential γ-smooth sensitivity.

    γ = ln(1 − ε/(2·ln(δ/(2|R|)))), |R| = C(n+k−1, k−1): δ sets how smooth S is and is no part of
    the guarantee. The papers claim (ε, δ); their proof
    overlooks that the normaliser depends on the data. What is proved, and stated here, is the pure
    bound ε·(1 + (1 − e^{−γ})/S_min), S_min the least S of any counts. `calibrate=True` scales κ
    down until that bound is ε; `dp.mechanism` does so only where n is too large for an audit, which
    finds a larger scale.
    """
    metric, failure = _metric(distance, model, n), check.share("delta", delta)
    check.choice("calibrate", calibrate, (True, False))
    gamma = partial(nissim_rate, epsilon, failure, compositions.count(n, len(model.prior)))
    # For neighbours S(c)e^{−γ} ≤ S(c') ≤ S(c)e^γ, so |1/S(c) − 1/S(c')| ≤ (1 − e^{−γ})/S_min, and
    # as for ehds the weight changes by at most exp((scale·ε/2)·(1 + (1 − e^{−γ})/S_min)), the
    # normaliser by as much again: scale·ε·excess in all.
    excess = partial(_excess, model.prior, n, gamma, metric) if n else partial(arb, 1)
    if calibrate:
        scale, proved = balls.rounded_down(lambda: 1 / excess()), epsilon
    else:
        scale, proved = Fraction(1), balls.rounded_up(lambda: ball(epsilon) * excess())
    theorem = Theorem(
        "exponential mechanism with exponential smooth sensitivity: "
        "scale·ε·(1 + (1 − e^{−γ})/S_min)",
        "discreet, docs/findings.md E9",
    )
    options = (("delta", failure), ("distance", metric), ("calibrate", calibrate))
    return _exponential(
        Config("smooth_hellinger", model, n, epsilon, Adjacency.SUBSTITUTE, options),
        _promise(proved, theorem),
        partial(_exponential_exponent, model.prior, scale * epsilon, gamma, metric),
        metric,
    )


def _metric(distance: str, model: CategoricalModel, n: int) -> Distance:
    """The distance, if it can be enclosed for all counts with sum n; public values decide."""
    metric = distance_for(distance, model)
    if metric == "total_variation" and n > MOST_IN_TOTAL_VARIATION:
        raise InputError(f"n must be at most 1e12 for distance 'total_variation', got {n}", "n")
    return metric


def _promise(epsilon: Fraction, theorem: Theorem) -> Guarantee:
    # The exponent −κ(c)·D(c, r) changes by at most ε/2 either way, whatever r, so it changes by
    # amounts that lie within ε of each other; the normaliser adds the same to all of them.
    curve = Range(epsilon, epsilon)
    return Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem, curve=curve)


def _exponential(
    config: Config, guarantee: Guarantee, exponent: Callable[[Outcome], arb], metric: Distance
) -> Mechanism:
    law = partial(_law, config.model.prior, exponent, metric)
    possible = partial(counting, config.n)
    return Mechanism(config, guarantee, law, law, unchanged, possible=possible)


def _law(
    prior: Prior, exponent: Callable[[Outcome], arb], metric: Distance, counts: Outcome
) -> Law:
    if sum(counts) == 0:
        return PointMass(counts)
    return ExponentialLaw(counts, prior, partial(exponent, counts), metric)


def _global_exponent(
    prior: Prior, n: int, epsilon: Fraction, metric: Distance, counts: Outcome
) -> arb:
    return ball(epsilon) / (2 * overall(prior, n, metric))


def _local_exponent(prior: Prior, epsilon: Fraction, metric: Distance, counts: Outcome) -> arb:
    return ball(epsilon) / (2 * local(prior, counts, metric))


def _reciprocal_exponent(
    prior: Prior, epsilon: Fraction, gamma: Fraction, metric: Distance, counts: Outcome
) -> arb:
    bound = smooth(prior, counts, partial(ball, gamma), "reciprocal", metric)
    return ball(epsilon) / (2 * ball(1 + gamma) * bound)


def _exponential_exponent(
    prior: Prior, epsilon: Fraction, gamma: balls.Real, metric: Distance, counts: Outcome
) -> arb:
    return ball(epsilon) / (2 * smooth(prior, counts, gamma, "exponential", metric))


def nissim_rate(epsilon: Fraction, delta: Fraction, candidates: int) -> arb:
    """γ = ln(1 − ε/(2·ln(δ/(2|R|)))), P1 §2.2 with the right |R| (erratum E2)."""
    return (-ball(epsilon) / (2 * ball(delta / (2 * candidates)).log())).log1p()


def _excess(prior: Prior, n: int, gamma: balls.Real, metric: Distance) -> arb:
    """1 + (1 − e^{−γ})/S_min."""
    return 1 + -((-gamma()).expm1()) / least_smooth(prior, n, gamma, metric)
