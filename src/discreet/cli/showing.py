"""A release as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.cli import common
from discreet.errors import NotEnumerable
from discreet.models.network import BayesNet
from discreet.models.normal import NormalMean
from discreet.models.regression import LinearRegression

if TYPE_CHECKING:
    from rich.table import Table

    from discreet.models.posterior import DirichletPosterior
    from discreet.releases import Release


def noise_aware(made: Release) -> Any:
    """The noise-aware posterior; None where it is not feasible, or made by the summary."""
    if isinstance(made.config.model, BayesNet) or made.config.mechanism == "sample":
        return None
    try:
        return made.noise_aware()
    except NotEnumerable:
        return None


def show(made: Release, aware: Any) -> None:
    """One table, or one for every group."""
    by, console = made.config.model.by, common.console()
    if isinstance(made.config.model, (BayesNet, NormalMean, LinearRegression)):
        console.print(made.summary(noise_aware=aware))
        return
    if aware is None:
        if by is not None:
            common.say(made.title)
        plains: dict[Any, Any] = {"": made.posterior} if by is None else made.by_group()
        for group, posterior in plains.items():
            console.print(_plain(f"{by.column} {group}" if by else made.title, posterior))
        common.say("The intervals treat the released counts as the true ones.")
        return
    console.print(made.summary(noise_aware=aware))


def _plain(title: str, posterior: DirichletPosterior) -> Table:
    from rich.table import Table
    from rich.text import Text

    from discreet.models.export import SHOWN

    table = Table(title=Text(title), title_justify="left")
    for heading in ("category", "α", "mean", "sd", "95 % interval"):
        table.add_column(heading)
    rows = posterior.table()
    for row in rows[:SHOWN]:
        table.add_row(*map(Text, row))
    if len(rows) > SHOWN:
        table.caption = f"… {len(rows)} categories in all."
    return table


def show_cost(made: Release) -> None:
    """What a release cost."""
    paid = made.receipt
    if paid is not None and paid.stored is not None:
        common.say(
            f"It was made before and is returned from the ledger, where entry {paid.number} "
            f"paid for it: {made.guarantee}. Nothing was charged now."
        )
    else:
        common.say(f"It cost {made.guarantee}.")
    if made.n_source == "sum of the counts":
        common.say("The number of records is made public.")
