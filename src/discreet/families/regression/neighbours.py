"""Neighbouring data sets of records on a grid, as the statistics that mechanisms see."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from discreet.auditing.pairs import ContinuousAudit, Pair, audit_neighbours, require_few
from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.families.regression.model import LinearRegression


def audit_regression(mechanism: Mechanism, total: int | None = None) -> ContinuousAudit:
    """The privacy loss of a mechanism for a regression: of its raw output, on its grid."""
    return audit_neighbours(mechanism, total, neighbours)


def neighbours(mechanism: Mechanism, added: bool) -> tuple[Pair, ...]:
    """Pairs of statistics that replacing a record, or adding a person, can lead to.

    If noise is `added`, a pair matters by its difference alone: that of any two records beside
    others in the middle of the bounds. Otherwise all data sets are gone through. Noise sees a norm
    of the difference: of all persons with up to m records, one with m times the same has the
    largest, and of all means of records a single one.
    """
    model, n = mechanism.config.model, mechanism.config.n
    if n is None:
        return tuple(dict.fromkeys(_one_more(mechanism)))
    return tuple(dict.fromkeys(_replaced(model, n, added)))


def _one_more(mechanism: Mechanism) -> Iterator[Pair]:
    """A person is added to none."""
    model, most = mechanism.config.model, mechanism.guarantee.max_per_unit
    for record in _records(model):
        yield _statistics(model, [record] * most), _statistics(model, [])


def _replaced(model: LinearRegression, n: int, added: bool) -> Iterator[Pair]:
    world = _records(model)
    middle = (0,) * len(world[0])
    pairs = math.comb(len(world), 2)
    others = 1 if added else math.comb(n + len(world) - 2, n - 1)
    require_few(pairs * others)
    rests: Iterator[Sequence[Outcome]] = iter([[middle] * (n - 1)])
    if not added:
        rests = itertools.combinations_with_replacement(world, n - 1)
    for rest in rests:
        for one, other in itertools.combinations(world, 2):
            yield _statistics(model, [*rest, one]), _statistics(model, [*rest, other])


def _records(model: LinearRegression) -> list[Outcome]:
    """All records on the grid, y last; features within the radius and what rounding adds."""
    d = len(model.X)
    require_few((2 * model.grid + 1) ** (d + 1))
    most = math.inf
    if model.radius is not None:
        most = float(model.radius * model.grid) + math.sqrt(d) / 2 + 0.25
    steps = range(-model.grid, model.grid + 1)
    world = itertools.product(steps, repeat=d + 1)
    return [record for record in world if math.hypot(*record[:-1]) <= most]


def _statistics(model: LinearRegression, records: Sequence[Outcome]) -> Outcome:
    """n, the sums of products of two different columns, and of squares: as `model.count` does."""
    constant = (model.grid,) if model.intercept else ()
    rows = [(*constant, *record) for record in records]
    places = list(itertools.combinations(range(model.rows), 2))
    places += [(j, j) for j in range(len(constant), model.rows)]
    return (len(records), *(sum(row[i] * row[j] for row in rows) for i, j in places))
