"""The mechanisms of every family, by name: what the contracts walk."""

from __future__ import annotations

from discreet.core import Adjacency, Family, families
from discreet.families import dirichlet, network, normal, regression

MECHANISMS = dirichlet.FAMILY.mechanisms
NETWORK_MECHANISMS = network.FAMILY.mechanisms
NORMAL_MECHANISMS = normal.FAMILY.mechanisms
REGRESSION_MECHANISMS = regression.FAMILY.mechanisms
CALIBRATED = tuple(spec.name for spec in dirichlet.FAMILY.specs if spec.can("calibrate"))


def with_adjacency(model: object, adjacency: Adjacency) -> list[str]:
    """The mechanisms for the counts of a model that have an adjacency."""
    return families.of_model(model).having(adjacency)


KINDS = ("DirichletMultinomial", "BayesNet", "NormalMean", "LinearRegression")


def found(kind: str) -> Family:
    """Our family of a kind."""
    family = families.find(kind)
    assert family is not None
    return family
