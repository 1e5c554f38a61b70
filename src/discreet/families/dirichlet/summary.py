"""A released posterior as it stands and with the noise accounted for, side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

from discreet import report
from discreet.posteriors.dirichlet import DirichletPosterior
from discreet.posteriors.mixture import DirichletMixture
from discreet.report import LEVEL, Tabled

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Tabled):
    """Mean, standard deviation and 95 % interval of every θ_i, and where the width comes from.

    `plain` treats the released counts as true; it is None if they make no posterior.
    """

    heading = ("category", "posterior", "mean", "sd", "95 % interval")

    title: str
    plain: DirichletPosterior | None
    noise_aware: DirichletMixture
    cause: str = "privacy"  # what to call the part of the variance that is not sampling

    @cached_property
    def _intervals(self) -> list[tuple[float, float]]:
        """The noise-aware ones, of the categories that are shown."""
        shown = self.noise_aware.categories[: report.SHOWN]
        tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        return [tuple(self.noise_aware.marginal(label).ppf(tails).tolist()) for label in shown]

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text: for every category, of many the first, one row or two."""
        labels = [str(label) for label in self.noise_aware.categories[: report.SHOWN]]
        aware = self.noise_aware.mean(), self.noise_aware.sd(), self._intervals
        kinds = [("noise-aware", *aware)]
        if self.plain is not None:
            columns = self.plain.mean(), self.plain.sd(), self.plain.interval(LEVEL).tolist()
            kinds.insert(0, ("as released", *columns))
        least = min(float(min(sd[: len(labels)])) for _, _, sd, _ in kinds)
        places = max(3, 1 - math.floor(math.log10(max(least, 1e-15))))

        def show(*numbers: float) -> str:
            return " – ".join(f"{number:.{places}f}" for number in numbers)

        return [
            (label, name, show(mean[i]), show(sd[i]), show(*ends[i]))
            for i, label in enumerate(labels)
            for name, mean, sd, ends in kinds
        ]

    @cached_property
    def remarks(self) -> list[str]:
        """For every category, how much of the width is sampling and how much is privacy.

        The intervals of two categories mirror each other: one sentence for both.
        """
        sampling, privacy = self.noise_aware.parts()
        names = list(map(str, self.noise_aware.categories))
        if len(names) == 2:
            names = [" and ".join(names)]
        result = []
        for i, (name, (low, high)) in enumerate(zip(names, self._intervals, strict=False)):
            share = float(sampling[i] / (sampling[i] + privacy[i]))
            percent = round(100 * share)
            result.append(
                f"{name}: the interval is {high - low:.3g} wide; without the noise it would be "
                f"about {(high - low) * share**0.5:.3g}. "
                f"{percent} % of the variance is sampling, {100 - percent} % {self.cause}."
            )
        if (k := len(self.noise_aware.categories)) > report.SHOWN:
            result.append(f"… {k} categories in all.")
        return result


@dataclass(frozen=True, eq=False, repr=False)
class GroupedSummary(Summary):
    """The summary of a joint table: `groups` has one within each of its groups."""

    groups: tuple[Summary, ...] = ()

    def __str__(self) -> str:
        return "\n\n".join([self.title, *map(str, self.groups)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.title)}</p>" + "".join(g._repr_html_() for g in self.groups)

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        return Group(Text(self.title), *self.groups)
