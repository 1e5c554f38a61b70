"""P0 computed anew: verdicts, printed numbers, and the tables behind the figures."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from discreet_papers import settings
from discreet_papers.p0 import CLAIMS, PARTS, PRINTED, formulas
from discreet_papers.p0.integrals import hellinger_by_quadrature, without_roots
from discreet_papers.p0.losses import balanced_loss
from discreet_papers.p0.theory import by_distance
from discreet_papers.parts import Finding, Scale, Table, Verdict

HOLDS, CONDITION, FAILS = Verdict.HOLDS, Verdict.CONDITION, Verdict.FAILS
EXPECTED = {
    "p0-hellinger-integral": FAILS,
    "p0-hellinger-closed": HOLDS,
    "p0-candidates": CONDITION,
    "p0-local-sensitivity": HOLDS,
    "p0-lipschitz": HOLDS,
    "p0-ls-varies": HOLDS,
    "p0-gs-flat": HOLDS,
    "p0-lsdim-private": HOLDS,
    "p0-lshist-private": HOLDS,
    "p0-ehd-private": HOLDS,
    "p0-ehdl-nonprivate": HOLDS,
    "p0-ehds-private": HOLDS,
    "p0-fig6-below": HOLDS,
    "p0-fig6-balanced": FAILS,
    "p0-floor-bias": FAILS,
    "p0-lsdim-numbers": CONDITION,
    "p0-lshist-formula": FAILS,
    "p0-lshist-numbers": CONDITION,
    "p0-laplace-fixed": CONDITION,
    "p0-hellinger-varies": HOLDS,
    "p0-table1-distances": FAILS,
    "p0-table1-c1": FAILS,
    "p0-table1-ehds": CONDITION,
    "p0-lshist-improves": HOLDS,
    "p0-fig2-ehdl-best": FAILS,
    "p0-fig2-lshist-best": HOLDS,
    "p0-fig2-ehd-worst": HOLDS,
    "p0-fig2-dimension": CONDITION,
    "p0-fig3-ehds": CONDITION,
    "p0-fig3-mean": FAILS,
    "p0-fig3-ehdl": HOLDS,
    "p0-fig3-laplace-alike": HOLDS,
    "p0-fig4-order": HOLDS,
    "p0-fig4-smooth": CONDITION,
    "p0-conclusion-metric": HOLDS,
    "p0-data": CONDITION,
}


@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    return {claim.id: claim.measure() for claim in CLAIMS}


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return {part.name: part.compute(Scale(quick=True, seed=1)) for part in PARTS}


def test_verdicts(findings: dict[str, Finding]) -> None:
    assert {name: found.verdict for name, found in findings.items()} == EXPECTED


def test_findings_are_plain_numbers_and_sentences(findings: dict[str, Finding]) -> None:
    for found in findings.values():
        json.dumps(dict(found.measured), allow_nan=False)
        assert all(type(x) in (bool, int, float) for x in found.measured.values())
        assert found.words.endswith(".")
        assert "nan" not in found.words.split()


def test_measured_numbers_are_the_references(findings: dict[str, Finding]) -> None:
    """Numbers that were computed by other means."""
    for claim, name, expected, digits in (
        ("p0-hellinger-integral", "closed_form", 0.233629480708875276, 15),
        ("p0-ehd-private", "loss_n600", 0.506, 3),
        ("p0-ehds-private", "loss_n1000", 0.443, 3),
        ("p0-ehdl-nonprivate", "loss_prior_0.1", 1.053, 3),
        ("p0-gs-flat", "n1e12", 0.337302645331092482, 12),
        ("p0-fig2-ehdl-best", "ehdl_k2", 0.2437, 4),
        ("p0-fig2-ehdl-best", "ehdl_without_the_2_k2", 0.4617, 4),
        ("p0-fig2-lshist-best", "lattice_mean_k3", 0.0605, 4),
        ("p0-fig3-ehds", "ehds_n1000", 0.5544, 4),
        ("p0-fig3-ehds", "lattice_n1000", 0.9866, 4),
        ("p0-lshist-numbers", "both_sides_t1", (1 - math.exp(-2)) / 2, 12),
    ):
        assert findings[claim].measured[name] == pytest.approx(expected, abs=0.51 * 10**-digits)


def test_printed_numbers_agree_or_have_a_reason() -> None:
    assert len(PRINTED) == 16
    for number in PRINTED:
        assert number.agrees(number.ours()) == (number.reason is None), number.place


def test_data_are_the_published_tables(shared_data: Path) -> None:
    for name, file, column, codes in (
        ("bike sharing, working day", "bike_day.csv", "workingday", "10"),
        ("bike sharing, weather", "bike_day.csv", "weathersit", "123"),
        ("cryotherapy, cured", "cryotherapy.csv", "Result_of_Treatment", "10"),
        ("cryotherapy, type", "cryotherapy.csv", "Type", "123"),
        ("immunotherapy, cured", "immunotherapy.csv", "Result_of_Treatment", "10"),
        ("immunotherapy, type", "immunotherapy.csv", "Type", "123"),
        ("badges, sign", "badges.csv", "label", "+-"),
    ):
        with (shared_data / file).open(encoding="utf-8", newline="") as lines:
            values = [row[column] for row in csv.DictReader(lines)]
        counts = (settings.TWO_CATEGORIES | settings.THREE_CATEGORIES)[name]
        assert tuple(values.count(code) for code in codes) == counts
        assert len(values) == sum(counts)


def distance(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The closed form, by scipy's log-gamma."""

    def log_beta(x: np.ndarray) -> float:
        return float(special.gammaln(x).sum() - special.gammaln(x.sum()))

    p, q = np.array(a, dtype=float), np.array(b, dtype=float)
    return math.sqrt(-math.expm1(log_beta((p + q) / 2) - (log_beta(p) + log_beta(q)) / 2))


