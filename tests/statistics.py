"""Statistical tests with a stated false-alarm rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

FALSE_ALARM = 1e-6


def bins_by(
    distance: npt.NDArray[np.float64], p: npt.NDArray[np.float64], most: int
) -> npt.NDArray[np.int64]:
    """Group outcomes by distance into at most `most` bins of about equal probability."""
    order = np.argsort(distance, kind="stable")
    middle = np.cumsum(p[order]) - p[order] / 2
    bins = np.empty(len(p), dtype=np.int64)
    bins[order] = np.minimum((middle * most).astype(np.int64), most - 1)
    # equal distances belong together
    _, same = np.unique(distance.round(12), return_inverse=True)
    first = np.full(same.max() + 1, most, dtype=np.int64)
    np.minimum.at(first, same, bins)
    return np.unique(first[same], return_inverse=True)[1]


def pearson(observed: npt.NDArray[np.int64], p: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The statistic, and the value that it exceeds with probability FALSE_ALARM."""
    expected = p / p.sum() * observed.sum()
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic, float(stats.chi2.isf(FALSE_ALARM, len(p) - 1))


def noncentrality(
    truth: npt.NDArray[np.float64], wrong: npt.NDArray[np.float64], size: int
) -> float:
    """Of the statistic for `wrong`, on draws from `truth`."""
    return float(size * ((truth - wrong) ** 2 / wrong).sum())
