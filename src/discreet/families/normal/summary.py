"""A released mean as it stands and with the noise accounted for, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.posteriors.normal import HEADING, NormalLaw, NormalPosterior
from discreet.report import Tabled, conflicts


@dataclass(frozen=True, eq=False, repr=False)
class NormalSummary(Tabled):
    """Mean, standard deviation and 95 % interval of μ, and where the width comes from."""

    heading = ("posterior", *HEADING)

    title: str
    plain: NormalPosterior
    noise_aware: NormalLaw
    prior: NormalPosterior

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text."""
        return [("as released", *self.plain.row()), ("noise-aware", *self.noise_aware.row())]

    @cached_property
    def remarks(self) -> list[str]:
        """How much of the width is sampling and how much privacy, and whether the prior fits."""
        low, high = self.noise_aware.interval()
        least, most = self.plain.interval()
        percent = round(100 * min(1.0, self.plain.variance() / self.noise_aware.variance()))
        found = (
            f"The interval is {high - low:.3g} wide; without the noise it would be about "
            f"{most - least:.3g}. {percent} % of the variance is sampling, "
            f"{100 - percent} % privacy. Records were clipped to the bounds."
        )
        numbers = (self.noise_aware.mean(), self.prior.mean(), self.prior.sd())
        far = conflicts(["The mean"], *(np.array([number]) for number in numbers))
        return [" ".join([found, *far])]
