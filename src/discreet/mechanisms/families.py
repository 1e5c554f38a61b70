"""Mechanisms for the family tables of a Bayesian network (P2), and ours."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import cast

import numpy as np

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, Model, PointMass, Theorem
from discreet.core.law import Outcome
from discreet.core.tables import Network
from discreet.exact import Ints
from discreet.laws.noise import NoiseLaw
from discreet.laws.product import ProductLaw
from discreet.mechanisms.lattice import clip, lattice_law, project, projected_law


def laplace_updates(
    model: Network,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
) -> Mechanism:
    """Independent integer noise on every cell of every family table, then cut to [0, n].

    P2, Algorithm 1, with discrete Laplace noise of scale 2|I|/ε instead of Laplace noise, for nodes
    with any number of states. Under add-remove the scale is |I|/ε, and cells are cut at 0.
    Guarantee: ε.
    """
    # A record is in exactly one cell of every family's table. Replacing it changes each of the |I|
    # tables by at most 2 in l1, adding or removing it by 1; every step in l1 changes the log
    # probability of independent discrete Laplace noise by its rate.
    changes = len(model.families) * (2 if n is not None else 1)
    rate = epsilon / changes
    theorem = Theorem(
        f"discrete Laplace noise of rate ε/{changes} on tables that change by at most {changes}",
        "Zhang, Rubinstein and Dimitrakakis 2016, Corollary 1",
    )
    released = partial(np.maximum, 0) if n is None else partial(clip, n)
    return Mechanism(
        config=Config("laplace_updates", cast("Model", model), n, epsilon, adjacency),
        guarantee=Guarantee(epsilon, Fraction(0), adjacency, basis=theorem),
        make_raw_law=partial(_independent, rate, None, None, n),
        make_law=partial(_independent, rate, 0, n, n),
        make_released=released,
    )


def _independent(
    rate: Fraction, low: int | None, high: int | None, n: int | None, values: Outcome
) -> Law:
    return PointMass(values) if n == 0 else NoiseLaw(values, rate, "two-sided", low, high)


def family_lattice(
    model: Network,
    n: int,
    epsilon: Fraction,
    *,
    shares: str = "equal",
) -> Mechanism:
    """Every family's joint table by the lattice law with its share of ε; n is kept in each.

    Algorithm 1's noise given that it leaves the total of every table as it is, so never worse.
    shares: "equal", or "sizes": proportional to the cube root of the number of cells, which makes
    the sum of the variances least. The tables are projected to counts with sum n. Guarantee: ε.
    """
    parts = split(model, epsilon, shares)
    # Replacing a record changes each family's table by e_i − e_j at most, for which the lattice law
    # with ε_f loses ε_f. The tables' laws are independent, so the losses add up: Σ ε_f = ε.
    theorem = Theorem(
        "the lattice law on every family's table, with budgets that sum to ε",
        "sequential composition; Hardt and Talwar 2010",
    )
    cells = tuple(family.cells for family in model.families)
    return Mechanism(
        config=Config(
            "lattice",
            cast("Model", model),
            n,
            epsilon,
            Adjacency.SUBSTITUTE,
            (("shares", shares),),
        ),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem),
        make_raw_law=partial(_each, lattice_law, n, parts, cells),
        make_law=partial(_each, projected_law, n, parts, cells),
        make_released=partial(_project_each, n, cells),
    )


def split(model: Network, epsilon: Fraction, shares: str) -> tuple[Fraction, ...]:
    """What every family may cost; exact, and ε in all."""
    check.choice("shares", shares, ("equal", "sizes"))
    families = model.families
    if shares == "equal":
        return (epsilon / len(families),) * len(families)
    weights = [Fraction(round(1000 * family.cells ** (1 / 3))) for family in families]
    return tuple(epsilon * weight / sum(weights) for weight in weights)


def _each(
    make: Callable[[int, Fraction, Outcome], Law],
    n: int,
    parts: tuple[Fraction, ...],
    cells: tuple[int, ...],
    values: Outcome,
) -> Law:
    laws, start = [], 0
    for budget, size in zip(parts, cells, strict=True):
        laws.append(make(n, budget, values[start : start + size]))
        start += size
    return ProductLaw(tuple(laws))


def _project_each(n: int, cells: tuple[int, ...], raw: Ints) -> Ints:
    return np.hstack([project(n, part) for part in np.split(raw, np.cumsum(cells)[:-1], axis=1)])
