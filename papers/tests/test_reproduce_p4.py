"""P4 anew: verdicts, and the numbers behind them by other means."""

from __future__ import annotations

import json
import math
import sys
import time
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from tests.cli.cases import call

import discreet as dp
from discreet_papers.p4 import CLAIMS, PARTS, claims_normal, programs
from discreet_papers.p4.claims_beta import apart, largest_below
from discreet_papers.p4.claims_normal import (
    classical_delta,
    classical_deviation,
    sensitivity,
)
from discreet_papers.p4.simulating import (
    GAUSSIAN,
    HELLINGER,
    INPUT,
    LAPLACE,
    LOOSE,
    MODEL,
    Run,
    covered,
    covered_aware,
    hellinger,
    simulate,
)
from discreet_papers.parts import Finding, Scale, Table

HOLDS, CONDITION, FAILS = "holds", "holds with a condition", "does not hold"
EXPECTED = {
    "p4-input-private": HOLDS,
    "p4-classical-deviation": CONDITION,
    "p4-noise-as-data": FAILS,
    "p4-normal-sensitivity": HOLDS,
    "p4-posterior-variance": HOLDS,
    "p4-variance-formula": CONDITION,
    "p4-output-private": CONDITION,
    "p4-beta-output": CONDITION,
    "p4-lemma-6-1": CONDITION,
    "p4-lemma-6-2": CONDITION,
    "p4-types": CONDITION,
    "p4-types-of-distances": CONDITION,
}
NUMBERS = {
    ("p4-classical-deviation", "delta_8"): 7.97e-6,
    ("p4-classical-deviation", "delta_8.5"): 1.04e-5,
    ("p4-classical-deviation", "delta_10"): 2.265e-5,
    ("p4-normal-sensitivity", "factor_100"): 50.5,
    ("p4-lemma-6-1", "jeffreys"): 0.6028,
    ("p4-lemma-6-1", "bound"): 0.46325,
    ("p4-lemma-6-2", "bound"): 0.6551,
    ("p4-lemma-6-2", "at_one"): 0.5,
    ("p4-lemma-6-2", "holds_from"): 0.4545,
    ("p4-output-private", "loss"): 1.0,
    ("p4-types", "beta_loss"): 2.0,
    ("p4-types", "classical_delta"): 2.265e-5,
    ("p4-types-of-distances", "lemma_6_1"): 1.3,
    ("p4-types-of-distances", "lemma_6_2"): 1.3467,
}


@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    return {claim.id: claim.measure() for claim in CLAIMS}


@pytest.fixture(scope="module")
def quick() -> Table:
    part = PARTS[0]
    return part.compute(Scale(quick=True))


def test_the_verdicts(findings: dict[str, Finding]) -> None:
    assert {name: found.verdict.value for name, found in findings.items()} == EXPECTED


def test_the_findings_can_be_read_and_stored(findings: dict[str, Finding]) -> None:
    for name, found in findings.items():
        assert not {"nan", "inf"} & set(found.words.lower().replace(",", " ").split()), name
        assert found.words.endswith("."), name
        assert json.loads(json.dumps(found.measured, allow_nan=False)) == found.measured
        assert all(isinstance(value, (int, float)) for value in found.measured.values()), name


def test_the_numbers_of_the_findings(findings: dict[str, Finding]) -> None:
    for (name, key), value in NUMBERS.items():
        assert findings[name].measured[key] == pytest.approx(value, rel=5e-3), (name, key)


@pytest.mark.parametrize("epsilon", [0.5, 1, 3, 8, 8.5, 10])
def test_the_classical_deviation(epsilon: float) -> None:
    """Against Balle and Wang's formula in floats."""
    mu = 1 / classical_deviation(epsilon)
    upper, lower = stats.norm.cdf(mu / 2 - epsilon / mu), stats.norm.cdf(-mu / 2 - epsilon / mu)
    expected = upper - math.exp(epsilon) * lower
    assert classical_delta(Fraction(epsilon)) == pytest.approx(expected, rel=1e-6)


@given(st.fractions(Fraction(1, 50), 50), st.fractions(Fraction(1, 50), 50), st.integers(1, 3))
def test_the_sensitivity_of_the_mean(prior: Fraction, variance: Fraction, n: int) -> None:
    model = dp.NormalMean(1, prior, variance, bounds=(0, 1), grid=2)
    assert sensitivity(model, n) == prior / (variance + n * prior)


@pytest.mark.parametrize("label", [INPUT, GAUSSIAN, LAPLACE, HELLINGER])
def test_a_simulated_release_is_one_of_the_library(label: str) -> None:
    n, scale = 7, Scale(seed=3)
    run = simulate(label, n, 1, scale)
    data = scale.rng("data", n)
    mu = data.normal(0.5, 0.1)
    records = data.normal(mu, 0.1, n)
    assert run.truth[0] == mu
    exact = (0.01 * 0.5 + 0.01 * records.sum()) / (0.01 + n * 0.01)
    assert run.exact[0] == pytest.approx(exact, abs=1e-5)
    options: dict[str, Any] = {"delta": 1e-5} if label in (INPUT, GAUSSIAN) else {}
    theirs = dp.release(MODEL.count(records), MODEL, 1, label, rng=scale.rng(label, n), **options)
    assert run.released[0] == theirs.posterior.mean()
    away = theirs.posterior.hellinger(MODEL.posterior(records))
    assert hellinger(run, n)[0] == pytest.approx(away)


