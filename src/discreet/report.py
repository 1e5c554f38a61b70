"""How all families report: tables as text, in a notebook and on a terminal; draws for ArviZ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.exact import Floats
from discreet.extras import needed

if TYPE_CHECKING:
    from rich.console import Group

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
