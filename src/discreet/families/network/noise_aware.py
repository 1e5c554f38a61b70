"""Bayesian networks: the posterior of every family's table given all noisy tables.

Row j of P(node | parents) has the prior θ_j ~ Dir(α_j·). If the probabilities ρ of the parents'
configurations are Dir(Σ_x α_jx), those of the cells of the joint table, ρ_j·θ_jx, are Dir(α): the
family's table is one of categories. And θ_j is independent of ρ, so that p(θ_j | z) is the mixture
of Dir(α_j· + c_j·) with the weights of the tables c: the totals of the rows, which are private, are
summed over.

A table that shares no variable with others is inferred so, from its own noise, listed where that is
possible. Of the others the counts are drawn given all noisy tables (`overlaps`, `moves`), and the
prior of ρ is what the network says of the parents (`rows`), or the prior of their own table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.core import Law, Mechanism, PointMass
from discreet.core.law import Outcome, ProductLaw
from discreet.errors import NotEnumerable
from discreet.exact import Ints
from discreet.families.network import moves, overlaps, starts
from discreet.families.network.configurations import cell_labels
from discreet.families.network.mechanisms.fourier import closure, wide
from discreet.families.network.mechanisms.noisy_tables import variance
from discreet.families.network.mixture import NoiseAwareNetwork, Priors
from discreet.families.network.model import BayesNet
from discreet.families.network.rows import parents as rows_of
from discreet.families.network.structure import Family
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import table
from discreet.noise_aware.kernels import Kernel, LaplaceKernel, NormalKernel
from discreet.posteriors.mixture import DirichletMixture

MOST_CELLS = 1024  # of a table whose counts are drawn given other tables too


class _Evidence(NamedTuple):
    """What was released of all tables, and the seed of draws."""

    net: BayesNet
    n: int | None
    noises: tuple[table.Noise | None, ...]  # None: not measured, or there are no records
    seen: tuple[overlaps.Seen | None, ...]
    n_prior: object
    seed: int | None


class _Parities(NamedTuple):
    """The same of "fourier": noisy counts of records with odd parity."""

    net: BayesNet
    n: int
    law: Law
    raw: Outcome
    seed: int | None


def infer_network(
    mechanism: Mechanism,
    raw: Outcome,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> NoiseAwareNetwork:
    """The posterior of the parameters of a network given the raw output of a mechanism.

    Every family is inferred from all noisy tables that share variables with it. Nothing is computed
    before it is asked for.

    Args:
        mechanism: "lattice", "laplace_updates", "gaussian" or "fourier" of a network.
        raw: the output before post-processing, `Release.raw`.
        n_prior: as for `infer`.
        rng: as for `infer`.
    """
    net, n = mechanism.config.model, mechanism.config.n
    table.prior_of_n(n_prior, n)
    seed = None if rng is None else int(check.generator(rng).integers(2**63))
    law = _around_anything(mechanism)
    if mechanism.config.mechanism == "fourier":
        assert n is not None
        if wide(net):
            raise NotEnumerable(
                "noise-aware posteriors of 'fourier' are for nodes of two states; use 'lattice'"
            )
        return NoiseAwareNetwork(net, partial(_from_parities, _Parities(net, n, law, raw, seed)))
    laws = by_family(net, mechanism)
    outputs = tuple(_split(net, tuple(map(int, raw))))
    parts = mechanism.config.parts
    noises = tuple(table.additive(law, z, parts) for law, z in zip(laws, outputs, strict=True))
    seen = tuple(
        None if noise is None else _seen(family, n, law, noise)
        for family, law, noise in zip(net.families, laws, noises, strict=True)
    )
    evidence = _Evidence(net, n, noises, seen, n_prior, seed)
    return NoiseAwareNetwork(net, partial(_joint, evidence))


def _split(net: BayesNet, values: Sequence[int]) -> Iterator[Outcome]:
    """What belongs to each family."""
    rest = iter(values)
    return (tuple(itertools.islice(rest, family.cells)) for family in net.families)


def _around_anything(mechanism: Mechanism) -> Law:
    net, n = mechanism.config.model, mechanism.config.n or 0
    return mechanism.make_raw_law(
        tuple(count for family in net.families for count in (n, *(0,) * (family.cells - 1)))
    )


def by_family(net: BayesNet, mechanism: Mechanism) -> tuple[Law, ...]:
    """The law of every table's noise, around anything."""
    law = _around_anything(mechanism)
    if isinstance(law, ProductLaw):
        return law.parts
    if isinstance(law, NoiseLaw):
        return tuple(replace(law, center=center) for center in _split(net, law.center))
    assert isinstance(law, PointMass)
    return tuple(PointMass(point) for point in _split(net, law.point))


