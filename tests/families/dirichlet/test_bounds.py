from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.divergence.sensitivity import least_smooth
from discreet.exact import balls, compositions
from discreet.families.dirichlet import bounds
from discreet.laws.exponential import ExponentialLaw
from discreet.planning.accuracy import accuracy

BETA = dp.BetaBinomial()
THREE = dp.DirichletMultinomial(("a", "b", "c"))
EXPONENTIAL = [
    ("ehd", {}),
    ("ehds", {}),
    ("ehds", {"gamma": 0.2}),
    ("ehdl", {}),
    ("smooth_hellinger", {"delta": 1e-3}),
]


def assert_bounds(bound: object, law: dp.ErrorLaw) -> None:
    """Holds at every distance that occurs, where the tail is largest for its c, and at 0."""
    c = np.concatenate([[0.0], law.distances])
    tail = np.array([law.tail(x) for x in c])
    values = np.asarray(bound(c))  # type: ignore[operator]
    assert values.shape == c.shape
    assert (values >= tail * (1 - 1e-10)).all()


@pytest.mark.parametrize(("name", "options"), EXPONENTIAL)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 8.0])
@pytest.mark.parametrize(
    ("prior", "counts"),
    [(1, (4, 4)), (1, (0, 12)), ((0.3, 5), (29, 1)), (1, (20, 20, 20)), ((0.1, 1, 2), (9, 1, 0))],
)
def test_exponential_bounds_hold(
    name: str, options: dict[str, Any], epsilon: float, prior: Any, counts: tuple[int, ...]
) -> None:
    model = dp.DirichletMultinomial(tuple("abc")[: len(counts)], prior=prior)
    made = dp.mechanism(name, model, n=sum(counts), epsilon=epsilon, **options)
    law = accuracy(made, counts)
    found = bounds.applicable(made, counts)
    assert len(found) == (3 if name in ("ehd", "smooth_hellinger") else 2)
    for bound in found.values():
        assert_bounds(bound, law)


def test_exponential_bounds_hold_in_total_variation() -> None:
    made = dp.mechanism("ehd", BETA, n=20, epsilon=2, distance="total_variation")
    law = accuracy(made, (3, 17), "total_variation")
    for bound in bounds.applicable(made, (3, 17)).values():
        assert_bounds(bound, law)


def test_the_formulas() -> None:
    """|R|·e^{−κc}, κ = ε/(2·GS): n = 8, ε = 0.8."""
    made = dp.mechanism("ehd", BETA, n=8, epsilon=0.8)
    kappa = 0.8 / (2 * dp.global_sensitivity(BETA, 8))
    assert bounds.by_candidates(made, (4, 4), 0.5) == pytest.approx(9 * math.exp(-kappa / 2))
    distances = dp.hellinger([[1 + r, 9 - r] for r in range(9)], [5, 5])
    normaliser = np.exp(-kappa * np.asarray(distances)).sum()
    assert bounds.by_normaliser(made, (4, 4), 0.5) == pytest.approx(
        9 * math.exp(-kappa / 2) / normaliser
    )


@given(
    n=st.integers(1, 25),
    k=st.integers(2, 4),
    epsilon=st.floats(0.05, 20),
    prior=st.floats(0.05, 200),
    data=st.data(),
)
def test_the_normaliser_is_at_least_n_of_n(
    n: int, k: int, epsilon: float, prior: float, data: st.DataObject
) -> None:
    """Our N(n) against the sum itself, at any counts; without the minimum it is Σ e^{−εd/2}."""
    model = dp.DirichletMultinomial(tuple(range(k)), prior=prior)
    n = n if k < 4 else min(n, 10)
    made = dp.mechanism("ehd", model, n=n, epsilon=epsilon)
    rank = data.draw(st.integers(0, compositions.count(n, k) - 1))
    law = made.law(compositions.unrank(rank, n, k))
    assert isinstance(law, ExponentialLaw)
    size = law.candidates / float(np.asarray(bounds.by_size(made, 0.0)))
    assert size <= math.exp(law.log_normaliser) * (1 + 1e-9)
    plain = sum(math.comb(d + k - 2, k - 2) * math.exp(-epsilon * d / 2) for d in range(n + 1))
    assert size >= plain * (1 - 1e-9)
    kappa, step = balls.nearest(law.exponent), dp.global_sensitivity(model, n)
    by_hand = sum(
        math.comb(d + k - 2, k - 2) * math.exp(-kappa * min(1.0, d * step)) for d in range(n + 1)
    )
    assert size == pytest.approx(by_hand)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.8, 0.8), (1.0, 1e-6), (12.0, 1e-3)])
@pytest.mark.parametrize("prior", [1.0, (0.01, 3.0, 0.5, 2.0), 40.0])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 2), (7, 2), (60, 2), (1, 3), (11, 3), (5, 4)])
def test_the_normaliser_of_m_h_is_at_least_n_of_n_at_all_counts(
    n: int, k: int, prior: Any, epsilon: float, delta: float
) -> None:
    """Against the sum itself at every counts, and the formula of N(n) evaluated by hand."""
    own: Any = prior if np.isscalar(prior) else prior[:k]
    model = dp.DirichletMultinomial(tuple(range(k)), own)
    made = dp.mechanism("smooth_hellinger", model, n=n, epsilon=epsilon, delta=delta)
    rows = [tuple(row) for row in compositions.rows(n, k).tolist()]
    laws = [made.law(row) for row in rows]
    size = len(rows) / float(np.asarray(bounds.by_size(made, 0.0)))
    assert size <= min(math.exp(law.log_normaliser) for law in laws) * (1 + 1e-9)
    gamma = math.log(1 - epsilon / (2 * math.log(delta / (2 * len(rows)))))
    least = float(least_smooth(model.prior, n, lambda: arb(gamma)).mid())
    every = [dp.smooth_sensitivity(model, row, gamma, "exponential") for row in rows]
    assert least <= min(every) * (1 + 1e-12)
    ways = [sum(math.exp(gamma * j) for j in range(d)) for d in range(n + 1)]
    by_hand = sum(
        math.comb(d + k - 2, k - 2) * math.exp(-epsilon / 2 * min(1 / least, ways[d]))
        for d in range(n + 1)
    )
    assert size == pytest.approx(by_hand)


