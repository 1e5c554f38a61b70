from __future__ import annotations

import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.exact import compositions
from discreet.planning.accuracy import accuracy, listed_or_drawn, mean_error

BETA = dp.BetaBinomial()
THREE = dp.DirichletMultinomial(("a", "b", "c"))

EVERY = [
    ("lattice", {}),
    ("lattice", {"postprocess": "clip"}),
    ("ls_dim", {}),
    ("ls_hist", {}),
    ("ehd", {}),
    ("ehds", {}),
    ("ehdl", {}),
    ("smooth_hellinger", {"delta": 1e-3}),
]


def printed(text: str) -> object:
    return pytest.approx(float(text), rel=0, abs=1.0 * 10 ** -len(text.split(".")[1]))


def by_hand(
    made: dp.Mechanism, counts: tuple[int, ...], distance: str
) -> tuple[list[float], list[float]]:
    """Outcome by outcome, through the posteriors' own methods."""
    law, truth = made.law(counts), made.config.model.posterior(counts)
    errors, p = [], []
    for row in law.support.tolist():
        errors.append(getattr(truth, distance)(made.config.model.posterior(row)))
        p.append(law.probability(row))
    return errors, p


@pytest.mark.parametrize(("name", "options"), EVERY)
@pytest.mark.parametrize("distance", ["hellinger", "l1", "kl", "total_variation"])
@pytest.mark.parametrize("counts", [(5, 4), (0, 7), (3, 1, 0)])
def test_against_outcome_by_outcome(
    name: str, options: dict[str, Any], distance: str, counts: tuple[int, ...]
) -> None:
    if distance == "total_variation" and len(counts) > 2:
        return
    model = dp.DirichletMultinomial(tuple("abc")[: len(counts)], prior=(0.5, 2, 1)[: len(counts)])
    made = dp.mechanism(name, model, n=sum(counts), epsilon=1.5, **options)
    law = accuracy(made, counts, distance)
    errors, p = by_hand(made, counts, distance)
    assert law.mean == pytest.approx(np.dot(errors, p), rel=1e-9)
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(law.distances) > 0).all()
    assert law.exact == pytest.approx(made.law(counts).probability(counts), rel=1e-9)
    assert law.standard_error == 0.0
    assert law.draws is None
    for c in (0.0, 0.1, 0.37, 2.5, max(errors)):
        assert law.tail(c) == pytest.approx(
            sum(q for e, q in zip(errors, p, strict=True) if e >= c * (1 - 1e-9)), abs=1e-11
        )
    for q in (0.05, 0.5, 0.9, 0.999):
        value = law.quantile(q)
        assert sum(w for e, w in zip(errors, p, strict=True) if e <= value * (1 + 1e-9)) >= q - 1e-9
        assert sum(w for e, w in zip(errors, p, strict=True) if e < value * (1 - 1e-9)) < q


def test_equal_distances_are_one() -> None:
    """n = 8, four ones: five distances for nine outcomes; P1 Table 1."""
    law = accuracy(dp.mechanism("ehdl", BETA, n=8, epsilon=1.6), (4, 4))
    assert len(law.distances) == 5
    assert law.distances[1] == pytest.approx(0.233629480708875276, rel=1e-12)


def test_p1_table_1_by_steps() -> None:
    law = accuracy(dp.mechanism("ehdl", BETA, n=8, epsilon=1.6), (4, 4))
    expected = "0.37924298484 0.340809715054 0.158265808563 0.0785621424847 0.0431193490585"
    assert list(law.by_steps().items()) == [
        (steps, printed(text)) for steps, text in enumerate(expected.split())
    ]
    assert law.probabilities.tolist() == pytest.approx(list(law.by_steps().values()))


def test_p1_table_2_by_distance_and_by_steps() -> None:
    """Two steps are two distances (erratum E10); the table's row is the three at 0.18742."""
    law = accuracy(dp.mechanism("ehdl", THREE, n=60, epsilon=1.6), (20, 20, 20))
    near = dict(zip(law.distances.round(5).tolist(), law.probabilities.tolist(), strict=True))
    assert near[0.0] == printed("0.0713016293602")
    assert near[0.11012] == printed("0.192227323562")
    # three candidates like (18, 21, 21) at 0.19197 and three like (22, 19, 19) at 0.18742
    assert near[0.18742] == printed("0.0548161224677")
    steps = law.by_steps()
    assert steps[0] == printed("0.0713016293602")
    assert steps[1] == printed("0.192227323562")
    two = [d for d in law.distances if 0.15 < d < 0.23]
    assert steps[2] == pytest.approx(
        sum(near[round(d, 5)] for d in two if d < 0.2) + _pairs_at_two_steps(), rel=1e-9
    )


