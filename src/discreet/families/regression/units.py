"""Between the units of the data and those in which all columns lie in [−1, 1].

With u_j = (x_j − c_j)/h_j and t = (y − c_y)/h_y, the coefficients w of y on (1, x) and the
coefficients v of t on (1, u) are related by w = T·v + o. Exact rationals; a model without an
intercept has c = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.data.moments import Scaled
from discreet.exact import Floats
from discreet.families.regression.prior import Matrix, Vector, fractions, matrix


@dataclass(frozen=True)
class Units:
    """The columns X, in order, and y."""

    features: tuple[Scaled, ...]
    target: Scaled
    intercept: bool

    @cached_property
    def transform(self) -> tuple[Matrix, Vector]:
        """T and o."""
        height = self.target.scale
        slopes = [height / x.scale for x in self.features]
        zero = Fraction(0)
        rows = [
            tuple(slope if i == j else zero for j in range(len(slopes)))
            for i, slope in enumerate(slopes)
        ]
        if not self.intercept:
            return tuple(rows), (zero,) * len(slopes)
        shifts = (-slope * x.shift for slope, x in zip(slopes, self.features, strict=True))
        first = (height, *shifts)
        return (first, *((zero, *row) for row in rows)), (self.target.shift, *[zero] * len(slopes))

    def inward(self, mean: Vector, covariance: Matrix) -> tuple[Vector, Matrix]:
        """Mean and precision of v, given mean and covariance of w."""
        rows, offset = self.transform
        transform = matrix(rows)
        column = matrix([[m - o] for m, o in zip(mean, offset, strict=True)])
        inner = [row[0] for row in fractions(transform.solve(column))]
        precision = transform.transpose() * matrix(covariance).inv() * transform
        return tuple(inner), fractions(precision)

    def outward(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance of w, given those of v; any number of them along the first axes."""
        transform, offset = (np.array(part, dtype=np.float64) for part in self.transform)
        return mean @ transform.T + offset, transform @ covariance @ transform.T

    @property
    def noise(self) -> Fraction:
        """What a variance of t is multiplied by to be one of y."""
        return self.target.scale**2
