from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.exact import compositions
from discreet.laws.lattice import project

MODEL = dp.DirichletMultinomial(("a", "b", "c"))


@given(st.lists(st.integers(-6, 9), min_size=1, max_size=3), st.integers(0, 7))
def test_projection_is_the_nearest_vector_of_counts(free: list[int], n: int) -> None:
    raw = np.array([[*free, n - sum(free)]])
    released = project(n, raw)[0]
    rows = compositions.rows(n, raw.shape[1])
    squares = ((rows - raw) ** 2).sum(axis=1)
    assert released.sum() == n
    assert released.min() >= 0
    assert ((released - raw) ** 2).sum() == squares.min()
    # of several nearest vectors, the one that gives more to earlier categories
    assert tuple(released) == max(map(tuple, rows[squares == squares.min()]))


def test_projection_of_many_and_huge() -> None:
    raw = np.array([[2**60, -(2**59), 2**59 + 5], [1, 2, 2**60 + 2]])
    released = project(2**60 + 5, raw)
    assert released.sum(axis=1).tolist() == [2**60 + 5] * 2
    assert (released >= 0).all()
    assert released[1].tolist() == raw[1].tolist()


@pytest.mark.parametrize("postprocess", ["project", "clip", None])
def test_postprocessing(postprocess: str | None, rng: np.random.Generator) -> None:
    made = dp.mechanism("lattice", MODEL, n=5, epsilon=0.2, postprocess=postprocess)
    draws = np.asarray(made.law((5, 0, 0)).sample(500, rng))
    raw = np.asarray(made.raw_law((5, 0, 0)).sample(500, rng))
    assert (raw.sum(axis=1) == 5).all()
    if postprocess == "project":
        assert (draws.sum(axis=1) == 5).all()
    if postprocess is None:
        assert draws.min() < 0
    else:
        assert 0 <= draws.min() <= draws.max() <= 5


def test_two_categories_agree_with_the_general_law() -> None:
    """The closed form for k = 2 against the sum over the lattice."""
    from fractions import Fraction
    from functools import partial

    from discreet.laws.lattice import LatticeLaw, PostprocessedLattice

    made = dp.mechanism("lattice", dp.BetaBinomial(), n=6, epsilon=1)
    law = made.law((2, 4))
    general = PostprocessedLattice(LatticeLaw((2, 4), Fraction(1)), partial(project, 6))
    np.testing.assert_array_equal(law.support, general.support)
    np.testing.assert_allclose(law.log_p, general.log_p, rtol=1e-10)
    assert made.raw_law((2, 4)).probability((9, -3)) == pytest.approx(
        LatticeLaw((2, 4), Fraction(1)).probability((9, -3)), rel=1e-12
    )


def test_add_remove(rng: np.random.Generator) -> None:
    made = dp.mechanism("lattice", MODEL, epsilon=1, adjacency="add-remove")
    assert made.guarantee.adjacency is dp.Adjacency.ADD_REMOVE
    assert "adding or removing" in str(made.guarantee)
    counts = (3, 0, 2)
    raw, law = made.raw_law(counts), made.law(counts)
    ratios = []
    for z in itertools.product(range(-3, 6), repeat=3):
        for neighbour in ((4, 0, 2), (3, 1, 2), (3, 0, 1)):
            other = made.raw_law(neighbour)
            ratios.append(abs(np.log(raw.probability(z) / other.probability(z))))
    assert max(ratios) == pytest.approx(1)
    assert law.probability((3, -1, 2)) == 0
    draws = np.asarray(law.sample(4000, rng))
    assert draws.min() == 0
    expected = law.probability((3, 0, 2))
    observed = (draws == counts).all(axis=1).mean()
    assert abs(observed - expected) < 6 * (expected / 4000) ** 0.5


def test_units_with_several_records() -> None:
    made = dp.mechanism(
        "lattice", MODEL, epsilon=1, adjacency="add-remove", unit="patient", max_per_unit=4
    )
    assert "one patient (a unit has at most 4 records)" in str(made.guarantee)
    here, there = made.raw_law((9, 9, 9)), made.raw_law((5, 9, 9))
    assert np.log(here.probability((9, 9, 9)) / there.probability((9, 9, 9))) == pytest.approx(1)
    with pytest.raises(dp.InputError, match="max_per_unit must be 1 under substitution"):
        dp.mechanism("lattice", MODEL, n=9, epsilon=1, max_per_unit=4)
    for unit in (5, "", None, "a\nb"):
        with pytest.raises(dp.InputError, match="unit must"):
            dp.mechanism("lattice", MODEL, epsilon=1, adjacency="add-remove", unit=unit)
