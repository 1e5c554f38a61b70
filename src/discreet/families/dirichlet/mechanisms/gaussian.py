"""Normal noise on every count: of the same ρ it has less than other noise, at the price of a δ."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from discreet import check
from discreet.core import (
    Adjacency,
    CategoricalModel,
    Config,
    Guarantee,
    Law,
    Mechanism,
    PointMass,
    Theorem,
)
from discreet.core.counts import Unit
from discreet.core.curves import Normal
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from, in_whole, unchanged
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.exact.hockey_stick import (
    discrete_hockey_stick,
    discrete_pair_delta,
    gaussian_variance,
    least_variance,
)
from discreet.laws.gaussian import MOST_VARIANCE, DiscreteGaussianLaw
from discreet.laws.lattice import clip, project
from discreet.laws.mapped import PostprocessedLaw

POSTPROCESSING = ("project", "clip", None)


def gaussian(
    model: CategoricalModel,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    delta: object = 0,
    postprocess: str | None = "project",
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
) -> Mechanism:
    """Discrete Gaussian noise on every count, of the least variance that is proved (ε, δ)-private.

    One replaced record moves two counts by 1, whatever their number, so that the noise does not
    grow with the number of categories; the δ(ε) of that is computed exactly. Under add-remove n is
    private, and a unit has at most m records: its counts change by at most m in the l2 norm.

    Post-processing: "project" to the nearest vector of counts, "clip" every count to [0, n], or
    None. Under add-remove the first two mean max(0, ·). Guarantee: (ε, δ).
    """
    check.choice("postprocess", postprocess, POSTPROCESSING)
    who = Unit.read(n, unit, max_per_unit, per_unit)
    if check.rational("delta", delta) == 0:
        raise InputError("delta must be given for 'gaussian', a small number above 0", "delta")
    share = check.share("delta", delta)
    if n is not None:
        # Replacing a record changes one count by 1 and another by −1. δ(ε) of discrete Gaussian
        # noise on two such numbers, with the others independent and unchanged, was found to be at
        # most δ in balls for this variance. Post-processing loses nothing.
        variance = _pair_variance(epsilon, share)
        curve, replaced = Normal(Fraction(2), variance, 2, pair=True), None
        changes = "of which one changes by 1 and one by −1"
    else:
        # A unit's records change the counts by s with ‖s‖₂ ≤ ‖s‖₁ ≤ m, in at most min(m, k) places;
        # of one that weighs one, in parts, m is the number of these. δ(ε) of discrete Gaussian
        # noise was bounded by δ in balls for such a change. Of a unit that is replaced no count
        # changes by more than the old or the new one has: ‖s‖₂² ≤ 2m².
        places, square = min(who.reach, len(model.categories)), Fraction(who.reach) ** 2
        variance = _unit_variance(epsilon, share, who.reach, places)
        curve = Normal(square, variance, places)
        replaced = Normal(2 * square, variance, min(2 * who.reach, len(model.categories)))
        changes = "which change by at most m in the l2 norm"
    if variance > MOST_VARIANCE:
        raise InputError(
            "epsilon must be larger: the noise would not fit 64-bit integers, got "
            f"{check.show(epsilon)}",
            "epsilon",
        )
    theorem = Theorem(
        f"discrete Gaussian noise on counts, {changes}",
        "Canonne, Kamath and Steinke 2020; Balle and Wang 2018, Theorem 8",
    )
    released = _released(n, postprocess)
    raw_law = partial(_raw_law, variance, n)
    return Mechanism(
        config=Config(
            *("gaussian", model, n, epsilon, adjacency),
            (("delta", share), ("postprocess", postprocess), *who.options),
        ),
        guarantee=Guarantee(
            *(epsilon, share, adjacency, who.name, who.most, theorem),
            curve=curve,
            replacing=replaced,
        ),
        make_raw_law=raw_law,
        make_law=raw_law if postprocess is None else partial(_law, variance, n, released),
        make_released=partial(in_whole, who.parts, released),
        possible=partial(drawn_from, n),
    )


@lru_cache(maxsize=256)
def _pair_variance(epsilon: Fraction, delta: Fraction) -> Fraction:
    return least_variance(partial(discrete_pair_delta, epsilon), delta)


@lru_cache(maxsize=256)
def _unit_variance(epsilon: Fraction, delta: Fraction, most: int, places: int) -> Fraction:
    if places == 1:  # one count changes by 1, of which δ(ε) is known exactly
        return least_variance(partial(discrete_hockey_stick, epsilon, 1), delta)
    return gaussian_variance(epsilon, delta, Fraction(most) ** 2, places)


def _raw_law(variance: Fraction, n: int | None, counts: Outcome) -> Law:
    if n == 0:
        return PointMass(counts)
    return DiscreteGaussianLaw(counts, (variance,) * len(counts))


def _law(variance: Fraction, n: int | None, released: partial[Ints], counts: Outcome) -> Law:
    raw = _raw_law(variance, n, counts)
    return raw if isinstance(raw, PointMass) else PostprocessedLaw(raw, released)


def _released(n: int | None, postprocess: str | None) -> partial[Ints]:
    if postprocess is None:
        return partial(unchanged)
    if n is None:
        return partial(np.maximum, 0)
    return partial(project if postprocess == "project" else clip, n)
