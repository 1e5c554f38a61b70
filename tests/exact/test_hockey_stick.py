from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet import InputError
from discreet.exact import balls, theta
from discreet.exact.balls import ball
from discreet.exact.hockey_stick import (
    discrete_gaussian_delta,
    discrete_hockey_stick,
    gaussian_delta,
    gaussian_variance,
    least_gaussian_delta,
)


@pytest.fixture(autouse=True)
def _precise() -> object:
    with balls.precision(128):
        yield


def added_up(epsilon: Fraction, shift: int, variance: Fraction) -> arb:
    """The hockey-stick divergence by its definition."""
    reach = math.ceil(40 * math.sqrt(variance)) + abs(shift)
    total = theta.log_theta(variance).exp()
    factor, result = ball(epsilon).exp(), arb(0)
    for z in range(-reach, reach + 1):
        here = ball(-Fraction(z * z) / (2 * variance)).exp()
        there = ball(-Fraction((z - shift) ** 2) / (2 * variance)).exp()
        result += (here - factor * there).max(arb(0))
    return result / total


def classical(epsilon: float, delta: float) -> arb:
    """Shift over standard deviation of σ = √(2 ln(1.25/δ))/ε."""
    return arb(epsilon) / (2 * arb(1.25 / delta).log()).sqrt()


def test_the_classical_calibration_breaks_its_delta() -> None:
    assert gaussian_delta(Fraction(8), classical(8, 1e-5)) < 1e-5
    assert gaussian_delta(Fraction(17, 2), classical(8.5, 1e-5)) > 1e-5
    ten = gaussian_delta(Fraction(10), classical(10, 1e-5))
    assert ten > 2.26e-5
    assert ten < 2.27e-5


@given(st.floats(0.01, 20), st.floats(0.01, 6))
@settings(max_examples=50, deadline=None)
def test_normal_delta_against_scipy(epsilon: float, mu: float) -> None:
    value = gaussian_delta(Fraction(epsilon), arb(mu))
    left, right = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    plain = stats.norm.cdf(left) - math.exp(epsilon + stats.norm.logcdf(right))
    assert float(value) == pytest.approx(plain, rel=1e-6, abs=1e-15)
    assert value.rel_accuracy_bits() > 60


def test_tiny_deltas_keep_their_digits() -> None:
    value = gaussian_delta(Fraction(1), arb(1) / 50)
    assert value > 0
    assert value < arb(10) ** -500
    assert value.rel_accuracy_bits() > 60


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(4), Fraction(150)])
@pytest.mark.parametrize("shift", [1, 3, -7])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 3), Fraction(2)])
def test_hockey_stick_is_the_sum(variance: Fraction, shift: int, epsilon: Fraction) -> None:
    exact = discrete_hockey_stick(epsilon, shift, variance)
    assert exact.overlaps(added_up(epsilon, shift, variance))
    assert exact.rad() < 1e-25


@pytest.mark.parametrize("variance", [Fraction(3), Fraction(5000, 3)])
def test_tails_add_up(variance: Fraction) -> None:
    total = theta.log_theta(variance).exp()
    for start in (-5, 0, 1, 2, 40):
        terms = (ball(-Fraction(z * z) / (2 * variance)).exp() for z in range(start, 2000))
        assert theta.tail(start, variance).overlaps(sum(terms, arb(0)) / total)


@pytest.mark.parametrize("start", [1, 100, 20_000, 50_000, 200_000])
def test_integrals_enclose_the_sums(start: int) -> None:
    variance = Fraction(9999) ** 2 + Fraction(1, 3)
    near, exact = theta._integrated(start, variance), theta.added(start, variance)
    assert near.overlaps(exact)
    assert near.rel_accuracy_bits() > 90
    assert exact.rad() < 1e-30


@pytest.mark.parametrize(("epsilon", "ratio"), [(30, 2), (200, 8), (3000, 90)])
def test_hockey_sticks_far_out(epsilon: int, ratio: int) -> None:
    """Of wide noise, and large ε or tiny δ: within the bounds, and with many digits."""
    shift = 100_800
    variance = Fraction(shift, ratio) ** 2
    exact = balls.refine(
        lambda: discrete_hockey_stick(Fraction(epsilon), shift, variance),
        lambda value: value if value.rel_accuracy_bits() > 40 else None,
    )
    square = Fraction(shift) ** 2
    upper = discrete_gaussian_delta(Fraction(epsilon), square, variance)
    lower = least_gaussian_delta(Fraction(epsilon), square, variance)
    assert lower < exact * (1 + arb(1e-3))
    assert exact < upper * (1 + arb(1e-3))
    assert upper < lower * (1 + arb(0.1))


