"""P4 §6.1 and §6.2: learning the mean of a normal law, with noise on the input or the output."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from flint import arb

from discreet.auditing import audit
from discreet.core.families import mechanism
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.exact.hockey_stick import gaussian_delta
from discreet.families.normal.model import NormalMean
from discreet_papers.p4.simulating import (
    DELTA,
    INPUT,
    LAPLACE,
    MODEL,
    PRIOR,
    STANDARD,
    VARIANCE,
    loose_sensitivity,
)
from discreet_papers.parts import Claim, Finding, Verdict

_RATIOS = (Fraction(1, 4), Fraction(1), Fraction(4))  # prior variance over that of the records


def classical_deviation(epsilon: float, delta: float = float(DELTA)) -> float:
    """√(2·ln(1.25/δ))/ε, for a number that changes by at most 1 (Definition 3.4)."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def classical_delta(epsilon: Fraction) -> float:
    """δ(ε) of normal noise with the classical deviation, exactly."""
    return balls.nearest(lambda: gaussian_delta(epsilon, ball(epsilon) / (2 * _log()).sqrt()))


def _log() -> arb:
    return ball(Fraction(5, 4) / DELTA).log()


def sensitivity(model: NormalMean, n: int) -> Fraction:
    """The largest change of the posterior mean, over all data of n records on the model's grid."""
    values = [Fraction(i, 2 * model.grid) for i in range(2 * model.grid + 1)]
    means = {
        data: model.posterior(list(map(float, data))).exact_mean
        for data in product(values, repeat=n)
    }
    changed = (abs(means[data] - means[(*data[:-1], value)]) for data in means for value in values)
    return max(changed)


def _input() -> Finding:
    epsilon, small = Fraction(1), NormalMean(0, 1, 1, bounds=(0, 1), grid=5000)
    classical = classical_delta(epsilon)
    audited = audit(mechanism(INPUT, small, 50, epsilon=epsilon, delta=DELTA))
    words = (
        f"At ε = 1, δ = 1e-5 normal noise with the classical deviation "
        f"{classical_deviation(1):.3f} on every record has δ(1) = {classical:.1e}. Our own, the "
        f"least discrete Gaussian noise on a grid, has ε = {audited.epsilon:.6f} by the audit of "
        "50 noisy records."
    )
    return Finding(
        Verdict.of(classical <= DELTA and audited.epsilon <= 1),
        words,
        {"classical_delta": classical, "audited": audited.epsilon},
    )


def _classical() -> Finding:
    found = {str(e): classical_delta(Fraction(e)) for e in ("0.5", "1", "8", "8.5", "10")}
    limit = float(DELTA)
    stated = all(delta <= limit for delta in found.values())
    words = (
        "It is proved for ε < 1 (Dwork and Roth 2014), and in general false. At δ = 1e-5 the exact "
        f"δ is {found['1']:.1e} at ε = 1 and still {found['8']:.2e} at ε = 8, but "
        f"{found['8.5']:.3e} at 8.5 and {found['10']:.3e} at 10."
    )
    return Finding(
        Verdict.of(stated, max(found["0.5"], found["1"], found["8"]) <= limit),
        words,
        {f"delta_{epsilon}": delta for epsilon, delta in found.items()},
    )


def covered(noise: float, n: int) -> float:
    """The share of 95 % intervals with the mean, if noise of this deviation on each is data."""
    step = float(PRIOR / (VARIANCE + n * PRIOR))
    within = float(MODEL.posterior_variance(n))
    wide = math.sqrt(within + step**2 * n * noise**2)
    return math.erf(STANDARD * math.sqrt(within) / wide / math.sqrt(2))


def _overconfident() -> Finding:
    found = {n: covered(classical_deviation(1), n) for n in (10, 100, 10_000)}
    known = float(VARIANCE) + classical_deviation(1) ** 2
    words = (
        "The program takes the noise for data: its 95 % intervals have the mean with probability "
        f"{found[10]:.3f} for 10 records, {found[100]:.3f} for 100 and {found[10_000]:.3f} for "
        f"10,000, at ε = 1, δ = 1e-5, kv = {float(VARIANCE)}. With kv + σ² = {known:.1f} for the "
        "variance of the noisy records it is 0.95."
    )
    return Finding(
        Verdict.of(min(found.values()) >= 0.94),
        words,
        {f"covered_{n}": share for n, share in found.items()},
    )


