"""Rows of Hellinger distances with proved errors, against balls."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from discreet.divergence import hellinger_ball, hellinger_row
from discreet.exact import balls, compositions

PRIORS = ["1", "1/2", "1/1000", "1/1000000000", "1000000", "1000000000000", "1000000000000001/1000"]


@pytest.mark.parametrize("first", PRIORS)
@pytest.mark.parametrize("second", ["1", "1/1000000000", "1000000000000"])
def test_rows_are_within_their_bound(first: str, second: str) -> None:
    prior = (Fraction(first), Fraction(second))
    for n in (1, 2, 31):
        for ones in {0, 1, n // 2, n}:
            counts = (ones, n - ones)
            check_row(prior, counts, n)


@pytest.mark.parametrize("prior", [("1", "1", "1"), ("1/100", "3", "1000000000000")])
def test_rows_of_three_categories(prior: tuple[str, ...]) -> None:
    for counts in ((0, 0, 9), (2, 3, 4), (9, 0, 0)):
        check_row(tuple(map(Fraction, prior)), counts, 9)


def check_row(prior: tuple[Fraction, ...], counts: tuple[int, ...], n: int) -> None:
    row, error = hellinger_row(prior, counts, n)
    assert error < 1e-13
    here = [a + c for a, c in zip(prior, counts, strict=True)]
    for value, candidate in zip(row.tolist(), compositions.rows(n, len(prior)), strict=True):
        there = [a + int(c) for a, c in zip(prior, candidate, strict=True)]
        if here == there:
            assert value == 0
            continue
        with balls.precision(200):
            assert abs(arb(value) / hellinger_ball(here, there) - 1) <= error
