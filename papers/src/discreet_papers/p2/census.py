"""Real records for Figure 2: weekly wages in the US census of 2000.

P2 had 370,000 records of IPUMS with 14 features and annual income. Here are 29,501 records and the
logarithm of weekly income, explained by schooling, experience and its square. All columns are
mapped to [−1, 1] by public bounds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet_papers.data import DataSet, broken, cells
from discreet_papers.p2.survey import Moments, Survey, made_up

BOUNDS = {"educ": (8, 17), "exper": (0, 50), "expersq": (0, 2500), "lweekinc": (3, 10)}
WEIGHTS = len(BOUNDS)  # that of the constant too
UNIT = 3.5  # half the width of the bounds of y: makes errors those of log income
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


def read(path: Path) -> Survey:
    """The records of the file."""
    table = cells(path, list(BOUNDS))
    try:
        raw = np.array(table, dtype=np.float64)
    except ValueError:
        raise broken(path, f"have numbers in {', '.join(BOUNDS)}") from None
    if not np.isfinite(raw).all():
        raise broken(path, f"have finite numbers in {', '.join(BOUNDS)}")
    scaled = np.clip((2 * raw - _LOWS - _HIGHS) / (_HIGHS - _LOWS), -1, 1)
    return Survey(tuple(BOUNDS), scaled, UNIT)


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
        found.append(Moments.of(turn @ table @ turn.T, UNIT))
    return found[0], found[1]


CENSUS = DataSet("census2000.csv", read, made_up)
