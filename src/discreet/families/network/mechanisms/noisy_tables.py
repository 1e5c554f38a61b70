"""Mechanisms for the family tables of a Bayesian network (P2), and ours."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.curves import Composed, Lattice, Pure
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from, summing_to
from discreet.core.tables import Network
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.families.network.mechanisms.consistency import agreeing, require_few_overlaps
from discreet.laws.lattice import clip, lattice_law
from discreet.laws.noise import NoiseLaw
from discreet.laws.product import ProductLaw


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
        config=Config("laplace_updates", model, n, epsilon, adjacency),
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency),
            basis=theorem,
            curve=Composed(((Pure(rate), changes),)),
            # of a record that is replaced two cells of every table change by 1
            replacing=Composed(((Pure(rate), 2 * changes),)) if n is None else None,
        ),
        make_raw_law=partial(_independent, rate, None, None, n),
        make_law=partial(_independent, rate, 0, n, n),
        make_released=released,
        possible=partial(drawn_from, n),
    )


def _independent(
    rate: Fraction, low: int | None, high: int | None, n: int | None, values: Outcome
) -> Law:
    return PointMass(values) if n == 0 else NoiseLaw(values, rate, "two-sided", low, high)


def family_lattice(
    model: Network, n: int, epsilon: Fraction, *, shares: str | Sequence[object] = "sizes"
) -> Mechanism:
    """Every family's joint table by the lattice law with its share of ε, then made to agree.

    Algorithm 1's noise given that it leaves the total of every table as it is, so never worse. Then
    the nearest tables, weighted by the variances of the noise, whose marginals agree wherever
    families overlap: exact fractions that may be negative, which the posterior takes for 0.

    shares: "sizes", proportional to the cube root of the number of cells, which makes the sum of
    the variances least, and half that for a table that is a marginal of another; "equal"; or a
    number for every table, which sum to 1 at most.
    Guarantee: ε.
    """
    require_few_overlaps([family.columns for family in model.families])
    parts = split(model, shares)
    budgets = tuple(epsilon * part for part in parts)
    # Replacing a record changes each family's table by e_i − e_j at most, for which the lattice law
    # with ε_f loses ε_f. The tables' laws are independent, so the losses add up: Σ ε_f ≤ ε.
    theorem = Theorem(
        "the lattice law on every family's table, with budgets that sum to ε",
        "sequential composition; Hardt and Talwar 2010",
    )
    cells = tuple(family.cells for family in model.families)
    curve = Composed(tuple(Counter(map(Lattice, budgets, cells)).items()))
    law = partial(_tables_law, n, budgets, cells)
    return Mechanism(
        config=Config(
            "lattice",
            model,
            n,
            epsilon,
            Adjacency.SUBSTITUTE,
            (("shares", parts),),
            asked=(("shares", shares if isinstance(shares, str) else parts),),
        ),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem, curve=curve),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_agree, model, budgets),
        possible=partial(_keep_totals, n, cells),
    )


def _keep_totals(n: int, cells: tuple[int, ...], raw: Outcome) -> bool:
    """Whether every table has the total n."""
    ends = itertools.accumulate(cells)
    tables = [raw[end - size : end] for size, end in zip(cells, ends, strict=True)]
    return all(summing_to(n, table) for table in tables)


def split(model: Network, shares: str | Sequence[object]) -> tuple[Fraction, ...]:
    """The share of every family in ε; exact, and 1 in all, at most if they are given."""
    families = model.families
    if not isinstance(shares, str):
        return _given_shares(shares, len(families))
    check.choice("shares", shares, ("sizes", "equal"))
    if shares == "equal":
        return (Fraction(1, len(families)),) * len(families)
    scopes = [frozenset(family.columns) for family in families]
    inside = {small for small in scopes for large in scopes if small < large}
    weights = [
        round(1000 * family.cells ** (1 / 3) / (2 if scope in inside else 1))
        for family, scope in zip(families, scopes, strict=True)
    ]
    total = sum(weights)
    return tuple(Fraction(weight, total) for weight in weights)


def _given_shares(shares: object, tables: int) -> tuple[Fraction, ...]:
    if not isinstance(shares, (list, tuple)) or len(shares) != tables:
        raise InputError(
            f"shares must be 'sizes', 'equal' or {tables} numbers, one for every table, got "
            f"{check.brief(shares)}",
            "shares",
        )
    parts = tuple(check.positive(f"shares[{i}]", share) for i, share in enumerate(shares))
    if sum(parts) > 1:
        raise InputError(
            f"shares must sum to 1 at most, got {check.show(sum(parts, Fraction(0)))}", "shares"
        )
    return parts


def variance(cells: int, epsilon: Fraction) -> Fraction:
    """Of the lattice noise in any direction that keeps the total, right to 3 % for small ε.

    (8/ε²)·m(m − 1.2)/((m − 1)(m + 1.3)), fitted: 4/ε² for two cells, 8/ε² for many.
    """
    fitted = Fraction(cells * (10 * cells - 12), (cells - 1) * (10 * cells + 13))
    return 8 * fitted / epsilon**2


def _tables_law(
    n: int, budgets: tuple[Fraction, ...], cells: tuple[int, ...], values: Outcome
) -> Law:
    laws, start = [], 0
    for budget, size in zip(budgets, cells, strict=True):
        laws.append(lattice_law(n, budget, values[start : start + size]))
        start += size
    return ProductLaw(tuple(laws))


def _agree(model: Network, budgets: tuple[Fraction, ...], raw: Ints) -> NDArray[Any]:
    if raw.shape[1] != model.size:
        return raw[:, :0]
    cells = [family.cells for family in model.families]
    scopes = [family.columns for family in model.families]
    shapes = [family.shape for family in model.families]
    variances = [variance(m, budget) for m, budget in zip(cells, budgets, strict=True)]
    ends = list(itertools.accumulate(cells))
    rows = []
    for row in raw.tolist():
        tables = [row[end - size : end] for size, end in zip(cells, ends, strict=True)]
        agreed = agreeing(tables, scopes, shapes, variances)
        rows.append(list(itertools.chain.from_iterable(agreed)))
    return np.array(rows, dtype=object)
