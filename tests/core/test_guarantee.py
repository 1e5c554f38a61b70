from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.core import Adjacency, Guarantee, Theorem
from discreet.errors import InputError

BASIS = Theorem("a statement", "a reference")


def approximate(delta: str = "1/1000", adjacency: Adjacency = Adjacency.ADD_REMOVE) -> Guarantee:
    return Guarantee(Fraction(1, 2), Fraction(delta), adjacency, basis=BASIS)


def test_group_privacy() -> None:
    group = approximate().for_group(3)
    exact = 1e-3 * (1 + math.exp(0.5) + math.exp(1.0))
    assert group.epsilon == Fraction(3, 2)
    assert exact <= float(group.delta) <= exact * (1 + 1e-12)
    assert "group of 3 records" in str(group)
    assert approximate().for_group(1) == approximate()
    assert approximate("0").for_group(7).delta == 0
    assert approximate().for_group(200).delta == 1  # never more than certain


def test_substitution_counts_add_remove_twice() -> None:
    converted = approximate().under("substitute")
    exact = 1e-3 * (1 + math.exp(0.5))
    assert converted.epsilon == 1
    assert converted.adjacency is Adjacency.SUBSTITUTE
    assert exact <= float(converted.delta) <= exact * (1 + 1e-12)


def test_what_does_not_follow_is_refused() -> None:
    substitute = approximate(adjacency=Adjacency.SUBSTITUTE)
    assert substitute.under("attribute").epsilon == Fraction(1, 2)
    assert substitute.under("substitute") == substitute
    with pytest.raises(InputError, match="does not follow"):
        substitute.under("add-remove")
    with pytest.raises(InputError, match="does not follow"):
        approximate(adjacency=Adjacency.ATTRIBUTE).under("substitute")


def test_not_private_is_a_value() -> None:
    nothing = Guarantee(math.inf, Fraction(0), Adjacency.SUBSTITUTE)
    assert not nothing.private
    assert not nothing.for_group(4).private
    assert "not private" in str(nothing)
    with pytest.raises(InputError, match="basis"):
        Guarantee(Fraction(1), Fraction(0), Adjacency.SUBSTITUTE)
    with pytest.raises(InputError, match="basis"):
        Guarantee(math.inf, Fraction(0), Adjacency.SUBSTITUTE, basis=BASIS)


@pytest.mark.parametrize("m", [0, -1, 1.5, True, "2"])
def test_group_size_is_checked(m: object) -> None:
    with pytest.raises(InputError, match="m must"):
        approximate().for_group(m)  # type: ignore[arg-type]


def test_rounded_numbers_are_said_to_be_rounded() -> None:
    basis = Theorem("by definition", "nowhere")
    third = Guarantee(Fraction(1, 3), Fraction(1, 10), Adjacency.SUBSTITUTE, basis=basis)
    assert str(third) == "ε ≈ 0.3333334, δ = 0.1 for replacing one record"


def test_adjacency_names() -> None:
    assert Adjacency("add-remove") is Adjacency.ADD_REMOVE
    assert str(Adjacency.SUBSTITUTE) == "substitute"
    assert Adjacency(Adjacency.SUBSTITUTE) is Adjacency.SUBSTITUTE
    with pytest.raises(InputError, match="did you mean 'substitute'"):
        Adjacency("subsitute")
