"""Normal noise on counts: exact privacy, intervals, and when it is taken unasked."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import discreet as dp
from discreet.core import families
from discreet.exact import balls
from discreet.exact.hockey_stick import discrete_pair_delta
from discreet.families.dirichlet.choosing import choose, laplace_variance, lattice_variance
from discreet.noise_aware import infer

THREE = dp.DirichletMultinomial(("a", "b", "c"))


def made(k: int, n: int | None, epsilon: float, delta: float, **options: Any) -> dp.Mechanism:
    model = dp.DirichletMultinomial(range(k))
    adjacency = "substitute" if n is not None else "add-remove"
    return dp.mechanism(
        "gaussian", model, n, epsilon=epsilon, delta=delta, adjacency=adjacency, **options
    )


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.01, 1e-5])
def test_delta_is_exact_and_not_wasted(epsilon: float, delta: float) -> None:
    """δ(ε) by brute force over both noisy counts is δ, and above it with 1 % less variance."""
    mechanism = made(3, 20, epsilon, delta)
    law: Any = mechanism.raw_law((10, 5, 5))
    for shrunk, above in ((Fraction(1), False), (Fraction(99, 100), True)):
        variance = float(law.variances[0] * shrunk)
        far = int(12 * math.sqrt(variance)) + 3
        z = np.arange(-far, far + 1)
        p = np.exp(-(z**2) / (2 * variance))
        joint = np.outer(p, p) / p.sum() ** 2
        moved = np.zeros_like(joint)
        moved[:-1, 1:] = joint[1:, :-1]
        found = np.maximum(joint - math.exp(epsilon) * moved, 0)[1:-1, 1:-1].sum()
        assert (found > delta) == above
        assert found == pytest.approx(delta, rel=0.2)


def test_two_numbers_with_wide_noise_are_as_private_as_the_bound_says() -> None:
    exact, bound = (
        float(balls.sharp(partial(discrete_pair_delta, Fraction(1, 1000), Fraction(10**6 + more))))
        for more in (0, 1)
    )
    assert exact == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize("n", [30, None])
def test_an_audit_finds_epsilon_and_half_the_noise(n: int | None) -> None:
    mechanism = made(4, n, 1.0, 1e-6)
    audit = dp.audit(mechanism)
    assert 0.999 < audit.epsilon_lower <= audit.epsilon <= 1
    louder = made(4, n, 2.0, 1e-6)
    wrong = dp.audit(
        type(mechanism)(
            mechanism.config,
            mechanism.guarantee,
            louder.make_raw_law,
            louder.make_law,
            mechanism.make_released,
        )
    )
    assert wrong.epsilon_lower > 1.5
    assert audit.delta(0.5) > 1e-6


def test_units_with_several_records() -> None:
    one, five = (made(4, None, 1.0, 1e-6, unit="patient", max_per_unit=m) for m in (1, 5))
    laws: list[Any] = [mechanism.raw_law((9, 0, 0, 0)) for mechanism in (one, five)]
    sds = [float(law.variances[0]) ** 0.5 for law in laws]
    assert sds[1] == pytest.approx(5 * sds[0], rel=0.02)
    assert dp.audit(five).epsilon <= 1
    assert str(five.guarantee).endswith("one patient (a unit has at most 5 records)")
    with pytest.raises(dp.InputError, match="max_per_unit must be 1 under substitution"):
        made(4, 9, 1.0, 1e-6, max_per_unit=2)


@pytest.mark.parametrize("delta", [0, 1, -1e-9, 2])
def test_a_delta_is_needed(delta: float) -> None:
    with pytest.raises(dp.InputError, match="delta must"):
        made(3, 9, 1.0, delta)


def test_what_is_released_is_a_vector_of_counts() -> None:
    rng = np.random.default_rng(3)
    mechanism = made(3, 12, 0.5, 1e-3)
    rows = mechanism.law((12, 0, 0)).sample(400, rng)
    assert (rows >= 0).all()
    assert (rows.sum(axis=1) == 12).all()
    clipped = made(3, 12, 0.5, 1e-3, postprocess="clip").law((12, 0, 0)).sample(400, rng)
    assert ((clipped >= 0) & (clipped <= 12)).all()
    hidden = made(3, None, 0.5, 1e-3).law((12, 0, 0)).sample(400, rng)
    assert (hidden >= 0).all()
    assert len(set(hidden.sum(axis=1).tolist())) > 5
    nobody = dp.release((0, 0, 0), THREE, 1, "gaussian", delta=1e-6)
    assert nobody.value == (0, 0, 0)


@pytest.mark.parametrize(
    ("k", "n", "epsilon"),
    [(2, 40, 1), (2, None, 1), (3, 200, 0.5), (5, None, 1), (12, 500, 0.5)],
)
def test_intervals_hold_what_they_say(k: int, n: int | None, epsilon: float) -> None:
    """Counts drawn from the prior, 95 % intervals: within what binomial noise allows at 1e-6."""
    rng, mechanism = np.random.default_rng([k, n or 0]), made(k, n, epsilon, 1e-5)
    inside = total = 0
    for _ in range(60):
        theta = rng.dirichlet(np.ones(k))
        counts = rng.multinomial(n or 80, theta)
        raw = mechanism.raw_law(counts).sample(rng=rng)
        low, high = infer(mechanism, raw, rng=rng).interval(0.95).T
        inside += int(((low <= theta) & (theta <= high))[: max(1, k - 1)].sum())
        total += max(1, k - 1)
    # counts of one release go together: as if there were 60 independent intervals
    low, high = (stats.binom.ppf(p, 60, 0.95) / 60 for p in (5e-7, 1 - 5e-7))
    assert low <= inside / total <= high


def test_the_variance_of_lattice_noise() -> None:
    for k, epsilon in itertools.product((2, 3, 10), (0.3, 1.0, 4.0)):
        model = dp.DirichletMultinomial(range(k))
        made = dp.mechanism("lattice", model, n=10, epsilon=epsilon, postprocess=None)
        rows = made.raw_law((10, *[0] * (k - 1))).sample(20_000, np.random.default_rng(k))
        error = rows[:, 0] - 10
        spread = math.sqrt(float((error**4).mean()) / len(error))
        assert lattice_variance(k, epsilon) == pytest.approx(
            float((error**2).mean()), abs=5 * spread
        )
    assert lattice_variance(2, 1.0) == pytest.approx(laplace_variance(1.0), rel=1e-12)
    scaled = lattice_variance(5, 0.01) * (10 / 9) ** 2
    assert lattice_variance(5, 0.009) == pytest.approx(scaled, rel=1e-3)


def test_the_better_noise_is_taken() -> None:
    few, many = dp.BetaBinomial(), dp.DirichletMultinomial(range(300))
    counts = [5] * 300
    assert dp.release((30, 9), few, 1, delta=1e-6).mechanism.name == "lattice"
    taken = dp.release((30, 9), few, 1, delta=1e-6)
    assert taken.guarantee.delta == 0  # what lattice has no use for is not spent
    assert dp.release(counts, many, 1, delta=1e-6).mechanism.name == "gaussian"
    assert dp.release(counts, many, 1).mechanism.name == "lattice"
    assert dp.release(counts, many, 1, "lattice").mechanism.name == "lattice"
    hidden = dp.release(counts, many, 1, delta=1e-6, adjacency="add-remove")
    assert hidden.mechanism.name == "lattice"  # independent noise of either kind, at this ε
    with pytest.raises(dp.InputError, match="delta is not an option of lattice"):
        dp.release((30, 9), few, 1, "lattice", delta=1e-6)
    plan = dp.plan(many, 1500, epsilon=1, delta=1e-6)
    assert "gaussian" in plan.question
    assert plan.guarantee.delta == Fraction(1, 10**6)


@pytest.mark.parametrize("k", [2, 10, 100, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_the_choice_is_that_of_the_smaller_mean_error(k: int, epsilon: float) -> None:
    """Mean l2 error of projected counts, by draws: at most 1.02 times the better one's."""
    model, rng = dp.DirichletMultinomial(range(k)), np.random.default_rng(k)
    n = 400 * k
    counts = np.full(k, 400)
    errors = {}
    given: dict[str, dict[str, Any]] = {"lattice": {}, "gaussian": {"delta": 1e-6}}
    for name, options in given.items():
        mechanism = dp.mechanism(name, model, n, epsilon=epsilon, **options)
        rows = mechanism.law(counts).sample(max(200, 20_000 // k), rng)
        errors[name] = float(np.sqrt(((rows - counts) ** 2).sum(axis=1).mean()))
    exact = Fraction(str(epsilon))
    taken = choose(model, n, exact, dp.Adjacency.SUBSTITUTE, {"delta": Fraction(1, 10**6)})
    assert errors[taken] <= 1.02 * min(errors.values()) * 1.05  # and what draws add


def test_a_large_delta_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"delta = 0.1 is above 1/n: .* one of the 40 records"):
        dp.release((31, 9), dp.BetaBinomial(), 1, "gaussian", delta=0.1)


def test_the_family_says_which_it_takes() -> None:
    family = families.of_model(THREE)
    assert family.choose is not None
    assert family.choice("ehds", THREE, 9, Fraction(1), dp.Adjacency.SUBSTITUTE, {}) == "ehds"
