"""The mean of records whose number is private, given the two noisy sums of their mechanism.

They are a = Σ(grid + U) + noise and b = Σ(grid − U) + noise; unknown are n, T = ΣU/grid and μ.
As for a public n the records are taken for normal, so T is normal given n and μ, and

    p(μ | a, b) ∝ p(μ)·Σ_n p(n)·∫ p(T | n, μ)·P(a, b | n, T) dT.

With t = T − (a − b)/(2·grid) and h = |n − (a + b)/(2·grid)| the noise is h + t in one sum and h − t
in the other, up to signs and in units of grid: the integrals have closed forms.

Of persons with several records those that were kept are taken for independent. A person who weighs
one is taken for one record, and n counts persons. That is careful: whatever a person's records have
in common, their mean varies no more around μ than one of them, picked at random (Jensen's
inequality).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.exact import Floats
from discreet.families.normal.model import NormalMean
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware.table import impossible
from discreet.noise_aware.totals import PriorOfN
from discreet.posteriors.normal import TabulatedLaw

Integral: TypeAlias = Callable[[Floats, Floats, Floats], Floats]

_STEP = 0.005  # between values of μ, in widths of its law or in their distance from the peak
_STEP_OF_N = 0.03  # between numbers of records, likewise
_NEGLIGIBLE = 40.0  # how far the log of a weight may lie below the largest
_BLOCK = 1 << 18  # integrals that are computed at once


def infer_mean_and_n(mechanism: Mechanism, raw: Outcome, n_prior: PriorOfN) -> TabulatedLaw:
    """The posterior of μ given a raw output of "laplace" or "gaussian" under add-remove."""
    model = mechanism.config.model
    assert isinstance(model, NormalMean)
    noisy = _Noisy.of(model, mechanism, raw)
    n, logs = _numbers(noisy, n_prior)
    log_density = partial(_log_density, noisy, n, logs)
    # Given n the likelihood falls on both sides of T/n, so beyond it and the prior mean the density
    # falls at least as fast as the prior's.
    centers = [noisy.prior_mean, *(noisy.total / n[n > 0]).tolist()]
    ends = min(centers) - 10 * noisy.prior_sd, max(centers) + 10 * noisy.prior_sd
    mu, widths = _spaced(*_peak(log_density, *ends), *ends, _STEP)
    found = log_density(mu)
    weights = np.exp(found - found.max()) * widths
    return TabulatedLaw(float(model.centre) + float(model.half) * mu, weights / weights.sum())


@dataclass(frozen=True)
class _Noisy:
    """What was seen and what was believed, in halves of the bounds' width from their middle."""

    total: float  # T and the noise
    number: Fraction  # n and the noise, which has this
    scale: float
    integral: Integral
    prior_mean: float
    prior_sd: float
    sd: float  # of a record

    @classmethod
    def of(cls, model: NormalMean, mechanism: Mechanism, raw: Outcome) -> _Noisy:
        """From a raw output."""
        law, (a, b) = mechanism.make_raw_law((0, 0)), raw
        integral: Integral
        if isinstance(law, NoiseLaw):
            rate = float(law.rate * model.grid)
            scale, integral = 1 / (2 * rate), partial(_laplace, rate)
        else:
            assert isinstance(law, DiscreteGaussianLaw)
            variance = float(law.variances[0] / (2 * model.grid**2))
            scale, integral = math.sqrt(variance), partial(_gaussian, variance)
        return cls(
            float(Fraction(a - b, 2 * model.grid)),
            Fraction(a + b, 2 * model.grid),
            scale,
            integral,
            float((model.prior_mean - model.centre) / model.half),
            math.sqrt(model.prior_variance) / float(model.half),
            math.sqrt(model.variance) / float(model.half),
        )

    def log_likelihood(self, n: Floats, mean: Floats, variance: Floats) -> Floats:
        """Of numbers of records, whose T is normal; of none it is 0, here almost."""
        whole = round(self.number)
        away = np.abs(n - whole - float(self.number - whole))
        least = (1e-6 * min(self.scale, self.sd)) ** 2
        return self.integral(away, mean - self.total, np.maximum(variance, least))


def _gaussian(variance: float, h: Floats, mean: Floats, square: Floats) -> Floats:
    """log ∫ N(t; mean, square)·e^{−(h² + t²)/(2·variance)} dt, but for a constant."""
    whole = square + variance
    return np.asarray(-(h**2) / (2 * variance) - mean**2 / (2 * whole) - np.log(whole) / 2)


