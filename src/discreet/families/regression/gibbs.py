"""Draws of regression coefficients given noisy moments, by Gibbs sampling of all that is unknown.

Unknown are the coefficients w, the moments S = UᵀU of the features, and maybe the noise variance
σ². Given S, Uᵀt ~ N(S·w, σ²S) exactly, whatever the features are; noise comes on top of both. Every
entry of S has a normal prior with mean and variance common to its kind (sums of columns, products
of two, squares), which are learnt from the entries themselves. Laplace noise is normal noise whose
variance is exponential. So every conditional law is normal, gamma or inverse Gaussian (after
Bernstein and Sheldon 2019, who model the features instead). σ²S is small beside the noise or S is
known well, so in that place the chains' common mean stands for S.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Floats, Ints
from discreet.progress import track

CHAINS, BURN, KEPT = 16, 40, 60
MANY = 40  # coefficients, from where on there are fewer chains
TINY = 1e-12


@dataclass(frozen=True)
class Moments:
    """A noisy matrix Σ s·sᵀ of s = (1, u, t), and the standard deviations of its noise."""

    n: float
    matrix: Floats
    sd: Floats
    laplace: bool
    intercept: bool


@dataclass(frozen=True)
class Draws:
    """The parts of the posterior of w: normal given S and σ²."""

    means: Floats
    covariances: Floats
    noises: Floats


def draw_coefficients(
    noisy: Moments,
    mean: Floats,
    precision: Floats,
    noise: Fraction | tuple[Fraction, Fraction],
    rng: np.random.Generator,
) -> Draws:
    """Run all chains side by side and keep the laws of w that they pass."""
    chains = _Chains(noisy, mean, precision, noise, rng)
    kept: list[tuple[Floats, Floats, Floats]] = []
    for sweep in track(range(BURN + KEPT), "noise-aware posterior", BURN + KEPT):
        if sweep < BURN and sweep % 10 == 0:
            chains.settle()
        if sweep == BURN:
            chains.guarded = chains.rejected  # S is far from singular, if it has never been
        law = chains.sweep()
        if sweep >= BURN:
            kept.append(law)
    means, covariances, noises = (np.concatenate(part) for part in zip(*kept, strict=True))
    return Draws(means, covariances, noises)


class _Chains:
    """The state of all chains: one along the first axis of every array."""

    def __init__(
        self,
        noisy: Moments,
        mean: Floats,
        precision: Floats,
        noise: Fraction | tuple[Fraction, Fraction],
        rng: np.random.Generator,
    ) -> None:
        p = len(mean)
        self.rng, self.noisy, self.p = rng, noisy, p
        self.chains = CHAINS if p < MANY else CHAINS // 4
        self.prior_mean, self.prior_precision, self.noise = mean, precision, noise
        self.n = max(noisy.n, 1.0)
        self.axis = np.arange(p)
        self.above, self.right = np.triu_indices(p)
        self.seen = noisy.matrix[self.above, self.right]
        self.sd = np.maximum(noisy.sd[self.above, self.right], TINY * self.n)
        self.target, self.target_sd = noisy.matrix[:-1, -1], noisy.sd[:-1, -1]
        self.kinds = self._kinds()
        self.variance = np.tile(np.square(self.sd), (self.chains, 1))
        self.target_variance = np.tile(np.square(self.target_sd), (self.chains, 1))
        self.centre = np.zeros((self.chains, len(self.seen)))
        self.spread = np.ones_like(self.centre)
        for places, least in self.kinds:
            here = self.seen[places]
            square = (self.above == self.right)[places].all()
            middle = np.clip(here.mean(), 0.02 * self.n, self.n) if square else 0.0
            excess = np.mean(np.square(here - middle)) - np.mean(np.square(self.sd[places]))
            self.centre[:, places] = middle
            self.spread[:, places] = np.clip(excess, least, max(least, self.n**2))
        fixed = np.ones(len(self.seen), dtype=bool)
        for places, _ in self.kinds:
            fixed[places] = False
        self.centre[:, fixed] = self.seen[fixed]
        self.spread[:, fixed] = np.square(TINY * self.n)
        weight = 1 / self.variance + 1 / self.spread
        self.entries = (self.seen / self.variance + self.centre / self.spread) / weight
        self.guarded, self.rejected = True, False
        values, axes = np.linalg.eigh(self._tables(self.entries))
        least = 1e-4 * self.n
        tables = (axes * np.maximum(values, least)[:, None, :]) @ axes.transpose(0, 2, 1)
        self.entries = tables[:, self.above, self.right]
        self.sigma = np.full(self.chains, _first_noise(noise))

    def _kinds(self) -> list[tuple[Ints, float]]:
        """The entries of each kind, and a variance that sampling alone makes between them."""
        constant = self.noisy.intercept
        first, squares = self.above == 0, self.above == self.right
        sums = first & ~squares if constant else np.zeros_like(first)
        own = squares & ~first if constant else squares
        kinds = [(sums, self.n / 3), (~squares & ~sums, self.n / 9), (own, self.n * 4 / 45)]
        return [(np.flatnonzero(places), least) for places, least in kinds if places.any()]

    def _tables(self, entries: Floats) -> Floats:
        """Symmetric matrices from the entries on and above their diagonals."""
        tables = np.zeros((len(entries), self.p, self.p))
        tables[:, self.above, self.right] = tables[:, self.right, self.above] = entries
        return tables

    def settle(self) -> None:
        """Set what stands for S in σ²S: the mean of all chains, made positive definite."""
        values, axes = np.linalg.eigh(self._tables(self.entries).mean(axis=0))
        values = np.clip(values, 1e-3 * self.n, self.n * self.p)
        self.common = (axes * values) @ axes.T
        self.root = axes * np.sqrt(values)
        self.common_inverse = (axes / values) @ axes.T

    def sweep(self) -> tuple[Floats, Floats, Floats]:
        """One round; the law of w given the rest, as it was drawn from."""
        tables = self._tables(self.entries)
        total = self.sigma[:, None, None] * self.common + _diagonal(self.target_variance)
        inverse = np.linalg.inv(total)
        coefficients, mean, covariance = self._draw_coefficients(tables, inverse)
        law = mean, covariance, self.sigma
        self._draw_entries(coefficients, total)
        error = self._draw_error(coefficients, inverse)
        if self.noisy.laplace:
            self.variance = self._variances(self.seen - self.entries, self.sd)
            self.target_variance = self._variances(error, self.target_sd)
        self._draw_kinds()
        if isinstance(self.noise, tuple):
            self.sigma = self._draw_sigma(coefficients, error)
        return law

    def _draw_coefficients(self, tables: Floats, inverse: Floats) -> tuple[Floats, Floats, Floats]:
        """W given S: a regression of the noisy Uᵀt on S."""
        scaled = self.sigma[:, None, None] if isinstance(self.noise, tuple) else 1.0
        prior = self.prior_precision / scaled
        toward = tables @ inverse
        root = _inverse_root(toward @ tables + prior)
        covariance = root @ root.transpose(0, 2, 1)
        linear = toward @ self.target + prior @ self.prior_mean
        mean = _times(covariance, linear)
        return mean + _times(root, self.rng.normal(size=mean.shape)), mean, covariance

    def _draw_entries(self, coefficients: Floats, total: Floats) -> None:
        """S given w, where it is positive definite.

        A draw that is not is left out; then comes a step along the ellipse through another draw and
        the last S, nearer and nearer until it is (Murray, Adams and MacKay 2010).
        """
        drawn, _ = self._conditional(coefficients, total)
        if not self.guarded:
            self.entries = drawn
            return
        fine = self._definite(drawn)
        self.rejected |= not fine.all()
        self.entries = np.where(fine[:, None], drawn, self.entries)
        other, mean = self._conditional(coefficients, total)
        self.entries = self._along_ellipse(self.entries - mean, other - mean, mean)

    def _along_ellipse(self, here: Floats, other: Floats, mean: Floats) -> Floats:
        angle = self.rng.uniform(0, 2 * np.pi, self.chains)
        low, high = angle - 2 * np.pi, angle.copy()
        for _ in range(50):
            moved = mean + here * np.cos(angle)[:, None] + other * np.sin(angle)[:, None]
            fine = self._definite(moved)
            if fine.all():
                return np.asarray(moved)
            low, high = np.where(angle < 0, angle, low), np.where(angle < 0, high, angle)
            angle = np.where(fine, angle, self.rng.uniform(low, high))
            # a chain that has arrived keeps its angle: its bracket is no longer used
        return np.where(fine[:, None], moved, mean + here)

    def _definite(self, entries: Floats) -> NDArray[np.bool_]:
        return np.asarray(np.linalg.eigvalsh(self._tables(entries))[:, 0] > TINY * self.n)

    def _conditional(self, coefficients: Floats, total: Floats) -> tuple[Floats, Floats]:
        """A draw of S given w, and its mean, wherever they lie.

        Drawn as if Uᵀt told nothing, and corrected by what it tells (Matheron's rule).
        """
        variance = 1 / (1 / self.variance + 1 / self.spread)
        mean = variance * (self.seen / self.variance + self.centre / self.spread)
        drawn = mean + np.sqrt(variance) * self.rng.normal(size=mean.shape)
        error = _times(np.linalg.cholesky(total), self.rng.normal(size=coefficients.shape))
        spread = self._tables(variance)
        products = spread * coefficients[:, :, None] * coefficients[:, None, :]
        products[:, self.axis, self.axis] = _times(spread, np.square(coefficients))
        rests = [
            self.target - _times(self._tables(drawn), coefficients) - error,
            self.target - _times(self._tables(mean), coefficients),
        ]
        gains = np.linalg.solve(products + total, np.stack(rests, axis=-1))
        found = [
            start + variance * self._reach(gains[..., i], coefficients)
            for i, start in enumerate((drawn, mean))
        ]
        return found[0], found[1]

    def _reach(self, gain: NDArray[Any], coefficients: Floats) -> Floats:
        """What a change of S·w asks of every entry."""
        above, right = self.above, self.right
        other = np.where(above == right, 0.0, gain[:, right] * coefficients[:, above])
        return np.asarray(gain[:, above] * coefficients[:, right] + other)

    def _draw_error(self, coefficients: Floats, inverse: Floats) -> Floats:
        """The noise in Uᵀt given S and w, likewise."""
        rest = self.target - _times(self._tables(self.entries), coefficients)
        error = np.sqrt(self.target_variance) * self.rng.normal(size=rest.shape)
        normal = self.rng.normal(size=rest.shape) * np.sqrt(self.sigma)[:, None]
        gap = rest - error - normal @ self.root.T
        return np.asarray(error + self.target_variance * _times(inverse, gap))

    def _variances(self, noise: Floats, sd: Floats) -> Floats:
        """Of Laplace noise as normal noise: 1/v given it is inverse Gaussian."""
        scale = sd / np.sqrt(2)
        least = TINY * scale
        drawn = self.rng.wald(1 / (scale * np.maximum(np.abs(noise), least)), 1 / scale**2)
        return np.asarray(1 / np.clip(drawn, 1e-8 / scale**2, 1e12 / scale**2))

    def _draw_kinds(self) -> None:
        """Mean, of the squares only, and variance of each kind of entries."""
        for places, least in self.kinds:
            here = self.entries[:, places]
            if (self.above[places] == self.right[places]).all():
                sd = np.sqrt(self.spread[:, places[0]] / len(places))
                middle = self.rng.normal(here.mean(axis=1), sd)
                self.centre[:, places] = np.clip(middle, 0.02 * self.n, self.n)[:, None]
            squares = np.square(here - self.centre[:, places]).sum(axis=1)
            gamma = self.rng.gamma((1 + len(places)) / 2, size=self.chains)
            drawn = (least + squares) / 2 / np.maximum(gamma, TINY)
            self.spread[:, places] = np.minimum(drawn, self.n**2)[:, None]

    def _draw_sigma(self, coefficients: Floats, error: Floats) -> Floats:
        """σ² from its conditional law on a grid of 60 values around the last ones.

        The noisy tᵀt is N(2wᵀq − wᵀSw + nσ², 2nσ⁴ + its noise) with q = Uᵀt, and q − Sw is
        N(0, σ²S).
        """
        assert isinstance(self.noise, tuple)
        shape, scale = map(float, self.noise)
        tables = self._tables(self.entries)
        cross = self.target - error
        fitted = _times(tables, coefficients)
        known = 2 * (coefficients * cross).sum(axis=1) - (coefficients * fitted).sum(axis=1)
        left = cross - fitted
        quadratic = (_times(self.common_inverse, left) * left).sum(axis=1)
        step = coefficients - self.prior_mean
        quadratic += (_times(self.prior_precision, step) * step).sum(axis=1)
        reach = np.log(1e6) * self.rng.random((self.chains, 1)) ** 3
        grid = self.sigma[:, None] * np.exp(reach * np.linspace(-1, 1, 61))
        middle = known[:, None] + self.n * grid
        spread = 2 * self.n * grid**2 + self.noisy.sd[-1, -1] ** 2
        log = -np.square(self.noisy.matrix[-1, -1] - middle) / (2 * spread) - np.log(spread) / 2
        log -= (shape + self.p) * np.log(grid) + (scale + quadratic[:, None] / 2) / grid
        chosen = np.argmax(log + self.rng.gumbel(size=log.shape), axis=1)
        return np.asarray(grid[np.arange(self.chains), chosen])


def _inverse_root(tables: NDArray[Any]) -> Floats:
    """R with R·Rᵀ the inverse, of matrices with entries of very different sizes too."""
    scale = 1 / np.sqrt(np.diagonal(tables, axis1=1, axis2=2))
    values, axes = np.linalg.eigh(tables * scale[:, :, None] * scale[:, None, :])
    return np.asarray(scale[:, :, None] * axes / np.sqrt(np.maximum(values, TINY))[:, None, :])


def _first_noise(noise: Any) -> float:
    if not isinstance(noise, tuple):
        return float(noise)
    shape, scale = map(float, noise)
    return scale / (shape + 1)


def _diagonal(variances: Floats) -> Floats:
    return np.asarray(variances[:, :, None] * np.eye(variances.shape[1]))


def _times(tables: NDArray[Any], vectors: NDArray[Any]) -> Floats:
    """Every matrix, or one for all, times its vector."""
    return np.asarray((tables @ vectors[..., None])[..., 0])
