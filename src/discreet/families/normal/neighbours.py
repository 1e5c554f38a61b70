"""Neighbouring data sets of numbers on a grid, as the sums that mechanisms for a mean see."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.auditing.pairs import ContinuousAudit, Pair, audit_neighbours, require_few
from discreet.core import Mechanism
from discreet.families.normal.model import NormalMean


def audit_mean(mechanism: Mechanism, total: int | None = None) -> ContinuousAudit:
    """The privacy loss of a mechanism for a mean: of its raw output, on its grid."""
    return audit_neighbours(mechanism, total, neighbours)


def neighbours(mechanism: Mechanism, added: bool) -> tuple[Pair, ...]:
    """Pairs of sums that replacing a record, or adding a person, can lead to; all that matter.

    If noise is `added`, a pair matters by its difference alone: the largest, at either end and in
    the middle. Otherwise all data sets are gone through.
    """
    model, n = mechanism.config.model, mechanism.config.n
    if n is None:
        return tuple(_one_more(model, mechanism.guarantee.max_per_unit))
    return tuple(_ends(model, n) if added else _sums(model, n))


def _one_more(model: NormalMean, most: int) -> Iterator[Pair]:
    """A person is added to none, and to a record: at a bound, where one number changes, or within.

    A person with fewer records moves both numbers less; a mean of records lies where one can.
    """
    grid, reach = model.grid, most * model.grid
    for step in sorted({-reach, 1 - reach, 0, reach - 1, reach}):
        yield (most, step), (0, 0)
        yield (1 + most, grid + step), (1, grid)


def _ends(model: NormalMean, n: int) -> Iterator[Pair]:
    width, reach = 2 * model.grid, n * model.grid
    for start in (-reach, -model.grid, reach - width):
        yield (n, start), (n, start + width)


def _sums(model: NormalMean, n: int) -> Iterator[Pair]:
    reach, width = n * model.grid, 2 * model.grid
    require_few((2 * reach + 1) * width)
    for total in range(-reach, reach + 1):
        for other in range(total + 1, min(total + width, reach) + 1):
            yield (n, total), (n, other)
