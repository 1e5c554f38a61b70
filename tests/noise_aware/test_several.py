"""Several unknown counts: bounds, draws, private totals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from discreet.noise_aware import infer, mixing, product, several_categories, totals, windows
from discreet.noise_aware.kernels import LaplaceKernel
from tests.noise_aware.cases import (
    SEVERAL,
    made,
    weights_of,
)


@pytest.mark.parametrize("name", ["lattice", "ls_hist", "add-remove"])
@pytest.mark.parametrize("prior", [1, "jeffreys", (0.2, 6, 1.5)])
def test_the_bound_for_several_counts_holds(
    name: str, prior: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mass of the vectors that too narrow windows miss is within the bound."""
    n = None if name == "add-remove" else 60
    mechanism = made("lattice" if n is None else name, 3, n, prior, 0.8)
    raw = mechanism.raw_law((30, 25, 5)).sample(rng=rng)
    n_prior = (0, 500) if n is None else None
    exact = weights_of(mechanism, infer(mechanism, raw, n_prior=n_prior))
    missed = 0.0
    for tolerance in (1e-1, 1e-2, 1e-4):
        with monkeypatch.context() as patch:
            patch.setattr(windows, "TOLERANCE", tolerance)
            patch.setattr(product, "_BEYOND", tolerance / 10)
            patch.setattr(windows, "_START", 2.0)
            narrow = infer(mechanism, raw, n_prior=n_prior)
        outside = 1 - sum(exact[c] for c in weights_of(mechanism, narrow) if c in exact)
        assert outside <= narrow.diagnostics.left_out <= 2 * tolerance
        missed = max(missed, outside)
    assert missed > 1e-9


