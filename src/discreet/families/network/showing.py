"""What is printed and drawn of a release of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.core import families
from discreet.core.family import Published
from discreet.errors import InputError, NotEnumerable
from discreet.families.network.law import NetworkLaw, plot_node
from discreet.families.network.mechanisms.sampling import remark
from discreet.families.network.mixture import NoiseAwareNetwork
from discreet.families.network.summary import NetworkSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def summary(
    release: Published,
    noise_aware: NoiseAwareNetwork | None = None,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
    node: str | None = None,
) -> NetworkSummary:
    """The rows of the first tables, or of all of one node."""
    net = release.config.model
    if node is not None:
        check.choice("node", node, net.nodes)
    laws = _laws(release, noise_aware, n_prior, rng)
    return NetworkSummary(release.title, net, *laws, node, remark(release.config))


def plot(
    release: Published,
    noise_aware: NoiseAwareNetwork | None = None,
    ax: Axes | None = None,
    node: str | None = None,
) -> Axes:
    """P(node | parents) as released and noise-aware."""
    net = release.config.model
    if node is None:
        nodes = ", ".join(map(repr, net.nodes[:5])) + ", …" * (len(net.nodes) > 5)
        raise InputError(f"node must be given, whose table is drawn: one of {nodes}", "node")
    check.choice("node", node, net.nodes)
    return plot_node(net, node, *_laws(release, noise_aware), ax, release.title)


def _laws(
    release: Published,
    aware: object,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> tuple[NetworkLaw, NetworkLaw | None]:
    """As released, and noise-aware; mechanisms without the latter have only the former."""
    plain: NetworkLaw = release.posterior
    asked = any(given is not None for given in (aware, n_prior, rng))
    if not asked and not families.spec_of(release.mechanism).can("noise_aware"):
        return plain, None
    try:
        found: Any = release.noise_aware(n_prior, rng) if aware is None else aware
    except NotEnumerable:
        if asked:
            raise
        return plain, None
    if (
        not isinstance(found, NoiseAwareNetwork)
        or found.net.to_document() != release.config.model.to_document()
    ):
        raise InputError(
            "noise_aware must be the noise-aware posterior of this release", "noise_aware"
        )
    return plain, found
