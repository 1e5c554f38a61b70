"""Which noise on tables is the smaller one, by public values: what `dp.release` takes unasked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Adjacency
from discreet.core.counts import Unit
from discreet.core.family import Choice
from discreet.core.tables import Network
from discreet.families.network.accuracy import table_variances
from discreet.families.network.mechanisms.gaussian import family_gaussian
from discreet.families.network.mechanisms.noisy_tables import family_lattice


def choose(
    model: Network,
    n: int | None,
    epsilon: Fraction,
    adjacency: Adjacency,
    options: Mapping[str, Any],
) -> Choice:
    """`lattice`, or `gaussian` where the tables that agree have the smaller variance in all."""
    if n == 0 or options.get("shares") == "sizes":
        return Choice("lattice")
    given = {name: options[name] for name in ("shares", *Unit.OPTIONS) if name in options}
    normal = family_gaussian(
        model, n, epsilon, adjacency=adjacency, delta=options["delta"], **given
    )
    other = family_lattice(model, n, epsilon, adjacency=adjacency, **given)
    variances = [float(table_variances(made)[0].sum()) for made in (normal, other)]
    ratio = math.sqrt(variances[0] / variances[1])
    if ratio < 1:
        return Choice("gaussian", _reason(ratio, "lattice"))
    with_delta = f"gaussian with {check.equation('δ', normal.guarantee.delta)}"
    return Choice("lattice", _reason(1 / ratio, with_delta))


def _reason(ratio: float, other: str) -> str:
    return f"its tables have {ratio:.2g} times the standard deviation of those of {other}"