def _pairs_at_two_steps() -> float:
    """The six like (22, 18, 20), which are two steps away too, at another distance."""
    law = dp.mechanism("ehdl", THREE, n=60, epsilon=1.6).law((20, 20, 20))
    return 6 * law.probability((22, 18, 20))


def test_steps_where_the_sums_differ() -> None:
    """ls_hist, three categories: the larger of what is added and what is taken away."""
    made = dp.mechanism("ls_hist", THREE, n=6, epsilon=1)
    law = made.law((3, 2, 1))
    expected: dict[int, float] = {}
    for row, log_p in zip(law.support.tolist(), law.log_p.tolist(), strict=True):
        change = [r - c for r, c in zip(row, (3, 2, 1), strict=True)]
        steps = max(sum(x for x in change if x > 0), -sum(x for x in change if x < 0))
        expected[steps] = expected.get(steps, 0.0) + math.exp(log_p)
    assert accuracy(made, (3, 2, 1)).by_steps() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((463, 247, 21), {"ls_dim": 0.327, "ls_hist": 0.235, "lattice": 0.106}),
        ((200, 200, 200), {"ls_dim": 0.1685, "ls_hist": 0.116, "lattice": 0.0605}),
    ],
)
def test_mean_errors_of_real_counts(counts: tuple[int, ...], expected: dict[str, float]) -> None:
    for name, value in expected.items():
        law = accuracy(dp.mechanism(name, THREE, n=sum(counts), epsilon=1), counts)
        assert law.mean == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ls_hist", 0.1492), ("ls_dim", 0.2539), ("ehds", 0.5995), ("ehd", 0.6385)],
)
def test_mean_error_over_all_counts(name: str, expected: float) -> None:
    assert mean_error(dp.mechanism(name, BETA, n=40, epsilon=1)) == pytest.approx(
        expected, abs=6e-5
    )


def test_weights_of_the_average() -> None:
    model = dp.DirichletMultinomial(("a", "b", "c"), prior=(0.5, 1, 3))
    made = dp.mechanism("lattice", model, n=4, epsilon=1)
    rows = compositions.rows(4, 3).tolist()
    errors = [accuracy(made, row).mean for row in rows]
    expected = model.posterior((0, 0, 0)).predictive_counts(4)
    weights = [float(expected.pmf(row)) for row in rows]
    assert mean_error(made, "prior_predictive") == pytest.approx(np.dot(weights, errors))
    assert mean_error(made, [2.0 * w for w in weights]) == pytest.approx(np.dot(weights, errors))
    assert mean_error(made) == pytest.approx(np.mean(errors))
    for bad in ([1.0] * 3, [-1.0] * 15, [0.0] * 15, [math.nan] * 15, "flat"):
        with pytest.raises(dp.InputError, match="weights"):
            mean_error(made, bad)
    with pytest.raises(dp.InputError, match="too many to average"):
        mean_error(dp.mechanism("lattice", THREE, n=10_000, epsilon=1))


@pytest.mark.parametrize("name", ["lattice", "ls_hist", "ehds"])
def test_draws_agree_with_the_list_within_the_stated_error(name: str) -> None:
    made = dp.mechanism(name, THREE, n=30, epsilon=1)
    exact = accuracy(made, (15, 10, 5))
    draw = partial(listed_or_drawn, made, (15, 10, 5), "hellinger", 20_000, most=0)
    drawn = draw(rng=np.random.default_rng(3))
    assert drawn.draws == 20_000
    spread = math.sqrt(float((exact.distances - exact.mean) ** 2 @ exact.probabilities))
    assert drawn.standard_error == pytest.approx(spread / math.sqrt(20_000), rel=0.05)
    assert abs(drawn.mean - exact.mean) < 4.9 * drawn.standard_error
    assert "±" in repr(drawn)
    assert draw(rng=np.random.default_rng(3)).mean == drawn.mean


def test_a_law_too_large_to_list_is_drawn_from(rng: np.random.Generator) -> None:
    made = dp.mechanism("lattice", THREE, n=10**6, epsilon=0.005)
    law = accuracy(made, (500_000, 300_000, 200_000), size=2000, rng=rng)
    assert law.draws == 2000
    assert 0 < law.standard_error < 0.05 * law.mean


