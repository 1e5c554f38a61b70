from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import discreet as dp
from discreet import InputError, UnknownValuesError
from discreet.core.statistics import Statistics
from discreet.families.normal.model import NormalMean, read_model
from discreet.posteriors.normal import NormalMixture, NormalPosterior
from tests.statistics import FALSE_ALARM

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7))


def gridded(x: float, low: float, high: float, grid: int) -> int:
    u = (min(max(x, low), high) - (low + high) / 2) / ((high - low) / 2)
    return math.floor(u * grid + 0.5)


@given(
    st.lists(st.floats(-20, 20), max_size=30),
    st.integers(2, 10**6),
    st.sampled_from([(-3, 7), (0, 1), (-0.1, 0.2)]),
)
@settings(max_examples=40, deadline=None)
def test_count_is_the_sum_of_clipped_records(
    records: list[float], grid: int, bounds: tuple[float, float]
) -> None:
    model = NormalMean(0, 1, 1, bounds, grid)
    counts = model.count(records)
    n, total = counts.values
    low, high = map(float, model.bounds)
    assert n == len(records)
    # a float that lies within an ulp of the middle of two steps may be read either way
    assert abs(total - sum(gridded(x, low, high, grid) for x in records)) <= len(records)
    assert abs(total) <= n * grid
    assert str(total) not in repr(counts) or total in (0, n)


def test_whole_records_are_read_exactly() -> None:
    model = NormalMean(0, 1, 1, (0, 10), grid=10)
    records = [0, 1, 5, 10, 12, -4, 2.5]
    expected = [-10, -8, 0, 10, 10, -10, -5]
    assert model.count(records).values == (7, sum(expected))
    assert model.count(np.array(records)).values == (7, sum(expected))
    assert model.count(pd.Series(records)).values == (7, sum(expected))
    frame = pd.DataFrame({"x": records, "g": [0, 0, 0, 1, 1, 1, 1]})
    assert model.count(frame, "x").values == (7, sum(expected))
    part = model.count(frame, "x", where="g = 0")
    assert part.values == (3, -18)
    assert part.where == "g = 0"
    assert part.columns == ("x",)


def test_missing_numbers() -> None:
    model = NormalMean(0, 1, 1, (0, 10), grid=10)
    records = [0.0, math.nan, math.inf]
    with pytest.raises(UnknownValuesError, match=r"unknown='drop' leaves .* unknown='middle'"):
        model.count(records)
    with pytest.raises(dp.InputError, match="unknown must be one of 'error', 'drop', 'middle'"):
        model.count(records, unknown="other")
    assert model.count(records, unknown="middle").values == (3, -10 + 0 + 10)
    left = model.count(records, unknown="drop")
    assert (left.values, left.dropped) == ((1, -10), True)
    with pytest.raises(dp.PrivacyRefusedError, match="dropped have no public n"):
        dp.release(left, model, epsilon=1, n=1)
    assert dp.release(left, model, epsilon=1, adjacency="add-remove").dropped
    some = model.count(pd.DataFrame({"x": [1.0, 2.0]}), "x", where="x > 1")
    with pytest.raises(dp.PrivacyRefusedError, match="no public n"):
        dp.release(some, model, epsilon=1)


@given(st.lists(st.integers(-3, 7), min_size=1, max_size=8))
@settings(max_examples=20, deadline=None)
def test_posterior_by_integration(records: list[int]) -> None:
    """Prior times likelihood, normalised numerically."""
    posterior = MODEL.posterior(MODEL.count(records))

    mu = np.linspace(-15, 20, 20_001)
    logs = stats.norm.logpdf(mu, 1, 2) + stats.norm.logpdf(mu[:, None], records, 1.5).sum(axis=1)
    weights = np.exp(logs - logs.max())
    mean = weights @ mu / weights.sum()
    assert posterior.mean() == pytest.approx(mean, abs=1e-9)
    assert posterior.variance() == pytest.approx(weights @ (mu - mean) ** 2 / weights.sum())


