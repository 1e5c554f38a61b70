"""What the tests of noise-aware posteriors share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from scipy import stats

import discreet as dp
from discreet.exact import balls, compositions
from discreet.exact.balls import ball
from discreet.laws.exponential import ExponentialLaw
from discreet.noise_aware.kernels import Kernel, LaplaceKernel, NormalKernel

OPTIONS: dict[str, dict[str, Any]] = {
    "smooth_hellinger": {"delta": 1e-6},
    "gaussian": {"delta": 1e-3},
}
KERNELS: dict[str, Callable[[float], Kernel]] = {  # by how steep they are
    "laplace": LaplaceKernel,
    "floored": partial(LaplaceKernel, floored=True),
    "normal": lambda rate: NormalKernel(3 / rate**2),
}


PRIORS: tuple[Any, ...] = (1, "jeffreys", (0.3, 2, 5, 0.7))


def made(name: str, k: int, n: int | None, prior: Any, epsilon: float, **more: Any) -> dp.Mechanism:
    prior = prior[:k] if isinstance(prior, tuple) else prior
    model = dp.DirichletMultinomial(range(k), prior=prior)
    adjacency = "substitute" if n is not None else "add-remove"
    options = OPTIONS.get(name, {}) | more
    return dp.mechanism(name, model, n=n, epsilon=epsilon, adjacency=adjacency, **options)


def brute_force(
    mechanism: dp.Mechanism,
    raw: Iterable[int],
    totals: Iterable[int],
    p_of_n: Callable[[int], float] = lambda n: 1.0,
) -> dict[tuple[int, ...], float]:
    """p(c | raw) by summing over everything in balls."""
    prior, result = mechanism.config.model.prior, dict[tuple[int, ...], arb]()
    with balls.precision(160):
        alpha = [ball(a) for a in prior]
        total = ball(sum(prior, Fraction(0)))
        for n in totals:
            rows = [tuple(row) for row in compositions.rows(n, len(prior)).tolist()]
            order = arb(n + 1).gamma() * total.gamma() / (total + n).gamma()
            for c in rows:
                law = mechanism.raw_law(c)
                weight = law.log_weight(tuple(raw))
                p = weight.exp() if weight.is_finite() else arb(0)
                if isinstance(law, ExponentialLaw):
                    p /= sum((law.log_weight(r).exp() for r in rows), arb(0))
                for a, x in zip(alpha, c, strict=True):
                    p *= (a + x).gamma() / (a.gamma() * arb(x + 1).gamma())
                result[c] = p * order * arb(p_of_n(n))
        whole = sum(result.values(), arb(0))
        return {c: float((p / whole).mid()) for c, p in result.items()}


def weights_of(mechanism: dp.Mechanism, posterior: dp.DirichletMixture) -> dict[Any, float]:
    alpha = np.array([float(a) for a in mechanism.config.model.prior])
    counts = np.rint(posterior.parameters - alpha).astype(int).tolist()
    return dict(zip(map(tuple, counts), posterior.weights.tolist(), strict=True))


def largest_difference(first: dict[Any, float], second: dict[Any, float]) -> float:
    keys = first.keys() | second.keys()
    return max(abs(first.get(key, 0.0) - second.get(key, 0.0)) for key in keys)


SPIKES: list[tuple[Any, ...]] = [(1, 1), (0.5, 0.5), (1e-4, 1e-4), (50, 0.01), (200, 300), (0.2, 9)]


SEVERAL = [
    ("lattice", 3, 60, 1, {}),
    ("lattice", 4, 30, "jeffreys", {}),
    ("lattice", 3, 200, (0.5, 3, 20), {}),
    ("ls_hist", 3, 60, "jeffreys", {}),
    ("ls_dim", 4, 40, 2, {}),
    ("lattice", 3, None, 1, {}),
    ("lattice", 2, None, "jeffreys", {}),
    ("lattice", 3, None, (20, 5, 40), {}),
    ("lattice", 2, None, (0.05, 0.1), {}),
    ("lattice", 3, None, 1, {"n_prior": (45, 50)}),
    ("lattice", 2, None, 3, {"n_prior": stats.poisson(40)}),
    ("gaussian", 3, 60, 1, {}),
    ("gaussian", 4, 30, "jeffreys", {}),
    ("gaussian", 3, None, (20, 5, 40), {}),
    ("gaussian", 2, None, (0.05, 0.1), {}),
    ("gaussian", 3, None, 1, {"n_prior": (45, 50)}),
]
