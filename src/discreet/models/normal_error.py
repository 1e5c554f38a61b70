"""How far noise will move a posterior mean: known before anything is drawn, or paid for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import check
from discreet.exact.hockey import gaussian_variance
from discreet.laws.hellinger_normal import HellingerNormalLaw

if TYPE_CHECKING:
    from discreet.models.normal import NormalMean

MOST_POINTS = 10_001
NAMES = ("laplace", "gaussian", "input", "hellinger")


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
    model: NormalMean, n: int, epsilon: Fraction, name: str, delta: object, points: int
) -> ExpectedError:
    """Of a release of n records by one of the mechanisms.

    That of "hellinger" depends on the records; here it is that of records in the middle of the
    bounds, wherever their mean lies between two points.
    """
    n = check.whole("n", n)
    check.choice("mechanism", name, NAMES)
    spread = 0.0
    if n and name == "laplace":  # Var = 1/(2·sinh²(rate/2)) of P(z) ∝ e^{−rate·|z|}
        half = float(epsilon) / (4 * model.grid)
        spread = 0.0 if half > 300 else 1 / (math.sqrt(2) * math.sinh(half))
    elif n and name == "hellinger":
        spread = _hellinger(
            model, n, epsilon, check.whole("points", points, least=2, most=MOST_POINTS)
        )
    elif n:
        share = check.share("delta", delta)
        variance = gaussian_variance(epsilon, share, Fraction(2 * model.grid) ** 2)
        spread = math.sqrt(variance * (n if name == "input" else 1))
    return ExpectedError(
        spread * float(model.step(n)),
        math.sqrt(model.posterior_variance(n)),
        math.sqrt(model.prior_variance),
    )


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
