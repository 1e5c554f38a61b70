"""A δ that is too large for the number of records: a warning that says why."""

from __future__ import annotations

import warnings
from fractions import Fraction

from discreet import check
from discreet.errors import PrivacyWarning

LARGE_DELTA = Fraction(1, 100)  # beyond, it is too large whatever n is


def warn_of_large(delta: Fraction, n: int | None, stacklevel: int = 4) -> None:
    """Warn of a δ above 1/n or, where n is private, of one that no number of records allows."""
    shown = f"delta = {check.show(delta)}"
    if n is not None and delta < 1 < delta * n:
        why = (
            f"is above 1/n: it allows a release that publishes one of the {n} records as it is, "
            "chosen at random; take a much smaller one"
        )
    elif n is None and 1 > delta > LARGE_DELTA:
        why = (
            "is large for any number of records: it allows a release that publishes each of them, "
            "as it is, with that probability"
        )
    else:
        return
    warnings.warn(f"{shown} {why}", PrivacyWarning, stacklevel=stacklevel)
