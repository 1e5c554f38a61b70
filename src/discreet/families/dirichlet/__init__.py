"""Records that fall into categories: the Dirichlet-multinomial family."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from discreet.core.adjacency import Adjacency
from discreet.core.family import UNIT, Deferred, Family, MechanismSpec, Option, Unavailable

_HERE = "discreet.families.dirichlet"
_EXPONENTIAL = f"{_HERE}.mechanisms.exponential"
_DELTA = Option("delta", "number", 0, "What may go wrong besides; needed.")
_DISTANCE = Option(
    *("distance", "choice", "hellinger", "In which the error is measured."),
    choices=("hellinger", "total_variation"),
)
_LOSS = Option("loss", "value", None, "What to make small: a name, or a matrix in Python.")
_WEIGHTS = Option("weights", "value", None, "Of the true counts: a name, or a vector in Python.")
_CAN: dict[str, Any] = {
    "posterior": Deferred(f"{_HERE}.model:released_posterior"),
    "noise_aware": Deferred(f"{_HERE}.noise_aware:infer_counts"),
    "audit": Deferred("discreet.auditing.counts:audit_counts"),
    "expected_error": Unavailable(
        "mechanism must be one of a continuous model; use dp.accuracy(mechanism, counts)"
    ),
}
_UNITS: dict[str, Any] = {"audit": Deferred(f"{_HERE}.neighbours:audit_units")}
_CALIBRATED: dict[str, Any] = _CAN | {
    "calibrate": Deferred("discreet.auditing.calibration:calibrated")
}

FAMILY = Family(
    kind="DirichletMultinomial",
    model=Deferred(f"{_HERE}.model:DirichletMultinomial"),
    specs=(
        MechanismSpec(
            "ls_dim",
            Deferred(f"{_HERE}.mechanisms.laplace:ls_dim"),
            "Laplace noise on every count, rounded down (P0).",
            **_CAN,
            work="outputs",
        ),
        MechanismSpec(
            "ls_hist",
            Deferred(f"{_HERE}.mechanisms.laplace:ls_hist"),
            "Laplace noise on a histogram, rounded down (P0).",
            options=UNIT,
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            **_CAN | _UNITS,
            work="outputs",
        ),
        MechanismSpec(
            "ehd",
            Deferred(f"{_EXPONENTIAL}:ehd"),
            "The exponential mechanism with global sensitivity (P0).",
            options=(_DISTANCE,),
            **_CALIBRATED,
            work="candidates",
        ),
        MechanismSpec(
            "ehdl",
            Deferred(f"{_EXPONENTIAL}:ehdl"),
            "The exponential mechanism with local sensitivity: not private (P0).",
            options=(_DISTANCE,),
            **_CALIBRATED,
            work="candidates",
        ),
        MechanismSpec(
            "ehds",
            Deferred(f"{_EXPONENTIAL}:ehds"),
            "The exponential mechanism with smooth sensitivity (P0).",
            options=(Option("gamma", "number", 1, "How smooth the sensitivity is."), _DISTANCE),
            **_CALIBRATED,
            work="candidates",
        ),
        MechanismSpec(
            "smooth_hellinger",
            Deferred(f"{_EXPONENTIAL}:smooth_hellinger"),
            "The exponential mechanism with an exponentially smooth sensitivity (P1).",
            options=(_DELTA, _DISTANCE),
            **_CAN,
            calibrate=Deferred(f"{_HERE}.mechanisms.calibrating:calibrated_smooth"),
            provable=True,
            work="candidates",
        ),
        MechanismSpec(
            "lattice",
            Deferred(f"{_HERE}.mechanisms.lattice:lattice"),
            "Integer noise that keeps the total: the most accurate that works at any size.",
            options=(
                Option(
                    *("postprocess", "choice", "project", "How noisy counts become counts."),
                    choices=("project", "clip", "remap"),
                ),
                *UNIT,
                _LOSS,
                _WEIGHTS,
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            **_CAN | _UNITS,
        ),
        MechanismSpec(
            "gaussian",
            Deferred(f"{_HERE}.mechanisms.gaussian:gaussian"),
            "Normal noise on every count, with a δ: the least for many releases from one budget.",
            options=(
                _DELTA,
                Option(
                    *("postprocess", "choice", "project", "How noisy counts become counts."),
                    choices=("project", "clip"),
                ),
                *UNIT,
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            **_CAN | {"audit": Deferred(f"{_HERE}.neighbours:audit_counts")},
        ),
        MechanismSpec(
            "randomized_response",
            Deferred(f"{_HERE}.mechanisms.randomized_response:randomized_response"),
            "Every record is perturbed by itself: a local guarantee, and far more noise (P4).",
            options=(
                Option(
                    *("postprocess", "choice", "project", "How noisy counts become counts."),
                    choices=("project",),
                ),
            ),
            **_CAN,
            work="outputs",
        ),
        MechanismSpec(
            "optimal",
            Deferred(f"{_HERE}.mechanisms.optimal:optimal"),
            "The least expected loss that is possible, where it can be computed.",
            options=(replace(_LOSS, default="hellinger"), replace(_WEIGHTS, default="uniform")),
            **_CAN,
            work="program",
        ),
    ),
    default="lattice",
    choose=Deferred(f"{_HERE}.choosing:choose"),
    read=Deferred(f"{_HERE}.model:read_model"),
    summary=Deferred(f"{_HERE}.showing:summary"),
    plot=Deferred(f"{_HERE}.showing:plot"),
    examples=Deferred(f"{_HERE}.examples:examples"),
)
