"""One table of counts behind noisy ones: what its cells may have been, and the mixture they make.

A table of categories, or that of a family of a network.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.core import Law, PointMass
from discreet.core.law import Outcome
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import several_categories, two_categories
from discreet.noise_aware.kernels import Kernel, LaplaceKernel, NormalKernel
from discreet.noise_aware.mixing import draw_mixed
from discreet.noise_aware.totals import PriorOfN, Problem
from discreet.noise_aware.windows import TOLERANCE, few, prepare
from discreet.posteriors.mixture import Diagnostics, DirichletMixture

_DROPPED = 1e-14  # probability of the components that are dropped as negligible
_MOST_DRAWS, _LEAST_DRAWS = 10_000, 2_000


class Noise(NamedTuple):
    """Noisy counts, of records, and the noise around each."""

    z: tuple[int | Fraction, ...]
    kernel: Kernel


class Found(NamedTuple):
    """Vectors of counts, one a row, with the logs of their weights."""

    counts: Floats
    logs: Floats
    diagnostics: Diagnostics = Diagnostics()


def impossible() -> InputError:
    """No counts lead to the output."""
    return InputError("raw must be an output that the mechanism can give", "raw")


def additive(law: Law, raw: Outcome, parts: int = 1) -> Noise | None:
    """The noise of a law that adds it; None for other laws.

    If one record is `parts` steps of the noise, z/parts lies as far from a whole count c, in
    records, as z does from parts·c, in steps: noise that is as much steeper, around a fraction.
    """
    if isinstance(law, LatticeLaw):
        if sum(raw) != sum(law.center):
            raise impossible()
        return Noise(_in_records(raw, parts), LaplaceKernel(float(parts * law.epsilon / 2)))
    if isinstance(law, NoiseLaw) and law.low is None and law.high is None:
        if law.total is not None and sum(raw) != law.total:
            raise impossible()
        floored, z = law.shape == "floored", _in_records(raw[: len(law.center)], parts)
        if (
            floored and parts > 1
        ):  # rounded down to steps, not to records: by half a step on average
            floored, z = False, tuple(each + Fraction(1, 2 * parts) for each in z)
        return Noise(z, LaplaceKernel(float(parts * law.rate), floored))
    if isinstance(law, DiscreteGaussianLaw) and len(set(law.variances)) == 1:
        return Noise(_in_records(raw, parts), NormalKernel(float(law.variances[0] / parts**2)))
    if isinstance(law, PointMass) and raw != law.point:
        raise impossible()
    return None


def _in_records(raw: Outcome, parts: int) -> tuple[int | Fraction, ...]:
    return raw if parts == 1 else tuple(Fraction(z, parts) for z in raw)


def infer(
    prior: tuple[Fraction, ...],
    n: int | None,
    noise: Noise,
    n_prior: PriorOfN,
    rng: np.random.Generator,
) -> Found:
    """The counts behind noisy ones: of all cells, or, if n is public, of all but the last."""
    if n is not None and len(prior) == 2 and (one := _as_one(n, noise)) is not None:
        listed = two_categories.infer(prior, n, *one)
        diagnostics = Diagnostics("exact", listed.left_out, listed.grouped)
        return Found(listed.counts, listed.logs, diagnostics)
    return _several(prior, n, noise, n_prior, rng)


def _as_one(n: int, noise: Noise) -> tuple[Fraction, Kernel] | None:
    """What is known of the first of two counts, as one noisy number.

    Normal noise on c and on n − c is noise of half the variance on c.
    """
    if len(noise.z) == 1:
        return Fraction(noise.z[0]), noise.kernel
    if isinstance(noise.kernel, NormalKernel):
        middle = Fraction(noise.z[0] + n - noise.z[1], 2)
        return middle, NormalKernel(noise.kernel.variance / 2)
    return None


def _several(
    prior: tuple[Fraction, ...],
    n: int | None,
    noise: Noise,
    n_prior: PriorOfN,
    rng: np.random.Generator,
) -> Found:
    k, z = len(prior), noise.z
    order, last = list(range(k)), None
    if n is not None and len(z) == k:  # the count that is fixed by the others: a large one
        order.append(order.pop(max(order, key=z.__getitem__)))
        last = z[order[-1]]
    free = tuple(z[i] for i in order[: k - (n is not None)])
    problem = Problem(tuple(prior[i] for i in order), n, free, last, noise.kernel, n_prior)
    points, exact = _points(problem, rng)
    diagnostics = Diagnostics("exact", points.left_out)
    if not exact:
        diagnostics = of_draws(points, rng)
    return Found(points.counts[:, np.argsort(order)], points.logs, diagnostics)


def of_draws(points: several_categories.Points, rng: np.random.Generator) -> Diagnostics:
    """How good independent draws are."""
    weights = np.exp(points.logs - points.logs.max())
    ess = float(weights.sum() ** 2 / (weights**2).sum())
    r_hat = _r_hat(points.counts, weights, rng)
    return Diagnostics("draws", points.left_out, ess=ess, r_hat=r_hat)


def _r_hat(counts: Floats, weights: Floats, rng: np.random.Generator) -> float:
    """Gelman and Rubin's R̂, the largest of any count, over four parts of the draws at random."""
    parts = np.array_split(rng.permutation(len(counts)), 4)
    means = np.array([np.average(counts[part], axis=0, weights=weights[part]) for part in parts])
    squares = [
        np.average((counts[part] - mean) ** 2, axis=0, weights=weights[part])
        for part, mean in zip(parts, means, strict=True)
    ]
    within, between = np.mean(squares, axis=0), means.var(axis=0, ddof=1)
    moving = within > 0
    length = len(parts[0])
    ratio = (length - 1) / length + between[moving] / within[moving]
    return float(np.sqrt(ratio.max(initial=1.0)))


