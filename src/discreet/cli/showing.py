"""A release as tables and sentences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.cli import common, places
from discreet.core import families
from discreet.core.family import available
from discreet.errors import InputError, NotAPosteriorError, NotEnumerable
from discreet.posteriors.normal import HEADING, NormalLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

    from discreet.releases.published import AnyRelease

PLAIN = ("category", "α", "mean", "sd", "95 % interval")


def present(
    made: AnyRelease,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    node: str | None = None,
) -> None:
    """A release that was made before: its tables, its guarantee and its receipt."""
    if node is not None and "node" not in made.family.views:
        raise InputError(f"node is for releases of networks, got {node!r}", "node")
    aware = None
    if plot is not None or not (as_json or quiet):
        aware = noise_aware(made)
    if plot is not None:
        places.save_plot(plot, lambda: _drawn(made, aware, node), force)
    if as_json:
        common.print_json(json.loads(made.to_json()))
    elif not quiet:
        show(made, aware, node)
        show_terms(made)
        if plot is not None:
            common.say(f"Plot written to {plot}.")


def noise_aware(made: AnyRelease) -> Any:
    """The noise-aware posterior; None where there is none, or it is not feasible."""
    if not families.spec_of(made.mechanism).can("noise_aware"):
        return None
    try:
        return made.noise_aware()
    except NotEnumerable:
        return None


def _drawn(made: AnyRelease, aware: Any, node: str | None) -> Axes:
    if not available(made.family.plot):
        axes: Axes = made.posterior.plot()
        return axes
    return made.plot(noise_aware=aware, node=node)


def show(made: AnyRelease, aware: Any, node: str | None = None) -> None:
    """One table, or one for every group."""
    if not available(made.family.summary):
        _show_value(made)
        return
    try:
        summary = made.summary(noise_aware=aware, node=node)
    except NotEnumerable:
        _show_released(made)
    else:
        common.console().print(summary)


def _show_released(made: AnyRelease) -> None:
    """The posterior as released alone, where the noise-aware one is not feasible."""
    by, console = made.config.model.by, common.console()
    if by is not None:
        common.say(made.title)
    plains: dict[Any, Any] = {"": made.posterior} if by is None else made.by_group()
    for group, posterior in plains.items():
        title = f"{by.column} {group}" if by else made.title
        if hasattr(posterior, "table"):
            console.print(_plain(title, PLAIN, posterior.table()))
        else:
            from discreet.report import Beside

            console.print(Beside(title, {"as released": posterior}))
    common.say("The intervals treat the released counts as the true ones.")


def _show_value(made: AnyRelease) -> None:
    """What a program returned, and as a posterior where it is one."""
    common.say(made.title)
    common.say(f"It returned {_words(made.value)}.")
    try:
        posterior = made.posterior
    except NotAPosteriorError:
        return
    normal = isinstance(posterior, NormalLaw)
    rows = [posterior.row()] if normal else posterior.table()
    common.console().print(_plain("", HEADING if normal else PLAIN, rows))


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_words, value))})"
    return str(value)


def _plain(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from discreet.report import SHOWN

    table = Table(title=Text(title), title_justify="left")
    for heading in headings:
        table.add_column(heading)
    for row in rows[:SHOWN]:
        table.add_row(*map(Text, row))
    if len(rows) > SHOWN:
        table.caption = f"… {len(rows)} categories in all."
    return table


def show_cost(made: AnyRelease) -> None:
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


def show_terms(made: AnyRelease) -> None:
    """What a release promises and why, which records it is about, and who paid."""
    if made.family.reads != "nothing":
        common.say(f"Model: {made.config.model!r}")
    common.say(f"Guarantee: {made.guarantee}.")
    if made.guarantee.basis is not None:
        common.say(f"Basis: {made.guarantee.basis}.")
    if made.n_source is not None:
        how = "declared" if made.n_source == "declared" else "made public by this release"
        common.say(f"Number of records: {made.config.n}, {how}.")
    for what, value in (("Column", made.column), ("Condition", made.where)):
        if value is not None:
            common.say(f"{what}: {value!r}")  # of somebody else, maybe with control characters
    if made.dropped:
        common.say("Records with missing or undeclared values were left out.")
    if made.line_breaks:
        common.say("The data owner declared that a correct CSV writer wrote the records.")
    if made.other is not None:
        common.say(f"Missing and undeclared values count as {made.other!r}.")
    paid = made.receipt
    if paid is None:
        common.say("Receipt: none, no ledger paid for it.")
    else:
        common.say(
            f"Receipt: data set {paid.dataset!r}, entry {paid.number} of its ledger,\n"
            f"hash {paid.hash}."
        )
    common.say(f"Drawn by {made.software}.")
