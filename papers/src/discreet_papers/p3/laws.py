"""The mechanisms of P3's Figures 5 to 8, their simulated errors and the laws of their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from flint import arb

from discreet.core import Law, Mechanism
from discreet.divergence.sensitivity import Prior, smooth
from discreet.divergence.shifts import shifted
from discreet.exact import Floats, Ints
from discreet.exact.balls import ball
from discreet.laws.exponential import ExponentialLaw
from discreet_papers.p1.laws import smoothness, truncated
from discreet_papers.p3.cases import (
    CASES,
    DELTA,
    EPSILON,
    M_H,
    OVER_S,
    Case,
    laplace,
)
from discreet_papers.parts import Scale
from discreet_papers.settings import (
    CALIBRATED,
    LIMIT,
    errors_of_runs,
    law_of_error,
    made,
)

TRUNCATED = "ls_dim, truncated"  # Laplace noise of scale 2/ε rounded towards zero, as in P1
_FAR = 45  # noise beyond it has a probability below 1e-7
_RARE = 1e-12  # outcomes that are left out of a law: below 1e-6 together


class Errors(NamedTuple):
    """A law of the Hellinger error."""

    distances: Floats
    probabilities: Floats

    @property
    def mean(self) -> float:
        """The expected error."""
        return float(self.distances @ self.probabilities)

    @property
    def truth(self) -> float:
        """The probability of the exact posterior."""
        return self.below(1e-9)

    def below(self, c: float) -> float:
        """The probability of an error below c."""
        return float(self.probabilities[self.distances < c].sum())


def labels(case: Case) -> list[str]:
    """M_H as defined and with /S, Laplace noise, and ours as far as they can be computed."""
    k = len(case.counts)
    ours = {2: ["lattice", CALIBRATED, LIMIT], 3: ["lattice", CALIBRATED]}
    return [M_H, OVER_S, laplace(k), TRUNCATED, *ours.get(k, ["lattice"])]


@cache
def built(label: str, figure: int) -> Mechanism:
    """A mechanism of these figures; M_H with /S has the paper's γ, with n + 1 for |R|."""
    case = CASES[figure]
    delta = DELTA if label in (M_H, OVER_S) else None
    mechanism = made(label, case.prior, sum(case.counts), EPSILON, delta)
    if label != OVER_S:
        return mechanism
    law = partial(_as_printed, mechanism.config.model.prior)
    return replace(mechanism, make_raw_law=law, make_law=law)


def runs(label: str, figure: int, scale: Scale) -> Floats:
    """The errors of simulated releases."""
    counts = CASES[figure].counts
    if label != TRUNCATED:
        return errors_of_runs(built(label, figure), counts, scale)
    rounded_down = built(laplace(len(counts)), figure)
    raw = rounded_down.raw_law(counts).sample(scale.runs, scale.rng(label, counts))
    return _hellinger(counts, rounded_down.make_released(raw + (raw < np.array(counts[:-1]))))


@cache
def error_law(label: str, figure: int) -> Errors:
    """The law of the Hellinger error at the figure's counts."""
    counts = CASES[figure].counts
    if label == TRUNCATED:
        return _truncated(counts)
    law = law_of_error(built(label, figure), counts)
    return Errors(law.distances, law.probabilities)


def _truncated(counts: tuple[int, ...]) -> Errors:
    """Noise rounded towards zero on all counts but the last, clipped to [0, n] like `ls_hist`."""
    n = sum(counts)
    t = np.arange(-_FAR, _FAR + 1)
    p = np.array([truncated(int(step)) for step in t])
    columns = [np.bincount(np.clip(c + t, 0, n), p, n + 1) for c in counts[:-1]]
    joint = columns[0]
    for column in columns[1:]:
        joint = joint[..., None] * column
    rows = np.argwhere(joint > _RARE)
    rest = np.maximum(n - rows.sum(axis=1), 0)
    errors = np.round(_hellinger(counts, np.column_stack([rows, rest])), 12)
    distances, places = np.unique(errors, return_inverse=True)
    chances = np.bincount(places.ravel(), joint[joint > _RARE])
    return Errors(distances, np.asarray(chances, dtype=np.float64))


def _hellinger(counts: Sequence[int], rows: Ints) -> Floats:
    return shifted("hellinger", [Fraction(1)] * len(counts), counts, rows)


def _as_printed(prior: Prior, counts: tuple[int, ...]) -> Law:
    """P3 §4.4: r with probability ∝ exp(−ε·H/S)."""
    return ExponentialLaw(counts, prior, partial(_over_s, prior, counts))


def _over_s(prior: Prior, counts: tuple[int, ...]) -> arb:
    gamma = partial(ball, Fraction(smoothness(sum(counts) + 1)))
    return ball(Fraction(EPSILON)) / smooth(prior, counts, gamma, "exponential")
