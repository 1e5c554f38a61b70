"""P2 §5.1: what Figure 1 is said to show. Simulations with fixed seeds, on the same data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from discreet.exact import Floats
from discreet.families.network.mechanisms import fourier
from discreet_papers.p2.accuracy import FEATURES, NET, made_up, summary
from discreet_papers.p2.simulating import (
    EXACT,
    FOURIER,
    LAPLACE,
    LATTICE,
    MANY_CHARGED,
    MAP,
    SAMPLER,
    STEALTH,
    Split,
    accuracies,
    probabilities,
    simulated,
    stealthy_t,
)
from discreet_papers.parts import Cell, Claim, Finding, Verdict

_RUNS, _FEWER = 100, 24  # samples and MAP estimates take longer

_PRIVATE = {
    LAPLACE: "Laplace",
    FOURIER: "Fourier",
    SAMPLER: "one sample",
    MAP: "MAP",
    LATTICE: "lattice",
}


@cache
def _splits() -> list[Split]:
    return made_up(_RUNS, np.random.default_rng(20160214))


@cache
def accuracy(label: str, epsilon: float) -> Floats:
    """Of all runs; of the first ones for the slow mechanisms."""
    splits = _splits()[:_FEWER] if label in (SAMPLER, MAP) else _splits()
    rng = np.random.default_rng([len(label), int(10 * epsilon)])
    t = stealthy_t(NET, splits, epsilon, rng) if label == FOURIER else 0.0
    return simulated(label, NET, splits, epsilon, rng, t)


def above(label: str, other: str, epsilon: float) -> tuple[float, float]:
    """The mean difference on the same data, and its standard error."""
    one, two = accuracy(label, epsilon), accuracy(other, epsilon)
    shared = min(len(one), len(two))
    mean, error = summary(one[:shared] - two[:shared])
    return mean, error


def _cost() -> Finding:
    epsilon = 2.0
    found: dict[str, Cell] = {"exact": float(accuracy(EXACT, epsilon).mean())}
    shown, lower = [], True
    for label, name in _PRIVATE.items():
        mean, error = above(label, EXACT, epsilon)
        lower &= mean < -2 * error
        shown.append(f"{name} {-mean:.3f} ± {error:.3f}")
        found |= {label: mean, f"{label}_error": error}
    words = (
        f"At ε = {epsilon:g} the classifier without privacy has accuracy {found['exact']:.3f}, and "
        f"these lose (± standard error): {', '.join(shown)}."
    )
    return Finding(Verdict.of(lower), words, found)


def as_printed(
    splits: Sequence[Split], epsilon: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Tables by Algorithm 2 with P2's own noise, and which runs have no negative cell: 90 %.

    All |N| Fourier coefficients get Laplace noise of scale 2|N|/ε, in units of records.
    """
    counts = np.array([one.counts for one in splits], dtype=np.float64)
    scale = 2 * len(fourier.closure(NET)) / epsilon
    zero, y = rng.laplace(0, scale, (2, len(counts), 1))
    x, both = rng.laplace(0, scale, (2, len(counts), FEATURES))
    counts[:, :2] += np.hstack([zero + y, zero - y]) / 2
    for cell, (a, b) in enumerate(product((1, -1), repeat=2)):
        counts[:, 2 + cell :: 4] += (zero + a * y + b * x + a * b * both) / 4
    cells = np.array([2] * 2 + [4] * (4 * FEATURES))
    needed = np.maximum(-counts * cells, 0).max(axis=1)
    raised = np.quantile(needed, STEALTH)
    return counts + raised / cells, needed <= raised


def _fourier() -> Finding:
    found: dict[str, Cell] = {}
    below, shown = [], []
    rng = np.random.default_rng(20160215)
    splits = made_up(1000, rng, records=300)
    for epsilon in (2.0, 10.0):
        values, kept = as_printed(splits, epsilon, rng)
        theirs = accuracies(NET, splits, probabilities(NET, values))
        plain = simulated(LAPLACE, NET, splits, epsilon, rng)
        mean, error = summary((theirs - plain)[kept])
        below.append((mean < -2 * error, mean > 2 * error))
        shown.append(f"{mean:+.3f} ± {error:.3f} at ε = {epsilon:g}".replace("-", "−"))
        found |= {f"difference_{epsilon:g}": mean, f"error_{epsilon:g}": error}
    words = (
        "Where the noise is large. With P2's own noise, and t such that 90 % of the runs have no "
        f"negative cell, Fourier differs from Laplace by {' and '.join(shown)} (± standard error, "
        "1,000 runs of P2's setting)."
    )
    low, high = below
    return Finding(Verdict.of(low[0] and high[0], low[0]), words, found)


def _sampler() -> Finding:
    found: dict[str, Cell] = {}
    charged: list[bool] = []
    honest: list[bool] = []
    for epsilon in (5.0, 20.0):
        for label, kept in ((MANY_CHARGED, charged), (SAMPLER, honest)):
            others = [above(label, other, epsilon) for other in (LAPLACE, FOURIER)]
            kept += [mean > 2 * error for mean, error in others]
            name = "charged" if label == MANY_CHARGED else "record"
            (found[f"{name}_{epsilon:g}"], found[f"{name}_error_{epsilon:g}"]), _ = others
    words = (
        "In the ε that P2 charges, 2·ln(1/ω) for any number of samples: their mean is "
        f"{found['charged_5']:.3f} ± {found['charged_error_5']:.3f} above Laplace at ε = 5 and "
        f"{found['charged_20']:.3f} ± {found['charged_error_20']:.3f} at ε = 20. A sample at the "
        f"price of a whole record is {-float(str(found['record_5'])):.3f} ± "
        f"{found['record_error_5']:.3f} and {-float(str(found['record_20'])):.3f} ± "
        f"{found['record_error_20']:.3f} below it."
    )
    return Finding(Verdict.of(all(honest), all(charged)), words, found)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-figure-1-cost",
        "§5.1, Figure 1",
        "Privacy costs accuracy for all private mechanisms.",
        _cost,
    ),
    Claim(
        "p2-figure-1-fourier",
        "§5.1, Figure 1",
        "The Fourier mechanism is slightly less accurate than Laplace noise on the updates.",
        _fourier,
    ),
    Claim(
        "p2-figure-1-sampler",
        "§5.1, Figure 1",
        "Past a certain ε the posterior sampler outperforms the other private mechanisms.",
        _sampler,
        "E11",
    ),
)
