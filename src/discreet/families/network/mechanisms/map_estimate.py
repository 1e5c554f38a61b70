"""Likely parameters of a network by the exponential mechanism (P2, Algorithm 3)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, Theorem
from discreet.core.curves import Composed, Range
from discreet.core.law import Outcome
from discreet.core.tables import Network, require_moderate
from discreet.exact import Ints, balls
from discreet.exact.balls import ball
from discreet.laws.masses import MassLaw
from discreet.laws.noise import ProductLaw


def map_estimate(model: Network, n: int, epsilon: Fraction, *, points: int = 10) -> Mechanism:
    """For every row of every table a point near the most likely one, P(θ) ∝ exp(κ·mass around θ).

    A row of k states is k − 1 shares, θ_1, then θ_2/(1 − θ_1), …: independent Beta laws under the
    posterior. Each is chosen among the midpoints of equal cells, with the posterior mass of the
    cell as its score: P2's density is no valid score (erratum E12). κ = ε/(4|I|(k − 1)Δ), where
    Δ = a^a·e^{−a}/Γ(a + 1) at the smallest prior parameter a of the node bounds what one record
    changes in any mass. Few points are chosen among more surely than many. Guarantee: ε.
    """
    points = check.whole("points", points, least=2, most=101)
    require_moderate("map", model, n)
    # Adding a record to a row adds 1 to one parameter of each of at most k − 1 Beta laws, and
    # replacing one is at most two such steps for every node. Beta(a, b) is G/(G + G') for
    # independent gamma variables of shapes a and b, so one more in a moves every mass by at most
    # the total variation between Gamma(a) and Gamma(a + 1), a^a·e^{−a}/Γ(a + 1), which falls in a
    # because the derivative of its log is log a − ψ(a + 1) < 0. Scores that move by Δ move log
    # probabilities by 2κΔ (McSherry and Talwar 2007): 2·(k − 1)·2κΔ = ε/|I| a node, ε in all.
    scales = tuple(
        balls.rounded_down(partial(_scale, epsilon / len(model.families), family.shape[-1], prior))
        for family, prior in zip(model.families, map(min, model.prior), strict=True)
    )
    # A score that moves by at most Δ either way moves exponents by amounts within 2κΔ.
    laws = Counter(2 * (family.shape[-1] - 1) for family in model.families)
    each = {moved: epsilon / (len(model.families) * moved) for moved in laws}
    curve = Composed(tuple((Range(each[m], each[m]), m * times) for m, times in laws.items()))
    theorem = Theorem(
        "exponential mechanisms whose scores, masses of Beta laws, move by at most Δ a record",
        "Zhang, Rubinstein and Dimitrakakis 2016, Corollary 4; McSherry and Talwar 2007",
    )
    law = partial(_law, model, scales, points)
    return Mechanism(
        config=Config("map", model, n, epsilon, Adjacency.SUBSTITUTE, (("points", points),)),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem, curve=curve),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_probabilities, model, points),
    )


def largest_change(a: Fraction) -> arb:
    """a^a·e^{−a}/Γ(a + 1): the total variation between Gamma(a) and Gamma(a + 1)."""
    shape = ball(a)
    return (shape * shape.log() - shape - (shape + 1).lgamma()).exp()


def _scale(budget: Fraction, states: int, prior: Fraction) -> arb:
    return ball(budget) / (4 * (states - 1) * largest_change(prior))


def _law(model: Network, scales: tuple[Fraction, ...], points: int, values: Outcome) -> Law:
    laws: list[Law] = []
    start = 0
    for family, prior, scale in zip(model.families, model.prior, scales, strict=True):
        k = family.shape[-1]
        counts = values[start : start + family.cells]
        parameters = [a + c for a, c in zip(prior, counts, strict=True)]
        for place in range(0, family.cells, k):
            row = parameters[place : place + k]
            laws += [
                MassLaw(a, sum(row[j + 1 :], Fraction(0)), scale, points)
                for j, a in enumerate(row[:-1])
            ]
        start += family.cells
    return ProductLaw(tuple(laws))


def _probabilities(model: Network, points: int, raw: Ints) -> NDArray[Any]:
    """The rows θ that the chosen shares make."""
    shares = sum(family.rows * (family.shape[-1] - 1) for family in model.families)
    if raw.shape[1] != shares or raw.min() < 0 or raw.max() >= points:
        return raw[:, :0]
    rows = []
    for row in raw.tolist():
        chosen = iter([Fraction(2 * j + 1, 2 * points) for j in row])
        cells: list[Fraction] = []
        for family in model.families:
            for _ in range(family.rows):
                left = Fraction(1)
                for _ in range(family.shape[-1] - 1):
                    cells.append(left * next(chosen))
                    left -= cells[-1]
                cells.append(left)
        rows.append(cells)
    return np.array(rows, dtype=object)
