"""The mean of normal records."""

from __future__ import annotations

from typing import Any

from discreet.core.adjacency import Adjacency
from discreet.core.family import UNIT, Deferred, Family, MechanismSpec, Option

_HERE = "discreet.families.normal"
_DELTA = Option("delta", "number", 0, "What may go wrong besides; needed.")
_BOTH = Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE
_CAN: dict[str, Any] = {
    "posterior": Deferred(f"{_HERE}.model:released_posterior"),
    "noise_aware": Deferred(f"{_HERE}.noise_aware:infer"),
    "audit": Deferred(f"{_HERE}.neighbours:audit_mean"),
    "expected_error": Deferred(f"{_HERE}.accuracy:expected_error"),
}

FAMILY = Family(
    kind="NormalMean",
    model=Deferred(f"{_HERE}.model:NormalMean"),
    specs=(
        MechanismSpec(
            "laplace",
            Deferred(f"{_HERE}.mechanisms:laplace"),
            "Noise on the posterior mean.",
            options=UNIT,
            adjacencies=_BOTH,
            **_CAN,
        ),
        MechanismSpec(
            "gaussian",
            Deferred(f"{_HERE}.mechanisms:gaussian"),
            "Normal noise on the sum.",
            options=(_DELTA, *UNIT),
            adjacencies=_BOTH,
            **_CAN,
        ),
        MechanismSpec(
            "input",
            Deferred(f"{_HERE}.mechanisms:noisy_input"),
            "Normal noise on every record (P4).",
            options=(_DELTA,),
            **_CAN,
        ),
        MechanismSpec(
            "hellinger",
            Deferred(f"{_HERE}.mechanisms:hellinger"),
            "The exponential mechanism over a grid of means (P4).",
            options=(Option("points", "whole", 1001, "How many means it chooses from."),),
            **_CAN,
        ),
    ),
    default="laplace",
    choose=Deferred(f"{_HERE}.choosing:choose"),
    read=Deferred(f"{_HERE}.model:read_model"),
    summary=Deferred(f"{_HERE}.showing:summary"),
    plot=Deferred(f"{_HERE}.showing:plot"),
    examples=Deferred(f"{_HERE}.examples:examples"),
)
