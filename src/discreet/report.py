"""How all families report: tables as text, in a notebook and on a terminal; draws for ArviZ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.core import families
from discreet.core.family import labels_of
from discreet.errors import InputError, NotEnumerable
from discreet.exact import Floats
from discreet.extras import needed

if TYPE_CHECKING:
    from rich.console import Group

    from discreet.core.family import Published

LEVEL = 0.95
FAR = 3.0  # prior standard deviations, from which on prior and data are in conflict
SHOWN = 20  # categories in a notebook


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], categories: int) -> str:
    """A table of text, with a note if there are more categories than are shown."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    if categories > SHOWN:
        body += f"<tr><td>… {categories} in all</td></tr>"
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


class Tabled:
    """What prints as a table, with a title above it and remarks below.

    A class that inherits from it has `title`, `heading`, `rows` and, if there are any, `remarks`.
    """

    title: str

    @property
    def heading(self) -> tuple[str, ...]:
        """The names of the columns."""
        raise NotImplementedError

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text."""
        raise NotImplementedError

    @property
    def remarks(self) -> list[str]:
        """What stands below it."""
        return []

    def __str__(self) -> str:
        below = ["", *self.remarks] if self.remarks else []
        return "\n".join([self.title, "", *aligned([self.heading, *self.rows]), *below])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        below = "<br>".join(map(escape, self.remarks))
        return f"<p>{escape(self.title)}</p>{html_table(self.heading, self.rows, 0)}<p>{below}</p>"

    def __rich__(self) -> Group:
        return rich_table(self.title, self.heading, self.rows, "\n".join(self.remarks))


@dataclass(frozen=True, eq=False, repr=False)
class Beside(Tabled):
    """Mean, standard deviation and 95 % interval, as released and noise-aware, side by side."""

    heading = ("parameter", "posterior", "mean", "sd", "95 % interval")

    title: str
    laws: Mapping[str, Any]  # what a posterior is called, and the posterior
    lacking: str = ""  # why one is not there

    @property
    def remarks(self) -> list[str]:
        """Which posterior is not there."""
        return [self.lacking] if self.lacking else []

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text: for every parameter a row for each posterior."""
        columns = [(name, *_marks(law)) for name, law in self.laws.items()]
        labels = labels_of(next(iter(self.laws.values())))
        return [
            (label, name, f"{mean[i]:.4g}", f"{sd[i]:.2g}", f"{low[i]:.4g} to {high[i]:.4g}")
            for i, label in enumerate(labels)
            for name, mean, sd, low, high in columns
        ]


def _marks(law: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean, standard deviation and interval, one entry for each parameter."""
    low, high = np.reshape(law.interval(LEVEL), (-1, 2)).T
    return np.atleast_1d(law.mean()), np.atleast_1d(law.sd()), low, high


def side_by_side(
    release: Published,
    noise_aware: Any = None,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> Beside:
    """The summary of a release whose posteriors have `mean`, `sd` and `interval`."""
    laws, lacking = {"as released": release.posterior}, ""
    if families.spec_of(release.mechanism).can("noise_aware"):
        given = noise_aware is not None
        try:
            laws["noise-aware"] = noise_aware if given else release.noise_aware(n_prior, rng)
        except NotEnumerable as error:
            lacking = f"There is no noise-aware posterior here: {error}."
    for name, law in laws.items():
        if missing := [word for word in ("mean", "sd", "interval") if not hasattr(law, word)]:
            raise InputError(
                f"release has no summary: its posterior {name} has no {' and no '.join(missing)}"
            )
    return Beside(release.title, laws, lacking)


def to_arviz(
    sample: Callable[[int, np.random.Generator], Floats],
    categories: tuple[Category, ...],
    draws: int,
    chains: int,
    rng: np.random.Generator | None,
) -> Any:
    """Independent draws of θ as ArviZ data with dimensions (chain, draw, category)."""
    with needed("to_arviz needs arviz-base", "discreet[arviz]"):
        import arviz_base
    chains = check.whole("chains", chains, least=1, most=10**6)
    draws = check.whole("draws", draws, least=1, most=10**9 // chains)
    source = np.random.default_rng() if rng is None else check.generator(rng)
    theta = sample(draws * chains, source)
    return arviz_base.from_dict(
        {"posterior": {"theta": theta.reshape(chains, draws, len(categories))}},
        coords={"category": list(categories)},
        dims={"theta": ["category"]},
    )


def conflicts(names: Sequence[str], law: Floats, prior: Floats, spread: Floats) -> list[str]:
    """Where means lie far from what the prior expected, in its standard deviations."""
    away = np.abs(law - prior) / spread
    return [
        f"{name} lies {distance:.1f} prior standard deviations from its prior mean: is the prior "
        "right? If not, neither is this."
        for name, distance in zip(names, away.tolist(), strict=True)
        if distance > FAR
    ]


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """A table as lines of text, its columns below one another."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def rich_table(
    title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], below: str
) -> Group:
    """A table for the terminal, with text below it."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")
    for name in heading:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return Group(table, Text(below))
