"""The sentences below a summary."""

from __future__ import annotations

import re

import numpy as np
import pytest

import discreet as dp
from discreet.families.dirichlet.summary import Summary
from discreet.posteriors.mixture import DirichletMixture


def mixture_over(centre: int, sd: float, n: int) -> DirichletMixture:
    """Counts of n records that are known up to noise, nearly normal."""
    counts = np.arange(centre - 5 * int(sd), centre + 5 * int(sd) + 1)
    weights = np.exp(-(((counts - centre) / sd) ** 2) / 2)
    return DirichletMixture(("yes", "no"), np.column_stack([counts + 1, n - counts + 1]), weights)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0, 4.0])
def test_how_wide_it_would_be_without_the_noise(ratio: float) -> None:
    """Nearly normal, the width without noise is that of the exact posterior at the centre."""
    n, centre = 4000, 1600
    noise = ratio * (centre * (n - centre) / n) ** 0.5
    aware = mixture_over(centre, noise, n)
    (sentence,) = Summary("title", None, aware).remarks
    wide, alone, percent, rest = map(float, re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", sentence))
    low, high = aware.interval(0.95)[0]
    assert wide == pytest.approx(high - low, rel=0.005)
    first, last = dp.BetaBinomial().posterior((centre, n - centre)).interval(0.95)[0]
    assert alone == pytest.approx(last - first, rel=0.02)
    assert percent == pytest.approx(100 / (1 + ratio**2), abs=1)
    assert percent + rest == 100