def test_quadrature() -> None:
    assert hellinger_by_quadrature((1, 1), (2, 1)) == pytest.approx(0.239146311738100268, abs=1e-12)
    assert hellinger_by_quadrature((2, 3, 4), (3, 3, 3)) == pytest.approx(
        distance((2, 3, 4), (3, 3, 3)), abs=1e-12
    )
    x = np.linspace(0, 1, 20001)
    squares = (stats.beta(5, 5).pdf(x) - stats.beta(4, 6).pdf(x)) ** 2
    assert without_roots((5, 5), (4, 6)) == pytest.approx(
        math.sqrt(0.5 * np.trapezoid(squares, x)), abs=1e-7
    )


def test_printed_formulas() -> None:
    """What the formulas of Table 1 lack makes them right (erratum E18)."""
    for a, b in ((21.0, 21.0), (5.0, 9.0)):
        bc = (1 - formulas.first_distance(a, b)) * math.sqrt((b - 1) / a)
        assert math.sqrt(1 - bc) == pytest.approx(distance((a, b), (a + 1, b - 1)))
        right = math.sqrt(1 - formulas.bhattacharyya(a, b - 1))
        assert right == pytest.approx(distance((a, b), (a + 2, b - 2)))
    laplace = stats.laplace(scale=2)
    for t in (-3, -1, 0, 2):
        expected = laplace.cdf(t + 1) - laplace.cdf(t)
        assert formulas.floored(t, 0.5) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_figure_1(tables: dict[str, Table]) -> None:
    table = tables["p0-figure-1"]
    assert table["ones"] == list(range(101))
    for ones in (0, 7, 50, 99):
        [row] = table.where(ones=ones).rows
        cells = dict(zip(table.columns, row, strict=True))
        up = distance((ones + 1, 101 - ones), (ones + 2, 100 - ones))
        down = distance((ones + 1, 101 - ones), (ones, 102 - ones)) if ones else 0.0
        assert cells["one_more"] == pytest.approx(up, rel=1e-9)
        assert cells["local"] == pytest.approx(max(up, down), rel=1e-9)
    local, smooth, smoother, largest = (
        table.numbers(name) for name in ("local", "smooth", "smoother", "global")
    )
    away = np.abs(np.subtract.outer(np.arange(101), np.arange(101)))
    assert smooth == pytest.approx((1 / (1 / local + away)).max(axis=1), rel=1e-9)
    assert smoother == pytest.approx((1 / (1 / local + 0.1 * away)).max(axis=1), rel=1e-9)
    assert largest == pytest.approx(np.full(101, local.max()), rel=1e-9)


@pytest.mark.slow
def test_table_1(tables: dict[str, Table]) -> None:
    table = tables["p0-table-1"]
    noise = stats.laplace(scale=1)
    for t in range(3):
        [row] = table.where(mechanism="ls_hist", steps=t).rows
        one = noise.cdf(t + 1) - noise.cdf(t)
        other = noise.cdf(1 - t) - noise.cdf(-t) if t else 0.0
        c = distance((301, 301), (301 + t, 301 - t))
        assert row[2:] == pytest.approx((c, one, one + other), rel=1e-9)
        [row] = table.where(mechanism="lattice", steps=t).rows
        one = math.tanh(0.5) * math.exp(-t)
        assert row[3:] == pytest.approx((one, 2 * one if t else one), rel=1e-9)
    ehds = table.where(mechanism="ehds").numbers("one_side")
    expected = [0.12025154446, 0.09365199699, 0.07295881552]
    assert ehds == pytest.approx(expected, abs=1e-10)