def _sensitivity() -> Finding:
    holds, tight = True, True
    for ratio in _RATIOS:
        bound = loose_sensitivity(Fraction(1), ratio)
        model = NormalMean(0, ratio, 1, bounds=(0, 1), grid=2)
        exact = {n: sensitivity(model, n) for n in (1, 2, 3)}
        holds &= all(x <= bound for x in exact.values())
        tight &= exact[1] == bound and all(x == ratio / (1 + n * ratio) for n, x in exact.items())
    loose = float((VARIANCE + 100 * PRIOR) / (VARIANCE + PRIOR))
    words = (
        "Over all data of one to three records on a grid of five numbers between 0 and 1, and "
        f"three prior variances: attained for n = 1. In general it is hV/(kv + n·hV), so that for "
        f"n = 100 and hV = kv P4's noise is {loose:.1f} times what is needed, and never gets less."
    )
    return Finding(Verdict.of(holds), words, {"tight_at_1": tight, "factor_100": loose})


def _variance() -> Finding:
    model = NormalMean(0, Fraction(1, 4), 1, bounds=(0, 1), grid=2)
    data = list(product([0.0, 0.25, 0.5, 1.0], repeat=3))
    variances = {model.posterior(list(x)).exact_variance for x in data}
    words = (
        f"All {len(data)} data sets of three records from four numbers give the variance "
        f"{float(max(variances)):.4f}, so that releasing it costs nothing while n is public."
    )
    return Finding(Verdict.of(len(variances) == 1), words, {"different": len(variances)})


def _formula() -> Finding:
    prior, known, n = 0.5, 2.0, 3
    variance = float(NormalMean(0, prior, known, bounds=(0, 1)).posterior_variance(n))
    deviations = float(NormalMean(0, prior**2, known**2, bounds=(0, 1)).posterior_variance(n))
    printed = 1 / (1 / prior**2 + n / known**2)
    move = prior / (known + prior)
    moves = prior**2 / (known**2 + prior**2)
    words = (
        "It holds if hV and kv are standard deviations; but then the sensitivity, hV/(kv + hV), "
        f"would need squares too: for hV = {prior:g}, kv = {known:g} and one record {moves:.3f}, "
        f"not {move:.3f}. With kv the variance, as the text has it, hV = {prior:g}, kv = {known:g} "
        f"and n = {n} leave {variance:.4f}, not {printed:.4f}. The program moreover calls the "
        "prior with kV."
    )
    return Finding(
        Verdict.of(math.isclose(printed, variance), math.isclose(printed, deviations)),
        words,
        {"printed": printed, "variances": variance, "deviations": deviations},
    )


def _output() -> Finding:
    """One record on a grid of 2,001 numbers: discrete Laplace noise, so its loss is exact."""
    epsilon, n = Fraction(1), 1
    model = NormalMean(0, 1, 1, bounds=(0, 1), grid=1000)
    loss = audit(mechanism(LAPLACE, model, n, epsilon=epsilon)).epsilon
    bound = loose_sensitivity(Fraction(1), Fraction(1))
    records = np.array([1, 2, 10, 100])
    spare = 1 / (1 + records) / float(bound)  # the loss at n, with noise for s
    words = (
        f"Noise of scale s/ε, as in line 4, makes the mean ε-private, not sε: with hV = kv, so "
        f"s = ½, one record loses {loss:.4f} at ε = 1, by the audit of noise on a grid. The type "
        "with sε is that of noise of scale 1/ε. As s is too large for more records, they lose "
        f"{spare[1]:.3f}·ε for n = 2 and {spare[3]:.3f}·ε for n = 100."
    )
    typed = float(bound * epsilon)
    return Finding(
        Verdict.of(loss <= typed, loss <= float(epsilon) + 1e-9),
        words,
        {"loss": loss, "typed": typed, "share_2": float(spare[1]), "share_100": float(spare[3])},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p4-input-private",
        "§6.1",
        "Learning the mean from records with normal noise on each is (ε, δ)-private.",
        _input,
    ),
    Claim(
        "p4-classical-deviation",
        "§6.1, Definition 3.4",
        "Normal noise of deviation √(2·ln(1.25/δ))/ε is (ε, δ)-private, whatever ε > 0 the program "
        "is given.",
        _classical,
        implied=True,
    ),
    Claim(
        "p4-noise-as-data",
        "§6.1",
        "What is inferred from noisy records as if they were the data is a posterior of the mean.",
        _overconfident,
        implied=True,
    ),
    Claim(
        "p4-normal-sensitivity",
        "§6.2",
        "If a record changes by at most 1, the posterior mean changes by at most hV/(kv + hV).",
        _sensitivity,
    ),
    Claim(
        "p4-posterior-variance",
        "§6.2",
        "The posterior variance does not depend on the data, so that noise on the mean is enough.",
        _variance,
    ),
    Claim(
        "p4-variance-formula",
        "§6.2",
        "The posterior variance is 1/(1/hV² + n/kv²), with kv the known variance and hV the prior "
        "variance.",
        _formula,
        "E21",
    ),
    Claim(
        "p4-output-private",
        "§6.2",
        "Laplace noise for a sensitivity s on the posterior mean, as in line 4, is sε-private.",
        _output,
    ),
)
