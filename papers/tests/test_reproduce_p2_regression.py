"""P2 Figure 2 and Appendix D anew: verdicts, and the numbers behind them by other means."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text
from scipy import integrate

import discreet as dp
from discreet_papers.data import remark
from discreet_papers.p2 import census, claims_figure_2, claims_regression, regression
from discreet_papers.p2.claims_figure_2 import expected_errors, outside
from discreet_papers.p2.claims_regression import exact_loss, pinned_loss
from discreet_papers.p2.regression import (
    EXACT,
    SAMPLE,
    STATISTICS,
    TEMPERED,
    cost,
    norm_of,
    printed_cost,
    weights,
    worst_loss,
)
from discreet_papers.p2.survey import Survey, made_up
from discreet_papers.parts import Finding, Part, Scale, Table

# erratum E14 of docs/bibliography.md has 31 and 110.5
NUMBERS = {
    ("p2-appendix-d-bound", "bound"): 31.0,
    ("p2-appendix-d-bound", "gradient"): 110.549,
    ("p2-appendix-d-privacy", "printed_n2"): 62.0,
    ("p2-figure-2-cost", "epsilon_b1"): 121.0,
    ("p2-figure-2-cost", "epsilon_b10000"): 1.21,
    ("p2-figure-2-prior", "exact_first"): 0.45024,
    ("p2-figure-2-prior", "sample_first"): 0.46684,
}
UNIT = st.floats(-1, 1)


@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    claims = (*claims_figure_2.CLAIMS, *claims_regression.CLAIMS)
    return {claim.id: claim.measure() for claim in claims}


@pytest.fixture(scope="module")
def synthetic() -> Survey:
    return made_up()


@pytest.fixture
def survey(shared_data: Path) -> Survey:
    return census.read(shared_data / "census2000.csv")


def test_the_numbers_of_the_findings(findings: dict[str, Finding]) -> None:
    for (name, key), value in NUMBERS.items():
        digits = len(str(value).partition(".")[2])
        found = findings[name].measured[key]
        assert found == pytest.approx(value, abs=0.51 * 10**-digits), (name, key)


def test_the_statistics_that_are_kept_are_those_of_the_file(survey: Survey) -> None:
    records = survey.records
    tenth = np.arange(len(records)) % 10 == 0
    for kept, rows in zip(census.every_tenth(), (records[tenth], records[~tenth]), strict=True):
        x, y = np.column_stack([np.ones(len(rows)), rows[:, :3]]) / 2, rows[:, 3]
        assert kept.n == len(rows)
        assert kept.xx == pytest.approx(x.T @ x, abs=1e-8)
        assert kept.xy == pytest.approx(x.T @ y, abs=1e-8)
        w = np.array([0.3, -0.2, 0.5, 0.1])
        assert kept.error(w) == pytest.approx(np.square(y - x @ w).mean() * 3.5**2)
        assert np.square(x).sum(axis=1).max() <= 1


def test_the_error_without_privacy_is_that_of_ridge_regression(survey: Survey) -> None:
    rows, b = survey.records[:500], Fraction(3)
    model = survey.model(b)
    stats = model.count(dict(zip(census.BOUNDS, rows.T, strict=True)), "lweekinc")
    x, y = np.column_stack([np.ones(500), rows[:, :3]]) / 2, rows[:, 3]
    found = weights(EXACT, model, stats, b, np.random.default_rng(0))
    ridge = np.linalg.solve(x.T @ x + 3 * np.eye(4), x.T @ y)
    assert found == pytest.approx(ridge, abs=1e-4)  # records are rounded to a grid
    for label in (SAMPLE, TEMPERED):
        drawn = weights(label, model, stats, b, np.random.default_rng(0))
        assert np.linalg.norm(drawn) <= float(norm_of(b)) + 1e-5
        assert not np.allclose(drawn, ridge, atol=1e-3)
    noisy = weights(STATISTICS, model, stats, b, np.random.default_rng(0))
    assert np.isfinite(noisy).all()


@pytest.mark.parametrize("b", [Fraction(1, 1000), Fraction(1), Fraction(10_000)])
def test_the_cost_is_the_epsilon_from_which_on_nothing_is_tempered(b: Fraction) -> None:
    model = Survey(tuple(census.BOUNDS), np.zeros((0, 4)), 1.0).model(b)
    values = {name: [1, -1, 0.5] for name in census.BOUNDS}
    stats = model.count(values, "lweekinc")
    laws: list[Any] = []
    for epsilon in (cost(b) * Fraction(99, 100), cost(b), 2 * cost(b)):
        made = dp.mechanism("sample", model, 3, epsilon=epsilon, norm=norm_of(b))
        laws.append(made.raw_law(stats))
    assert laws[0] != laws[1] == laws[2]
    assert float(cost(b)) == pytest.approx((1 + 10 / math.sqrt(b)) ** 2, rel=1e-9)
    assert float(laws[1].parts[0].square) == pytest.approx(100 / b / 4, rel=1e-9)  # B²/M²


def test_the_expected_error_of_a_sample(survey: Survey) -> None:
    """Against draws of the library; false alarm 1e-6."""
    records = survey.records
    b, tenth = Fraction(10), np.arange(len(records)) % 10 == 0
    model = survey.model(b)
    stats = model.count(dict(zip(census.BOUNDS, records[tenth].T, strict=True)), "lweekinc")
    test, rng = survey.moments(records[~tenth]), np.random.default_rng(4)
    for label, epsilon in ((SAMPLE, None), (TEMPERED, 1.0)):
        drawn = np.array([test.error(weights(label, model, stats, b, rng)) for _ in range(300)])
        expected = expected_errors(b, epsilon)[1]
        assert abs(drawn.mean() - expected) < 4.9 * drawn.std() / math.sqrt(300)
        assert outside(b) < 1e-10


def test_exact_losses_by_another_quadrature() -> None:
    one, two, other, norm, b = (0.9, -0.4), (-0.3, 0.8), (0.5, 1.0), 2.0, 0.7

    def log(record: tuple[float, float], w: float) -> float:
        terms = ((y - x * w) ** 2 for x, y in (record, other, other))
        return -b * w * w / 2 - sum(terms) / 2

    masses = [
        math.log(integrate.quad(lambda w, r=r: math.exp(log(r, w)), -norm, norm)[0])
        for r in (one, two)
    ]
    losses = [
        log(one, w) - masses[0] - log(two, w) + masses[1] for w in np.linspace(-norm, norm, 4001)
    ]
    found = exact_loss([(other, 2)], one, two, b, norm)
    assert found == pytest.approx(max(map(abs, losses)), rel=1e-5)


@given(*[UNIT] * 6, st.floats(0.01, 20))
def test_no_records_and_weights_lose_more_than_the_worst_case(
    a: float, c: float, y: float, a2: float, c2: float, y2: float, norm: float
) -> None:
    """A record adds (y − v·x)²/2 − (y − w·x)²/2, where |v·x| and |w·x| are at most the norm."""

    def added(here: float, there: float, target: float) -> float:
        return ((target - norm * here) ** 2 - (target - norm * there) ** 2) / 2

    assert added(a, c, y) + added(a2, c2, y2) <= worst_loss(norm) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("norm", [0.2, 1.0, 1.5, 10.0])
def test_the_worst_case_is_attained_by_two_weights(norm: float) -> None:
    cosine = -1 / norm if norm > 1 else -1.0
    v = norm * np.array([1.0, 0.0])
    w = norm * np.array([cosine, math.sqrt(1 - cosine**2)])
    records = [(-v / norm, v, w), (-w / norm, w, v)]  # y = 1
    gains = [((1 - far @ x) ** 2 - (1 - near @ x) ** 2) / 2 for x, far, near in records]
    assert sum(gains) == pytest.approx(worst_loss(norm))


@pytest.mark.parametrize("norm", [0.1, 0.7, 1.0])
def test_pinned_weights_approach_the_worst_case(norm: float) -> None:
    losses = [pinned_loss(norm, n) for n in (10, 1000, 10**6)]
    assert losses == sorted(losses)
    assert 0.98 * worst_loss(norm) < losses[-1] < worst_loss(norm)


def test_the_printed_cost() -> None:
    assert printed_cost(10, 2, 1) == 62
    assert printed_cost(3, 5, 4, 2.0) == pytest.approx(5 / 2 * (1 + 2 * 6 + 4 * 3))  # ‖w‖₁ = 6


def test_figure_2(survey: Survey) -> None:
    precisions = [Fraction(1), Fraction(10_000)]
    found = [
        *regression.losses(survey, precisions),
        *regression.errors(survey, precisions, 3, Scale(seed=2)),
    ]
    table = Table.of(regression.COLUMNS, found)
    medians = {(row[1], row[2]): float(str(row[5])) for row in table.where(panel="error").rows}
    nothing = medians["no features", None]
    assert medians[EXACT, 1.0] < medians[STATISTICS, 1.0] < nothing
    assert medians[SAMPLE, 1.0] < nothing < medians[TEMPERED, 1.0]
    assert all(abs(medians[name, 1e4] - nothing) < 0.03 for name in (EXACT, SAMPLE, TEMPERED))
    words = words_of(regression.PARTS[0], table)
    assert {"not private", "no features", "one sample at ε = 1"} <= words
    assert "2L as printed, n = 2,950" in words
    assert not any("ynthetic" in text for text in words)


def test_synthetic_records_are_of_the_size_that_p2_had(synthetic: Survey) -> None:
    survey, again = synthetic, made_up()
    assert survey.synthetic
    assert survey.records.shape == (370_000, 15)
    assert survey.trained == 37_000
    assert np.abs(survey.records).max() == 1
    assert (survey.records == again.records).all()
    x, y = survey.records[:, :-1], survey.records[:, -1]
    left = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    assert 0.15 < 1 - left.var() / y.var() < 0.35  # the quarter that the docstring speaks of
    binary = [set(np.unique(column)) == {-1, 1} for column in x.T]
    assert sum(binary) == 7
    moments = survey.moments(survey.records[:1000])
    inside = np.column_stack([np.ones(1000), x[:1000]]) / math.sqrt(15)
    assert moments.xx == pytest.approx(inside.T @ inside)
    assert np.square(inside).sum(axis=1).max() <= 1 + 1e-12
    w = np.linspace(-1, 1, 15)
    assert moments.error(w) == pytest.approx(np.square(y[:1000] - inside @ w).mean())


def test_figure_2_of_synthetic_records(synthetic: Survey) -> None:
    precisions = [Fraction(1), Fraction(100)]
    small = replace(synthetic, records=synthetic.records[:20_000])
    found = [
        *regression.losses(small, precisions),
        *regression.errors(small, precisions, 2, Scale(seed=2)),
    ]
    table = Table.of(regression.COLUMNS, found)
    assert table.values("panel") == ["loss", "error, synthetic"]
    words = words_of(regression.PARTS[0], table)
    assert "Test error, 370,000 synthetic records, 10 % to train with" in words
    assert remark(["census2000.csv"]) in words
    assert "2L as printed, n = 2,000" in words


def words_of(part: Part, table: Table) -> set[str]:
    """All that a figure says."""
    return {text.get_text() for text in part.draw(table).findobj(Text)}
