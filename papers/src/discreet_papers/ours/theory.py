"""What the papers leave open, or do not ask."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy import special

from discreet.auditing import audit
from discreet.auditing.calibration import scaled
from discreet.divergence import hellinger, kl
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import made


def _monotone() -> Finding:
    base = made("ehdl", (1.0, 1.0), 1000, 1.0)
    low, high = (audit(scaled(base, Fraction(m))).epsilon for m in ("3.305", "4.120"))
    return Finding(
        Verdict.of(low > high),
        f"EHDL at n = 1,000, ε = 1 loses {low:.3f} at 3.305 times its exponent and {high:.3f} at "
        "4.120 times. So a calibration is certified at the exponent that is used, and nothing "
        "follows for smaller ones.",
        {"loss_3305": low, "loss_4120": high},
    )


def _lattice_normaliser() -> Finding:
    worst = 0.0
    for k in (2, 3, 4):
        free = np.meshgrid(*[np.arange(-35, 36)] * (k - 1))
        steps = (sum(np.abs(z) for z in free) + np.abs(sum(free))) / 2
        for epsilon in (1.0, 3.0):
            x = math.exp(-epsilon)
            closed = sum(math.comb(k - 1, j) ** 2 * x**j for j in range(k)) / (1 - x) ** (k - 1)
            worst = max(worst, abs(float((x**steps).sum()) / closed - 1))
    return Finding(
        Verdict.of(worst < 1e-12),
        "It agrees with direct sums for two, three and four categories, ε = 1 and 3. As a "
        "difference of two vectors of geometric numbers the noise has halves with the same total, "
        "j plus 2k − 1 independent geometric numbers, P(j) ∝ C(k−1, j)²e^{−εj}: an exact sampler "
        "that rejects no whole vectors.",
        {"agrees": worst < 1e-12},
    )


def _midpoint() -> Finding:
    pairs = [((5, 5), (4, 6)), ((464, 248, 22), (465, 247, 22)), ((0.5, 3, 1), (2, 2, 0.5))]
    worst = 0.0
    for a, b in pairs:
        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
        mean = (float(kl(middle, a)) + float(kl(middle, b))) / 2
        worst = max(worst, abs(-math.log1p(-(float(hellinger(a, b)) ** 2)) / mean - 1))
    return Finding(
        Verdict.of(worst < 1e-12),
        f"The two sides agree in {len(pairs)} pairs, one of them nearly equal, so one stable "
        "routine serves both distances.",
        {"pairs": len(pairs)},
    )


def _total_variation() -> Finding:
    convex = concave = True
    for a, b in ((1.0, 1.0), (0.3, 2.0), (5.0, 0.7)):
        ones = np.arange(200)
        x, y = a + ones, b + 199 - ones
        beta = special.betaln(x, y)
        logs = (x - 1) * np.log(x) + (y - 1) * np.log(y) - (x + y - 1) * np.log(x + y) - beta
        convex &= bool((np.diff(logs, 2) > 0).all())
        concave &= bool((np.diff(np.exp(-logs), 2) < 0).all())
    return Finding(
        Verdict.of(convex and concave),
        "So its smooth sensitivities are attained at the same end points as Hellinger's. Checked "
        "along 200 records with three priors; the sensitivities themselves are compared with brute "
        "force in the tests.",
        {"log_convex": convex, "reciprocal_concave": concave},
    )


def _squared_hellinger() -> Finding:
    """Candidates Beta(s, t) over a wide grid, neighbours of up to 3 records with three priors."""
    s, t = (x.ravel() for x in np.meshgrid(*[np.geomspace(0.01, 300, 90)] * 2))
    grid = np.stack([s, t], axis=1)
    both, one = 0.0, 0.0
    for prior in (0.2, 0.5, 1.0):
        for n in (1, 2, 3):
            for i in range(n):
                p, q = (
                    np.array([prior + i, prior + n - i]),
                    np.array([prior + i + 1, prior + n - i - 1]),
                )
                h = float(np.asarray(hellinger(p, q)))
                gap = np.square(hellinger(p, grid)) - np.square(hellinger(q, grid))
                both = max(both, float(gap.max() - gap.min()) / 2 / h)
                one = max(one, float(np.abs(gap).max()) / h)
    return Finding(
        Verdict.of(both <= 1 < one),
        "With u = √p, v = √q, the largest H²(q, r) − H²(p, r) over all r is A = ‖(u − v)₊‖ and the "
        "other way B = ‖(v − u)₊‖, A² + B² = 2h², and the mechanism, whose weights are "
        "exp(ε·score/2), loses at most ε(A + B)/2 ≤ ε·h. The score itself may move by more than h: "
        f"over Betas by up to {one:.3f} times, while (A + B)/2 stays below {both:.3f} times. So H² "
        "with Laplace noise for h is not private; as a score it is, though the checker has no rule "
        "for it.",
        {"one_sided": one, "both": both},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "ours-monotone",
        "theory",
        "A larger exponent can cost less privacy.",
        _monotone,
    ),
    Claim(
        "ours-lattice-normaliser",
        "theory",
        "The lattice law has the normaliser Σ_j C(k−1, j)²e^{−εj}/(1−e^{−ε})^{k−1}.",
        _lattice_normaliser,
    ),
    Claim(
        "ours-midpoint",
        "theory",
        "−log of the Bhattacharyya coefficient of two Dirichlets is the mean Kullback–Leibler "
        "divergence from the Dirichlet at the midpoint of their parameters.",
        _midpoint,
    ),
    Claim(
        "ours-total-variation",
        "theory",
        "Along the counts of two categories the total variation of one substitution is log-convex, "
        "and its reciprocal concave.",
        _total_variation,
    ),
    Claim(
        "ours-squared-hellinger",
        "theory",
        "As a score of the exponential mechanism −H² costs no more privacy than −H, though it may "
        "move by more when a record changes.",
        _squared_hellinger,
    ),
)
