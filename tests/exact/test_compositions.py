from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.exact import compositions
from tests.statistics import pearson


@pytest.mark.parametrize(("n", "k"), [(0, 2), (0, 4), (1, 3), (5, 2), (6, 3), (4, 5)])
def test_rows_are_all_compositions_in_order(n: int, k: int) -> None:
    brute = [c for c in itertools.product(range(n + 1), repeat=k) if sum(c) == n]
    rows = [tuple(row) for row in compositions.rows(n, k).tolist()]
    assert rows == sorted(brute)
    assert len(rows) == compositions.count(n, k)
    assert [compositions.unrank(i, n, k) for i in range(len(rows))] == rows


@pytest.mark.parametrize(
    ("n", "k", "block"), [(5, 2, 3), (9, 3, 7), (6, 4, 1), (3, 6, 1000), (1, 40, 8)]
)
def test_table_sums(n: int, k: int, block: int, rng: np.random.Generator) -> None:
    tables = [rng.random(n + 1) for _ in range(k)]
    rows = compositions.rows(n, k)
    expected = sum(table[rows[:, i]] for i, table in enumerate(tables))
    got = np.concatenate(list(compositions.table_sums(tables, n, block)))
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize(("n", "k"), [(2, 5), (5, 2), (4, 3), (1, 4)])
def test_uniform_compositions(n: int, k: int, rng: np.random.Generator) -> None:
    draws = np.array([compositions.uniform(n, k, rng.bytes) for _ in range(20_000)])
    rows = compositions.rows(n, k)
    observed = np.array([(draws == row).all(axis=1).sum() for row in rows])
    assert observed.sum() == len(draws)
    statistic, limit = pearson(observed, np.full(len(rows), 1 / len(rows)))
    assert statistic < limit


def test_nothing_to_distribute(rng: np.random.Generator) -> None:
    assert compositions.uniform(0, 3, rng.bytes).tolist() == [0, 0, 0]
