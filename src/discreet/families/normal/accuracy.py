"""How far noise will move a posterior mean: known before anything is drawn, or paid for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from discreet.core import Mechanism
from discreet.laws.hellinger_normal import HellingerNormalLaw


class ExpectedError(NamedTuple):
    """Root mean square of what the noise adds to the posterior mean, and what to compare it with.

    `posterior_sd` is what n records leave uncertain without any noise, and `prior_sd` what is
    uncertain without any records: an error above it means that the release tells nothing.
    """

    error: float
    posterior_sd: float
    prior_sd: float

    def to_document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return self._asdict()

    def __str__(self) -> str:
        verdict = ""
        if self.error > self.prior_sd:
            verdict = "; the release would tell less than the prior"
        return (
            f"error {self.error:.3g} from the noise, posterior sd {self.posterior_sd:.3g}, prior "
            f"sd {self.prior_sd:.3g}{verdict}"
        )


def expected_error(mechanism: Mechanism, n: int) -> ExpectedError:
    """Of a release of n records, from the very noise that the mechanism draws.

    That of "hellinger" depends on the records; here it is that of records in the middle of the
    bounds, wherever their mean lies between two points. With a private n the error depends on where
    the mean lies, here where the prior expects it.
    """
    model = mechanism.config.model
    law = mechanism.make_raw_law((n, 0))
    noise = law.spreads()
    if noise is None:
        assert isinstance(law, HellingerNormalLaw)
        spread = _chosen(law)
    elif len(noise) == 1:
        spread = float(noise[0])
    else:
        spread = float(noise[0]) * _of_two(model)
    return ExpectedError(
        spread * float(model.step(n)),
        math.sqrt(model.posterior_variance(n)),
        math.sqrt(model.prior_variance),
    )


def _of_two(model: Any) -> float:
    """What an error of n does to the mean counts as one of the sum, where n is private.

    With noise of variance s² on n·grid ± ΣU, that of ΣU is s²/2, and that of n is s²/2 too in units
    of grid. A record too many moves the mean by its distance from the middle of the bounds.
    """
    away = (model.prior_mean - model.centre) ** 2 + model.prior_variance
    return math.sqrt((1 + min(Fraction(1), away / model.half**2)) / 2)


def _chosen(law: HellingerNormalLaw) -> float:
    """√E[(chosen − true)²] of sums that lie evenly between two points in the middle, in floats."""
    sums = np.linspace(-float(law.reach), float(law.reach), law.points)
    apart = (np.arange(32) + 0.5) / 32 * (sums[1] - sums[0])
    true = sums[(law.points - 1) // 2] + apart
    logs = law.float_logs(true)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    squares = (weights * (sums - true[:, None]) ** 2).sum(axis=1) / weights.sum(axis=1)
    return math.sqrt(float(squares.mean()))
