"""What P1 claims about its accuracy bounds, and about the sensitivity behind them."""

from __future__ import annotations

import math

import numpy as np

from discreet.divergence import hellinger
from discreet.divergence.sensitivity import local_sensitivity
from discreet.exact import Floats, balls, compositions
from discreet.families.dirichlet import bounds
from discreet.laws.exponential import ExponentialLaw
from discreet_papers.p1.laws import DELTA, EIGHT, EPSILON, FORTY, TWO, usual
from discreet_papers.parts import Cell, Claim, Finding, Verdict
from discreet_papers.settings import law_of_error, made, model


def _tail() -> tuple[Floats, Floats]:
    """The distances of M_H at (20, 20) and the probabilities of at least these."""
    law = law_of_error(usual("smooth_hellinger", FORTY), FORTY)
    return law.distances, np.cumsum(law.probabilities[::-1])[::-1]


def _second() -> Finding:
    c, tail = _tail()
    ratio = np.asarray(bounds.by_normaliser(usual("smooth_hellinger", FORTY), FORTY, c)) / tail
    least, most = float(ratio.min()), float(ratio.max())
    words = (
        "It is a bound with the mechanism's own exponent, but not a close one: at counts (20, 20), "
        f"ε = δ = {EPSILON} it is {least:.1f} to {most:.1f} times the exact probability "
        "(slightly looser would be at most 1.5 times)."
    )
    valid, slight = least >= 1, most <= 1.5
    found: dict[str, Cell] = {"least_ratio": least, "largest_ratio": most}
    return Finding(Verdict.of(valid and slight, valid), words, found)


def _loose() -> Finding:
    found: dict[str, Cell] = {}
    valid, either_sign = True, True
    candidates = np.array([[1 + ones, 41 - ones] for ones in range(41)])
    far = np.round(hellinger(candidates, [21, 21]), 12)
    for label in ("ehd", "smooth_hellinger"):
        for epsilon in (EPSILON, 10 * EPSILON):
            mechanism = made(label, TWO, 40, epsilon, DELTA)
            law = mechanism.law(FORTY)
            assert isinstance(law, ExponentialLaw)
            bound = np.asarray(bounds.by_candidates(mechanism, FORTY, far))
            for sign in (-1, 1):
                weights = np.exp(sign * balls.nearest(law.exponent) * far)
                tail = np.array([weights[far >= c].sum() for c in far]) / weights.sum()
                held = bool((bound >= tail).all())
                either_sign = either_sign and held
                valid = valid and (held or sign == 1)
            name = f"{label}_epsilon_{epsilon:g}"
            found |= {f"{name}_least": float(bound.min()), f"{name}_farthest_plus": float(tail[0])}
    ehd, smooth = (
        found[f"{label}_epsilon_{EPSILON}_least"] for label in ("ehd", "smooth_hellinger")
    )
    words = (
        f"With the utility −H: measured at counts (20, 20), ε = {EPSILON} and {10 * EPSILON:g}, "
        "for EHD and for M_H. With H itself, the utility of §2.1.1, the farthest posteriors are "
        f"the likeliest, and at ε = {10 * EPSILON:g} EHD releases one of the two farthest with "
        f"probability {found['ehd_epsilon_8_farthest_plus']:.2f} where the bound is "
        f"{found['ehd_epsilon_8_least']:.4f}. At ε = {EPSILON} the bound is never below {ehd:.1f} "
        f"(EHD) and {smooth:.2f} (M_H), so it says nothing."
    )
    return Finding(Verdict.of(either_sign, valid), words, found | {"valid": valid})


def _third() -> Finding:
    found: dict[str, Cell] = {}
    holds = True
    for label in ("ehd", "smooth_hellinger"):
        for n, k in ((8, 2), (40, 2), (12, 3)):
            mechanism = usual(label, (n, *[0] * (k - 1)))
            laws = [mechanism.law(row) for row in compositions.rows(n, k).tolist()]
            assert all(isinstance(law, ExponentialLaw) for law in laws)
            least = min(math.exp(law.log_normaliser) for law in laws)
            size = len(laws) / float(np.asarray(bounds.by_size(mechanism, 0.0)))
            holds = holds and 1 <= size <= least
            found |= {f"{label}_n{n}_k{k}": size, f"{label}_n{n}_k{k}_least": least}
    words = (
        "P1 leaves the formula open; we have one with a proof for EHD and for M_H. For 40 records "
        f"in two categories N(n) is {found['ehd_n40_k2']:.2f} (EHD; the least normaliser of any "
        f"counts is {found['ehd_n40_k2_least']:.2f}) and {found['smooth_hellinger_n40_k2']:.2f} "
        f"(M_H; {found['smooth_hellinger_n40_k2_least']:.2f}), ε = δ = {EPSILON}."
    )
    return Finding(Verdict.of(holds), words, found)


def _figure_1() -> Finding:
    beta, top = model(TWO), 31
    level = np.full((top, top), np.nan)
    for a in range(top):
        for b in range(top):
            if a + b:
                level[a, b] = local_sensitivity(beta, (a, b))
    changes = np.diff(level, axis=0)
    larger = bool((changes[np.isfinite(changes)] <= 1e-15).all())
    closer = all(
        level[a, n - a] >= level[a + 1, n - a - 1] - 1e-15
        for n in range(2, top)
        for a in range(n // 2)
    )
    words = (
        f"On all Beta(a, b) with a, b up to {top}, prior Beta(1, 1), it never grows as a "
        "parameter grows, nor as the two get closer with the same sum. From counts (4, 4) to "
        f"(20, 20) it falls from {level[EIGHT]:.4f} to {level[FORTY]:.4f}; at (39, 1) it is "
        f"{local_sensitivity(beta, (39, 1)):.4f}."
    )
    found: dict[str, Cell] = {"at_4_4": float(level[EIGHT]), "at_20_20": float(level[FORTY])}
    return Finding(Verdict.of(larger and closer), words, found)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p1-bound2",
        "§3.3",
        "|R|·exp(−κc)/NL bounds the probability of an error of at least c and is slightly looser "
        "than the exact value.",
        _second,
        "E9",
    ),
    Claim(
        "p1-bound-loose",
        "§3.2, §3.3",
        "|R|·exp(−κc) bounds the probability of an error of at least c.",
        _loose,
    ),
    Claim(
        "p1-bound3",
        "§3.3",
        "The normaliser can be replaced by a number N(n) that depends on the data's size only.",
        _third,
    ),
    Claim(
        "p1-fig1",
        "§3.4.2, Figure 1",
        "The local sensitivity falls as the two parameters grow and as they get closer.",
        _figure_1,
    ),
)
