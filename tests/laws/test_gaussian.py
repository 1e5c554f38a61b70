from __future__ import annotations

import math
import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import InputError, NotEnumerable
from discreet.exact import balls
from discreet.laws.gaussian import DiscreteGaussianLaw, _kept, _rest, discrete_gaussian
from tests.statistics import noncentrality, pearson

VARIANCES = [Fraction(v) for v in ("1/50", "1/7", "1/6", "17/100", "1", "2", "901")]


@pytest.mark.parametrize("variance", VARIANCES)
def test_normaliser_is_the_sum(variance: Fraction) -> None:
    law = DiscreteGaussianLaw((3,), (variance,))
    total = math.fsum(math.exp(-z * z / (2 * float(variance))) for z in range(-400, 401))
    assert math.exp(law.log_normaliser) == pytest.approx(total, rel=1e-14)
    assert law.probability((5,)) == pytest.approx(math.exp(-2 / float(variance)) / total, rel=1e-13)


@given(st.fractions(Fraction(1, 100), Fraction(50), max_denominator=10**6))
@settings(max_examples=30, deadline=None)
def test_the_probabilities_of_balls_sum_to_one(variance: Fraction) -> None:
    law = DiscreteGaussianLaw((0,), (variance,))
    reach = math.ceil(15 * math.sqrt(variance)) + 1
    with balls.precision(128):
        total = law.log_total()
        terms = ((law.log_weight((z,)) - total).exp() for z in range(-reach, reach + 1))
        mass = sum(terms, arb(0))
        assert abs(mass - 1) < 1e-35


def test_coordinates_are_independent() -> None:
    law = DiscreteGaussianLaw((1, -2, 0), (Fraction(3), Fraction(1, 2), Fraction(3)))
    parts = [
        DiscreteGaussianLaw((c,), (v,)) for c, v in zip(law.center, law.variances, strict=True)
    ]
    z = (4, -2, 1)
    product = math.prod(part.probability((x,)) for part, x in zip(parts, z, strict=True))
    assert law.probability(z) == pytest.approx(product, rel=1e-14)
    assert law.dimension == 3
    assert pickle.loads(pickle.dumps(law)) == law


@pytest.mark.parametrize("variance", [Fraction(1, 5), Fraction(2), Fraction(40)])
def test_draws_follow_the_law_and_no_other(variance: Fraction, rng: np.random.Generator) -> None:
    size, center = 60_000, 7
    draws = DiscreteGaussianLaw((center,), (variance,)).sample(size, rng)[:, 0]
    edges = center + np.unique(np.round(math.sqrt(variance) * np.linspace(-2.5, 2.5, 12)))

    def cells(v: Fraction) -> np.ndarray:
        law = DiscreteGaussianLaw((center,), (v,))
        reach = math.ceil(12 * math.sqrt(v)) + 8
        points = np.arange(center - reach, center + reach + 1)
        p = np.array([law.probability((int(x),)) for x in points])
        return np.bincount(np.searchsorted(edges, points), weights=p, minlength=len(edges) + 1)

    truth = cells(variance)
    observed = np.bincount(np.searchsorted(edges, draws), minlength=len(edges) + 1)
    statistic, limit = pearson(observed, truth)
    assert statistic < limit
    for wrong in (variance * Fraction(4, 5), variance * Fraction(5, 4)):
        other = cells(wrong)
        assert noncentrality(truth, other, size) > 2 * limit  # so that this can be seen
        assert pearson(observed, other)[0] > limit


@pytest.mark.parametrize("scale", [10**5, 10**9, 10**14])
def test_wide_draws_are_normal(scale: int, rng: np.random.Generator) -> None:
    """In 20 cells of equal probability; the false-alarm rate of the test is 1e-6."""
    from scipy import stats

    law = DiscreteGaussianLaw((2**61, 5), (Fraction(scale) ** 2,) * 2)
    draws = law.sample(10_000, rng)
    assert (draws[:, 0] > 2**60).all()
    standard = (draws - np.array(law.center)) / scale
    edges = stats.norm.ppf(np.linspace(0, 1, 21))
    observed = np.histogram(standard, edges)[0]
    statistic, limit = pearson(observed, np.full(20, 0.05))
    assert statistic < limit
    assert abs(np.corrcoef(standard.T)[0, 1]) < 0.05
    narrower = np.diff(stats.norm.cdf(edges, scale=0.95))
    assert pearson(observed, narrower)[0] > limit


