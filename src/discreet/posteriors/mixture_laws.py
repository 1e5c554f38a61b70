"""A mixture of Dirichlets in the shape of scipy's frozen distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import check
from discreet.divergence.gammas import log_beta_density, log_gamma_ratio
from discreet.errors import InputError
from discreet.exact import Floats

_CELLS = 1 << 22


def sequence_log_likelihood(parameters: Floats, counts: Floats) -> Floats:
    """Of records in order with these counts, under each Dirichlet: ln B(a + x) − ln B(a)."""
    totals = parameters.sum(axis=1)
    rises = log_gamma_ratio(parameters, counts).sum(axis=1)
    return np.asarray(rises - log_gamma_ratio(totals, counts.sum()))


def draw_dirichlets(parameters: Floats, rng: np.random.Generator) -> Floats:
    """One θ for every row of parameters."""
    gammas = rng.standard_gamma(parameters)
    totals = gammas.sum(axis=1, keepdims=True)
    for row in np.flatnonzero(totals[:, 0] < 1e-290):  # tiny parameters: all gammas underflow
        gammas[row], totals[row] = rng.dirichlet(parameters[row]), 1.0
    return np.asarray(gammas / totals)


@dataclass(frozen=True, eq=False, repr=False)
class MixtureLaw:
    """The law of θ: `pdf`, `logpdf`, `rvs`, `mean`, `var`, `cov`, as in `scipy.stats.dirichlet`."""

    parameters: Floats
    weights: Floats

    def logpdf(self, x: npt.ArrayLike) -> Any:
        """The log of the density at x, one point or points as columns; all entries positive.

        By stick-breaking: θ_i/(θ_i + … + θ_k) are independent Betas under every component.
        """
        theta = np.asarray(x, dtype=np.float64)
        k = self.parameters.shape[1]
        columns = theta.reshape(len(theta), -1).T if theta.ndim else theta.reshape(1, -1)
        if columns.shape[1] != k or not (columns > 0).all():
            raise InputError(f"x must have {k} positive entries along its first axis", "x")
        if not np.allclose(columns.sum(axis=1), 1, rtol=0, atol=1e-9):
            raise InputError("x must sum to 1 along its first axis", "x")
        left = _tails(columns)
        result = np.concatenate(
            [self._log_density(*block) for block in self._blocks(columns, left)]
        )
        return result.reshape(theta.shape[1:])[()]

    def _blocks(self, columns: Floats, left: Floats) -> Iterator[tuple[Floats, Floats]]:
        rows = max(1, _CELLS // self.parameters.size)
        for start in range(0, len(columns), rows):
            yield columns[start : start + rows, None, :], left[start : start + rows, None, :]

    def _log_density(self, theta: Floats, left: Floats) -> Floats:
        from scipy import special

        a, rest = self.parameters[:, :-1], _tails(self.parameters)[:, 1:]
        stick, other = theta[..., :-1] / left[..., :-1], left[..., 1:] / left[..., :-1]
        logs = log_beta_density(a, rest, stick, other) - np.log(left[..., :-1])
        return np.asarray(special.logsumexp(logs.sum(axis=-1), axis=1, b=self.weights))

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density."""
        return np.exp(self.logpdf(x))

    def mean(self) -> Floats:
        """E[θ]."""
        return np.asarray(self.weights @ self.means)

    @cached_property
    def means(self) -> Floats:
        """The means of the components, one a row."""
        return np.asarray(self.parameters / self.parameters.sum(axis=1, keepdims=True))

    def var(self) -> Floats:
        """Var[θ_i]."""
        return np.asarray(np.diag(self.cov()).copy())

    def cov(self) -> Floats:
        """Cov[θ_i, θ_j]: within the components, and between their means."""
        means, centre = self.means, self.mean()
        shares = self.weights / (self.parameters.sum(axis=1) + 1)
        within = np.diag(shares @ means) - (means.T * shares) @ means
        apart = means - centre
        return np.asarray(within + (apart.T * self.weights) @ apart)

    def rvs(self, size: int | None = None, random_state: np.random.Generator | None = None) -> Any:
        """Independent draws, one a row."""
        rng = np.random.default_rng() if random_state is None else check.generator(random_state)
        many = 1 if size is None else check.size(size)
        chosen = rng.choice(len(self.weights), size=many, p=self.weights)
        draws = draw_dirichlets(self.parameters[chosen], rng)
        return draws[0] if size is None else draws


@dataclass(frozen=True, eq=False, repr=False)
class MixturePredictive:
    """The counts of the next n records: `pmf`, `logpmf`, `rvs`, `mean`, `var` and `cov`."""

    law: MixtureLaw
    n: int

    def logpmf(self, x: npt.ArrayLike) -> float:
        """The log of the probability of one vector of counts."""
        from scipy import special

        counts = np.asarray(x, dtype=np.float64)
        if counts.shape != self.law.parameters.shape[1:] or (counts != counts.round()).any():
            raise InputError(f"x must be {self.law.parameters.shape[1]} whole numbers", "x")
        if (counts < 0).any() or counts.sum() != self.n:
            return -np.inf
        orders = special.gammaln(self.n + 1) - special.gammaln(counts + 1).sum()
        logs = sequence_log_likelihood(self.law.parameters, counts)
        return float(orders + special.logsumexp(logs, b=self.law.weights))

    def pmf(self, x: npt.ArrayLike) -> float:
        """The probability of one vector of counts."""
        return float(np.exp(self.logpmf(x)))

    def mean(self) -> Floats:
        """n·E[θ]."""
        return np.asarray(self.n * self.law.mean())

    def var(self) -> Floats:
        """The variance of every count."""
        return np.asarray(np.diag(self.cov()).copy())

    def cov(self) -> Floats:
        """n·(diag(m) − m·mᵀ) + n(n−1)·Cov[θ], m = E[θ]."""
        mean = self.law.mean()
        given = self.n * (np.diag(mean) - np.outer(mean, mean))
        return np.asarray(given + self.n * (self.n - 1.0) * self.law.cov())

    def rvs(self, size: int | None = None, random_state: np.random.Generator | None = None) -> Any:
        """Independent draws, one a row."""
        rng = np.random.default_rng() if random_state is None else check.generator(random_state)
        return rng.multinomial(self.n, self.law.rvs(size, rng))


def _tails(values: Floats) -> Floats:
    """Σ_{j≥i} values_j for every i."""
    return np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