def test_posterior_is_exact() -> None:
    model = NormalMean(Fraction(1, 2), 3, 2, (0, 1), grid=4)
    n, total = 6, 5
    mean = (2 * Fraction(1, 2) + 3 * (n * Fraction(1, 2) + Fraction(total, 4) / 2)) / (2 + 3 * n)
    found = model.posterior((n, total))
    assert (found.exact_mean, found.exact_variance) == (mean, Fraction(6, 20))
    assert model.posterior((0, 0)) == model.prior
    assert model.released((n, Fraction(total))) == found
    # replacing one record moves it by at most (high − low)·V/(v + nV)
    widest = model.posterior_mean(n, 4) - model.posterior_mean(n, -4)
    assert widest == Fraction(3, 2 + 3 * n)


def test_what_is_not_given_follows_from_the_bounds() -> None:
    model = NormalMean(bounds=(0, 100))
    assert model == NormalMean(50, 625, 625, (0, 100))
    assert read_model({"model": model.to_document()}) == model
    assert repr(model).startswith("NormalMean(prior_mean=50, prior_variance=625, variance=625, ")
    # two standard deviations, of the mean and of a record, reach the bounds
    np.testing.assert_allclose(model.prior.interval(0.9545), (0, 100), atol=1e-2)
    # the prior counts as much as one record in the middle
    assert model.posterior([80]).mean() == (50 + 80) / 2
    assert NormalMean(bounds=(0, 100), variance=9) == NormalMean(50, 625, 9, (0, 100))
    assert NormalMean(40, bounds=(0, 100)) == NormalMean(40, 625, 625, (0, 100))
    assert NormalMean(prior_variance=4, bounds=(-1, 1)) == NormalMean(0, 4, 0.25, (-1, 1))
    assert NormalMean(bounds=(Fraction(1, 3), 1)).variance == Fraction(1, 36)
    for bounds in ((0, 10**20), (0, Fraction(1, 10**20))):
        with pytest.raises(InputError, match="prior_variance must be given for bounds of no ord"):
            NormalMean(bounds=bounds)
        assert NormalMean(0, 1, 1, bounds).variance == 1


@pytest.mark.parametrize("adjacency", ["substitute", "add-remove"])
def test_the_summary_tells_of_a_prior_that_is_far_from_the_records(adjacency: str) -> None:
    """As that of a regression does; the prior that the bounds suggest is never that far."""
    rng, records = np.random.default_rng(5), [90.0] * 500

    def summary(model: NormalMean) -> str:
        made = dp.release(model.count(records), model, 1, adjacency=adjacency, rng=rng)
        return str(made.summary())

    assert "prior standard deviations from its prior mean: is the prior right?" in summary(
        NormalMean(50, 25, 100, (0, 100))
    )
    assert "prior" not in summary(NormalMean(80, 25, 100, (0, 100)))
    assert "prior" not in summary(NormalMean(bounds=(0, 100)))


def test_it_is_a_value() -> None:
    assert read_model({"model": MODEL.to_document()}) == MODEL
    assert pickle.loads(pickle.dumps(MODEL)) == MODEL
    assert len({MODEL, NormalMean(1, 4, 2.25, bounds=[-3, 7])}) == 1
    assert NormalMean(1, 4, 2.25, (-3, 8)) != MODEL
    assert repr(MODEL) == (
        "NormalMean(prior_mean=1, prior_variance=4, variance=2.25, bounds=(-3, 7), grid=50400)"
    )
    assert MODEL.by is None


