from __future__ import annotations

import io
import itertools
import math
import pickle
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from rich.console import Console
from scipy import special, stats

import discreet as dp
from discreet.exact import balls, compositions
from discreet.exact.balls import ball
from discreet.laws.exponential import ExponentialLaw
from discreet.noise_aware import finite, infer, one_count, product, several, windows
from discreet.noise_aware.prior import log_rise, log_steps

OPTIONS: dict[str, dict[str, Any]] = {"smooth_hellinger": {"delta": 1e-6}}
PRIORS: tuple[Any, ...] = (1, "jeffreys", (0.3, 2, 5, 0.7))


def made(name: str, k: int, n: int | None, prior: Any, epsilon: float, **more: Any) -> dp.Mechanism:
    prior = prior[:k] if isinstance(prior, tuple) else prior
    model = dp.DirichletMultinomial(range(k), prior=prior)
    adjacency = "substitute" if n is not None else "add-remove"
    options = OPTIONS.get(name, {}) | more
    return dp.mechanism(name, model, n=n, epsilon=epsilon, adjacency=adjacency, **options)


def brute_force(
    mechanism: dp.Mechanism,
    raw: Iterable[int],
    totals: Iterable[int],
    p_of_n: Callable[[int], float] = lambda n: 1.0,
) -> dict[tuple[int, ...], float]:
    """p(c | raw) by summing over everything in balls."""
    prior, result = mechanism.config.model.prior, dict[tuple[int, ...], arb]()
    with balls.precision(160):
        alpha = [ball(a) for a in prior]
        total = ball(sum(prior, Fraction(0)))
        for n in totals:
            rows = [tuple(row) for row in compositions.rows(n, len(prior)).tolist()]
            order = arb(n + 1).gamma() * total.gamma() / (total + n).gamma()
            for c in rows:
                law = mechanism.raw_law(c)
                weight = law.log_weight(tuple(raw))
                p = weight.exp() if weight.is_finite() else arb(0)
                if isinstance(law, ExponentialLaw):
                    p /= sum((law.log_weight(r).exp() for r in rows), arb(0))
                for a, x in zip(alpha, c, strict=True):
                    p *= (a + x).gamma() / (a.gamma() * arb(x + 1).gamma())
                result[c] = p * order * arb(p_of_n(n))
        whole = sum(result.values(), arb(0))
        return {c: float((p / whole).mid()) for c, p in result.items()}


def weights_of(mechanism: dp.Mechanism, posterior: dp.DirichletMixture) -> dict[Any, float]:
    alpha = np.array([float(a) for a in mechanism.config.model.prior])
    counts = np.rint(posterior.parameters - alpha).astype(int).tolist()
    return dict(zip(map(tuple, counts), posterior.weights.tolist(), strict=True))


def largest_difference(first: dict[Any, float], second: dict[Any, float]) -> float:
    keys = first.keys() | second.keys()
    return max(abs(first.get(key, 0.0) - second.get(key, 0.0)) for key in keys)


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


# ---- what is left out, and what is grouped ------------------------------------------------------

SPIKES: list[tuple[Any, ...]] = [(1, 1), (0.5, 0.5), (1e-4, 1e-4), (50, 0.01), (200, 300), (0.2, 9)]


