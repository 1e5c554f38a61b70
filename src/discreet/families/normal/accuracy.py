"""How far noise will move a posterior mean: known before anything is drawn, or paid for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import check
from discreet.core import Adjacency
from discreet.errors import InputError
from discreet.exact.hockey_stick import gaussian_variance
from discreet.laws.hellinger_normal import HellingerNormalLaw

if TYPE_CHECKING:
    from discreet.families.normal.model import NormalMean

MOST_POINTS = 10_001
NAMES = ("laplace", "gaussian", "input", "hellinger")
WITH_PRIVATE_N = NAMES[:2]


class ExpectedError(NamedTuple):
    """Root mean square of what the noise adds to the posterior mean, and what to compare it with.

    `posterior_sd` is what n records leave uncertain without any noise, and `prior_sd` what is
    uncertain without any records: an error above it means that the release tells nothing.
    """

    error: float
    posterior_sd: float
    prior_sd: float

    def __str__(self) -> str:
        verdict = ""
        if self.error > self.prior_sd:
            verdict = "; the release would tell less than the prior"
        return (
            f"error {self.error:.3g} from the noise, posterior sd {self.posterior_sd:.3g}, prior "
            f"sd {self.prior_sd:.3g}{verdict}"
        )


def expected_error(
    model: NormalMean,
    n: int,
    epsilon: Fraction,
    name: str,
    delta: object,
    points: int,
    adjacency: Adjacency,
) -> ExpectedError:
    """Of a release of n records by one of the mechanisms.

    That of "hellinger" depends on the records; here it is that of records in the middle of the
    bounds, wherever their mean lies between two points. With a private n the error depends on where
    the mean lies, here where the prior expects it.
    """
    n = check.whole("n", n)
    check.choice("mechanism", name, NAMES)
    if adjacency is Adjacency.SUBSTITUTE:
        spread = _spread(model, n, epsilon, name, delta, points) if n else 0.0
    elif adjacency is Adjacency.ADD_REMOVE and name in WITH_PRIVATE_N:
        spread = _spread_of_two(model, epsilon, name, delta)
    else:
        raise InputError(
            f"adjacency must be 'substitute', or 'add-remove' for {' and '.join(WITH_PRIVATE_N)}, "
            f"got {adjacency.value!r} for {name}",
            "adjacency",
        )
    return ExpectedError(
        spread * float(model.step(n)),
        math.sqrt(model.posterior_variance(n)),
        math.sqrt(model.prior_variance),
    )


def _spread(
    model: NormalMean, n: int, epsilon: Fraction, name: str, delta: object, points: int
) -> float:
    """Of the released sum around the true one, n being public."""
    if name == "laplace":
        return _laplace(model, epsilon)
    if name == "hellinger":
        return _hellinger(
            model, n, epsilon, check.whole("points", points, least=2, most=MOST_POINTS)
        )
    return _gaussian(model, epsilon, delta, 1) * (math.sqrt(n) if name == "input" else 1)


def _spread_of_two(model: NormalMean, epsilon: Fraction, name: str, delta: object) -> float:
    """Of the sum if n is private: what an error of n does to the mean counts as one of the sum.

    With noise of variance s² on n·grid ± ΣU, that of ΣU is s²/2, and that of n is s²/2 too in units
    of grid. A record too many moves the mean by its distance from the middle of the bounds.
    """
    noise = _laplace(model, epsilon) if name == "laplace" else _gaussian(model, epsilon, delta, 2)
    away = (model.prior_mean - model.centre) ** 2 + model.prior_variance
    return noise * math.sqrt((1 + min(Fraction(1), away / model.half**2)) / 2)


def _laplace(model: NormalMean, epsilon: Fraction) -> float:
    """√Var of P(z) ∝ e^{−rate·|z|}, which is 1/(√2·sinh(rate/2)), for the rate ε/(2·grid)."""
    half = float(epsilon) / (4 * model.grid)
    return 0.0 if half > 300 else 1 / (math.sqrt(2) * math.sinh(half))


def _gaussian(model: NormalMean, epsilon: Fraction, delta: object, numbers: int) -> float:
    share = check.share("delta", delta)
    return math.sqrt(gaussian_variance(epsilon, share, Fraction(2 * model.grid) ** 2, numbers))


def _hellinger(model: NormalMean, n: int, epsilon: Fraction, points: int) -> float:
    """√E[(chosen − true)²] of sums that lie evenly between two points in the middle, in floats."""
    scale = model.step(n) ** 2 / (8 * model.posterior_variance(n))
    law = HellingerNormalLaw(0, n * model.grid, points, scale, 2 * model.grid, epsilon)
    sums = np.linspace(-float(law.reach), float(law.reach), points)
    apart = (np.arange(32) + 0.5) / 32 * (sums[1] - sums[0])
    true = sums[(points - 1) // 2] + apart
    logs = law.float_logs(true)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    squares = (weights * (sums - true[:, None]) ** 2).sum(axis=1) / weights.sum(axis=1)
    return math.sqrt(float(squares.mean()))
