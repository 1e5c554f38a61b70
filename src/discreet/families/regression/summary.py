"""The coefficients of a regression as released and noise-aware, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from discreet import report
from discreet.families.regression.posterior import Coefficients
from discreet.report import aligned, conflicts, rich_table

if TYPE_CHECKING:
    from rich.console import Group

HEADING = ("coefficient", "posterior", "mean", "sd", "95 % interval")
REMARK = "Records were clipped to the public bounds."


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientsSummary:
    """Mean, standard deviation and 95 % interval of every coefficient.

    `plain` takes the released numbers for the true ones; `noise_aware` is None for samples; `prior`
    is what was believed before.
    """

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

    def __str__(self) -> str:
        return "\n".join([self.title, "", *aligned([HEADING, *self.rows]), "", *self.remarks])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = report.html_table(HEADING, self.rows, 0)
        return f"<p>{escape(self.title)}</p>{table}<p>{escape(' '.join(self.remarks))}</p>"

    def __rich__(self) -> Group:
        return rich_table(self.title, HEADING, self.rows, "\n".join(self.remarks))


def _spread(sd: float, low: float, high: float) -> tuple[str, str]:
    return ("–", "–") if np.isnan(sd) else (f"{sd:.2g}", f"{low:.4g} to {high:.4g}")
