from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import discreet as dp
from discreet import divergence
from discreet.exact import balls
from discreet.exact.balls import ball

parameter = st.floats(-3, 12).map(lambda exponent: 10.0**exponent)
vectors = st.integers(2, 5).flatmap(lambda k: st.lists(parameter, min_size=k, max_size=k))


@st.composite
def pairs(draw: st.DrawFn, k: int | None = None) -> tuple[list[float], list[float]]:
    """Unrelated, proportional, barely different, and neighbouring parameter vectors."""
    a = draw(vectors if k is None else st.lists(parameter, min_size=k, max_size=k))
    kind = draw(st.sampled_from(["any", "scaled", "near", "neighbour"]))
    if kind == "any":
        b = draw(st.lists(parameter, min_size=len(a), max_size=len(a)))
    elif kind == "scaled":
        b = [x * draw(st.floats(0.01, 100)) for x in [1.0]] * len(a)
        b = [x * s for x, s in zip(a, b, strict=True)]
    elif kind == "near":
        b = [x * (1 + draw(st.floats(-1e-6, 1e-6))) for x in a]
    else:
        a[0] += 1
        b = [a[0] - 1, a[1] + 1, *a[2:]]
    return [min(max(x, 1e-3), 1e12) for x in a], [min(max(x, 1e-3), 1e12) for x in b]


def exact(vector: list[float]) -> list[Fraction]:
    return [Fraction(x) for x in vector]


@given(pairs())
def test_hellinger_is_right_to_1e_9(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    truth = balls.nearest(lambda: divergence.hellinger_ball(exact(a), exact(b)))
    assert dp.hellinger(a, b) == pytest.approx(truth, rel=1e-9, abs=0)


@given(pairs())
def test_kl_is_right_to_1e_9(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    truth = balls.nearest(lambda: divergence.kl_ball(exact(a), exact(b)))
    assert dp.kl(a, b) == pytest.approx(truth, rel=1e-9, abs=0)


@given(pairs(k=2))
def test_total_variation_is_right_to_1e_9(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    truth = balls.nearest(lambda: divergence.total_variation_ball(exact(a), exact(b)))
    assert dp.total_variation(a, b) == pytest.approx(truth, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([5, 5], [4, 6], "0.233629480708875276"),
        ([1, 1], [2, 1], "0.239146311738100268"),
        ([21, 21, 21], [22, 22, 19], "0.191973996582510172"),
        ([464, 248, 22], [465, 247, 22], "0.0278418467429037584"),
        ([1, 1e12 + 1], [2, 1e12], "0.337302645331092482"),
        ([1e-3, 1e-3, 1e-3], [1e-3, 1e-3, 1.001], "0.648886998984530743"),
        ([5e8 + 1, 5e8 + 1], [5e8 + 2, 5e8], "2.23606797610224721e-5"),
    ],
)
def test_reference_values(a: list[float], b: list[float], expected: str) -> None:
    """Values computed independently at high precision; read as decimals, as a prior is."""
    assert dp.hellinger(a, b) == pytest.approx(float(expected), rel=1e-12)
    decimal_a = [Fraction(str(x)) for x in a]
    decimal_b = [Fraction(str(x)) for x in b]
    value = balls.nearest(lambda: divergence.hellinger_ball(decimal_a, decimal_b))
    assert value == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.parametrize(("a", "b"), [((2, 5), (3, 3)), ((1, 1), (4, 2)), ((7, 3), (6.5, 3.5))])
def test_against_integrals(a: tuple[float, float], b: tuple[float, float]) -> None:
    x = (np.arange(2_000_000) + 0.5) / 2_000_000
    p, q = stats.beta.pdf(x, *a), stats.beta.pdf(x, *b)
    squared = 0.5 * np.mean((p**0.5 - q**0.5) ** 2)
    assert dp.hellinger(a, b) == pytest.approx(math.sqrt(squared), rel=1e-6)
    assert dp.total_variation(a, b) == pytest.approx(0.5 * np.mean(abs(p - q)), rel=1e-6)
    assert dp.kl(a, b) == pytest.approx(np.mean(p * np.log(p / q)), rel=1e-5)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (3.0, 0.5), (200.0, 7.0), (1e9, 1e9)])
