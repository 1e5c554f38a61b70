"""How far one record, or person, moves the moments of a regression, and the noise that hides it.

A record is s = (1, u, c·t) in whole grid steps: the features u and the target t are clipped to
[−1, 1], on a grid, and c is the weight of the target. The statistics are the sums of s·sᵀ. Of a
person who weighs one the mean of s·sᵀ over its records is summed: no matrix of rank one, but in the
convex hull of those of records, so that no norm of it exceeds their largest. `data.moments` reads
such records within the same bounds and radius, though on a coarser grid.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, Protocol

from discreet.core.counts import AnyModel, Unit
from discreet.core.curves import Normal
from discreet.exact.hockey_stick import gaussian_variance

MOST_WEIGHT = 100


class Regression(AnyModel, Protocol):
    """A regression on clipped records: what is read of it is public."""

    @property
    def X(self) -> tuple[str, ...]:  # noqa: N802
        """The columns that explain."""

    @property
    def grid(self) -> int:
        """Steps from the middle of the bounds to either end."""

    @property
    def radius(self) -> Fraction | None:
        """A bound on ‖u‖₂, if there is one."""

    @property
    def intercept(self) -> bool:
        """Whether there is a constant."""

    @property
    def rows(self) -> int:
        """Of the matrix of statistics: the constant, if there is one, X and y."""

    @property
    def standardised_prior(self) -> tuple[tuple[Fraction, ...], tuple[tuple[Fraction, ...], ...]]:
        """Mean and precision of the coefficients, all columns being in [−1, 1]."""

    @property
    def standardised_noise(self) -> Fraction | tuple[Fraction, Fraction]:
        """The noise variance, or shape and scale of its prior, in these units."""


class Noise(NamedTuple):
    """The noise of entries above the diagonal and on it: rates of Laplace noise, or variances."""

    above: Fraction
    diagonal: Fraction
    curve: Normal | None = None
    replacing: Normal | None = None

    @property
    def laplace(self) -> bool:
        """Whether these are rates."""
        return self.curve is None

    @property
    def sds(self) -> tuple[float, float]:
        """The standard deviations, in squared grid steps."""
        if self.laplace:
            return math.sqrt(2) / float(self.above), math.sqrt(2) / float(self.diagonal)
        return math.sqrt(self.above), math.sqrt(self.diagonal)


def noise_of(
    model: Regression,
    private_n: bool,
    epsilon: Fraction,
    delta: Fraction,
    c: int,
    unit: Unit,
) -> Noise:
    """What is (ε, δ)-private: discrete Laplace noise for δ = 0, else discrete Gaussian."""
    constant, most = model.intercept or private_n, unit.most
    if delta == 0:
        # Let s and v be the old and the new record, a = (s + v)/2 and b = (s − v)/2:
        # ssᵀ − vvᵀ = 2(abᵀ + baᵀ), so all its entries together are at most 4‖a‖₁‖b‖₁ ≤
        # (Σ max(|s_j|, |v_j|))² ≤ C², C the largest ‖s‖₁ within the bounds; and at most
        # ‖s‖₁² + ‖v‖₁² ≤ 2C'², C' that within the radius too. Noise of rate ε/Δ above the diagonal
        # and ε/2Δ on it loses ε/Δ times half of that: Δ = min(C²/2, C'²). A record that is added
        # changes the statistics by ssᵀ, half of whose entries are at most C'²/2, as C' ≤ C. The sum
        # of the entries' sizes is a norm: up to m records change it by at most m times as much, and
        # a mean of records by no more than one of them.
        box, within = _largest_sums(model, constant, c)
        change = most * within**2 / 2 if private_n else min(box**2 / 2, within**2)
        return Noise(epsilon / change, epsilon / (2 * change))
    # Noise of variance σ² above the diagonal and 2σ² on it sees a change by half its squared
    # Frobenius norm over σ²: ½‖ssᵀ − vvᵀ‖² = ½(‖s‖⁴ + ‖v‖⁴) − (s·v)² ≤ M², M the largest ‖s‖₂²; for
    # a record that is added ½‖ssᵀ‖² ≤ M²/2. A person's A = Σssᵀ over up to m records has
    # ‖A‖ ≤ mM, a mean of them ‖A‖ ≤ M: ½‖A‖² ≤ (mM)²/2. If B takes its place, ½‖A − B‖² =
    # ½(‖A‖² + ‖B‖²) − tr(AB) ≤ (mM)², as tr(AB) ≥ 0 for matrices without negative eigenvalues.
    square = (_record_square(model, constant, c) * most) ** 2
    entries = model.rows * (model.rows + 1) // 2
    change = square / 2 if private_n else square
    variance = gaussian_variance(epsilon, delta, change, entries + 1)
    curve, replaced = (Normal(moved, variance, entries + 1) for moved in (change, square))
    return Noise(variance, 2 * variance, curve, replaced if private_n else None)


def best_weight(model: Regression, private_n: bool, gaussian: bool) -> int:
    """The c that makes the noise in Uᵀt − UᵀU·w least.

    Its variance is proportional to Δ²·(1/c² + ‖w‖²), with ‖w‖² from the prior but at most 1, as
    t is; m records of one person make it m² times as large for every c.
    """
    constant = model.intercept or private_n
    squares = min(Fraction(1), _prior_square(model))

    def variance(c: int) -> Fraction:
        if gaussian:
            change = _record_square(model, constant, c)
        else:
            change = _largest_sums(model, constant, c)[0] ** 2
        return change**2 * (Fraction(1, c * c) + squares)

    best = 1
    while best < MOST_WEIGHT and variance(best + 1) < variance(best):
        best += 1
    return best


def features_square(model: Regression) -> Fraction:
    """The largest ‖u‖₂² in squared grid steps."""
    box = Fraction(model.grid**2 * len(model.X))
    radius = _radius(model)
    return box if radius is None else min(box, radius**2)


def _record_square(model: Regression, constant: bool, c: int) -> Fraction:
    """The largest ‖s‖₂² in squared grid steps."""
    return features_square(model) + model.grid**2 * (int(constant) + c * c)


def _largest_sums(model: Regression, constant: bool, c: int) -> tuple[Fraction, Fraction]:
    """The largest ‖s‖₁ in grid steps: within the bounds, and within the radius too."""
    others = Fraction(model.grid * (int(constant) + c))
    box = Fraction(model.grid * len(model.X))
    radius = _radius(model)
    features = box if radius is None else min(box, radius * _root(len(model.X)))
    return others + box, others + features


def _radius(model: Regression) -> Fraction | None:
    """Of the features in grid steps: rounding moves each by half a step, floats by far less."""
    if model.radius is None:
        return None
    return model.radius * model.grid + _root(len(model.X)) / 2 + Fraction(1, 4)


def _root(number: int) -> Fraction:
    """A square root, rounded up."""
    return Fraction(math.isqrt(number * 10**12) + 1, 10**6)


def _prior_square(model: Regression) -> Fraction:
    """Σ E[w_j]² plus the variances given all other coefficients, which are quick to have."""
    mean, precision = model.standardised_prior
    noise = model.standardised_noise
    spread = noise[1] / max(noise[0] - 1, Fraction(1, 2)) if isinstance(noise, tuple) else 1
    pairs = enumerate(zip(mean, precision, strict=True))
    return sum((m * m + spread / row[i] for i, (m, row) in pairs), Fraction(0))
