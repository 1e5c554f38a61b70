"""Two categories, named loss and weights: the best count to release, at any n.

Only the counts c whose share of P(c|z) is not negligible are weighed. P(c|z) has a monotone
likelihood ratio in z, and for every named loss a count that prefers r' to r < r' is followed by
counts that do so too; hence the best r never falls as z grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.exact import Floats, Ints
from discreet.families.dirichlet.optimum import binary
from discreet.families.dirichlet.optimum.losses import Problem
from discreet.progress import track

TIE = 1e-9  # losses that differ by less, relatively, are equal
_CELLS = 1 << 21


def reach(task: Problem, z: int) -> binary.Stretch:
    """The counts that matter for one output."""
    return binary.reach(task.prior, task.n, task.epsilon, str(task.weights), z)


def best_ones(task: Problem, z: Ints) -> tuple[Ints, Floats]:
    """For increasing z in [0, n]: the count to release, and its expected loss given z.

    The middle z is searched first and bounds the others; neighbouring z are solved together.
    """
    best, loss = np.empty(len(z), dtype=np.int64), np.empty(len(z))
    todo = [(0, len(z), 0, task.n)]

    def parts() -> Iterator[tuple[int, int, int, int]]:
        while todo:
            yield todo.pop()

    for start, stop, low, high in track(parts(), "remapping"):
        if start == stop:
            continue
        counts = reach(task, int(z[start]))[0], reach(task, int(z[stop - 1]))[1]
        outputs = _inside((low, high), counts)
        if stop - start > 1 and _together(task, z[start:stop], counts, outputs):
            best[start:stop], loss[start:stop] = _tabulate(task, z[start:stop], counts, outputs)
            continue
        middle = (start + stop) // 2
        counts = reach(task, int(z[middle]))
        outputs = _inside((low, high), counts)
        best[middle], loss[middle] = _search(task, int(z[middle]), counts, outputs)
        bound = int(best[middle])
        todo += [(start, middle, low, bound), (middle + 1, stop, bound, high)]
    return best, loss


def _inside(bounds: binary.Stretch, counts: binary.Stretch) -> binary.Stretch:
    """The outputs to compare: between the neighbours' ones, with room for a tie, and in reach."""
    first = max(bounds[0] - 1, counts[0])
    return first, max(first, min(bounds[1], counts[1]))


def _together(task: Problem, z: Ints, counts: binary.Stretch, outputs: binary.Stretch) -> bool:
    """Whether these z are near each other, and their tables small."""
    width, height = counts[1] - counts[0] + 1, outputs[1] - outputs[0] + 1
    few = 64 if task.loss == "total_variation" else 256  # whose losses take longer
    near = int(z[-1] - z[0]) <= max(few, width // 8)
    return near and max(len(z) * width, len(z) * height, width * height) <= _CELLS


def _tabulate(
    task: Problem, z: Ints, counts: binary.Stretch, outputs: binary.Stretch
) -> tuple[Ints, Floats]:
    """The best outputs in a stretch, and their expected losses, by the table of all of them."""
    c, r = (np.arange(first, last + 1) for first, last in (counts, outputs))
    costs = _posterior(task, z, c) @ _losses(task, c[:, None], r)
    places = first_least(costs)
    return r[places], costs[np.arange(len(z)), places]


def _posterior(task: Problem, z: Ints, c: Ints) -> Floats:
    """P(c|z), one row for each z, over a stretch of c."""
    logs = binary.log_weights(task.prior, task.n, str(task.weights), (int(c[0]), int(c[-1])))
    return shares(logs - float(task.epsilon) * np.abs(z[:, None] - c))


def _losses(task: Problem, c: Ints, r: Ints) -> Floats:
    return binary.losses(task.prior, task.n, str(task.loss), c, r)


def _search(
    task: Problem, z: int, counts: binary.Stretch, outputs: binary.Stretch
) -> tuple[int, float]:
    """The best output in a stretch for one z, and its expected loss, by the counts in another."""
    c = np.arange(counts[0], counts[1] + 1)
    given = _posterior(task, np.array([z]), c)[0]

    def expected(r: Ints) -> Floats:
        block = max(1, _CELLS // len(c))
        parts = [r[i : i + block] for i in range(0, len(r), block)]
        return np.concatenate([given @ _losses(task, c[:, None], part) for part in parts])

    if task.loss == "squared_error":  # the best output is next to the mean
        mean = counts[0] + int(given @ (c - counts[0]))
        ends = np.clip([mean - 1, mean + 2], *outputs)
        r = np.arange(ends[0], ends[1] + 1)
        losses = expected(r)
    else:
        r, losses = _narrow(task, expected, outputs)
    place = int(first_least(losses[None])[0])
    return int(r[place]), float(losses[place])


def _narrow(
    task: Problem, expected: Callable[[Ints], Floats], outputs: binary.Stretch
) -> tuple[Ints, Floats]:
    """Outputs among which is the best one, in order, and their expected losses G.

    Hellinger and total variation are metrics, so G(r) ≥ G(r') − L(r, r'): a gap between known
    outputs is halved only if some r in it, at most half of it from an end, could be the best.
    """
    r = np.unique(outputs)
    losses = expected(r)
    while len(r) > 1:
        gap = np.diff(r)
        half = (gap + 1) // 2
        below = losses[:-1] - _losses(task, r[:-1], r[:-1] + half)
        above = losses[1:] - _losses(task, r[1:], r[1:] - half)
        halved = (gap > 1) & (np.minimum(below, above) <= losses.min() * (1 + TIE))
        if not halved.any():
            break
        new = r[:-1][halved] + half[halved]
        order = np.argsort(np.append(r, new))
        r, losses = np.append(r, new)[order], np.append(losses, expected(new))[order]
    return r, losses


def shares(logs: Floats) -> Floats:
    """Rows of logs as weights that sum to one."""
    result = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def first_least(costs: Floats) -> Ints:
    """The first column of each row that is as small as any, up to rounding."""
    least = costs.min(axis=1, keepdims=True)
    return np.asarray((costs <= least * (1 + TIE)).argmax(axis=1))
