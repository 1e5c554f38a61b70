"""The counts behind a noisy table of which other tables say something too, by Markov chains.

Many chains start nearly where they go (`starts`). A step moves δ records between two cells, or
between four so that marginals stay as they are: δ is proposed from the normal law of what is seen
given all else, on the whole numbers that are possible, and kept with the probability that corrects
for the prior and for noise that is not normal (Metropolis and Hastings). Where n is private records
also come and go.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.divergence.gammas import log_gamma_ratio
from discreet.exact import Floats, Ints
from discreet.families.network.starts import Problem, start
from discreet.posteriors.mixture import Diagnostics

_CELLS, _CHAINS = 12_000, (1000, 3000)  # chains of so many cells together, at least and at most
_SWEEPS, _MORE = 16, 1600  # sweeps; so many more over the square of the number of cells
_KEPT = 3  # times that the counts are kept, in the second half
_LARGE = 1e9  # beyond, ln Γ is right to less than 1e-5
_LEAST = 0.05  # what is added to a sum whose logarithm is taken
_NARROW = 2.0  # standard deviations below which rounding is seen


class _Direction(NamedTuple):
    """Cells that gain a record and cells that lose one, and what that does to sums of cells."""

    gain: list[int]
    lose: list[int]
    noisy: list[list[tuple[int, int]]]
    margins: list[list[tuple[int, int]]]
    known: list[tuple[list[tuple[int, int]], Floats | None]]  # and the precision times it
    precision: float


def draw(problem: Problem, rng: np.random.Generator) -> tuple[Floats, Diagnostics]:
    """Vectors of counts, one a row, and how good they are."""
    number = min(max(_CELLS // len(problem.prior), _CHAINS[0]), _CHAINS[1])
    chains = _Chains(problem, number, rng)
    sweeps = _SWEEPS + _MORE // len(problem.prior) ** 2
    last = {sweeps - i * (sweeps // 4) for i in range(_KEPT)}
    kept = []
    for sweep in range(1, sweeps + 1):
        chains.sweep()
        if sweep in last:
            kept.append(chains.counts.T.copy())
    return np.concatenate(kept), _quality(np.array(kept))


def _quality(kept: Floats) -> Diagnostics:
    """R̂ of the vectors kept early and late, and what they are worth, the chains not independent."""
    rounds, chains, _ = kept.shape
    means, variances = kept.mean(axis=1), kept.var(axis=1)
    moving = variances.min(axis=0) > 0
    if not moving.any():
        return Diagnostics("chains", ess=float(rounds * chains), r_hat=1.0)
    within, between = variances.mean(axis=0)[moving], means.var(axis=0, ddof=1)[moving]
    r_hat = float(np.sqrt((chains - 1) / chains + between / within).max())
    centred = (kept - means[:, None])[..., moving]
    pairs = [
        (centred[i] * centred[j]).mean(axis=0) / within
        for i in range(rounds)
        for j in range(i + 1, rounds)
    ]
    alike = float(np.clip(np.mean(pairs, axis=0).max(), 0.0, 1.0))
    return Diagnostics("chains", ess=rounds * chains / (1 + (rounds - 1) * alike), r_hat=r_hat)


class _Chains:
    """The state of all chains: a column each."""

    def __init__(self, problem: Problem, chains: int, rng: np.random.Generator) -> None:
        self.problem, self.rng = problem, rng
        self.alpha = np.array([float(a) for a in problem.prior])
        self.even = bool((self.alpha == 1).all())
        self.counts = start(problem, chains, rng)
        self.away = [_summed(seen.sums, self.counts) - seen.z[:, None] for seen in problem.noisy]
        self.pull = [
            seen.precision @ (_summed(seen.sums, self.counts) - seen.centre[:, None])
            for seen in problem.known
        ]
        self.margins = [_summed(margin.sums, self.counts) for margin in problem.margins]
        self.total = self.counts.sum(axis=0)
        self.noisy_sums = [seen.sums.tolist() for seen in problem.noisy]
        self.known_sums = [seen.sums.tolist() for seen in problem.known]
        self.margin_sums = [margin.sums.tolist() for margin in problem.margins]

    def sweep(self) -> None:
        """Steps between cells that are matched at random, and between four."""
        cells = len(self.alpha)
        order = self.rng.permutation(cells + (self.problem.n is None)).tolist()
        by_prior = not self.even and self.rng.random() < 0.5
        for i, j in zip(order[::2], order[1::2], strict=False):
            gain, lose = ([k] if k < cells else [] for k in (i, j))
            self._step(gain, lose, by_prior)
        if len(self.problem.shape) > 1:
            for corners in self._corners(cells // 4):
                if len(set(corners)) == 4:
                    self._step(corners[:2], corners[2:], False)

    def _corners(self, many: int) -> list[list[int]]:
        """Two cells, and the two that are got by exchanging some of their coordinates."""
        shape, rng = self.problem.shape, self.rng
        one, two = rng.integers(0, shape, (2, many, len(shape)))
        swap = rng.random((many, len(shape))) < 0.5
        cells = [one, two, np.where(swap, two, one), np.where(swap, one, two)]
        places = [np.ravel_multi_index(tuple(cell.T), shape) for cell in cells]
        return [list(each) for each in np.transpose(places).tolist()]

    def _direction(self, gain: list[int], lose: list[int]) -> _Direction:
        signed = [(cell, 1) for cell in gain] + [(cell, -1) for cell in lose]
        noisy = [_moved(sums, signed) for sums in self.noisy_sums]
        margins = [_moved(sums, signed) for sums in self.margin_sums]
        precision = 0.0
        for seen, moved in zip(self.problem.noisy, noisy, strict=True):
            precision += seen.precision * sum(sign * sign for _, sign in moved)
        known: list[tuple[list[tuple[int, int]], Floats | None]] = []
        for form, sums in zip(self.problem.known, self.known_sums, strict=True):
            moved = _moved(sums, signed)
            pulled = None
            for place, sign in moved:
                row = form.precision[place]
                pulled = sign * row if pulled is None else pulled + sign * row
            known.append((moved, pulled))
            if pulled is not None:
                precision += sum(sign * float(pulled[place]) for place, sign in moved)
        return _Direction(gain, lose, noisy, margins, known, precision)

    def _step(self, gain: list[int], lose: list[int], by_prior: bool) -> None:
        way = self._direction(gain, lose)
        counts = self.counts
        low = -counts[gain].min(axis=0) if gain else None
        high = counts[lose].min(axis=0) if lose else None
        slope = np.zeros(counts.shape[1])
        for seen, away, moved in zip(self.problem.noisy, self.away, way.noisy, strict=True):
            for place, sign in moved:
                slope += (seen.precision * sign) * away[place]
        for pull, (moved, _) in zip(self.pull, way.known, strict=True):
            for place, sign in moved:
                slope += sign * pull[place]
        by_prior = by_prior and len(gain) == len(lose) == 1
        if by_prior:
            delta, log_ratio = self._from_prior(gain[0], lose[0], low, high)
            log_ratio -= delta * (slope + way.precision / 2 * delta)
        else:
            delta, log_ratio = _proposed(slope, way.precision, low, high, self.rng)
            log_ratio += self._log_prior(way, delta)
        log_ratio += self._not_normal(way, delta)
        log_ratio += self._of_margins(way, delta)
        delta[np.log(self.rng.random(len(delta))) > log_ratio] = 0.0
        self._move(way, delta)

    def _from_prior(
        self, i: int, j: int, low: Floats | None, high: Floats | None
    ) -> tuple[Floats, Floats]:
        """How both cells' records split if nothing is seen: it needs no correction."""
        assert low is not None
        assert high is not None
        share = self.rng.beta(self.alpha[i], self.alpha[j], len(low))
        share = np.where(np.isfinite(share), share, 0.5)
        split = self.rng.binomial((high - low).astype(np.int64), share).astype(np.float64)
        return split + low, np.zeros(len(low))

    def _log_prior(self, way: _Direction, delta: Floats) -> Floats:
        """By how much the log of the prior grows."""
        change = np.zeros(len(delta))
        for cells, sign in ((way.gain, 1), (way.lose, -1)):
            for cell in cells:
                if (alpha := self.alpha[cell]) != 1:
                    count = self.counts[cell]
                    change += _ratio(count + sign * delta + 1, alpha - 1)
                    change -= _ratio(count + 1, alpha - 1)
        gained = len(way.gain) - len(way.lose)
        if gained:
            after, whole = self.total + gained * delta, float(self.alpha.sum())
            change += _ratio(self.total + 1, whole - 1) - _ratio(after + 1, whole - 1)
            known = self.problem.n_prior.log
            with np.errstate(invalid="ignore"):
                change += known(after) - known(self.total)
        return np.where(np.isnan(change), -np.inf, change)

    def _not_normal(self, way: _Direction, delta: Floats) -> Floats:
        """By how much the log of noise grows more than if it were normal."""
        change = np.zeros(len(delta))
        for seen, away, moved in zip(self.problem.noisy, self.away, way.noisy, strict=True):
            for place, sign in moved:
                before = away[place]
                after = before + sign * delta
                change += seen.kernel.log(-after) - seen.kernel.log(-before)
                change += seen.precision / 2 * (after - before) * (after + before)
        return change

    def _of_margins(self, way: _Direction, delta: Floats) -> Floats:
        """By how much the log of what corrects the prior of sums grows: Γ(a + s)/Γ(b + s)."""
        change = np.zeros(len(delta))
        for margin, sums, moved in zip(
            self.problem.margins, self.margins, way.margins, strict=True
        ):
            for place, sign in moved:
                implied, before = margin.implied[place], sums[place]
                step = float(margin.prior[place] - implied)
                after = before + sign * delta
                if step and margin.exact:
                    change += _ratio(after + implied, step) - _ratio(before + implied, step)
                elif step:
                    middle = max(implied + (step - 1) / 2, _LEAST)
                    change += step * np.log((after + middle) / (before + middle))
        return change

    def _move(self, way: _Direction, delta: Floats) -> None:
        for cell in way.gain:
            self.counts[cell] += delta
        for cell in way.lose:
            self.counts[cell] -= delta
        for away, moved in zip(self.away, way.noisy, strict=True):
            for place, sign in moved:
                away[place] += sign * delta
        for sums, moved in zip(self.margins, way.margins, strict=True):
            for place, sign in moved:
                sums[place] += sign * delta
        for pull, (_, pulled) in zip(self.pull, way.known, strict=True):
            if pulled is not None:
                pull += np.multiply.outer(pulled, delta)
        self.total += (len(way.gain) - len(way.lose)) * delta


