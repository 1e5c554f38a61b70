"""What P3's captions say of sensitivities."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

import numpy as np

from discreet.divergence.sensitivity import global_sensitivity
from discreet.exact import compositions
from discreet_papers.p1.laws import smoothness
from discreet_papers.p3.cases import DIRICHLET, local_of_all, smooth_of
from discreet_papers.p3.printed import GLOBAL, LOCAL, RATES, SMOOTH, step_from_prior
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import model

WAYS = (ROUND_HALF_UP, ROUND_DOWN)


class Fit(NamedTuple):
    """How many counts have the printed LS, how many of these the printed S, the largest S/LS."""

    local: int
    both: int
    ratio: float


@cache
def fit(n: int, gamma: float) -> Fit:
    """Over all counts with sum n, rounded or cut off at the last printed digit."""
    rows, local = local_of_all(DIRICHLET, n)
    near = [place for place, value in enumerate(local.tolist()) if LOCAL[n].agrees(value)]
    smooth = [smooth_of(rows, local, place, gamma) for place in near]
    both = sum(
        any(_written(a, LOCAL[n].text, way) and _written(b, SMOOTH[n].text, way) for way in WAYS)
        for a, b in zip(local[near].tolist(), smooth, strict=True)
    )
    return Fit(len(near), both, float((np.array(smooth) / local[near]).max()))


def _written(value: float, text: str, way: str) -> bool:
    """Whether a number is printed so, rounded or cut off at the last digit."""
    unit = Decimal(text).as_tuple().exponent
    return Decimal(value).quantize(Decimal((0, (1,), int(unit))), rounding=way) == Decimal(text)


def _global() -> Finding:
    ours = global_sensitivity(model(DIRICHLET), 100)
    step, printed = step_from_prior(), float(GLOBAL)
    return Finding(
        Verdict.of(abs(ours - printed) < 1e-12),
        f"It is √(1 − w(4)·w(5)) = {ours:.6f}, from the two smallest parameters. The printed "
        f"number is the step from the prior itself to DL(8, 3, 5), √(1 − w(7)·w(3)) = {step:.12f}, "
        "which no data lead to; being larger, it costs accuracy and not privacy.",
        {"ours": ours, "step_from_prior": step, "printed": printed},
    )


def _gamma() -> Finding:
    measured: dict[str, float] = {}
    for n, text in RATES.items():
        measured[f"printed_{n}"] = float(text)
        measured[f"with_n_{n}"] = smoothness(n)
        measured[f"right_{n}"] = smoothness(compositions.count(n, 3))
    right = all(abs(measured[f"printed_{n}"] - measured[f"right_{n}"]) < 1e-12 for n in RATES)
    own = [abs(measured[f"printed_{n}"] - measured[f"with_n_{n}"]) < 1e-12 for n in RATES]
    return Finding(
        Verdict.of(right),
        f"The printed values have n for the number of candidates ({sum(own)} of {len(own)}: the "
        f"one for n = 150 repeats n = 120 and would be {measured['with_n_150']:.5f}). With the "
        "number of posteriors, C(n+2, 2), γ is "
        f"{measured['right_100']:.5f}, {measured['right_120']:.5f} and "
        f"{measured['right_150']:.5f}.",
        measured,
    )


def _pairs() -> Finding:
    printed = {n: fit(n, float(text)) for n, text in RATES.items()}
    right = {n: fit(n, smoothness(compositions.count(n, 3))) for n in RATES}
    words = ", ".join(f"{printed[n].both} of {printed[n].local} at n = {n}" for n in RATES)
    others = ", ".join(str(right[n].both) for n in RATES)
    ratio = max(found.ratio for found in printed.values())
    return Finding(
        Verdict.of(
            all(found.both for found in printed.values()),
            all(found.both for found in right.values()),
        ),
        "The data are not given, so all counts were tried; both may be rounded, or both cut off. "
        f"Where LS is the printed one, S with the printed γ is at most {ratio:.4f} times LS, and "
        f"is the printed one for {words}. With the right number of candidates in γ it is for "
        f"{others}; at n = 100 S is at most {right[100].ratio:.4f} times LS even so.",
        {f"local_{n}": printed[n].local for n in RATES}
        | {f"both_{n}": printed[n].both for n in RATES}
        | {f"both_right_{n}": right[n].both for n in RATES}
        | {"largest_ratio": ratio, "largest_ratio_right_100": right[100].ratio},
    )


CLAIMS = (
    Claim(
        "p3-gs",
        "Figures 3 and 4",
        "The global sensitivity with the prior DL(7, 4, 5) is 0.239992747797.",
        _global,
        "E17",
    ),
    Claim(
        "p3-gamma",
        "Figures 3 and 4",
        "The smooth sensitivity that makes M_H (0.8, 0.8)-private has γ = 0.06994 at n = 100 and "
        "0.06778 at n = 120 and 150.",
        _gamma,
        "E17",
    ),
    Claim(
        "p3-ls-s",
        "Figures 3 and 4",
        "Local and smooth sensitivity are 0.08 and 0.09 at n = 100, 0.0945 and 0.096 at n = 120 "
        "and 150.",
        _pairs,
        "E17",
    ),
)
