"""One law of all variables near noisy tables: the conditional tables of a network, fitted.

Floats as in `near_tables`, the same everywhere: sums are added one number after the other, which
`np.cumsum` cannot do otherwise; e^x and ln x are made of correctly rounded operations.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from discreet.exact import Floats, floats
from discreet.families.network.mechanisms.junction_tree import Clique, beliefs, marginals
from discreet.families.network.mechanisms.near_tables import Near

STEPS = 10
TRIES = 12  # of a length of step
MOST_CHANGE = 30.0  # of a logarithm in one step
_LOG2 = float.fromhex("0x1.62e42fefa39efp-1")


def fitted(
    tree: tuple[Clique, ...],
    states: Sequence[int],
    precision: Floats,
    near: Near,
    start: Floats,
) -> list[Floats]:
    """The laws of the cliques, from a law that has the conditional tables of `start`.

    It takes steps that make ½·Σ_J w_J·‖T_J − a_J‖² − Σ α·ln T smaller, with w, a and α as in
    `near_tables` and T the tables of the law: ln P(node | parents) changes by η times its slope,
    and rows are scaled to sum to one again; η is doubled after a step and halved until there is
    one. `states` are those of the nodes, the last variables of the tables.
    """
    sizes = _sizes(tree, len(precision))
    weights = np.repeat(precision, sizes)
    total = float(np.cumsum(start[: sizes[0]])[-1])

    def at(theta: Floats) -> tuple[list[Floats], Floats, float]:
        laws = beliefs(tree, _split(theta, sizes))
        tables = np.maximum(total * np.concatenate(marginals(tree, laws, sizes)), 1e-290)
        apart = tables - near.agreeing
        losses = weights * apart * apart / 2 - near.prior * logarithm(tables)
        return laws, tables, float(np.cumsum(losses)[-1])

    theta = conditional(start, states, sizes)
    laws, tables, loss = at(theta)
    rate = 0.0
    for _ in range(STEPS):
        slope = weights * (tables - near.agreeing) - near.prior / tables
        rate = 2 * rate or 1 / max(float(np.abs(slope).max()), 1e-290)
        for _ in range(TRIES):
            change = floats.exp(np.clip(-rate * slope, -MOST_CHANGE, MOST_CHANGE))
            other = conditional(np.maximum(theta * change, 1e-290), states, sizes)
            found = at(other)
            if found[2] < loss:
                break
            rate /= 2
        else:
            break
        theta, (laws, tables, loss) = other, found
    return laws


def _sizes(tree: tuple[Clique, ...], tables: int) -> list[int]:
    sizes = [0] * tables
    for clique in tree:
        for table, places in clique.tables:
            sizes[table] = int(places.max()) + 1
    return sizes


def conditional(tables: Floats, states: Sequence[int], sizes: Sequence[int]) -> Floats:
    """P(node | parents), the node varying fastest, of positive tables."""
    rows = np.array([m // k for m, k in zip(sizes, states, strict=True)])
    row = np.repeat(np.arange(rows.sum()), np.repeat(states, rows))
    return np.asarray(tables / np.bincount(row, tables)[row])


def _split(tables: Floats, sizes: list[int]) -> list[Floats]:
    ends = list(itertools.accumulate(sizes))
    return [tables[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def logarithm(x: Floats) -> Floats:
    """ln x of positive numbers, right to about 1e-15: 2·artanh of s = (m − 1)/(m + 1).

    x = m·2^e with ½ ≤ m < 1, or twice that where m² < ½, so that |s| < 0.172.
    """
    mantissa, exponent = np.frexp(x)
    low = mantissa * mantissa < 0.5
    mantissa, exponent = np.where(low, 2 * mantissa, mantissa), exponent - low
    s = (mantissa - 1) / (mantissa + 1)
    square, series = s * s, np.zeros_like(s)
    for odd in range(21, 0, -2):
        series = series * square + 1 / odd
    return np.asarray(2 * s * series + exponent * _LOG2)