def _seen(family: Family, n: int | None, law: Law, noise: table.Noise) -> overlaps.Seen:
    """A noisy table with the variance of its cells in directions that keep the total."""
    z, kernel = noise.z, noise.kernel
    if len(z) < family.cells:  # of two counts the first: as much noise, by halves, on both
        assert n is not None
        z, kernel = (z[0], n - z[0]), _halved(kernel)
    spread = _spread(kernel)
    if isinstance(law, LatticeLaw):
        spread = float(variance(family.cells, law.epsilon))
    return overlaps.Seen(
        family.columns, family.shape, np.array(z, dtype=np.float64), kernel, spread
    )


def _halved(kernel: Kernel) -> Kernel:
    if isinstance(kernel, LaplaceKernel):
        return LaplaceKernel(kernel.rate / 2, kernel.floored)
    return NormalKernel(2 / kernel.curvature)


def _spread(kernel: Kernel) -> float:
    """The variance of noise; of rounded Laplace noise 2q/(1 − q)² with q = e^−rate."""
    if isinstance(kernel, LaplaceKernel):
        return 1 / (2 * math.sinh(min(kernel.rate, 600.0) / 2) ** 2)
    return 1 / kernel.curvature


def _joint(
    evidence: _Evidence, place: int, prior: Priors, joint: Callable[[str], DirichletMixture]
) -> DirichletMixture:
    """The joint table of one family; equal seeds give equal ones, in whatever order they come."""
    net, n, noise = evidence.net, evidence.n, evidence.noises[place]
    labels, alpha = cell_labels(net, net.nodes[place]), prior[place]
    if not any(evidence.noises):
        return table.mixture(labels, alpha, _no_records(len(alpha)))
    most = MOST_CELLS if noise is not None else None
    if (holder := _holder(net, place, most=most)) is not None:
        return _marginal(net, place, holder, prior, joint(net.nodes[holder]))
    assert noise is not None  # a table that is not measured lies in another
    source = _source(place, [abs(z.numerator) for z in noise.z], evidence.seed)
    n_prior = table.prior_of_n(evidence.n_prior, n)
    if len(alpha) <= MOST_CELLS:
        noisy, known, used = overlaps.around(evidence.seen, place, n is None)
        margins = _margins(net, place, prior)
        if used > 1 or margins:
            shape = net.families[place].shape
            problem = starts.Problem(shape, alpha, n, n_prior, noisy, known, margins)
            return _drawn(labels, problem, used, source)
    return table.mixture(labels, alpha, table.infer(alpha, n, noise, n_prior, source))


def _holder(
    net: BayesNet, place: int, within: int | None = None, most: int | None = MOST_CELLS
) -> int | None:
    """The smallest family that has all variables of this one, of those in another one."""
    mine = set(net.families[place].columns)
    space = None if within is None else set(net.families[within].columns)
    found = [
        (family.cells, i)
        for i, family in enumerate(net.families)
        if i != place
        and mine <= set(family.columns)
        and (most is None or family.cells <= most)
        and (space is None or space >= set(family.columns))
    ]
    return min(found)[1] if found else None


def _marginal(
    net: BayesNet, place: int, holder: int, prior: Priors, joint: DirichletMixture
) -> DirichletMixture:
    """The table of a family whose variables are all in a larger one: sums of its counts."""
    counts = np.rint(joint.parameters - np.array([float(a) for a in prior[holder]]))
    whole, family = net.families[holder], net.families[place]
    sums = overlaps.places(whole.columns, whole.shape, family.columns)
    alpha = np.array([float(a) for a in prior[place]])
    parameters = np.tile(alpha, (len(counts), 1))
    np.add.at(parameters.T, sums, counts.T)
    labels = cell_labels(net, family.node)
    return DirichletMixture(labels, parameters, joint.weights, joint.diagnostics)