def _proposed(
    slope: Floats,
    precision: float,
    low: Floats | None,
    high: Floats | None,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Whole numbers between low and high, nearly from e^{−slope·δ − precision·δ²/2}.

    They are rounded, which matters if that law is narrow: the second result corrects for it.
    """
    from scipy import special

    mean, sd = -slope / precision, 1 / math.sqrt(precision)
    wide = sd if sd > _NARROW else math.sqrt(sd**2 + 0.1)
    first = np.full_like(mean, -np.inf) if low is None else (low - 0.5 - mean) / wide
    last = np.full_like(mean, np.inf) if high is None else (high + 0.5 - mean) / wide
    flip = first > -last  # to the lower tail
    first, last = np.where(flip, -last, first), np.where(flip, -first, last)
    below, above = special.ndtr(first), special.ndtr(last)
    x = special.ndtri(below + (above - below) * rng.random(len(mean)))
    x = np.where(above > 1e-300, x, last)  # so far out that the end has nearly all of it
    delta = np.clip(np.rint(mean + wide * np.where(flip, -x, x)), low, high)
    if sd > _NARROW:
        return delta, np.zeros(len(delta))
    wanted = (mean**2 - (delta - mean) ** 2) / (2 * sd**2)
    return delta, wanted + _log_cell(mean, wide) - _log_cell(delta - mean, wide)


def _log_cell(away: Floats, sd: float) -> Floats:
    """The log of the probability that a normal number is rounded to one so far away."""
    from scipy import special

    near, far = ((np.abs(away) + side) / sd for side in (-0.5, 0.5))
    inner = special.log_ndtr(-near)
    return np.asarray(inner + np.log(-np.expm1(special.log_ndtr(-far) - inner)))


def _ratio(x: Floats, step: float) -> Floats:
    """ln Γ(x + step) − ln Γ(x): by differences where these lose no digits that matter."""
    from scipy import special

    if x.max() + abs(step) > _LARGE:
        return log_gamma_ratio(x, step)
    return np.asarray(special.gammaln(x + step) - special.gammaln(x))


def _moved(sums: list[int], signed: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What cells that change do to sums of cells."""
    change: dict[int, int] = {}
    for cell, sign in signed:
        place = sums[cell]
        change[place] = change.get(place, 0) + sign
    return [(place, sign) for place, sign in change.items() if sign]


def _summed(sums: Ints, counts: Floats) -> Floats:
    found = np.zeros((int(sums.max()) + 1, counts.shape[1]))
    np.add.at(found, sums, counts)
    return found
