"""Mechanisms by the label of a curve, and the papers' data sets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from discreet.auditing.calibration import scaled
from discreet.core import Mechanism
from discreet.core.families import mechanism
from discreet.divergence.shifts import shifted
from discreet.exact import Floats
from discreet.families.dirichlet.model import DirichletMultinomial
from discreet.planning.accuracy import ErrorLaw, accuracy
from discreet_papers.parts import Scale

CALIBRATED, LIMIT = "ehds, calibrated", "optimal"
OURS = ("lattice", CALIBRATED, LIMIT)  # what the papers do not have
P0_MECHANISMS = ("ls_dim", "ls_hist", "ehd", "ehdl", "ehds")

# the counts of the papers' data sets (UCI Machine Learning Repository), prior 1
TWO_CATEGORIES = {
    "bike sharing, working day": (500, 231),
    "cryotherapy, cured": (48, 42),
    "immunotherapy, cured": (71, 19),
    "badges, sign": (210, 84),
}
THREE_CATEGORIES = {
    "bike sharing, weather": (463, 247, 21),
    "cryotherapy, type": (54, 9, 27),
    "immunotherapy, type": (47, 22, 21),
}


def model(prior: Sequence[float]) -> DirichletMultinomial:
    """The model with this prior; its categories are numbered."""
    return DirichletMultinomial(tuple(map(str, range(len(prior)))), tuple(prior))


@cache
def made(
    label: str, prior: tuple[float, ...], n: int, epsilon: float, delta: float | None = None
) -> Mechanism:
    """A mechanism by its label: a name, or a name and "calibrated" or "doubled".

    Doubled has twice the exponent: /S and /LS in place of /2S and /2LS, as in the accuracy formulas
    of P1 and P3 (erratum E9). delta: `smooth_hellinger`'s.
    """
    name, _, remark = label.partition(", ")
    if remark == "doubled":
        return scaled(made(name, prior, n, epsilon, delta), Fraction(2))
    options: dict[str, Any] = {"calibrate": True} if remark else {}
    if name == "smooth_hellinger":
        options["delta"] = delta
    return mechanism(name, model(prior), n, epsilon=epsilon, **options)


def law_of_error(made: Mechanism, counts: tuple[int, ...], distance: str = "hellinger") -> ErrorLaw:
    """The law of the error at made-up or public counts; where it has to be drawn, always alike."""
    return accuracy(made, counts, distance, rng=np.random.default_rng(0))


def errors_of_runs(
    made: Mechanism, counts: tuple[int, ...], scale: Scale, distance: str = "hellinger"
) -> Floats:
    """The errors of independent simulated releases, as in the papers' experiments.

    All mechanisms get the same random bits, so that equal laws have equal boxes.
    """
    raw = made.raw_law(counts).sample(scale.runs, scale.rng(counts))
    prior = made.config.model.prior
    return np.asarray(shifted(distance, prior, counts, made.make_released(raw)))