@pytest.mark.parametrize(("name", "k", "n", "prior", "options"), SEVERAL)
@pytest.mark.parametrize("values", [1 << 20, 60])
def test_draws_against_enumeration(
    name: str,
    k: int,
    n: int | None,
    prior: Any,
    options: dict[str, Any],
    values: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Means and mean squares of every count; with cells of one count and of several."""
    mechanism = made(name, k, n, prior, 0.9)
    counts = rng.multinomial(40 if n is None else n, [1 / k] * k)
    raw = mechanism.raw_law(counts).sample(rng=rng)
    exact = infer(mechanism, raw, **options)
    monkeypatch.setattr(several_categories, "MOST_POINTS", 0)
    monkeypatch.setattr(windows, "MOST_VALUES", values)
    drawn = infer(mechanism, raw, rng=rng, **options)
    ess = drawn.diagnostics.ess
    assert exact.diagnostics.method == "exact"
    assert drawn.diagnostics.method == "draws"
    assert exact.diagnostics.r_hat is None
    assert drawn.diagnostics.r_hat is not None
    assert 0.99 < drawn.diagnostics.r_hat < 1.01
    assert ess is not None
    assert ess > (9_900 if values > 60 else 500)
    for power in (1, 2):
        truth, found = exact.parameters**power, drawn.parameters**power
        mean = exact.weights @ truth
        spread = np.sqrt(exact.weights @ (truth - mean) ** 2 / ess)
        assert (np.abs(drawn.weights @ found - mean) <= 6 * spread + 1e-9 * mean).all()


def test_draws_have_the_right_law(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pearson's test on all vectors, false alarm rate 1e-6."""
    mechanism = made("lattice", 3, 12, (0.5, 1, 3), 0.7)
    raw = (7, -3, 8)
    exact = weights_of(mechanism, infer(mechanism, raw))
    monkeypatch.setattr(several_categories, "MOST_POINTS", 0)
    drawn = infer(mechanism, raw, rng=rng)
    alpha = np.array([0.5, 1, 3])
    rows, times = np.unique(np.rint(drawn.parameters - alpha), axis=0, return_counts=True)
    seen = dict(zip(map(tuple, rows.astype(int).tolist()), times.tolist(), strict=True))
    common = [c for c, p in exact.items() if p * times.sum() > 5]
    p = np.array([exact[c] for c in common] + [1 - sum(exact[c] for c in common)])
    observed = [seen.get(c, 0) for c in common]
    observed.append(int(times.sum()) - sum(observed))
    statistic = ((np.array(observed) - times.sum() * p) ** 2 / (times.sum() * p)).sum()
    assert statistic < stats.chi2.isf(1e-6, len(p) - 1)


def test_rare_totals_are_split_from_the_list(rng: np.random.Generator) -> None:
    """A total that rejection would hardly ever accept."""
    left, right = np.exp(-np.arange(60.0)), np.exp(-(np.arange(60.0) ** 2) / 10)
    left, right = left / left.sum(), right / right.sum()
    share = several_categories._share(left, right, np.full(4000, 50), rng)
    p = left[:51] * right[50::-1]
    p /= p.sum()
    observed = np.bincount(share, minlength=51)
    likely = p * 4000 > 5
    statistic = ((observed - 4000 * p)[likely] ** 2 / (4000 * p)[likely]).sum()
    assert statistic < stats.chi2.isf(1e-6, likely.sum())
    assert observed[~likely].sum() < 100


@pytest.mark.parametrize("name", ["lattice", "ls_dim", "add-remove"])
def test_many_categories(name: str, rng: np.random.Generator) -> None:
    k, n = 100, 10_000
    mechanism = made("lattice" if name == "add-remove" else name, k, n, 1, 1.0)
    if name == "add-remove":
        mechanism = made("lattice", k, None, 1, 1.0)
    counts = rng.multinomial(n, rng.dirichlet(np.ones(k)))
    posterior = infer(mechanism, mechanism.raw_law(counts).sample(rng=rng), rng=rng)
    assert posterior.diagnostics.method == "draws"
    assert posterior.diagnostics.left_out <= 2e-12
    ess = posterior.diagnostics.ess
    assert ess is not None
    assert ess >= 1000
    if name != "add-remove":
        np.testing.assert_allclose(posterior.parameters.sum(axis=1), n + k)
    assert (posterior.parameters >= 1).all()
    distance = np.abs(posterior.mean() - (counts + 1) / (n + k)) * n
    assert np.median(distance) < (200 if name == "ls_dim" else 3)


def test_conflicts_between_prior_and_output() -> None:
    """Where the prior is strong, the counts lie far from the noisy ones."""
    for k, n in ((2, 1000), (3, 300), (3, None)):
        mechanism = made("lattice", k, n, 1e4, 0.05)
        raw = (1000, 0) if k == 2 else (300, 0, 0)
        posterior = infer(mechanism, raw)
        assert posterior.diagnostics.left_out <= 2e-12
        np.testing.assert_allclose(posterior.mean(), 1 / k, atol=0.02)
    far = infer(made("lattice", 3, 100, 1, 1.0), (-50, 60, 90))
    counts = far.weights @ far.parameters - 1
    assert counts[0] < 3
    assert counts[2] > counts[1] > 10
    squeezed = infer(made("lattice", 3, None, 1, 1.0), (40, 40, 40), n_prior=(0, 30))
    assert (squeezed.parameters.sum(axis=1) <= 33).all()


@pytest.mark.parametrize("k", [2, 3, 12])
def test_huge_budgets(k: int) -> None:
    for n in (20, None):
        mechanism = made("lattice", k, n, (0.2, 6, 1.5) * 4, 6e5)
        raw = (13, 7, *(0,) * (k - 2))
        posterior = infer(mechanism, raw)
        assert posterior.diagnostics.method == "exact"
        assert weights_of(mechanism, posterior) == {raw: pytest.approx(1)}


def test_private_totals(rng: np.random.Generator) -> None:
    """A prior of n that knows it is substitution with more noise; a flat one knows less."""
    mechanism = made("lattice", 2, None, 1, 0.2)
    raw = (110, 60)
    known = infer(mechanism, raw, n_prior=(170, 170))
    flat = infer(mechanism, raw)
    np.testing.assert_allclose(known.parameters.sum(axis=1), 172)
    assert known.sd()[0] < flat.sd()[0]
    sizes = flat.parameters.sum(axis=1) - 2
    assert flat.weights @ sizes == pytest.approx(170, abs=1)


@pytest.mark.parametrize(
    ("alpha", "z"),
    [("0.1", (2, 0, 1)), ("0.45", (2, 0, 1)), ("0.01", (4, 4, 4)), ("0.003", (4, 4, 4))],
)
def test_a_private_total_with_a_weak_prior(
    alpha: str, z: tuple[int, ...], rng: np.random.Generator
) -> None:
    """Draws by the latent number against enumeration, false alarm rate 1e-6.

    Below A = 1.25 the factor A + s comes as a weight. The weaker the prior, the more of the latent
    number lies below its grid.
    """
    prior, rate = Fraction(alpha), 0.9
    flat = totals.PriorOfN(np.zeros_like, 0, math.inf, True)
    problem = totals.Problem((prior,) * 3, None, z, None, LaplaceKernel(rate), flat)
    found = mixing.draw_mixed(problem, 200_000, rng)
    c = np.stack(np.meshgrid(*[np.arange(50.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    a, sums = float(prior), c.sum(axis=1)
    logs = (special.gammaln(c + a) - special.gammaln(c + 1) - rate * np.abs(c - z)).sum(axis=1)
    logs += special.gammaln(sums + 1) - special.gammaln(sums + 3 * a)
    p = np.exp(logs - special.logsumexp(logs))
    weights = np.exp(found.logs - found.logs.max())
    weights /= weights.sum()
    ours = found.counts.sum(axis=1)
    for exact, drawn in (
        (sums, ours),
        (sums == 0, ours == 0),
        ((c == 0).sum(axis=1) == 2, (found.counts == 0).sum(axis=1) == 2),
    ):
        mean = float(p @ exact)
        error = float(np.sqrt(weights**2 @ (drawn - mean) ** 2))
        assert abs(float(weights @ drawn) - mean) <= stats.norm.isf(5e-7 / 3) * error


def test_counts_beyond_the_digits_of_floats() -> None:
    """Only differences of counts matter, and they are small: at 2**60 as at 60."""
    flat, results = totals.PriorOfN(np.zeros_like, 0, math.inf), []
    for size in (10**4, 2**60):
        z = (size + 3, size - 2, size + 4)
        problem = totals.Problem(
            (Fraction(1),) * 3, 3 * size, z[:2], z[2] - 5, LaplaceKernel(0.5), flat
        )
        points = several_categories.enumerate_points(windows.prepare(problem))
        assert points is not None
        results.append(np.sort(points.logs - points.logs.max())[-500:])
    np.testing.assert_allclose(results[0], results[1], atol=1e-9)
