"""Bayesian networks: the posterior of every family's table given its noisy counts.

Row j of P(node | parents) has the prior θ_j ~ Dir(α_j·). If the probabilities ρ of the parents'
configurations are Dir(Σ_x α_jx), those of the cells of the joint table, ρ_j·θ_jx, are Dir(α): the
family's table is one of categories. And θ_j is independent of ρ, so that p(θ_j | z) is the mixture
of Dir(α_j· + c_j·) with the weights of the tables c: the totals of the rows, which are private, are
summed over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from discreet import check
from discreet.core import Law, Mechanism, PointMass
from discreet.core.law import Outcome
from discreet.families.network import marginals
from discreet.families.network.configurations import cell_labels
from discreet.families.network.mixture import NoiseAwareNetwork
from discreet.families.network.model import BayesNet
from discreet.laws.noise import NoiseLaw, ProductLaw
from discreet.noise_aware import table
from discreet.posteriors.mixture import DirichletMixture


def infer_network(
    mechanism: Mechanism,
    raw: Outcome,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> NoiseAwareNetwork:
    """The posterior of the parameters of a network given the raw output of a mechanism.

    Every family is inferred from its own noisy table, with the prior on the parents'
    configurations that its Dirichlet prior implies; one that was not measured, from that of the
    table it is a marginal of, or, of several, from the mean of their marginals with normal noise.
    Nothing is computed before it is asked for.

    Args:
        mechanism: "lattice", "gaussian" or "laplace_updates" of a network.
        raw: the output before post-processing, `Release.raw`.
        n_prior: as for `infer`.
        rng: as for `infer`.
    """
    net, n = mechanism.config.model, mechanism.config.n
    table.prior_of_n(n_prior, n)
    laws = by_family(net, mechanism)
    outputs = _split(net, tuple(map(int, raw)))
    parts = mechanism.config.parts
    noises = tuple(table.additive(law, z, parts) for law, z in zip(laws, outputs, strict=True))
    seed = None if rng is None else int(check.generator(rng).integers(2**63))
    return NoiseAwareNetwork(net, partial(_joint, net, n, noises, n_prior, seed))


def _split(net: BayesNet, values: Outcome) -> Iterator[Outcome]:
    """What belongs to each family."""
    rest = iter(values)
    return (tuple(itertools.islice(rest, family.cells)) for family in net.families)


def by_family(net: BayesNet, mechanism: Mechanism) -> tuple[Law, ...]:
    """The law of every table's noise, around anything."""
    n = mechanism.config.n or 0
    anything = tuple(count for family in net.families for count in (n, *(0,) * (family.cells - 1)))
    law = mechanism.make_raw_law(anything)
    if isinstance(law, ProductLaw):
        return law.parts
    if isinstance(law, NoiseLaw):
        return tuple(replace(law, center=center) for center in _split(net, law.center))
    assert isinstance(law, PointMass)
    return tuple(PointMass(point) for point in _split(net, law.point))


def _joint(
    net: BayesNet,
    n: int | None,
    noises: tuple[table.Noise | None, ...],
    n_prior: object,
    seed: int | None,
    place: int,
) -> DirichletMixture:
    """The joint table of one family; equal seeds give equal ones, in whatever order they come."""
    noise, prior = noises[place], net.prior[place]

    def inferred(place: int, noise: table.Noise) -> table.Found:
        public = [abs(z.numerator) for z in noise.z] if seed is None else [seed]
        source = np.random.default_rng([place, *public])
        return table.infer(net.prior[place], n, noise, table.prior_of_n(n_prior, n), source)

    wholes = marginals.holders(net, place, noises)
    if noise is not None:
        found = inferred(place, noise)
    elif not wholes:  # no records
        found = table.Found(np.zeros((1, len(prior))), np.zeros(1))
    elif len(wholes) == 1 and (single := noises[wholes[0]]) is not None:
        found = marginals.through(net, place, wholes[0], inferred(wholes[0], single))
    else:
        found = inferred(place, marginals.combined(net, place, wholes, noises, n))
    return table.mixture(cell_labels(net, net.nodes[place]), prior, found)