@pytest.mark.parametrize("prior", SPIKES)
@pytest.mark.parametrize("floored", [False, True])
def test_the_bound_on_what_is_left_out_holds(
    prior: tuple[Any, ...], floored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows that are far too narrow leave out much, and say so."""
    n, alpha = 400, tuple(Fraction(str(a)) for a in prior)
    monkeypatch.setattr(one_count, "TOLERANCE", math.inf)
    some = 0
    for rate, z, reach in itertools.product((0.05, 1.0), (-30, 0, 77, 200, 399, 450), (0.5, 3, 12)):
        whole = one_count._listed(alpha, n, z, rate, floored, 0, n)
        p = np.exp(whole - special.logsumexp(whole))
        monkeypatch.setattr(one_count, "_REACH", reach)
        listed = one_count.infer(alpha, n, z, rate, floored)
        inside = listed.counts[:, 0].astype(int)
        outside = 1 - p[inside].sum()
        assert outside <= listed.left_out * (1 + 1e-9) + 1e-13
        some += listed.left_out < 0.1 and outside > 1e-9
    assert some > 0 or min(prior) < 0.1


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 3), (20, 30)])
@pytest.mark.parametrize("floored", [False, True])
def test_the_bound_on_grouping_holds(
    prior: tuple[Any, ...], floored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Total variation to the exact mixture, for cells of several sizes."""
    alpha = tuple(Fraction(str(a)) for a in prior)

    def mixture(listed: one_count.Listed) -> dp.DirichletMixture:
        weights = np.exp(listed.logs - listed.logs.max())
        return dp.DirichletMixture((0, 1), listed.counts + np.array(prior), weights)

    for n, z, rate in ((700, 200, 0.016), (700, 10, 0.004), (700, 800, 0.01)):
        exact = mixture(one_count.infer(alpha, n, z, rate, floored))
        for cells in (60, 300):
            with monkeypatch.context() as patch:
                patch.setattr(one_count, "MOST_LISTED", 50)
                patch.setattr(one_count, "_CELLS", cells)
                listed = one_count.infer(alpha, n, z, rate, floored)
            assert len(listed.logs) < cells + 5
            assert 0 < listed.grouped <= 1
            assert mixture(listed).total_variation(exact) <= listed.grouped
            if cells == 300:
                assert listed.grouped < 0.05


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


# ---- draws --------------------------------------------------------------------------------------

SEVERAL = [
    ("lattice", 3, 60, 1, {}),
    ("lattice", 4, 30, "jeffreys", {}),
    ("lattice", 3, 200, (0.5, 3, 20), {}),
    ("ls_hist", 3, 60, "jeffreys", {}),
    ("ls_dim", 4, 40, 2, {}),
    ("lattice", 3, None, 1, {}),
    ("lattice", 2, None, "jeffreys", {}),
    ("lattice", 3, None, (20, 5, 40), {}),
    ("lattice", 3, None, 1, {"n_prior": (45, 50)}),
    ("lattice", 2, None, 3, {"n_prior": stats.poisson(40)}),
]


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
    monkeypatch.setattr(several, "MOST_POINTS", 0)
    monkeypatch.setattr(windows, "MOST_VALUES", values)
    drawn = infer(mechanism, raw, rng=rng, **options)
    ess = drawn.diagnostics.ess
    assert exact.diagnostics.method == "exact"
    assert drawn.diagnostics.method == "draws"
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
    monkeypatch.setattr(several, "MOST_POINTS", 0)
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
    share = several._share(left, right, np.full(4000, 50), rng)
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


# ---- mechanisms whose law is listed -------------------------------------------------------------


def test_normalisers_are_remembered() -> None:
    finite._normalisers.cache_clear()
    mechanism = made("ehds", 2, 40, 1, 1.0)
    infer(mechanism, (10, 30))
    infer(made("ehds", 2, 40, 1, 1.0), (11, 29))
    assert finite._normalisers.cache_info().hits == 1
    infer(made("ehds", 2, 40, 1, 1.5), (11, 29))
    infer(made("ehds", 2, 40, 1, 1.0, calibrate=True), (11, 29))
    assert finite._normalisers.cache_info().currsize == 3


@pytest.mark.parametrize("n", [7, 8])
def test_mirrored_normalisers(n: int) -> None:
    """Half of them are copied where the categories can be swapped."""
    for prior in (1, (1, 2)):
        mechanism = made("ehds", 2, n, prior, 1.0)
        exponents, normalisers = finite._normalisers(mechanism)
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


# ---- releases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dp.MECHANISMS)
def test_releases_know_their_noise(name: str, rng: np.random.Generator) -> None:
    model = dp.BetaBinomial(categories=("cured", "not cured"))
    release = dp.release(
        (71, 19), model, 1, name, rng=rng, allow_nonprivate=True,
        **OPTIONS.get(name, {}) | ({"calibrate": True} if name == "smooth_hellinger" else {}),
    )  # fmt: skip
    posterior = dp.Release.from_json(release.to_json()).noise_aware()
    assert (posterior.sd() > release.posterior.sd()).all()
    again = pickle.loads(pickle.dumps(posterior))
    np.testing.assert_array_equal(again.interval(), release.noise_aware().interval())


def test_summary() -> None:
    model = dp.BetaBinomial(categories=("cured", "not <cured>"))
    summary = dp.release((71, 19), model, 0.3, rng=np.random.default_rng(1)).summary()
    posterior = summary.noise_aware
    text = str(summary)
    (low, high), share = posterior.interval()[0], posterior.parts().sampling / posterior.variance()
    assert f"cured: the interval is {high - low:.3g} wide" in text
    assert f"{100 * share[0]:.0f} % of the variance is sampling" in text
    assert "as released" in text
    assert f"{low:.3f} – {high:.3f}" in text
    assert "not &lt;cured&gt;" in summary._repr_html_()
    console = Console(width=100, file=io.StringIO())
    console.print(summary)
    assert "noise-aware" in console.file.getvalue()  # type: ignore[attr-defined]
    assert repr(summary) == text


def test_summary_without_a_posterior() -> None:
    for seed in range(60):
        release = dp.release(
            (3, 0), dp.BetaBinomial(), 0.1, rng=np.random.default_rng(seed), postprocess=None
        )
        if min(release.raw) < 0:
            break
    with pytest.raises(dp.NotAPosteriorError, match=r"noise_aware\(\), or release with postproc"):
        _ = release.posterior
    text = str(release.summary())
    assert "as released" not in text
    assert "noise-aware" in text
    assert "noise_aware()" in release._repr_html_()


def test_summary_of_many_categories_and_many_records(rng: np.random.Generator) -> None:
    model = dp.DirichletMultinomial(range(40))
    text = str(dp.release([50] * 40, model, 1, rng=rng).summary(rng=rng))
    assert "40 categories in all" in text
    assert len(text.splitlines()) < 70
    rare = dp.release((10**7, 50), dp.BetaBinomial(), 1, rng=rng).summary()
    assert "0.000000" not in rare.rows[2][4]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("lattice", (4, 5)),
        ("lattice", (4, 5, 6)),
        ("lattice", (4.5, 5.5)),
        ("lattice", "45"),
        ("lattice", None),
        ("ls_dim", (4, 6)),
        ("ehds", (4, 7)),
        ("ehds", (-1, 11)),
    ],
)
def test_outputs_that_cannot_be(name: str, raw: Any) -> None:
    with pytest.raises(dp.InputError, match="raw must be"):
        infer(made(name, 2, 10, 1, 1.0), raw)


def test_more_outputs_that_cannot_be() -> None:
    for name in dp.MECHANISMS:
        with pytest.raises(dp.InputError, match="raw must be an output"):
            infer(made(name, 2, 0, 1, 1.0), (1, -1) if not name.startswith("ls") else (1,))
    with pytest.raises(dp.InputError, match="raw must be an output"):
        infer(made("lattice", 3, 10, 1, 1.0), (1, 2, 3))


@pytest.mark.parametrize("n_prior", [5, (1, 2, 3), "flat", (5, 2), (-1, 4), (1.5, 3), [1, 2]])
def test_wrong_priors_of_n(n_prior: Any) -> None:
    with pytest.raises(dp.InputError, match="n_prior"):
        infer(made("lattice", 2, None, 1, 1.0), (3, 4), n_prior=n_prior)
    with pytest.raises(dp.InputError, match="n_prior must be None where n is public"):
        infer(made("lattice", 2, 7, 1, 1.0), (3, 4), n_prior=n_prior)


def test_wrong_generators() -> None:
    release = dp.release((3, 4, 5), dp.DirichletMultinomial(range(3)), 1)
    with pytest.raises(dp.InputError, match="rng must be"):
        release.noise_aware(rng=7)  # type: ignore[arg-type]


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
