"""The papers' baselines: Laplace noise on all counts but the last, rounded down (P0 §§5.1, 5.2)."""

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
from discreet.core.curves import Composed, Curve, Laplace
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from
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


def ls_hist(model: CategoricalModel, n: int, epsilon: Fraction) -> Mechanism:
    """LSHist: ⌊c_i + Lap(b)⌋ for i < k with b = 1/ε for two categories, else 2/ε.

    Guarantee: ε under substitution (P0 Lemma 5.2; its §6.1.2 prints another exponent by mistake).
    Clipped, completed and biased like `ls_dim`.
    """
    # One substitution changes the single free count by at most 1 when k = 2, and the first k − 1
    # counts by at most 2 in l1 otherwise: each unit costs 1/b.
    two = len(model.categories) == 2
    rate = epsilon if two else epsilon / 2
    curve = Composed(((Laplace(rate, None), 1 if two else 2),))
    theorem = Theorem("Laplace noise on counts that change by at most 1 or 2", f"{P0}, Lemma 5.2")
    return _floored("ls_hist", model, n, epsilon, rate, theorem, curve)


def _floored(
    name: str,
    model: CategoricalModel,
    n: int,
    epsilon: Fraction,
    rate: Fraction,
    theorem: Theorem,
    curve: Curve,
) -> Mechanism:
    return Mechanism(
        config=Config(name, model, n, epsilon, Adjacency.SUBSTITUTE),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem, curve=curve),
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
