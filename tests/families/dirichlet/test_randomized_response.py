"""Randomised response: its law, its guarantee, what is expected of reports, and what they say."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import discreet as dp
from discreet.core import families
from discreet.exact import balls, compositions
from discreet.exact.balls import ball
from discreet.families.dirichlet.mechanisms import randomized_response as ours
from discreet.laws import response
from discreet.laws.response import ResponseLaw
from discreet.noise_aware import infer, responses

GROUPS = dp.DirichletMultinomial(("y", "n"))


def made(k: int, n: int, epsilon: Any, prior: Any = 1, **options: Any) -> dp.Mechanism:
    model = dp.DirichletMultinomial(range(k), prior)
    return dp.mechanism("randomized_response", model, n, epsilon=epsilon, **options)


@pytest.mark.parametrize("counts", [(1, 0), (3, 4), (2, 0, 2), (1, 1, 0, 2)])
@pytest.mark.parametrize("epsilon", [0.2, 1, 5])
def test_the_law_is_that_of_single_records(counts: tuple[int, ...], epsilon: float) -> None:
    """All reports of all records, one by one; listed, and by the sum over those who told."""
    k, law = len(counts), ResponseLaw(counts, Fraction(str(epsilon)))
    own, other = math.exp(epsilon) / (math.exp(epsilon) + k - 1), 1 / (math.exp(epsilon) + k - 1)
    records = [i for i, times in enumerate(counts) for _ in range(times)]
    expected = dict.fromkeys(map(tuple, law.support.tolist()), 0.0)
    for reports in itertools.product(range(k), repeat=len(records)):
        kept = sum(a == b for a, b in zip(records, reports, strict=True))
        z = tuple(np.bincount(reports, minlength=k).tolist())
        expected[z] += own**kept * other ** (len(records) - kept)
    np.testing.assert_allclose(np.exp(law.log_p), list(expected.values()), rtol=1e-12)
    for z, p in expected.items():
        assert law.probability(z) == pytest.approx(p, rel=1e-12)
    assert law.probability((*counts[:-1], counts[-1] + 1)) == 0


@pytest.mark.parametrize("counts", [(61, 29), (9, 0, 12)])
@pytest.mark.parametrize("epsilon", ["1e-6", "1", "700"])
def test_the_error_of_listed_probabilities_is_bounded(
    counts: tuple[int, ...], epsilon: str
) -> None:
    law = ResponseLaw(counts, Fraction(epsilon))
    found, error = law.bounded_log_p()
    assert error < 1e-10
    for z, log_p in zip(law.support.tolist(), found.tolist(), strict=True):
        with balls.precision(1000):
            assert abs(law.log_weight(tuple(z)) - log_p) <= error


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 30), (3, 6), (4, 3)])
def test_counts_of_reports_lose_exactly_epsilon(k: int, n: int) -> None:
    """All reports of one category are e^ε times as likely if one more record has it."""
    found = dp.audit(made(k, n, 1.5, postprocess=None))
    assert 1.5 - 1e-9 <= found.epsilon_lower <= found.epsilon <= 1.5 + 1e-9
    released = dp.audit(made(k, n, 1.5))
    assert released.epsilon_lower <= 1.5
    guarantee = made(k, n, 1.5).guarantee
    assert guarantee.epsilon == Fraction(3, 2)
    assert guarantee.delta == 0
    assert "locally ε-private" in str(guarantee.basis)
    assert "*local*" in str(dp.MECHANISMS["randomized_response"].__doc__)
    assert "local" in families.of_model(GROUPS).spec("randomized_response").help


def test_reports_of_one_record_lose_epsilon_by_themselves() -> None:
    laws = [ResponseLaw(tuple(int(i == j) for i in range(5)), Fraction(2)) for j in range(5)]
    for first, second in itertools.permutations(laws, 2):
        assert np.abs(first.log_p - second.log_p).max() == pytest.approx(2, rel=1e-12)


@pytest.mark.parametrize(("counts", "epsilon"), [((71, 19), 1.0), ((40, 30, 30), 0.5)])
def test_what_is_released_is_centred_at_the_truth(counts: tuple[int, ...], epsilon: float) -> None:
    """Not so the reports: they are pulled to n/k."""
    mechanism = made(len(counts), sum(counts), epsilon)
    size = 40_000
    rows = mechanism.raw_law(counts).sample(size, np.random.default_rng(7))
    factor = ours._factor(Fraction(str(epsilon)))
    unbiased = rows + (len(counts) * rows - sum(counts)) * (factor / 2.0**64)
    error = unbiased.std(axis=0) / math.sqrt(size)
    assert (np.abs(unbiased.mean(axis=0) - counts) <= stats.norm.isf(5e-7) * error).all()
    assert abs(rows[:, 0].mean() - counts[0]) > 20 * error[0]
    released = np.array([mechanism.postprocess(row) for row in rows[:300]])
    assert (released >= 0).all()
    assert (released.sum(axis=1) == sum(counts)).all()
    inside = (unbiased[:300] >= 1).all(axis=1) & (unbiased[:300] <= sum(counts) - 1).all(axis=1)
    assert inside.sum() > 50
    assert (np.abs(released - unbiased[:300])[inside] <= 1).all()


@pytest.mark.parametrize("epsilon", ["1e-9", "0.3", "1", "50", "1000"])
def test_the_factor_is_rounded_down_everywhere_alike(epsilon: str) -> None:
    factor = ours._factor(Fraction(epsilon))
    with balls.precision(4000):
        exact = 2**64 / ball(Fraction(epsilon)).expm1()
        assert factor <= exact < factor + 1
    raw = np.array([[10**9, 0, 10**9]])
    assert ours.expected(2 * 10**9, 3, factor, raw).sum() == 2 * 10**9


@pytest.mark.parametrize("n", [0, 1, 10**6, 10**12, 2**60])
def test_any_number_of_records(n: int) -> None:
    mechanism = made(3, n, 1)
    z = mechanism.raw_law((n // 2, n - n // 2, 0)).sample()
    assert sum(z) == sum(mechanism.postprocess(z)) == n
    mean, p = n / (math.e + 2), math.e / (math.e + 2)
    assert abs(z[2] - mean) <= 6 * math.sqrt(n * p) + 1


def test_what_it_takes_and_refuses() -> None:
    mechanism = made(2, 9, 1)
    for raw in ((10, -1), (5, 5)):
        with pytest.raises(dp.InputError, match="raw must be an output"):
            mechanism.postprocess(raw)
    with pytest.raises(dp.InputError, match="postprocess must be"):
        made(2, 9, 1, postprocess="clip")
    with pytest.raises(dp.InputError, match="'substitute' only"):
        made(2, 9, 1, adjacency="add-remove")
    assert mechanism.postprocess((9, 0)) == (9, 0)
    with pytest.raises(dp.NotEnumerable, match="2001 records, at most 2000"):
        ResponseLaw((2001, 0), Fraction(1)).log_weight((2001, 0))
    with pytest.raises(dp.NotEnumerable, match="too many to list"):
        dp.audit(made(4, 30, 1))
    with pytest.raises(dp.NotEnumerable, match="at most 10000000"):
        infer(made(2, 10**7 + 1, 1), (10**7, 1))
    with pytest.raises(dp.InputError, match="at most 200 categories to plan"):
        dp.plan(dp.DirichletMultinomial(range(201)), 5, epsilon=1, mechanism="randomized_response")


def test_71_of_90() -> None:
    """Over all releases: reports taken for the truth miss 0.79, the noise-aware ones have it."""
    mechanism, theta = made(2, 90, 1), 71 / 90
    law = mechanism.raw_law((71, 19))
    naive, aware, means = 0.0, 0.0, 0.0
    for z, p in zip(law.support.tolist(), np.exp(law.log_p).tolist(), strict=True):
        if p < 1e-9:
            continue
        posterior = infer(mechanism, z)
        low, high = posterior.interval(0.95)[0]
        aware += p * (low <= theta <= high)
        low, high = mechanism.config.model.posterior(tuple(z)).interval(0.95)[0]
        naive += p * (low <= theta <= high)
        means += p * float(posterior.mean()[0])
    assert naive < 0.15
    assert aware > 0.94
    assert means == pytest.approx(theta, abs=0.04)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 3.0), (20.0, 2.0)])
@pytest.mark.parametrize(("z", "epsilon"), [((61, 29), 1.0), ((3, 40), 0.3), ((800, 700), 2.5)])
def test_against_quadrature(
    prior: tuple[float, float], z: tuple[int, int], epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports are independent with probabilities q + (p − q)θ; listed, and by draws."""
    t = (np.arange(200_000) + 0.5) / 200_000 * (math.pi / 2)
    x = np.sin(t) ** 2
    q = 1 / (math.exp(epsilon) + 1)
    logs = stats.beta.logpdf(x, *prior) + np.log(np.sin(2 * t))
    logs += z[0] * np.log(q + (1 - 2 * q) * x) + z[1] * np.log(q + (1 - 2 * q) * (1 - x))
    p = np.exp(logs - logs.max())
    p /= p.sum()
    mechanism = made(2, sum(z), epsilon, prior)
    exact = infer(mechanism, z)
    assert exact.diagnostics.method == "exact"
    mean = float(p @ x)
    spread = math.sqrt(float(p @ (x - mean) ** 2))
    assert exact.mean()[0] == pytest.approx(mean, rel=1e-8)
    assert exact.sd()[0] == pytest.approx(spread, rel=1e-6)
    monkeypatch.setattr(response, "MOST_TERMS", 0)
    drawn = infer(mechanism, z)
    assert drawn.diagnostics.method == "draws"
    assert drawn.diagnostics.left_out < 1e-12
    assert drawn.parameters.sum(axis=1) == pytest.approx(sum(z) + sum(prior))
    assert abs(drawn.mean()[0] - mean) < 6 * spread / math.sqrt(10_000)
    assert drawn.sd()[0] == pytest.approx(spread, rel=6 * math.sqrt(2 / 10_000))
    assert drawn.parts().privacy[0] == pytest.approx(exact.parts().privacy[0], rel=0.1)


