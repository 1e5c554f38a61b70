"""What is known of a mean: a normal law, or a mixture of normal laws. Using it costs no privacy."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import check, report
from discreet.check import Number
from discreet.errors import InputError
from discreet.exact import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAR, _POINTS = 10.0, 2001  # where a law by points is refined: so many sds away, so many points
HEADING = ("mean", "sd", "95 % interval")


class NormalLaw(ABC):
    """The law of one unknown number μ."""

    @abstractmethod
    def mean(self) -> float:
        """E[μ]."""

    @abstractmethod
    def variance(self) -> float:
        """Var[μ]."""

    @abstractmethod
    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density at x."""

    @abstractmethod
    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(μ ≤ x)."""

    @abstractmethod
    def quantile(self, p: npt.ArrayLike) -> Any:
        """The number below which μ lies with probability p; p = 0.5 is the median."""

    @abstractmethod
    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        """Draws of μ."""

    @abstractmethod
    def update(self, data: npt.ArrayLike, variance: Number) -> NormalLaw:
        """The posterior after further, public or own, records of known variance."""

    def sd(self) -> float:
        """The standard deviation of μ."""
        return math.sqrt(self.variance())

    def interval(self, level: float = 0.95) -> Floats:
        """The equal-tailed credible interval: (lower, upper)."""
        outside = 1 - float(check.share("level", level))
        return np.asarray(self.quantile([outside / 2, 1 - outside / 2]))

    def row(self) -> tuple[str, str, str]:
        """Mean, standard deviation and 95 % interval as text."""
        low, high = self.interval()
        return written(self.sd(), self.mean()), f"{self.sd():.3g}", written(self.sd(), low, high)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the density with its 95 % interval; needs `discreet[plot]`."""
        from discreet.plots.normal import plot_mean

        return plot_mean(None, self, ax, names=("", "posterior"))

    def _repr_html_(self) -> str:
        return report.html_table(HEADING, [self.row()], 1)


