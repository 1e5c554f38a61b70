"""Neighbouring data sets of numbers on a grid, as the statistics that mechanisms see."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from discreet import check
from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.errors import NotEnumerable
from discreet.families.normal.model import NormalMean
from discreet.families.regression.model import LinearRegression

Pair: TypeAlias = tuple[Outcome, Outcome]

MOST_PAIRS = 200_000


def neighbours(mechanism: Mechanism, added: bool) -> tuple[Pair, ...]:
    """Pairs of statistics that replacing a record, or adding one, can lead to; all that matter.

    If noise is `added`, a pair matters by its difference alone: of a mean the largest, at either
    end and in the middle; of a regression that of any two records beside others in the middle of
    the bounds. Otherwise all data sets are gone through.
    """
    model, n = mechanism.config.model, mechanism.config.n
    if isinstance(model, NormalMean):
        if n is None:
            return tuple(_one_more(model))
        return tuple(_ends(model, n) if added else _sums(model, n))
    assert isinstance(model, LinearRegression)
    return tuple(dict.fromkeys(_regressions(model, n, added)))


def _one_more(model: NormalMean) -> Iterator[Pair]:
    """A record is added to none, and to one: at a bound, where one number changes, or within."""
    grid = model.grid
    for step in sorted({-grid, 1 - grid, 0, grid - 1, grid}):
        yield (1, step), (0, 0)
        yield (2, grid + step), (1, grid)


def _ends(model: NormalMean, n: int) -> Iterator[Pair]:
    width, reach = 2 * model.grid, n * model.grid
    for start in (-reach, -model.grid, reach - width):
        yield (n, start), (n, start + width)


def _sums(model: NormalMean, n: int) -> Iterator[Pair]:
    reach, width = n * model.grid, 2 * model.grid
    _require_few((2 * reach + 1) * width)
    for total in range(-reach, reach + 1):
        for other in range(total + 1, min(total + width, reach) + 1):
            yield (n, total), (n, other)


def _regressions(model: LinearRegression, n: int | None, added: bool) -> Iterator[Pair]:
    world = _records(model)
    if n is None:  # a record is added to none
        for record in world:
            yield _statistics(model, [record]), _statistics(model, [])
        return
    middle = (0,) * len(world[0])
    pairs = math.comb(len(world), 2)
    others = 1 if added else math.comb(n + len(world) - 2, n - 1)
    _require_few(pairs * others)
    rests: Iterator[Sequence[Outcome]] = iter([[middle] * (n - 1)])
    if not added:
        rests = itertools.combinations_with_replacement(world, n - 1)
    for rest in rests:
        for one, other in itertools.combinations(world, 2):
            yield _statistics(model, [*rest, one]), _statistics(model, [*rest, other])


def _records(model: LinearRegression) -> list[Outcome]:
    """All records on the grid, y last; features within the radius and what rounding adds."""
    d = len(model.X)
    _require_few((2 * model.grid + 1) ** (d + 1))
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


def _require_few(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise NotEnumerable(
            f"an audit would compare {check.big(pairs)} pairs of data sets, at most {MOST_PAIRS} "
            "are possible: choose a smaller grid or fewer records",
            pairs,
        )
