"""The papers' baselines: Laplace noise on all counts but the last, rounded down (P0 §§5.1, 5.2).

Where n is private no count is what remains, and `ls_hist` has noise on all.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

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
from discreet.core.curves import Composed, Curve, Laplace
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from, in_whole
from discreet.exact import Ints
from discreet.families.dirichlet.mechanisms import P0
from discreet.laws.noise import NoiseLaw, remainder


def ls_dim(model: CategoricalModel, n: int, epsilon: Fraction) -> Mechanism:
    """LSDim: ⌊c_i + Lap(k/ε)⌋ for i < k, clipped to [0, n]; the last count is what remains.

    Guarantee: ε under substitution (P0 Lemma 5.1). It wastes budget: the true loss is ε/2 for k = 2
    and 2ε/k for k ≥ 3. The floor biases every count by −½ (P0 Alg. 1), and the result depends on
    which category is last.
    """
    k = len(model.categories)
    # The first k − 1 counts change by at most 2 ≤ k in l1, and each unit changes the log density
    # of Lap(k/ε) by ε/k. Rounding, clipping and the remainder are post-processing.
    theorem = Theorem(
        "Laplace noise of scale k/ε on counts that change by at most k", f"{P0}, Lemma 5.1"
    )
    # Of the free counts one changes by 1 if k = 2, else at most two do.
    curve = Laplace(epsilon / 2, None) if k == 2 else Composed(((Laplace(epsilon / k, None), 2),))
    return _floored("ls_dim", model, n, epsilon, epsilon / k, theorem, curve)


def ls_hist(
    model: CategoricalModel,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
) -> Mechanism:
    """LSHist: ⌊c_i + Lap(b)⌋ for i < k with b = 1/ε for two categories, else 2/ε.

    Guarantee: ε under substitution (P0 Lemma 5.2; its §6.1.2 prints another exponent by mistake).
    Clipped, completed and biased like `ls_dim`. Under add-remove n is private, and every count is
    max(0, ⌊c_i + Lap(m/ε)⌋), where a unit has at most m records: ε as well.
    """
    who = Unit.read(n, unit, max_per_unit, per_unit)
    if n is None:
        return _add_remove(model, epsilon, who)
    # One substitution changes the single free count by at most 1 when k = 2, and the first k − 1
    # counts by at most 2 in l1 otherwise: each unit costs 1/b.
    two = len(model.categories) == 2
    rate = epsilon if two else epsilon / 2
    curve = Composed(((Laplace(rate, None), 1 if two else 2),))
    theorem = Theorem("Laplace noise on counts that change by at most 1 or 2", f"{P0}, Lemma 5.2")
    return _floored("ls_hist", model, n, epsilon, rate, theorem, curve, who)


def _add_remove(model: CategoricalModel, epsilon: Fraction, who: Unit) -> Mechanism:
    # A unit with at most m records changes the counts by at most m in l1, as does one that weighs
    # one and is counted in m parts; each of these changes the log density of independent Lap(m/ε)
    # noise by ε/m. Rounding and max(0, ·) are post-processing.
    rate = epsilon / who.reach
    theorem = Theorem(
        "Laplace noise of scale m/ε on counts that change by at most m",
        "Dwork, McSherry, Nissim and Smith 2006",
    )
    # The loss is the largest, at every α and ε, where one count changes by m: noise of scale 1/ε on
    # a number that changes by 1. A unit that is replaced changes count i by a_i − b_i, no further
    # from 0 than a_i or b_i, so D_α is at most that of the old unit plus that of the new one.
    curve = Laplace(epsilon, None)
    adjacency = Adjacency.ADD_REMOVE
    return Mechanism(
        config=Config("ls_hist", model, None, epsilon, adjacency, who.options),
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency, who.name, who.most, theorem),
            curve=curve,
            replacing=Composed(((curve, 2),)),
        ),
        make_raw_law=partial(_independent, rate, None),
        make_law=partial(_independent, rate, 0),
        make_released=partial(in_whole, who.parts, _at_least_zero),
    )


def _independent(rate: Fraction, low: int | None, counts: Outcome) -> Law:
    return NoiseLaw(counts, rate, "floored", low)


def _at_least_zero(raw: Ints) -> Ints:
    return np.maximum(raw, 0)


def _floored(
    name: str,
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    rate: Fraction,
    theorem: Theorem,
    curve: Curve,
    who: Unit | None = None,
) -> Mechanism:
    who, adjacency = who or Unit(), Adjacency.SUBSTITUTE
    return Mechanism(
        config=Config(name, model, n, epsilon, adjacency, who.options_if_any),
        guarantee=Guarantee(epsilon, Fraction(0), adjacency, who.name, who.most, theorem, curve),
        make_raw_law=partial(_raw_law, n, rate),
        make_law=partial(_law, n, rate),
        make_released=partial(_released, n),
        possible=partial(drawn_from, n),
    )


def _raw_law(n: int, rate: Fraction, counts: Outcome) -> Law:
    return NoiseLaw(counts[:-1], rate, "floored") if n else PointMass(counts[:-1])


def _law(n: int, rate: Fraction, counts: Outcome) -> Law:
    return NoiseLaw(counts[:-1], rate, "floored", 0, n, n) if n else PointMass(counts)


def _released(n: int, raw: Ints) -> Ints:
    clipped = np.clip(raw, 0, n)
    return np.column_stack([clipped, np.maximum(remainder(n, clipped), 0)])
