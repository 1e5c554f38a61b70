"""The linear program and its repair; the limit for two categories by the geometric mechanism."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import discreet as dp
from discreet.exact import compositions
from discreet.families.dirichlet.optimum import program, remap
from discreet.families.dirichlet.optimum.losses import Problem, loss_matrix, problem

pd = pytest.importorskip("pandas")

PRIORS = [(1, 1), ("1/2", "1/2"), (2, 5)]
LOSSES = ["hellinger", "total_variation", "squared_error"]


def task(
    prior: Any, n: int, epsilon: Any, loss: Any = "hellinger", weights: Any = "uniform"
) -> Problem:
    return problem(tuple(map(Fraction, prior)), n, Fraction(str(epsilon)), loss, weights)


def check_private(rows: list[tuple[int, ...]], n: int, k: int, epsilon: float) -> None:
    """Every ratio of neighbours, in fractions, against a partial sum of e^ε = Σ ε^j/j!."""
    exact = Fraction(str(epsilon))
    most = sum((exact**j / math.factorial(j) for j in range(200)), Fraction(0))
    places = compositions.rows(n, k).tolist()
    totals = {sum(row) for row in rows}
    assert len(totals) == 1
    assert min(map(min, rows)) >= 0
    for (i, c), (j, d) in itertools.permutations(enumerate(places), 2):
        if sum(abs(a - b) for a, b in zip(c, d, strict=True)) == 2:
            assert all(p <= most * q for p, q in zip(rows[i], rows[j], strict=True))


@pytest.mark.parametrize(
    ("prior", "n", "epsilon"),
    [
        ((1, 1), 12, 1),
        ((2, 5), 9, 0.1),
        ((1, 1), 7, 1e-6),
        ((1, 1), 7, 40),
        ((1, 1, 1), 4, 1),
        (("1/2", 3, 1), 3, 2),
    ],
)
@pytest.mark.parametrize("loss", ["hellinger", "squared_error"])
def test_solutions_are_private_and_near_the_bound(
    prior: Any, n: int, epsilon: float, loss: str
) -> None:
    asked = task(prior, n, epsilon, loss)
    solved = program.solve(asked)
    rows = [solved.row(place) for place in range(asked.candidates)]
    check_private(rows, n, len(prior), epsilon)
    assert 0 <= solved.gap <= 1e-6
    costs = loss_matrix(asked) / len(rows)
    total = sum(rows[0])
    value = sum(
        costs[c, r] * float(Fraction(weight, total))
        for c, row in enumerate(rows)
        for r, weight in enumerate(row)
    )
    assert solved.value == pytest.approx(value, abs=1e-12)


def test_one_record_is_randomised_response() -> None:
    """n = 1, two categories: keep the record with probability e^ε/(1 + e^ε)."""
    for epsilon in (0.1, 1, 3):
        solved = program.solve(task((1, 1), 1, epsilon))
        wrong = 1 / (1 + math.exp(epsilon))
        distance = float(dp.hellinger((1, 2), (2, 1)))
        assert solved.value == pytest.approx(wrong * distance, abs=1e-9)


def test_symmetry_loses_nothing() -> None:
    """The same problem with its numbers given has no symmetry to use."""
    named = task((1, 1, 1), 3, 1)
    given = task((1, 1, 1), 3, 1, loss_matrix(named).tolist())
    assert program.solve(named).value == pytest.approx(program.solve(given).value, abs=1e-8)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("n", "epsilon"), [(10, 0.1), (10, 1), (10, 5), (40, 1)])
def test_the_geometric_mechanism_is_optimal(prior: Any, loss: str, n: int, epsilon: float) -> None:
    asked = task(prior, n, epsilon, loss)
    solved, least = program.solve(asked), remap.expected_loss(asked)
    assert least == pytest.approx(solved.value, abs=1e-6)
    assert solved.value - solved.gap <= least + 1e-12  # a bound on every private mechanism


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 5])
@pytest.mark.parametrize("n", [10, 40, 100])
def test_the_geometric_mechanism_is_optimal_everywhere(
    prior: Any, loss: str, epsilon: float, n: int
) -> None:
    asked = task(prior, n, epsilon, loss)
    assert remap.expected_loss(asked) == pytest.approx(program.solve(asked).value, abs=1e-6)


def test_remap_is_the_best_map() -> None:
    """By brute force over all outputs for every noisy count."""
    n, epsilon = 9, 0.7
    for prior, loss in itertools.product(PRIORS, LOSSES):
        asked = task(prior, n, epsilon, loss)
        losses, c = loss_matrix(asked), np.arange(n + 1)
        for z in (-30, -1, 0, 3, 7, n, n + 1, 50):
            given = np.exp(-epsilon * np.abs(z - c))
            expected = given @ losses
            [[ones, zeros]] = remap.remap(asked, np.array([[z, n - z]])).tolist()
            assert ones + zeros == n
            assert expected[ones] == pytest.approx(expected.min(), rel=1e-8)


def test_remap_of_three_categories() -> None:
    asked = task((1, 1, 1), 4, 1, "hellinger", "prior_predictive")
    losses, rows = loss_matrix(asked), compositions.rows(4, 3)
    weights = np.full(len(rows), 1 / len(rows))  # a flat prior predicts all counts alike
    for z in ((1, 1, 2), (-3, 5, 2), (9, -2, -3), (0, 0, 4)):
        given = weights * np.exp(-0.5 * np.abs(np.array(z) - rows).sum(axis=1))
        expected = given @ losses
        [best] = remap.remap(asked, np.array([z])).tolist()
        place = rows.tolist().index(best)
        assert expected[place] == pytest.approx(expected.min(), rel=1e-8)


def test_weights_and_losses_are_read() -> None:
    uniform = [1 / 5] * 5
    named, given = task((1, 1), 4, 1), task((1, 1), 4, 1, weights=uniform)
    assert remap.expected_loss(named) == pytest.approx(remap.expected_loss(given))
    assert task((1, 1), 4, 1, weights=pd.Series(uniform)) == given
    rounded = task((1, 1), 4, 1, weights=[1 + 5e-10, 0, 0, 0, 0])
    assert rounded.weights == tuple(map(Fraction, (1, 0, 0, 0, 0)))
    matrix = np.abs(np.arange(5)[:, None] - np.arange(5))
    assert task((1, 1), 4, 1, pd.DataFrame(matrix)) == task((1, 1), 4, 1, matrix)
    for bad, message in (
        ([0.5] * 5, "weights must sum to 1, got 2.5"),
        ([0.5, 0.5], "weights must have 5 entries"),
        ([1.5, -0.5, 0, 0, 0], r"weights\[0\] must lie between 0 and 1, got 1.5"),
        ([-0.5, 1, 0.5, 0, 0], r"weights\[0\] must lie between 0 and 1, got -0.5"),
        (pd.Series(uniform, index=list("abcde")), "weights must be a sequence in order"),
        (dict(enumerate(uniform)), "weights must be a sequence in order"),
        ([math.nan] * 5, r"weights\[0\] must be finite"),
        ("flat", "weights must be one of"),
        (7, "weights must be one of"),
    ):
        with pytest.raises(dp.InputError, match=message):
            task((1, 1), 4, 1, weights=bad)
    for bad_loss, message in (
        (np.ones((4, 5)), "loss must be a matrix with a row and a column for each of the 5"),
        (np.ones((5, 4)), r"of the 5 vectors of counts, got an array of shape \(5, 4\)"),
        (pd.DataFrame(np.ones((4, 5))), r"got an array of shape \(4, 5\)"),
        ([[1], [1, 2]], "got rows of different lengths"),
        (np.ones(5), "loss must be a matrix"),
        (np.full((5, 5), math.nan), r"loss\[0\]\[0\] must be finite"),
        (np.full((5, 5), -1.0), r"loss\[0\]\[0\] must lie between"),
        ("squared", "loss must be one of .* did you mean 'squared_error'"),
        (None, "loss must be one of"),
    ):
        with pytest.raises(dp.InputError, match=message):
            task((1, 1), 4, 1, bad_loss)
    with pytest.raises(dp.InputError, match="needs two categories, got 3"):
        task((1, 1, 1), 4, 1, "total_variation")


def independent_optimum(losses: Any, weights: Any, epsilon: float) -> float:
    """The same program for two categories, written down densely."""
    size = len(losses)
    rows = []
    for c in range(size - 1):
        for here, there in ((c, c + 1), (c + 1, c)):
            for r in range(size):
                row = np.zeros((size, size))
                row[here, r], row[there, r] = 1, -math.exp(epsilon)
                rows.append(row.ravel())
    result = optimize.linprog(
        (weights[:, None] * losses).ravel(),
        A_ub=np.array(rows),
        b_ub=np.zeros(len(rows)),
        A_eq=np.kron(np.eye(size), np.ones(size)),
        b_eq=np.ones(size),
    )
    return float(result.fun)


@pytest.mark.parametrize("seed", range(12))
def test_any_loss_that_falls_towards_the_truth_is_geometric(seed: int) -> None:
    """Rows that rise on either side of c as they like: no linear program is needed."""
    rng = np.random.default_rng(seed)
    size, epsilon = int(rng.integers(3, 8)), float(rng.choice([0.3, 1, 2]))
    steps = (rng.random((size, size)) < 0.5) * rng.random((size, size)).round(3)
    losses = np.zeros((size, size))
    for c in range(size):
        losses[c, c:] = np.cumsum(steps[c, c:]) - steps[c, c]
        losses[c, :c] = np.cumsum(steps[c, :c][::-1])[::-1]
    weights = rng.dirichlet(np.ones(size))
    asked = task((1, 1), size - 1, epsilon, losses, weights)
    assert asked.geometric
    limit = independent_optimum(losses, weights, epsilon)
    assert remap.expected_loss(asked) == pytest.approx(limit, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_other_losses_need_the_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, epsilon = int(rng.integers(3, 7)), float(rng.choice([0.3, 1, 2]))
    losses, weights = rng.random((size, size)), rng.dirichlet(np.ones(size))
    asked = task((1, 1), size - 1, epsilon, losses, weights)
    assert not asked.geometric
    solved = program.solve(asked)
    limit = independent_optimum(losses, weights, epsilon)
    assert solved.value == pytest.approx(limit, abs=1e-6)
    assert solved.value - solved.gap <= limit + 1e-9
    check_private([solved.row(c) for c in range(size)], size - 1, 2, epsilon)


def test_one_record_among_many_categories() -> None:
    """n = 1, k categories: keep the record with probability e^ε/(k − 1 + e^ε)."""
    for k in (3, 5, 40):
        solved = program.solve(task((1,) * k, 1, 1))
        here, there = np.ones(k), np.ones(k)
        here[0], there[1] = 2, 2
        wrong = (k - 1) / (k - 1 + math.exp(1))
        assert solved.value == pytest.approx(wrong * float(dp.hellinger(here, there)), abs=1e-8)


def test_failures_of_the_solver_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failure:
        status, message = 4, "numerical difficulties"

    monkeypatch.setattr(optimize, "linprog", lambda *args, **kwargs: Failure())
    with pytest.raises(dp.DiscreetError, match="not solved: numerical difficulties"):
        program.solve(task((1, 1, 1), 2, Fraction(77, 100)))


def test_a_repair_that_is_not_private_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.exact.balls.rounded_down", lambda real: Fraction(1, 2))
    with pytest.raises(dp.ExactnessError, match="not private"):
        program.solve(task((1, 1, 1), 2, Fraction(78, 100)))


def test_nothing_is_solved_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dp.DirichletMultinomial(range(3))
    release = dp.release((3, 1, 1), model, 0.79, mechanism="optimal")
    text = release.to_json()
    program.solve.cache_clear()
    monkeypatch.setattr(optimize, "linprog", None)
    assert dp.Release.from_json(text) == release
    made = dp.optimal(model, 5, 0.79)
    with pytest.raises(TypeError):
        _ = made.value
