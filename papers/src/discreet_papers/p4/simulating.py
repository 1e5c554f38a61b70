"""P4's private posteriors of a normal mean, released many times from made-up records."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from discreet.core import Mechanism
from discreet.core.families import mechanism
from discreet.exact import Floats
from discreet.families.normal.model import NormalMean
from discreet.families.normal.noise_aware import infer_mean
from discreet_papers.parts import Scale

EPSILON, DELTA = 1, Fraction(1, 10**5)
VARIANCE = PRIOR = Fraction(1, 100)  # of the records, and of their mean
# records differ by at most 1 (P4, §6.1), and are hardly ever cut off
MODEL = NormalMean(Fraction(1, 2), PRIOR, VARIANCE, bounds=(0, 1))
INPUT, GAUSSIAN, LAPLACE, HELLINGER = "input", "gaussian", "laplace", "hellinger"
LOOSE = "laplace, P4's sensitivity"
MECHANISMS = (INPUT, LOOSE, HELLINGER, GAUSSIAN, LAPLACE)
STANDARD = 1.959963984540054  # between −this and this lies 95 % of a normal law


def loose_sensitivity(variance: Fraction = VARIANCE, prior: Fraction = PRIOR) -> Fraction:
    """P4's s = hV/(kv + hV) (§6.2)."""
    return prior / (variance + prior)


@cache
def made(label: str, n: int) -> Mechanism:
    """A mechanism at ε = 1, and δ = 1e-5 if its noise is normal.

    "hellinger" chooses among points that lie closer than a posterior is wide.
    """
    options: dict[str, Any] = {}
    if label in (INPUT, GAUSSIAN):
        options["delta"] = DELTA
    if label == HELLINGER:
        options["points"] = 1001 if n <= 100 else 4001
    return mechanism(label, MODEL, n, epsilon=EPSILON, **options)


class Run(NamedTuple):
    """Simulated releases: the true means, the exact posterior means and the released ones."""

    truth: Floats
    exact: Floats
    released: Floats
    raw: Any  # what was drawn, for noise-aware posteriors


def simulate(label: str, n: int, runs: int, scale: Scale) -> Run:
    """μ from the prior, n records from N(μ, v), and a release; the data are the same for all."""
    data, draws = scale.rng("data", n), scale.rng(label, n)
    truth = data.normal(float(MODEL.prior_mean), float(PRIOR) ** 0.5, runs)
    stats = [MODEL.count(data.normal(mu, float(VARIANCE) ** 0.5, n)) for mu in truth]
    exact = np.array([MODEL.posterior(one).mean() for one in stats])
    if label == LOOSE:
        noise = draws.laplace(0, float(loose_sensitivity()) / EPSILON, runs)
        return Run(truth, exact, exact + noise, None)
    mechanism = made(label, n)
    raw = np.concatenate([mechanism.raw_law(one).sample(1, draws) for one in stats])
    sums = mechanism.make_released(raw)[:, 1]
    means = [float(MODEL.posterior_mean(n, total)) for total in sums.tolist()]
    return Run(truth, exact, np.array(means), raw)


def hellinger(run: Run, n: int) -> Floats:
    """From the exact posterior to the released one: H² = 1 − exp(−Δ²/(8s²))."""
    apart = (run.released - run.exact) ** 2 / (8 * float(MODEL.posterior_variance(n)))
    return np.sqrt(-np.expm1(-apart))


def covered(run: Run, n: int) -> float:
    """The share of 95 % intervals with the true mean, if the released mean is taken for exact."""
    width = STANDARD * float(MODEL.posterior_variance(n)) ** 0.5
    return float((np.abs(run.truth - run.released) <= width).mean())


def covered_aware(label: str, run: Run, n: int) -> float:
    """The share of noise-aware 95 % intervals with the true mean."""
    inside = 0
    for mu, raw in zip(run.truth, run.raw.tolist(), strict=True):
        below = infer_mean(made(label, n), tuple(raw)).cdf(mu)
        inside += 0.025 <= float(below) <= 0.975
    return inside / len(run.truth)
