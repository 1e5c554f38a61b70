"""What is printed and drawn of a release of a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.core.family import Published
from discreet.errors import InputError
from discreet.families.normal.summary import NormalSummary
from discreet.posteriors.normal import NormalLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def summary(
    release: Published,
    noise_aware: NormalLaw | None = None,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> NormalSummary:
    """The posterior as released and noise-aware, side by side."""
    aware = _own(release.noise_aware(n_prior, rng) if noise_aware is None else noise_aware)
    return NormalSummary(release.title, release.posterior, aware, release.config.model.prior)


def plot(release: Published, noise_aware: NormalLaw | None = None, ax: Axes | None = None) -> Axes:
    """The densities of both."""
    from discreet.plots.normal import plot_mean

    aware = _own(release.noise_aware() if noise_aware is None else noise_aware)
    return plot_mean(release.posterior, aware, ax, release.title)


def _own(aware: Any) -> NormalLaw:
    if not isinstance(aware, NormalLaw):
        raise InputError(
            "noise_aware must be the noise-aware posterior of this release", "noise_aware"
        )
    return aware
