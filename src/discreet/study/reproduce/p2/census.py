"""The records behind Figure 2: weekly wages in the US census of 2000.

P2 had 370,000 records of IPUMS with 14 features and annual income. Here are 29,501 records and the
logarithm of weekly income, explained by schooling, experience and its square. All columns are
mapped to [−1, 1] by public bounds, and the features with the constant divided by 2, the largest
norm that they can have, so that ‖x‖₂ ≤ 1 and |y| ≤ 1 (Appendix D).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from discreet.exact import Floats
from discreet.study.reproduce.p2.data_sets import FOLDER

BOUNDS = {"educ": (8, 17), "exper": (0, 50), "expersq": (0, 2500), "lweekinc": (3, 10)}
LARGEST = 2  # ‖(1, u)‖ of three features in [−1, 1]
WEIGHTS = len(BOUNDS)  # that of the constant too
SQUARED = 3.5**2  # half the width of the bounds of y: makes errors those of log income
_LOWS, _HIGHS = np.array(list(BOUNDS.values()), dtype=np.float64).T

# upper triangles of Σ s·sᵀ for s = (1, educ, exper, expersq, 10⁶·lweekinc), lweekinc cut to its
# bounds: every tenth record, which trains, and the others, which test
_TRAINS: tuple[int, ...] = (
    *(2951, 39181, 69427, 1946791, 19605787051),
    *(529481, 908520, 25202124, 261336528265),
    *(1946791, 61054363, 462153701925),
    *(2066556175, 12950054760083),
    *(131790422574870649,),
)
_TESTS: tuple[int, ...] = (
    *(26550, 352232, 630401, 17796871, 176213647175),
    *(4757430, 8249174, 230610410, 2346908627140),
    *(17796871, 561159737, 4191208339577),
    *(19069633903, 118224423648015),
    *(1182810264733021599,),
)


class Moments(NamedTuple):
    """Of records in the unit ball: their number, Σ x·xᵀ, Σ x·y and Σ y²."""

    n: int
    xx: Floats
    xy: Floats
    yy: float

    def error(self, weights: Floats) -> float:
        """The mean squared error of predictions x·w, in the units of log income."""
        total = self.yy - 2 * weights @ self.xy + weights @ self.xx @ weights
        return float(total) / self.n * SQUARED


def read(folder: Path = FOLDER) -> Floats | None:
    """The records in [−1, 1], a row each with y last; None if the file is not here."""
    try:
        with (folder / "census2000.csv").open(encoding="utf-8", newline="") as file:
            raw = [[float(row[name]) for name in BOUNDS] for row in csv.DictReader(file)]
    except OSError:
        return None
    return np.asarray(np.clip((2 * np.array(raw) - _LOWS - _HIGHS) / (_HIGHS - _LOWS), -1, 1))


def moments(records: Floats) -> Moments:
    """Of records in [−1, 1]."""
    s = np.column_stack([np.ones(len(records)), records])
    return _moments(s.T @ s)


def every_tenth() -> tuple[Moments, Moments]:
    """Those of every tenth record and of the others: kept here for the claims."""
    scale = np.append(1.0, (_HIGHS - _LOWS) / 2)
    turn = np.diag(1 / scale)
    turn[1:, 0] = -(_HIGHS + _LOWS) / (_HIGHS - _LOWS)
    found = []
    for upper in (_TRAINS, _TESTS):
        table = np.zeros((WEIGHTS + 1, WEIGHTS + 1))
        table[np.triu_indices(WEIGHTS + 1)] = upper
        table = table + np.triu(table, 1).T
        table[:, -1] /= 10**6
        table[-1] /= 10**6
        found.append(_moments(turn @ table @ turn.T))
    return found[0], found[1]


def _moments(table: Floats) -> Moments:
    xx, xy = table[:-1, :-1] / LARGEST**2, table[:-1, -1] / LARGEST
    return Moments(round(table[0, 0]), xx, xy, float(table[-1, -1]))