def test_one_step_of_total_variation_in_closed_form(a: float, b: float) -> None:
    closed = balls.nearest(
        lambda: divergence.total_variation_ball(
            [Fraction(a) + 1, Fraction(b)], [Fraction(a), Fraction(b) + 1]
        )
    )
    log = (a - 1) * math.log(a) + (b - 1) * math.log(b) - (a + b - 1) * math.log(a + b)
    if a < 1e6:
        beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        assert closed == pytest.approx(math.exp(log - beta), rel=1e-10)
    assert dp.total_variation([a + 1, b], [a, b + 1]) == pytest.approx(closed, rel=1e-9)


def test_many_candidates_at_once(rng: np.random.Generator) -> None:
    a, many = np.array([4.0, 2.0, 9.0]), rng.uniform(0.5, 20, size=(3, 50, 3))
    for distance in (dp.hellinger, dp.kl, dp.l1):
        together = distance(a, many)
        assert isinstance(together, np.ndarray)
        assert together.shape == (3, 50)
        assert together[1, 7] == pytest.approx(distance(a, many[1, 7]), rel=1e-12)
    betas = rng.uniform(0.5, 20, size=(6, 2))
    together = dp.total_variation([3, 4], betas)
    assert isinstance(together, np.ndarray)
    assert [dp.total_variation([3, 4], row) for row in betas] == pytest.approx(together.tolist())


@pytest.mark.parametrize(
    "alpha", ["1/1000000000", "1/1000", "1/2", "1", "1000000", "1000000000000"]
)
@pytest.mark.parametrize(("count", "n"), [(0, 0), (0, 7), (7, 7), (1, 4), (40, 93)])
def test_tables_of_log_gamma_differences(alpha: str, count: int, n: int) -> None:
    exact = Fraction(alpha)
    table = divergence.half_excess_table(float(exact), count, n)

    def enclosure(r: int) -> arb:
        a, b = ball(exact + count), ball(exact + r)
        return (a.lgamma() + b.lgamma()) / 2 - ((a + b) / 2).lgamma()

    truth = [0.0 if r == count else balls.nearest(partial(enclosure, r)) for r in range(n + 1)]
    assert table.tolist() == pytest.approx(truth, rel=1e-11)


def test_nothing_between_equals() -> None:
    for distance in (dp.hellinger, dp.kl, dp.l1, dp.total_variation):
        assert distance([3.5, 1e12], [3.5, 1e12]) == 0


def test_distance_properties(rng: np.random.Generator) -> None:
    a, b, c = rng.uniform(0.1, 30, size=(3, 200, 4))
    near, far = np.asarray(dp.hellinger(a, b)), np.asarray(dp.hellinger(b, c))
    assert (np.asarray(dp.hellinger(a, c)) <= near + far + 1e-12).all()
    np.testing.assert_allclose(near, dp.hellinger(b, a), rtol=1e-12)
    assert ((near >= 0) & (near <= 1)).all()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 0], [1, 1], r"a\[1\] must be positive and finite$"),
        ([1, 1], [1, math.nan], r"b\[1\] must be positive and finite"),
        ([1, 1], [1, math.inf], r"b\[1\] must be positive and finite"),
        ([1, 1], [1, 1, 1], "as many parameters"),
        ([1], [1], "at least two"),
        ([[1, 1]] * 2, [[1, 1]] * 3, "shapes that fit"),
        ("ab", [1, 1], "a must be Dirichlet parameters"),
        (7, [1, 1], "a must be Dirichlet parameters"),
        ([[1, 1], [1, -2]], [1, 1], r"a\[1, 1\]"),
    ],
)
def test_bad_parameters(a: object, b: object, message: str) -> None:
    for distance in (dp.hellinger, dp.kl, dp.l1, dp.total_variation):
        with pytest.raises(dp.InputError, match=message):
            distance(a, b)  # type: ignore[arg-type]


def test_posteriors_are_taken_by_their_parameters() -> None:
    first = dp.BetaBinomial().posterior((3, 4))
    second = dp.BetaBinomial().posterior((1, 6))
    for distance in (dp.hellinger, dp.kl, dp.l1, dp.total_variation):
        expected = distance([4, 5], [2, 7])
        assert distance(first, second) == distance(first, [2, 7]) == expected
    other = dp.BetaBinomial(categories=(False, True)).posterior((3, 4))
    with pytest.raises(dp.InputError, match="same categories in the same order"):
        dp.hellinger(first, other)


def test_total_variation_is_for_betas() -> None:
    with pytest.raises(dp.InputError, match="two parameters"):
        dp.total_variation([1, 1, 1], [1, 2, 1])
