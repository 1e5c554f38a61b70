"""The exact privacy loss of a mechanism for the tables of a small network, over all data sets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import NamedTuple, TypeAlias

import numpy as np
from flint import arb

from discreet import check
from discreet.auditing.audits import Audit, rounded
from discreet.auditing.spaces import most_records
from discreet.core import Adjacency, Law, Mechanism, Witness
from discreet.core.law import Outcome, ProductLaw
from discreet.errors import InputError, NotEnumerable
from discreet.exact import balls
from discreet.exact.balls import Real
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.progress import track

Record: TypeAlias = tuple[int, ...]  # the place of the state of every node
Data: TypeAlias = tuple[Record, ...]

MOST_PAIRS = 200_000
MOST_OUTPUTS = 20_000  # of one part of the output


class Loss(NamedTuple):
    """Of a part of the output: the largest log ratio lies between two numbers, attained there."""

    lower: Fraction
    upper: Fraction
    output: Outcome


def audit_network(mechanism: Mechanism, total: int | None = None) -> Audit:
    """Of the raw output, over all data sets of n records of a small network.

    Under add-remove of up to `total` records, or of up to `total` units of one record each: the
    tables of a unit whose records weigh one together are a mean of those of such units, and the
    loss of independent noise, Σ rate·|shift|, is convex in what a unit adds.
    """
    n = mechanism.config.n
    if n is not None and total is not None:
        raise InputError(f"total is for add-remove only, got {check.brief(total)}", "total")
    if n == 0:
        return Audit(mechanism, 0.0, 0.0, None)
    records = most_records(total) if n is None else n
    lower, upper, witness = worst_pair(mechanism, records)
    return Audit(mechanism, rounded(upper, math.inf), rounded(lower, 0), witness, total)


def worst_pair(mechanism: Mechanism, n: int) -> tuple[Fraction, Fraction, Witness]:
    """Bounds on the largest log ratio of the raw output, and data sets and output that attain it.

    The parts of the output are independent, so an output that is worst in every part is worst.
    """
    config = mechanism.config
    families = config.model.families
    sizes = {family.node: family.shape[-1] for family in families}
    world = list(itertools.product(*map(range, sizes.values())))
    neighbours, size = _neighbours(mechanism, world, n)
    if size > MOST_PAIRS:
        raise NotEnumerable(
            f"an audit of {check.number_of(n, 'record')} of {len(world)} kinds compares "
            f"{check.big(size)} pairs of data sets, at most {MOST_PAIRS} are possible",
            size,
        )
    places = {node: i for i, node in enumerate(sizes)}
    axes = [[places[name] for name in family.columns] for family in families]

    @cache
    def cells(record: Record) -> tuple[int, ...]:
        """Where the record is counted in every table."""
        return tuple(
            int(np.ravel_multi_index([record[i] for i in own], family.shape))
            for own, family in zip(axes, families, strict=True)
        )

    def tables(records: Data) -> Outcome:
        found = [[0] * family.cells for family in families]
        for record in records:
            for table, cell in zip(found, cells(record), strict=True):
                table[cell] += config.parts
        return tuple(itertools.chain.from_iterable(found))

    @cache
    def parts(values: Outcome) -> list[Law]:
        return list(_parts(mechanism.make_raw_law(values)))

    lower, upper, witness = Fraction(0), Fraction(0), None
    for one, other in track(neighbours, "audit", size):
        here, there = tables(one), tables(other)
        for p, q in ((here, there), (there, here)):
            losses = [_loss(*both) for both in zip(parts(p), parts(q), strict=True)]
            upper = max(upper, sum((loss.upper for loss in losses), Fraction(0)))
            attained = sum((loss.lower for loss in losses), Fraction(0))
            if attained > lower or witness is None:
                output = tuple(x for loss in losses for x in loss.output)
                lower, witness = max(lower, attained), Witness(p, q, output)
    assert witness is not None
    return lower, upper, witness


def _neighbours(
    mechanism: Mechanism, world: list[Record], n: int
) -> tuple[Iterator[tuple[Data, Data]], int]:
    """All pairs of data sets of n records, or of up to n under add-remove; and how many."""
    if mechanism.config.adjacency is Adjacency.ADD_REMOVE:
        most, kinds = min(mechanism.guarantee.max_per_unit, n), len(world)
        size = sum(
            math.comb(one + kinds - 1, one) * math.comb(n - one + kinds, kinds)
            for one in range(1, most + 1)
        )
        return _added(world, n, most), size
    pairs = _pairs(world, mechanism.config.adjacency)
    rests = itertools.combinations_with_replacement(world, n - 1)
    replaced = (((*rest, one), (*rest, other)) for rest in rests for one, other in pairs)
    return replaced, math.comb(n - 1 + len(world) - 1, n - 1) * len(pairs)


def _added(world: list[Record], total: int, most: int) -> Iterator[tuple[Data, Data]]:
    """A unit of up to so many records is added, to whatever there is."""
    for size in range(1, most + 1):
        for unit in itertools.combinations_with_replacement(world, size):
            for others in range(total - size + 1):
                for rest in itertools.combinations_with_replacement(world, others):
                    yield rest, (*rest, *unit)


def _pairs(world: list[Record], adjacency: Adjacency) -> list[tuple[Record, Record]]:
    """Two records that one may be replaced by: any two, or two that differ in one attribute."""
    return [
        (one, other)
        for one, other in itertools.combinations(world, 2)
        if adjacency is Adjacency.SUBSTITUTE
        or sum(x != y for x, y in zip(one, other, strict=True)) == 1
    ]


def _parts(law: Law) -> Iterator[Law]:
    if isinstance(law, ProductLaw):
        for part in law.parts:
            yield from _parts(part)
    else:
        yield law


@lru_cache(maxsize=1 << 12)
def _listed(law: Law) -> tuple[list[Outcome], list[arb]]:
    """All outputs of a finite law, and the logs of their probabilities as balls."""
    if law.candidates is None or law.candidates > MOST_OUTPUTS:
        raise NotEnumerable(
            f"an audit lists at most {MOST_OUTPUTS} outputs of every part: choose a smaller grid"
        )
    outputs = [tuple(row) for row in law.support.tolist()]
    total = balls.memo(law.log_total)
    return outputs, [balls.sharp(partial(_log_p, law, z, total)) for z in outputs]


def _log_p(law: Law, z: Outcome, total: Real) -> arb:
    return law.log_weight(z) - total()


def _loss(p: Law, q: Law) -> Loss:
    """The largest log p/q; of additive noise it is attained at the data themselves."""
    if isinstance(p, LatticeLaw) and isinstance(q, LatticeLaw):
        loss = p.epsilon * _distance(p.center, q.center) / 2
        return Loss(loss, loss, p.center)
    if isinstance(p, NoiseLaw) and isinstance(q, NoiseLaw) and p.low is None and p.high is None:
        rest = () if p.total is None else (p.total - sum(p.center),)
        loss = p.rate * _distance(p.center, q.center)
        return Loss(loss, loss, (*p.center, *rest))
    outputs, first = _listed(p)
    others, second = _listed(q)
    assert outputs == others
    with balls.precision(balls.PRECISION):
        ratios = [a - b for a, b in zip(first, second, strict=True)]
        lowers = [balls.fraction(ratio.lower()) for ratio in ratios]
        uppers = [balls.fraction(ratio.upper()) for ratio in ratios]
    place = max(range(len(lowers)), key=lowers.__getitem__)
    return Loss(lowers[place], max(uppers), outputs[place])


def _distance(c: Outcome, d: Outcome) -> Fraction:
    return Fraction(sum(abs(x - y) for x, y in zip(c, d, strict=True)))
