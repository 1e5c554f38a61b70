"""What P3 claims of its set-up: densities, candidates, and the search for the sensitivity."""

from __future__ import annotations

import numpy as np

from discreet.auditing import audit
from discreet.divergence import hellinger
from discreet.exact import compositions
from discreet_papers.p0.brute_force import search
from discreet_papers.p1.laws import smoothness
from discreet_papers.p3.cases import (
    BETA,
    DELTA,
    EPSILON,
    M_H,
    local_of_all,
    smooth_of,
)
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import law_of_error, made

_SAME = 1e-9


def _dirichlet() -> Finding:
    from scipy.integrate import quad
    from scipy.special import beta

    totals = [
        quad(lambda x, a=a, b=b: x**a * (1 - x) ** b / beta(a, b), 0, 1)[0]
        for a, b in ((1, 1), BETA)
    ]
    right = [
        quad(lambda x, a=a, b=b: x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b), 0, 1)[0]
        for a, b in ((1, 1), BETA)
    ]
    return Finding(
        Verdict.of(all(abs(total - 1) < _SAME for total in totals)),
        f"As printed it integrates to {totals[0]:.4f} for DL(1, 1) and to {totals[1]:.4f} for "
        f"Beta(7, 4); with the exponents α_i − 1 to {right[0]:.4f} and {right[1]:.4f}.",
        {"printed_1_1": totals[0], "printed_7_4": totals[1], "right_7_4": right[1]},
    )


def _candidates() -> Finding:
    n = 300
    in_set = {(a, n + 2 - a) for a in range(1, n + 2)}
    shares = [sum((a + c, b + n - c) in in_set for c in range(n + 1)) for a, b in ((1, 1), BETA)]
    three = compositions.count(100, 3)
    ones = shares[0] == len(in_set) == n + 1
    return Finding(
        Verdict.of(ones and shares[1] == n + 1, ones),
        f"For the prior Beta(1, 1) it is: all {shares[0]} posteriors at n = {n}. For the prior "
        f"Beta(7, 4) of Figure 2 it contains {shares[1]} of the {n + 1} posteriors, because their "
        f"parameters sum to n + 11; and with three categories there are {three} at n = 100, not "
        "n + 1.",
        {"of_prior_1_1": shares[0], "of_prior_7_4": shares[1], "three_categories": three},
    )


def _half() -> Finding:
    shares = {}
    for counts, other in (
        ((4, 4), (5, 3)),
        ((4, 4), (4, 4)),
        ((6, 2), (7, 1)),
        ((20, 20, 20), (21, 19, 20)),
    ):
        mechanism = made(M_H, (1,) * len(counts), sum(counts), EPSILON, DELTA)
        errors = law_of_error(mechanism, counts)
        distance = float(hellinger([c + 1 for c in counts], [c + 1 for c in other]))
        place = np.abs(errors.distances - distance).argmin()
        chance = mechanism.law(counts).probability(other)
        shares[counts, other] = chance / float(errors.probabilities[place])
    balanced, truth, uneven, three = shares.values()
    right = [abs(share - 0.5) < _SAME for share in shares.values()]
    return Finding(
        Verdict.of(all(right), right[0]),
        "It is true for balanced data in two categories, off the truth: a candidate one step away "
        f"has {balanced:.4f} of the probability of its distance at (4, 4). The true posterior has "
        f"{truth:.4f} of it; one step away from (6, 2), where the two sides are at different "
        f"distances, it is {uneven:.4f}, and at (20, 20, 20), where six candidates share a "
        f"distance, {three:.4f}.",
        {"balanced": balanced, "truth": truth, "uneven": uneven, "three_categories": three},
    )


def _local_search() -> Finding:
    found = search(((2, 8), (3, 5), (4, 3)))
    return Finding(
        Verdict.of(found.worst < _SAME),
        f"In all {found.cases} vectors of counts tried (two to four categories) no candidate does "
        f"better than the true posterior, by brute force; in {found.elsewhere} of them a "
        "neighbour's posterior does as well.",
        {
            "cases": found.cases,
            "largest_difference": found.worst,
            "attained_elsewhere_too": found.elsewhere,
        },
    )


def _smooth_definition() -> Finding:
    n, prior, beta = 20, (1, 1), smoothness(21)
    rows, local = local_of_all(prior, n)
    meant = np.array([smooth_of(rows, local, x, beta) for x in range(len(rows))])
    away = np.abs(rows[:, None, 0] - rows[None, :, 0])
    printed = (local[:, None] * np.exp(-beta * away)).max(axis=1)  # LS(x), where LS(y) is meant
    differ = int((np.abs(printed - meant) > _SAME).sum())
    as_local = bool(np.abs(printed - local).max() < _SAME)
    ehdl = audit(made("ehdl", (0.1, 0.1), 600, 1))
    words = (
        "As printed, LS(x) stands under the maximum where LS(y) is meant, so that S is LS(x) at "
        f"all {len(rows)} counts of n = {n}, prior DL(1, 1), ε = δ = {EPSILON}; the smooth "
        f"sensitivity is larger at {differ} of them. M_H as printed is therefore EHDL, which loses "
        f"{ehdl.epsilon_lower:.3f} at ε = 1 with prior (0.1, 0.1) and n = 600 (δ(1) = "
        f"{ehdl.delta(1):.1e})."
    )
    measured = {
        "counts": len(rows),
        "printed_is_local": as_local,
        "printed_differs": differ,
        "loss_of_ehdl": ehdl.epsilon_lower,
        "delta_of_ehdl": ehdl.delta(1),
    }
    return Finding(Verdict.of(not differ and ehdl.epsilon <= 1), words, measured)


CLAIMS = (
    Claim(
        "p3-dirichlet",
        "§1",
        "The Dirichlet density is ∏ξ_i^{α_i}/B(α).",
        _dirichlet,
        "E19",
    ),
    Claim(
        "p3-candidates",
        "§2.3.1",
        "The posteriors that n records can lead to are the n + 1 Beta distributions with integer "
        "parameters that sum to n + 2.",
        _candidates,
    ),
    Claim(
        "p3-smooth-definition",
        "§2.3.1, Definition 2.1",
        "The formula for S_β(x), the largest of LS(x) and LS(x)·e^{−βd(x,y)} over all other y, is "
        "the smooth sensitivity.",
        _smooth_definition,
    ),
    Claim(
        "p3-half",
        "§2.3.1",
        "Each candidate has half of the probability that M_H releases something at its distance.",
        _half,
        "E10",
    ),
    Claim(
        "p3-local-search",
        "§4.1, Figure 1",
        "The largest change of the distance to any candidate is attained at the true posterior, so "
        "that the local sensitivity is the distance of the farthest adjacent posterior.",
        _local_search,
    ),
)
