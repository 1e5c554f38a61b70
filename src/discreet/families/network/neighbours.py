"""Neighbouring tables of a network, for mechanisms that add normal noise to each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from discreet import check
from discreet.auditing.pairs import ContinuousAudit, Pair, audit_pairs
from discreet.core import Mechanism
from discreet.core.counts import Unit
from discreet.core.law import Outcome
from discreet.core.tables import Network
from discreet.errors import InputError


def audit_tables(mechanism: Mechanism, total: int | None = None) -> ContinuousAudit:
    """The privacy loss of noise that is added to tables: of the raw output, at any n."""
    if total is not None:
        raise InputError(f"total is for finite mechanisms only, got {check.brief(total)}", "total")
    if mechanism.config.n == 0:
        return ContinuousAudit(mechanism, 0.0, 0.0, None)
    return audit_pairs(mechanism, neighbours(mechanism))


def neighbours(mechanism: Mechanism) -> Iterator[Pair]:
    """One pair of every kind of change that matters: noise that is added loses the same everywhere.

    Replacing a record by one that differs in every variable changes all tables, and each by as much
    as one record can. Under add-remove a unit adds m equal records, or spreads them over several
    that differ in every variable; one that weighs one adds its parts.
    """
    net: Network = mechanism.config.model
    n = mechanism.config.n
    if n is not None:
        for one, other in ((0, 1), (1, 0)):
            yield _tables(net, [(one, n)]), _tables(net, [(one, n - 1), (other, 1)])
        return
    most = Unit.of(mechanism.config).reach
    states = max(k for family in net.families for k in family.shape)
    for kinds in range(1, min(states, most) + 1):
        each, rest = divmod(most, kinds)
        added = [(state, each + (state < rest)) for state in range(kinds)]
        yield _tables(net, []), _tables(net, added)


def _tables(net: Network, records: Sequence[tuple[int, int]]) -> Outcome:
    """The counts of all tables: so many records of which every variable is in such a state.

    Or in the last state, for a variable that has fewer.
    """
    found = [np.zeros(family.shape, dtype=np.int64) for family in net.families]
    for state, number in records:
        for family, table in zip(net.families, found, strict=True):
            table[tuple(min(state, k - 1) for k in family.shape)] += number
    return tuple(itertools.chain.from_iterable(table.ravel().tolist() for table in found))
