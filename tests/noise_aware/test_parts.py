"""Counts in parts of a record: `parts` steps of the noise are one, and z/parts is a fraction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import special

from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import table, windows
from discreet.noise_aware.kernels import LaplaceKernel, NormalKernel

PRIOR = (Fraction(1, 2), Fraction(2), Fraction(1))
FLAT = table.prior_of_n(None, None)


def laplace(rate: Fraction, size: int) -> NoiseLaw:
    return NoiseLaw((0,) * size, rate, "two-sided")


def inferred(noise: table.Noise | None, prior: Any = PRIOR) -> table.Found:
    assert noise is not None
    return table.infer(prior, None, noise, FLAT, np.random.default_rng(1))


def test_the_noise_is_as_much_steeper() -> None:
    found = table.additive(laplace(Fraction(1, 900), 2), (7200, -900), 3600)
    assert found == table.Noise((Fraction(2), Fraction(-1, 4)), LaplaceKernel(4.0))
    normal = DiscreteGaussianLaw((0, 0), (Fraction(3600**2),) * 2)
    assert table.additive(normal, (1800, 0), 3600) == table.Noise(
        (Fraction(1, 2), Fraction(0)), NormalKernel(1.0)
    )
    assert table.additive(laplace(Fraction(1), 2), (3, 4)) == table.Noise((3, 4), LaplaceKernel(1))
    floored = NoiseLaw((0,), Fraction(1), "floored", total=9)
    assert table.additive(floored, (3, 6)) is not None
    by_half_a_step = Fraction(3, 3600) + Fraction(1, 7200)
    assert table.additive(floored, (3, 6), 3600) == table.Noise(
        (by_half_a_step,), LaplaceKernel(3600.0)
    )


@pytest.mark.parametrize("rate", [Fraction(3), Fraction(1, 50)])
def test_whole_counts_in_parts_are_whole_counts(rate: Fraction) -> None:
    """Listed, and drawn where there are too many."""
    raw = (40, 3, -2)
    plain = inferred(table.additive(laplace(rate, 3), raw))
    parts = tuple(3600 * z for z in raw)
    same = inferred(table.additive(laplace(rate / 3600, 3), parts, 3600))
    assert plain.diagnostics.method == ("exact" if rate > 1 else "draws")
    assert (same.counts == plain.counts).all()
    np.testing.assert_allclose(same.logs, plain.logs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["laplace", "normal"])
@pytest.mark.parametrize("cells", ["single", "wide"])
def test_fractions_against_all_counts(
    kind: str, cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two counts behind noise around fractions: drawn, against a sum over all of them."""
    prior, rate = (Fraction(1, 2), Fraction(3)), 0.02
    raw = (3600 * 30 + 1234, -3600 * 12 + 555)
    if kind == "laplace":
        noise = table.additive(laplace(Fraction(1, 50 * 3600), 2), raw, 3600)
    else:
        variances = (Fraction(5000 * 3600**2),) * 2
        noise = table.additive(DiscreteGaussianLaw((0, 0), variances), raw, 3600)
    if cells == "wide":
        monkeypatch.setattr(windows, "MOST_VALUES", 4000)
    monkeypatch.setattr(table, "few", lambda problem: False)
    found = inferred(noise, prior)
    assert found.diagnostics.method == "draws"
    c = np.arange(2500.0)
    logs = []
    for alpha, z in zip((0.5, 3.0), raw, strict=True):
        away = z / 3600 - c
        fall = rate * abs(away) if kind == "laplace" else away**2 / 10_000
        logs.append(special.gammaln(alpha + c) - special.gammaln(c + 1) - fall)
    totals = c[:, None] + c
    joint = logs[0][:, None] + logs[1] + special.gammaln(totals + 1) - special.gammaln(3.5 + totals)
    weights = np.exp(joint - joint.max())
    weights /= weights.sum()
    drawn = np.exp(found.logs - found.logs.max())
    drawn /= drawn.sum()
    for place, values in enumerate((weights.sum(axis=1), weights.sum(axis=0))):
        mean = values @ c
        sd = np.sqrt(values @ (c - mean) ** 2)
        assert drawn @ found.counts[:, place] == pytest.approx(mean, abs=6 * sd / np.sqrt(4000))
        at_most = values[: round(mean)].sum()
        below = drawn @ (found.counts[:, place] < round(mean))
        assert below == pytest.approx(at_most, abs=6 * 0.5 / np.sqrt(4000))
