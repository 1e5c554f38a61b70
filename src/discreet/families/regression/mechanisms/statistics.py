"""Sufficient statistics of a regression with integer noise on every entry."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.counts import Unit
from discreet.core.law import Outcome, ProductLaw
from discreet.core.statistics import places
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.exact.draw import LEAST_RATE
from discreet.families.regression.sensitivity import (
    MOST_WEIGHT,
    Noise,
    Regression,
    best_weight,
    noise_of,
)
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw

MOST = 2**61  # of a sum: noise fits 64-bit integers besides


def noisy_statistics(
    model: Regression,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    delta: object = 0,
    weight: int | None = None,
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
) -> Mechanism:
    """XᵀX, Xᵀy and yᵀy in whole grid steps, plus discrete Laplace or discrete Gaussian noise.

    For a record s = (1, u, c·t), with u and t in [−1, 1], the matrix s·sᵀ is summed. All entries
    above the diagonal get the same noise; those on it twice the scale for ε alone, and √2 times for
    (ε, δ). With the weight c of y the entries of y are known c times, that of yᵀy c² times more
    precisely. Under add-remove the number of records gets noise too, and all noise is m times as
    wide for persons with up to m records.

    delta: 0 for Laplace noise and ε alone; above, Gaussian noise with the analytic calibration.
    weight: c, a whole number; None takes what makes the error of the coefficients least, if they
    are what the prior says.
    Guarantee: (ε, δ).
    """
    probability = check.rational("delta", delta)
    if probability != 0:
        probability = check.share("delta", delta)
    private_n, whose = n is None, Unit.read(n, unit, max_per_unit, per_unit)
    c = best_weight(model, private_n, probability > 0) if weight is None else weight
    c = check.whole("weight", c, least=1, most=MOST_WEIGHT)
    asked = None if weight is None else c
    _require_room(model, n, c)
    # `noise_of` has the sensitivity, with its proof, and the noise that makes (ε, δ) of it.
    noise = noise_of(model, private_n, epsilon, probability, c, whose)
    if noise.laplace and noise.diagonal < LEAST_RATE:
        least = epsilon * LEAST_RATE / noise.diagonal
        raise InputError(
            f"epsilon must be at least {check.show(least)} on a grid of {model.grid}, so that the "
            f"noise fits 64-bit integers, got {check.show(epsilon)}; a coarser grid allows less",
            "epsilon",
        )
    kind, reference = (
        ("Laplace", "Dwork, McSherry, Nissim and Smith 2006; Foulds et al. 2016")
        if noise.laplace
        else ("Gaussian", "Balle and Wang 2018; Canonne, Kamath and Steinke 2020")
    )
    theorem = Theorem(
        f"discrete {kind} noise on the moments of records that are clipped to the bounds"
        f"{whose.clause}",
        reference,
    )
    public = model.rows, model.intercept, model.grid, c
    law = partial(_law, public, private_n, noise)
    return Mechanism(
        config=Config(
            "statistics",
            model,
            n,
            epsilon,
            adjacency,
            (("delta", probability), ("weight", c), *whose.options_if_any),
            asked=(("delta", probability), ("weight", asked), *whose.options_if_any),
        ),
        guarantee=Guarantee(
            *(epsilon, probability, adjacency, whose.name, whose.most),
            basis=theorem,
            curve=noise.curve,
            replacing=noise.replacing,
        ),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_possible, public, n),
    )


def weight_of(config: Config) -> int:
    """The weight of y in a release of statistics."""
    return int(dict(config.options)["weight"])


def _require_room(model: Regression, n: int | None, c: int) -> None:
    if (n or 0) * model.grid**2 * c**2 >= 2**60:
        raise InputError(
            f"grid must be smaller for {n} records, as sums have to fit 64-bit integers, got "
            f"{model.grid}",
            "grid",
        )


def _law(public: tuple[int, bool, int, int], private_n: bool, noise: Noise, values: Outcome) -> Law:
    rows, constant, grid, c = public
    n, *entries = values
    # Cutting a sum to a fixed range brings two sums no further apart. It happens only where n is
    # private, so that nothing could be refused before.
    records = (min(MOST, n * grid**2),)
    weighted = tuple(
        max(-MOST, min(MOST, entry * factor))
        for entry, factor in zip(entries, _factors(rows, constant, c), strict=True)
    )
    above = rows * (rows - 1) // 2
    return ProductLaw(
        (
            _noisy(records, noise.diagonal, noise.laplace) if private_n else PointMass(records),
            _noisy(weighted[:above], noise.above, noise.laplace),
            _noisy(weighted[above:], noise.diagonal, noise.laplace),
        )
    )


def _noisy(center: Outcome, level: Fraction, laplace: bool) -> Law:
    if laplace:
        return NoiseLaw(center, level, "two-sided")
    return DiscreteGaussianLaw(center, (level,) * len(center))


def _factors(rows: int, constant: bool, c: int) -> list[int]:
    """What every entry is multiplied by: c for those of y, c² for its square."""
    return [c ** ((i, j).count(rows - 1)) for i, j in places(rows, constant)]


def _possible(public: tuple[int, bool, int, int], n: int | None, raw: Ints) -> Ints:
    """Cut to what n records within the bounds can have; nothing for what cannot have been drawn.

    A mean of a person's products lies between their bounds too.
    """
    rows, constant, grid, c = public
    factors = np.array(_factors(rows, constant, c))
    if raw.shape[1] != 1 + len(factors) or (n is not None and (raw[:, 0] != n * grid**2).any()):
        return raw[:, :0]
    most = np.clip(raw[:, :1], 0, 2**62 // c**2)
    signs = np.array([-1 if i < j else 0 for i, j in places(rows, constant)])
    return np.hstack([most, np.clip(raw[:, 1:], signs * most * factors, most * factors)])
