"""What is known of regression coefficients: a posterior, a noise-aware mixture, or samples."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from discreet import check, report
from discreet.errors import InputError
from discreet.exact import Floats

LEVEL = 0.95


class Coefficients(ABC):
    """A law of the coefficients: the intercept, if there is one, then the columns in order."""

    names: tuple[str, ...]
    intercept: bool

    @abstractmethod
    def mean(self) -> Floats:
        """The mean of every coefficient."""

    @abstractmethod
    def covariance(self) -> Floats:
        """The covariance of the coefficients."""

    @abstractmethod
    def noise_variance(self) -> float:
        """The variance of y given its features, or its mean if it is unknown."""

    @abstractmethod
    def _quantiles(self, rows: Floats, q: float) -> Floats:
        """Of every linear combination of the coefficients."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draws, one a row."""

    def sd(self) -> Floats:
        """The standard deviation of every coefficient."""
        return np.sqrt(np.diagonal(self.covariance()))

    def quantile(self, q: float) -> Floats:
        """Of every coefficient."""
        return self._quantiles(np.eye(len(self.names)), q)

    def interval(self, level: float = LEVEL) -> Floats:
        """The central credible interval of every coefficient: a row (low, high) each."""
        return self._intervals(np.eye(len(self.names)), level)

    def band(self, X: Any, level: float = LEVEL) -> Floats:  # noqa: N803
        """The central credible interval of the mean of y for every record of X.

        It does not include the noise of a single y; `predict(…, return_std=True)` does.
        """
        return self._intervals(self._design(X), level)

    def _intervals(self, rows: Floats, level: float) -> Floats:
        tail = (1 - float(check.share("level", level))) / 2
        return np.stack([self._quantiles(rows, tail), self._quantiles(rows, 1 - tail)], axis=1)

    @overload
    def predict(self, X: Any) -> Floats: ...  # noqa: N803

    @overload
    def predict(self, X: Any, return_std: bool) -> Any: ...  # noqa: N803

    def predict(self, X: Any, return_std: bool = False) -> Any:  # noqa: N803
        """The predictive mean of y for every record, and its standard deviation if asked for.

        Args:
            X: records by features: an array in the order of the columns, or a data frame or mapping
                with columns of their names.
            return_std: also √(xᵀ·covariance·x + noise variance).
        """
        design = self._design(X)
        mean = design @ self.mean()
        if not return_std:
            return mean
        spread = np.einsum("ij,jk,ik->i", design, self.covariance(), design)
        return mean, np.sqrt(spread + self.noise_variance())

    def _design(self, X: Any) -> Floats:  # noqa: N803
        table = _table(X, self.names[1:] if self.intercept else self.names)
        return np.column_stack([np.ones(len(table)), table]) if self.intercept else table

    def _records(self, X: Any, y: Any) -> tuple[Floats, Floats]:  # noqa: N803
        design, target = self._design(X), check.reals("y", y)
        if target.shape != (len(design),):
            raise InputError("y must have one number for each record of X", "y")
        if not np.isfinite(target).all():
            raise InputError("y must not have missing or infinite values", "y")
        return design, target

    def _repr_html_(self) -> str:
        columns = zip(self.names, self.mean(), self.sd(), self.interval(), strict=True)
        rows = [
            (name, f"{mean:.4g}", f"{sd:.3g}", f"{low:.4g} to {high:.4g}")
            for name, mean, sd, (low, high) in columns
        ]
        return report.html_table(("coefficient", "mean", "sd", "95 % interval"), rows, 0)

    def __repr__(self) -> str:
        pairs = zip(self.names, self.mean(), self.sd(), strict=True)
        text = ", ".join(f"{name} {mean:.4g} ± {sd:.2g}" for name, mean, sd in pairs)
        return f"<{type(self).__name__}: {text}>"


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientsPosterior(Coefficients):
    """A normal law, or Student's if the noise variance is unknown, of `freedom` degrees.

    `location` is the mean, `scale` the covariance or Student's scale matrix, and `noise` the
    noise variance or its scale b/a.
    """

    names: tuple[str, ...]
    location: Floats
    scale: Floats
    noise: float
    freedom: float = math.inf
    intercept: bool = field(default=True, kw_only=True)

    def mean(self) -> Floats:
        return self.location

    def covariance(self) -> Floats:
        return self.scale * self._inflation

    def noise_variance(self) -> float:
        return self.noise * self._inflation

    @property
    def _inflation(self) -> float:
        """Of a variance: ν/(ν − 2)."""
        if math.isinf(self.freedom):
            return 1.0
        return self.freedom / (self.freedom - 2) if self.freedom > 2 else math.inf

    def _quantiles(self, rows: Floats, q: float) -> Floats:
        from scipy.special import ndtri, stdtrit

        standard = ndtri(q) if math.isinf(self.freedom) else stdtrit(self.freedom, q)
        spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.scale, rows))
        return np.asarray(rows @ self.location + standard * spread)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        size = check.size(size)
        factor = np.linalg.cholesky(self.scale)
        normal = check.generator(rng).normal(size=(size, len(self.names)))
        if not math.isinf(self.freedom):
            normal *= np.sqrt(self.freedom / rng.chisquare(self.freedom, size=(size, 1)))
        return self.location + normal @ factor.T

    def update(self, X: Any, y: Any) -> CoefficientsPosterior:  # noqa: N803
        """The posterior after more records, of the reader's own: conjugate, at no cost."""
        design, target = self._records(X, y)
        unit = self.scale / self.noise  # covariance in units of the noise variance
        before = np.linalg.inv(unit)
        precision = before + design.T @ design
        spread: Floats = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        mean = spread @ (before @ self.location + design.T @ target)
        noise, freedom = self.noise, self.freedom
        if not math.isinf(freedom):
            residual, step = target - design @ mean, mean - self.location
            total = freedom * noise + residual @ residual + step @ before @ step
            freedom += len(target)
            noise = float(total / freedom)
        return replace(self, location=mean, scale=spread * noise, noise=noise, freedom=freedom)

    def hellinger(self, other: CoefficientsPosterior) -> float:
        """The Hellinger distance from another normal posterior.

        H² = 1 − (det A·det B)^{1/4}·det(C)^{−1/2}·exp(−Δᵀ·C⁻¹·Δ/8) with C = (A + B)/2.
        """
        if self.names != other.names or not math.isinf(self.freedom + other.freedom):
            raise InputError("other must be a normal posterior of the same coefficients", "other")
        middle = (self.scale + other.scale) / 2
        shift = self.location - other.location
        logs = [np.linalg.slogdet(part)[1] for part in (self.scale, other.scale, middle)]
        exponent = (logs[0] + logs[1]) / 4 - logs[2] / 2
        exponent -= shift @ np.linalg.solve(middle, shift) / 8
        return math.sqrt(max(0.0, -math.expm1(min(0.0, float(exponent)))))


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientsMixture(Coefficients):
    """A mixture of normal laws with equal shares: what an output says of the coefficients."""

    names: tuple[str, ...]
    means: Floats  # a row for every part
    covariances: Floats
    noises: Floats
    intercept: bool = field(default=True, kw_only=True)

    def mean(self) -> Floats:
        return np.asarray(self.means.mean(axis=0))

    def covariance(self) -> Floats:
        centred = self.means - self.mean()
        return np.asarray(self.covariances.mean(axis=0) + centred.T @ centred / len(centred))

    def noise_variance(self) -> float:
        return float(self.noises.mean())

    def _quantiles(self, rows: Floats, q: float) -> Floats:
        """By halving, between the ends that no part's quantile exceeds."""
        from scipy.special import ndtr, ndtri

        means = self.means @ rows.T
        sds = np.sqrt(np.einsum("ij,pjk,ik->pi", rows, self.covariances, rows, optimize=True))
        ends = means + ndtri(q) * sds
        low, high = ends.min(axis=0), ends.max(axis=0)
        for _ in range(50):
            middle = (low + high) / 2
            below = ndtr((middle - means) / sds).mean(axis=0) < q
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        size = check.size(size)
        part = check.generator(rng).integers(len(self.means), size=size)
        factors = np.linalg.cholesky(self.covariances)[part]
        normal = rng.normal(size=(size, len(self.names)))
        return np.asarray(self.means[part] + np.einsum("ijk,ik->ij", factors, normal))

    def update(self, X: Any, y: Any) -> CoefficientsMixture:  # noqa: N803
        """The posterior after more records, of the reader's own: at no cost.

        Every part is updated by itself and counts by how probable it made the records: the parts
        are chosen anew, evenly, with these weights.
        """
        design, target = self._records(X, y)
        before = np.linalg.inv(self.covariances)
        noise = self.noises[:, None]
        precision = before + design.T @ design / noise[..., None]
        start = (before @ self.means[..., None])[..., 0]
        linear = start + design.T @ target / noise
        covariances = np.linalg.inv(precision)
        means = (covariances @ linear[..., None])[..., 0]
        logs = (linear * means).sum(axis=1) - (start * self.means).sum(axis=1)
        logs -= target @ target / self.noises + len(target) * np.log(self.noises)
        logs += np.linalg.slogdet(covariances)[1] - np.linalg.slogdet(self.covariances)[1]
        shares = np.cumsum(np.exp((logs - logs.max()) / 2))
        golden = (np.arange(1, len(means) + 1) * (np.sqrt(5) - 1) / 2) % 1  # even in every part
        chosen = np.searchsorted(shares, golden * shares[-1])
        return replace(
            self,
            means=means[chosen],
            covariances=covariances[chosen],
            noises=self.noises[chosen],
        )


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientSamples(Coefficients):
    """Released draws of the coefficients from their posterior."""

    names: tuple[str, ...]
    draws: Floats  # one a row
    noise: float
    intercept: bool = field(default=True, kw_only=True)

    def mean(self) -> Floats:
        return np.asarray(self.draws.mean(axis=0))

    def covariance(self) -> Floats:
        """Between the draws; nothing is known of it from a single one."""
        if len(self.draws) == 1:
            return np.full((len(self.names),) * 2, np.nan)
        return np.atleast_2d(np.cov(self.draws, rowvar=False))

    def noise_variance(self) -> float:
        return self.noise

    def _quantiles(self, rows: Floats, q: float) -> Floats:
        if len(self.draws) == 1:
            return np.full(len(rows), np.nan)
        return np.asarray(np.quantile(self.draws @ rows.T, q, axis=0))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Some of the released draws, with replacement."""
        return self.draws[check.generator(rng).integers(len(self.draws), size=check.size(size))]


def _table(X: Any, columns: Sequence[str]) -> Floats:  # noqa: N803
    """Records by columns, as finite numbers."""
    if isinstance(X, dict) or hasattr(X, "columns"):
        missing = [name for name in columns if name not in list(getattr(X, "columns", X))]
        if missing:
            raise InputError(f"X must have the column {missing[0]!r}", "X")
        table = np.column_stack([check.reals(f"X[{name!r}]", X[name]) for name in columns])
    else:
        table = check.reals("X", X)
    if table.ndim != 2 or table.shape[1] != len(columns):
        raise InputError(
            f"X must be records by {check.number_of(len(columns), 'feature')}, got shape "
            f"{table.shape}",
            "X",
        )
    if not np.isfinite(table).all():
        raise InputError("X must not have missing or infinite values", "X")
    return table
