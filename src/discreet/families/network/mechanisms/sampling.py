"""Samples of a network's parameters from their posterior, which cost privacy by the sample (P2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, Theorem
from discreet.core.curves import Composed, Range
from discreet.core.law import Outcome, ProductLaw
from discreet.core.tables import Network, require_moderate
from discreet.errors import InputError
from discreet.exact import Ints, balls
from discreet.exact.balls import ball
from discreet.laws.truncated import TruncatedDirichletLaw

MOST_SAMPLES = 10_000
LEAST = Fraction(1, 10**8)  # of ω: what is cut off further out is enclosed too slowly


def posterior_sample(
    model: Network,
    n: int,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    samples: int = 1,
    omega: object = None,
    grid: int = 10**6,
) -> Mechanism:
    """Draws of θ from the posterior given that no probability is below ω (P2, Theorem 4, App. C.2).

    Every row of every conditional table is an independent Dirichlet law, cut off at θ_i ≥ ω and
    rounded to multiples of 1/grid. The likelihoods of two records differ at most by the factor
    R = (1 − (k − 1)ω)/ω at each node of k states where they differ, the posteriors by its square: a
    sample loses 2·Σ log R over all nodes at record level; at attribute level, over a node and its
    children, whose rows a changed attribute changes too (erratum E11). All `samples` together lose
    ε.

    omega: with a number the likelihood is tempered, that is raised to the power τ ≤ 1 that ε pays
    for: the counts are multiplied by τ. None takes 2/(k(2 + √(nε/N))), √ rounded up, for the
    largest number of states k: public values, and ω falls as fast as the rest of the error. "cut"
    does not temper, and cuts as far off as ε asks for, at 1e-8 at least, which is P2's; two
    numbers or more are such limits, one for every number of states.
    """
    samples = check.whole("samples", samples, least=1, most=MOST_SAMPLES)
    grid = check.whole("grid", grid, least=2, most=10**12)
    require_moderate("posterior_sample", model, n)
    states = [family.shape[-1] for family in model.families]
    changed = _changed(model, adjacency)
    budget = epsilon / (2 * samples)
    kinds = sorted(set(states))
    limits: dict[int, Fraction]
    if omega == "cut":
        limits, power = _limits(states, max(map(len, changed)), budget), Fraction(1)
        _require_room(states, limits, grid, max(map(len, changed)), samples, epsilon)
    elif isinstance(omega, (list, tuple)):
        limits, power = _given_each(omega, kinds), Fraction(1)
        _require_paid(states, limits, changed, budget)
    else:
        least = (
            _least(max(states), n * epsilon / samples) if omega is None else _given(omega, states)
        )
        limits = dict.fromkeys(set(states), least)
        power = _power(states, least, changed, budget)
    cut = omega == "cut" or isinstance(omega, (list, tuple))
    resolved = tuple(limits[k] for k in kinds) if cut else limits[states[0]]
    # By Bayes' rule the posterior densities given data that differ in one record, x or y, differ by
    # p_θ(x)/p_θ(y) and by the ratio of the normalisers, which is a mean of such factors: by the
    # square of the largest factor. It is a product over the nodes where x and y have other rows or
    # states of θ_a/θ_b with both in [ω, 1 − (k − 1)ω]. The power τ makes τ·log R of log R. N
    # independent samples lose N times as much, and rounding loses nothing. By the choice of ω or τ
    # the sum over these nodes of 2·N·τ·log R is at most ε.
    # The densities' exponents differ within the same bounds of each other: half of a sample's loss
    # either way, and the normaliser is one number for all θ.
    curve = Composed(((Range(epsilon / samples, epsilon / samples), samples),))
    nodes = "all nodes" if adjacency is Adjacency.SUBSTITUTE else "a node and its children"
    theorem = Theorem(
        f"likelihood ratios of at most R at each of {nodes}: 2·N·τ·Σ log R ≤ ε",
        "Zhang, Rubinstein and Dimitrakakis 2016, Theorem 4; Dimitrakakis et al. 2014",
    )
    law = partial(_law, model, limits, power, grid, samples)
    return Mechanism(
        config=Config(
            "posterior_sample",
            model,
            n,
            epsilon,
            adjacency,
            (("samples", samples), ("omega", resolved), ("grid", grid)),
            asked=(
                ("samples", samples),
                ("omega", None if omega == "cut" else resolved),
                ("grid", grid),
            ),
        ),
        guarantee=Guarantee(epsilon, Fraction(0), adjacency, basis=theorem, curve=curve),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_probabilities, model, limits, grid, samples),
        length=samples * model.size,
    )


def as_first_written(*arguments: Any, omega: object = None, **options: Any) -> Mechanism:
    """By documents of version 1, in which no ω is the one that ε asks for."""
    return posterior_sample(*arguments, omega="cut" if omega is None else omega, **options)


def _least(k: int, budget: Fraction) -> Fraction:
    """2/(k(2 + ⌈√budget⌉)), less than 1/k."""
    root = math.isqrt(math.ceil(budget) - 1) + 1 if budget > 0 else 1
    return max(LEAST, Fraction(2, k * (2 + root)))


def _changed(model: Network, adjacency: Adjacency) -> list[list[int]]:
    """The nodes whose factors a change can alter: each list is one way to change a record."""
    nodes = [family.node for family in model.families]
    if adjacency is Adjacency.SUBSTITUTE:
        return [list(range(len(nodes)))]
    return [
        [i for i, family in enumerate(model.families) if node in family.columns] for node in nodes
    ]


def _limits(states: list[int], changed: int, budget: Fraction) -> dict[int, Fraction]:
    """For each number of states k the ω with log R = budget/changed, 1/(R + k − 1), rounded up."""
    if budget / changed > 20:  # e^20 is above 10^8: a larger ω loses less
        return dict.fromkeys(states, LEAST)

    def least(k: int) -> arb:
        return 1 / (ball(budget / changed).exp() + (k - 1))

    return {k: max(LEAST, balls.rounded_up(partial(least, k))) for k in set(states)}


def limits_of(config: Config) -> dict[int, Fraction]:
    """ω of a release, for each number of states."""
    omega = dict(config.options)["omega"]
    kinds = sorted({family.shape[-1] for family in config.model.families})
    return (
        dict(zip(kinds, omega, strict=True))
        if isinstance(omega, tuple)
        else dict.fromkeys(kinds, omega)
    )


def remark(config: Config) -> str:
    """What the reader of released parameters has to know besides."""
    if config.mechanism != "posterior_sample":
        return ""
    limits = limits_of(config)
    words = f"No probability was drawn below {float(min(limits.values())):.3g}"
    options = dict(config.options)
    if isinstance(options["omega"], tuple):
        return f"{words}: what ε leaves of the posterior."
    states = [family.shape[-1] for family in config.model.families]
    changed = _changed(config.model, config.adjacency)
    power = _power(states, options["omega"], changed, config.epsilon / (2 * options["samples"]))
    return f"{words}, and a record counted as {float(power):.3g} of one: what ε pays for."


def _log_ratio(k: int, omega: Fraction) -> arb:
    """log R."""
    return ball((1 - (k - 1) * omega) / omega).log()


def _require_room(
    states: list[int],
    limits: dict[int, Fraction],
    grid: int,
    changed: int,
    samples: int,
    epsilon: Fraction,
) -> None:
    """Refuse an ε whose ω leaves less than one step of the grid."""
    if all(1 - k * limits[k] >= Fraction(1, grid) for k in states):
        return
    room = 1 - Fraction(1, grid)
    needed = max(balls.nearest(partial(_log_ratio, k, room / k)) for k in set(states))
    least = 2 * samples * changed * needed * 1.006  # above, whatever the rounding to three digits
    raise InputError(
        f"epsilon must be at least {least:.3g} for "
        f"{check.number_of(samples, 'sample')} of this network on a grid of {grid}: below, the "
        f"truncation leaves nothing, got {check.show(epsilon)}",
        "epsilon",
    )


def _given(omega: object, states: list[int]) -> Fraction:
    least, k = check.rational("omega", omega), max(states)
    if not LEAST <= least < Fraction(1, k):
        raise InputError(
            f"omega must lie between 1e-8 and 1/{k}, as a node has {k} states, got "
            f"{check.show(least)}",
            "omega",
        )
    return least


def _given_each(omega: Sequence[object], kinds: list[int]) -> dict[int, Fraction]:
    if len(omega) != len(kinds):
        raise InputError(
            f"omega must be one number, or {len(kinds)}: for nodes of {kinds} states, got "
            f"{len(omega)}",
            "omega",
        )
    return {k: _given(least, [k]) for k, least in zip(kinds, omega, strict=True)}


def _require_paid(
    states: list[int], limits: dict[int, Fraction], changed: list[list[int]], budget: Fraction
) -> None:
    """Refuse limits at which the likelihood of some change loses more than ε allows."""

    def left(nodes: list[int]) -> arb:
        return ball(budget) - sum((_log_ratio(states[i], limits[states[i]]) for i in nodes), arb(0))

    for way in changed:
        if not balls.refine(partial(left, way), lambda x: bool(x > 0) if x > 0 or x <= 0 else None):
            raise InputError("omega must be larger, or epsilon, for so many samples", "omega")


def _power(
    states: list[int], omega: Fraction, changed: list[list[int]], budget: Fraction
) -> Fraction:
    """τ, rounded down: what the budget pays for at the dearest way to change a record."""

    def affordable(nodes: list[int]) -> arb:
        return ball(budget) / sum((_log_ratio(states[i], omega) for i in nodes), arb(0))

    return min(Fraction(1), *(balls.rounded_down(partial(affordable, way)) for way in changed))


def _law(
    model: Network,
    limits: dict[int, Fraction],
    power: Fraction,
    grid: int,
    samples: int,
    values: Outcome,
) -> Law:
    rows: list[Law] = []
    start = 0
    for family, prior in zip(model.families, model.prior, strict=True):
        k = family.shape[-1]
        for place in range(0, family.cells, k):
            counts = values[start + place : start + place + k]
            cells = zip(prior[place : place + k], counts, strict=True)
            parameters = tuple(a + power * c for a, c in cells)
            rows.append(TruncatedDirichletLaw(parameters, limits[k], grid))
        start += family.cells
    return ProductLaw(tuple(rows) * samples)


def _probabilities(
    model: Network, limits: dict[int, Fraction], grid: int, samples: int, raw: Ints
) -> NDArray[Any]:
    """The rows of θ; nothing for numbers that cannot have been drawn."""
    if raw.shape[1] != samples * model.size:
        return raw[:, :0]
    sizes = [f.shape[-1] for f in model.families for _ in range(f.rows)] * samples
    starts = np.cumsum([0, *sizes[:-1]])
    least = np.array([int(limits[k] * grid) - (k > 2) for k in sizes])
    sums = np.add.reduceat(raw, starts, axis=1)
    smallest = np.minimum.reduceat(raw, starts, axis=1)
    if (sums != grid).any() or (smallest < least).any():
        return raw[:, :0]
    return np.array([[Fraction(x, grid) for x in row] for row in raw.tolist()], dtype=object)
