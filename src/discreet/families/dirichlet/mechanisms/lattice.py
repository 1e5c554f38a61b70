"""The K-norm mechanism on the integers: noise that keeps the total where it is public."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet import check
from discreet.core import Adjacency, CategoricalModel, Config, Guarantee, Law, Mechanism, Theorem
from discreet.core.counts import Unit
from discreet.core.curves import Composed, Laplace, Lattice
from discreet.core.law import Outcome
from discreet.core.mechanism import in_whole, summing_to, unchanged
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.laws.lattice import LatticeLaw, PostprocessedLattice, clip, lattice_law, project
from discreet.laws.noise import NoiseLaw

POSTPROCESSING = ("project", "clip", "remap", None)

# What is not a vector of counts has an entry below 0, which becomes 0: positive counts come from
# themselves alone. The nearest vector of counts to one is itself.
KEEPS = {"project": "counts", "clip": "positive"}


def lattice(
    model: CategoricalModel,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    postprocess: str | None = "project",
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
    loss: object = None,
    weights: object = None,
) -> Mechanism:
    """Noise z on the counts with Σz = 0 and P(z) ∝ exp(−ε·½‖z‖₁); n is kept.

    The K-norm mechanism (Hardt and Talwar 2010) on the integers, for the hull of the changes that
    one substitution can make. Guarantee: exactly ε under substitution. For two categories it is the
    geometric mechanism. Under add-remove, n is private and every count gets independent discrete
    Laplace noise of scale m/ε, where a unit has at most m records, or of scale 1/ε, where each
    weighs one: ε as well.

    Post-processing: "project" to the nearest vector of counts, "clip" every count to [0, n],
    "remap" to the counts with the least expected loss given the noisy ones (`loss` and `weights` as
    for `dp.optimal`, which it is for two categories), or None. Under add-remove the first two mean
    max(0, ·).
    """
    check.choice("postprocess", postprocess, POSTPROCESSING)
    who = Unit.read(n, unit, max_per_unit, per_unit)
    options: tuple[tuple[str, Any], ...] = (("postprocess", postprocess), *who.options)
    task = None
    if postprocess == "remap":
        from discreet.families.dirichlet.mechanisms import remapping

        task = remapping.task(model, n, epsilon, loss, weights)
        options += (("loss", task.loss), ("weights", task.weights))
    elif loss is not None or weights is not None:
        name = "loss" if loss is not None else "weights"
        raise InputError(f"{name} is for postprocess='remap' only", name)
    config = Config("lattice", model, n, epsilon, adjacency, options)
    if n is None:
        return _add_remove(config, who, postprocess)
    # Substituting one record changes c by e_i − e_j, and ½‖e_i − e_j‖₁ = 1. By the triangle
    # inequality the weight of every outcome changes by a factor of at most e^ε, and the normaliser
    # Σ_z exp(−ε·½‖z‖₁) does not depend on c at all.
    theorem = Theorem(
        "weights exp(−ε·½‖z − c‖₁) with a constant normaliser", "Hardt and Talwar 2010"
    )
    maps: dict[str | None, Callable[[Ints], Ints]] = {
        "project": partial(project, n),
        "clip": partial(clip, n),
        None: unchanged,
    }
    law = partial(_law, n, epsilon, postprocess, maps.get(postprocess, unchanged))
    if task is not None:
        maps["remap"], law = partial(remapping.remap, task), partial(remapping.remapped_law, task)
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(epsilon, Fraction(0), adjacency, who.name, who.most, theorem),
            curve=Lattice(epsilon, len(model.categories)),
        ),
        make_raw_law=partial(lattice_law, n, epsilon),
        make_law=law,
        make_released=maps[postprocess],
        possible=partial(summing_to, n),
    )


def _add_remove(config: Config, who: Unit, postprocess: str | None) -> Mechanism:
    # A unit with at most m records changes the counts by at most m in l1, and every step in l1
    # changes the log probability of independent discrete Laplace(ε/m) noise by ε/m. A unit that
    # weighs one is counted in m parts, m in all.
    rate = config.epsilon / who.reach
    theorem = Theorem(
        "discrete Laplace noise of rate ε/m on counts that change by at most m",
        "Ghosh, Roughgarden and Sundararajan 2009",
    )
    # A unit that is replaced changes count i by a_i − b_i, no further from 0 than a_i or b_i, so
    # D_α is at most that of the old unit, which goes, plus that of the new one.
    curve = Laplace(config.epsilon, who.reach)
    low = None if postprocess is None else 0
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(config.epsilon, Fraction(0), Adjacency.ADD_REMOVE, who.name, who.most, theorem),
            curve=curve,
            replacing=Composed(((curve, 2),)),
        ),
        make_raw_law=partial(_independent, rate, None),
        make_law=partial(_independent, rate, low),
        make_released=partial(in_whole, who.parts, unchanged if low is None else _at_least_zero),
    )


def _independent(rate: Fraction, low: int | None, counts: Outcome) -> Law:
    return NoiseLaw(counts, rate, "two-sided", low)


def clamped_law(n: int, epsilon: Fraction, counts: Outcome) -> Law:
    """Of two counts that sum to n: noise beyond 0 and n counts as the nearer end."""
    return NoiseLaw(counts[:1], epsilon, "two-sided", 0, n, n)


def _law(
    n: int,
    epsilon: Fraction,
    postprocess: str | None,
    released: Callable[[Ints], Ints],
    counts: Outcome,
) -> Law:
    raw = lattice_law(n, epsilon, counts)
    if postprocess is None or n == 0:
        return raw
    if isinstance(raw, LatticeLaw):
        return PostprocessedLattice(raw, released, KEEPS[postprocess])
    return clamped_law(n, epsilon, counts)


def _at_least_zero(raw: Ints) -> Ints:
    return np.maximum(raw, 0)
