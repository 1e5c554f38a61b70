"""Several unknown counts: independent, but for a factor of their total.

p(c | z) ∝ Π f_i(c_i)·q(Σc) with f_i(c) = g_i(c)·P(z_i | c) for the free counts and q as in
`totals`. Multiplying f_i by e^{λc} and q by e^{−λs} changes nothing, and λ is chosen so that the
likely totals are likely for the product of the f_i alone. Counts are kept in windows; where these
are too long, in cells of `stride` counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.divergence.gammas import log_gamma_ratio
from discreet.exact import Floats, Ints
from discreet.noise_aware.prior import tail
from discreet.noise_aware.totals import Problem, largest, log_q, log_q_listed

_BEYOND = 1e-13  # probability that may be left out beyond all totals of a private n
_DIRECT = 1 << 23  # sums of products up to which laws are convolved directly
_ROUGH = 1e-11  # probabilities, beside the largest, below which a Fourier transform is inaccurate


@dataclass(frozen=True, eq=False)
class Product:
    """The factors within windows, tilted, and the totals that they can have."""

    problem: Problem
    lows: Ints
    sizes: Ints  # in cells
    stride: int  # counts in a cell; 0 if they differ
    begin: Floats  # of all cells, window by window, the first count above the low end,
    widths: Ints  # how many counts they have,
    first: Floats  # the log of the factor at the first count,
    slopes: Floats  # and by how much it rises per count
    tilt: float = 0.0  # λ

    @cached_property
    def starts(self) -> Ints:
        """The first cell of each window."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @cached_property
    def _normalised(self) -> tuple[Floats, Floats]:
        """The logs of the tilted factors as probabilities, and the logs of their sums."""
        logs = self.first + self.tilt * self.begin
        if self.stride != 1:
            logs += _log_series(self.slopes + self.tilt, self.widths)
        highest = np.maximum.reduceat(logs, self.starts)
        logs -= np.repeat(highest, self.sizes)
        sums = np.log(np.add.reduceat(np.exp(logs), self.starts))
        return logs - np.repeat(sums, self.sizes), highest + sums

    @property
    def log_sums(self) -> Floats:
        """The logs of the sums of the tilted factors."""
        return self._normalised[1]

    @cached_property
    def log_p(self) -> list[Floats]:
        """The logs of the tilted factors, as probabilities of their cells."""
        return np.split(self._normalised[0], self.starts[1:])

    @cached_property
    def levels(self) -> list[list[Floats]]:
        """The laws of the sums of one, two, four, … neighbouring counts, up to that of all."""
        return sums_of([np.exp(logs) for logs in self.log_p])

    @cached_property
    def least(self) -> int:
        """The smallest total within the windows."""
        return sum(self.lows.tolist())

    @cached_property
    def _within(self) -> float:
        """What the counts have above the first of their cells, in all and on average."""
        if self.stride == 1:
            return 0.0
        step = 1e-6 / self.stride
        below, above = (
            _log_series(self.slopes + (self.tilt + way * step), self.widths) for way in (-1, 1)
        )
        means = (above - below) / (2 * step)
        return float(np.exp(self._normalised[0]) @ means)

    def above(self, cells: Floats) -> Floats:
        """What a total has above `least` on average, if the numbers of the cells sum to this."""
        return np.asarray(self.stride * cells + self._within)

    @property
    def mean(self) -> float:
        """The mean total under the tilted factors, above `least`; about right for larger cells."""
        return float(np.exp(self._normalised[0]) @ (self.begin + (self.widths - 1) / 2))

    @cached_property
    def _tilted_q(self) -> Floats:
        """Log q − λ·(s − least) for every total s; for larger cells, on average.

        Totals spread within their cells, so some just outside the range of q are inside at times.
        """
        from scipy import special

        cells = np.arange(float(len(self.levels[-1][0])))
        if self.stride == 1:
            return log_q_listed(self.problem, self.least, len(cells)) - self.tilt * cells
        low, high = self.problem.totals
        above = self.above(cells)
        inside = np.clip(above, float(low - self.least), float(high - self.least))
        values = log_q(self.problem, self.least, inside) - self.tilt * inside
        spread = self.stride * math.sqrt(len(self.lows) / 12)
        values += special.log_ndtr(-np.abs(above - inside) / spread) + math.log(2)
        return np.where(np.abs(above - inside) < 6 * spread, values, -np.inf)

    @cached_property
    def log_weights(self) -> Floats:
        """The same, but for a private n −∞ far from Σz."""
        if self.problem.n is not None:
            return self._tilted_q
        (first, last), result = self._likely, self._tilted_q.copy()
        result[: max(first, 0)] = result[max(last + 1, 0) :] = -np.inf
        return result

    @cached_property
    def log_totals(self) -> Floats:
        """The logs of the weights of all totals: probability under the factors times q."""
        law = self.levels[-1][0]
        if self._rough:
            law = np.where(law > _ROUGH * law.max(), law, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(law) + self.log_weights)

    @cached_property
    def log_inside(self) -> float:
        """The log of E_Q[q], Q the law of independent counts."""
        from scipy import special

        return float(special.logsumexp(self.log_totals))

    @cached_property
    def _rough(self) -> bool:
        """Whether some sums have absolute instead of relative accuracy."""
        pairs = (level[i : i + 2] for level in self.levels for i in range(0, len(level) - 1, 2))
        return any(len(left) * len(right) > _DIRECT for left, right in pairs)

    @cached_property
    def _likely(self) -> tuple[int, int]:
        """For a private n, a range of totals, in cells, beyond which almost nothing lies.

        For every n the prior of the counts sums to 1, so totals far from Σz weigh no more than the
        noise allows; and the total weight is at least that of the totals that are likely under the
        factors.
        """
        from scipy import special

        law = self.levels[-1][0]
        alpha = np.array([float(a) for a in self.problem.prior])
        likely = law > 1e-9 * law.max()
        weight = float(special.logsumexp(self._tilted_q[likely], b=law[likely]))
        if weight == -math.inf:
            return 0, -1
        rises = -log_gamma_ratio(self.lows + alpha, 1 - alpha) - special.gammaln(alpha)
        weight += float((rises + self._normalised[1]).sum())
        weight += math.lgamma(float(self.problem.total_prior))
        reach = self.problem.kernel.beyond(weight + math.log(_BEYOND), len(self.problem.z))
        middle, most = sum(self.problem.z) - self.least, self.problem.n_prior.high - self.least
        last = min(middle + max(reach, 0.0), most)
        return round((middle - max(reach, 0.0)) / self.stride), round(last / self.stride)

    @cached_property
    def left_out(self) -> float:
        """A bound on the probability outside the windows.

        With Q the law of independent counts, P(c_i outside | z) ≤ Q(c_i outside)·max q/E_Q[q].
        """
        if not (self.log_inside > -math.inf and self._whole):
            return math.inf
        outside, beyond = self.outside, 0.0
        if self.problem.n is None:
            peak, beyond = float(self.log_weights.max()), _BEYOND
        elif outside > 0:
            peak = largest(self.problem, self.least, self._tilted_q, self.tilt)
        else:
            return 0.0
        return outside * math.exp(min(peak - self.log_inside, 700.0)) + beyond

    @property
    def outside(self) -> float:
        """A bound on the probability under the factors that some count is outside its window."""
        problem, tilt = self.problem, self.tilt
        z = np.array([float(value) for value in problem.z])
        alpha = np.array([float(a) for a in problem.prior[: len(z)]])
        ends = self.starts + self.sizes - 1
        low = self.lows.astype(np.float64)
        high = low + self.begin[ends] + (self.widths[ends] - 1)
        log = problem.kernel.log  # ever steeper beyond the next step
        up, down = log(z - high - 1) - log(z - high), log(z - low + 1) - log(z - low)
        # of the first count and of the last
        slopes = self.slopes + tilt
        edges = self._normalised[0] - _log_series(slopes, self.widths)
        last = edges[ends] + slopes[ends] * (self.widths[ends] - 1)
        room = np.maximum(problem.most - high, 0.0)
        above = tail(last, (alpha, high), (1.0, room), up + tilt)
        below = tail(edges[self.starts], (1.0, 0.0), (alpha, low), down - tilt)
        return float(np.exp(np.minimum(np.logaddexp(above, below), 0.0)).sum())

    @property
    def _whole(self) -> bool:
        """Whether all totals that matter are within the windows, and their laws are accurate."""
        if self.problem.n is None:
            first, last = self._likely
            if not ((first >= 0 or self.least == 0) and last < len(self.log_totals)):
                return False
        if self._rough:
            known = np.flatnonzero(np.isfinite(self.log_totals))
            ends = known[0] - 1, known[-1] + 1
            for end, inner in zip(ends, known[[0, -1]], strict=True):
                cut = 0 <= end < len(self.log_totals) and np.isfinite(self.log_weights[end])
                if cut and self.log_totals[inner] > self.log_inside - 20:
                    return False
        return True


def _log_series(slopes: Floats, size: Ints) -> Floats:
    """ln Σ e^{b·u} over u = 0 … size − 1."""
    steep = np.maximum(np.abs(slopes), 1e-15 / size)
    ends = np.maximum(slopes, 0.0) * (size - 1)
    return np.asarray(ends + np.log(np.expm1(-steep * size) / np.expm1(-steep)))


def sums_of(laws: list[Floats]) -> list[list[Floats]]:
    """The laws of independent numbers, of the sums of two neighbouring ones, of four, … of all."""
    levels = [laws]
    while len(below := levels[-1]) > 1:
        pairs = [_convolve(*below[i : i + 2]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[len(pairs) * 2 :])
    return levels


def _convolve(left: Floats, right: Floats) -> Floats:
    """The law of a sum; short ones directly, which keeps relative accuracy in the tails."""
    if len(left) * len(right) <= _DIRECT:
        return np.convolve(left, right)
    from scipy import signal

    return np.asarray(np.maximum(signal.fftconvolve(left, right), 0.0))
