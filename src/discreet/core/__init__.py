"""The nouns: adjacency, guarantee, counts, law, mechanism, model, family."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.core.adjacency import Adjacency
    from discreet.core.certificate import Certificate, Witness
    from discreet.core.counts import CategoricalModel, Counts, Model
    from discreet.core.family import Deferred, Example, Family, MechanismSpec, Option, Unavailable
    from discreet.core.guarantee import Derivation, Guarantee, Theorem
    from discreet.core.law import Law, PointMass
    from discreet.core.mechanism import Config, Mechanism

_HOME = {
    "adjacency": ("Adjacency",),
    "certificate": ("Certificate", "Witness"),
    "counts": ("CategoricalModel", "Counts", "Model"),
    "family": ("Deferred", "Example", "Family", "MechanismSpec", "Option", "Unavailable"),
    "guarantee": ("Derivation", "Guarantee", "Theorem"),
    "law": ("Law", "PointMass"),
    "mechanism": ("Config", "Mechanism"),
}
_MODULES = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Adjacency",
    "CategoricalModel",
    "Certificate",
    "Config",
    "Counts",
    "Deferred",
    "Derivation",
    "Example",
    "Family",
    "Guarantee",
    "Law",
    "Mechanism",
    "MechanismSpec",
    "Model",
    "Option",
    "PointMass",
    "Theorem",
    "Unavailable",
    "Witness",
]


def __getattr__(name: str) -> Any:
    """Load a noun on first use: families are listed, and helps printed, without numpy."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
