"""The Dirichlet-multinomial law: which counts the prior expects of n records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.exact import Floats, Ints, compositions

_SUMMED = 1_000_000  # counts up to which distribution functions are summed
MOST_DIMENSIONS = 12  # in which points are spread evenly


def probabilities(rows: Ints, prior: Sequence[Fraction]) -> Floats:
    """P(c) ∝ Π Γ(α_i + c_i)/c_i!, divided by the sum over the rows."""
    from scipy import special

    alpha = np.array([float(a) for a in prior])
    logs = (special.gammaln(rows + alpha) - special.gammaln(rows + 1.0)).sum(axis=1)
    return np.asarray(special.softmax(logs))


def strata(prior: Sequence[Fraction], n: int, size: int) -> tuple[Ints, Floats]:
    """About `size` vectors of counts that stand for all with sum n, and their weights.

    All of them if they are few. For two categories: quantiles, denser at the ends, each with the
    probability of the counts nearest to it. For more: the quantile transform, category by category,
    of an evenly spread sequence of points.
    """
    k = len(prior)
    if compositions.count(n, k) <= size:
        rows = compositions.rows(n, k)
        return rows, probabilities(rows, prior)
    alpha = np.array([float(a) for a in prior])
    if k == 2:
        return _binary(alpha, n, size)
    return spread_out(prior, n, size)


def spread_out(prior: Sequence[Fraction], n: int, size: int) -> tuple[Ints, Floats]:
    """`size` vectors of counts and their weights, from an evenly spread sequence of points."""
    k, alpha = len(prior), np.array([float(a) for a in prior])
    points, weights = ends_first(spread(size, k - 1))
    left, columns = np.full(size, n, dtype=np.int64), []
    for i, u in enumerate(points.T):
        rest = float(alpha[i + 1 :].sum())
        column = [
            _quantile(float(alpha[i]), rest, m, q) for m, q in zip(left.tolist(), u, strict=True)
        ]
        columns.append(np.array(column, dtype=np.int64))
        left = left - columns[-1]
    return np.column_stack([*columns, left]), weights / weights.sum()


def spread(size: int, dimension: int) -> Floats:
    """Evenly spread points of the unit cube: fractional parts of multiples of 1/g, 1/g² and so on.

    g is the root of g^{d+1} = g + 1 (the golden ratio for d = 1). In many dimensions no such
    sequence is even, and the points are pseudo-random with a fixed seed.
    """
    if dimension > MOST_DIMENSIONS:
        return np.random.default_rng(dimension).random((size, dimension))
    g = 2.0
    for _ in range(60):
        g = (1 + g) ** (1 / (dimension + 1))
    steps = g ** -np.arange(1.0, dimension + 1)
    return np.asarray((0.5 + np.arange(1, size + 1)[:, None] * steps) % 1.0)


def ends_first(t: Floats) -> tuple[Floats, Floats]:
    """u = sin²(πt/2) in every coordinate, denser at the ends, and the density dt → du."""
    return np.sin(np.pi * t / 2) ** 2, np.prod(np.pi / 2 * np.sin(np.pi * t), axis=1)


def _binary(alpha: Floats, n: int, size: int) -> tuple[Ints, Floats]:
    cumulative = _distribution(alpha[0], alpha[1], n) if n <= _SUMMED else None
    u, _ = ends_first((np.arange(size)[:, None] + 0.5) / size)
    if cumulative is None:
        ones = _continuous(alpha[0], alpha[1], n, u[:, 0])
    else:
        ones = np.minimum(np.searchsorted(cumulative, u[:, 0]), n)
    few = 2 ** np.arange(max(int(ones[0]), 1).bit_length())
    many = n - 2 ** np.arange(max(n - int(ones[-1]), 1).bit_length())
    ones = np.unique(np.concatenate([[0], few, ones, many, [n]]))
    ends = (ones[:-1] + ones[1:]) // 2  # the last counts nearest to each
    if cumulative is None:
        from scipy import special

        below = special.betainc(alpha[0], alpha[1], (ends + 1.0) / (n + 1.0))
    else:
        below = cumulative[ends]
    return np.column_stack([ones, n - ones]), np.diff(below, prepend=0.0, append=1.0)


def _quantile(a: float, b: float, n: int, u: float) -> int:
    """A quantile of the Beta-binomial law."""
    if n <= 2000:
        return min(int(np.searchsorted(_distribution(a, b, n), u)), n)
    return int(_continuous(a, b, n, np.array([u]))[0])


def _continuous(a: float, b: float, n: int, u: Floats) -> Ints:
    """Quantiles for large n, where the share of ones is as good as Beta(a, b)."""
    from scipy import special

    share = special.betaincinv(a, b, u)
    return np.asarray(np.minimum(share * (n + 1.0), n)).astype(np.int64)


def _distribution(a: float, b: float, n: int) -> Floats:
    """The Beta-binomial distribution function at 0 … n."""
    ones = np.arange(n + 1)
    prior = (Fraction(a), Fraction(b))
    return np.cumsum(probabilities(np.column_stack([ones, n - ones]), prior))
