"""Audits of mechanisms for means and regressions: where `dp.audit` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import check
from discreet.core import Mechanism
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.auditing.pairs import ContinuousAudit


def audit_continuous(mechanism: Mechanism, total: int | None = None) -> ContinuousAudit:
    """Of a mechanism for a mean or a regression: of its raw output, on its grid.

    Noise that is added is audited at any grid; mechanisms that choose one of finitely many outputs
    at all data sets of n records, which is for small grids and few records.

    Raises:
        NotEnumerable: there are too many data sets or outputs.
    """
    from discreet.auditing.additive import shift_between
    from discreet.auditing.neighbours import neighbours
    from discreet.auditing.pairs import ContinuousAudit, audit_pairs

    if total is not None:
        raise InputError(f"total is for counts under add-remove, got {check.brief(total)}", "total")
    n = mechanism.config.n
    if n == 0:
        return ContinuousAudit(mechanism, 0.0, 0.0, None)
    start = mechanism.make_raw_law((n or 0, *[0] * (mechanism.config.model.size - 1)))
    return audit_pairs(mechanism, neighbours(mechanism, shift_between(start, start) is not None))