def test_probabilities_by_distance() -> None:
    """EHDL at ε = 5 and, in bins, EHD with three categories, from the definition."""
    distances, p = by_distance("ehdl", (20, 20), 5)
    steps = np.array([distance((21, 21), (21 + t, 21 - t)) for t in range(-20, 21)])
    weights = np.exp(-5 * steps / (2 * steps[19]))
    weights /= weights.sum()
    assert distances == pytest.approx(steps[20:], abs=1e-9)
    assert p == pytest.approx(weights[20:] + np.append(0, weights[19::-1]), rel=1e-9)

    centres, p = by_distance("ehd", (3, 3, 3), 1)
    rows = [(i, j, 9 - i - j) for i in range(10) for j in range(10 - i)]
    far = np.array([distance((4, 4, 4), (i + 1, j + 1, k + 1)) for i, j, k in rows])
    weights = np.exp(-far / (2 * distance((1, 2, 9), (2, 1, 9))))
    step = distance((4, 4, 4), (5, 3, 4))
    bins = np.rint(far / step).astype(int)
    assert centres[1] == pytest.approx(step)
    assert p == pytest.approx(np.bincount(bins, weights / weights.sum()), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["p0-figure-2", "p0-figure-3"])
def test_figures_2_and_3(name: str, tables: dict[str, Table]) -> None:
    table = tables[name]
    for title in table.values("panel"):
        panel = table.where(panel=title)
        for label in panel.values("mechanism"):
            own = panel.where(mechanism=label)
            assert own.rows[0][2] == 0
            assert (np.diff(own.numbers("distance")) > 0).all()
            assert 0 < own.numbers("probability").sum() <= 1 + 1e-9
    truth = table.where(distance=0.0)
    lattice = truth.where(mechanism="lattice").numbers("probability")
    assert lattice[0] == pytest.approx(math.tanh(0.5 if name == "p0-figure-2" else 2.5), rel=1e-9)
    limit = truth.where(mechanism="optimal").numbers("probability")
    assert limit[0] == pytest.approx(lattice[0], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "settings_"), [("p0-figure-4", 4), ("p0-figure-5", 3)])
def test_box_plots_are_samples_of_the_exact_laws(
    name: str, settings_: int, tables: dict[str, Table]
) -> None:
    """Hoeffding: 200 errors in [0, 1] have a mean within 0.2 of theirs, but for 5e-7."""
    table = tables[name]
    assert len(table.values("setting")) == settings_
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        assert abs(float(str(cells["mean"])) - float(str(cells["exact_mean"]))) < 0.2
        ends = [cells[x] for x in ("least", "lower", "median", "upper", "most")]
        assert ends == sorted(ends, key=lambda x: float(str(x)))
        assert cells["runs"] == 200
    weather = table.where(mechanism="lattice").numbers("exact_mean")
    assert weather[0] == pytest.approx(0.0239 if settings_ == 4 else 0.1061, abs=6e-5)


@pytest.mark.slow
def test_figure_6(tables: dict[str, Table]) -> None:
    table = tables["p0-figure-6"]
    everywhere, balanced = (table.where(panel=title) for title in table.values("panel"))
    for label, expected in (("ehd", 0.531), ("ehdl", 0.804), ("ehds", 0.400), ("lattice", 1.0)):
        [row] = everywhere.where(mechanism=label, n=100).rows
        assert row[3] == pytest.approx(expected, abs=6e-4)
    assert (everywhere.numbers("loss") >= balanced.numbers("loss") * (1 - 1e-9)).all()
    full = everywhere.where(mechanism=settings.CALIBRATED).numbers("loss")
    assert full == pytest.approx(np.ones(len(full)), abs=1e-6)
    assert (full <= 1).all()

    def logs(ones: int) -> np.ndarray:
        h = [distance((ones + 1, 11 - ones), (r + 1, 11 - r)) for r in range(11)]
        weights = -np.array(h) / (2 * distance((1, 11), (2, 10)))
        return np.asarray(weights - special.logsumexp(weights))

    expected = max(np.abs(logs(5) - logs(5 + t)).max() for t in (1, -1))
    assert balanced_loss("ehd", 10) == pytest.approx(expected, rel=1e-9)
