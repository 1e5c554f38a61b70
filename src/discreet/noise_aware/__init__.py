"""Noise-aware posteriors: what the raw output of a mechanism says about θ, noise included.

p(θ | z) = Σ_c p(c | z)·Dir(θ; α + c) with p(c | z) ∝ DirMult(c; n, α)·P(z | c): a mixture over the
counts that may have been behind the output z (Bernstein and Sheldon 2018; Ju et al. 2022).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.core import Mechanism, families
from discreet.core.law import Outcome


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
        `NormalLaw`, for a regression a `CoefficientsMixture`.

    Raises:
        InputError: raw is no output of the mechanism, n_prior does not apply, or the mechanism has
            no noise-aware posterior.
        NotEnumerable: an exponential mechanism with too many vectors of counts.
    """
    spec = families.spec_of(mechanism)
    if spec.can("noise_aware"):
        mechanism.postprocess(raw)  # refuses what is no output
    return spec.noise_aware(mechanism, raw, n_prior=n_prior, rng=rng)
