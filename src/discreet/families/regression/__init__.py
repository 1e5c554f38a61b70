"""Bayesian linear regression."""

from __future__ import annotations

from typing import Any

from discreet.core.adjacency import Adjacency
from discreet.core.family import UNIT, Deferred, Family, MechanismSpec, Option, Unavailable

_HERE = "discreet.families.regression"
_CAN: dict[str, Any] = {
    "audit": Deferred(f"{_HERE}.neighbours:audit_regression"),
    "expected_error": Deferred(f"{_HERE}.accuracy:expected_error"),
}

FAMILY = Family(
    kind="LinearRegression",
    model=Deferred(f"{_HERE}.model:LinearRegression"),
    specs=(
        MechanismSpec(
            "statistics",
            Deferred(f"{_HERE}.mechanisms.statistics:noisy_statistics"),
            "Noise on XᵀX, Xᵀy and yᵀy, normal with delta.",
            options=(
                Option("delta", "number", 0, "What may go wrong besides, for normal noise."),
                Option("weight", "number", None, "Of y among the columns."),
                *UNIT,
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            posterior=Deferred(f"{_HERE}.noise_aware:released_coefficients"),
            noise_aware=Deferred(f"{_HERE}.noise_aware:infer"),
            **_CAN,
        ),
        MechanismSpec(
            "sample",
            Deferred(f"{_HERE}.mechanisms.sample:coefficient_sample"),
            "Draws of the coefficients from the truncated posterior (P2).",
            options=(
                Option("samples", "whole", 1, "How many draws."),
                Option("norm", "number", 1, "The largest norm of the coefficients."),
                Option("steps", "whole", 10**6, "Coefficients are rounded to 1/steps."),
            ),
            posterior=Deferred(f"{_HERE}.noise_aware:released_samples"),
            noise_aware=Unavailable(
                "samples are draws from the posterior of the coefficients already: use "
                "release.posterior"
            ),
            **_CAN,
        ),
    ),
    default="statistics",
    read=Deferred(f"{_HERE}.model:read_model"),
    summary=Deferred(f"{_HERE}.showing:summary"),
    plot=Deferred(f"{_HERE}.showing:plot"),
    examples=Deferred(f"{_HERE}.examples:examples"),
    reads="columns",
)