def _laplace(rate: float, h: Floats, mean: Floats, square: Floats) -> Floats:
    """log ∫ N(t; mean, square)·e^{−rate·(|h + t| + |h − t|)} dt: beyond h and −h, and between."""
    from scipy import special

    sd, away = np.sqrt(square), np.abs(mean)
    near, far, slope = (h - away) / sd, (h + away) / sd, 2 * rate * sd
    with np.errstate(divide="ignore"):
        below = special.log_ndtr(near)
        between = below + np.log1p(-np.exp(special.log_ndtr(-far) - below))
    beyond = np.logaddexp(_tail(near, slope), _tail(far, slope))
    return np.asarray(np.logaddexp(beyond, between) - 2 * rate * h)


def _tail(y: Floats, slope: Floats) -> Floats:
    """log ∫ φ(x)·e^{−slope·(x − y)} dx over x > y: φ(y)·(1 − Φ(z))/φ(z) with z = y + slope."""
    from scipy import special

    z = y + slope
    right = np.log(special.erfcx(np.maximum(z, 0.0) / math.sqrt(2)) / 2) - y**2 / 2
    left = special.log_ndtr(-z) + slope * (y + z) / 2
    return np.asarray(np.where(z > 0, right, left))


def _numbers(noisy: _Noisy, prior: PriorOfN) -> tuple[Floats, Floats]:
    """Numbers of records that matter, and the logs of p(n) times how many each stands for.

    T given n alone is normal too, so the same integral tells how likely n is.
    """
    low, high = math.ceil(prior.low), prior.high
    middle = min(max(round(noisy.number), low), high)
    top = min(high, middle + 1e6 * noisy.scale + 1e3 * (middle + 1))
    n = _spaced(middle, noisy.scale, low, top, _STEP_OF_N)[0]
    n = np.unique(np.clip(np.rint(np.append(n, middle)), low, high))
    edges = np.concatenate([n[:1] - 0.5, (n[1:] + n[:-1]) / 2, n[-1:] + 0.5])
    logs = prior.log(n) + np.log(np.diff(edges))
    spread = n * noisy.sd**2 + n**2 * noisy.prior_sd**2
    weights = logs + noisy.log_likelihood(n, n * noisy.prior_mean, spread)
    if not np.isfinite(weights).any():
        raise impossible()
    kept = weights > weights.max() - _NEGLIGIBLE
    return n[kept], logs[kept]


def _log_density(noisy: _Noisy, n: Floats, logs: Floats, mu: Floats) -> Floats:
    """log p(μ | a, b), but for a constant."""
    found, rows = np.empty(len(mu)), max(1, _BLOCK // len(n))
    for first in range(0, len(mu), rows):
        means = np.multiply.outer(mu[first : first + rows], n)
        table = logs + noisy.log_likelihood(n, means, n * noisy.sd**2)
        found[first : first + rows] = np.logaddexp.reduce(table, axis=1)
    return np.asarray(found - ((mu - noisy.prior_mean) / noisy.prior_sd) ** 2 / 2)


def _peak(log_density: Callable[[Floats], Floats], low: float, high: float) -> tuple[float, float]:
    """Where a density is largest, and how far from there it falls by √e: a normal law's sd."""
    while True:
        points = np.linspace(low, high, 201)
        logs = log_density(points)
        top = int(logs.argmax())
        lower = np.flatnonzero(logs < logs[top] - 0.5)
        left, right = lower[lower < top].max(initial=0), lower[lower > top].min(initial=200)
        low, high = float(points[left]), float(points[right])
        if right - left > 10 or high - low < 1e-12 * max(abs(low), abs(high)):
            return float(points[top]), (high - low) / 2


def _spaced(
    middle: float, width: float, low: float, high: float, step: float
) -> tuple[Floats, Floats]:
    """Points from low to high, denser near the middle, and what each stands for, times a constant.

    They are middle + width·sinh(s) for equally spaced s.
    """
    first, last = np.arcsinh((np.array([low, high]) - middle) / width).tolist()
    s = np.linspace(first, last, 2 + math.ceil((last - first) / step))
    return middle + width * np.sinh(s), np.cosh(s)
