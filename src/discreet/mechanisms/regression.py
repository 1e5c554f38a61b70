"""Sufficient statistics of a regression with integer noise on every entry."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import partial

import numpy as np

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.law import Outcome
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw
from discreet.laws.product import ProductLaw
from discreet.moment_sensitivity import MOST_WEIGHT, Noise, Regression, best_weight, noise_of

LEAST_RATE = Fraction(1, 2**53)  # of discrete Laplace noise
MOST = 2**61  # of a sum: noise fits 64-bit integers besides


def noisy_statistics(
    model: Regression,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    delta: object = 0,
    weight: int | None = None,
) -> Mechanism:
    """XᵀX, Xᵀy and yᵀy in whole grid steps, plus discrete Laplace or discrete Gaussian noise.

    For a record s = (1, u, c·t), with u and t in [−1, 1], the matrix s·sᵀ is summed. All entries
    above the diagonal get the same noise; those on it twice the scale for ε alone, and √2 times for
    (ε, δ). With the weight c of y the entries of y are known c times, that of yᵀy c² times more
    precisely. Under add-remove the number of records gets noise too.

    delta: 0 for Laplace noise and ε alone; above, Gaussian noise with the analytic calibration.
    weight: c, a whole number; None takes what makes the error of the weights least, if they are
    what the prior says.
    Guarantee: (ε, δ).
    """
    probability = check.rational("delta", delta)
    if probability != 0:
        probability = check.share("delta", delta)
    private_n = n is None
    c = best_weight(model, private_n, probability > 0) if weight is None else weight
    c = check.whole("weight", c, least=1, most=MOST_WEIGHT)
    weight = None if weight is None else c
    _require_room(model, n, c)
    # `noise_of` has the sensitivity, with its proof, and the noise that makes (ε, δ) of it.
    noise = noise_of(model, private_n, epsilon, probability, c)
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
        f"discrete {kind} noise on the moments of records that are clipped to the bounds", reference
    )
    law = partial(_law, (model.rows, model.grid, c), private_n, noise)
    return Mechanism(
        config=Config(
            "statistics",
            model,
            n,
            epsilon,
            adjacency,
            (("delta", probability), ("weight", weight)),
        ),
        guarantee=Guarantee(epsilon, probability, adjacency, basis=theorem),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_possible, (model.rows, model.grid, c), int(model.intercept), n),
    )


def weight_of(config: Config) -> int:
    """The weight of y in a release of statistics."""
    options = dict(config.options)
    if options["weight"] is not None:
        return int(options["weight"])
    return best_weight(config.model, config.n is None, options["delta"] > 0)


def _require_room(model: Regression, n: int | None, c: int) -> None:
    if (n or 0) * model.grid**2 * c**2 >= 2**60:
        raise InputError(
            f"grid must be smaller for {n} records, as sums have to fit 64-bit integers, got "
            f"{model.grid}",
            "grid",
        )


def _law(public: tuple[int, int, int], private_n: bool, noise: Noise, values: Outcome) -> Law:
    records, different, squares = _centre(*public, values)
    parts = [
        _noisy(records, noise.diagonal, noise.laplace) if private_n else PointMass(records),
        _noisy(different, noise.above, noise.laplace),
        _noisy(squares, noise.diagonal, noise.laplace),
    ]
    return ProductLaw(tuple(parts))


def _noisy(center: Outcome, level: Fraction, laplace: bool) -> Law:
    if laplace:
        return NoiseLaw(center, level, "two-sided")
    return DiscreteGaussianLaw(center, (level,) * len(center))


def _centre(rows: int, grid: int, c: int, values: Outcome) -> tuple[Outcome, Outcome, Outcome]:
    """n·grid², the entries above the diagonal, and those on it; those of y times c, or c²."""
    n, *entries = values
    pairs = list(itertools.combinations(range(rows), 2))
    different = tuple(
        entry * c if column == rows - 1 else entry
        for entry, (_, column) in zip(entries, pairs, strict=False)
    )
    *squares, last = entries[len(pairs) :]
    # Cutting a sum to a fixed range brings two sums no further apart. It happens only where n is
    # private, so that nothing could be refused before.
    found = (n * grid**2,), different, (*squares, last * c * c)
    return tuple(tuple(max(-MOST, min(MOST, x)) for x in part) for part in found)  # type: ignore[return-value]


def _possible(public: tuple[int, int, int], constant: int, n: int | None, raw: Ints) -> Ints:
    """Cut to what n records within the bounds can have; nothing for what cannot have been drawn."""
    rows, grid, c = public
    above = rows * (rows - 1) // 2
    if raw.shape[1] != 1 + above + rows - constant:
        return raw[:, :0]
    if n is not None and (raw[:, 0] != n * grid**2).any():
        return raw[:, :0]
    most = np.clip(raw[:, :1], 0, 2**62 // c**2)
    factors = np.where(np.triu_indices(rows, 1)[1] == rows - 1, c, 1)
    different = np.clip(raw[:, 1 : 1 + above], -most * factors, most * factors)
    squares = raw[:, 1 + above :]
    tops = np.ones(squares.shape[1], dtype=np.int64)
    tops[-1] = c * c
    return np.hstack([most, different, np.clip(squares, 0, most * tops)])