@pytest.mark.parametrize(
    ("z", "prior", "epsilon"),
    [((5, 3, 4), (0.5, 1, 3), 0.7), ((0, 9, 1, 2), (0.2,) * 4, 2.0), ((4, 3), (1e-3, 2), 1e-3)],
)
def test_draws_have_the_right_law(
    z: tuple[int, ...],
    prior: tuple[float, ...],
    epsilon: float,
    monkeypatch: pytest.MonkeyPatch,
    rng: np.random.Generator,
) -> None:
    """Pearson's test on all vectors of counts, false alarm rate 1e-6; not so for a larger ε."""
    k, n = len(z), sum(z)
    alpha = tuple(Fraction(str(a)) for a in prior)
    listed = responses.infer(alpha, Fraction(str(epsilon)), z, rng)
    p = np.exp(listed.logs - listed.logs.max())
    p /= p.sum()
    monkeypatch.setattr(response, "MOST_TERMS", 0)
    order = {tuple(row): i for i, row in enumerate(compositions.rows(n, k).tolist())}

    def statistic(at: float) -> tuple[float, float]:
        found = [responses.infer(alpha, Fraction(str(at)), z, rng) for _ in range(4)]
        rows = np.concatenate([each.counts for each in found]).astype(int).tolist()
        seen = np.bincount([order[tuple(row)] for row in rows], minlength=len(p))
        common = p * len(rows) > 5
        share = np.append(p[common], p[~common].sum())
        times = np.append(seen[common], seen[~common].sum())
        kept = share > 0
        expected = len(rows) * share[kept]
        away = float(((times[kept] - expected) ** 2 / expected).sum())
        return away, float(stats.chi2.isf(1e-6, kept.sum() - 1))

    away, limit = statistic(epsilon)
    assert away < limit
    away, limit = statistic(epsilon + 2)
    assert away > limit


