"""Likely parameters of a network by the exponential mechanism (P2, Algorithm 3, and ours)."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
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
from discreet.errors import AccuracyWarning, InputError
from discreet.exact import Ints, balls
from discreet.exact.balls import ball
from discreet.families.network.mechanisms.consistency import agreeing
from discreet.families.network.mechanisms.noisy_tables import family_lattice, split, variance
from discreet.laws.masses import MassLaw


def map_estimate(
    model: Network,
    n: int,
    epsilon: Fraction,
    *,
    score: str = "distance",
    points: object = None,
) -> Mechanism:
    """The most likely θ of every row, given tables near those of the records.

    score: "distance", minus the distance of a table to the counted one in l1, which has the exact
    sensitivity 2 whatever the totals of the rows are, and a normaliser that no record changes, so
    that nothing is lost to it: the law of `lattice` on every table. Released is the mode of the
    posterior given the chosen tables, made to agree and cut at 0: θ ∝ max(α − 1 + count, 0), and
    the mean (α + count)/Σ of a row where that is 0 everywhere. "mass" is P2's, which is for
    comparison: see `by_mass`, which `points` is of. Guarantee: ε.
    """
    check.choice("score", score, ("distance", "mass"))
    if score == "mass":
        warnings.warn(
            "score='mass' is P2's and learns next to nothing, however many records there are: it "
            "is kept to reproduce that paper; use 'distance'",
            AccuracyWarning,
            stacklevel=2,
        )
        return by_mass(model, n, epsilon, points=10 if points is None else points)
    if points is not None:
        raise InputError("points is for score 'mass', not for 'distance'", "points")
    # The choice of the tables is that of `lattice`, to the last bit, and everything that follows is
    # post-processing of public values: the guarantee and its proof are those of `lattice`.
    chosen = family_lattice(model, n, epsilon, shares="sizes")
    shares = split(model, "sizes")
    variances = [
        variance(family.cells, epsilon * share)
        for family, share in zip(model.families, shares, strict=True)
    ]
    return Mechanism(
        config=Config("map", model, n, epsilon, Adjacency.SUBSTITUTE, (("score", score),)),
        guarantee=chosen.guarantee,
        make_raw_law=chosen.make_raw_law,
        make_law=chosen.make_raw_law,
        make_released=partial(_modes, model, variances),
        possible=chosen.possible,
    )


def _modes(model: Network, variances: Sequence[Fraction], raw: Ints) -> NDArray[Any]:
    """The most likely θ of every row, given the nearest tables that agree."""
    if raw.shape[1] != model.size:
        return raw[:, :0]
    scopes = [family.columns for family in model.families]
    shapes = [family.shape for family in model.families]
    rows = []
    for drawn in raw.tolist():
        rest = iter(drawn)
        tables = [list(itertools.islice(rest, family.cells)) for family in model.families]
        agreed = agreeing(tables, scopes, shapes, variances)
        parts = zip(model.families, model.prior, agreed, strict=True)
        rows.append([x for f, a, table in parts for x in _table_mode(f.shape[-1], a, table)])
    return np.array(rows, dtype=object)


def _table_mode(
    k: int, prior: Sequence[Fraction], table: Sequence[int | Fraction]
) -> Iterator[Fraction]:
    parameters = [a + max(count, 0) for a, count in zip(prior, table, strict=True)]
    for place in range(0, len(parameters), k):
        row = parameters[place : place + k]
        above = [max(a - 1, Fraction(0)) for a in row]
        weights = above if any(above) else row
        yield from (weight / sum(weights) for weight in weights)


def by_mass(model: Network, n: int, epsilon: Fraction, *, points: object = 10) -> Mechanism:
    """For every row of every table a point near the most likely one, P(θ) ∝ exp(κ·mass around θ).

    A row of k states is k − 1 shares, θ_1, then θ_2/(1 − θ_1), …: independent Beta laws under the
    posterior. Each is chosen among the midpoints of equal cells, with the posterior mass of the
    cell as its score: P2's density is no valid score (erratum E12). κ = ε/(4|I|(k − 1)Δ), where
    Δ = a^a·e^{−a}/Γ(a + 1) at the smallest prior parameter a of the node bounds what one record
    changes in any mass. Few points are chosen among more surely than many. Guarantee: ε.

    A mass is at most 1, and κ does not grow with n: this hardly learns. RMSE of one θ = 0.3 at
    ε = 1: 0.337 with 100 records and with a million; of score "distance" 0.047 and 0.00046.
    Documents without a score are of this one.
    """
    cells = check.whole("points", points, least=2, most=101)
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
    law = partial(_law, model, scales, cells)
    return Mechanism(
        config=Config("map", model, n, epsilon, Adjacency.SUBSTITUTE, (("points", cells),)),
        guarantee=Guarantee(epsilon, Fraction(0), Adjacency.SUBSTITUTE, basis=theorem, curve=curve),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_probabilities, model, cells),
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
