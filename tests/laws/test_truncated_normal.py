"""A normal law cut off outside a ball, drawn and rounded."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import discreet as dp
from discreet.laws.truncated_normal import TruncatedNormalLaw
from tests.statistics import FALSE_ALARM, pearson

TOPS: dict[Any, float] = {}  # the largest log density of plain rejection


def law_of(
    precision: Any, mean: Any, square: object, grid: int
) -> tuple[TruncatedNormalLaw, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    table = [[Fraction(str(x)) for x in row] for row in precision]
    middle = [Fraction(str(x)) for x in mean]
    linear = [sum(a * m for a, m in zip(row, middle, strict=True)) for row in table]
    law = TruncatedNormalLaw(
        tuple(map(tuple, table)), tuple(map(Fraction, linear)), Fraction(str(square)), grid
    )
    return law, np.array(precision, dtype=float), np.array(mean, dtype=float)


@pytest.mark.parametrize(
    ("precision", "mean", "square", "grid"),
    [(4, 0.3, 1, 20), (0.01, 0, 2, 10), (100, 5, 0.25, 40), (1e-6, -3, 1, 3), (900, -0.2, 1, 50)],
)
def test_one_weight(precision: float, mean: float, square: float, grid: int, rng: Any) -> None:
    """Probabilities of the grid points against scipy; and of draws, false alarms 1e-6."""
    law, _, _ = law_of([[precision]], [mean], square, grid)
    limit, sd = square**0.5, precision**-0.5
    assert np.exp(law.log_p).sum() == pytest.approx(1, abs=1e-12)
    assert len(law.support) == law.candidates
    cut = stats.truncnorm((-limit - mean) / sd, (limit - mean) / sd, mean, sd)
    edges = (law.support[:, 0][:-1] + 0.5) / grid
    expected = np.diff(np.concatenate([[0.0], cut.cdf(edges), [1.0]]))
    assert np.exp(law.log_p) == pytest.approx(expected, rel=1e-5, abs=1e-9)
    drawn = law.sample(2000, rng)[:, 0]
    p = np.exp(law.log_p)
    likely = p > 0.003
    observed = np.array([(drawn == z).sum() for z in law.support[likely, 0]])
    kept = np.append(observed, 2000 - observed.sum()), np.append(p[likely], p[~likely].sum())
    used = kept[1] > 1e-4
    statistic, limit_ = pearson(kept[0][used], kept[1][used])
    assert statistic < limit_
    assert law.probability((10**6,)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "mean", "square"),
    [
        ([[1e-9, 0, 0], [0, 1e-9, 0], [0, 0, 1e-9]], [0, 0, 0], 2),  # nearly uniform
        ([[9, 2, 0], [2, 4, 1], [0, 1, 30]], [0.1, -0.2, 0.05], 4),  # hardly cut off
        ([[9, 2, 0], [2, 4, 1], [0, 1, 30]], [2, 1, -2], 1),  # centred far outside
        ([[400, 0, 0], [0, 0.1, 0], [0, 0, 4]], [0, 3, 0], 1),  # of unequal widths
        ([[40, 9, 0], [9, 60, 3], [0, 3, 90]], [0, -1, 0.5], 0.5),
    ],
)
def test_three_weights(precision: Any, mean: Any, square: float, rng: Any) -> None:
    """Each weight and the norm against plain rejection from the ball; false alarms 1e-6 each.

    The same test tells the law from the one that is not cut off, or has half the precision.
    """
    law, table, middle = law_of(precision, mean, square, 10**6)
    assert law.candidates is None
    with pytest.raises(dp.NotEnumerable):
        law.log_weight((0, 0, 0))
    drawn = law.sample(3000, rng) / 10**6
    assert np.square(drawn).sum(axis=1).max() <= square * (1 + 1e-5)

    def plain(halved: float) -> Any:
        """From uniform points of the ball, kept by the density."""
        kept = np.zeros((0, 3))
        while len(kept) < 2000:
            points = rng.normal(size=(400_000, 3))
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            points *= square**0.5 * rng.random((len(points), 1)) ** (1 / 3)
            step = points - middle
            logs = -0.5 * halved * np.einsum("ij,jk,ik->i", step, table, step)
            top = TOPS.setdefault((halved, str(precision), str(mean)), logs.max() + 0.05)
            kept = np.vstack([kept, points[np.log(rng.random(len(points))) < logs - top]])
        return kept

    def views(points: Any) -> list[Any]:
        return [*points.T, np.linalg.norm(points, axis=1), points @ [0.5, -0.7, 0.3]]

    reference = views(plain(1.0))
    for ours, theirs in zip(views(drawn), reference, strict=True):
        assert stats.ks_2samp(ours, theirs).pvalue > FALSE_ALARM
    if table[0, 0] > 1:
        wrong = [
            stats.ks_2samp(a, b).pvalue
            for a, b in zip(views(plain(0.5)), views(drawn), strict=True)
        ]
        assert min(wrong) < FALSE_ALARM


def test_any_tilt_gives_the_same_law(rng: Any) -> None:
    """λ decides how many proposals are kept, never the law: false alarms 1e-6."""
    for tilt in (Fraction(0), Fraction(1), Fraction(4)):
        law, _, _ = law_of([[2]], [0.4], 1, 6)
        law.__dict__["_chosen"] = tilt, ()
        drawn = law.sample(600, rng)[:, 0]
        observed = np.array([(drawn == z).sum() for z in law.support[:, 0]])
        statistic, limit = pearson(observed, np.exp(law.log_p))
        assert statistic < limit


@pytest.mark.slow
def test_many_weights_are_drawn_quickly_from_nearly_nothing(rng: Any) -> None:
    """In 40 dimensions a uniform point of the cube is in the ball once in 10^20."""
    size = 40
    table = [[Fraction(int(i == j), 10**6) for j in range(size)] for i in range(size)]
    law = TruncatedNormalLaw(tuple(map(tuple, table)), (Fraction(0),) * size, Fraction(1), 10**6)
    norms = np.linalg.norm(law.sample(200, rng) / 10**6, axis=1)
    # ‖w‖^40 is uniform: Kolmogorov's test, false alarms 1e-6
    assert stats.kstest(norms**size, "uniform").pvalue > FALSE_ALARM


def test_two_weights(rng: Any) -> None:
    """The norm of 800 draws against integration: false alarms 1e-6; a fifth of P is refused."""
    law, table, middle = law_of([[6, 2], [2, 4]], [1, -1], 1, 10**6)
    norms = np.linalg.norm(law.sample(800, rng) / 10**6, axis=1)
    radii, angles = np.linspace(0, 1, 801)[1:], np.linspace(0, 2 * np.pi, 400, endpoint=False)
    points = np.stack([np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))], axis=-1)
    step = points - middle
    for share_of_p, kept in ((1.0, True), (0.2, False)):
        density = np.exp(-0.5 * share_of_p * np.einsum("abi,ij,abj->ab", step, table, step))
        share = np.cumsum(density.sum(axis=1) * radii)
        shares = np.interp(norms, radii, share / share[-1])
        assert (stats.kstest(shares, "uniform").pvalue > FALSE_ALARM) == kept
