"""The coefficients of a regression as released and noise-aware, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.families.regression.posterior import Coefficients
from discreet.report import Tabled, conflicts

REMARK = "Records were clipped to the public bounds."


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientsSummary(Tabled):
    """Mean, standard deviation and 95 % interval of every coefficient.

    `plain` takes the released numbers for the true ones; `noise_aware` is None for samples; `prior`
    is what was believed before.
    """

    heading = ("coefficient", "posterior", "mean", "sd", "95 % interval")

    title: str
    plain: Coefficients
    noise_aware: Coefficients | None
    prior: Coefficients

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text."""
        laws = {"as released": self.plain}
        if self.noise_aware is not None:
            laws["noise-aware"] = self.noise_aware
        columns = [(name, law.mean(), law.sd(), law.interval()) for name, law in laws.items()]
        return [
            (coefficient, name, f"{mean[i]:.4g}", *_spread(sd[i], *ends[i]))
            for i, coefficient in enumerate(self.plain.names)
            for name, mean, sd, ends in columns
        ]

    @property
    def remarks(self) -> list[str]:
        """That records were clipped, and coefficients that the prior did not expect."""
        law = self.plain if self.noise_aware is None else self.noise_aware
        return [REMARK, *conflicts(law.names, law.mean(), self.prior.mean(), self.prior.sd())]


def _spread(sd: float, low: float, high: float) -> tuple[str, str]:
    return ("–", "–") if np.isnan(sd) else (f"{sd:.2g}", f"{low:.4g} to {high:.4g}")