def test_the_bound_by_size_needs_no_counts() -> None:
    """κ at S = GS: not below the bound at any counts, and equal where S is largest."""
    made = dp.mechanism("smooth_hellinger", BETA, n=40, epsilon=0.8, delta=0.8)
    blind = bounds.by_size(made, 0.5)
    known = [bounds.by_size(made, 0.5, (ones, 40 - ones)) for ones in range(41)]
    assert blind == pytest.approx(max(np.asarray(known)), rel=1e-12)
    assert min(np.asarray(known)) < 0.3 * np.asarray(blind)
    kappa = 0.8 / (2 * dp.global_sensitivity(BETA, 40))
    assert np.asarray(blind) / np.asarray(bounds.by_size(made, 0.0)) == pytest.approx(
        math.exp(-kappa / 2)
    )


def test_the_bound_by_size_of_a_calibrated_mechanism() -> None:
    plain = dp.mechanism("smooth_hellinger", BETA, n=20, epsilon=1, delta=0.1)
    made = dp.mechanism("smooth_hellinger", BETA, n=20, epsilon=1, delta=0.1, calibrate=True)
    for ones in (0, 3, 10):
        counts = (ones, 20 - ones)
        assert_bounds(bounds.applicable(made, counts)["|R|·exp(−κc)/N(n)"], accuracy(made, counts))
    assert np.asarray(bounds.by_size(made, 0.0)) > np.asarray(bounds.by_size(plain, 0.0))


@pytest.mark.parametrize("name", ["ls_dim", "ls_hist"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
@pytest.mark.parametrize(
    "counts", [(10, 20), (0, 30), (30, 0), (1, 2), (5, 5, 5), (15, 0, 0), (0, 0, 15), (2, 3, 4, 1)]
)
def test_our_laplace_bound_holds(name: str, epsilon: float, counts: tuple[int, ...]) -> None:
    model = dp.DirichletMultinomial(tuple("abcd")[: len(counts)])
    made = dp.mechanism(name, model, n=sum(counts), epsilon=epsilon)
    (bound,) = bounds.applicable(made, counts).values()
    assert_bounds(bound, accuracy(made, counts, "l1"))


def test_our_laplace_bound_is_attained() -> None:
    """Two categories, counts far from the ends."""
    made = dp.mechanism("ls_hist", BETA, n=200, epsilon=1)
    law = accuracy(made, (100, 100), "l1")
    for c in (2, 4, 10, 20):
        assert bounds.laplace(made, c) == pytest.approx(law.tail(c), rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 10])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_printed_bound_holds_for_independent_laplace_noise(k: int, epsilon: float) -> None:
    """The l1 norm of k Laplace(2/ε) variables is a Gamma(k) variable of that scale."""
    from scipy import special

    c = np.linspace(0, 40 * k / epsilon, 200)
    tail = special.gammaincc(k, epsilon * c / 2)
    assert (bounds.laplace_as_printed(k, epsilon, c) >= tail * (1 - 1e-12)).all()
    beta = 0.05
    threshold = k * math.log(k / beta) * 2 / epsilon
    assert bounds.laplace_as_printed(k, epsilon, threshold) == pytest.approx(beta)


def test_the_printed_bound_fails_for_noise_that_is_rounded_down() -> None:
    made = dp.mechanism("ls_dim", BETA, n=100, epsilon=5)
    tail = accuracy(made, (50, 50), "l1").tail(2)
    assert tail == pytest.approx(0.541, abs=1e-3)
    assert bounds.laplace_as_printed(2, 5, 2) == pytest.approx(0.164, abs=1e-3)


def test_bad_input() -> None:
    lattice = dp.mechanism("lattice", BETA, n=9, epsilon=1)
    laplace = dp.mechanism("ls_dim", BETA, n=9, epsilon=1)
    for call in (
        lambda: bounds.by_candidates(lattice, (4, 5), 0.1),
        lambda: bounds.applicable(lattice, (4, 5)),
        lambda: bounds.by_normaliser(laplace, (4, 5), 0.1),
        lambda: bounds.by_normaliser(dp.mechanism("ehd", BETA, n=0, epsilon=1), (0, 0), 0.1),
    ):
        with pytest.raises(dp.InputError, match="must be an exponential one"):
            call()
    with pytest.raises(dp.InputError, match=r"must be 'ehd' or .* got 'ehds'"):
        bounds.by_size(dp.mechanism("ehds", BETA, n=9, epsilon=1), 0.1)
    with pytest.raises(dp.InputError, match="must be 'ls_dim' or 'ls_hist'"):
        bounds.laplace(lattice, 1)
    with pytest.raises(dp.InputError, match="c must not be negative"):
        bounds.laplace(laplace, -1)
    with pytest.raises(dp.InputError, match="c must be a number"):
        bounds.laplace(laplace, "far")
