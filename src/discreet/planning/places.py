"""The counts at which a plan is judged. They are public or made up, never the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet import check
from discreet.core import CategoricalModel, Counts
from discreet.core.law import Outcome
from discreet.errors import InputError
from discreet.exact import compositions
from discreet.laws import predictive

ALL_COUNTS = 2000  # counts that a worst case runs through one by one
_FEW = 6  # categories of which a worst case tries every one as the largest


@dataclass(frozen=True)
class Places:
    """Counts with weights; or, for a worst case, counts of which the worst matters."""

    counts: tuple[Outcome, ...]
    weights: tuple[float, ...]
    worst: bool
    words: str

    def combine(self, values: Iterable[float]) -> float:
        """The weighted average, or the largest."""
        listed = list(values)
        return max(listed) if self.worst else float(np.dot(self.weights, listed))


def places(model: CategoricalModel, n: int, at: object, worst_case: bool, size: int) -> Places:
    """Where to judge: at given counts or proportions, at the worst, or where the prior expects."""
    check.choice("worst_case", worst_case, (True, False))
    if at is not None and worst_case:
        raise InputError("at and worst_case exclude each other: give one of them", "worst_case")
    if at is not None:
        return _given(model, n, at)
    if worst_case:
        return _worst(model, n)
    rows, weights = predictive.strata(model.prior, n, size)
    kept = weights > 0
    return Places(
        tuple(map(tuple, rows[kept].tolist())),
        tuple((weights[kept] / weights[kept].sum()).tolist()),
        False,
        "averaged over the counts that the prior expects",
    )


def _given(model: CategoricalModel, n: int, at: object) -> Places:
    if isinstance(at, Counts):
        raise InputError(
            "at must be public proportions or counts, got a Counts: planning uses public values "
            "only, and an epsilon chosen from the data would tell about them",
            "at",
        )
    k, numbers = len(model.prior), check.entries("at", at, model.categories)
    total = sum(numbers, Fraction(0))
    if min(numbers) < 0 or not (total == n or abs(total - 1) <= Fraction(1, 10**6)):
        raise InputError(
            f"at must be proportions that sum to 1 or counts that sum to n = {n}, none negative",
            "at",
        )
    exact = [value * n / total for value in numbers]
    counts = [int(value) for value in exact]
    by_remainder = sorted(range(k), key=lambda i: (counts[i] - exact[i], i))
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    shares = ", ".join(f"{float(value / total):.3g}" for value in numbers[:8])
    more = ", …" if k > 8 else ""
    return Places((tuple(counts),), (1.0,), False, f"at the proportions ({shares}{more})")


def _worst(model: CategoricalModel, n: int) -> Places:
    """All counts if they are few; else those on lines from the corners.

    Additive noise does most harm where all categories but one have as few records as the noise is
    wide, exponential mechanisms at a corner or at the even spread. So: one category has most
    records, and either all others have m each, or one other has m, m = 0, 1, 2, 3, 4, 6, 8, ….
    """
    k = len(model.prior)
    if compositions.count(n, k) <= ALL_COUNTS:
        rows = list(map(tuple, compositions.rows(n, k).tolist()))
        return Places(tuple(rows), (1.0,) * len(rows), True, "in the worst case over all counts")
    by_prior = sorted(range(k), key=lambda i: model.prior[i])
    large = range(k) if k <= _FEW else sorted({0, k - 1, by_prior[0], by_prior[-1]})
    found = [_even(n, k)]
    for i in large:
        rest = [j for j in range(k) if j != i]
        single = {rest[i - 1], rest[i % (k - 1)], min(rest, key=lambda j: model.prior[j])}
        for others in (rest, *([j] for j in sorted(single))):
            found += [_with(n, k, i, others, m) for m in _doubling(n // (len(others) + 1))]
    rows = list(dict.fromkeys(found))
    words = "in the worst case over counts on the lines from the corners to the even spread"
    return Places(tuple(rows), (1.0,) * len(rows), True, words)


def _doubling(most: int) -> list[int]:
    """0, 1, 2, 3, 4, 6, 8, 12, … up to `most`."""
    powers = [m for e in range(most.bit_length()) for m in (2**e, 3 * 2**e // 2)]
    return sorted({0, most, *(m for m in powers if m <= most)})


def _with(n: int, k: int, large: int, others: list[int], m: int) -> Outcome:
    row = [0] * k
    for j in others:
        row[j] = m
    row[large] = n - m * len(others)
    return tuple(row)


def _even(n: int, k: int) -> Outcome:
    share, left = divmod(n, k)
    return tuple(share + (i < left) for i in range(k))
