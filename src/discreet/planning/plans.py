"""What a plan says, and the search behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from discreet import check, plots
from discreet.check import Number
from discreet.core import Guarantee
from discreet.core.counts import AnyModel, CountsLike
from discreet.core.guarantee import warn_of_large
from discreet.errors import InputError, NotEnumerable
from discreet.ledger.remaining import Needed, needed
from discreet.planning.search import LEAST, MOST, least
from discreet.planning.setting import Setting, settle
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN, _WIDTHS_SHOWN = 61, 25  # points of a curve; widths are slower


@dataclass(frozen=True, repr=False)
class Plan:
    """An epsilon and what it buys. Public: no data enter.

    `error` is the expected error, `error_quantile` its 95 % or given quantile, `width` the expected
    width of the noise-aware credible interval for the category with the widest one. Quantile and
    width are known of counts of categories only. `budget` is what several such releases need: by
    the sums, and composed in a ledger with a δ; `budget.wins` is the smaller one.

    Example:
        >>> import discreet as dp
        >>> plan = dp.plan(dp.BetaBinomial(), n=1000, epsilon=0.5)
        >>> round(plan.error, 3), round(plan.width, 3)
        (0.063, 0.05)
    """

    epsilon: Fraction
    error: float
    error_quantile: float | None
    question: str
    guarantee: Guarantee
    asked: str  # "error", "quantile", "width" or "epsilon"
    setting: Setting = field(repr=False, compare=False)
    budget: Needed | None = None

    @cached_property
    def width(self) -> float:
        """The expected width of the noise-aware credible interval; the first use computes it."""
        return self.setting.value("width", self.epsilon)

    @property
    def width_without_noise(self) -> float:
        """What the width would be without privacy."""
        return self.setting.floor("width")

    def plot(self, ax: Axes | None = None) -> Axes:
        """The error or width that was asked for against epsilon."""
        center, kind = float(self.epsilon), "error" if self.asked == "epsilon" else self.asked
        low = min(center, max(center / 20, float(LEAST)))
        high = max(center, min(center * 20, float(MOST)))
        number = _WIDTHS_SHOWN if kind == "width" else _SHOWN
        spaced = np.geomspace(low, high, number)
        grid = sorted({check.rational("epsilon", float(f"{e:.3g}")) for e in spaced})
        values = [self.setting.value(kind, e) for e in track(grid, "Drawing the curve")]
        there = self.setting.value(kind, self.epsilon)
        what = {"error": "mean error", "width": "mean width"}
        if kind == "quantile":
            what[kind] = self.setting.words(kind).replace("quantile of the", "")
        return plots.plot_curve(
            [float(e) for e in grid],
            values,
            self.setting.mechanism,
            ("ε", self.setting.words(kind)),
            (center, there),
            f"{check.equation('ε', self.epsilon)}: {what[kind]} {there:.3g}",
            ax,
            f"{self.setting.mechanism}, n = {self.setting.n}, {self.setting.judged}",
        )

    def _rows(self) -> list[tuple[str, str]]:
        words = self.setting.words
        floor = self.asked != "epsilon" and self.epsilon == LEAST
        remark = " (the smallest epsilon that is considered)" if floor else ""
        rows = [
            ("epsilon", f"{check.show(self.epsilon)}{remark}"),
            (words("error"), f"{self.error:.4g}"),
        ]
        if self.error_quantile is not None:
            rows.append((words("quantile"), f"{self.error_quantile:.4g}"))
        if self.asked in ("width", "epsilon") and "width" in self.setting.kinds:
            rows.append((words("width"), self._width_text()))
        rows.append(("guarantee", str(self.guarantee)))
        if self.budget is not None:
            rows.append((f"{self.budget.releases} such releases", str(self.budget)))
        return rows

    def _width_text(self) -> str:
        try:
            return f"{self.width:.4g} ({self.width_without_noise:.4g} without noise)"
        except NotEnumerable as error:
            return f"not computed: {error}"

    def __str__(self) -> str:
        rows = self._rows()
        longest = max(len(name) for name, _ in rows)
        return "\n".join([self.question, *(f"  {name:<{longest}}  {text}" for name, text in rows)])

    def __repr__(self) -> str:
        return f"<plan: epsilon = {check.show(self.epsilon)}. {self.question}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<p>{escape(self.question)}</p><table><tbody>{rows}</tbody></table>"


def plan(
    model: AnyModel,
    n: int,
    error: Number | None = None,
    width: Number | None = None,
    epsilon: Number | None = None,
    mechanism: str | None = None,
    at: CountsLike | None = None,
    worst_case: bool = False,
    quantile: float | None = None,
    level: float = 0.95,
    distance: str = "hellinger",
    releases: int | None = None,
    total_delta: Number = 1e-6,
    **options: object,
) -> Plan:
    """The least epsilon that reaches a target, or what a given epsilon buys.

    Exactly one of error, width and epsilon is given. Nothing here looks at data: an epsilon chosen
    with the data would itself tell about them. The search goes through epsilon from 1e-4 to 100
    in three significant digits; the target is met at the value returned, as evaluated. Evaluation
    is deterministic and right to about one per cent, for a width two.

    Args:
        model: the model whose posterior is to be released. What follows about errors is of
            categories; of other models the error is that of `mechanism.expected_error`, in the
            units of the data, and only error and epsilon can be asked for.
        n: the number of records; under adjacency="add-remove" a public guess at it.
        error: the largest acceptable expected distance of the released posterior from the true
            one; with quantile=0.95, the largest acceptable distance in 95 % of releases.
        width: the largest acceptable expected width of the noise-aware credible interval, for the
            category with the widest one.
        epsilon: asks for the errors and the width that it buys.
        mechanism: the name of a private mechanism; None: the family's own choice.
        at: judge at these proportions or counts, public or made up: in category order, or a mapping
            or Series by category, 0 where left out.
        worst_case: judge at the worst counts instead of the average over what the prior expects.
        quantile: of the error, 0.95 unless given.
        level: the probability of the credible interval.
        distance: "hellinger", "total_variation" (two categories), "kl" or "l1".
        releases: how many such releases there will be: which budget do they need?
        total_delta: the δ of a ledger in which they compose.
        options: of the mechanism; and adjacency.

    Returns:
        A `Plan`: `epsilon`, `error`, `width`, `guarantee`, `budget`, `plot()`.

    Raises:
        InputError: an argument is wrong, or no epsilon up to 100 reaches the target.

    Guarantee:
        None is needed: no data enter.

    Example:
        >>> import discreet as dp
        >>> float(dp.plan(dp.BetaBinomial(), n=1000, error=0.05).epsilon)
        0.625
    """
    targets = {"error": error, "width": width, "epsilon": epsilon}
    given = [name for name, value in targets.items() if value is not None]
    if len(given) != 1:
        listed = " and ".join(given) or "none"
        raise InputError(
            f"exactly one of error, width and epsilon must be given, got {listed}", "error"
        )
    number = None if releases is None else check.whole("releases", releases, least=1, most=10**6)
    share = check.share("total_delta", total_delta)
    setting = settle(model, n, mechanism, options, (at, worst_case), quantile, level, distance)
    if given[0] not in (*setting.kinds, "epsilon"):
        raise InputError(f"{given[0]} is for counts of categories: give error or epsilon", given[0])
    asked = given[0] if error is None or quantile is None else "quantile"
    if epsilon is not None:
        chosen = check.epsilon(epsilon)
        question = f"What {setting.make(chosen).name} with epsilon = {check.show(chosen)} buys"
    else:
        target = check.positive(given[0], targets[given[0]])
        chosen = least(setting, asked, float(target), given[0])
        question = (
            f"The least epsilon for which {setting.make(chosen).name} keeps the "
            f"{setting.words(asked)} at or below {check.show(target)}"
        )
    guarantee = setting.make(chosen).guarantee
    warn_of_large(guarantee.delta, n, stacklevel=3)
    return Plan(
        chosen,
        setting.value("error", chosen),
        setting.value("quantile", chosen) if "quantile" in setting.kinds else None,
        f"{question}, for {check.number_of(n, 'record')}, {setting.judged}.",
        guarantee,
        asked,
        setting,
        None if number is None else needed(guarantee, number, share),
    )
