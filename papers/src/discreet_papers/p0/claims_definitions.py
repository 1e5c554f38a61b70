"""P0 §3 to §5: the Hellinger distance, the candidates, and the sensitivities."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from discreet.divergence import hellinger
from discreet.divergence.sensitivity import (
    global_sensitivity,
    local_sensitivity,
    smooth_sensitivity,
)
from discreet.exact import Floats, Ints, compositions
from discreet_papers.p0.brute_force import CLOSE, search
from discreet_papers.p0.integrals import hellinger_by_quadrature, without_roots
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import model

_PAIRS = (
    ((5, 5), (4, 6)),
    ((1, 1), (2, 1)),
    ((21, 21), (20, 22)),
    ((3, 4, 5), (4, 3, 5)),
    ((21, 21, 21), (22, 22, 19)),
)
_GRIDS = ((2, 8), (3, 6), (4, 4))  # categories and records small enough to try everything


def _integral() -> Finding:
    printed = without_roots((5, 5), (4, 6))
    right = hellinger_by_quadrature((5, 5), (4, 6))
    closed = float(hellinger([5, 5], [4, 6]))
    words = (
        f"Between Beta(5, 5) and Beta(4, 6) the integral as printed, without square roots on the "
        f"densities, is {printed:.6f}; with them it is {right:.6f}, which is the closed form."
    )
    measured = {"as_printed": printed, "with_roots": right, "closed_form": closed}
    return Finding(Verdict.of(abs(printed - closed) < CLOSE), words, measured)


def _closed_form() -> Finding:
    errors = [abs(hellinger_by_quadrature(a, b) - float(hellinger(a, b))) for a, b in _PAIRS]
    words = (
        f"For {len(errors)} pairs of Beta and Dirichlet distributions the integral (with its "
        f"roots), computed by quadrature, agrees within {CLOSE:.0e}."
    )
    measured = {"largest_difference": max(errors), "pairs": len(errors)}
    return Finding(Verdict.of(max(errors) < CLOSE), words, measured)


def _candidates() -> Finding:
    right = dict.fromkeys((2, 3, 4), True)
    for k, n in product(right, range(1, 9)):
        found = sum(sum(c) == n for c in product(range(n + 1), repeat=k))
        assert found == compositions.count(n, k)
        right[k] &= found == comb(n + 1, k - 1)
    printed, ours = comb(601, 2), compositions.count(600, 3)
    words = (
        f"True for two categories. For k categories there are C(n+k−1, k−1): with k = 3 and "
        f"n = 600, {ours:,} candidates, not {printed:,}."
    )
    measured = {f"right_for_{k}": ok for k, ok in right.items()}
    return Finding(
        Verdict.of(all(right.values()), right[2]),
        words,
        {**measured, "printed_k3_n600": printed, "ours_k3_n600": ours},
    )


def _distances(rows: Ints) -> Floats:
    parameters = rows + 1.0
    return np.asarray(hellinger(parameters[:, None], parameters[None]))


def _steps(rows: Ints) -> Ints:
    steps: Ints = np.abs(rows[:, None] - rows[None]).sum(axis=2) // 2
    return steps


def _local() -> Finding:
    found = search(_GRIDS)
    words = (
        f"By the triangle inequality. Trying all neighbours and all candidates at {found.cases} "
        f"vectors of counts (two to four categories), the two sides agree within {CLOSE:.0e}."
    )
    measured = {"largest_difference": found.worst, "counts": found.cases}
    return Finding(Verdict.of(found.worst < CLOSE), words, measured)


def _lipschitz() -> Finding:
    steepest, apart = 0.0, 0.0
    for k, n in ((2, 30), (3, 8)):
        rows = compositions.rows(n, k)
        prior, away = model((1,) * k), _steps(rows)
        between = np.where(away == 1, _distances(rows), 0.0)
        for gamma in (0.3, 1.0):
            reciprocal = (1 / between.max(axis=1) + gamma * away).min(axis=1)  # 1/S, Definition 2
            change = np.abs(reciprocal[:, None] - reciprocal[None])
            steepest = max(steepest, float(change[away == 1].max()) / gamma)
            for row, value in zip(rows.tolist(), reciprocal.tolist(), strict=True):
                ours = smooth_sensitivity(prior, tuple(row), gamma)
                apart = max(apart, abs(1 / ours - value))
    words = (
        f"Over all pairs of neighbours, two and three categories, γ = 0.3 and 1, 1/S changes by at "
        f"most {steepest:.4f} γ. The closed form that we use for S agrees with the definition "
        f"within {CLOSE:.0e}."
    )
    measured = {"largest_change_over_gamma": steepest, "closed_form_apart": apart}
    return Finding(Verdict.of(steepest <= 1 + CLOSE and apart < CLOSE), words, measured)


def _varies() -> Finding:
    edge, middle = (local_sensitivity(model((1, 1)), c) for c in ((0, 100), (50, 50)))
    words = (
        f"With 100 records and prior Beta(1, 1), one record moves the posterior by {edge:.4f} "
        f"where all agree and by {middle:.4f} where they are balanced: {edge / middle:.1f} times "
        "(we asked for twice)."
    )
    return Finding(Verdict.of(edge > 2 * middle), words, {"all_alike": edge, "balanced": middle})


def _global() -> Finding:
    beta = model((1, 1))
    found = {n: global_sensitivity(beta, n) for n in (8, 600, 10**12)}
    local = local_sensitivity(beta, (300, 300))
    least, ratio = min(found.values()), found[600] / local
    words = (
        f"With prior Beta(1, 1) it is {found[8]:.4f} at n = 8 and never below {least:.4f}, a third "
        f"of the largest distance there is. At n = 600 it is {ratio:.1f} times the local "
        "sensitivity of balanced data (we asked for 10 times, and a quarter of the largest "
        "distance)."
    )
    measured = {"n8": found[8], "n600": found[600], "n1e12": found[10**12]}
    return Finding(
        Verdict.of(least > 0.25 and ratio > 10),
        words,
        measured | {"local_balanced_n600": local, "ratio_n600": ratio},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-hellinger-integral",
        "§3",
        "The Hellinger distance is the root of half the integrated squared difference of the "
        "densities.",
        _integral,
        "E1",
    ),
    Claim(
        "p0-hellinger-closed",
        "§3",
        "The Hellinger distance between Dirichlet distributions has a closed form.",
        _closed_form,
    ),
    Claim(
        "p0-candidates",
        "§5.3; P1 §2.2.1",
        "There are C(n+1, k−1) candidate posteriors for n records in k categories.",
        _candidates,
        "E2",
    ),
    Claim(
        "p0-local-sensitivity",
        "Lemma 5.4",
        "The local sensitivity of the score is the largest distance to the posterior of an "
        "adjacent data set.",
        _local,
    ),
    Claim(
        "p0-lipschitz",
        "Theorem 5.1",
        "The reciprocal of the smooth sensitivity changes by at most γ from one data set to an "
        "adjacent one.",
        _lipschitz,
    ),
    Claim(
        "p0-ls-varies",
        "§4, Figure 1",
        "How far one record moves the posterior depends strongly on the data.",
        _varies,
    ),
    Claim(
        "p0-gs-flat",
        "§5.3",
        "The global sensitivity is large, at any number of records.",
        _global,
    ),
)
