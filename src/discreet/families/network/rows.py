"""What the prior of a network says of the probabilities of the parents' configurations.

They are no Dirichlet law, but nearly one: with the same means, and with the same chance that two
records have the same configuration. Both are found by drawing pairs of records from the prior, by
Pólya's urns: the second record meets rows that have seen the first.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from discreet.exact import Floats, Ints

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet

_PAIRS = 4000
_SMALLEST, _LARGEST = 0.1, 1e6  # of the sum of the parameters, beside the number of rows


@lru_cache(maxsize=4)
def parents(net: BayesNet, prior: tuple[tuple[Fraction, ...], ...]) -> dict[str, Floats]:
    """For every node the Dirichlet parameters of its parents' configurations."""
    rng = np.random.default_rng(1)
    states: dict[str, Ints] = {}  # of the first and the second records
    found = {}
    for node in net.order:
        family = net.family(node)
        given = prior[net.nodes.index(node)]
        alpha = np.array([float(a) for a in given]).reshape(family.rows, -1)
        rows = np.zeros((2, _PAIRS), dtype=np.int64)
        for name, size in zip(family.parents, family.shape, strict=False):
            rows = rows * size + states[name]
        first = _drawn(alpha[rows[0]], rng)
        seen = (rows[0] == rows[1])[:, None] & (first[:, None] == np.arange(alpha.shape[1]))
        states[node] = np.array([first, _drawn(alpha[rows[1]] + seen, rng)])
        found[node] = _matched(rows, family.rows)
    return found


def _drawn(weights: Floats, rng: np.random.Generator) -> Ints:
    sums = np.cumsum(weights, axis=1)
    target = rng.random(len(sums)) * sums[:, -1]
    return np.asarray(np.minimum((sums <= target[:, None]).sum(axis=1), sums.shape[1] - 1))


def _matched(rows: Ints, number: int) -> Floats:
    """The Dirichlet law with these means and this chance of a pair in one row."""
    counts = np.bincount(rows.ravel(), minlength=number) + 1.0
    means = counts / counts.sum()
    alike, least = float((rows[0] == rows[1]).mean()), float((means**2).sum())
    total = (1 - alike) / max(alike - least, 1e-9)
    return np.asarray(means * np.clip(total, _SMALLEST * number, _LARGEST * number))
