"""Normal priors of regression coefficients, in the units of the data, as exact rationals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat

from discreet import check
from discreet.check import Number
from discreet.errors import InputError

Vector: TypeAlias = tuple[Fraction, ...]
Matrix: TypeAlias = tuple[Vector, ...]
Prior: TypeAlias = "Number | tuple[Any, Any] | Mapping[str, Any] | CoefficientsPrior"


@dataclass(frozen=True)
class CoefficientsPrior:
    """N(mean, covariance): of coefficients by name, in order, or the same for all of them.

    One mean and a covariance of one entry stand for independent coefficients that are all alike.
    """

    names: tuple[str, ...] | None
    mean: Vector
    covariance: Matrix

    @classmethod
    def read(cls, prior: object) -> CoefficientsPrior:
        """A variance; a pair (mean, covariance); or a mapping by name to either of numbers."""
        if isinstance(prior, CoefficientsPrior):
            return prior
        if isinstance(prior, Mapping):
            names = tuple(check.label("prior", name) for name in prior)
            pairs = [_pair(f"prior[{name!r}]", prior[name]) for name in names]
            mean, variances = zip(*pairs, strict=True) if pairs else ((), ())
            return cls(names, mean, _diagonal(variances))
        if _is_pair(prior):
            pair: Any = prior
            return cls(
                None, *_sized(_vector("prior[0]", pair[0]), _covariance("prior[1]", pair[1]))
            )
        return cls(None, (Fraction(0),), ((check.positive("prior", prior),),))

    def of(self, coefficients: Sequence[str]) -> tuple[Vector, Matrix]:
        """Mean and covariance of these coefficients, in this order."""
        if self.names is not None:
            if set(self.names) != set(coefficients):
                raise InputError(
                    f"prior must name the coefficients {', '.join(coefficients)}, got "
                    f"{check.shorten(', '.join(self.names))}",
                    "prior",
                )
            order = [self.names.index(name) for name in coefficients]
            rows = tuple(tuple(self.covariance[i][j] for j in order) for i in order)
            return tuple(self.mean[i] for i in order), rows
        if len(self.mean) == 1:
            k = len(coefficients)
            return self.mean * k, _diagonal([self.covariance[0][0]] * k)
        if len(self.mean) != len(coefficients):
            raise InputError(
                f"prior must have {len(coefficients)} coefficients, {', '.join(coefficients)}, got "
                f"{len(self.mean)}",
                "prior",
            )
        return self.mean, self.covariance


def matrix(rows: Iterable[Iterable[Fraction]]) -> fmpq_mat:
    """A matrix of flint's rationals."""
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])


def fractions(table: fmpq_mat) -> Matrix:
    """Such a matrix as fractions."""
    return tuple(tuple(Fraction(int(x.p), int(x.q)) for x in row) for row in table.tolist())


def _is_pair(prior: object) -> bool:
    return isinstance(prior, (tuple, list)) and len(prior) == 2


def _pair(argument: str, given: object) -> tuple[Fraction, Fraction]:
    """Mean and variance of one coefficient."""
    pair: Any = given if _is_pair(given) else (0, given)
    mean, variance = pair
    return check.rational(argument, mean), check.positive(argument, variance)


def _vector(argument: str, given: Any) -> Vector:
    if np.ndim(given) == 0:
        return (check.rational(argument, given),)
    return tuple(check.rational(f"{argument}[{i}]", x) for i, x in enumerate(given))


def _covariance(argument: str, given: Any) -> Matrix:
    """From a variance, variances, or a whole matrix, which has to be positive definite."""
    try:
        dimensions = np.ndim(given)
    except ValueError:
        dimensions = -1
    if dimensions == 0:
        return ((check.positive(argument, given),),)
    if dimensions == 1:
        variances = [check.positive(f"{argument}[{i}]", x) for i, x in enumerate(given)]
        return _diagonal(variances)
    k = len(given)
    if dimensions != 2 or any(len(row) != k for row in given):
        raise InputError(f"{argument} must be a variance, variances or a square matrix", argument)
    rows = tuple(
        tuple(check.rational(f"{argument}[{i}, {j}]", x) for j, x in enumerate(row))
        for i, row in enumerate(given)
    )
    if any(rows[i][j] != rows[j][i] for i in range(k) for j in range(i)):
        raise InputError(f"{argument} must be symmetric", argument)
    if not positive_definite(rows):
        raise InputError(f"{argument} must be positive definite", argument)
    return rows


def positive_definite(rows: Matrix) -> bool:
    """Whether all pivots of Gaussian elimination are positive: exact."""
    left = [list(row) for row in rows]
    for i, pivot_row in enumerate(left):
        if pivot_row[i] <= 0:
            return False
        for row in left[i + 1 :]:
            if row[i] != 0:
                ratio = row[i] / pivot_row[i]
                row[i:] = [a - ratio * b for a, b in zip(row[i:], pivot_row[i:], strict=True)]
    return True


def _diagonal(variances: Sequence[Fraction]) -> Matrix:
    zero = Fraction(0)
    return tuple(
        tuple(variance if i == j else zero for j in range(len(variances)))
        for i, variance in enumerate(variances)
    )


def _sized(mean: Vector, covariance: Matrix) -> tuple[Vector, Matrix]:
    k = max(len(mean), len(covariance))
    if len(mean) == 1:
        mean = mean * k
    if len(covariance) == 1:
        covariance = _diagonal([covariance[0][0]] * k)
    if len(mean) != len(covariance):
        raise InputError(
            f"prior must have as many means as variances, got {len(mean)} and {len(covariance)}",
            "prior",
        )
    return mean, covariance
