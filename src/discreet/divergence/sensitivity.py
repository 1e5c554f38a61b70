"""How far one record can move the posterior: local, global and smooth sensitivity in closed form.

Substituting a record moves it from category j to category i. With x = α_i + c_i and
y = α_j + c_j − 1 the two posteriors are Hellinger √(1 − w(x)·w(y)) apart, w(a) = Γ(a+½)/(Γ(a)√a),
and, for two categories, x^{x−1}y^{y−1}/((x+y)^{x+y−1}·B(x, y)) in total variation. Both fall as x
and y grow, so every maximum below is attained at a few pairs that can be named. All values are
balls at the working precision; parameters and counts are exact.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from flint import arb

from discreet import check
from discreet.core import CategoricalModel
from discreet.core.counts import CountsLike, values_of
from discreet.divergence import size_bits
from discreet.errors import InputError
from discreet.exact import balls
from discreet.exact.balls import Real, ball, extra_precision

Distance: TypeAlias = Literal["hellinger", "total_variation"]
Kind: TypeAlias = Literal["reciprocal", "exponential"]
Prior: TypeAlias = tuple[Fraction, ...]
Option: TypeAlias = tuple[int, int, int]  # records taken away, scaled parameter, category

DISTANCES: tuple[Distance, ...] = ("hellinger", "total_variation")
KINDS: tuple[Kind, ...] = ("reciprocal", "exponential")


class Move(NamedTuple):
    """A record moving between parameters x + 1, y and x, y + 1, some way from the data."""

    x: Fraction
    y: Fraction
    away: int = 0  # substitutions from the given counts to counts that have this move


def step(x: Fraction, y: Fraction, distance: Distance = "hellinger") -> arb:
    """The distance between the posteriors before and after a move."""
    with extra_precision(size_bits((x, y))):
        if distance == "hellinger":
            return (-(_log_w(x) + _log_w(y)).expm1()).sqrt()
        a, b = ball(x), ball(y)
        log = (a - 1) * a.log() + (b - 1) * b.log() - (a + b - 1) * (a + b).log()
        return (log - a.lgamma() - b.lgamma() + (a + b).lgamma()).exp()


def _log_w(a: Fraction) -> arb:
    """ln w(a): increasing to 0, concave."""
    x = ball(a)
    return (x + ball(Fraction(1, 2))).lgamma() - x.lgamma() - x.log() / 2


def local(prior: Prior, counts: Sequence[int], distance: Distance = "hellinger") -> arb:
    """LS(c) = max over i ≠ j with c_j ≥ 1 of the distance moved (P0 Lemma 5.4)."""
    return _largest(step(m.x, m.y, distance) for m in _own_moves(prior, counts))


def overall(prior: Prior, n: int, distance: Distance = "hellinger") -> arb:
    """GS, the largest local sensitivity: at the smallest parameters that n records allow."""
    if n == 0:
        return arb(0)
    if len(prior) == 2:
        return _largest(step(m.x, m.y, distance) for m in _two_ends(prior, n))
    x, y = heapq.nsmallest(2, prior)
    return step(x, y, distance)


def smooth(
    prior: Prior, counts: Sequence[int], gamma: Real, kind: Kind, distance: Distance = "hellinger"
) -> arb:
    """S_γ(c) = max over c' of 1/(1/LS(c') + γ·d), or of LS(c')·e^{−γ·d}, with d = ½‖c − c'‖₁.

    Both are attained at an end point of every segment of counts: along it (1 − q·w(a))^{−1/2} is
    concave and the log of its reciprocal convex, so adding a linear cost leaves the extremes at the
    ends. Compared with brute force over all counts in the tests.
    """
    rate, best = gamma(), local(prior, counts, distance)
    if not best > 0:
        return best
    # no distance exceeds 1, so farther away than this nothing can be larger
    limit = (1 / best - 1) / rate if kind == "reciprocal" else -best.log() / rate
    for move in _end_moves(prior, counts, balls.floor(limit.upper())):
        reach = step(move.x, move.y, distance)
        if kind == "reciprocal":
            best = best.max(1 / (1 / reach + rate * move.away))
        else:
            best = best.max(reach * (-rate * move.away).exp())
    return best


def least_smooth(prior: Prior, n: int, gamma: Real, distance: Distance = "hellinger") -> arb:
    """A lower bound on the exponential smooth sensitivity of all counts with sum n ≥ 1.

    k = 2: left of any point m the move at the low end is at most m − 1 away, right of it the move
    at the high end, and no local sensitivity is below the step at equal parameters, because
    w(x)·w(y) with x + y fixed is largest at x = y (so is the reciprocal of the total variation).
    k ≥ 3, U = Σα + n: the two smallest counts sum to at most 2n/k, so a move at counts 0 and 1 is
    that near. The smallest count is at most n/k and some other parameter at most U/(k−1), so a move
    that takes only the smallest to 1 is that near (or, if all records are in that other category, a
    move from c is at least as far). And either every category has a record, then the two smallest
    parameters are at most U/k and U/(k−1), or one is empty.
    """
    rate, k = gamma(), len(prior)
    if k == 2:
        total = sum(prior, Fraction(n - 1))
        floor = step(total / 2, total / 2, distance)
        low, high = (step(m.x, m.y, distance) for m in _two_ends(prior, n))
        middle = (n + (low / high).log() / rate) / 2
        m = min(max(balls.floor(middle.mid()), 0), n) if middle.is_finite() else 0
        left = low * (-rate * max(m - 1, 0)).exp()
        right = high * (-rate * max(n - 2 - m, 0)).exp()  # counts from m + 1 on
        return floor.max(left.min(right))
    largest = heapq.nlargest(2, prior)
    mass = sum(prior, Fraction(n))
    both = step(largest[0], largest[1], distance) * (-rate * max(1, 2 * n // k - 1)).exp()
    one = step(largest[0], mass / (k - 1), distance) * (-rate * max(1, n // k - 1)).exp()
    empty = (-_log_w(largest[0]).expm1()).sqrt()
    full = step(mass / k, mass / (k - 1) - 1, distance) if n >= k else empty
    return both.max(one).max(empty.min(full))


def _largest(values: Iterator[arb]) -> arb:
    result = arb(0)
    for value in values:
        result = result.max(value)
    return result


def _scaled(prior: Prior) -> tuple[list[int], int]:
    """The prior as integers over one denominator, to compare parameters quickly."""
    unit = math.lcm(*(a.denominator for a in prior))
    return [a.numerator * (unit // a.denominator) for a in prior], unit


def _own_moves(prior: Prior, counts: Sequence[int]) -> Iterator[Move]:
    """The moves from c itself that can be the farthest: the smallest x with the smallest y."""
    alpha, unit = _scaled(prior)
    shifted = [(a + c * unit, i) for i, (a, c) in enumerate(zip(alpha, counts, strict=True))]
    into = heapq.nsmallest(2, shifted)
    out_of = heapq.nsmallest(2, (entry for entry, c in zip(shifted, counts, strict=True) if c))
    for x, i in into:
        for y, j in out_of:
            if i != j:
                yield Move(Fraction(x, unit), Fraction(y - unit, unit))


def _two_ends(prior: Prior, n: int) -> tuple[Move, Move]:
    """K = 2: the moves between (0, n) and (1, n−1), and between (n−1, 1) and (n, 0)."""
    return Move(prior[0], prior[1] + n - 1), Move(prior[0] + n - 1, prior[1])


def _end_moves(prior: Prior, counts: Sequence[int], limit: int) -> Iterator[Move]:
    """The moves from other counts, at most `limit` away, that can attain the smooth sensitivity."""
    n = sum(counts)
    if len(prior) == 2:
        low, high = _two_ends(prior, n)
        yield low._replace(away=max(counts[0] - 1, 0))
        yield high._replace(away=max(counts[1] - 1, 0))
        return
    # k ≥ 3: c'_i is c_i or 0 and c'_j is c_j or 1; what is taken away goes to other categories
    alpha, unit = _scaled(prior)
    into, out_of = [], []
    for i, (a, c) in enumerate(zip(alpha, counts, strict=True)):
        if c <= limit:
            into.append((c, a, i))
        if c - 1 <= limit:
            out_of.append((max(c - 1, 0), a, i))
        if c < n:
            into.append((0, a + c * unit, i))
        if c:
            out_of.append((0, a + (c - 1) * unit, i))
    for taken_i, x, i in _skyline(into):
        for taken_j, y, j in _skyline(out_of):
            # an empty j has to receive a record even if nothing is taken away
            away = max(taken_i + taken_j, int(counts[j] == 0))
            if i != j and away <= limit:
                yield Move(Fraction(x, unit), Fraction(y, unit), away)


def _skyline(options: list[Option]) -> list[Option]:
    """Drop an option if two other categories are as good in both cost and parameter.

    The pair that attains the maximum needs one category other than its partner, so of the options
    that are at least as good one remains.
    """
    kept: list[Option] = []
    least: list[tuple[int, int]] = []  # the two smallest parameters so far, by category
    for option in sorted(options):
        _, parameter, category = option
        better = [entry for entry in least if entry[1] != category]
        if len(better) == 2 and all(value <= parameter for value, _ in better):
            continue
        kept.append(option)
        rest = [entry for entry in least if entry[1] != category]
        own = min([v for v, c in least if c == category] + [parameter])
        least = sorted([*rest, (own, category)])[:2]
    return kept


# ---- for people ---------------------------------------------------------------------------------


def distance_for(value: str, model: CategoricalModel) -> Distance:
    """Hellinger, or total variation where there are two categories."""
    if not hasattr(model, "prior"):
        raise InputError(f"model must be a model, got {check.brief(model)}", "model")
    distance: Distance = check.choice("distance", value, DISTANCES)
    if distance == "total_variation" and (k := len(model.prior)) > 2:
        raise InputError(
            f"distance 'total_variation' is for two categories, got {k}; use 'hellinger'",
            "distance",
        )
    return distance


def local_sensitivity(
    model: CategoricalModel, counts: CountsLike, distance: str = "hellinger"
) -> float:
    """The largest distance from this posterior to one with one record substituted.

    LS(c) = max √(1 − w(α_i+c_i)·w(α_j+c_j−1)) over i ≠ j, c_j ≥ 1 (P0 Lemma 5.4). Computed from
    the counts without noise: for the data owner only.

    Args:
        model: the model.
        counts: the true counts.
        distance: "hellinger", or for two categories "total_variation".

    Returns:
        The sensitivity, a float.

    Raises:
        InputError: an argument is wrong.

    Guarantee:
        None: computed without noise, for the data owner only.

    Example:
        >>> import discreet as dp
        >>> round(dp.local_sensitivity(dp.BetaBinomial(), (50, 50)), 4)
        0.0703
    """
    metric, values = distance_for(distance, model), values_of(counts, model.categories)
    return balls.nearest(partial(local, model.prior, values, metric))


def global_sensitivity(model: CategoricalModel, n: int, distance: str = "hellinger") -> float:
    """The largest local sensitivity of any counts with sum n (P0 §5.3).

    Args:
        model: the model.
        n: the public number of records.
        distance: "hellinger", or for two categories "total_variation".

    Returns:
        The sensitivity, a float; it depends on public values alone.

    Raises:
        InputError: an argument is wrong.

    Example:
        >>> import discreet as dp
        >>> round(dp.global_sensitivity(dp.BetaBinomial(), 100), 4)
        0.3389
    """
    metric, n = distance_for(distance, model), check.whole("n", n)
    return balls.nearest(partial(overall, model.prior, n, metric))


def smooth_sensitivity(
    model: CategoricalModel,
    counts: CountsLike,
    gamma: float = 1.0,
    kind: str = "reciprocal",
    distance: str = "hellinger",
) -> float:
    """A smooth upper bound on the local sensitivity, for the data owner only.

    "reciprocal" (P0 Definition 2): max over c' of 1/(1/LS(c') + γ·d(c, c')), whose reciprocal
    changes by at most γ per substitution. "exponential" (Nissim, Raskhodnikova and Smith 2007, used
    by P1 and P3): max over c' of LS(c')·e^{−γ·d(c, c')}. Closed form, no search over data sets.

    Args:
        model: the model.
        counts: the true counts.
        gamma: how fast it may change.
        kind: "reciprocal" or "exponential".
        distance: "hellinger", or for two categories "total_variation".

    Returns:
        The bound, a float.

    Raises:
        InputError: an argument is wrong.

    Guarantee:
        None: computed without noise, for the data owner only.

    Example:
        >>> import discreet as dp
        >>> round(dp.smooth_sensitivity(dp.BetaBinomial(), (50, 50)), 4)
        0.0703
    """
    metric, values = distance_for(distance, model), values_of(counts, model.categories)
    rate = check.gamma(gamma)
    chosen: Kind = check.choice("kind", kind, KINDS)
    return balls.nearest(partial(smooth, model.prior, values, partial(ball, rate), chosen, metric))
