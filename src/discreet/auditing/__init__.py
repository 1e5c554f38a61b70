"""`dp.audit`: the exact privacy loss of a finite mechanism.

The laws of all counts are computed in floats with a proved bound on their error (`exact.floats`),
neighbours are compared output by output, and the worst case is computed again in balls.
"""

from __future__ import annotations

from discreet import check
from discreet.auditing.audits import Audit
from discreet.core import Mechanism, families
from discreet.errors import InputError

__all__ = ["Audit", "audit"]


def audit(mechanism: Mechanism, total: int | None = None) -> Audit:
    """The exact privacy loss of a finite mechanism, as rigorous bounds.

    They are at most 1e-9·max(1, ε) apart at ordinary settings.

    Args:
        mechanism: made by `dp.mechanism`, with finitely many released outcomes. Two categories
            to n = 10,000 and beyond, three to n = 60 and beyond, about 250 with an equal prior.
            Of a network: two or three binary nodes and a few records; the raw output is audited.
        total: under add-remove, the largest number of records that is covered, or of units if
            each weighs one.

    Returns:
        An `Audit`: `epsilon`, `epsilon_lower`, `witness`, `delta(epsilon)`, `profile()`,
        `certificate`.

    Raises:
        InputError: the mechanism has infinitely many outputs, or total is missing.
        NotEnumerable: there are too many; the message says how large is possible.

    Guarantee:
        Of the audit, not of a release: the bounds are rigorous, and no data enter.

    Example:
        >>> import discreet as dp
        >>> found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=100, epsilon=1))
        >>> round(found.epsilon, 3)  # it claims 1
        0.4
    """
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"mechanism must be a Mechanism, got {check.brief(mechanism)}", "mechanism"
        )
    found: Audit = families.spec_of(mechanism).audit(mechanism, total)
    return found
