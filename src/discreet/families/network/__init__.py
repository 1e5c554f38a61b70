"""Discrete Bayesian networks."""

from __future__ import annotations

from typing import Any

from discreet.core.adjacency import Adjacency
from discreet.core.family import UNIT, Deferred, Family, MechanismSpec, Option, Unavailable

_HERE = "discreet.families.network"
_CAN: dict[str, Any] = {
    "posterior": Deferred(f"{_HERE}.model:released_posterior"),
    "audit": Deferred("discreet.auditing.networks:audit_network"),
    "expected_error": Unavailable(
        "mechanism must be 'lattice', 'gaussian' or 'laplace_updates': what error to expect of "
        "others is not known beforehand"
    ),
}
_TABLES: dict[str, Any] = _CAN | {"expected_error": Deferred(f"{_HERE}.accuracy:expected_error")}
_RECONCILE = Option(
    *("reconcile", "choice", None),
    "What is made of noisy tables: tables none of which has a negative cell; or a model.",
    choices=("tables", "model"),
)
_AWARE = Deferred(f"{_HERE}.noise_aware:infer_network")
_NOT_AWARE = Unavailable(
    "noise-aware posteriors of networks are for the mechanisms 'lattice', 'gaussian', "
    "'laplace_updates' and 'fourier'"
)

FAMILY = Family(
    kind="BayesNet",
    model=Deferred(f"{_HERE}.model:BayesNet"),
    specs=(
        MechanismSpec(
            "lattice",
            Deferred(f"{_HERE}.mechanisms.noisy_tables:family_lattice"),
            "Noise on every table, which keeps a public total; made to agree: the most accurate.",
            options=(
                Option(
                    *("shares", "choice", "optimal", "How the tables share epsilon."),
                    choices=("optimal", "sizes", "equal"),
                ),
                *UNIT,
                _RECONCILE,
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            noise_aware=_AWARE,
            **_TABLES,
        ),
        MechanismSpec(
            "gaussian",
            Deferred(f"{_HERE}.mechanisms.gaussian:family_gaussian"),
            "Normal noise on every table, made to agree; with a δ, less of it for many tables.",
            options=(
                Option("delta", "number", 0, "What may go wrong besides; needed."),
                Option(
                    *("shares", "choice", "optimal", "How the tables share the precision."),
                    choices=("optimal", "equal"),
                ),
                *UNIT,
                _RECONCILE,
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            noise_aware=_AWARE,
            **_TABLES | {"audit": Deferred(f"{_HERE}.neighbours:audit_tables")},
        ),
        MechanismSpec(
            "laplace_updates",
            Deferred(f"{_HERE}.mechanisms.noisy_tables:laplace_updates"),
            "Independent noise on every cell (P2).",
            options=(*UNIT, _RECONCILE),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ADD_REMOVE),
            noise_aware=_AWARE,
            **_TABLES,
        ),
        MechanismSpec(
            "fourier",
            Deferred(f"{_HERE}.mechanisms.fourier:fourier"),
            "Noise on parities, and on tables of signs where there are more states (P2).",
            options=(
                Option("t", "number", 0, "Stealth: how sure no cell is negative."),
                _RECONCILE,
            ),
            noise_aware=_AWARE,
            **_CAN,
        ),
        MechanismSpec(
            "posterior_sample",
            Deferred(f"{_HERE}.mechanisms.sampling:posterior_sample"),
            "Draws of the probabilities from the truncated posterior (P2).",
            options=(
                Option("samples", "whole", 1, "How many draws."),
                Option(
                    "omega", "number", None, "Least probability, or cut; tempers the likelihood."
                ),
                Option("grid", "whole", 10**6, "Probabilities are rounded to 1/grid."),
            ),
            adjacencies=(Adjacency.SUBSTITUTE, Adjacency.ATTRIBUTE),
            earlier=((1, Deferred(f"{_HERE}.mechanisms.sampling:as_first_written")),),
            noise_aware=_NOT_AWARE,
            **_CAN | {"posterior": Deferred(f"{_HERE}.samples:released_samples")},
        ),
        MechanismSpec(
            "map",
            Deferred(f"{_HERE}.mechanisms.map_estimate:map_estimate"),
            "Likely probabilities, by the exponential mechanism (P2, and better ones).",
            options=(
                Option(
                    *("score", "choice", "distance", "What is likely: near the counted tables."),
                    choices=("distance", "mass"),
                ),
                Option("points", "whole", None, "Of the grid of probabilities, for score mass."),
            ),
            earlier=(("score", Deferred(f"{_HERE}.mechanisms.map_estimate:by_mass")),),
            noise_aware=_NOT_AWARE,
            **_CAN | {"posterior": Deferred(f"{_HERE}.samples:released_samples")},
        ),
    ),
    default="lattice",
    choose=Deferred(f"{_HERE}.choosing:choose"),
    read=Deferred(f"{_HERE}.model:read_model"),
    summary=Deferred(f"{_HERE}.showing:summary"),
    plot=Deferred(f"{_HERE}.showing:plot"),
    examples=Deferred(f"{_HERE}.examples:examples"),
    reads="columns",
    views=("node",),
)
