"""Noise-aware posteriors: what the raw output of a mechanism says about θ, noise included.

p(θ | z) = Σ_c p(c | z)·Dir(θ; α + c) with p(c | z) ∝ DirMult(c; n, α)·P(z | c): a mixture over the
counts that may have been behind the output z (Bernstein and Sheldon 2018; Ju et al. 2022).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet import check
from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.core.mechanism import require_categories
from discreet.errors import InputError
from discreet.families.dirichlet import listed_counts
from discreet.families.network.model import BayesNet
from discreet.families.network.noise_aware import NETWORK_MECHANISMS, infer_network
from discreet.families.normal.model import NormalMean
from discreet.families.normal.noise_aware import infer_mean
from discreet.families.normal.noise_aware_private_n import infer_mean_and_n
from discreet.families.regression.model import LinearRegression
from discreet.families.regression.noise_aware import infer_weights
from discreet.noise_aware import table

__all__ = ["NETWORK_MECHANISMS", "infer", "infer_network"]


def infer(
    mechanism: Mechanism,
    raw: Outcome,
    *,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """The posterior of θ given the raw output of a mechanism.

    Args:
        mechanism: the mechanism that made the output.
        raw: the output before post-processing, `Release.raw`.
        n_prior: under add-remove, the prior of the private number of records: None is flat on
            0, 1, 2, …; (low, high) is uniform; or a distribution with `logpmf`, as in scipy.stats.
        rng: for more than two categories where the counts are too many to list: they are drawn,
            by default always in the same way for the same output.

    Returns:
        A `DirichletMixture`; its `diagnostics` tell how it was computed and how exact it is. For a
        network a `NoiseAwareNetwork`, which has one for every row of every table; for a mean a
        `NormalLaw`, for a regression a `WeightsMixture`.

    Raises:
        InputError: raw is no output of the mechanism, or n_prior does not apply.
        NotEnumerable: an exponential mechanism with too many vectors of counts.
    """
    if isinstance(mechanism.config.model, BayesNet):
        return infer_network(mechanism, raw, n_prior=n_prior, rng=rng)
    if isinstance(mechanism.config.model, NormalMean):
        number = table.prior_of_n(n_prior, mechanism.config.n)
        mechanism.postprocess(raw)
        if mechanism.config.n is None:
            return infer_mean_and_n(mechanism, raw, number)
        return infer_mean(mechanism, raw)
    if isinstance(mechanism.config.model, LinearRegression):
        if n_prior is not None:
            raise InputError("n_prior is for counts and means under add-remove", "n_prior")
        mechanism.postprocess(raw)
        return infer_weights(mechanism, raw, rng)
    require_categories(mechanism)
    mechanism.postprocess(raw)
    output = tuple(map(int, raw))
    # seeded by what is public, so that one release always gives one posterior
    source = (
        np.random.default_rng([abs(z) for z in output]) if rng is None else check.generator(rng)
    )
    model, n = mechanism.config.model, mechanism.config.n
    prior_of_n = table.prior_of_n(n_prior, n)
    law = mechanism.make_raw_law((n or 0, *(0,) * (len(model.categories) - 1)))
    noise = table.additive(law, output)
    if noise is None:
        found = table.Found(*listed_counts.infer(mechanism, output))
    else:
        found = table.infer(model.prior, n, noise, prior_of_n, source)
    return table.mixture(model.categories, model.prior, found)
