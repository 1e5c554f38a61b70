"""Ways out of a posterior that both kinds share: a table in a notebook, draws for ArviZ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.exact import Floats
from discreet.extras import needed

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