BAD: list[tuple[dict[str, Any], str]] = [
    ({"bounds": None}, r"bounds must be two public numbers \(low, high\), got None"),
    ({"bounds": (1, 2, 3)}, "bounds must be two public numbers"),
    ({"bounds": "01"}, "bounds must be two public numbers"),
    ({"bounds": (7, -3)}, r"bounds must be \(low, high\) with low < high, got \(7, -3\)"),
    ({"bounds": (3, 3)}, "with low < high"),
    ({"bounds": (-math.inf, 3)}, r"bounds\[0\] must be finite, got -inf"),
    ({"bounds": (0, math.nan)}, r"bounds\[1\] must be finite, got nan"),
    ({"bounds": (0, 1e200)}, r"bounds\[1\] must be of ordinary size"),
    ({"bounds": (10**20, 10**20 + 1)}, "bounds of column"),
    ({"bounds": ("0", 1)}, r"bounds\[0\] must be a number"),
    ({"variance": 0}, "variance must be greater than 0, got 0"),
    ({"variance": -1}, "variance must be greater than 0"),
    ({"variance": math.nan}, "variance must be finite"),
    ({"prior_variance": 0}, "prior_variance must be greater than 0"),
    ({"prior_variance": math.inf}, "prior_variance must be finite"),
    ({"prior_mean": "x"}, "prior_mean must be a number, got 'x'"),
    ({"prior_mean": True}, "prior_mean must be a number"),
    ({"grid": 1}, "grid must lie between 2 and"),
    ({"grid": 2.5}, "grid must be a whole number"),
    ({"grid": 2**21}, "grid must lie between"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_settings(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "prior_mean": 0,
        "prior_variance": 1,
        "variance": 1,
        "bounds": (0, 1),
    } | changes
    with pytest.raises(InputError, match=message):
        NormalMean(**given)


def test_bounds_must_be_given() -> None:
    for numbers in ((), (0, 1, 1)):
        with pytest.raises(InputError, match=r"bounds must be two public numbers .*, got None"):
            NormalMean(*numbers)


@pytest.mark.parametrize(
    "counts",
    [
        [1.5, 2.5],
        (3, 1234567),
        (3.0, 1),
        (-1, 0),
        (True, 0),
        "ab",
        None,
        (1, 2, 3),
        Statistics(("x",), (3, 5), (Fraction(0), Fraction(1), 50400)),
        Statistics(("x",), (3, 5, 6), MODEL._reading),
    ],
)
def test_other_counts_are_refused(counts: object) -> None:
    with pytest.raises(InputError) as caught:
        MODEL.to_vector(counts)
    assert "1234567" not in str(caught.value)
    with pytest.raises(InputError):
        dp.release(counts, MODEL, epsilon=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [pd.DataFrame({"x": [1.0]}), {"x": [1]}, "x.csv", np.eye(2)])
def test_columns_must_be_named(data: object) -> None:
    with pytest.raises(InputError, match="column must be given"):
        MODEL.count(data)


def test_normal_posterior() -> None:
    law = NormalPosterior(Fraction(3), Fraction(1, 4))
    assert (law.mean(), law.variance(), law.sd()) == (3.0, 0.25, 0.5)
    np.testing.assert_allclose(law.interval(0.9), stats.norm(3, 0.5).interval(0.9))
    assert law.pdf(2.0) == pytest.approx(stats.norm.pdf(2, 3, 0.5))
    assert law.cdf([2.0, 3.0])[1] == pytest.approx(0.5)
    assert law.quantile(0.5) == pytest.approx(3)
    draws = law.sample(10_000, np.random.default_rng(1))
    z = abs(draws.mean() - 3) / 0.5 * 100
    assert z < stats.norm.isf(FALSE_ALARM / 2)
    assert repr(law) == "N(3, 0.5²)"
    assert "<td>3.000</td>" in law._repr_html_()
    for p in (0, 1, 2, math.nan):
        with pytest.raises(InputError, match="p must lie strictly"):
            law.quantile(p)
    with pytest.raises(InputError, match="variance must be greater than 0"):
        NormalPosterior(Fraction(0), Fraction(0))


@pytest.mark.parametrize(("a", "s", "b", "t"), [(0, 1, 1, 1), (0, 1, 0.5, 2), (3, 0.1, 3.01, 0.1)])
def test_hellinger_by_integration(a: float, s: float, b: float, t: float) -> None:
    first = NormalPosterior(Fraction(str(a)), Fraction(str(s)) ** 2)
    second = NormalPosterior(Fraction(str(b)), Fraction(str(t)) ** 2)

    def product(x: float) -> float:
        return math.sqrt(stats.norm.pdf(x, a, s) * stats.norm.pdf(x, b, t))

    overlap = integrate.quad(product, a - 12 * max(s, t), a + 12 * max(s, t), points=[a, b])[0]
    assert first.hellinger(second) == pytest.approx(math.sqrt(1 - overlap), abs=1e-6)
    assert second.hellinger(first) == pytest.approx(first.hellinger(second))
    if s == t:
        squared = -math.expm1(-((a - b) ** 2) / (8 * s * s))
        assert first.hellinger(second) == pytest.approx(math.sqrt(squared), rel=1e-12)
    assert first.hellinger(first) == 0
    with pytest.raises(InputError, match="other"):
        first.hellinger(3)  # type: ignore[arg-type]


def test_updates_are_those_of_the_model() -> None:
    records = [1.0, 2.5, -1.0]
    once = MODEL.prior.update(records, 2.25)
    one_by_one = MODEL.prior.update(records[:1], 2.25).update(records[1:], 2.25)
    assert once == one_by_one
    assert once.exact_mean == MODEL.posterior(MODEL.count(records)).exact_mean
    assert MODEL.prior.update([], 1) == MODEL.prior
    with pytest.raises(InputError, match="data must be finite"):
        once.update([math.nan], 1)
    with pytest.raises(InputError, match="variance must be greater"):
        once.update([1.0], 0)


def test_mixture() -> None:
    means, weights = np.array([-1.0, 2.0, 2.5]), np.array([0.2, 0.5, 0.3])
    law = NormalMixture(means, weights, 0.25)
    parts = [stats.norm(m, 0.5) for m in means]
    for x in (-2.0, 0.3, 2.2):
        assert law.pdf(x) == pytest.approx(
            sum(w * p.pdf(x) for w, p in zip(weights, parts, strict=True))
        )
        assert law.cdf(x) == pytest.approx(
            sum(w * p.cdf(x) for w, p in zip(weights, parts, strict=True))
        )
        assert law.quantile(law.cdf(x)) == pytest.approx(x, abs=1e-9)
    assert law.cdf([[0.0, 1.0]]).shape == (1, 2)
    first = integrate.quad(lambda x: x * law.pdf(x), -6, 8, limit=200)[0]
    second = integrate.quad(lambda x: x * x * law.pdf(x), -6, 8, limit=200)[0]
    assert law.mean() == pytest.approx(first)
    assert law.variance() == pytest.approx(second - first**2)
    draws = law.sample(20_000, np.random.default_rng(2))
    z = abs(draws.mean() - law.mean()) / law.sd() * math.sqrt(20_000)
    assert z < stats.norm.isf(FALSE_ALARM / 2)
    low, high = law.interval(0.5)
    assert law.cdf(high) - law.cdf(low) == pytest.approx(0.5)
    assert "3 normal laws" in repr(law)
    assert pickle.loads(pickle.dumps(law)).mean() == law.mean()


CASES: list[tuple[str, dict[str, Any]]] = [
    ("laplace", {}),
    ("gaussian", {"delta": 1e-5}),
    ("input", {"delta": 1e-5}),
    ("hellinger", {"points": 41}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_expected_error_is_the_error(name: str, options: dict[str, Any]) -> None:
    """6,000 simulated releases; the mean square is off by 5 sd of it or less: 1e-6."""
    model, n, rng = NormalMean(0, 1, 1, (-4, 4), grid=20), 12, np.random.default_rng(5)
    expected = model.expected_error(n, 2, name, **options)
    made = dp.mechanism(name, model, n, epsilon=2, **options)
    errors = []
    for total in range(12):  # two points of "hellinger" are 12 apart
        raw = made.make_raw_law((n, total)).sample(500, rng)[:, 0]
        sums = raw if name != "hellinger" else -n * 20 + raw * 12
        errors.append((sums - total) * float(model.step(n)))
    squares = np.square(errors).ravel()
    spread = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - expected.error**2) < 5 * spread
    assert expected.posterior_sd == pytest.approx(model.posterior((n, 0)).sd())
    assert expected.prior_sd == 1


@pytest.mark.parametrize(("name", "options"), CASES[:2])
@pytest.mark.parametrize("prior_mean", [0, -2.5])
def test_expected_error_with_a_private_n(
    name: str, options: dict[str, Any], prior_mean: float
) -> None:
    """Means from the prior, 4,000 releases; the mean square is off by 5 sd of it, and 5 %, or less.

    The 5 % are for noise in n that is not small beside n. Where the mean lies matters.
    """
    model, rng = NormalMean(prior_mean, 0.09, 1, (-4, 4), grid=50), np.random.default_rng(6)
    n, given = 300, {"adjacency": "add-remove"} | options
    expected = model.expected_error(n, 0.5, name, **given)
    made = dp.mechanism(name, model, epsilon=0.5, **given)
    errors = []
    for _ in range(40):
        total = int(rng.normal(prior_mean, 0.3) * 12.5 * n)
        for raw in made.make_raw_law((n, total)).sample(100, rng).tolist():
            released = model.released(made.postprocess(raw)).exact_mean
            errors.append(float(released - model.posterior_mean(n, total)))
    squares = np.square(errors)
    spread = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - expected.error**2) < 5 * spread + 0.05 * expected.error**2
    assert expected.posterior_sd == pytest.approx(model.posterior((n, 0)).sd())
    public = model.expected_error(n, 0.5, name, **options).error
    away = (prior_mean**2 + 0.09) / 16
    assert expected.error == pytest.approx(public * math.sqrt((1 + away) / 2), rel=1e-3)
    assert "less than the prior" in str(model.expected_error(0, 1, name, **given))
    assert made.expected_error(n) == expected


def test_expected_error_of_a_coarse_choice_includes_rounding() -> None:
    model = NormalMean(0, 1, 1, (-4, 4))
    coarse, fine = (model.expected_error(10**6, 100, "hellinger", points=p) for p in (11, 1001))
    assert coarse.error > 0.8 / math.sqrt(13)  # points that are 0.8 apart
    assert fine.error == pytest.approx(0.008 / math.sqrt(12), rel=0.05)


def test_expected_error_says_what_is_useless() -> None:
    useless = MODEL.expected_error(10, 0.001)
    assert useless.error > useless.prior_sd
    assert "less than the prior" in str(useless)
    fine = MODEL.expected_error(10_000, 1)
    assert fine.error < fine.posterior_sd
    assert "less than" not in str(fine)
    assert MODEL.expected_error(0, 1).error == 0
    assert MODEL.expected_error(5, 10**6, "laplace").error >= 0
    with pytest.raises(InputError, match="delta"):
        MODEL.expected_error(10, 1, "gaussian")
    with pytest.raises(InputError, match="mechanism must be one of"):
        MODEL.expected_error(10, 1, "lattice")
    for name, adjacency in (("input", "add-remove"), ("laplace", "attribute")):
        with pytest.raises(InputError, match=f"{name} is defined for .* only, got '{adjacency}'"):
            MODEL.expected_error(10, 1, name, delta=1e-6, adjacency=adjacency)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_summaries_and_figures(name: str, options: dict[str, Any]) -> None:
    pytest.importorskip("matplotlib")
    records = np.random.default_rng(3).normal(2, 1.5, 50)
    model = NormalMean(0, 4, 2.25, (-3, 7), grid=100)
    release = dp.release(
        model.count(records),
        model,
        epsilon=1,
        mechanism=name,
        rng=np.random.default_rng(4),
        **options,
    )
    summary = release.summary()
    text = str(summary)
    assert text.startswith("simulated, not private: ")
    assert "noise-aware" in text
    assert "% privacy" in text
    assert "clipped" in text
    assert summary._repr_html_().count("<tr>") == 3
    axes = release.plot()
    assert axes.get_xlabel().startswith("mean")
    assert len(axes.lines) == 2
    assert release.posterior.plot().get_ylabel() == "density"
    assert "N(" not in release._repr_html_()
    assert release.posterior._repr_html_() in release._repr_html_()
