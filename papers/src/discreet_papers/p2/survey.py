"""Records of a regression, and synthetic ones of the size of those that P2 had."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.core.statistics import Statistics
from discreet.exact import Floats, Ints
from discreet.families.regression.model import LinearRegression

RECORDS, FEATURES = 370_000, 14  # P2 §5.2


class Moments(NamedTuple):
    """Of records in the unit ball: their number, Σ x·xᵀ, Σ x·y and Σ y²; y in so many units."""

    n: int
    xx: Floats
    xy: Floats
    yy: float
    unit: float

    def error(self, weights: Floats) -> float:
        """The mean squared error of predictions x·w, in the units of y before it was scaled."""
        total = self.yy - 2 * weights @ self.xy + weights @ self.xx @ weights
        return float(total) / self.n * self.unit**2

    @classmethod
    def of(cls, table: Floats, unit: float) -> Moments:
        """From Σ s·sᵀ for s = (1, features, y), all in [−1, 1].

        The features with the constant are divided by the largest norm that they can have, so that
        ‖x‖₂ ≤ 1 (Appendix D).
        """
        square = len(table) - 1
        xx, xy = table[:-1, :-1] / square, table[:-1, -1] / square**0.5
        return cls(round(table[0, 0]), xx, xy, float(table[-1, -1]), unit)


@dataclass(frozen=True, eq=False)
class Survey:
    """Records with all columns in [−1, 1], that of y last."""

    columns: tuple[str, ...]
    records: Floats
    unit: float  # of y: half the width of its bounds
    synthetic: bool = False

    @property
    def weights(self) -> int:
        """That of the constant too."""
        return len(self.columns)

    @property
    def trained(self) -> int:
        """How many records a split trains with."""
        return len(self.records) // 10

    def model(self, b: Fraction) -> LinearRegression:
        """w ~ N(0, 1/b) where ‖x‖ ≤ 1; noise variance 1."""
        bounds = dict.fromkeys(self.columns, (-1, 1))
        return LinearRegression(1 / (b * self.weights), 1, bounds).of(self.columns[-1])

    def split(self, order: Ints) -> tuple[Statistics, Moments]:
        """Sums of the first tenth of the records in this order, and moments of the others."""
        train, test = np.split(self.records[order], [self.trained])
        values = dict(zip(self.columns, train.T, strict=True))
        return self.model(Fraction(1)).count(values, self.columns[-1]), self.moments(test)

    def moments(self, rows: Floats) -> Moments:
        """Of some of its records."""
        s = np.column_stack([np.ones(len(rows)), rows])
        return Moments.of(s.T @ s, self.unit)


def made_up() -> Survey:
    """Seven yes/no features and seven numbers, pairwise correlated; y is linear with normal noise.

    The features have a common factor, which makes half of the variance of each before it is cut to
    [−1, 1] or to its sign. They explain about a quarter of y.
    """
    rng = np.random.default_rng(2016)
    latent = rng.standard_normal((RECORDS, FEATURES)) + rng.standard_normal((RECORDS, 1))
    features = np.clip(latent / 4, -1, 1)
    features[:, ::2] = np.sign(latent[:, ::2])
    noise = rng.normal(0, 0.25, RECORDS)
    y = np.clip(features @ rng.normal(0, 0.05, FEATURES) + noise, -1, 1)
    names = (*(f"x{i}" for i in range(1, FEATURES + 1)), "y")
    return Survey(names, np.column_stack([features, y]), 1.0, synthetic=True)
