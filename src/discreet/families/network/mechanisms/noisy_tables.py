"""Mechanisms for the family tables of a Bayesian network (P2), and ours."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.counts import Unit
from discreet.core.curves import Composed, Curve, Laplace, Lattice, Pure
from discreet.core.law import Outcome, ProductLaw
from discreet.core.mechanism import drawn_from, summing_to
from discreet.core.tables import Network
from discreet.exact import Ints
from discreet.families.network.mechanisms.consistency import (
    agreeing,
    exact_ratio,
    require_few_overlaps,
)
from discreet.families.network.mechanisms.reconciling import (
    read_reconcile,
    reconciling,
    stored,
)
from discreet.families.network.mechanisms.shares import given_shares, optimal_shares
from discreet.laws.lattice import clip, lattice_law
from discreet.laws.noise import NoiseLaw


def laplace_updates(
    model: Network,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
    reconcile: str | None = None,
) -> Mechanism:
    """Independent integer noise on every cell of every family table, then cut to [0, n].

    P2, Algorithm 1, with discrete Laplace noise of scale 2|I|/ε instead of Laplace noise, for nodes
    with any number of states. Under add-remove the scale is m|I|/ε, where a unit has at most m
    records, and cells are cut at 0; units that weigh one have m = 1. Guarantee: ε.

    reconcile: None, as the paper has it; or as of `lattice`, from the noise as it is, of n records
    where n is public.
    """
    # A record is in exactly one cell of every family's table. Replacing it changes each of the |I|
    # tables by at most 2 in l1, adding or removing it by 1; a unit with at most m records changes
    # each by m at most, one whose records weigh 3600 parts together by 3600. Every step in l1
    # changes the log probability of independent discrete Laplace noise by its rate.
    who, tables = Unit.read(n, unit, max_per_unit, per_unit), len(model.families)
    changes = tables * (2 if n is not None else who.reach)
    rate = epsilon / changes
    theorem = Theorem(
        f"discrete Laplace noise of rate ε/{changes} on {_tables_changing(who)} by at most "
        f"{changes}",
        "Zhang, Rubinstein and Dimitrakakis 2016, Corollary 1",
    )
    how = read_reconcile(model, reconcile)
    config = Config(
        *("laplace_updates", model, n, epsilon, adjacency),
        (*who.options_if_any, *stored(how)),
        asked=(*who.options_if_any, *stored(reconcile)),
    )
    made = partial(reconciling, how, model, (2 / rate**2,) * tables, n, who.parts)
    noisy = partial(_independent, rate, None, None, n)
    if n is None:
        return Mechanism(
            config=config,
            guarantee=_add_remove(who, epsilon, (epsilon / tables,) * tables, theorem),
            make_raw_law=noisy,
            # parts of a unit are released as fractions, which no law of whole numbers has
            make_law=noisy if who.averaged or how else partial(_independent, rate, 0, None, None),
            make_released=made(partial(_not_negative, who.parts)),
        )
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency, who.name, who.most, theorem),
            # two cells of every table change by 1
            curve=Composed(((Pure(rate), changes),)),
        ),
        make_raw_law=noisy,
        make_law=noisy if how else partial(_independent, rate, 0, n, n),
        make_released=made(partial(clip, n)),
        possible=partial(drawn_from, n),
    )


def _tables_changing(who: Unit) -> str:
    """Tables that change, in words, and who changes them."""
    parts = f" in parts of 1/{who.parts}" if who.averaged else ""
    return f"tables{parts} that " + ("change" if who == Unit() else f"one {who.name} changes")


def _add_remove(
    who: Unit, epsilon: Fraction, budgets: tuple[Fraction, ...], theorem: Theorem
) -> Guarantee:
    """Of independent noise on tables, each with its share of ε, under add-remove."""
    # One unit changes every table by at most `reach` in l1, and the worst such change is that of a
    # single cell. The tables' noises are independent, so their D_α and their losses add up: Σ ε_f.
    curve = Composed(tuple(Counter(_noise(x, who.reach) for x in budgets if x).items()))
    return Guarantee(
        *(epsilon, Fraction(0), Adjacency.ADD_REMOVE, who.name, who.most, theorem),
        curve=curve,
        # A unit that is replaced changes a cell by a − b, no further from 0 than a or b: D_α is at
        # most that of the old unit, which goes, plus that of the new one.
        replacing=Composed(tuple((part, 2 * times) for part, times in curve.parts)),
    )


def _noise(budget: Fraction, steps: int) -> Curve:
    """Discrete Laplace noise of rate budget/steps; of one step the loss is ±budget."""
    return Pure(budget) if steps == 1 else Laplace(budget, steps)


def _independent(
    rate: Fraction, low: int | None, high: int | None, n: int | None, values: Outcome
) -> Law:
    return PointMass(values) if n == 0 else NoiseLaw(values, rate, "two-sided", low, high)


def _not_negative(parts: int, raw: Ints) -> NDArray[Any]:
    """Cut at 0, in units."""
    cut = np.maximum(raw, 0)
    if parts == 1:
        return cut
    return np.array([[exact_ratio(x, parts) for x in row] for row in cut.tolist()], dtype=object)


def family_lattice(
    model: Network,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    shares: str | Sequence[object] = "optimal",
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
    reconcile: str | None = None,
) -> Mechanism:
    """Every family's joint table by the lattice law with its share of ε, then made to agree.

    Algorithm 1's noise given that it leaves the total of every table as it is, so never worse; then
    tables that agree wherever families overlap, in exact fractions. Under add-remove n is private:
    the noise is independent, discrete Laplace of scale m/ε_f where a unit has at most m records,
    and the tables' totals, which are noisy, are made to agree as well.

    shares: "optimal", those with which the tables that agree have the least variance, nothing for
    a table that is a marginal of another; "sizes", proportional to the cube root of the number of
    cells, and half that for such a marginal; "equal"; or a number for every table, which sum to 1
    at most, 0 for no table but such a marginal.
    reconcile: what is made of the noisy tables, at no cost. "tables": near ones without a negative
    cell that agree, to the last digit. "model": they are the marginals of one law of all variables,
    too; where its junction tree is too large, by the structure alone, this becomes "tables". None,
    as in documents that do not say it: the nearest that agree, weighted by the variances of the
    noise, which may be negative; the posterior takes these for 0.
    Guarantee: ε.
    """
    who = Unit.read(n, unit, max_per_unit, per_unit)
    require_few_overlaps(tuple(family.columns for family in model.families))
    parts = split(model, shares, n is None)
    budgets = tuple(epsilon * part for part in parts)
    cells = tuple(family.cells for family in model.families)
    how = read_reconcile(model, reconcile)
    config = Config(
        *("lattice", model, n, epsilon, adjacency),
        (("shares", parts), *who.options_if_any, *stored(how)),
        asked=(
            ("shares", shares if isinstance(shares, str) else parts),
            *who.options_if_any,
            *stored(reconcile),
        ),
    )
    if n is None:
        return _independent_lattice(config, who, budgets, cells, how)
    # Replacing a record changes each family's table by e_i − e_j at most, for which the lattice law
    # with ε_f loses ε_f. The tables' laws are independent, so the losses add up: Σ ε_f ≤ ε. A unit
    # with at most one record is replaced as that record is, with n units in all. Of a table with
    # ε_f = 0 nothing is said: zeros stand in its place, whatever the data are.
    one = "" if who == Unit() else f", where a {who.name} is one record"
    theorem = Theorem(
        f"the lattice law on every family's table{one}, with budgets that sum to ε",
        "sequential composition; Hardt and Talwar 2010",
    )
    law = partial(
        tables_law, cells, [partial(lattice_law, n, x) if x else nothing for x in budgets]
    )
    variances = [variance(m, x) if x else None for m, x in zip(cells, budgets, strict=True)]
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency, who.name, who.most, theorem),
            curve=Composed(
                tuple(
                    Counter(Lattice(x, m) for x, m in zip(budgets, cells, strict=True) if x).items()
                )
            ),
        ),
        make_raw_law=law,
        make_law=law,
        make_released=reconciling(
            how, model, variances, n, 1, partial(agree, model, variances, None, n)
        ),
        possible=partial(_keep_totals, n, cells, budgets),
    )


def _independent_lattice(
    config: Config,
    who: Unit,
    budgets: tuple[Fraction, ...],
    cells: tuple[int, ...],
    how: str | None,
) -> Mechanism:
    # A record is in one cell of every table, so a unit with at most m records changes each table by
    # at most m in l1, one whose records weigh 3600 parts together by 3600. Independent discrete
    # Laplace noise of rate ε_f/m (ε_f/3600) then loses ε_f, and Σ ε_f ≤ ε. To make the tables
    # agree is post-processing.
    rates = [budget / who.reach for budget in budgets]
    rate = "ε_f" if who.reach == 1 else f"ε_f/{who.reach}"
    theorem = Theorem(
        f"discrete Laplace noise of rate {rate} on {_tables_changing(who)} by at most "
        f"{who.reach} each, with budgets ε_f that sum to ε",
        "sequential composition; Ghosh, Roughgarden and Sundararajan 2009",
    )
    law = partial(tables_law, cells, [partial(_noise_law, x) if x else nothing for x in rates])
    # for small rates; only their ratios matter
    variances = [2 / rate**2 if rate else None for rate in rates]
    return Mechanism(
        config=config,
        guarantee=_add_remove(who, config.epsilon, budgets, theorem),
        make_raw_law=law,
        make_law=law,
        make_released=reconciling(
            *(how, config.model, variances, None, who.parts),
            partial(agree, config.model, variances, who.parts, None),
        ),
        possible=partial(silent, cells, [not budget for budget in budgets]),
    )


def _noise_law(rate: Fraction, values: Outcome) -> Law:
    return NoiseLaw(values, rate, "two-sided")


def _keep_totals(
    n: int, cells: tuple[int, ...], budgets: tuple[Fraction, ...], raw: Outcome
) -> bool:
    """Whether every table that was measured has the total n, and the others nothing."""
    tables = zip(by_table(cells, raw), budgets, strict=True)
    return all(
        summing_to(n, tuple(table)) if budget else not any(table) for table, budget in tables
    )


def silent(cells: Sequence[int], unmeasured: Sequence[bool], raw: Outcome) -> bool:
    """Whether nothing is said of tables that were not measured."""
    tables = zip(by_table(cells, raw), unmeasured, strict=True)
    return not any(any(table) for table, silence in tables if silence)


def split(
    model: Network, shares: str | Sequence[object], private_n: bool = False
) -> tuple[Fraction, ...]:
    """The share of every family in ε; exact, and 1 in all, at most if they are given."""
    families = model.families
    if not isinstance(shares, str):
        return given_shares(shares, model, ("optimal", "sizes", "equal"))
    check.choice("shares", shares, ("optimal", "sizes", "equal"))
    if shares == "equal":
        return (Fraction(1, len(families)),) * len(families)
    if shares == "optimal":
        costs = [2.0 if private_n else float(variance(f.cells, Fraction(1))) for f in families]
        shapes = tuple(family.shape for family in families)
        columns = tuple(family.columns for family in families)
        return optimal_shares(columns, shapes, tuple(costs), 2, private_n)
    scopes = [frozenset(family.columns) for family in families]
    inside = {small for small in scopes for large in scopes if small < large}
    weights = [
        round(1000 * family.cells ** (1 / 3) / (2 if scope in inside else 1))
        for family, scope in zip(families, scopes, strict=True)
    ]
    total = sum(weights)
    return tuple(Fraction(weight, total) for weight in weights)


def variance(cells: int, epsilon: Fraction) -> Fraction:
    """Of the lattice noise in any direction that keeps the total, right to 3 % for small ε.

    (8/ε²)·m(m − 1.2)/((m − 1)(m + 1.3)), fitted: 4/ε² for two cells, 8/ε² for many.
    """
    fitted = Fraction(cells * (10 * cells - 12), (cells - 1) * (10 * cells + 13))
    return 8 * fitted / epsilon**2


def by_table(cells: Sequence[int], values: Sequence[Any]) -> list[Sequence[Any]]:
    """What belongs to every table."""
    ends = itertools.accumulate(cells)
    return [values[end - size : end] for size, end in zip(cells, ends, strict=True)]


def tables_law(
    cells: tuple[int, ...], laws: Sequence[Callable[[Outcome], Law]], values: Outcome
) -> Law:
    """Of independent tables, each with its law."""
    tables = zip(laws, by_table(cells, values), strict=True)
    return ProductLaw(tuple(law(tuple(table)) for law, table in tables))


def nothing(values: Outcome) -> Law:
    """In the place of a table that is not measured: zeros, whatever it is."""
    return PointMass((0,) * len(values))


def agree(
    model: Network,
    variances: Sequence[Fraction | None],
    parts: int | None,
    total: int | None,
    raw: Ints,
) -> NDArray[Any]:
    """The nearest tables that agree; `parts` of a unit where their totals are noisy too."""
    if raw.shape[1] != model.size:
        return raw[:, :0]
    scopes = [family.columns for family in model.families]
    shapes = [family.shape for family in model.families]
    cells = [family.cells for family in model.families]
    rows = []
    for row in raw.tolist():
        agreed = agreeing(by_table(cells, row), scopes, shapes, variances, parts, total)
        rows.append(list(itertools.chain.from_iterable(agreed)))
    return np.array(rows, dtype=object)
