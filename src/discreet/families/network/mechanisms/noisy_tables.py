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
from discreet.core.curves import Composed, Curve, Laplace, Lattice, Pure
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from, summing_to
from discreet.core.tables import Network
from discreet.core.unit import Unit
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.families.network.mechanisms.consistency import (
    agreeing,
    exact_ratio,
    require_few_overlaps,
)
from discreet.families.network.mechanisms.reconciling import (
    DEFAULT,
    read_reconcile,
    reconciling,
    stored,
)
from discreet.laws.lattice import clip, lattice_law
from discreet.laws.noise import NoiseLaw
from discreet.laws.product import ProductLaw


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
    curve = Composed(tuple(Counter(_noise(budget, who.reach) for budget in budgets).items()))
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
    shares: str | Sequence[object] = "sizes",
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
    reconcile: str | None = DEFAULT,
) -> Mechanism:
    """Every family's joint table by the lattice law with its share of ε, then made to agree.

    Algorithm 1's noise given that it leaves the total of every table as it is, so never worse; then
    tables that agree wherever families overlap, in exact fractions. Under add-remove n is private:
    the noise is independent, discrete Laplace of scale m/ε_f where a unit has at most m records,
    and the tables' totals, which are noisy, are made to agree as well.

    shares: "sizes", proportional to the cube root of the number of cells, which makes the sum of
    the variances least, and half that for a table that is a marginal of another; "equal"; or a
    number for every table, which sum to 1 at most.
    reconcile: what is made of the noisy tables, at no cost. "tables": near ones without a negative
    cell that agree, to the last digit. "model": they are the marginals of one law of all variables,
    too; where its junction tree is too large, by the structure alone, this becomes "tables". None,
    as in documents that do not say it: the nearest that agree, weighted by the variances of the
    noise, which may be negative; the posterior takes these for 0.
    Guarantee: ε.
    """
    who = Unit.read(n, unit, max_per_unit, per_unit)
    require_few_overlaps([family.columns for family in model.families])
    parts = split(model, shares)
    budgets = tuple(epsilon * part for part in parts)
    cells = tuple(family.cells for family in model.families)
    how = read_reconcile(model, reconcile)
    config = Config(
        *("lattice", model, n, epsilon, adjacency),
        (("shares", parts), *who.options_if_any, *stored(how)),
        asked=(
            ("shares", shares if isinstance(shares, str) else parts),
            *who.options_if_any,
            *(() if reconcile == DEFAULT else stored(reconcile)),
        ),
    )
    if n is None:
        return _independent_lattice(config, who, budgets, cells, how)
    # Replacing a record changes each family's table by e_i − e_j at most, for which the lattice law
    # with ε_f loses ε_f. The tables' laws are independent, so the losses add up: Σ ε_f ≤ ε. A unit
    # with at most one record is replaced as that record is, with n units in all.
    one = "" if who == Unit() else f", where a {who.name} is one record"
    theorem = Theorem(
        f"the lattice law on every family's table{one}, with budgets that sum to ε",
        "sequential composition; Hardt and Talwar 2010",
    )
    law = partial(_tables_law, cells, [partial(lattice_law, n, budget) for budget in budgets])
    variances = [variance(m, budget) for m, budget in zip(cells, budgets, strict=True)]
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency, who.name, who.most, theorem),
            curve=Composed(tuple(Counter(map(Lattice, budgets, cells)).items())),
        ),
        make_raw_law=law,
        make_law=law,
        make_released=reconciling(
            how, model, variances, n, 1, partial(_agree, model, variances, None)
        ),
        possible=partial(_keep_totals, n, cells),
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
    law = partial(_tables_law, cells, [partial(_noise_law, rate) for rate in rates])
    variances = [2 / rate**2 for rate in rates]  # for small rates; only their ratios matter
    return Mechanism(
        config=config,
        guarantee=_add_remove(who, config.epsilon, budgets, theorem),
        make_raw_law=law,
        make_law=law,
        make_released=reconciling(
            *(how, config.model, variances, None, who.parts),
            partial(_agree, config.model, variances, who.parts),
        ),
    )


def _noise_law(rate: Fraction, values: Outcome) -> Law:
    return NoiseLaw(values, rate, "two-sided")


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
    cells: tuple[int, ...], laws: Sequence[Callable[[Outcome], Law]], values: Outcome
) -> Law:
    rest = iter(values)
    return ProductLaw(
        tuple(law(tuple(itertools.islice(rest, m))) for law, m in zip(laws, cells, strict=True))
    )


def _agree(
    model: Network, variances: Sequence[Fraction], parts: int | None, raw: Ints
) -> NDArray[Any]:
    """The nearest tables that agree; `parts` of a unit where their totals are noisy too."""
    if raw.shape[1] != model.size:
        return raw[:, :0]
    scopes = [family.columns for family in model.families]
    shapes = [family.shape for family in model.families]
    cells = [family.cells for family in model.families]
    ends = list(itertools.accumulate(cells))
    rows = []
    for row in raw.tolist():
        tables = [row[end - size : end] for size, end in zip(cells, ends, strict=True)]
        agreed = agreeing(tables, scopes, shapes, variances, parts)
        rows.append(list(itertools.chain.from_iterable(agreed)))
    return np.array(rows, dtype=object)
