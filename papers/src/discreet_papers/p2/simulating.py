"""Naive Bayes by private releases: many train and test splits, one release each, and accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core.families import mechanism
from discreet.core.tables import Tables
from discreet.exact import Floats, Ints
from discreet.families.network.mechanisms import fourier
from discreet.families.network.mechanisms.map_estimate import by_mass
from discreet.families.network.model import BayesNet
from discreet.families.network.smoothness import truncation_loss

CLASS = "class"
EXACT, LAPLACE, FOURIER, LATTICE = "exact", "laplace_updates", "fourier", "lattice"
SAMPLER, MAP = "posterior_sample", "map"
# with ω = e^{−ε/2}, which is not private at ε when a record changes
ONE_CHARGED, MANY_CHARGED = "posterior_sample, as charged", "posterior_sample, many as charged"
ADDITIVE = (LAPLACE, FOURIER, LATTICE)  # noise that does not depend on the counts
STEALTH = 0.9  # of the runs have no negative cell
LEAST = 2 * math.log(2)  # ε at which e^{−ε/2} leaves nothing of [ω, 1 − ω]
POINTS = 3  # of the grid of `map`: more make its choice of a point more random


@dataclass(frozen=True, eq=False)
class Split:
    """Public or made-up records: for training as counts, for testing as places of states."""

    counts: tuple[int, ...]
    labels: Ints
    places: Ints  # a row per record, a column per feature


def network(features: Sequence[int], classes: int = 2, prior: Any = 1) -> BayesNet:
    """The class as the sole parent of features with these numbers of states."""
    names = [f"x{i + 1}" for i in range(len(features))]
    states = {CLASS: range(classes)} | dict(zip(names, map(range, features), strict=True))
    return BayesNet({name: [CLASS] for name in names}, states, prior)


def split(net: BayesNet, labels: Ints, places: Ints, train: Ints) -> Split:
    """Count the records in `train`; the others are left for testing."""
    rest = np.ones(len(labels), dtype=bool)
    rest[train] = False
    return Split(counted(net, labels[train], places[train]), labels[rest], places[rest])


def counted(net: BayesNet, labels: Ints, places: Ints) -> tuple[int, ...]:
    """The tables of the class and of every feature by class, one after the other."""
    own, *others = net.families
    tables = [np.bincount(labels, minlength=own.cells)]
    for family, place in zip(others, places.T, strict=True):
        tables.append(np.bincount(labels * family.shape[-1] + place, minlength=family.cells))
    return tuple(int(count) for table in tables for count in table)


def tables(net: BayesNet, counts: Sequence[int]) -> Tables:
    """Flat counts as tables."""
    ends = np.cumsum([family.cells for family in net.families])
    values = [tuple(part.tolist()) for part in np.split(np.array(counts), ends[:-1])]
    return Tables(tuple(family.columns for family in net.families), tuple(values))


def released(
    name: str,
    net: BayesNet,
    splits: Sequence[Split],
    epsilon: float,
    rng: np.random.Generator,
    **options: Any,
) -> NDArray[Any]:
    """A release for every split, one a row: what `dp.release` would return as its value.

    Additive noise is drawn for all splits at once: its law is the same for all counts.
    """
    if name == SAMPLER:
        options = {"omega": "cut"} | options
    n = sum(splits[0].counts[: net.families[0].cells])
    made = (
        by_mass(net, n, check.epsilon(epsilon), **options)
        if name == MAP
        else mechanism(name, net, n, epsilon=epsilon, **options)
    )
    laws: list[Any] = [made.raw_law(tables(net, one.counts)) for one in splits]
    if name not in ADDITIVE:
        raw = np.array([law.sample(rng=rng) for law in laws])
    else:
        parities = name == FOURIER
        centres = np.array(
            [law.center if parities else one.counts for law, one in zip(laws, splits, strict=True)]
        )
        raw = laws[0].sample(len(splits), rng) - centres[0] + centres
    return made.make_released(raw)


def probabilities(net: BayesNet, values: NDArray[Any], theta: bool = False) -> Floats:
    """E[θ] of every cell given released counts, a row for every release; or the released θ."""
    cells = values.astype(np.float64)
    if theta:
        return cells
    prior = np.array([float(a) for table in net.prior for a in table])
    cells = prior + np.maximum(cells, 0)
    states, start = [f.shape[-1] for f in net.families], 0
    for family, k in zip(net.families, states, strict=True):
        part = cells[:, start : start + family.cells].reshape(len(cells), -1, k)
        part /= part.sum(axis=2, keepdims=True)  # a view: cells changes
        start += family.cells
    return cells


def accuracies(net: BayesNet, splits: Sequence[Split], theta: Floats) -> Floats:
    """The share of test records whose class is the most probable one, for every split."""
    logs = np.log(np.maximum(theta, np.finfo(np.float64).tiny))
    classes = net.families[0].cells
    states = np.array([family.shape[-1] for family in net.families[1:]])
    starts = classes + np.concatenate([[0], np.cumsum(classes * states)[:-1]])
    found = []
    for one, table in zip(splits, logs, strict=True):
        joint = np.tile(table[:classes], (len(one.labels), 1))
        for y in range(classes):
            joint[:, y] += table[starts + y * states + one.places].sum(axis=1)
        found.append(float((joint.argmax(axis=1) == one.labels).mean()))
    return np.array(found)


def simulated(
    name: str,
    net: BayesNet,
    splits: Sequence[Split],
    epsilon: float,
    rng: np.random.Generator,
    t: float = 0,
) -> Floats:
    """The accuracy of every split; NaN where `fourier` shows its noise by a negative cell."""
    if name == EXACT:
        counts = np.array([one.counts for one in splits])
        return accuracies(net, splits, probabilities(net, counts))
    if name == MANY_CHARGED:
        return accuracies(net, splits, mean_of_samples(net, splits, math.exp(-epsilon / 2)))
    options: dict[str, Any] = {}
    if name in (FOURIER, MAP):
        options = {"t": t} if name == FOURIER else {"points": POINTS}
    if name == ONE_CHARGED:  # what it costs when a record changes
        name, epsilon = SAMPLER, truncation_loss(net, math.exp(-epsilon / 2))
    values = released(name, net, splits, epsilon, rng, **options)
    found = accuracies(net, splits, probabilities(net, values, theta=name in (SAMPLER, MAP)))
    if name == FOURIER:
        found[(values < 0).any(axis=1)] = np.nan
    return found


def mean_of_samples(net: BayesNet, splits: Sequence[Split], omega: float) -> Floats:
    """E[θ | θ in [ω, 1 − ω]] under the posterior of two-state nodes: the mean of endless samples.

    P2 (Appendix C.2) averages "many" samples and charges 2·log(1/ω) once.
    """
    from scipy.special import betainc

    counts = np.array([one.counts for one in splits], dtype=np.float64)
    a, b = 1 + counts[:, ::2], 1 + counts[:, 1::2]  # prior 1
    mass = betainc(a, b, 1 - omega) - betainc(a, b, omega)
    more = betainc(a + 1, b, 1 - omega) - betainc(a + 1, b, omega)
    mean = a / (a + b) * more / mass
    return np.stack([mean, 1 - mean], axis=2).reshape(counts.shape)


def stealthy_t(
    net: BayesNet, splits: Sequence[Split], epsilon: float, rng: np.random.Generator
) -> float:
    """The t with which `fourier` has no negative cell in 90 % of simulated runs, as P2 chose it.

    A family of m cells gets A/m more in each, A = ⌈4t|N|²/ε⌉, so a run needs A of m times the
    depth of its lowest cell.
    """
    values = released(FOURIER, net, splits, epsilon, rng).astype(np.float64)
    cells = np.concatenate([np.full(f.cells, f.cells) for f in net.families])
    needed = np.sort(np.maximum(-values * cells, 0).max(axis=1))
    raised = needed[min(int(np.ceil(STEALTH * len(needed))), len(needed) - 1)]
    return float(raised * epsilon / (4 * len(fourier.closure(net)) ** 2))