def test_intervals_that_take_noise_for_data() -> None:
    """The closed form of the claim by simulation; false alarm 1e-6."""
    n, runs, noise, rng = 10, 100_000, 0.3, np.random.default_rng(5)
    mu = rng.normal(0.5, 0.1, runs)
    noisy = mu + rng.normal(0, math.sqrt(0.01 + noise**2), (n, runs))
    mean = (0.5 + noisy.sum(axis=0)) / (1 + n)
    inside = np.abs(mean - mu) <= 1.96 * math.sqrt(0.01 / (1 + n))
    expected = claims_normal.covered(noise, n)
    assert 0.3 < expected < 0.8
    assert abs(inside.mean() - expected) < 4.9 * math.sqrt(0.25 / runs)


@pytest.mark.parametrize("label", [INPUT, GAUSSIAN, LAPLACE])
def test_coverage(label: str) -> None:
    """Noise-aware intervals cover 95 %, the others far less; false alarm 1e-6."""
    run = simulate(label, 20, 300, Scale(seed=1))
    error = 4.9 * math.sqrt(0.95 * 0.05 / 300)
    assert abs(covered_aware(label, run, 20) - 0.95) < error
    assert covered(run, 20) < 0.7
    perfect = Run(run.truth, run.exact, run.exact, run.raw)
    assert abs(covered(perfect, 20) - 0.95) < error


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.3, 1.7), (1.0, 1.0), (4.0, 2.5)])
def test_distances_of_beta_posteriors(a: float, b: float) -> None:
    p, q = stats.beta(a + 1, b), stats.beta(a, b + 1)
    exact = Fraction(a).limit_denominator(100), Fraction(b).limit_denominator(100)
    overlap = integrate.quad(lambda x: math.sqrt(p.pdf(x) * q.pdf(x)), 0, 1, limit=200)[0]
    assert apart(*exact) == pytest.approx(math.sqrt(1 - overlap), rel=1e-5)
    cross = a / (a + b)  # where the densities are equal
    expected = q.cdf(cross) - p.cdf(cross)
    assert apart(*exact, "total_variation") == pytest.approx(expected, rel=1e-9)


def test_where_lemma_6_2_begins_to_hold() -> None:
    limit = math.sqrt(2 * (1 - math.pi / 4))
    start = Fraction(largest_below(limit, "total_variation"))
    assert apart(start, start, "total_variation") <= limit * (1 + 1e-9)
    below = start * Fraction(99, 100)
    assert apart(below, below, "total_variation") > limit


def test_the_figure(quick: Table) -> None:
    part = PARTS[0]
    loose = quick.where(mechanism=LOOSE)
    # |noise| of scale ½ whatever n, so 60 add up to a gamma variable: false alarm 1e-6
    low, high = stats.gamma(60, scale=0.5 / 60).ppf([1.25e-7, 1 - 1.25e-7])
    assert all(low < error < high for error in loose.numbers("error"))
    tight, noisy = (quick.where(mechanism=x).numbers("error") for x in (LAPLACE, INPUT))
    assert tight[-1] < 0.002 < 0.03 < noisy[-1]
    for column in ("hellinger", "covered"):
        shown = quick.where(mechanism=GAUSSIAN).numbers(column)
        assert ((shown >= 0) & (shown <= 1)).all()
    figure = part.draw(quick)
    assert len(figure.axes) == 3
    [legend] = figure.legends
    assert len(legend.get_texts()) == 7


def test_a_refutation_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine so slow that a check gives up before the first data set."""
    clock = count(step=10)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    place = "claimed.lemma_6_2"
    assert programs.program_of(place).check().verdict == "UNKNOWN"
    report = programs.checked.__wrapped__(place)
    assert report.verdict == "REFUTED"
    assert report.witness is not None
    assert report.witness.tightness == pytest.approx(1.3467, abs=1e-4)


def test_a_program_that_is_not_settled_is_not_drawn_as_refuted() -> None:
    row = ("§6.1", "one", "", "eps", "UNKNOWN", "epsilon", 1.0, 0.9, 0.9)
    columns = "section program remark declared verdict measured claimed exact ratio"
    figure = programs.draw(Table.of(columns, [row]))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["UNKNOWN"]


def test_z3_is_asked_for_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it programs come out UNKNOWN, and verdicts of claims would change without a word."""
    monkeypatch.setitem(sys.modules, "z3", None)
    for what in ("all", "p4", "p4-programs"):
        result = call("reproduce", what, "--out", tmp_path / "x")
        assert result.status == 2
        assert "programs are proved by z3: pip install 'discreet[language]'" in result.err
        assert not (tmp_path / "x").exists()
