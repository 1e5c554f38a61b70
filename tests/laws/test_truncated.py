"""Dirichlet laws that are cut off and rounded, and masses on a grid."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import discreet as dp
from discreet.laws.masses import MassLaw
from discreet.laws.truncated import TruncatedDirichletLaw
from tests.statistics import pearson


def fractions(*values: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(str(value)) for value in values)


@pytest.mark.parametrize(
    ("a", "b", "omega", "grid"),
    [(3, 5, 0.1, 20), (0.5, 0.3, 0.01, 50), (30, 2, 0.45, 64), (400, 3, 0.2, 7), (1, 1, 0.26, 2)],
)
def test_two_states(a: float, b: float, omega: float, grid: int) -> None:
    """Probabilities of the grid points against scipy."""
    law = TruncatedDirichletLaw(fractions(a, b), Fraction(str(omega)), grid)
    assert np.exp(law.log_p).sum() == pytest.approx(1, abs=1e-13)
    assert len(law.support) == law.candidates
    assert (law.support.sum(axis=1) == grid).all()
    beta = stats.beta(a, b)
    whole = beta.cdf(1 - omega) - beta.cdf(omega)
    for (steps, _), log_p in zip(law.support.tolist(), law.log_p.tolist(), strict=True):
        ends = np.clip([(steps - 0.5) / grid, (steps + 0.5) / grid], omega, 1 - omega)
        assert np.exp(log_p) == pytest.approx(np.diff(beta.cdf(ends))[0] / whole, rel=1e-6)
    assert law.probability((grid + 1, -1)) == 0


@pytest.mark.parametrize(
    ("parameters", "omega"),
    [((3, 5, 2), 0.1), ((0.5, 0.3, 1), 0.05), ((3, 1, 6), 0.3), ((40, 2, 3), 0.2)],
)
@pytest.mark.slow
def test_three_states(parameters: tuple[float, ...], omega: float, rng: Any) -> None:
    """Of 1,500 draws, θ_1 and θ_2 against numerical integration; false alarms 1e-6 each.

    The same draws reject the law without the limit, or with the parameters in another order.
    """
    law = TruncatedDirichletLaw(fractions(*parameters), Fraction(str(omega)), 10**6)
    drawn = law.sample(1500, rng) / 10**6
    assert drawn.min() >= omega - 1e-6
    assert (law.sample(3, rng).sum(axis=1) == 10**6).all()

    def share(order: tuple[int, int, int], ends: Any) -> Any:
        a, b, c = (parameters[i] for i in order)

        def density(x: float) -> float:
            beta = stats.beta(b, c)
            left = 1 - x
            inside = beta.cdf(1 - omega / left) - beta.cdf(omega / left)
            return float(x ** (a - 1) * left ** (b + c - 1) * inside)

        parts = [integrate.quad(density, s, e)[0] for s, e in itertools.pairwise(ends)]
        return np.array(parts) / sum(parts)

    for place, order in ((0, (0, 1, 2)), (1, (1, 0, 2))):
        ends = np.quantile(drawn[:, place], np.linspace(0, 1, 9)[1:-1])
        ends = np.array([omega, *ends, 1 - 2 * omega])
        observed = np.histogram(drawn[:, place], ends)[0]
        statistic, limit = pearson(observed, share(order, ends))
        assert statistic < limit
    statistic, limit = pearson(observed, share((0, 1, 2), ends))
    assert statistic > limit


def test_more_states_are_not_listed() -> None:
    law = TruncatedDirichletLaw(fractions(1, 1, 1), Fraction(1, 10), 10)
    with pytest.raises(dp.NotEnumerable, match="three or more states"):
        law.probability((3, 3, 4))


@pytest.mark.parametrize(("a", "b"), [(3, 5), (0.5, 0.3), (2, 150), (700, 300)])
@pytest.mark.parametrize("cells", [2, 7, 100])
def test_masses(a: float, b: float, cells: int, rng: Any) -> None:
    law = MassLaw(Fraction(str(a)), Fraction(str(b)), Fraction(9), cells)
    masses = np.diff(stats.beta(a, b).cdf(np.arange(cells + 1) / cells))
    expected = np.exp(9 * masses) / np.exp(9 * masses).sum()
    assert np.exp(law.log_p) == pytest.approx(expected, rel=1e-9)
    observed = np.bincount(law.sample(4000, rng)[:, 0], minlength=cells)
    statistic, limit = pearson(observed, expected)
    assert statistic < limit
    assert law.probability((cells,)) == 0
