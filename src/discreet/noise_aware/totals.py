"""The factor q of the total in p(c | z) ∝ Π f_i(c_i)·q(Σc), for the counts c_i that are free.

If n is public, one count is what remains: q(s) = g_k(n − s), times the noise around that count if
it has any (lattice; not ls_dim and ls_hist). If n is private, q(s) = p(s)·s!/Γ(A + s), A = Σα.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats
from discreet.noise_aware.kernels import Kernel
from discreet.noise_aware.prior import log_rise, log_steps


class PriorOfN(NamedTuple):
    """The prior of a private n: its log, nowhere above 0 and −∞ outside of low … high."""

    log: Callable[[Floats], Floats]
    low: float
    high: float
    flat: bool = False  # on 0, 1, 2, …


@dataclass(frozen=True)
class Problem:
    """What is known: the prior, n if it is public, the noisy counts, and the noise."""

    prior: tuple[Fraction, ...]
    n: int | None
    z: tuple[int | Fraction, ...]  # of the free counts: all but the last if n is public
    last: int | Fraction | None  # the noisy version of the last count, if it is not free
    kernel: Kernel
    n_prior: PriorOfN

    @property
    def most(self) -> int:
        """No count is larger."""
        return self.n if self.n is not None else int(min(self.n_prior.high, 2**62))

    @property
    def totals(self) -> tuple[float, float]:
        """The range of the total of the free counts."""
        return (0, self.n) if self.n is not None else self.n_prior[1:3]

    @property
    def total_prior(self) -> Fraction:
        """A = Σα."""
        return sum(self.prior, Fraction(0))


def log_q(problem: Problem, least: int, above: Floats) -> Floats:
    """Log q at the totals least + above."""
    above = np.asarray(above, dtype=np.float64)
    if problem.n is None:
        totals = np.round(least + above)
        rise = log_rise(float(problem.total_prior), np.maximum(totals, 0.0))
        return np.where(totals >= 0, problem.n_prior.log(totals) - rise, -np.inf)
    left = (problem.n - least) - above
    rise = log_rise(float(problem.prior[-1]), np.maximum(left, 0.0))
    return np.where(left >= 0, rise + _log_noise(problem, problem.n - least, above), -np.inf)


def log_q_listed(problem: Problem, least: int, size: int) -> Floats:
    """Log q at least, least + 1, …: the same, with all digits of the differences."""
    above = np.arange(float(size))
    if problem.n is None:
        steps = -log_steps(problem.total_prior, least, size)
        start = log_rise(float(problem.total_prior), np.array(float(least)))
        return np.asarray(steps - start + problem.n_prior.log(least + above))
    result = np.full(size, -np.inf)
    count = min(size, problem.n - least + 1)
    if count > 0:
        low = problem.n - least - count + 1
        steps = log_steps(problem.prior[-1], low, count)[::-1]
        start = log_rise(float(problem.prior[-1]), np.array(float(low)))
        result[:count] = steps + start + _log_noise(problem, problem.n - least, above[:count])
    return result


def _log_noise(problem: Problem, most: int, above: Floats) -> Floats:
    """The noise around the count that remains, most − above; small differences stay exact."""
    if problem.last is None:
        return np.zeros_like(above)
    return problem.kernel.log(float(problem.last - most) + above)


def slope(problem: Problem, least: int, above: float) -> float:
    """The slope of log q at the total least + above; ±∞ outside its range."""
    if problem.n is not None:
        left = (problem.n - least) - above
        if left <= 0:
            return -math.inf
        noise = 0.0
        if problem.last is not None:
            away = (problem.n - least - problem.last) - above
            noise = -problem.kernel.slope(-away)  # of the count that remains, which falls
        return noise - math.log1p(max(float(problem.prior[-1] - 1) / left, -0.999))
    total, prior = least + above, problem.n_prior
    if not prior.low <= total <= prior.high:
        return math.inf if total < prior.low else -math.inf
    before, after = prior.log(np.array([round(total), round(total) + 1.0])).tolist()
    change = after - before if math.isfinite(before) and math.isfinite(after) else 0.0
    return change - math.log1p((float(problem.total_prior) - 1) / (total + 1))


def largest(problem: Problem, least: int, tilted: Floats, tilt: float) -> float:
    """The log of the largest e^{−λ·(s − least)}·q(s) over all totals s; n is public.

    `tilted` are its logs from `least` on. For α_k ≥ 1 it has one peak; if that is not among them,
    the answer is ∞. For α_k < 1 it is log-convex where the noise is straight, on both sides of its
    kink, so the ends of these pieces are the largest; of curved noise the tilted noise has a peak,
    and g_k is largest at 0.
    """
    assert problem.n is not None
    peak = int(np.argmax(tilted))
    if problem.prior[-1] >= 1:
        lower = peak > 0 or least == 0
        upper = peak < len(tilted) - 1 or least + len(tilted) > problem.n
        return float(tilted[peak]) if lower and upper else math.inf
    if problem.last is not None and problem.kernel.curvature:
        # −λ·x − (x − x₀)²/2v is at most −λ·x₀ + λ²·v/2
        centre = float(problem.n - least - problem.last)
        noise = tilt * (tilt / problem.kernel.curvature / 2 - centre)
        return noise + float(log_rise(float(problem.prior[-1]), np.zeros(1))[0])
    ends: list[int | Fraction] = [0, problem.n]
    if problem.last is not None:
        ends.append(min(max(problem.n - problem.last, 0), problem.n))
    above = np.array([float(end - least) for end in ends])
    return max(float(tilted[peak]), float((log_q(problem, least, above) - tilt * above).max()))
