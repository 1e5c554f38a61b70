"""The mean of records given the noisy output of its mechanism.

The records are taken for normal, neither clipped nor rounded: T, the sum that was released with
noise, is then normal too, given μ and without it. Where many records lie outside the bounds this
does not hold, and the model is wrong about them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.exact import Floats
from discreet.families.normal.model import NormalMean
from discreet.laws.gaussian import DiscreteGaussianLaw, SummedGaussianLaw
from discreet.laws.hellinger_normal import HellingerNormalLaw, place
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import table
from discreet.posteriors.normal import NormalLaw, NormalMixture, NormalPosterior
from discreet.progress import track

_PANELS = 1000  # of the quadrature
_NODES = 8  # in each
_BLOCK = 1 << 22  # probabilities that are computed at once
_CUTS = np.array([-(2.0**k) for k in range(5, -4, -1)] + [0.0] + [2.0**k for k in range(-3, 6)])


class _Sums(NamedTuple):
    """The law of T before its noisy version is seen: N(mean, variance)."""

    mean: Fraction
    variance: Fraction


def infer(
    mechanism: Mechanism,
    raw: Outcome,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> NormalLaw:
    """The posterior of μ given a raw output; nothing is drawn."""
    number = table.prior_of_n(n_prior, mechanism.config.n)
    if mechanism.config.n is not None:
        return infer_mean(mechanism, raw)
    from discreet.families.normal.noise_aware_private_n import infer_mean_and_n

    return infer_mean_and_n(mechanism, raw, number)


def infer_mean(mechanism: Mechanism, raw: Outcome) -> NormalLaw:
    """The posterior of μ given a raw output of "laplace", "gaussian", "input" or "hellinger".

    p(μ | z) = ∫ p(μ | T)·p(T | z) dT with p(T | z) ∝ p(T)·P(z | T). Normal noise: in closed form.
    Otherwise by quadrature, a mixture of the posteriors given each T.
    """
    model, n = mechanism.config.model, mechanism.config.n
    assert isinstance(model, NormalMean)
    assert n is not None
    if n == 0:
        return model.prior
    law, sums = mechanism.make_raw_law((n, 0)), _sums(model, n)
    if isinstance(law, DiscreteGaussianLaw):
        return _normal_noise(model, n, sums, law.variances[0], raw[0])
    if isinstance(law, SummedGaussianLaw):
        return _normal_noise(model, n, sums, n * law.variance, raw[0])
    if isinstance(law, NoiseLaw):
        return _laplace_noise(model, n, sums, law.rate, raw[0])
    assert isinstance(law, HellingerNormalLaw)
    return _chosen(model, n, sums, law, raw[0])


def _sums(model: NormalMean, n: int) -> _Sums:
    """T = Σ(x_i − centre)·grid/half, x_i ~ N(μ, v), μ ~ N(m, V)."""
    units = model.grid / model.half
    spread = n * model.variance + n**2 * model.prior_variance
    return _Sums(n * units * (model.prior_mean - model.centre), units**2 * spread)


def _normal_noise(
    model: NormalMean, n: int, sums: _Sums, noise: Fraction, z: int
) -> NormalPosterior:
    """T given T + N(0, noise) is normal, and μ given T."""
    weight = sums.variance / (sums.variance + noise)
    mean = model.posterior_mean(n, sums.mean + weight * (z - sums.mean))
    return NormalPosterior(mean, model.posterior_variance(n) + model.step(n) ** 2 * weight * noise)


def _laplace_noise(model: NormalMean, n: int, sums: _Sums, rate: Fraction, z: int) -> NormalMixture:
    """p(T | z) ∝ exp(−rate·|z − T|)·N(T): its log bends at z, and falls by ½((T − mode)/sd)²."""
    slope, mean = float(rate), float(sums.mean - z)  # T is measured from z
    sd = math.sqrt(sums.variance)

    def log_density(t: Floats) -> Floats:
        return np.asarray(-slope * np.abs(t) - ((t - mean) / sd) ** 2 / 2)

    mode = min(max(0.0, mean - slope * sd**2), mean + slope * sd**2)
    ends = mode - 9 * sd, mode + 9 * sd
    return _mixture(model, n, Fraction(z), log_density, ends, _CUTS / slope)


def _chosen(
    model: NormalMean, n: int, sums: _Sums, law: HellingerNormalLaw, j: int
) -> NormalMixture:
    """p(T | j) ∝ P(j | T)·N(T) for |T| ≤ n·grid, where the mechanism is defined."""
    start = place(j, law.reach, law.points)  # T is measured from there
    mean, sd = float(sums.mean - start), math.sqrt(sums.variance)

    def log_density(t: Floats) -> Floats:
        centers, found = t + float(start), np.empty(len(t))
        rows = max(1, _BLOCK // law.points)
        for first in track(range(0, len(t), rows), "noise-aware posterior"):
            logs = law.float_logs(centers[first : first + rows])
            top = logs.max(axis=1)
            total = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
            found[first : first + rows] = logs[:, j] - total
        return np.asarray(found - ((t - mean) / sd) ** 2 / 2)

    # P(j | T) changes by e^{2·most} at most
    most = float(-law.float_logs(np.array([float(law.reach)])).min())
    low, high = float(-law.reach - start), float(law.reach - start)
    near, reach = min(max(mean, low), high), sd * math.sqrt(2 * (40 + 2 * most))
    ends = max(low, near - reach), min(high, near + reach)
    # the kinks of P(j | T) are at the points, and it falls fast midway between them
    half, width = law.reach / (law.points - 1), 2 * law.shift / float(law.epsilon)
    cuts = np.add.outer(half * np.arange(-6, 7), width * _CUTS).ravel()
    return _mixture(model, n, start, log_density, ends, cuts)


def _mixture(
    model: NormalMean,
    n: int,
    start: Fraction,
    log_density: Callable[[Floats], Floats],
    ends: tuple[float, float],
    cuts: Floats,
) -> NormalMixture:
    """Posteriors at the nodes of Gauss and Legendre's rule on panels that respect the cuts.

    The first pass finds where the sum can lie; the panels of the second are as narrow as two
    standard deviations of a component, or their number is large and the components are widened.
    """
    step, within = float(model.step(n)), float(model.posterior_variance(n))
    panels = 200
    for _ in range(2):
        low, high = ends
        edges = np.concatenate([np.linspace(low, high, panels + 1), cuts])
        edges = np.unique(edges[(edges >= low) & (edges <= high)])
        nodes, weights = _quadrature(edges)
        logs = log_density(nodes)
        weights = weights * np.exp(logs - logs.max())
        mass = np.add.reduceat(weights, np.arange(0, len(weights), _NODES))
        kept = np.flatnonzero(mass > 1e-17 * mass.sum())
        ends = float(edges[kept[0]]), float(edges[kept[-1] + 1])
        wanted = (ends[1] - ends[0]) * step / (2 * math.sqrt(within))
        panels = min(_PANELS, max(40, math.ceil(wanted)))
    shown = weights > 1e-18 * weights.max()
    means = float(model.posterior_mean(n, start)) + step * nodes[shown]
    widest = step * float(np.diff(edges).max()) / 5
    return NormalMixture(means, weights[shown] / weights[shown].sum(), max(within, widest**2))


def _quadrature(edges: Floats) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    return (middle[:, None] + half[:, None] * points).ravel(), np.outer(half, weights).ravel()
