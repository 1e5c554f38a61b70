"""The baseline `ls_hist` where n is private: noise on every count, rounded down and cut at 0."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dp
from discreet.exact import Floats, Ints
from discreet.laws.noise import NoiseLaw
from tests.statistics import pearson


def made(k: int, epsilon: float = 1, **options: Any) -> dp.Mechanism:
    model = dp.DirichletMultinomial(range(k))
    return dp.mechanism("ls_hist", model, epsilon=epsilon, adjacency="add-remove", **options)


def floored(rate: float, count: int, z: Ints) -> Floats:
    """P(⌊count + Y⌋ = z) for Laplace Y of this rate, by its distribution function."""

    edges = (z[:, None] + np.array([0.0, 1.0])) - count
    tail = np.exp(-rate * np.abs(edges)) / 2
    return np.asarray(np.diff(np.where(edges < 0, tail, 1 - tail))[:, 0])


@pytest.mark.parametrize("m", [1, 3])
def test_its_noise_is_that_of_the_papers_on_every_count(m: int) -> None:
    law = made(3, 1.5, unit="patient", max_per_unit=m).raw_law((4, 0, 2))
    assert isinstance(law, NoiseLaw)
    assert law.dimension == 3
    z = np.arange(-30, 40)
    p = np.exp([float(law._at(int(x)).mid()) for x in z])
    np.testing.assert_allclose(p, floored(1.5 / m, 0, z), rtol=1e-9, atol=1e-15)
    steeper = floored(1.25 * 1.5 / m, 0, z)
    draws = np.asarray(law.sample(60_000, np.random.default_rng(m)))[:, 1]
    observed = np.bincount(np.clip(draws, -8, 8) + 8, minlength=17)
    lumped, wrong = (np.bincount(np.clip(z, -8, 8) + 8, weights=q) for q in (p, steeper))
    statistic, limit = pearson(observed, lumped / lumped.sum())
    assert statistic < limit
    assert pearson(observed, wrong / wrong.sum())[0] > limit


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.7, 2.0])
def test_its_curve_bounds_every_change_and_is_near_the_worst(m: int, epsilon: float) -> None:
    """δ(ε') and D_α of all changes of two counts, by listing, for a unit that comes or goes."""
    guarantee = made(2, epsilon, unit="u", max_per_unit=m).guarantee
    z, rate = np.arange(-200 * m, 200 * m + 1), epsilon / m
    worst, largest = dict.fromkeys((0.0, 0.3, 0.6), 0.0), 0.0
    for a, b in itertools.product(range(m + 1), repeat=2):
        if not 0 < a + b <= m:
            continue
        here = np.outer(floored(rate, 0, z), floored(rate, 0, z)) if b else floored(rate, 0, z)
        there = np.outer(floored(rate, a, z), floored(rate, b, z)) if b else floored(rate, a, z)
        kept = (here > 1e-280) & (there > 1e-280)
        for loss in worst:
            worst[loss] = max(
                worst[loss], float(np.maximum(here - math.exp(loss) * there, 0).sum())
            )
        moments = (here[kept] ** 1.01 * there[kept] ** -0.01).sum()
        largest = max(largest, math.log(float(moments)) / 0.01 / 1.01)
    for loss, delta in worst.items():
        assert delta <= float(guarantee.delta_at(loss)) + 1e-9
    assert largest <= float(guarantee.rho) * (1 + 1e-6)
    # rounding down forgets where between two whole numbers it was, which most tells for m = 1
    assert largest >= (0.5 if m == 1 else 0.8) * float(guarantee.rho)
    assert float(guarantee.under("substitute").rho) == pytest.approx(2 * float(guarantee.rho))
    assert guarantee.under("substitute").epsilon == 2 * guarantee.epsilon


@pytest.mark.parametrize(("k", "m", "total"), [(2, 1, 8), (2, 3, 6), (3, 1, 4)])
def test_an_audit_finds_epsilon_and_half_the_noise(k: int, m: int, total: int) -> None:
    mechanism = made(k, unit="u", max_per_unit=m)
    found = dp.audit(mechanism, total)
    assert 1 - 1e-9 < found.epsilon_lower <= found.epsilon <= 1 + 1e-9
    louder = made(k, 2, unit="u", max_per_unit=m)
    wrong = type(mechanism)(
        mechanism.config,
        mechanism.guarantee,
        louder.make_raw_law,
        louder.make_law,
        mechanism.make_released,
    )
    assert dp.audit(wrong, total).epsilon_lower > 1.5
    with pytest.raises(dp.InputError, match="total must be given"):
        dp.audit(mechanism)


def test_what_is_released_is_cut_at_zero_and_biased_like_the_original() -> None:
    rng = np.random.default_rng(1)
    raw = np.asarray(made(3).raw_law((500, 0, 9)).sample(20_000, rng))
    released = made(3).make_released(raw)
    assert (released == np.maximum(raw, 0)).all()
    # ⌊Y⌋ + ½ has mean 0 and variance below 2 + 1/12
    assert raw.mean(axis=0) == pytest.approx(np.array([499.5, -0.5, 8.5]), abs=5 * 1.5 / 141)


def test_who_is_protected() -> None:
    model = dp.DirichletMultinomial(("a", "b"))
    frame = pl.DataFrame({"x": ["a", "b", "a", "a"], "who": [1, 1, 2, 3]})
    counts = model.count(frame, "x", unit="who", max_per_unit=2)
    release = dp.release(counts, model, 1, "ls_hist", adjacency="add-remove")
    assert str(release.guarantee).endswith("one who (a unit has at most 2 records)")
    assert dp.Release.from_json(release.to_json()) == release
    assert release.noise_aware().interval(0.95).shape == (2, 2)
    single = model.count(frame[1:], "x", unit="who", max_per_unit=1)
    public = dp.release(single, model, 1, "ls_hist")
    assert public.guarantee.unit == "who"
    assert dp.Release.from_json(public.to_json()) == public
    assert dp.mechanism("ls_hist", model, 4, epsilon=1).config.options == ()
    for options, said in (
        ({"max_per_unit": 0}, "max_per_unit must"),
        ({"unit": 5}, "unit must"),
    ):
        with pytest.raises(dp.InputError, match=said):
            made(2, **options)
    with pytest.raises(dp.InputError, match="max_per_unit must be 1 under substitution, got 2"):
        dp.mechanism("ls_hist", model, 4, epsilon=1, max_per_unit=2)


@pytest.mark.parametrize("name", ["ehd", "ehds", "ehdl", "smooth_hellinger", "optimal", "ls_dim"])
def test_where_there_is_no_theory_of_a_private_n(name: str, tmp_path: Path) -> None:
    """The refusal names what has one, and nothing is charged."""
    model, ledger = dp.BetaBinomial(), dp.Ledger.open(tmp_path / "budget.db", budget=1)
    options: dict[str, Any] = {"delta": 1e-6} if name == "smooth_hellinger" else {}
    with pytest.raises(dp.InputError) as refused:
        dp.release(
            *((3, 4), model, 1, name),
            adjacency="add-remove",
            ledger=ledger,
            dataset="d",
            **options,
        )
    assert str(refused.value) == (
        f"{name} is defined for adjacency 'substitute' only, got 'add-remove'; use 'lattice' or "
        "'ls_hist' or 'gaussian'"
    )
    assert ledger.datasets() == ()
