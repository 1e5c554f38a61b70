"""The same jobs done by OpenDP, diffprivlib and plain numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def opendp_laplace(size: int) -> Callable[[], object]:
    """OpenDP: exact discrete Laplace noise of scale 1 on a vector of integers."""
    import opendp.prelude as odp

    odp.enable_features("contrib")
    space = odp.vector_domain(odp.atom_domain(T="i64")), odp.l1_distance(T="i64")
    measurement = space >> odp.m.then_laplace(scale=1.0)
    zeros = np.zeros(size, dtype=np.int64)
    return lambda: measurement(zeros)


def opendp_laplace_counts(k: int, epsilon: float, delta: float) -> Callable[[object], Any]:
    """OpenDP: discrete Laplace noise on counts that change by 2 in l1, which needs no δ."""
    import opendp.prelude as odp

    odp.enable_features("contrib")
    space = odp.vector_domain(odp.atom_domain(T="i64"), size=k), odp.l1_distance(T="i64")
    noisy: Callable[[object], Any] = space >> odp.m.then_laplace(scale=2 / epsilon)
    return noisy


def opendp_gaussian_counts(k: int, epsilon: float, delta: float) -> Callable[[object], Any]:
    """OpenDP: discrete Gaussian noise on counts that change by √2 in l2, of the least scale."""
    import opendp.prelude as odp

    odp.enable_features("contrib")
    space = odp.vector_domain(odp.atom_domain(T="i64"), size=k), odp.l2_distance(T="f64")

    def made(scale: float) -> Any:
        return space >> odp.m.then_gaussian(scale=scale)

    def fixed(scale: float) -> Any:
        return odp.c.make_fix_delta(odp.c.make_zCDP_to_approxDP(made(scale)), delta)

    noisy: Callable[[object], Any] = made(
        odp.binary_search_param(fixed, d_in=2**0.5, d_out=(epsilon, delta))
    )
    return noisy


def numpy_laplace(size: int) -> Callable[[], object]:
    """numpy: the difference of two geometric draws from a float inverse CDF, not exact."""
    rng = np.random.default_rng()
    p = -np.expm1(-1.0)
    return lambda: rng.geometric(p, size) - rng.geometric(p, size)


def opendp_noisy_max(scores: np.ndarray[Any, Any]) -> Callable[[], object]:
    """OpenDP: an exponential mechanism on a ready-made vector of scores."""
    import opendp.prelude as odp

    odp.enable_features("contrib")
    measurement = odp.m.make_noisy_max(
        odp.vector_domain(odp.atom_domain(T="f64", nan=False)),
        odp.linf_distance(T="f64"),
        odp.max_divergence(),
        scale=2.0,
        negate=False,
    )
    return lambda: measurement(scores)


def diffprivlib_exponential(scores: np.ndarray[Any, Any]) -> Callable[[], object]:
    """diffprivlib: its exponential mechanism, constructed and drawn from."""
    from diffprivlib.mechanisms import Exponential

    utility = scores.tolist()
    return lambda: Exponential(epsilon=1.0, sensitivity=1.0, utility=utility).randomise()
