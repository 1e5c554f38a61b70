"""A finite mixture of Beta distributions: the law of one probability under a mixture of Dirichlets.

Components that differ by whole steps, Beta(a, b), Beta(a+1, b−1), …, form a run. With
t(a, b) = x^a·(1−x)^{b−1}/(a·B(a, b)), which is x/a times the density,
I_x(a, b) = I_x(a+1, b−1) + t(a, b) and t(a+1, b−1)/t(a, b) = x/(1−x)·(b−1)/(a+1). So a run of any
length costs one incomplete beta function and one exponential per component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet import check
from discreet.divergence.gammas import incomplete_beta, log_beta_density
from discreet.exact import Bools, Floats, Ints

_CELLS = 1 << 22  # components times points that are evaluated at once
_LONGEST = 4096  # components in a run: the sums of logs stay small
_HIGHEST = 36.0  # a logit: x is still below 1
_FARTHEST = 690.0  # the largest logit: x and 1 − x stay normal floats


class _Runs(NamedTuple):
    """Components in order; where runs of whole steps end; the logs of t relative to a middle."""

    a: Floats
    b: Floats
    weights: Floats
    run: Ints  # of every component
    ends: Ints  # the last component of every run
    middles: Ints
    steps: Floats  # Σ ln((b−1)/(a+1)) from the run's middle
    below: Floats  # the weight of the run up to and with each component; 0 at the end of a run


@dataclass(frozen=True, eq=False, repr=False)
class BetaMixture:
    """Σ_j weights_j·Beta(a_j, b_j); the weights sum to 1."""

    a: Floats
    b: Floats
    weights: Floats

    @cached_property
    def _runs(self) -> _Runs:
        pairs, places = np.unique(self.a + 1j * self.b, return_inverse=True)
        weights = np.bincount(places.ravel(), weights=self.weights)
        order = np.lexsort((pairs.real, (pairs.real + pairs.imag).round(6)))
        order = order[weights[order] > 1e-16 * weights.max()]
        a, b, weights = pairs.real[order], pairs.imag[order], weights[order]
        slack = 1e-9 + 4 * np.finfo(float).eps * (a + b)[1:]
        steps = np.maximum(np.abs(np.diff(a) - 1), np.abs(np.diff(b) + 1))
        follows = (steps <= slack) & (slack < 1e-3) & (np.arange(1, len(a)) % _LONGEST > 0)
        run = np.concatenate([[0], np.cumsum(~follows)])
        starts = np.concatenate([[0], np.flatnonzero(~follows) + 1])
        ends = np.append(starts[1:] - 1, len(a) - 1)
        middles = (starts + ends) // 2
        logs = np.zeros(-(-len(a) // _LONGEST) * _LONGEST)
        logs[1 : len(a)][follows] = np.log((b[:-1][follows] - 1) / (a[:-1][follows] + 1))
        steps = np.cumsum(logs.reshape(-1, _LONGEST), axis=1).ravel()[: len(a)]
        sums = np.cumsum(weights)
        below = sums - (sums - weights)[starts][run]
        below[ends] = 0.0
        return _Runs(a, b, weights, run, ends, middles, steps - steps[middles][run], below)

    def _evaluate(self, logit: Floats) -> tuple[Floats, Floats]:
        """Distribution function and log of the density at points given by their logits."""
        from scipy import special

        runs = self._runs
        cdf, log_pdf = np.empty(len(logit)), np.empty(len(logit))
        totals = np.bincount(runs.run, weights=runs.weights)
        last = runs.a[runs.ends], runs.b[runs.ends]
        a, b = runs.a[runs.middles], runs.b[runs.middles]
        power = runs.a - a[runs.run]
        rows = max(1, _CELLS // len(runs.a))
        for start in range(0, len(logit), rows):
            part, t = slice(start, start + rows), logit[start : start + rows, None]
            x, y = special.expit(t), special.expit(-t)
            log_t = log_beta_density(a, b, x, y) + np.log(x) - np.log(a)
            terms = log_t[:, runs.run] + runs.steps + power * t
            highest = terms.max(axis=1)
            terms = np.exp(terms - highest[:, None])
            whole = incomplete_beta(*last, x, y) @ totals
            cdf[part] = np.exp(highest) * (terms @ runs.below) + whole
            log_pdf[part] = highest + np.log(terms @ (runs.weights * runs.a)) - np.log(x[:, 0])
        return np.clip(cdf, 0.0, 1.0), log_pdf

    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(θ ≤ x)."""
        points, inside = _points(x)
        result = np.where(np.isnan(points), np.nan, (points >= 1).astype(np.float64))
        result[inside] = self._evaluate(_logit(points[inside]))[0]
        return result[()]

    def logpdf(self, x: npt.ArrayLike) -> Any:
        """The log of the density; at 0 and 1 it may be infinite."""
        points, inside = _points(x)
        result = np.where(np.isnan(points), np.nan, -np.inf)
        result[inside] = self._evaluate(_logit(points[inside]))[1]
        result[points == 0] = _log_at_zero(self.a, self.b, self.weights)
        result[points == 1] = _log_at_zero(self.b, self.a, self.weights)
        return result[()]

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density; at 0 and 1 it may be infinite."""
        return np.exp(self.logpdf(x))

    def ppf(self, p: npt.ArrayLike) -> Any:
        """Quantiles."""
        from scipy import special

        levels = check.reals("p", p)
        result = np.where(levels == 0, 0.0, np.where(levels == 1, 1.0, np.nan))
        sought = (levels > 0) & (levels < 1)
        if sought.any():
            logit = self.logit_quantiles(levels[sought])
            far = np.abs(logit) > _FARTHEST - 1
            result[sought] = np.where(far, logit > 0, special.expit(logit))
        return result[()]

    def logit_quantiles(self, p: Floats) -> Floats:
        """Newton's method on logit F(x) against logit x, which is straight in the tails.

        Kept inside a bracket that every step narrows; a step that leaves it is halved instead.
        The error is squared at each step, so one from 1e-7 is the last.
        """
        from scipy import special

        goal, at = special.logit(p), self._first_guess(p)
        low, high = np.full_like(at, -_FARTHEST), np.full_like(at, _FARTHEST)
        for _ in range(200):
            cdf, log_pdf = self._evaluate(at)
            low, high = np.where(cdf < p, at, low), np.where(cdf < p, high, at)
            with np.errstate(all="ignore"):
                gap = goal - special.logit(cdf)
                slope = np.exp(log_pdf) * special.expit(at) * special.expit(-at) / (cdf * (1 - cdf))
                following = at + gap / slope
                inside = (following >= low) & (following <= high)
            narrow = high - low <= 4 * np.finfo(float).eps * (1 + np.abs(at))
            at = np.where(inside, following, (low + high) / 2)
            if (narrow | (inside & (np.abs(gap) <= 1e-7))).all():
                break
        return np.asarray(at)

    def _first_guess(self, p: Floats) -> Floats:
        """The logits of the quantiles of the Beta with the same mean and variance."""
        from scipy import special

        mean, variance = self.mean(), self.var()
        total = max(mean * (1 - mean) / variance - 1, 1e-6) if variance > 0 else 1e18
        a, b = max(mean * total, 1e-9), max((1 - mean) * total, 1e-9)
        with np.errstate(all="ignore"):
            x, y = special.betaincinv(a, b, p), special.betaincinv(b, a, 1 - p)
            logit = np.log(x) - np.log(y)
        return np.asarray(np.clip(np.nan_to_num(logit), -_FARTHEST / 2, _FARTHEST / 2))

    def shortest(self, level: float) -> tuple[float, float]:
        """The ends of the shortest interval with that probability.

        The best of a grid of probabilities below it, then where the densities at both ends agree.
        """
        from scipy import optimize

        rest = 1 - level
        near = np.geomspace(1e-6, 0.5, 16)
        tails = rest * np.concatenate([[0.0], near, 1 - near[-2::-1], [1.0]])
        ends = self.ppf(np.concatenate([tails, np.minimum(tails + level, 1.0)])).reshape(2, -1)
        best = int(np.argmin(ends[1] - ends[0]))

        def falls(below: float) -> float:
            left, right = self.logpdf(self.ppf([below, below + level]))
            return float(left - right)

        if 0 < best < len(tails) - 1:
            low, high = tails[best - 1], tails[best + 1]
            low, high = max(low, rest * 1e-9), min(high, rest * (1 - 1e-9))
            if falls(low) < 0 < falls(high):
                below = float(optimize.brentq(falls, low, high, xtol=1e-9 * rest))
                ends[:, best] = self.ppf([below, below + level])
        return float(ends[0, best]), float(ends[1, best])

    def peak(self) -> float:
        """The logit of the point of highest density; ±∞ at 0 and 1, NaN if the density is flat."""
        from scipy import optimize, special

        grid = np.concatenate([[0.0], self.ppf(np.linspace(1e-4, 1 - 1e-4, 201)), [1.0]])
        logs = self.logpdf(grid)
        best = int(np.argmax(logs))
        if np.ptp(logs) < 1e-12:
            return math.nan
        if best in (0, len(grid) - 1):
            return -math.inf if best == 0 else math.inf
        low, high = np.clip(special.logit(grid[[best - 1, best + 1]]), -_FARTHEST, _FARTHEST)
        found = optimize.minimize_scalar(
            lambda t: -self._evaluate(np.array([t]))[1][0],
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-10 * (high - low)},
        )
        return float(found.x)

    def mean(self) -> float:
        """E[θ]."""
        return float(self.weights @ (self.a / (self.a + self.b)))

    def var(self) -> float:
        """The variance: that within the components and that between their means."""
        total = self.a + self.b
        means = self.a / total
        within = self.weights @ (means * (self.b / total) / (total + 1))
        return float(within + self.weights @ (means - self.mean()) ** 2)

    def std(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self.var()))

    def rvs(self, size: int | None = None, random_state: np.random.Generator | None = None) -> Any:
        """Independent draws."""
        rng = np.random.default_rng() if random_state is None else check.generator(random_state)
        chosen = rng.choice(len(self.weights), size=size, p=self.weights)
        return rng.beta(self.a[chosen], self.b[chosen])

    def __repr__(self) -> str:
        parts = check.number_of(len(self.weights), "Beta distribution")
        return f"<mixture of {parts}: mean {self.mean():.4g}>"

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return {"a": self.a, "b": self.b, "weights": self.weights}


def _points(x: object) -> tuple[Floats, Bools]:
    points = check.reals("x", x)
    return points, (points > 0) & (points < 1)


def _log_at_zero(a: Floats, b: Floats, weights: Floats) -> float:
    """x^{a−1} is infinite, 1 or 0 there; 1/B(1, b) = b."""
    if (a[weights > 0] < 1).any():
        return math.inf
    density = float((weights * b)[a == 1].sum())
    return math.log(density) if density > 0 else -math.inf


def _logit(x: Floats) -> Floats:
    from scipy import special

    return np.asarray(np.clip(special.logit(x), -_FARTHEST, _FARTHEST))


_GROUPS = 100


def quantiles(a: Floats, b: Floats, p: Floats) -> Floats:
    """Quantiles of mixtures of equally likely Betas, of a column each: columns, then p.

    Of each mixture neighbours in the mean are joined, to at most 100 Betas that have the mean and
    variance of those they stand for. Then Newton's method as in `logit_quantiles`.
    """
    from scipy import special

    first, second = _grouped(a, b)
    means, totals = first / (first + second), first + second
    mean = means.mean(axis=0)
    variance = (means * (second / totals) / (totals + 1) + (means - mean) ** 2).mean(axis=0)
    whole = np.maximum(mean * (1 - mean) / variance - 1, 1e-6)
    constant, goal = special.betaln(first, second)[..., None], special.logit(p)
    with np.errstate(all="ignore"):
        start = special.betaincinv((mean * whole)[:, None], ((1 - mean) * whole)[:, None], p)
        at = np.clip(np.nan_to_num(special.logit(start)), -_FARTHEST / 2, _HIGHEST)
    low, high = np.full_like(at, -_FARTHEST), np.full_like(at, _HIGHEST)
    first, second = first[..., None], second[..., None]
    for _ in range(100):
        x = special.expit(at)
        cdf = special.betainc(first, second, x).mean(axis=0)
        low, high = np.where(cdf < p, at, low), np.where(cdf < p, high, at)
        logs = first * special.log_expit(at) + second * special.log_expit(-at) - constant
        with np.errstate(all="ignore"):
            gap = goal - special.logit(cdf)
            following = at + gap * cdf * (1 - cdf) / np.exp(logs).mean(axis=0)
        inside = (following >= low) & (following <= high)
        at = np.where(inside, following, (low + high) / 2)
        if (inside & (np.abs(gap) < 1e-3) | (high - low < 1e-6)).all():
            break
    return np.asarray(special.expit(at))


def _grouped(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Groups of neighbours in the mean, each as one Beta."""
    size = -(-len(a) // _GROUPS)
    if size == 1:
        return a, b
    order = np.argsort(a / (a + b), axis=0)
    a, b = (np.take_along_axis(x, order, axis=0) for x in (a, b))
    a, b = (x[: len(x) // size * size].reshape(-1, size, x.shape[1]) for x in (a, b))
    total = a + b
    means = a / total
    mean = means.mean(axis=1)
    rest = (b / total).mean(axis=1)
    variance = (means * (b / total) / (total + 1) + (means - mean[:, None]) ** 2).mean(axis=1)
    whole = mean * (rest / variance) - 1
    return mean * whole, rest * whole
