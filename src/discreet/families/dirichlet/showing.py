"""What is printed and drawn of a release of counts, by group if they have groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.core.family import Published
from discreet.errors import InputError, NotAPosteriorError, NotEnumerable
from discreet.families.dirichlet.summary import GroupedSummary, Summary
from discreet.posteriors.dirichlet import DirichletPosterior
from discreet.posteriors.mixture import DirichletMixture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def summary(
    release: Published,
    noise_aware: DirichletMixture | None = None,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> Summary:
    """The posterior as released and noise-aware, side by side."""
    plain = _released(release)
    aware = release.noise_aware(n_prior, rng) if noise_aware is None else noise_aware
    _require_own(release, aware)
    cause, by = "privacy" if release.guarantee.private else "noise", release.config.model.by
    if by is None:
        return Summary(release.title, plain, aware, cause)
    plains: Any = {} if plain is None else release.by_group(plain)
    awares: Any = release.by_group(aware)
    parts = [
        Summary(f"{by.column} {group}", plains.get(group), awares[group], cause)
        for group in by.groups
    ]
    return GroupedSummary(release.title, plain, aware, cause, tuple(parts))


def plot(
    release: Published, noise_aware: DirichletMixture | None = None, ax: Axes | None = None
) -> Axes:
    """The densities of both; where the latter is not feasible the title says so."""
    from discreet.plots.posteriors import plot_groups, plot_posterior

    title, plain, aware = release.title, _released(release), noise_aware
    if aware is None:
        try:
            aware = release.noise_aware()
        except NotEnumerable:
            if plain is None:
                raise
            title += "; the noise is not accounted for"
    else:
        _require_own(release, aware)
    if release.config.model.by is None:
        return plot_posterior(plain, aware, ax, title)
    plains: Any = None if plain is None else release.by_group(plain)
    awares: Any = None if aware is None else release.by_group(aware)
    return plot_groups(awares, plains, ax, title)


def _released(release: Published) -> DirichletPosterior | None:
    """None where the released vector makes no posterior."""
    try:
        posterior: DirichletPosterior = release.posterior
    except NotAPosteriorError:
        return None
    return posterior


def _require_own(release: Published, aware: object) -> None:
    if (
        not isinstance(aware, DirichletMixture)
        or aware.categories != release.config.model.categories
    ):
        raise InputError(
            "noise_aware must be the noise-aware posterior of this release", "noise_aware"
        )
