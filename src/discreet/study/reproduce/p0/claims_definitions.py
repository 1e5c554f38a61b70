"""P0 §3 to §5: the Hellinger distance, the candidates, and the sensitivities."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from discreet.divergence import hellinger
from discreet.exact import Floats, Ints, compositions
from discreet.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity
from discreet.study.reproduce.p0.integrals import hellinger_by_quadrature, without_roots
from discreet.study.reproduce.parts import Claim, Finding, Verdict
from discreet.study.reproduce.settings import model

_PAIRS = (
    ((5, 5), (4, 6)),
    ((1, 1), (2, 1)),
    ((21, 21), (20, 22)),
    ((3, 4, 5), (4, 3, 5)),
    ((21, 21, 21), (22, 22, 19)),
)
_CLOSE = 1e-9
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
    return Finding(Verdict.of(abs(printed - closed) < _CLOSE), words, measured)


def _closed_form() -> Finding:
    errors = [abs(hellinger_by_quadrature(a, b) - float(hellinger(a, b))) for a, b in _PAIRS]
    words = (
        f"For {len(errors)} pairs of Beta and Dirichlet distributions the integral (with its "
        f"roots), computed by quadrature, agrees within {_CLOSE:.0e}."
    )
    measured = {"largest_difference": max(errors), "pairs": len(errors)}
    return Finding(Verdict.of(max(errors) < _CLOSE), words, measured)


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
    worst, attained, tried = 0.0, True, 0
    for k, n in _GRIDS:
        rows = compositions.rows(n, k)
        between, near = _distances(rows), _steps(rows) == 1
        # max over x' and r of |H(x, r) − H(x', r)|, as (2) defines it
        moves = np.abs(between[:, None] - between[None])
        defined = np.where(near[:, :, None], moves, 0.0).max(axis=(1, 2))
        lemma = np.where(near, between, 0.0).max(axis=1)
        ours = [local_sensitivity(model((1,) * k), tuple(row)) for row in rows.tolist()]
        worst = max(worst, float(np.abs(defined - lemma).max()), float(np.abs(ours - lemma).max()))
        own = np.where(near, moves[np.arange(len(rows)), :, np.arange(len(rows))], 0.0)
        attained &= bool(np.allclose(own.max(axis=1), lemma, rtol=0, atol=1e-12))
        tried += len(rows)
    words = (
        f"By the triangle inequality. Trying all neighbours and all candidates at {tried} vectors "
        f"of counts (two to four categories), the two sides agree within {_CLOSE:.0e}."
    )
    measured = {"largest_difference": worst, "counts": tried, "attained_at_the_truth": attained}
    return Finding(Verdict.of(worst < _CLOSE and attained), words, measured)


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
        f"within {_CLOSE:.0e}."
    )
    measured = {"largest_change_over_gamma": steepest, "closed_form_apart": apart}
    return Finding(Verdict.of(steepest <= 1 + _CLOSE and apart < _CLOSE), words, measured)


def _varies() -> Finding:
    edge, middle = (local_sensitivity(model((1, 1)), c) for c in ((0, 100), (50, 50)))
    words = (
        f"With 100 records and prior Beta(1, 1), one record moves the posterior by {edge:.4f} "
        f"where all agree and by {middle:.4f} where they are balanced: {edge / middle:.1f} times."
    )
    return Finding(Verdict.of(edge > 2 * middle), words, {"all_alike": edge, "balanced": middle})


def _global() -> Finding:
    beta = model((1, 1))
    first, last = global_sensitivity(beta, 8), global_sensitivity(beta, 10**12)
    local = local_sensitivity(beta, (5 * 10**11, 5 * 10**11))
    words = (
        f"With prior Beta(1, 1) it falls from {first:.4f} at n = 8 to {last:.4f} at n = 10¹² and "
        f"no further, while the local sensitivity of balanced data falls to {local:.1e} there."
    )
    measured = {"n8": first, "n1e12": last, "local_balanced_n1e12": local}
    return Finding(Verdict.of(last > 0.9 * first and local < 0.01 * last), words, measured)


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
        "§5.3",
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
        "The global sensitivity is large: it does not fall with the number of records.",
        _global,
    ),
)
