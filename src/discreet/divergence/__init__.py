"""Distances between Dirichlet distributions: in floats, right to 1e-9, and as rigorous balls."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet import check
from discreet.divergence.enclosures import (
    hellinger_ball,
    kl_ball,
    size_bits,
    total_variation_ball,
)
from discreet.divergence.excess import dirichlet_kl, half_excess_table
from discreet.divergence.tables import hellinger_row
from discreet.errors import InputError
from discreet.exact import Bools, Floats, balls

__all__ = [
    "float_total_variation",
    "half_excess_table",
    "hellinger",
    "hellinger_ball",
    "hellinger_row",
    "kl",
    "kl_ball",
    "l1",
    "size_bits",
    "total_variation",
    "total_variation_ball",
]


class _Posterior(Protocol):
    """Over categories, with Dirichlet parameters."""

    @property
    def alpha(self) -> Floats:
        """The parameters."""


Parameters: TypeAlias = npt.ArrayLike | _Posterior


def _pair(a: Parameters, b: Parameters) -> tuple[Floats, Floats]:
    labels = [getattr(side, "categories", None) for side in (a, b)]
    if None not in labels and labels[0] != labels[1]:
        raise InputError(
            "a and b must be posteriors over the same categories in the same order", "b"
        )
    first = check.parameters("a", getattr(a, "alpha", a))
    second = check.parameters("b", getattr(b, "alpha", b))
    if first.shape[-1] != second.shape[-1]:
        raise InputError(
            f"a and b must have as many parameters, got {first.shape[-1]} and {second.shape[-1]}",
            "b",
        )
    try:
        first, second = np.broadcast_arrays(first, second)
    except ValueError:
        raise InputError(
            f"a and b must have shapes that fit, got {first.shape} and {second.shape}", "b"
        ) from None
    return first, second


def _plain(values: Floats) -> float | Floats:
    return float(values) if np.ndim(values) == 0 else values


def hellinger(a: Parameters, b: Parameters) -> float | Floats:
    """Hellinger distance √(1 − B((a+b)/2)/√(B(a)·B(b))) between Dir(a) and Dir(b).

    a and b are parameters or posteriors (`DirichletPosterior`); arrays of parameter vectors are
    broadcast along all axes but the last. Relative error at most
    1e-9 for parameters from 1e-3 to 1e12. Reference: P0 §3 (its integral lacks two roots, E1).

    Args:
        a: parameters, or a posterior.
        b: the same.

    Returns:
        A float, or an array of them.

    Raises:
        InputError: they are no parameters, or do not fit each other.

    Example:
        >>> import discreet as dp
        >>> round(dp.hellinger((2, 3), (3, 2)), 4)
        0.3412
    """
    first, second = _pair(a, b)
    middle, half = (first + second) / 2, (second - first) / 2
    exponent = 0.5 * (dirichlet_kl(middle, first, -half) + dirichlet_kl(middle, second, half))
    return _plain(np.sqrt(-np.expm1(-np.maximum(exponent, 0.0))))


def kl(a: Parameters, b: Parameters) -> float | Floats:
    """Kullback-Leibler divergence KL(Dir(a) ‖ Dir(b)) = ∫ p log(p/q); arrays as in `hellinger`.

    Args:
        a: parameters, or a posterior.
        b: the same.

    Returns:
        A float, or an array of them.

    Raises:
        InputError: they are no parameters, or do not fit each other.

    Example:
        >>> import discreet as dp
        >>> round(dp.kl((2, 3), (3, 2)), 4)
        0.5
    """
    first, second = _pair(a, b)
    return _plain(np.maximum(dirichlet_kl(first, second, second - first), 0.0))


def l1(a: Parameters, b: Parameters) -> float | Floats:
    """The l1 distance Σ|a_i − b_i| between the parameters; arrays as in `hellinger`.

    Args:
        a: parameters, or a posterior.
        b: the same.

    Returns:
        A float, or an array of them.

    Raises:
        InputError: they are no parameters, or do not fit each other.

    Example:
        >>> import discreet as dp
        >>> dp.l1((2, 3), (3, 2))
        2.0
    """
    first, second = _pair(a, b)
    return _plain(np.abs(first - second).sum(axis=-1))


def total_variation(a: Parameters, b: Parameters) -> float | Floats:
    """Total variation distance sup_A |P(A) − Q(A)| between Beta(a) and Beta(b); two parameters.

    A difference of incomplete beta functions at the points where the densities cross: in floats
    where those are accurate enough, otherwise in balls. Arrays as in `hellinger`.

    Args:
        a: two parameters, or a posterior of two categories.
        b: the same.

    Returns:
        A float, or an array of them.

    Raises:
        InputError: they are no parameters, or there are more than two.

    Example:
        >>> import discreet as dp
        >>> round(dp.total_variation((2, 3), (3, 2)), 4)
        0.375
    """
    first, second = _pair(a, b)
    if first.shape[-1] != 2:
        raise InputError(
            f"total_variation needs two parameters (a Beta), got {first.shape[-1]}", "a"
        )
    rows = first.reshape(-1, 2), second.reshape(-1, 2)
    result, sure = float_total_variation(*rows[0].T, *rows[1].T)
    for index in np.flatnonzero(~sure):
        exact = ([Fraction(x) for x in side[index].tolist()] for side in rows)
        result[index] = balls.nearest(partial(total_variation_ball, *exact))
    return _plain(result.reshape(first.shape[:-1]))


def float_total_variation(a1: Floats, b1: Floats, a2: Floats, b2: Floats) -> tuple[Floats, Bools]:
    """The value, and where it is good to 1e-9: equal sums, and few digits lost."""
    from scipy import special

    step, total = a2 - a1, a1 + b1
    same = (step == 0) & (b1 == b2)
    with np.errstate(all="ignore"):
        # one crossing, where step·logit(x) = lnB(a2, b2) − lnB(a1, b1); an error in x is harmless
        # because the difference of the distribution functions is flat there
        logit = (special.betaln(a2, b2) - special.betaln(a1, b1)) / step
        x, y = special.expit(logit), special.expit(-logit)
        left = special.betainc(a1, b1, x) - special.betainc(a2, b2, x)
        right = special.betainc(b2, a2, y) - special.betainc(b1, a1, y)
        value = np.abs(np.where(x < 0.5, left, right))
        equal_sums = np.abs(step - (b1 - b2)) <= 4 * np.finfo(float).eps * total
        # scipy's error is about 1e-16·√total
        accurate = equal_sums & (value > 1e-5 * np.sqrt(total)) & (total < 1e7)
    return np.where(same, 0.0, value), accurate | same
