"""The counts behind an output, against brute force."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy import special, stats

import discreet as dp
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.families.dirichlet import listed_counts
from discreet.noise_aware import infer, two_categories
from discreet.noise_aware.kernels import Kernel, LaplaceKernel
from discreet.noise_aware.prior import log_rise, log_steps
from tests.noise_aware.cases import (
    KERNELS,
    PRIORS,
    SPIKES,
    brute_force,
    largest_difference,
    made,
    weights_of,
)


@pytest.mark.parametrize("name", dp.MECHANISMS)
@pytest.mark.parametrize(("k", "n"), [(2, 0), (2, 1), (2, 9), (3, 0), (3, 5), (4, 3)])
def test_against_brute_force(name: str, k: int, n: int, rng: np.random.Generator) -> None:
    for prior, epsilon in itertools.product(PRIORS, (0.3, 2)):
        mechanism = made(name, k, n, prior, epsilon)
        raw = mechanism.raw_law(rng.multinomial(n, [1 / k] * k)).sample(rng=rng)
        posterior = infer(mechanism, raw)
        expected = brute_force(mechanism, raw, [n])
        assert largest_difference(weights_of(mechanism, posterior), expected) <= 1e-11
        assert posterior.diagnostics.method == "exact"
        assert posterior.diagnostics.left_out <= 2e-12


@pytest.mark.parametrize("options", [{"calibrate": True}, {"distance": "total_variation"}])
def test_variants_of_exponential_mechanisms(options: dict[str, Any]) -> None:
    mechanism = made("ehds", 2, 8, (0.5, 2), 1.5, **options)
    posterior = infer(mechanism, (5, 3))
    expected = brute_force(mechanism, (5, 3), [8])
    assert largest_difference(weights_of(mechanism, posterior), expected) <= 1e-11


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n_prior", [None, (3, 9), stats.poisson(6), stats.binom(12, 0.5)])
def test_add_remove_against_brute_force(k: int, n_prior: Any, rng: np.random.Generator) -> None:
    for prior in PRIORS:
        mechanism = made("lattice", k, None, prior, 2.5)
        raw = mechanism.raw_law(rng.multinomial(6, [1 / k] * k)).sample(rng=rng)
        if isinstance(n_prior, tuple):
            totals, p_of_n = range(n_prior[0], n_prior[1] + 1), lambda n: 1.0
        elif n_prior is None:
            totals, p_of_n = range(22), lambda n: 1.0
        else:
            totals, p_of_n = range(22), lambda n: float(n_prior.pmf(n))
        posterior = infer(mechanism, raw, n_prior=n_prior)
        expected = brute_force(mechanism, raw, totals, p_of_n)
        assert largest_difference(weights_of(mechanism, posterior), expected) <= 1e-9
        assert posterior.diagnostics.method == "exact"


def test_the_raw_output_decides_not_what_is_made_of_it() -> None:
    """Outputs that are released as the same counts may have different posteriors."""
    mechanism = made("lattice", 3, 10, 1, 1.0)
    first, second = (-3, 7, 6), (-1, 6, 5)
    assert mechanism.postprocess(first) == mechanism.postprocess(second)
    assert infer(mechanism, first).mean()[0] < infer(mechanism, second).mean()[0] - 1e-3
    other = infer(made("lattice", 3, 10, 1, 1.0, postprocess=None), first)
    np.testing.assert_allclose(other.mean(), infer(mechanism, first).mean())


def test_two_categories_lose_nothing_by_clipping() -> None:
    """Geometric noise has no memory: beyond 0 and n all outputs say the same."""
    mechanism = made("lattice", 2, 20, (0.5, 3), 0.5)
    for inside, outside in (((0, 20), (-40, 60)), ((20, 0), (33, -13))):
        same = weights_of(mechanism, infer(mechanism, outside))
        assert largest_difference(weights_of(mechanism, infer(mechanism, inside)), same) < 1e-13


@pytest.mark.parametrize("name", ["lattice", "ls_dim", "ls_hist"])
@pytest.mark.parametrize("n", [10**6, 10**12, 2**60])
def test_huge_counts(name: str, n: int) -> None:
    """Ratios of weights against balls, at counts in the middle and next to the ends."""
    for prior, share in itertools.product(((1, 1), (0.5, 3), (1e-3, 40)), (0, 0.3, 1)):
        mechanism = made(name, 2, n, prior, 0.4)
        z = round(share * n)
        raw = (z, n - z) if name == "lattice" else (z,)
        posterior = infer(mechanism, raw)
        assert posterior.diagnostics.left_out <= 2e-12
        assert posterior.diagnostics.grouped == 0
        if n > 10**15:
            continue  # floats do not tell neighbouring parameters apart
        found = weights_of(mechanism, posterior)
        likely = sorted(found, key=found.__getitem__)[-6:]
        with balls.precision(300):
            logs = [
                mechanism.raw_law(c).log_weight(raw)
                + sum(
                    (
                        (ball(a) + x).lgamma() - arb(x + 1).lgamma()
                        for a, x in zip(mechanism.config.model.prior, c, strict=True)
                    ),
                    arb(0),
                )
                for c in likely
            ]
            for c, log in zip(likely, logs, strict=True):
                ratio = float((log - logs[-1]).exp().mid())
                assert found[c] / found[likely[-1]] == pytest.approx(ratio, rel=1e-11)


def test_with_many_records_the_noise_is_nothing() -> None:
    release = dp.release((3 * 10**11, 7 * 10**11), dp.BetaBinomial(), 1)
    aware, plain = release.noise_aware(), release.posterior
    np.testing.assert_allclose(aware.interval(), plain.interval(), rtol=1e-9)
    assert aware.hellinger(plain) < 1e-5


@pytest.mark.parametrize("prior", SPIKES)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_the_bound_on_what_is_left_out_holds(
    prior: tuple[Any, ...], kernel: Callable[[float], Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows that are far too narrow leave out much, and say so."""
    n, alpha = 400, tuple(Fraction(str(a)) for a in prior)
    monkeypatch.setattr(two_categories, "TOLERANCE", math.inf)
    some = 0
    for rate, z, reach in itertools.product((0.05, 1.0), (-30, 0, 77, 200, 399, 450), (0.5, 3, 12)):
        whole = two_categories._listed(alpha, n, Fraction(z), kernel(rate), 0, n)
        p = np.exp(whole - special.logsumexp(whole))
        monkeypatch.setattr(two_categories, "_REACH", reach)
        listed = two_categories.infer(alpha, n, Fraction(z), kernel(rate))
        inside = listed.counts[:, 0].astype(int)
        outside = 1 - p[inside].sum()
        assert outside <= listed.left_out * (1 + 1e-9) + 1e-13
        some += listed.left_out < 0.1 and outside > 1e-9
    assert some > 0 or min(prior) < 0.1


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 3), (2, 3000), (3000, 2), (0.2, 900)])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_the_bound_holds_for_windows_beside_the_output(
    prior: tuple[Any, ...], kernel: Callable[[float], Kernel]
) -> None:
    """Outwards the noise may still grow towards z: windows below, around and above it."""
    n, alpha, beside = 400, tuple(Fraction(str(a)) for a in prior), 0
    for rate, z in itertools.product((0.05, 0.4, 1.0), (-30, 10, 200, 390, 450)):
        whole = two_categories._listed(alpha, n, Fraction(z), kernel(rate), 0, n)
        p = np.exp(whole - special.logsumexp(whole))
        ends = {0, 3, 9, 11, 60, 199, 200, 201, 340, 389, 391, 397, n} | {z - 1, z, z + 1}
        for window in itertools.combinations(sorted(end for end in ends if 0 <= end <= n), 2):
            low, high = window
            logs = two_categories._listed(alpha, n, Fraction(z), kernel(rate), low, high)
            edges = float(logs[0]), float(logs[-1])
            bound = two_categories._left_out(
                alpha, n, Fraction(z), kernel(rate), window, edges, logs
            )
            outside = p[:low].sum() + p[high + 1 :].sum()
            assert outside <= bound * (1 + 1e-9) + 1e-13
            beside += bool((high < z or low > z) and bound < 0.5 and outside > 1e-9)
    assert beside > 10 or max(prior) < 100


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 3), (20, 30)])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_the_bound_on_grouping_holds(
    prior: tuple[Any, ...], kernel: Callable[[float], Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Total variation to the exact mixture, for cells of several sizes."""
    alpha = tuple(Fraction(str(a)) for a in prior)

    def mixture(listed: two_categories.Listed) -> dp.DirichletMixture:
        weights = np.exp(listed.logs - listed.logs.max())
        return dp.DirichletMixture((0, 1), listed.counts + np.array(prior), weights)

    for n, z, rate in ((700, 200, 0.016), (700, 10, 0.004), (700, 800, 0.01)):
        exact = mixture(two_categories.infer(alpha, n, Fraction(z), kernel(rate)))
        for cells in (60, 300):
            with monkeypatch.context() as patch:
                patch.setattr(two_categories, "MOST_LISTED", 50)
                patch.setattr(two_categories, "_CELLS", cells)
                listed = two_categories.infer(alpha, n, Fraction(z), kernel(rate))
            assert len(listed.logs) < cells + 5
            assert 0 < listed.grouped <= 1
            assert mixture(listed).total_variation(exact) <= listed.grouped
            if cells == 300:
                assert listed.grouped < 0.05


@pytest.mark.parametrize(
    ("prior", "n", "rate", "cells"),
    [((3, 200), 100, 0.6, 20), ((3, 200), 100, 0.05, 60), ((0.1, 0.1), 700, 0.05, 6)],
)
def test_grouping_includes_that_the_weights_are_wrong(
    prior: tuple[float, float], n: int, rate: float, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Next to z = 0 they are too small for wide cells, in the last case by more than themselves.

    There the distances within the cells alone are less than the error.
    """
    alpha = tuple(Fraction(str(a)) for a in prior)
    exact = two_categories.infer(alpha, n, Fraction(0), LaplaceKernel(rate))
    monkeypatch.setattr(two_categories, "MOST_LISTED", 50)
    monkeypatch.setattr(two_categories, "_CELLS", cells)
    listed = two_categories.infer(alpha, n, Fraction(0), LaplaceKernel(rate))
    laws = [
        dp.DirichletMixture(
            (0, 1), each.counts + np.array(prior), np.exp(each.logs - each.logs.max())
        )
        for each in (exact, listed)
    ]
    error = laws[0].total_variation(laws[1])
    assert error > 1e-4
    assert error <= listed.grouped


@pytest.mark.parametrize(("n", "epsilon"), [(10**7, 1e-5), (10**12, 1e-9), (2**60, 1e-9)])
def test_tiny_budgets(n: int, epsilon: float) -> None:
    """Mean and spread of the count are those of Laplace noise, cut off at 0 and n."""
    z = n // 3
    posterior = infer(made("lattice", 2, n, 1, epsilon), (z, n - z))
    below, above = (1 - math.exp(-epsilon * side) for side in (z, n - z))
    scale = 1 / epsilon / n

    def first_moment(side: float) -> float:
        t = epsilon * side
        return 1 - math.exp(-t) * (1 + t)

    mean = z / n + scale * (first_moment(n - z) - first_moment(z)) / (below + above)
    assert posterior.mean()[0] == pytest.approx(mean, rel=1e-6)
    assert posterior.diagnostics.left_out <= 2e-12
    assert 0 < posterior.diagnostics.grouped <= 1


def test_normalisers_are_remembered() -> None:
    listed_counts._normalisers.cache_clear()
    mechanism = made("ehds", 2, 40, 1, 1.0)
    infer(mechanism, (10, 30))
    infer(made("ehds", 2, 40, 1, 1.0), (11, 29))
    assert listed_counts._normalisers.cache_info().hits == 1
    infer(made("ehds", 2, 40, 1, 1.5), (11, 29))
    infer(made("ehds", 2, 40, 1, 1.0, calibrate=True), (11, 29))
    assert listed_counts._normalisers.cache_info().currsize == 3


@pytest.mark.parametrize("n", [7, 8])
def test_mirrored_normalisers(n: int) -> None:
    """Half of them are copied where the categories can be swapped."""
    for prior in (1, (1, 2)):
        mechanism = made("ehds", 2, n, prior, 1.0)
        exponents, normalisers = listed_counts._normalisers(mechanism)
        laws = [mechanism.raw_law((c, n - c)) for c in range(n + 1)]
        np.testing.assert_allclose(normalisers, [law.log_normaliser for law in laws])
        expected = [law._float_exponent for law in laws]  # type: ignore[attr-defined]
        np.testing.assert_allclose(exponents, expected)


def test_too_many_counts() -> None:
    for k, n, size in ((2, 10_001, "10002"), (3, 99, "5050")):
        mechanism = made("ehds", k, n, 1, 1.0)
        with pytest.raises(dp.NotEnumerable, match=f"{size} vectors.*'lattice'") as caught:
            infer(mechanism, (n, *[0] * (k - 1)))
        assert caught.value.candidates == int(size)
    with pytest.raises(dp.NotEnumerable, match="302 vectors of counts, and at most 301"):
        infer(made("ehd", 2, 301, 1, 1.0, distance="total_variation"), (300, 1))


def test_logs_of_the_prior() -> None:
    for alpha in (Fraction(1, 10**9), Fraction(1, 2), Fraction(1), Fraction(7, 2), Fraction(10**9)):
        for low in (0, 5, 10**6, 10**12):
            with balls.precision(300):
                exact = [
                    float(
                        (
                            (ball(alpha) + low + i).lgamma()
                            - arb(low + i + 1).lgamma()
                            - (ball(alpha) + low).lgamma()
                            + arb(low + 1).lgamma()
                        ).mid()
                    )
                    for i in range(9)
                ]
            np.testing.assert_allclose(log_steps(alpha, low, 9), exact, rtol=1e-12, atol=1e-14)
    got = log_rise(0.5, np.array([0.0, 3.0]))
    np.testing.assert_allclose(got, special.gammaln([0.5, 3.5]) - special.gammaln([1, 4]))
