"""Exact binomial numbers, and how records fall evenly into categories."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from discreet.exact import Ints, balls, draw
from discreet.exact.balls import Real, ball
from discreet.exact.draw import Source
from discreet.exact.shells import unimodal

_FEW = 1_000  # trials up to which each is drawn
_NEAR = 1 << 14  # the same for what a number has beyond the least of all
_ROWS = 1 << 10  # numbers whose trials are drawn together


def binomial(odds: Real, trials: Ints, source: Source) -> Ints:
    """For each of these numbers of independent trials, how many succeed; odds = p/(1 − p).

    A number of trials is split: what the least one has is drawn from its law, at a cost that grows
    like its log, and the trials beyond are drawn one by one.
    """
    result = np.zeros_like(trials)
    waiting = np.arange(len(trials))
    while len(waiting):
        numbers = trials[waiting]
        least = int(numbers.min())
        common = least if least > _FEW else 0
        near = numbers - common <= _NEAR
        rows = waiting[near]
        if common:
            result[rows] = _from_law(odds, common, len(rows), source)
        result[rows] += _one_by_one(odds, numbers[near] - common, source)
        waiting = waiting[~near]
    return result


def _from_law(odds: Real, trials: int, size: int, source: Source) -> Ints:
    """P(t) ∝ odds^t/(t!·(trials − t)!) rises up to ⌊(trials + 1)·p⌋ and falls from there on."""
    low, _ = balls.bounds(lambda: (trials + 1) * odds() / (1 + odds()), 64)
    mode = min(max(low >> 64, 0), trials)

    def log_weight(t: int) -> arb:
        with balls.extra_precision(64):
            return _log_choices(trials, t) - _log_choices(trials, mode) + (t - mode) * odds().log()

    return unimodal(mode, 0, trials, log_weight, size, source)


def _log_choices(trials: int, t: int) -> arb:
    return -arb(t + 1).lgamma() - arb(trials - t + 1).lgamma()


def _one_by_one(odds: Real, trials: Ints, source: Source) -> Ints:
    result = np.zeros_like(trials)
    for start in range(0, len(trials), _ROWS):
        part = slice(start, start + _ROWS)
        ends = np.cumsum(trials[part])
        succeeded = draw.bernoulli(lambda: odds() / (1 + odds()), int(ends[-1]), source)
        sums = np.concatenate([[0], np.cumsum(succeeded)])
        result[part] = sums[ends] - sums[ends - trials[part]]
    return result


def spread_evenly(k: int, records: Ints, source: Source) -> Ints:
    """Every record into one of k categories, all equally likely: one row for each number of them.

    Half of the categories get a binomial number, and so on within each half.
    """
    if k == 1:
        return records[:, None]
    half = k // 2
    first = binomial(partial(ball, Fraction(half, k - half)), records, source)
    rest = spread_evenly(k - half, records - first, source)
    return np.column_stack([spread_evenly(half, first, source), rest])
