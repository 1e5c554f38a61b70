"""P3's figures, claims and printed numbers."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import discreet as dp
from discreet.exact import compositions
from discreet_papers.p0.brute_force import changes, neighbours, search
from discreet_papers.p1.laws import smoothness
from discreet_papers.p3 import CLAIMS, PARTS, PRINTED, theory
from discreet_papers.p3.cases import (
    CASES,
    DIRICHLET,
    M_H,
    OVER_S,
    local_of_all,
    smooth_of,
)
from discreet_papers.p3.laws import TRUNCATED, error_law, runs
from discreet_papers.parts import Finding, Scale, Table, Verdict
from discreet_papers.settings import LIMIT, model

pytest.importorskip("matplotlib")

QUICK = Scale(quick=True, seed=3)
EXPECTED = {
    "p3-dirichlet": Verdict.FAILS,
    "p3-candidates": Verdict.CONDITION,
    "p3-smooth-definition": Verdict.FAILS,
    "p3-half": Verdict.CONDITION,
    "p3-local-search": Verdict.HOLDS,
    "p3-sliding": Verdict.CONDITION,
    "p3-dilation-tail": Verdict.CONDITION,
    "p3-proof-normaliser": Verdict.FAILS,
    "p3-80-percent": Verdict.CONDITION,
    "p3-gs": Verdict.FAILS,
    "p3-gamma": Verdict.FAILS,
    "p3-ls-s": Verdict.FAILS,
    "p3-l1-bound": Verdict.CONDITION,
    "p3-l1-order": Verdict.HOLDS,
    "p3-fig5": Verdict.CONDITION,
    "p3-fig6": Verdict.CONDITION,
    "p3-fig7": Verdict.CONDITION,
    "p3-fig8": Verdict.HOLDS,
}


@cache
def finding(name: str) -> Finding:
    return next(claim for claim in CLAIMS if claim.id == name).measure()


@cache
def table(name: str) -> Table:
    return next(part for part in PARTS if part.name == name).compute(QUICK)


def measured(name: str, key: str) -> float:
    return float(str(finding(name).measured[key]))


def test_every_claim_has_an_expected_verdict() -> None:
    assert sorted(claim.id for claim in CLAIMS) == sorted(EXPECTED)


SLOW = ("p3-fig7", "p3-fig8")  # exact laws of four categories


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in EXPECTED],
)
def test_verdict(name: str) -> None:
    found = finding(name)
    assert found.verdict == EXPECTED[name], found.words
    assert found.measured
    assert all(type(value) in (int, float, bool, str) for value in found.measured.values())
    assert "nan" not in found.words
    assert found.words.endswith(".")


def test_printed_numbers_agree_or_have_a_reason() -> None:
    for number in PRINTED:
        agrees = number.agrees(number.ours())
        assert agrees == (number.reason is None), number.place


def test_sensitivities_of_all_counts_are_the_exact_ones() -> None:
    for prior, n in ((DIRICHLET, 9), ((1, 1), 12), ((1, 2, 1, 3), 4)):
        rows, local = local_of_all(prior, n)
        here = model(prior)
        for place in range(0, len(rows), 5):
            counts = tuple(rows[place].tolist())
            assert local[place] == pytest.approx(dp.local_sensitivity(here, counts), rel=1e-12)
            exact = dp.smooth_sensitivity(here, counts, gamma=0.07, kind="exponential")
            assert smooth_of(rows, local, place, 0.07) == pytest.approx(exact, rel=1e-12)


def test_neighbours_differ_by_one_record() -> None:
    rows = {tuple(row) for row in compositions.rows(5, 3).tolist()}
    for counts in rows:
        near = {x for x in rows if sum(abs(a - b) for a, b in zip(counts, x, strict=True)) == 2}
        assert set(neighbours(counts)) == near
        assert len(list(neighbours(counts))) == len(near)


def test_search_for_the_local_sensitivity() -> None:
    # inventory of P3: Beta(1, 1), counts (4, 4), candidates with 0 to 8 ones
    half = [0.103671, 0.168139, 0.211894, 0.233629]
    _, _, found = changes((1, 1), (4, 4))
    assert found == pytest.approx([*half, half[-1], *half[::-1]], abs=1e-6)


def test_search_notices_a_wrong_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert search([(2, 3)]).worst < 1e-12
    assert search([(2, 3)]).cases == 4
    wrong = "discreet_papers.p0.brute_force.local_sensitivity"
    monkeypatch.setattr(wrong, lambda model, counts: 0.25)
    assert search([(2, 3)]).worst > 0.01


def test_a_bin_that_is_too_rare_breaks_the_line() -> None:
    law = {"distance": (0.0, 0.1, 0.2), "up_to": (0.1, 0.2, 0.3), "probability": (0.6, 0.0, 0.4)}
    rows = [("lattice", *point) for point in zip(*law.values(), strict=True)]
    [(x, p)] = theory._found(Table.of("mechanism distance up_to probability", rows)).values()
    assert x == pytest.approx([0.05, 0.15, 0.25])
    assert p == pytest.approx([0.6, math.nan, 0.4], nan_ok=True)


def test_search_table_peaks_at_the_truth() -> None:
    found = table("p3-figure-1")
    for counts in found.values("counts"):
        rows = found.where(counts=counts)
        truth = rows.where(candidate=counts)
        assert truth.numbers("distance") == pytest.approx(0, abs=1e-12)
        assert rows.numbers("change").max() == pytest.approx(truth.numbers("change")[0], rel=1e-9)
        assert truth["local_sensitivity"] == pytest.approx(truth["change"], rel=1e-9)


def brute_law(counts: tuple[int, ...], kappa: float) -> tuple[float, float]:
    """Probability of the truth and mean distance of exp(−κ·H), from the definition."""
    rows = compositions.rows(sum(counts), len(counts))
    h = np.asarray(dp.hellinger(np.array(counts) + np.ones_like(rows), rows + 1.0))
    p = np.exp(-kappa * h)
    return float(1 / p.sum()), float(p @ h / p.sum())


@pytest.mark.parametrize("figure", [5, 6])
def test_laws_of_m_h(figure: int) -> None:
    counts = CASES[figure].counts
    n, here = sum(counts), model(CASES[figure].prior)
    for label, candidates, share in (
        (M_H, compositions.count(n, len(counts)), 2),
        (OVER_S, n + 1, 1),
    ):
        gamma = smoothness(candidates)
        s = dp.smooth_sensitivity(here, counts, gamma=gamma, kind="exponential")
        found = error_law(label, figure)
        expected = brute_law(counts, 0.8 / (share * s))
        assert (found.truth, found.mean) == pytest.approx(expected, rel=1e-9)
        assert found.probabilities.sum() == pytest.approx(1)


def test_formula_of_the_paper_gives_p1s_table_2() -> None:
    assert error_law(OVER_S, 6).truth == pytest.approx(0.0713016293602, abs=1e-12)
    assert error_law(TRUNCATED, 6).truth == pytest.approx(0.108688872046, abs=1e-11)


def test_truncated_noise_by_simulation() -> None:
    for figure in (5, 6):
        law = error_law(TRUNCATED, figure)
        errors = runs(TRUNCATED, figure, Scale(seed=11))
        spread = math.sqrt(float((law.distances**2) @ law.probabilities) - law.mean**2)
        assert law.probabilities.sum() == pytest.approx(1, abs=1e-6)
        assert abs(errors.mean() - law.mean) < 5 * spread / math.sqrt(len(errors))
        share = float((errors < 1e-9).mean())
        assert abs(share - law.truth) < 5 * math.sqrt(law.truth / len(errors))


@pytest.mark.slow
@pytest.mark.parametrize("figure", [5, 6, 7, 8])
def test_probabilities_by_distance(figure: int) -> None:
    found = table(f"p3-figure-{figure}").where(panel="b")
    for label in found.values("mechanism"):
        rows = found.where(mechanism=label)
        law = error_law(str(label), figure)
        assert rows.numbers("probability").sum() == pytest.approx(1, abs=2e-6)
        if figure > 5:
            first = rows.numbers("probability")[0]
            assert first == pytest.approx(law.below(0.1), rel=1e-12)
            assert len(rows.rows) == 10


def test_limit_is_left_out_only_because_it_is_lattice() -> None:
    limit, lattice = error_law(LIMIT, 5), error_law("lattice", 5)
    assert limit.mean == pytest.approx(lattice.mean, rel=1e-6)
    assert limit.truth == pytest.approx(lattice.truth, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("figure", [2, 3, 4])
def test_boxes_are_near_the_exact_means(figure: int) -> None:
    # exact means of EHD and lattice at the first data set, from `dp.accuracy`
    found = table(f"p3-figure-{figure}")
    prior = (7, 4) if figure == 2 else DIRICHLET
    rows = found.where(panel="a")
    counts = tuple(int(x) for x in str(rows.values("setting")[0]).strip("()").split(","))
    epsilon = 0.5 if figure == 2 else 0.8
    for label in ("ehd", "lattice"):
        mechanism = dp.mechanism(label, model(prior), sum(counts), epsilon=epsilon)
        law = dp.accuracy(mechanism, counts)
        box = rows.where(mechanism=label, setting=str(counts))
        spread = math.sqrt(float((law.distances**2) @ law.probabilities) - law.mean**2)
        assert abs(box.numbers("mean")[0] - law.mean) < 5 * spread / math.sqrt(QUICK.runs)


@pytest.mark.slow
def test_same_releases_in_both_distances() -> None:
    found = table("p3-figure-4")
    a, b = found.where(panel="a"), found.where(panel="b")
    assert a["mechanism"] == b["mechanism"]
    assert a["runs"] == b["runs"]
    assert (b.numbers("mean") > a.numbers("mean")).all()  # l1 steps are whole records


@pytest.mark.slow
def test_numbers_behind_the_verdicts() -> None:
    assert measured("p3-dirichlet", "printed_1_1") == pytest.approx(1 / 6)
    assert measured("p3-dirichlet", "printed_7_4") == pytest.approx(
        math.gamma(8)
        * math.gamma(5)
        * math.gamma(11)
        / (math.gamma(13) * math.gamma(7) * math.gamma(4))
    )
    assert measured("p3-gs", "ours") == pytest.approx(0.233629480708875276, abs=1e-15)
    assert measured("p3-gamma", "with_n_150") == pytest.approx(0.0653087964222, abs=1e-13)
    assert measured("p3-dilation-tail", "three_printed") == pytest.approx(5151 * 0.4 / 100)
    assert measured("p3-l1-bound", "bound") == pytest.approx(2 * math.exp(-2.5))
    assert measured("p3-l1-bound", "tail") == pytest.approx(0.541, abs=5e-4)
    assert measured("p3-fig6", "loss_of_truncated") == pytest.approx(2 * (math.log(2) + 0.4))
    assert finding("p3-half").measured["three_categories"] == pytest.approx(1 / 6)
    assert finding("p3-ls-s").measured["local_100"] == 558
    assert finding("p3-ls-s").measured["both_150"] == 0
    assert finding("p3-smooth-definition").measured["printed_is_local"] is True
    assert measured("p3-smooth-definition", "loss_of_ehdl") == pytest.approx(1.053, abs=5e-4)
    assert finding("p3-proof-normaliser").measured["sum_agrees"] is True


@pytest.mark.slow
def test_means_of_the_four_figures() -> None:
    # computed independently when the papers were read
    expected = {
        5: (0.2208, 0.0826, 0.1726, 0.0791),
        6: (0.7761, 0.3517, 0.3981, 0.2333),
        7: (0.9441, 0.6713, 0.4952, 0.3201),
        8: (0.9981, 0.9974, 0.6119, 0.5375),
    }
    for figure, means in expected.items():
        names = ("defined", "over_s", "laplace", "lattice")
        found = [measured(f"p3-fig{figure}", f"{name}_mean") for name in names]
        assert found == pytest.approx(means, abs=6e-5)