@dataclass(frozen=True, repr=False)
class NormalPosterior(NormalLaw):
    """μ ~ N(mean, variance), kept as exact numbers.

    A released posterior treats the released sum as true: its intervals do not include the noise.
    """

    exact_mean: Fraction
    exact_variance: Fraction

    def __post_init__(self) -> None:
        for name in ("mean", "variance"):
            value = getattr(self, f"exact_{name}")
            if not isinstance(value, Fraction):
                object.__setattr__(self, f"exact_{name}", check.rational(name, value))
        if self.exact_variance <= 0:
            raise InputError("variance must be greater than 0", "variance")

    def mean(self) -> float:
        """E[μ]."""
        return float(self.exact_mean)

    def variance(self) -> float:
        """Var[μ]."""
        return float(self.exact_variance)

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density at x."""
        z = (check.reals("x", x) - self.mean()) / self.sd()
        return (np.exp(-z * z / 2) / (self.sd() * math.sqrt(2 * math.pi)))[()]

    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(μ ≤ x)."""
        from scipy import special

        return special.ndtr((check.reals("x", x) - self.mean()) / self.sd())[()]

    def quantile(self, p: npt.ArrayLike) -> Any:
        """The number below which μ lies with probability p; p = 0.5 is the median."""
        from scipy import special

        return (self.mean() + self.sd() * special.ndtri(shares(p)))[()]

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        """Draws of μ."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        return source.normal(self.mean(), self.sd(), None if size is None else check.size(size))

    def hellinger(self, other: NormalPosterior) -> float:
        """Hellinger distance to another normal posterior.

        H² = 1 − √(2st/(s² + t²))·exp(−(a − b)²/(4(s² + t²))) for N(a, s²) and N(b, t²), which is
        1 − exp(−(a − b)²/(8s²)) for equal variances.
        """
        if not isinstance(other, NormalPosterior):
            raise InputError("other must be a NormalPosterior", "other")
        s, t = self.sd(), other.sd()
        apart = float(self.exact_mean - other.exact_mean)
        exponent = apart**2 / (4 * (s * s + t * t)) + math.log1p((s - t) ** 2 / (2 * s * t)) / 2
        return math.sqrt(-math.expm1(-exponent))

    def update(self, data: npt.ArrayLike, variance: Number) -> NormalPosterior:
        """The posterior after further, public or own, records of known variance."""
        records, around = _records(data, variance)
        precision = 1 / self.exact_variance + len(records) / around
        total = sum(records, Fraction(0))
        mean = (self.exact_mean / self.exact_variance + total / around) / precision
        return NormalPosterior(mean, 1 / precision)

    def to_scipy(self) -> Any:
        """The same law as a frozen `scipy.stats.norm`."""
        from scipy import stats

        return stats.norm(self.mean(), self.sd())

    def __repr__(self) -> str:
        return f"N({self.mean():.6g}, {self.sd():.4g}²)"


@dataclass(frozen=True, eq=False, repr=False)
class NormalMixture(NormalLaw):
    """Σ_j weights_j·N(means_j, within): a law that includes the noise.

    `within` is the variance that would remain if the true sum were known.
    """

    means: Floats
    weights: Floats
    within: float

    def mean(self) -> float:
        """E[μ]."""
        return float(self.weights @ self.means)

    def variance(self) -> float:
        """Var[μ]: that within the components and that of their means."""
        return self.within + float(self.weights @ (self.means - self.mean()) ** 2)

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density at x."""
        points, shape = _points(x)
        sd = math.sqrt(self.within)
        z = (points[:, None] - self.means) / sd
        found = np.exp(-z * z / 2) @ self.weights / (sd * math.sqrt(2 * math.pi))
        return found.reshape(shape)[()]

    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(μ ≤ x)."""
        from scipy import special

        points, shape = _points(x)
        z = (points[:, None] - self.means) / math.sqrt(self.within)
        return (special.ndtr(z) @ self.weights).reshape(shape)[()]

    def quantile(self, p: npt.ArrayLike) -> Any:
        """The number below which μ lies with probability p, by bisection."""
        wanted = shares(p)
        low, high = (np.full(wanted.shape, end) for end in self._ends)
        for _ in range(60):
            middle = (low + high) / 2
            above = np.asarray(self.cdf(middle)) >= wanted
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return ((low + high) / 2)[()]

    def update(self, data: npt.ArrayLike, variance: Number) -> NormalMixture:
        """The posterior after further, public or own, records of known variance.

        A component's weight is multiplied by how likely the mean of the records was under it.
        """
        records, around = _records(data, variance)
        if not records:
            return self
        number, centre = len(records), float(sum(records, Fraction(0)) / len(records))
        spread = float(around) / number
        logs = -((self.means - centre) ** 2) / (2 * (self.within + spread))
        with np.errstate(divide="ignore"):
            logs = logs + np.log(self.weights)
        weights = np.exp(logs - logs.max())
        gain = self.within / (self.within + spread)
        means = self.means + gain * (centre - self.means)
        return NormalMixture(means, weights / weights.sum(), gain * spread)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        reach = 40 * math.sqrt(self.within)
        return float(self.means.min()) - reach, float(self.means.max()) + reach

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        """Draws of μ."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        count = None if size is None else check.size(size)
        return source.normal(source.choice(self.means, count, p=self.weights), self.within**0.5)

    def __repr__(self) -> str:
        return (
            f"mixture of {len(self.means)} normal laws, mean {self.mean():.6g}, sd {self.sd():.4g}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedLaw(NormalLaw):
    """A law by its weights at many points; its distribution function is linear in between."""

    points: Floats
    weights: Floats

    @cached_property
    def _density(self) -> Floats:
        return np.asarray(self.weights / np.gradient(self.points))

    @cached_property
    def _below(self) -> Floats:
        return np.asarray(np.cumsum(self.weights) - self.weights / 2)

    def mean(self) -> float:
        """E[μ]."""
        return float(self.weights @ self.points)

    def variance(self) -> float:
        """Var[μ]."""
        return float(self.weights @ (self.points - self.mean()) ** 2)

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density at x."""
        return np.interp(check.reals("x", x), self.points, self._density, 0.0, 0.0)[()]

    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(μ ≤ x)."""
        return np.interp(check.reals("x", x), self.points, self._below, 0.0, 1.0)[()]

    def quantile(self, p: npt.ArrayLike) -> Any:
        """The number below which μ lies with probability p."""
        return np.interp(shares(p), self._below, self.points)[()]

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        """Draws of μ."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        drawn = source.random(None if size is None else check.size(size))
        return np.interp(drawn, self._below, self.points)[()]

    def update(self, data: npt.ArrayLike, variance: Number) -> TabulatedLaw:
        """The posterior after further, public or own, records of known variance.

        The density times their likelihood, at the same points and at more where that is narrow.
        """
        records, around = _records(data, variance)
        if not records:
            return self
        centre = float(sum(records, Fraction(0)) / len(records))
        sd = math.sqrt(around / len(records))
        near = centre + sd * np.linspace(-_FAR, _FAR, _POINTS)
        inside = (near > self.points[0]) & (near < self.points[-1])
        points = np.unique(np.concatenate([self.points, near[inside]]))
        known = self.weights > 0
        logs = np.interp(points, self.points[known], np.log(self._density[known]))
        logs = logs - ((points - centre) / sd) ** 2 / 2
        weights = np.exp(logs - logs.max()) * np.gradient(points)
        return TabulatedLaw(points, weights / weights.sum())

    def __repr__(self) -> str:
        return f"law of a mean, mean {self.mean():.6g}, sd {self.sd():.4g}"


def _records(data: object, variance: object) -> tuple[list[Fraction], Fraction]:
    """Further records, and their variance."""
    records = check.reals("data", data).ravel()
    if not np.isfinite(records).all():
        raise InputError("data must be finite numbers", "data")
    return list(map(Fraction, records.tolist())), check.positive("variance", variance)


def shares(p: object) -> Floats:
    """Probabilities strictly between 0 and 1."""
    found = check.reals("p", p)
    if not ((found > 0) & (found < 1)).all():
        raise InputError("p must lie strictly between 0 and 1", "p")
    return found


def _points(x: object) -> tuple[Floats, tuple[int, ...]]:
    found = check.reals("x", x)
    return found.ravel(), found.shape


def written(width: float, *values: float) -> str:
    """Numbers with the digits that a width asks for: 118.3 – 124.9."""
    places = min(max(0, 2 - math.floor(math.log10(width))), 15)
    return " – ".join(f"{value:.{places}f}" for value in values)
