"""What P3 claims on the way to the privacy of M_H."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.auditing import audit
from discreet.auditing.calibration import scaled
from discreet.divergence.sensitivity import smooth_sensitivity
from discreet.exact import balls, compositions
from discreet.laws.exponential import ExponentialLaw
from discreet_papers.p0.brute_force import changes, neighbours
from discreet_papers.p1.laws import smoothness
from discreet_papers.p3.cases import DELTA, DIRICHLET, EPSILON, M_H
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import law_of_error, made, model

_SAME = 1e-9


def _sliding() -> Finding:
    counts, epsilon, delta = (10, 10), 1.0, 1e-6
    mechanism = made(M_H, (1, 1), 20, epsilon, delta)
    gamma = smoothness(21, epsilon, delta)
    s = smooth_sensitivity(model((1, 1)), counts, gamma, "exponential")
    errors = law_of_error(mechanism, counts)
    law = mechanism.law(counts)
    assert isinstance(law, ExponentialLaw)
    weights = balls.nearest(law.exponent) * s - epsilon / 2  # the log ratio's excess at Δ = −S
    nearest = float(np.abs(errors.distances - s / 2).min())
    truth = errors.exact
    as_weights, as_chances = weights <= _SAME, nearest < _SAME or truth <= delta / 2
    return Finding(
        Verdict.of(as_chances, as_weights),
        "It holds for the weight exp(εs/2S) as a function of a real score s, which is all that the "
        f"proof uses. As a statement about probabilities it fails: at (10, 10) with δ = {delta:g} "
        f"the score 0 has probability {truth:.3f}, and no candidate has the score −S/2 (the "
        f"nearest is {nearest:.3f} off), which therefore has probability 0.",
        {"weights_agree": as_weights, "truth": truth, "nearest_score": nearest},
    )


def _dilation() -> Finding:
    def bound(candidates: int, in_gamma: int) -> float:
        return candidates * math.exp(EPSILON / (2 * (1 - math.exp(smoothness(in_gamma)))))

    n = 100
    two, printed = bound(n + 1, n + 1), bound(n + 1, n)
    three, right = (bound(compositions.count(n, 3), x) for x in (n, compositions.count(n, 3)))
    half = DELTA / 2
    holds = two <= half + _SAME
    return Finding(
        Verdict.of(holds and three <= half + _SAME, holds),
        f"With two categories the bound is exactly δ/2 = {two:.3f}; with the γ that Figure 3 (a) "
        f"prints (n in place of n + 1) it is {printed:.3f}. With the three categories of that "
        f"figure it is {three:.1f}, because there are {compositions.count(n, 3)} candidates and "
        f"not n + 1; with their number in γ it is {right:.3f} again.",
        {"two": two, "two_printed": printed, "three_printed": three, "three_right": right},
    )


def _normaliser() -> Finding:
    n, prior = 20, (1, 1)
    mechanism = made(M_H, prior, n, EPSILON, DELTA)
    gamma = smoothness(n + 1)
    s = [smooth_sensitivity(model(prior), (x, n - x), gamma, "exponential") for x in range(n + 1)]
    log_normaliser = [mechanism.law((x, n - x)).log_normaliser for x in range(n + 1)]
    by_product, by_sum, largest = 0.0, 0.0, 0.0
    for x in range(n + 1):
        for y, _ in neighbours((x, n - x)):
            utility = -changes(prior, (y, n - y))[1]
            change = log_normaliser[x] - log_normaliser[y]
            factor = s[x] / s[y] * change
            largest = max(largest, factor)
            wanted = EPSILON * utility / (2 * s[y]) - log_normaliser[y]
            product = EPSILON * utility * factor / (2 * s[x]) - log_normaliser[x]
            moved = utility * s[x] / s[y] + 2 * s[x] / EPSILON * change
            summed = EPSILON * moved / (2 * s[x]) - log_normaliser[x]
            by_product = max(by_product, float(np.abs(product - wanted).max()))
            by_sum = max(by_sum, float(np.abs(summed - wanted).max()))
    return Finding(
        Verdict.of(by_product < _SAME),
        f"At n = {n} the two log-probabilities differ by up to {by_product:.2f}. The normalisers "
        "enter as a summand, (2S(x)/ε)·ln(NL(x)/NL(y)), and not as a factor, which is at most "
        f"{largest:.3f} where a dilation by about 1 is meant. So the lemma, that M_H is "
        "(ε, δ)-private, has no proof; no counterexample to it is known either.",
        {"by_product": by_product, "sum_agrees": by_sum < _SAME, "largest_factor": largest},
    )


def _eighty_percent() -> Finding:
    losses, deltas, printed = {}, {}, {}
    for prior, n in (((1, 1), 8), ((1, 1), 98), (DIRICHLET, 15)):
        mechanism = made(M_H, prior, n, EPSILON, DELTA)
        found, doubled = audit(mechanism), audit(scaled(mechanism, Fraction(2)))
        name = f"{len(prior)}_{n}"
        losses[name], deltas[name] = found.epsilon, found.delta(EPSILON)
        printed[name] = doubled.delta(EPSILON)
    other = (1 - DELTA) / 99
    published = DELTA + other - math.exp(EPSILON) * other  # the data with probability 0.8
    held, empty = max(deltas.values()) <= DELTA, published <= DELTA
    return Finding(
        Verdict.of(held and not empty, held),
        f"As defined it loses at most {max(losses.values()):.3f} at the settings audited (n = 8 "
        "and 98 with two categories, n = 15 with DL(7, 4, 5)), so it is even 0.8-private there; "
        f"with /S δ(0.8) is at most {max(printed.values()):.4f}. But δ = 0.8 promises next to "
        "nothing: publishing the data themselves with probability 0.8 and a uniform candidate "
        f"otherwise keeps to it too (δ(0.8) = {published:.4f}).",
        {f"loss_{k}": v for k, v in losses.items()}
        | {f"delta_with_s_{k}": v for k, v in printed.items()}
        | {"publishing": published},
    )


CLAIMS = (
    Claim(
        "p3-sliding",
        "§2.3.2, Lemma 2.1",
        "Shifting a score by at least −S changes its probability under M_H by at most a factor "
        "e^{ε/2}, up to δ/2.",
        _sliding,
    ),
    Claim(
        "p3-dilation-tail",
        "§2.3.3, Lemma 2.2",
        "With β = ln(1 − ε/(2 ln(δ/(2(n+1))))) the scores beyond S/(1 − e^β) have probability at "
        "most δ/2, by the bound |R|·exp(ε/(2(1 − e^β))).",
        _dilation,
        "E2",
    ),
    Claim(
        "p3-proof-normaliser",
        "§2.3.4, Lemma 2.3",
        "Multiplying the scores by S(x)/S(y)·ln(NL(x)/NL(y)) turns their probabilities at x into "
        "those at the neighbour y.",
        _normaliser,
        "E9",
    ),
    Claim(
        "p3-80-percent",
        "Figures 3 and 4",
        "With smooth sensitivity the mechanism is (0.8, 0.8)-private, a promise that can stand "
        "beside 0.8-privacy.",
        _eighty_percent,
        implied=True,
    ),
)