def test_unclear_comparisons_go_on_with_balls() -> None:
    """A uniform number whose 53 bits agree with the probability is decided by what follows."""
    variance, t, magnitude = Fraction(50), 8, 3
    p = balls.nearest(lambda: _rest(variance, t, magnitude, 0) * 1)
    assert p == 1  # the probability itself is far above 2⁻⁵³
    exact = partial(_rest, variance, t, magnitude)
    with balls.precision(200):
        whole = ((-((magnitude - arb(50) / 8) ** 2) / 100).exp()) * arb(2) ** 53
        bits = balls.floor(whole.mid())
        assert abs(exact(bits) - (whole - bits)) < 1e-20
    assert balls.nearest(partial(exact, bits - 1)) == 1
    assert balls.nearest(partial(exact, bits + 1)) == 0

    def source(first: int) -> object:
        words = [(first << 11).to_bytes(8, "little")]
        return lambda size: words.pop() if words else b"\x00" * size

    kept = [
        _kept(variance, t, np.array([magnitude]), source(b))[0]  # type: ignore[arg-type]
        for b in (bits - 5, bits, bits + 1)
    ]
    assert kept == [True, True, False]


def test_the_float_probability_is_as_good_as_said() -> None:
    from discreet.exact import floats

    for variance in (
        Fraction(1, 10**6),
        Fraction(1, 3),
        Fraction(10**10 + 1, 3),
        Fraction(10) ** 28,
    ):
        t = math.isqrt(int(variance)) + 1
        for multiple in (0, 1, 2, 7, 9):
            y = int(multiple * t) + 1
            d = y - float(variance / t)
            p = float(floats.exp(np.array([-(d / float(variance) * d / 2)]))[0])
            with balls.precision(200):
                truth = balls.ball(-((y - variance / t) ** 2) / (2 * variance)).exp()
                assert abs(truth - p) < 2.0**-43


def test_what_cannot_be_drawn_is_refused_before() -> None:
    for variance in (Fraction(10) ** 31, Fraction(1, 10**101)):
        law = DiscreteGaussianLaw((0,), (variance,))
        for attempt in (law.require_drawable, law.sample):
            with pytest.raises(InputError, match=r"variances\[0\] must lie between"):
                attempt()
    DiscreteGaussianLaw((0,), (Fraction(10) ** 28,)).require_drawable()


def test_there_are_infinitely_many_outcomes() -> None:
    law = DiscreteGaussianLaw((0,), (Fraction(1),))
    assert law.candidates is None
    with pytest.raises(NotEnumerable):
        law.support  # noqa: B018
    assert "center" not in repr(law)


def test_draws_are_reproducible() -> None:
    first, second = (
        discrete_gaussian(Fraction(9), 50, np.random.default_rng(3).bytes) for _ in range(2)
    )
    assert (first == second).all()
    assert len(set(map(int, first))) > 5


def test_every_coordinate_has_its_own_variance(rng: np.random.Generator) -> None:
    """z-tests of the sample variances, which have sd √(2/size)·σ²; false-alarm rate below 1e-6."""
    size, variances = 20_000, (2, 40, 2, 900)
    law = DiscreteGaussianLaw((0, 5, -7, 0), tuple(map(Fraction, variances)))
    draws = law.sample(size, rng) - np.array(law.center)
    for column, variance in zip(draws.T, variances, strict=True):
        assert abs(np.square(column).mean() / variance - 1) < 5.2 * math.sqrt(2 / size)
    correlations = np.corrcoef(draws.T)[np.triu_indices(4, 1)]
    assert (np.abs(correlations) < 5.5 / math.sqrt(size)).all()
