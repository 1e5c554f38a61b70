"""Neighbouring counts of categories, for mechanisms that add noise to each."""

from __future__ import annotations

from collections.abc import Iterator

from discreet import check
from discreet.auditing.audits import Audit
from discreet.auditing.counts import audit_counts as audit_listed
from discreet.auditing.pairs import ContinuousAudit, Pair, audit_pairs
from discreet.core import Mechanism
from discreet.core.counts import Unit
from discreet.errors import InputError


def audit_units(mechanism: Mechanism, total: int | None = None) -> Audit:
    """The privacy loss of counts: of all there can be, or, where units weigh one, of a shift.

    Counts in parts of a unit are too many to list.
    """
    if Unit.of(mechanism.config).averaged:
        return audit_counts(mechanism, total)
    return audit_listed(mechanism, total)


def audit_counts(mechanism: Mechanism, total: int | None = None) -> ContinuousAudit:
    """The privacy loss of noise that is added to counts: of the raw output, at any n."""
    if total is not None:
        raise InputError(f"total is for finite mechanisms only, got {check.brief(total)}", "total")
    if mechanism.config.n == 0:
        return ContinuousAudit(mechanism, 0.0, 0.0, None)
    return audit_pairs(mechanism, neighbours(mechanism))


def neighbours(mechanism: Mechanism) -> Iterator[Pair]:
    """One pair of every kind of change: noise that is added loses the same wherever counts are.

    Under add-remove a unit adds m records to one category, or spreads them over several; one that
    weighs one adds its parts.
    """
    n, k = mechanism.config.n, mechanism.config.model.size
    if n is not None:
        yield (n, *[0] * (k - 1)), (n - 1, 1, *[0] * (k - 2))
        yield (*[0] * (k - 1), n), (*[0] * (k - 2), 1, n - 1)
        return
    most = Unit.of(mechanism.config).reach
    for places in range(1, min(k, most) + 1):
        each, rest = divmod(most, places)
        yield (0,) * k, tuple(each + (i < rest) if i < places else 0 for i in range(k))
