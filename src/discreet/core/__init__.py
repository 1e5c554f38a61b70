"""The nouns: adjacency, guarantee, counts, law, mechanism, model."""

from discreet.core.certificate import Certificate, Witness
from discreet.core.counts import Counts, Model
from discreet.core.guarantee import Adjacency, Derivation, Guarantee, Theorem
from discreet.core.law import Law, PointMass
from discreet.core.mechanism import Config, Mechanism

__all__ = [
    "Adjacency",
    "Certificate",
    "Config",
    "Counts",
    "Derivation",
    "Guarantee",
    "Law",
    "Mechanism",
    "Model",
    "PointMass",
    "Theorem",
    "Witness",
]
