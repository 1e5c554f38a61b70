"""Bounds on P(error ≥ c) from the papers (P1 §3, P3 §3.1), and what makes them hold here.

P1 bounds the error of an exponential mechanism, P(r) = exp(−κ·D(c, r))/NL with the normaliser
NL = Σ_r exp(−κ·D(c, r)), in its own distance D. P3 bounds the l1 error of Laplace noise. All are
returned as the formula gives them: a value above 1 says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from flint import arb

from discreet import check
from discreet.core import Mechanism
from discreet.core.counts import CountsLike
from discreet.core.law import Outcome
from discreet.divergence.sensitivity import least_smooth, overall, smooth
from discreet.errors import InputError
from discreet.exact import Floats, balls, compositions
from discreet.exact.balls import Real
from discreet.families.dirichlet.mechanisms.exponential import nissim_rate
from discreet.laws.exponential import ExponentialLaw
from discreet.laws.noise import NoiseLaw


def by_candidates(mechanism: Mechanism, counts: CountsLike, c: object) -> float | Floats:
    """P(D ≥ c) ≤ |R|·e^{−κ·c}/|R_OPT|, P1 §3.2 (Dwork and Roth 2014, Theorem 3.11).

    At most |R| = C(n+k−1, k−1) candidates are that far and none weighs more than e^{−κ·c}; the
    best |R_OPT| weigh 1 each. Only the true posterior is at distance 0, so |R_OPT| = 1 and this is
    also the loose bound of P1 §3.3. Valid for every exponential mechanism. κ depends on the counts
    except for `ehd`: for the data owner only.
    """
    law = _exponential(mechanism, counts)
    return _scaled(math.log(law.candidates), law.exponent, c)


def by_normaliser(mechanism: Mechanism, counts: CountsLike, c: object) -> float | Floats:
    """P(D ≥ c) ≤ |R|·e^{−κ·c}/NL, the second bound of P1 §3.3, with the mechanism's own κ.

    P1 writes ε/S for κ where its mechanism has ε/(2S) (erratum E9). Valid for every exponential
    mechanism whose candidates can be listed. For the data owner only: κ and NL depend on the
    counts.
    """
    law = _exponential(mechanism, counts)
    return _scaled(math.log(law.candidates) - law.log_normaliser, law.exponent, c)


def by_size(mechanism: Mechanism, c: object, counts: CountsLike | None = None) -> float | Floats:
    """P(D ≥ c) ≤ |R|·e^{−κ·c}/N(n), N(n) without data in it: the third bound of P1 §3.3.

    P1 leaves N(n) open. Ours is N(n) = Σ_{d=0}^n C(d+k−2, k−2)·f(d) with

    - `ehd`: f(d) = exp(−κ·min(1, d·GS)), where κ·GS = ε/2;
    - `smooth_hellinger`: f(d) = exp(−(ε/2)·min(1/S_min, (e^{γd} − 1)/(e^γ − 1))), S_min at most
      the least S of any counts. (Calibrated: with what κ·S is instead of ε/2.)

    κ of `smooth_hellinger` is that of the counts; without counts it is the least there is, at
    S = GS, and the bound holds whatever they are. With counts it is for the data owner only.

    Proof that N(n) ≤ NL for all counts. Let r be d substitutions from the counts x. First, r weighs
    at least f(d). For `ehd`, D ≤ min(1, d·GS) by the triangle inequality. For `smooth_hellinger`
    every y at j substitutions from x has LS(y)·e^{−γj} ≤ S(x), by the definition of S. On the way
    from x to r the j-th step starts j − 1 substitutions from x, so it is at most S(x)·e^{γ(j−1)}
    long, and D ≤ S(x)·(1 + e^γ + … + e^{γ(d−1)}); also D ≤ 1 ≤ S(x)/S_min; and κ = ε/(2·S(x)).

    Second, f does not increase. Take s records away from the counts, any of them, and hand out s
    anew: all C(s+k−1, k−1) results are different and within s substitutions. So for every s ≤ n at
    least as many candidates are within s as there are from a corner (all records in one category),
    from where exactly C(d+k−2, k−2) are at distance d. Hence Σ_r f(d(r)) is least at a corner,
    where it is N(n).
    """
    config = mechanism.config
    if mechanism.name not in ("ehd", "smooth_hellinger") or not config.n:
        raise InputError(
            "mechanism must be 'ehd' or 'smooth_hellinger' with n of at least 1: no N(n) is known "
            f"for others, got {mechanism.name!r} with n = {config.n}",
            "mechanism",
        )
    n, prior = config.n, config.model.prior
    corner = (n, *[0] * (len(prior) - 1))
    law = _exponential(mechanism, corner)
    widest: Real = partial(overall, prior, n, law.distance)
    rate: Real = partial(arb, 0)
    scale = least = widest  # the S of ehd is GS
    if mechanism.name == "smooth_hellinger":
        delta = dict(config.options)["delta"]
        rate = partial(nissim_rate, config.epsilon, delta, law.candidates)
        scale = partial(smooth, prior, corner, rate, "exponential", law.distance)
        least = partial(least_smooth, prior, n, rate, law.distance)
    half = balls.nearest(lambda: law.exponent() * scale())
    log_normaliser = _log_sum_from_corner(
        n, len(prior), half, balls.nearest(rate), balls.nearest(least)
    )

    def smallest() -> arb:
        return law.exponent() * scale() / widest()

    exponent = smallest if counts is None else _exponential(mechanism, counts).exponent
    return _scaled(math.log(law.candidates) - log_normaliser, exponent, c)


def laplace_as_printed(k: int, epsilon: object, c: object) -> float | Floats:
    """P(‖noise‖₁ ≥ c) ≤ k·e^{−ε·c/(2k)}: P3 §3.1, there with c = k·ln(k/β)·2/ε and the bound β.

    Valid for k independent Laplace(2/ε) variables, because ‖y‖₁ ≤ k·max|y_i| (P3 writes = β where
    the union bound gives ≤). The mechanisms round down and fill the last count with the rest, and
    for them it can fail: `ls_dim`, two categories, ε = 5, c = 2 has P(error ≥ 2) up to 0.54 and
    a bound of 0.16. Use `laplace` for them.
    """
    m, rate = check.whole("k", k, least=1), float(check.epsilon(epsilon)) / 2
    return _plain(m * np.exp(-rate * _threshold(c) / m))


def laplace(mechanism: Mechanism, c: object) -> float | Floats:
    """P(‖released − true‖₁ ≥ c) for `ls_dim` and `ls_hist`, whatever the counts; ours after P3.

    With Y_i Laplace of scale 1/rate for i < k and T_i = |⌊Y_i⌋|: clipping to [0, n] never moves a
    count away from its true value, and the last count errs by at most the sum of the others, so the
    error is at most 2·Σ T_i ≤ 2(k−1)·max T_i. The union bound gives, for c > 0,
    P ≤ (k−1)·P(T ≥ t) with t = ⌈c/(2(k−1))⌉ and P(T ≥ t) = ½(1 + e^{rate})·e^{−rate·t}.

    What differs from P3: k − 1 noisy counts instead of k, the mechanism's own scale, a factor 2 for
    the last count, and the factor ½(1 + e^{rate}) ≥ 1 for rounding down. For two categories it is
    attained by counts that are not near the ends.
    """
    if mechanism.name not in ("ls_dim", "ls_hist") or not mechanism.config.n:
        raise InputError(
            "mechanism must be 'ls_dim' or 'ls_hist' with n of at least 1, got "
            f"{mechanism.name!r} with n = {mechanism.config.n}",
            "mechanism",
        )
    k = len(mechanism.config.model.prior)
    law = mechanism.raw_law((mechanism.config.n, *[0] * (k - 1)))
    assert isinstance(law, NoiseLaw)
    rate = float(law.rate)
    least = _threshold(c)
    t = np.ceil(least / (2 * (k - 1)))
    bound = (k - 1) * 0.5 * (np.exp(-rate * t) + np.exp(-rate * (t - 1)))
    return _plain(np.where(least > 0, bound, 1.0))


def applicable(
    mechanism: Mechanism, counts: Outcome
) -> dict[str, Callable[[object], float | Floats]]:
    """The bounds that hold for a mechanism, by a short label."""
    if mechanism.name in ("ls_dim", "ls_hist"):
        return {"union bound": partial(laplace, mechanism)}
    _exponential(mechanism, counts)
    found: dict[str, Callable[[object], float | Floats]] = {
        "|R|·exp(−κc)": partial(by_candidates, mechanism, counts),
        "|R|·exp(−κc)/normaliser": partial(by_normaliser, mechanism, counts),
    }
    if mechanism.name in ("ehd", "smooth_hellinger"):
        found["|R|·exp(−κc)/N(n)"] = partial(by_size, mechanism, counts=counts)
    return found


def _exponential(mechanism: Mechanism, counts: CountsLike) -> ExponentialLaw:
    law = mechanism.law(counts)
    if not isinstance(law, ExponentialLaw):
        raise InputError(
            "mechanism must be an exponential one with n of at least 1, got "
            f"{mechanism.name!r} with n = {mechanism.config.n}",
            "mechanism",
        )
    return law


def _scaled(log_factor: float, exponent: Real, c: object) -> float | Floats:
    return _plain(np.exp(log_factor - balls.nearest(exponent) * _threshold(c)))


def _threshold(c: object) -> Floats:
    try:
        values = np.asarray(c, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"c must be a number or an array, got {check.brief(c)}", "c") from None
    if not (values >= 0).all():
        raise InputError("c must not be negative", "c")
    return values


def _plain(values: Floats) -> float | Floats:
    return float(values) if np.ndim(values) == 0 else np.asarray(values)


def _log_sum_from_corner(n: int, k: int, half: float, rate: float, least: float) -> float:
    """ln N(n) for f(d) = exp(−half·min(1/least, Σ_{j<d} e^{rate·j})).

    The first terms one by one, then the many that all weigh exp(−half/least).
    """
    terms, way = [0.0], 1.0  # the length of the way to d, in units of the first step
    while way * least < 1 and len(terms) <= n:
        d = len(terms)
        terms.append(math.log(math.comb(d + k - 2, k - 2)) - half * way)
        way += math.exp(rate * d)
    rest = compositions.count(n, k) - compositions.count(len(terms) - 1, k)  # candidates beyond
    if rest:
        terms.append(math.log(rest) - half / least)
    top = max(terms)
    return top + math.log(math.fsum(math.exp(t - top) for t in terms))
