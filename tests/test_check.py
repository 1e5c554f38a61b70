from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import check, errors
from discreet.errors import InputError


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_their_shortest_decimal(value: float) -> None:
    assert check.rational("x", value) == Fraction(Decimal(repr(value)))


@given(st.one_of(st.text(), st.none(), st.booleans(), st.binary(), st.lists(st.integers())))
def test_everything_else_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="x must be a number"):
        check.rational("x", value)


@given(
    st.one_of(
        st.fractions(min_value=Fraction(1, 10**9), max_value=10**6),
        st.tuples(st.integers(1, 2**1500), st.integers(1, 2**1500)).map(lambda p: Fraction(*p)),
        st.integers(0, 700).map(lambda bits: Fraction(2**bits + 1, 2**bits)),
        st.integers(1, 395).map(lambda digits: Decimal("1." + "3" * digits)),
        st.floats(1e-9, 1e6),
    )
)
def test_an_epsilon_survives_writing(value: Fraction | Decimal | float) -> None:
    try:
        epsilon = check.epsilon(value)
    except InputError:
        return
    assert check.text_number("epsilon", str(epsilon)) == epsilon
    assert check.text_number("epsilon", str(2 * epsilon)) == 2 * epsilon


def test_a_number_that_could_not_be_read_again_is_refused() -> None:
    for value in (Fraction(2**1500 + 1, 2**1500), Decimal("1." + "3" * 390), Fraction(1, 2**1300)):
        with pytest.raises(InputError, match="ordinary size"):
            check.rational("x", value)


def test_numbers_of_all_kinds() -> None:
    for value in (0.25, Fraction(1, 4), Decimal("0.25"), np.float64(0.25), np.float32(0.25)):
        assert check.rational("x", value) == Fraction(1, 4)
    assert check.rational("x", np.int64(3)) == 3
    for bad in (math.nan, math.inf, -math.inf, Decimal("NaN"), np.float64("inf")):
        with pytest.raises(InputError, match="x must be finite"):
            check.rational("x", bad)


def test_series_are_mappings_by_label() -> None:
    """A pandas Series of value counts comes in its own order; labels decide."""

    class Series:
        def items(self) -> list[tuple[object, object]]:
            return [("b", np.int64(3)), (np.str_("a"), 2)]

    assert check.counts(Series(), ("a", "b", "c")) == (2, 3, 0)


@given(st.lists(st.one_of(st.integers(), st.floats(), st.none(), st.text()), max_size=4))
def test_counts_are_accepted_or_refused_in_one_sentence(values: list[object]) -> None:
    try:
        counts = check.counts(values, ("a", "b", "c"))
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert [int(v) for v in values] == list(counts)  # type: ignore[call-overload]
        assert min(counts) >= 0


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "9" * 5000, "1/" + "9" * 5000])
def test_absurd_numbers_are_refused_at_once(text: str) -> None:
    with pytest.raises(InputError, match="ordinary size"):
        check.text_number("x", text)


def test_sizes_in_words() -> None:
    assert check.big(12345) == "12345"
    assert check.big(10**5000) == "about 10^4999" or check.big(10**5000) == "about 10^5000"
    assert check.show(Fraction(1, 10**400)).startswith("about 10^-")
    assert "huge" in check.brief(10**5000)


@pytest.mark.parametrize("items", [[1, 2], [(["a"], 1)], [("a", 1, 2)]])
def test_strange_mappings(items: list[object]) -> None:
    class Strange:
        def items(self) -> list[object]:
            return items

    with pytest.raises(InputError, match="position 0 a label that is not a category"):
        check.counts(Strange(), ("a", "b"))


def test_a_label_given_twice_is_refused() -> None:
    class Series:
        def items(self) -> list[tuple[object, object]]:
            return [("a", 5), ("b", 3), ("b", 2)]

    with pytest.raises(InputError, match="at position 2 a label for the second time"):
        check.counts(Series(), ("a", "b", "c"))


def test_values_are_quoted_plainly() -> None:
    quoted = [check.brief(v) for v in (Fraction(-1), Fraction(1, 3), np.float64(-1), np.int8(4))]
    assert quoted == ["-1", "1/3", "-1.0", "4"]
    assert [check.brief(v) for v in (Decimal("1.50"), np.True_, "x", None)] == [
        "1.50",
        "True",
        "'x'",
        "None",
    ]


def test_only_near_misses_are_suggested() -> None:
    for value, hint in (("laplce", "did you mean 'laplace'"), ("Tru", "did you mean True")):
        with pytest.raises(InputError, match=hint):
            check.choice("x", value, ("laplace", "gauss", True))
    for far in ("la", "lattice", "something", 7, "", ("laplace",)):
        with pytest.raises(InputError) as raised:
            check.choice("x", far, ("laplace", "gauss", True))
        assert "did you mean" not in str(raised.value)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**6))
def test_a_shown_bound_is_never_too_low(number: Fraction) -> None:
    shown = Fraction(check.show(number).removeprefix("≈ "))
    assert number <= shown <= number * (1 + Fraction(1, 10**6))


def test_errors_carry_their_data_through_pickle() -> None:
    for error in (
        InputError("x must be y", "x"),
        errors.NotEnumerable("too many", 5),
        errors.PrivacyRefusedError("no", None),
        errors.ExactnessError("stop"),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(1, 2), "0.5"),
        (Fraction(3), "3"),
        (Fraction(1, 3), "≈ 0.3333334"),
        (math.inf, "∞"),
    ],
)
def test_numbers_as_people_write_them(number: Fraction | float, text: str) -> None:
    assert check.show(number) == text
