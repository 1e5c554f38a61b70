"""Where chains of counts start: nearly at their posterior, by expectation propagation.

What is seen of a table is taken for normal, and that no count is negative for one normal factor per
cell (Minka 2001; Cunningham et al. 2011 for truncated normal laws). Draws of
the normal law that this makes are then given the truncated marginals. The prior, but for that, and
noise that is not normal are left to the chains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats, Ints
from discreet.families.network.overlaps import Known, Noisy
from discreet.noise_aware.totals import PriorOfN

_LEAST = -0.5  # a count of 0, rounded
_ROUNDS, _STEP = 15, 0.7


@dataclass(frozen=True, eq=False)
class Problem:
    """A table: its shape, its prior, n if it is public, and what is seen of sums of its cells."""

    shape: tuple[int, ...]
    prior: tuple[Fraction, ...]
    n: int | None
    n_prior: PriorOfN
    noisy: list[Noisy]
    known: list[Known]
    margins: list[Margin]


class Margin(NamedTuple):
    """Sums of cells whose Dirichlet prior is not what that of the cells implies.

    The factor is Γ(a + s)/Γ(b + s) for a sum s; not `exact`, it is (s + (a + b − 1)/2)^(a − b),
    which it tends to (Tricomi and Erdélyi 1951), and which is quicker.
    """

    sums: Ints
    implied: Floats
    prior: Floats
    exact: bool = True


class _Normal(NamedTuple):
    """A normal law of the counts, and for every cell that of all but its own factor."""

    covariance: Floats
    alone: tuple[Floats, Floats]  # means and standard deviations


def start(problem: Problem, chains: int, rng: np.random.Generator) -> Floats:
    """Vectors of counts that are possible, one a column."""
    from scipy import special

    law = _propagated(*_seen(problem))
    sd = np.sqrt(np.diag(law.covariance))
    spread = law.covariance / np.outer(sd, sd)
    values, vectors = np.linalg.eigh(spread)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = root @ rng.standard_normal((len(sd), chains))
    mean, wide = (x[:, None] for x in law.alone)
    # from above: P(count beyond x) = share·P(count beyond the least)
    share = special.ndtr(-normal) * special.ndtr((mean - _LEAST) / wide)
    found = mean - wide * special.ndtri(np.maximum(share, 1e-300))
    found = np.where((mean - _LEAST) / wide > -30, np.maximum(found, _LEAST), 0.0)
    if problem.n is None:
        low, high = math.ceil(max(problem.n_prior.low, 0)), problem.n_prior.high
        totals = np.clip(np.rint(found.sum(axis=0)), low, high)
    else:
        totals = np.full(chains, float(problem.n))
    found += np.multiply.outer(sd**2 / (sd**2).sum(), totals - found.sum(axis=0))
    return _possible(found, totals)


def _seen(problem: Problem) -> tuple[Floats, Floats]:
    """The precision of what is seen, and that times its mean."""
    cells = len(problem.prior)
    precision, target = np.zeros((cells, cells)), np.zeros(cells)
    for seen in problem.noisy:
        precision += seen.precision * (seen.sums[:, None] == seen.sums)
        target += seen.precision * seen.z[seen.sums]
    for form in problem.known:
        precision += form.precision[np.ix_(form.sums, form.sums)]
        target += (form.precision @ form.centre)[form.sums]
    if problem.n is not None:
        steep = 100 * float(np.diag(precision).max())
        precision, target = precision + steep, target + steep * problem.n
    return precision, target


def _propagated(precision: Floats, target: Floats) -> _Normal:
    """Expectation propagation, all factors at once, in damped steps."""
    sites, pulls = np.zeros(len(target)), np.zeros(len(target))
    for _ in range(_ROUNDS):
        covariance = np.linalg.inv(precision + np.diag(sites))
        mean = covariance @ (target + pulls)
        variance = np.diag(covariance)
        rest = np.maximum(1 / variance - sites, 1e-9 / variance)
        alone = (mean / variance - pulls) / rest
        inner, wide = _truncated(alone, 1 / np.sqrt(rest))
        sites += _STEP * (np.maximum(1 / wide - rest, 0.0) - sites)
        pulls += _STEP * (inner / wide - alone * rest - pulls)
    return _Normal(np.asarray(covariance), (alone, np.asarray(1 / np.sqrt(rest))))


def _truncated(mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Means and variances of normal laws above the least count."""
    from scipy import special

    edge = (_LEAST - mean) / sd
    rate = np.exp(-(edge**2) / 2 - special.log_ndtr(-edge)) / math.sqrt(2 * math.pi)
    left = np.maximum(1 + edge * rate - rate**2, 1 / (edge**2 + 10) / 2)
    return mean + sd * rate, sd**2 * left


def _possible(found: Floats, totals: Floats) -> Floats:
    """The nearest vectors that are not negative and have these totals, in whole numbers."""
    ordered = -np.sort(-found, axis=0)
    excess = (np.cumsum(ordered, axis=0) - totals) / np.arange(1, len(found) + 1)[:, None]
    last = np.maximum((ordered > excess).sum(axis=0) - 1, 0)
    inside = np.maximum(found - excess[last, np.arange(len(totals))], 0.0)
    whole = np.floor(inside)
    rank = np.argsort(np.argsort(whole - inside, axis=0), axis=0)
    whole += rank < np.rint(totals - whole.sum(axis=0))
    short = totals - whole.sum(axis=0)  # only where floats are coarser than whole numbers
    whole[whole.argmax(axis=0), np.arange(len(totals))] += short
    return np.asarray(whole)