def test_many_categories_and_a_joint_table(rng: np.random.Generator) -> None:
    k, n = 60, 20_000
    theta = rng.dirichlet(np.ones(k))
    mechanism = made(k, n, 3)
    z = mechanism.raw_law(rng.multinomial(n, theta)).sample(rng=rng)
    posterior = infer(mechanism, z)
    assert posterior.diagnostics.method == "draws"
    assert repr(posterior) == repr(infer(mechanism, z))
    away = (posterior.mean() - theta) / posterior.sd()
    assert 0.4 < float((away**2).mean()) < 2
    frame = pl.DataFrame({"x": ["y"] * 80 + ["n"] * 40, "g": [1, 2] * 60})
    counts = GROUPS.count(frame, "x", by="g", groups=(1, 2))
    release = dp.release(counts, GROUPS, 2, "randomized_response")
    groups = release.by_group(release.noise_aware())
    assert set(groups) == {1, 2}
    assert all(len(group.categories) == 2 for group in groups.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "n", "epsilon"),
    [
        *[(2, 50, 0.5), (2, 90, 1), (2, 500, 2), (2, 2000, 0.5), (3, 50, 1), (3, 500, 3)],
        *[(3, 2000, 0.5), (5, 100, 2), (5, 2000, 1)],
    ],
)
def test_intervals_cover(k: int, n: int, epsilon: float) -> None:
    """θ from the prior: noise-aware 95 % intervals cover 95 %, to what 1e-6 allows."""
    from discreet_papers.coverage import coverage

    model, rng = dp.DirichletMultinomial(range(k)), np.random.default_rng([k, n])
    found = coverage(model, n, epsilon, "randomized_response", 2000 if k == 2 else 300, rng=rng)
    low, high = (stats.binom.ppf(p, found.draws, 0.95) for p in (5e-7 / k, 1 - 5e-7 / k))
    assert all(low <= share * found.draws <= high for share in found.noise_aware)
    if epsilon <= 1:  # what is released is taken for exact
        assert all(share * found.draws < low for share in found.naive)
