"""What P3 claims of errors in l1 distance."""

from __future__ import annotations

import math

import numpy as np

from discreet.families.dirichlet.bounds import laplace_as_printed
from discreet_papers.p3.cases import DELTA, DIRICHLET, EPSILON, M_H
from discreet_papers.p3.experiments import DATA_150
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import law_of_error, made

_SAME = 1e-9


def _l1_bound() -> Finding:
    from scipy.stats import gamma

    slack = math.inf
    for m in (2, 3, 4):
        for level in np.geomspace(1e-6, 1, 25):
            tail = float(gamma.sf(m * math.log(m / level), m))
            slack = min(slack, float(level) / tail)
    gaps = {}
    for epsilon in (EPSILON, 5.0):
        errors = law_of_error(made("ls_dim", (1, 1), 100, epsilon), (50, 50), "l1")
        ratio = max(
            errors.tail(float(c)) / min(1.0, float(laplace_as_printed(2, epsilon, float(c))))
            for c in errors.distances[errors.distances <= 40]
        )
        gaps[epsilon] = ratio
    tail = law_of_error(made("ls_dim", (1, 1), 100, 5.0), (50, 50), "l1").tail(2.0)
    bound = float(laplace_as_printed(2, 5.0, 2.0))
    independent = slack >= 1
    return Finding(
        Verdict.of(independent and max(gaps.values()) <= 1 + _SAME, independent),
        "True of m independent Laplace variables, where the bound is at least "
        f"{slack:.2f} times the tail. The mechanism rounds down and fills in the last count: with "
        f"two categories its tail is at most {gaps[EPSILON]:.2f} times the bound (or 1) at "
        f"ε = 0.8, but {gaps[5.0]:.2f} times at ε = 5, where an l1 error of 2 or more has "
        f"probability {tail:.3f} and the bound is {bound:.3f}.",
        {"least_ratio": slack, "tail": tail, "bound": bound}
        | {"excess_at_0.8": gaps[EPSILON], "excess_at_5": gaps[5.0]},
    )


def _l1_order() -> Finding:
    labels = ("ehd", "ehdl", M_H, "ls_hist")
    measured: dict[str, float] = {}
    same = True
    for counts in DATA_150:
        means = {
            distance: [
                law_of_error(
                    made(x, DIRICHLET, 150, EPSILON, DELTA if x == M_H else None), counts, distance
                ).mean
                for x in labels
            ]
            for distance in ("hellinger", "l1")
        }
        orders = [np.argsort(np.round(x, 9), kind="stable").tolist() for x in means.values()]
        same = same and orders[0] == orders[1]
        for distance, values in means.items():
            measured |= {
                f"{x}_{distance}_{counts[0]}": v for x, v in zip(labels, values, strict=True)
            }
    return Finding(
        Verdict.of(same),
        "At (50, 50, 50) the means in Hellinger and l1 distance are "
        f"{measured['ls_hist_hellinger_50']:.3f} and {measured['ls_hist_l1_50']:.1f} for Laplace "
        f"noise, {measured['smooth_hellinger_hellinger_50']:.3f} and "
        f"{measured['smooth_hellinger_l1_50']:.1f} for M_H and EHDL, "
        f"{measured['ehd_hellinger_50']:.3f} and {measured['ehd_l1_50']:.1f} for EHD: the same "
        "order, as with data in the proportions of the prior. In l1 the exponential mechanisms are "
        "farther behind.",
        measured,
    )


CLAIMS = (
    Claim(
        "p3-l1-bound",
        "§3.1",
        "The l1 error of Laplace noise is at least m·ln(m/γ)·2/ε with probability at most γ.",
        _l1_bound,
    ),
    Claim(
        "p3-l1-order",
        "§4.3, Figure 4",
        "By their mean l1 error the four mechanisms come in the same order as by their mean "
        "Hellinger error.",
        _l1_order,
        implied=True,
    ),
)
