"""The network of a naive Bayes model: counting, and the predictive probability of a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from discreet.check import Category
from discreet.core.tables import Tables
from discreet.data.units import Owners
from discreet.data.weights import numbered, weights
from discreet.exact import Floats, Ints
from discreet.families.network.model import BayesNet
from discreet.families.network.samples import NetworkSamples
from discreet.learn.encoding import Column, Feature
from discreet.progress import track


def network(features: Sequence[Feature], classes: Sequence[Category], prior: Any) -> BayesNet:
    """The class as the sole parent of every feature; it is the first node."""
    names = [feature.name for feature in features]
    node = "class"
    while node in names:
        node += "_"
    states = {node: classes} | {feature.name: feature.states for feature in features}
    return BayesNet({name: [node] for name in names}, states, prior)


def encode(features: Sequence[Feature], columns: Sequence[Column]) -> Iterable[Ints]:
    """The columns of X as places of states, one at a time."""
    pairs = zip(features, columns, strict=True)
    for feature, column in track(pairs, "Reading the features", len(features)):
        yield feature.places(column)


def count(
    net: BayesNet,
    labels: Ints,
    places: Iterable[Ints],
    groups: Column | None = None,
    unit: str | None = None,
    max_per_unit: int | None = None,
    per_unit: str = "cut",
) -> Tables:
    """The tables of the class and of every feature by class, as `net.count` has them. Private."""
    own, *others = net.families
    weight = None
    if (owners := Owners.of(unit, max_per_unit, per_unit)) is not None and groups is not None:
        places = list(places)
        sizes = [own.cells, *(family.shape[-1] for family in others)]
        whose, digits = numbered(groups, owners.column)
        weight = weights(whose, digits, [labels, *places], sizes, owners)
    values = [np.bincount(labels, weight, minlength=own.cells)]
    for family, place in zip(others, places, strict=True):
        values.append(
            np.bincount(labels * family.shape[-1] + place, weight, minlength=family.cells)
        )
    return Tables(
        tuple(family.columns for family in net.families),
        tuple(tuple(map(int, table)) for table in values),
        unit=unit or "record",
        max_per_unit=max_per_unit or 1,
        per_unit=per_unit,
    )


def joint_log_likelihood(posterior: Any, nodes: Sequence[str], places: Iterable[Ints]) -> Floats:
    """log E[θ_y·Π_j θ_{x_j | y}] by record and class.

    The probabilities of a posterior are independent, so their means are multiplied; of released
    samples of θ each is multiplied out, and the mean taken last.

    Args:
        posterior: of the network.
        nodes: the class, then the features.
        places: of every feature, the places of the states of all records.
    """
    if not isinstance(posterior, NetworkSamples):
        return _product(posterior.mean, nodes, places)
    seen = list(places)
    samples = [partial(posterior.conditional, sample=i) for i in range(posterior.samples)]
    joints = [_product(table, nodes, seen) for table in samples]
    return np.asarray(np.logaddexp.reduce(joints) - np.log(len(joints)))


def _product(
    table: Callable[[str], Floats], nodes: Sequence[str], places: Iterable[Ints]
) -> Floats:
    node, *features = nodes
    total = _log(table(node))  # one row, for all records
    for feature, place in zip(features, places, strict=True):
        total = total + _log(table(feature)).T[place]
    return total


def _log(probabilities: Floats) -> Floats:
    """Logs, where zero counts as the smallest float: a released zero rules no class out alone."""
    return np.asarray(np.log(np.maximum(probabilities, np.finfo(np.float64).tiny)))


def normalised(joint: Floats) -> Floats:
    """Logs of probabilities that sum to one in every row."""
    shifted = joint - joint.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
