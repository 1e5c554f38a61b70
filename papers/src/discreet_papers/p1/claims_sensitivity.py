"""What P1 claims about the utility and its sensitivity."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.auditing.calibration import scaled
from discreet.divergence import hellinger
from discreet.divergence.sensitivity import (
    global_sensitivity,
    local_sensitivity,
    smooth_sensitivity,
)
from discreet_papers.p1.laws import EPSILON, FORTY, TWO, smoothness, usual
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import law_of_error, model


def _sign() -> Finding:
    candidates = np.array([[1 + ones, 41 - ones] for ones in range(41)])
    far = np.asarray(hellinger(candidates, [21, 21]))
    kappa = EPSILON / (2 * global_sensitivity(model(TWO), 40))
    means, truths = {}, {}
    for name, sign in (("plus", 1), ("minus", -1)):
        weights = np.exp(sign * kappa * far)
        means[name], truths[name] = float(weights @ far / weights.sum()), 1 / float(weights.sum())
    words = (
        "With +H the farthest posteriors are the likeliest: at counts (20, 20) the mean error is "
        f"{means['plus']:.3f} and the truth has {truths['plus']:.4f}, against {means['minus']:.3f} "
        f"and {truths['minus']:.4f} with −H, which P1's later formulas and P3 use."
    )
    measured = {f"mean_{name}": mean for name, mean in means.items()}
    measured |= {f"truth_{name}": p for name, p in truths.items()}
    return Finding(Verdict.of(means["plus"] < means["minus"]), words, measured)


def _neighbours() -> Finding:
    n, beta = 8, model(TWO)
    gamma = smoothness(n + 1)
    local = [local_sensitivity(beta, (ones, n - ones)) for ones in range(n + 1)]
    near = [
        max(x * math.exp(-gamma * abs(i - j)) for j, x in enumerate(local) if abs(i - j) <= 1)
        for i in range(n + 1)
    ]
    every = [
        smooth_sensitivity(beta, (ones, n - ones), gamma, "exponential") for ones in range(n + 1)
    ]
    jumps = [abs(math.log(a / b)) for a, b in pairwise(near)]
    largest, place = max(jumps), jumps.index(max(jumps))
    same = all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(near, every, strict=True))
    words = (
        f"All data sets are needed. At (4, 4) the neighbours give {near[4]:.5f}, all of them "
        f"{every[4]:.5f}; and over neighbours only S is not smooth: ln S changes by {largest:.4f} "
        f"between {place} and {place + 1} ones of {n}, where γ = {gamma:.4f} is allowed."
    )
    measured = {"neighbours": near[4], "all": every[4], "largest_jump": largest, "gamma": gamma}
    return Finding(Verdict.of(same and largest <= gamma), words, measured)


def _sensitivity() -> Finding:
    base = usual("smooth_hellinger", FORTY)
    means = [law_of_error(scaled(base, Fraction(1, m)), FORTY).mean for m in (1, 2, 4)]
    words = (
        f"The reverse. With the sensitivity at counts (20, 20) once, twice and four times its "
        f"value the mean error is {means[0]:.3f}, {means[1]:.3f} and {means[2]:.3f}; P1's next "
        "sentence has it right."
    )
    measured = {f"mean_at_{m}_times": mean for m, mean in zip((1, 2, 4), means, strict=True)}
    return Finding(Verdict.of(means[0] > means[1] > means[2]), words, measured)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p1-utility-sign",
        "§2.1.1, §2.1.2",
        "The utility in the exponential mechanism is the Hellinger distance itself.",
        _sign,
        "E19",
    ),
    Claim(
        "p1-smooth-neighbours",
        "§2.2.1",
        "For the smooth sensitivity it is enough to look at adjacent data sets.",
        _neighbours,
        "E19",
    ),
    Claim(
        "p1-sensitivity-accuracy",
        "§3.4.2",
        "Accuracy improves as the sensitivity grows.",
        _sensitivity,
        "E19",
    ),
)
