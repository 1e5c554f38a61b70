"""What is printed and drawn of a release of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.core import families
from discreet.core.family import Published
from discreet.errors import InputError
from discreet.families.regression.conjugate import conjugate
from discreet.families.regression.posterior import CoefficientsMixture
from discreet.families.regression.summary import CoefficientsSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def summary(
    release: Published,
    noise_aware: CoefficientsMixture | None = None,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> CoefficientsSummary:
    """The posterior as released and noise-aware, side by side."""
    model = release.config.model
    prior = conjugate(model, 0, np.zeros((model.rows, model.rows)))
    aware = _aware(release, noise_aware, n_prior, rng)
    return CoefficientsSummary(release.title, release.posterior, aware, prior)


def plot(
    release: Published, noise_aware: CoefficientsMixture | None = None, ax: Axes | None = None
) -> Axes:
    """Both as intervals of every coefficient but the constant."""
    from discreet.plots.intervals import plot_coefficients

    model, aware = release.config.model, _aware(release, noise_aware)
    widths = [float(column.high - column.low) for column in model.scaled[:-1]]
    plain = release.posterior
    return plot_coefficients(model.X, widths, model.y, plain, aware, ax=ax, title=release.title)


def _aware(
    release: Published,
    given: Any,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> CoefficientsMixture | None:
    """Noise-aware, which samples of the posterior are not."""
    if given is None:
        if not families.spec_of(release.mechanism).can("noise_aware"):
            return None
        given = release.noise_aware(n_prior, rng)
    if (
        not isinstance(given, CoefficientsMixture)
        or given.names != release.config.model.coefficients
    ):
        raise InputError(
            "noise_aware must be the noise-aware posterior of this release", "noise_aware"
        )
    return given
