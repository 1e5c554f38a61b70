"""What an audit goes through: all counts, their neighbours, and the laws of their outputs."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from discreet import check
from discreet.core import Adjacency, Law, Mechanism
from discreet.core.law import Outcome
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats, Ints, balls, compositions, floats
from discreet.laws.exponential import ExponentialLaw
from discreet.laws.lattice import MOST_POINTS, PostprocessedLattice, points, shell_size
from discreet.laws.noise import NoiseLaw

MOST_WORK = 10**9  # pairs of neighbours times outputs
MOST_BALLS = 101**2  # probabilities that are enclosed one by one
_KEPT = 3 * 10**7  # floats in rows that are remembered

Row = tuple[Floats, float]  # logs of probabilities, and a bound on their error


@dataclass(frozen=True)
class Space:
    """All counts with their neighbours, and for each counts one row of log probabilities."""

    row: Callable[[Outcome], Row]
    outputs: Ints
    pairs: Callable[[], Iterator[tuple[Outcome, Outcome]]]
    size: int  # how many pairs, about


def space(mechanism: Mechanism, total: int | None) -> Space:
    """The space of a finite mechanism; refuses what is infinite or too large."""
    config = mechanism.config
    k, n = len(config.model.categories), config.n
    if n is None:
        return _add_remove(mechanism, total)
    law = mechanism.law((n, *[0] * (k - 1)))
    if isinstance(law, PostprocessedLattice):
        classes: tuple[object, ...] = tuple(range(k))
        _require_small(k, n, classes, compositions.count(n, k))
        outputs, row = lattice_rows(law, n)
    else:
        require_finite(law)
        classes = config.model.prior if isinstance(law, ExponentialLaw) else tuple(range(k))
        _require_small(k, n, classes, law.candidates or 0)
        _require_few_balls(law, n, k)
        outputs = law.support
        row = _bounded_row(mechanism, outputs)
    size = _pairs_about(n, k, classes)
    if size * len(outputs) > MOST_WORK:
        raise _too_large(n, k, size * len(outputs))
    kept = max(4, _KEPT // len(outputs))
    return Space(lru_cache(kept)(row), outputs, lambda: substitutions(n, k, classes), size)


def _bounded_row(mechanism: Mechanism, outputs: Ints) -> Callable[[Outcome], Row]:
    def row(counts: Outcome) -> Row:
        law = mechanism.make_law(counts)
        full = isinstance(law, (ExponentialLaw, NoiseLaw))  # all outputs, whatever the counts
        if not full and not np.array_equal(law.support, outputs):
            raise InputError("mechanism must have the same outputs for all counts", "mechanism")
        return law.bounded_log_p()

    return row


def require_finite(law: Law) -> None:
    """Refuse a law with infinitely many outputs."""
    if law.candidates is None:
        raise InputError(
            "mechanism has infinitely many outputs and cannot be audited one by one; choose a "
            "postprocess such as 'project'",
            "mechanism",
        )


def _symmetry(classes: tuple[object, ...]) -> int:
    """How many permutations of the categories leave the mechanism as it is."""
    return math.prod(math.factorial(times) for times in Counter(classes).values())


def _pairs_about(n: int, k: int, classes: tuple[object, ...]) -> int:
    """Pairs of neighbours up to symmetry, about."""
    once = compositions.count(n, k) * k * (k - 1) // 2
    return max(once // max(_symmetry(classes) // 2, 1), 1)


def _require_small(k: int, n: int, classes: tuple[object, ...], outputs: int) -> None:
    work = _pairs_about(n, k, classes) * outputs
    if work <= MOST_WORK:
        return
    possible = n
    while (
        possible and _pairs_about(possible, k, classes) * _at(possible, n, k, outputs) > MOST_WORK
    ):
        possible = possible * 99 // 100
    raise _too_large(n, k, work, possible)


def _require_few_balls(law: Law, n: int, k: int) -> None:
    entries = compositions.count(n, k) * (law.candidates or 0)
    if isinstance(law, ExponentialLaw) and law.distance != "hellinger" and entries > MOST_BALLS:
        raise NotEnumerable(
            f"an audit in {law.distance} at n = {n} encloses {check.big(entries)} incomplete beta "
            f"functions one by one; n up to {math.isqrt(MOST_BALLS) - 1} is possible",
            entries,
        )


def _at(possible: int, n: int, k: int, outputs: int) -> int:
    """Outputs at another n: they grow like the number of vectors of counts."""
    return outputs * compositions.count(possible, k) // compositions.count(n, k) + 1


def _too_large(n: int, k: int, work: int, possible: int | None = None) -> NotEnumerable:
    up_to = (
        "" if possible is None else f"; with {k} categories n up to about {possible} is possible"
    )
    return NotEnumerable(
        f"an audit at n = {n} would compare {check.big(work)} probabilities, the most that can be "
        f"done is {MOST_WORK}{up_to}",
        work,
    )


def substitutions(n: int, k: int, classes: tuple[object, ...]) -> Iterator[tuple[Outcome, Outcome]]:
    """Pairs of counts of n records that differ by one substitution, once up to symmetry.

    A permutation of categories of the same class changes nothing, so it is enough that the first
    counts do not increase within a class; their neighbours are then taken on both sides. Without
    symmetry one side is enough.
    """
    groups = [[i for i in range(k) if classes[i] == label] for label in dict.fromkeys(classes)]
    following = [pair for group in groups for pair in itertools.pairwise(group)]
    moves = [(i, j) for i in range(k) for j in range(k) if i < j or (following and i != j)]
    for row in compositions.rows(n, k).tolist():
        if any(row[i] < row[j] for i, j in following):
            continue
        for i, j in moves:
            if row[j]:
                neighbour = row.copy()
                neighbour[i] += 1
                neighbour[j] -= 1
                yield tuple(row), tuple(neighbour)


def _add_remove(mechanism: Mechanism, total: int | None) -> Space:
    """Counts with at most `total` records in all, a unit of at most m records added or removed.

    Outputs at or beyond both counts, on either side, have one and the same ratio of probabilities
    for discrete Laplace noise: to lump them together changes neither the loss nor the profile. So
    the infinite range is clamped to 0 … total. So it is above for noise that is rounded down, and
    below it is cut at 0 before it is released.
    """
    total = most_records(total)
    config = mechanism.config
    k, most = len(config.model.categories), mechanism.guarantee.max_per_unit
    assert config.adjacency is Adjacency.ADD_REMOVE
    most = min(most, 2 * total)
    # integer vectors with l1 norm at most m, by the number j of entries that are not zero
    near = sum(2**j * math.comb(k, j) * math.comb(most, j) for j in range(min(k, most) + 1))
    size = compositions.count(total, k + 1) * (near // 2)
    if (work := size * (total + 1) ** k) > MOST_WORK:
        raise _too_large(total, k, work)
    steps = [step for step in _steps(k, most) if step > (0,) * k]

    def law(counts: Outcome) -> Law:
        raw = mechanism.make_law(counts)
        assert isinstance(raw, NoiseLaw)
        return replace(raw, low=0, high=total)

    def pairs() -> Iterator[tuple[Outcome, Outcome]]:
        for row in compositions.rows(total, k + 1).tolist():
            for step in steps:
                neighbour = tuple(a + b for a, b in zip(row, step, strict=False))
                if min(neighbour) >= 0 and sum(neighbour) <= total:
                    yield tuple(row[:-1]), neighbour

    kept = max(4, _KEPT // (total + 1) ** k)
    row = lru_cache(kept)(lambda counts: law(counts).bounded_log_p())
    return Space(row, law((0,) * k).support, pairs, size)


def most_records(total: int | None) -> int:
    """How many records an audit covers where their number is private."""
    if total is None:
        raise InputError(
            "total must be given for a mechanism under add-remove: the largest number of records "
            "that the audit covers, got None",
            "total",
        )
    return check.whole("total", total, least=1, most=10**6)


def _steps(k: int, most: int) -> list[Outcome]:
    """All integer vectors with l1 norm at most `most`."""
    if k == 0:
        return [()]
    return [
        (value, *rest)
        for value in range(-most, most + 1)
        for rest in _steps(k - 1, most - abs(value))
    ]


def lattice_rows(law: PostprocessedLattice, n: int) -> tuple[Ints, Callable[[Outcome], Row]]:
    """The released counts of a lattice law with three or more categories, and their rows.

    Raw outcomes whose negative entries sum to less than −R are more than R away from all counts.
    They are left out; their weight, at most the tail of the shells beyond R, may belong to any
    output, and R is chosen so that it is negligible even against the rarest one.

    No output is missed: the maps depend on max(0, min(z, n)) only, or (the projection) reach every
    vector of counts from itself, and every such clipped vector, of sum at most (k−1)·n, comes from
    a raw outcome whose negative entries sum to at least −(k−2)·n.
    """
    k, epsilon = law.dimension, law.raw.epsilon
    # the rarest output has the weight e^{−ε·n} from itself if the map is the projection, and at
    # least that of the clipped vector behind it otherwise
    rarest = n if law.keeps == "counts" else (k - 1) * n
    log_tail, reach = _reach(k, float(epsilon), n, rarest)
    raw = points(k, n, reach)
    outputs, places = np.unique(law.released(raw), axis=0, return_inverse=True)
    places = places.ravel()
    shells = n + reach + 1
    weights = floats.exp(-float(epsilon) * np.arange(shells, dtype=np.float64))
    log_total = balls.nearest(law.raw.log_total)

    def row(counts: Outcome) -> Row:
        distance = np.abs(raw - np.array(counts)).sum(axis=1) // 2
        # how many raw outcomes of each output lie at each distance: the sums have few terms
        times = np.bincount(places * shells + distance, minlength=len(outputs) * shells)
        sums = times.reshape(len(outputs), shells).astype(np.float64) @ weights
        logs, error = floats.log(sums)
        known = 3 * floats.U * float(epsilon) * (n + reach) + 2 * floats.EXP_ERROR
        lost = known + shells * floats.U + math.exp(log_tail) / float(sums.min())
        log_p = logs - log_total
        return log_p, floats.up(error + 2 * lost + 4 * floats.U * float(np.abs(log_p).max()))

    return outputs, row


def _reach(k: int, epsilon: float, n: int, rarest: int) -> tuple[float, int]:
    """The log of a bound on the weight beyond R, and the least R that makes it negligible.

    Negligible against e^{−ε·rarest}.
    """
    if epsilon * rarest > 600:
        raise NotEnumerable(
            f"an audit of these outputs meets probabilities below e^-600 at n = {n}; smaller n or "
            "epsilon are possible"
        )
    target = -epsilon * rarest - 28.0
    reach, inside = 0, shell_size(k, 0, n)
    while True:
        here, following = (math.log(shell_size(k, s)) - epsilon * s for s in (reach + 1, reach + 2))
        if reach >= (k - 2) * n and following < here:
            # shells are log-concave in s: from here on at most a geometric series
            tail = here - math.log1p(-math.exp(following - here))
            if tail < target:
                return tail, reach
        reach += 1
        inside += shell_size(k, reach, n)
        if inside > MOST_POINTS:
            raise NotEnumerable(
                f"an audit of these outputs sums over more than {MOST_POINTS} lattice points; "
                "larger epsilon, smaller n and fewer categories need fewer",
                inside,
            )