def test_what_is_next_to_nothing_is_enclosed_as_such() -> None:
    exact = discrete_hockey_stick(Fraction(5000), 100_800, Fraction(100_800) ** 2)
    assert abs(exact) < arb(10) ** -1000


CASES = [
    (Fraction(epsilon), Fraction(delta), shift, dimension)
    for epsilon in ("1/10", "1", "10")
    for delta in ("1e-5", "1e-12")
    for shift, dimension in ((20, 1), (200_000, 1), (200_000, 120))
]


@pytest.mark.parametrize(("epsilon", "delta", "shift", "dimension"), CASES)
def test_calibrated_variances_are_private_and_no_larger_than_need_be(
    epsilon: Fraction, delta: Fraction, shift: int, dimension: int
) -> None:
    square = Fraction(shift**2)
    variance = gaussian_variance(epsilon, delta, square, dimension)
    bound = discrete_gaussian_delta(epsilon, square, variance, dimension)
    assert bound <= ball(delta)
    exact = discrete_hockey_stick(epsilon, shift, variance)
    assert exact <= bound
    assert least_gaussian_delta(epsilon, square, variance, dimension) <= exact
    if shift > 1000:  # so wide a noise costs nothing: not even one part in 10⁷
        assert exact > ball(delta) * (1 - ball(Fraction(1, 10**7)))
    smaller = variance * Fraction(98, 100) ** 2
    assert not discrete_gaussian_delta(epsilon, square, smaller, dimension) <= ball(delta)
    if shift > 1000:
        assert discrete_hockey_stick(epsilon, shift, smaller) > ball(delta)
    # 12 digits, and one less in the last is too small
    digits = variance
    while digits.denominator > 1 or digits % 10 == 0:
        digits = digits * 10 if digits.denominator > 1 else digits / 10
    assert digits < 10**12


def test_a_smaller_last_digit_is_not_enough() -> None:
    variance = gaussian_variance(Fraction(1), Fraction(1, 10**5), Fraction(100800) ** 2)
    less = variance * (1 - Fraction(1, 10**11))
    assert discrete_gaussian_delta(Fraction(1), Fraction(100800) ** 2, less) > 1e-5


@pytest.mark.parametrize("variances", [(3, 3), (2, 9), (5, 40)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1)])
def test_several_coordinates_by_brute_force(variances: tuple[int, int], epsilon: Fraction) -> None:
    """Two coordinates with their own variances: the definition lies between the bounds."""
    first, second = variances
    shift = (2, -3)
    mu_squared = Fraction(shift[0] ** 2, first) + Fraction(shift[1] ** 2, second)
    reach, factor, total = 60, math.exp(epsilon), 0.0
    for x in range(-reach, reach + 1):
        for y in range(-reach, reach + 1):
            here = math.exp(-x * x / (2 * first) - y * y / (2 * second))
            there = math.exp(
                -((x - shift[0]) ** 2) / (2 * first) - (y - shift[1]) ** 2 / (2 * second)
            )
            total += max(0.0, here - factor * there)
    norm = theta.log_theta(Fraction(first)) + theta.log_theta(Fraction(second))
    exact = total / math.exp(float(norm))
    variance, least = Fraction(second), Fraction(first, second)
    upper = discrete_gaussian_delta(epsilon, mu_squared * variance, variance, 2, least)
    lower = least_gaussian_delta(epsilon, mu_squared * variance, variance, 2, least)
    assert lower < exact < upper
    assert upper < 1.3 * exact + 0.02


def test_bounds_hold_where_the_noise_is_narrow() -> None:
    for variance in (Fraction(1, 5), Fraction(2, 5), Fraction(1), Fraction(7)):
        for epsilon in (Fraction(1, 2), Fraction(3)):
            exact = discrete_hockey_stick(epsilon, 1, variance)
            assert exact <= discrete_gaussian_delta(epsilon, Fraction(1), variance)
            assert least_gaussian_delta(epsilon, Fraction(1), variance) <= exact


def test_delta_of_nothing_is_refused() -> None:
    for delta in (Fraction(0), Fraction(1), Fraction(-1)):
        with pytest.raises(InputError, match="delta"):
            gaussian_variance(Fraction(1), delta, Fraction(1))