def _margins(net: BayesNet, place: int, prior: Priors) -> list[starts.Margin]:
    """Sums of cells whose own priors count, not what the prior of the cells implies.

    They are the totals of the rows, and the tables of the families within this one, all of parents.
    """
    here, found = net.families[place], []
    numbers = tuple(np.array([float(a) for a in each]) for each in prior)
    rows = overlaps.places(here.columns, here.shape, here.parents)
    implied = np.bincount(rows, numbers[place]).astype(np.float64)
    inside = [
        i
        for i, family in enumerate(net.families)
        if i != place and set(here.columns) >= set(family.columns)
    ]
    cells = {i: numbers[i] for i in inside} | {place: numbers[place]}
    if here.parents and not any(net.families[i].cells == here.rows for i in inside):
        own = rows_of(net, prior)[here.node]
        found.append(starts.Margin(rows, implied, own, exact=False))
        cells[place] = numbers[place] * (own / implied)[rows]
    for i in inside:
        holder, family = _holder(net, i, place), net.families[i]
        assert holder is not None
        whole = net.families[holder]
        sums = overlaps.places(whole.columns, whole.shape, family.columns)
        implied = np.bincount(sums, cells[holder]).astype(np.float64)
        if (numbers[i] != implied).any():
            sums = overlaps.places(here.columns, here.shape, family.columns)
            found.append(starts.Margin(sums, implied, numbers[i]))
    return found


def _no_records(cells: int) -> table.Found:
    return table.Found(np.zeros((1, cells)), np.zeros(1))


def _source(place: int, public: list[int], seed: int | None) -> np.random.Generator:
    return np.random.default_rng([place, *(public if seed is None else [seed])])


def _drawn(
    labels: tuple[Category, ...], problem: starts.Problem, used: int, source: np.random.Generator
) -> DirichletMixture:
    counts, diagnostics = moves.draw(problem, source)
    found = table.Found(counts, np.zeros(len(counts)), replace(diagnostics, tables=used))
    return table.mixture(labels, problem.prior, found)


def _from_parities(
    parities: _Parities, place: int, prior: Priors, joint: Callable[[str], DirichletMixture]
) -> DirichletMixture:
    """The same from noisy parity counts: those of the subsets of a family are all that is seen."""
    net, n, law, raw, seed = parities
    family, alpha = net.families[place], prior[place]
    labels = cell_labels(net, family.node)
    if not isinstance(law, NoiseLaw):
        return table.mixture(labels, alpha, _no_records(len(alpha)))
    if (holder := _holder(net, place)) is not None:
        return _marginal(net, place, holder, prior, joint(net.nodes[holder]))
    odd = {frozenset(subset): z for subset, z in zip(closure(net)[1:], map(int, raw), strict=True)}
    kernel, n_prior = LaplaceKernel(float(law.rate)), table.prior_of_n(None, n)
    source = _source(place, [abs(z) for z in odd.values()], seed)
    if family.cells == 2:  # the count of the second state is the one parity
        noise = table.Noise((odd[frozenset(family.columns)],), kernel)
        found = table.infer(alpha[::-1], n, noise, n_prior, source)
        return table.mixture(labels, alpha, found._replace(counts=found.counts[:, ::-1]))
    precision = 1 / (2 * max(_spread(kernel), overlaps.LEAST_VARIANCE))
    noisy = [  # of the even records and of the odd ones, by halves
        overlaps.Noisy(sums, np.array([n - odd[key], odd[key]], float), _halved(kernel), precision)
        for key, sums in _odd(family)
    ]
    margins = _margins(net, place, prior)
    problem = starts.Problem(family.shape, alpha, n, n_prior, noisy, [], margins)
    return _drawn(labels, problem, 1, source)


def _odd(family: Family) -> Iterator[tuple[frozenset[str], Ints]]:
    """Subsets of a family, but for ∅, and which cells are odd there."""
    cells = np.indices(family.shape).reshape(len(family.shape), -1)
    for bits in itertools.product((0, 1), repeat=len(family.shape)):
        if any(bits):
            names = frozenset(itertools.compress(family.columns, bits))
            yield names, (np.array(bits) @ cells) % 2