def number_of_draws(k: int) -> int:
    """Of vectors of k counts, where they are too many to list."""
    return min(max(2_000_000 // k, _LEAST_DRAWS), _MOST_DRAWS)


def _points(problem: Problem, rng: np.random.Generator) -> tuple[several_categories.Points, bool]:
    """Vectors of counts: all of them, and True, or draws."""
    draws = number_of_draws(len(problem.prior))
    flat, product = problem.n is None and problem.n_prior.flat, None
    if not flat or few(problem):
        try:
            product = prepare(problem, 2) if flat else prepare(problem)
        except NotEnumerable:
            if problem.n is not None:
                raise
        narrow = flat and product is not None and product.left_out > 1e3 * TOLERANCE
        if product is not None and not narrow:
            points = several_categories.enumerate_points(product)
            if points is not None:
                return points, True
    if flat or product is None:
        return draw_mixed(problem, draws, rng), False
    return several_categories.draw_points(product, draws, rng), False


def mixture(
    categories: tuple[Category, ...], prior: tuple[Fraction, ...], found: Found
) -> DirichletMixture:
    """The posterior: a Dirichlet for every vector of counts."""
    if not np.isfinite(found.logs).any():
        raise impossible()
    weights = np.exp(found.logs - found.logs.max())
    weights /= weights.sum()
    kept = weights > _DROPPED / len(weights)
    lost = float(weights[~kept].sum())
    return DirichletMixture(
        categories,
        found.counts[kept] + np.array([float(a) for a in prior]),
        weights[kept],
        replace(found.diagnostics, left_out=min(found.diagnostics.left_out + lost, 1.0)),
    )


def prior_of_n(n_prior: object, n: int | None) -> PriorOfN:
    """The prior of n as a function, and the range outside of which it is −∞."""
    if n is not None and n_prior is not None:
        raise InputError(
            f"n_prior must be None where n is public, got {check.brief(n_prior)}", "n_prior"
        )
    if n_prior is None:
        return PriorOfN(_uniform(0, math.inf), 0, math.inf, True)
    if isinstance(n_prior, tuple) and len(n_prior) == 2:
        low = check.whole("n_prior[0]", n_prior[0])
        high = check.whole("n_prior[1]", n_prior[1], least=low)
        return PriorOfN(_uniform(low, high), low, high)
    logpmf = getattr(n_prior, "logpmf", None)
    if not callable(logpmf):
        raise InputError(
            "n_prior must be None, a pair (low, high) or a distribution with logpmf, got "
            f"{check.brief(n_prior)}",
            "n_prior",
        )
    support = getattr(n_prior, "support", None)
    first, last = support() if callable(support) else (0, math.inf)
    if not max(first, 0) <= last:  # nan is no bound either
        raise InputError("n_prior must be a distribution on whole numbers from 0 on", "n_prior")
    return PriorOfN(logpmf, max(float(first), 0.0), float(last))


def _uniform(low: float, high: float) -> Callable[[Floats], Floats]:
    return lambda n: np.where((n >= low) & (n <= high), 0.0, -np.inf)
