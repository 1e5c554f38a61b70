"""Tables that were not measured: what noisy tables say of them that they are marginals of."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import special

from discreet.exact import Floats, Ints
from discreet.families.network.model import BayesNet
from discreet.families.network.structure import Family
from discreet.laws.variances import laplace_variance, lattice_variance
from discreet.noise_aware.kernels import Kernel, LaplaceKernel, NormalKernel
from discreet.noise_aware.table import Found, Noise


def holders(net: BayesNet, place: int, noises: tuple[Noise | None, ...]) -> list[int]:
    """The measured tables that a table is a marginal of."""
    wanted = set(net.families[place].columns)
    return [
        i
        for i, (family, noise) in enumerate(zip(net.families, noises, strict=True))
        if noise is not None and wanted < set(family.columns)
    ]


def through(net: BayesNet, place: int, whole: int, found: Found) -> Found:
    """The counts of a table from those of a larger one that were found behind its noise.

    These have the prior of the larger table, DirMult(c | α) = DirMult(marginals of c | those of α)
    times what depends on the larger table's own parameters; the first factor is replaced by
    that of the table's own prior.
    """
    small, large = net.families[place], net.families[whole]
    cells = _cells(small, large)
    to = np.zeros((large.cells, small.cells))
    to[np.arange(large.cells), cells] = 1.0
    counts = found.counts @ to
    own = np.array([float(a) for a in net.prior[place]])
    implied = np.array([float(a) for a in net.prior[whole]]) @ to
    logs = found.logs + _log_likely(own, counts) - _log_likely(implied, counts)
    rows, where = np.unique(counts, axis=0, return_inverse=True)
    top = logs.max()
    sums = np.bincount(where.ravel(), np.exp(logs - top), len(rows))
    with np.errstate(divide="ignore"):
        return Found(rows, np.log(sums) + top, found.diagnostics)


def _log_likely(alpha: Floats, counts: Floats) -> Floats:
    """Log of the Dirichlet-multinomial law, but for what depends on the counts alone."""
    total = special.gammaln(alpha.sum() + counts.sum(axis=1)) - special.gammaln(alpha.sum())
    rises = special.gammaln(alpha + counts) - special.gammaln(alpha)
    return np.asarray(rises.sum(axis=1) - total)


def combined(
    net: BayesNet, place: int, wholes: list[int], noises: tuple[Noise | None, ...], n: int | None
) -> Noise:
    """The weighted mean of a table's noisy marginals: many noises add up to nearly normal noise."""
    small = net.families[place]
    total = np.zeros(small.cells, dtype=object)
    precision = Fraction(0)
    for whole in wholes:
        noise, large = noises[whole], net.families[whole]
        assert noise is not None
        outside = large.cells // small.cells
        weight = Fraction(1 / (_variance(noise.kernel, large.cells, n) * outside))
        marginal = np.zeros(small.cells, dtype=object)
        np.add.at(marginal, _cells(small, large), np.array(noise.z, dtype=object))
        total, precision = total + weight * marginal, precision + weight
    z = tuple((each / precision).limit_denominator(1 << 32) for each in total)
    return Noise(z, NormalKernel(float(1 / precision)))


def _cells(small: Family, large: Family) -> Ints:
    """For every cell of the larger table that of the smaller one."""
    shape = [
        k if name in small.columns else 1
        for name, k in zip(large.columns, large.shape, strict=True)
    ]
    order = [small.columns.index(name) for name in large.columns if name in small.columns]
    table = np.arange(small.cells).reshape(small.shape).transpose(order).reshape(shape)
    return np.broadcast_to(table, large.shape).ravel()


def _variance(kernel: Kernel, cells: int, n: int | None) -> float:
    """Of the noise on a cell, or, where it keeps the total, in any direction that does."""
    if isinstance(kernel, NormalKernel):
        return kernel.variance
    assert isinstance(kernel, LaplaceKernel)
    if n is None:
        return laplace_variance(kernel.rate)
    return lattice_variance(cells, 2 * kernel.rate) * cells / (cells - 1)