@pytest.mark.parametrize("name", ["lattice", "ls_hist"])
def test_huge_n_is_exact_too(name: str) -> None:
    """Near the truth the distance is proportional to the noise: E|noise| times one step."""
    n = 2**60
    made = dp.mechanism(name, BETA, n=n, epsilon=0.5)
    law = accuracy(made, (n // 3, n - n // 3))
    assert law.draws is None
    x = math.exp(-0.5)
    expected = 2 * x / (1 - x**2) if name == "lattice" else (1 + x) / (2 * (1 - x))
    one = law.distances[1]
    assert one == pytest.approx(math.sqrt(1 / 8 / (n / 3) / (2 / 3)), rel=1e-6)
    assert law.mean / one == pytest.approx(expected, rel=1e-6)


def test_add_remove() -> None:
    made = dp.mechanism("lattice", BETA, epsilon=1, adjacency="add-remove")
    law = accuracy(made, (3, 2))
    x = math.exp(-1)
    zero = (1 - x) / (1 + x)
    assert law.exact == pytest.approx(zero**2)
    s, t = np.meshgrid(np.arange(-45, 46), np.arange(-45, 46))
    released = np.stack([np.maximum(3 + s, 0), np.maximum(2 + t, 0)], axis=-1)
    p = zero**2 * x ** (np.abs(s) + np.abs(t))
    assert law.mean == pytest.approx(float((dp.hellinger([4, 3], released + 1) * p).sum()))


def test_private_counts_are_marked() -> None:
    made = dp.mechanism("lattice", BETA, n=9, epsilon=1)
    private = accuracy(made, BETA.count([True] * 4 + [False] * 5))
    assert private.owner_only
    assert "for the data owner only" in repr(private)
    assert "for the data owner only" in str(private)
    plain = accuracy(made, (4, 5))
    assert not plain.owner_only
    assert "owner" not in repr(plain) + str(plain)
    assert accuracy.__doc__ is not None
    assert "for the data owner only" in " ".join(accuracy.__doc__.split())


def test_no_records_no_error() -> None:
    law = accuracy(dp.mechanism("ehds", BETA, n=0, epsilon=1), (0, 0))
    assert (law.mean, law.exact, law.quantile(0.5), law.tail(0.1)) == (0, 1, 0, 0)


def test_it_pickles() -> None:
    law = accuracy(dp.mechanism("ehds", BETA, n=9, epsilon=1), (4, 5))
    again = pickle.loads(pickle.dumps(law))
    assert (again.mean, again.by_steps(), repr(again)) == (law.mean, law.by_steps(), repr(law))


@given(
    st.integers(1, 30),
    st.floats(0.05, 20),
    st.floats(0.01, 50),
    st.sampled_from(["lattice", "ls_dim", "ls_hist", "ehd", "ehds"]),
)
def test_laws_are_laws(n: int, epsilon: float, prior: float, name: str) -> None:
    made = dp.mechanism(name, dp.BetaBinomial(prior=prior), n=n, epsilon=epsilon)
    law = accuracy(made, (n // 3, n - n // 3))
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert sum(law.by_steps().values()) == pytest.approx(1, abs=1e-9)
    assert 0 <= law.quantile(0.01) <= law.quantile(0.99) <= law.distances[-1] <= 1
    assert law.tail(0) == pytest.approx(1)


def test_bad_input() -> None:
    made = dp.mechanism("lattice", BETA, n=9, epsilon=1)
    with pytest.raises(dp.InputError, match=r"made by dp\.mechanism, got 'lattice'"):
        accuracy("lattice", (4, 5))  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="declared n = 9"):
        accuracy(made, (4, 4))
    with pytest.raises(dp.InputError, match="did you mean 'hellinger'"):
        accuracy(made, (4, 5), "helinger")
    with pytest.raises(dp.InputError, match="two categories, got 3"):
        accuracy(dp.mechanism("ehd", THREE, n=3, epsilon=1), (1, 1, 1), "total_variation")
    with pytest.raises(dp.InputError, match="at most 1000000"):
        accuracy(dp.mechanism("lattice", BETA, n=10**8, epsilon=1), (0, 10**8), "total_variation")
    with pytest.raises(dp.InputError, match="size must lie between 2 and"):
        accuracy(made, (4, 5), size=1)
    with pytest.raises(dp.InputError, match="rng must be a numpy"):
        accuracy(made, (4, 5), rng=7)  # type: ignore[arg-type]
    law = accuracy(made, (4, 5))
    with pytest.raises(dp.InputError, match="q must lie strictly between 0 and 1, got 1"):
        law.quantile(1)
    with pytest.raises(dp.InputError, match="c must be a number"):
        law.tail("far")  # type: ignore[arg-type]


def test_vectors_that_are_no_posterior_have_no_error() -> None:
    for model, counts in ((BETA, (4, 5)), (THREE, (3, 3, 3))):
        made = dp.mechanism("lattice", model, n=9, epsilon=1, postprocess=None)
        with pytest.raises(dp.InputError, match="choose postprocess='project' or 'clip'"):
            accuracy(made, counts)
    with pytest.raises(dp.InputError, match="public n to average"):
        mean_error(dp.mechanism("lattice", BETA, epsilon=1, adjacency="add-remove"))
