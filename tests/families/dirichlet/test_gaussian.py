"""Normal noise on counts: exact privacy, intervals, and when it is taken unasked."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import discreet as dp
from discreet.core import families
from discreet.errors import PrivacyWarning
from discreet.exact import balls
from discreet.exact.hockey_stick import discrete_pair_delta
from discreet.families.dirichlet.choosing import choose
from discreet.laws.variances import laplace_variance, lattice_variance, normal_variance
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


@pytest.mark.parametrize(("n", "moves"), [(20, [(1, -1)]), (None, [(2, 0), (1, 1), (0, 1)])])
def test_its_curve_bounds_every_change(n: int | None, moves: list[tuple[int, int]]) -> None:
    """δ at other ε than the declared one, by brute force over two noisy counts."""
    unit = {} if n is not None else {"max_per_unit": 2}
    mechanism = made(3, n, 1.0, 1e-4, **unit)
    law: Any = mechanism.make_raw_law((10, 5, 5))
    variance = float(law.variances[0])
    far = int(9 * math.sqrt(variance))
    z = np.arange(-far, far + 1)

    def density(by: int) -> Any:
        p = np.exp(-((z - by) ** 2) / (2 * variance))
        return p / p.sum()

    for epsilon in (0.2, 0.7, 1.0):
        found = max(
            float(
                np.maximum(
                    np.outer(density(0), density(0))
                    - math.exp(epsilon) * np.outer(density(a), density(b)),
                    0,
                ).sum()
            )
            for a, b in moves
        )
        promised = float(mechanism.guarantee.delta_at(epsilon))
        assert found <= promised * (1 + 1e-6)
        assert found > 0.9 * promised  # and it is not wasted


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
    rho = Fraction(25) / (2 * laws[1].variances[0])
    assert five.guarantee.rho == rho
    assert five.guarantee.under("substitute").rho == 2 * rho
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
    [
        *((2, 40, 1), (2, None, 1), (3, 200, 0.5)),
        pytest.param(5, None, 1, marks=pytest.mark.slow),
        pytest.param(12, 500, 0.5, marks=pytest.mark.slow),
    ],
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
    few, many, counts = dp.BetaBinomial(), dp.DirichletMultinomial(range(10)), [5] * 10
    taken = dp.release((30, 9), few, 1, delta=1e-6)
    assert taken.mechanism.name == "lattice"
    assert taken.guarantee.delta == 0  # what lattice has no use for is not spent
    assert dp.release(counts, many, 0.1, delta=0.01).mechanism.name == "gaussian"
    assert dp.release(counts, many, 0.1).mechanism.name == "lattice"
    assert dp.release(counts, many, 0.1, "lattice").mechanism.name == "lattice"
    hidden = dp.release(counts, many, 1, delta=1e-6, adjacency="add-remove")
    assert hidden.mechanism.name == "lattice"
    with pytest.raises(dp.InputError, match="delta is not an option of lattice"):
        dp.release((30, 9), few, 1, "lattice", delta=1e-6)
    plan = dp.plan(many, 50, epsilon=0.1, delta=0.01)
    assert "gaussian" in plan.question
    assert plan.guarantee.delta == Fraction(1, 100)


def test_a_release_says_what_was_taken_and_why() -> None:
    many, counts = dp.DirichletMultinomial(range(10)), [5] * 10
    normal = dp.release(counts, many, 0.1, delta=0.01)
    why = "its noise has standard deviation 12.8 per count, that of lattice 24.9"
    assert normal.reason == why
    for shown in (repr(normal), normal.title, normal._repr_html_(), str(normal.summary())):
        assert f"; gaussian was taken: {why}" in shown
    other = dp.release((30, 9), dp.BetaBinomial(), 1, delta=1e-6)
    assert other.title.endswith(
        "δ = 0 for replacing one record; lattice was taken: its noise has standard deviation 1.36 "
        "per count, that of gaussian with δ = 1e-06 4.23"
    )
    for asked in (
        dp.release(counts, many, 0.1),
        dp.release(counts, many, 0.1, "gaussian", delta=0.01),
        dp.release((30, 9), dp.BetaBinomial(), 0.01, delta=0.01, postprocess="remap"),
        dp.Release.from_json(normal.to_json()),
    ):
        assert "taken" not in asked.title
    assert dp.Release.from_json(normal.to_json()) == normal


def exact_variances(k: int, n: int | None, epsilon: float, delta: float) -> dict[str, float]:
    """Of one count's noise, from its listed law; after Σz = 0 is known if n is public."""
    rate = epsilon if n is None else epsilon / 2
    reach = math.ceil((40 + 8 * math.sqrt(k)) / rate)
    z = np.arange(-reach, reach + 1)
    p = np.exp(-rate * np.abs(z))
    if n is not None:  # P(z_1 = t)·P(the others sum to −t), by the characteristic function
        size = 1 << (2 * reach * 8).bit_length()
        law = np.zeros(size)
        law[z] = p / p.sum()
        others = np.fft.irfft(np.fft.rfft(law) ** (k - 1), size)
        p = p * np.maximum(others[-z], 0)
    normal: Any = made(k, n, epsilon, delta).make_raw_law((0,) * k)
    variance = float(normal.variances[0])
    far = math.ceil(12 * math.sqrt(variance)) + 2
    t = np.arange(-far, far + 1)
    q = np.exp(-(t**2) / (2 * variance))
    kept = 1.0 if n is None else 1 - 1 / k
    return {
        "lattice": float((z**2 @ p) / p.sum()),
        "gaussian": kept * float((t**2 @ q) / q.sum()),
    }


@pytest.mark.parametrize("n", [50, None])
@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.01, 0.05])
def test_the_choice_is_that_of_the_smaller_noise(n: int | None, delta: float) -> None:
    """Standard deviations from listed laws: that of the choice is at most 1.02 times the other."""
    adjacency = dp.Adjacency.ADD_REMOVE if n is None else dp.Adjacency.SUBSTITUTE
    taken = set()
    for k, epsilon in itertools.product((2, 3, 5, 10, 50, 300, 1000), (0.1, 0.2, 0.5, 1.0, 2.0)):
        model, exact = dp.DirichletMultinomial(range(k)), Fraction(str(epsilon))
        chosen = choose(model, n, exact, adjacency, {"delta": Fraction(str(delta))})
        spread = {name: math.sqrt(v) for name, v in exact_variances(k, n, epsilon, delta).items()}
        assert spread[chosen.name] <= 1.02 * min(spread.values())
        said = f"standard deviation {spread[chosen.name]:.3g} per count"
        assert said in chosen.reason
        taken.add(chosen.name)
    # of one release alone noise of either kind is the smaller one, but with a small δ
    assert taken == (
        {"lattice"} if (delta < 0.01 and n is None) or delta < 1e-3 else {"lattice", "gaussian"}
    )


@pytest.mark.parametrize(
    ("k", "epsilon", "delta"), [(3, 0.1, 0.01), (100, 0.5, 0.01), (10, 2, 1e-6)]
)
def test_the_choice_is_that_of_the_smaller_mean_error(k: int, epsilon: float, delta: float) -> None:
    """The l2 error of released counts, by draws: what projecting does, it does to both."""
    model, rng = dp.DirichletMultinomial(range(k)), np.random.default_rng(k)
    n = 400 * k
    counts = np.full(k, 400)
    errors = {}
    given: dict[str, dict[str, Any]] = {"lattice": {}, "gaussian": {"delta": delta}}
    for name, options in given.items():
        mechanism = dp.mechanism(name, model, n, epsilon=epsilon, **options)
        rows = mechanism.law(counts).sample(max(200, 20_000 // k), rng)
        errors[name] = float(np.sqrt(((rows - counts) ** 2).sum(axis=1).mean()))
    exact, share = Fraction(str(epsilon)), Fraction(str(delta))
    taken = choose(model, n, exact, dp.Adjacency.SUBSTITUTE, {"delta": share})
    assert errors[taken.name] <= 1.02 * min(errors.values()) * 1.05  # and what draws add


def test_of_the_same_rho_it_has_less_noise() -> None:
    """What it is for: releases that a ledger composes by their ρ."""
    for k, epsilon in itertools.product((2, 10, 1000), (0.1, 0.5, 1.0)):
        rho = made_lattice(k, epsilon).guarantee.rho
        normal = (1 - 1 / k) * normal_variance(1 / float(rho))  # ρ = 2/(2σ²)
        assert 0.7 < math.sqrt(normal / lattice_variance(k, epsilon)) < 0.77
    mechanism = made(10, 50, 1.0, 1e-6)
    law: Any = mechanism.make_raw_law((5,) * 10)
    assert mechanism.guarantee.rho == 1 / law.variances[0]


def made_lattice(k: int, epsilon: float) -> dp.Mechanism:
    return dp.mechanism("lattice", dp.DirichletMultinomial(range(k)), 50, epsilon=epsilon)


@pytest.mark.slow
def test_a_ledger_pays_for_more_releases_of_the_same_accuracy(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=3, delta=1e-6)
    lattice, normal = made_lattice(10, 0.1), made(10, 50, 0.2, 1e-6)
    law: Any = normal.make_raw_law((5,) * 10)
    spread = math.sqrt(0.9 * float(law.variances[0]))
    assert spread == pytest.approx(math.sqrt(lattice_variance(10, 0.1)), rel=0.03)
    paid = {name: times_paid(ledger, m) for name, m in (("lattice", lattice), ("normal", normal))}
    assert paid == {"lattice": 69, "normal": 133}  # what the guide says


def times_paid(ledger: dp.Ledger, mechanism: dp.Mechanism) -> int:
    for times in itertools.count():
        try:
            ledger.charge(mechanism.name, mechanism.guarantee, {"note": "release"})
        except dp.BudgetError:
            return times
    raise AssertionError


@pytest.mark.parametrize("n", [50, None])
def test_tables_by_group(n: int | None) -> None:
    model = dp.DirichletMultinomial(("a", "b"))
    frame = pl.DataFrame({"x": list("ab" * 25), "g": list("uuvwv" * 10), "who": [*range(25)] * 2})
    unit: dict[str, Any] = {} if n is not None else {"unit": "who", "max_per_unit": 2}
    counts = model.count(frame, "x", by="g", groups=("u", "v", "w"), **unit)
    adjacency = "substitute" if n is not None else "add-remove"
    release = dp.release(counts, model, 1, "gaussian", delta=1e-6, adjacency=adjacency)
    assert len(release.value) == 6
    assert (sum(release.value) == 50) or n is None
    groups = release.by_group(release.noise_aware())
    assert [*groups] == ["u", "v", "w"]
    assert dp.Release.from_json(release.to_json()) == release
    assert "noise-aware" in str(release.summary())
    assert dp.audit(release.mechanism).epsilon <= 1


def test_errors_to_expect_are_those_that_come() -> None:
    mechanism, counts = made(3, 60, 2.0, 1e-3), (30, 20, 10)
    law = dp.accuracy(mechanism, counts, rng=np.random.default_rng(1))
    model = mechanism.config.model
    rows = mechanism.law(counts).sample(4000, np.random.default_rng(2))
    errors = dp.hellinger(np.asarray(rows) + 1.0, np.array(counts) + 1.0)
    assert law.mean == pytest.approx(float(np.mean(errors)), rel=0.1)
    plan = dp.plan(model, 60, epsilon=2, mechanism="gaussian", delta=1e-3, at=counts)
    assert plan.error == pytest.approx(law.mean, rel=0.1)
    assert plan.width is not None
    least = dp.plan(model, 60, error=0.3, mechanism="gaussian", delta=1e-3)
    assert least.error <= 0.3
    assert least.guarantee.delta == Fraction(1, 1000)


def test_a_large_delta_is_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.warns(PrivacyWarning, match=r"delta = 0.1 is above 1/n: .* one of the 40 records"):
        dp.release((31, 9), dp.BetaBinomial(), 1, "gaussian", delta=0.1)
    with pytest.warns(PrivacyWarning, match="delta = 0.1 is large for any number of records"):
        dp.release((31, 9), dp.BetaBinomial(), 1, "gaussian", delta=0.1, adjacency="add-remove")
    recwarn.clear()
    dp.release((31, 9), dp.BetaBinomial(), 1, "gaussian", delta=0.01, adjacency="add-remove")
    dp.release((31, 9), dp.BetaBinomial(), 1, "gaussian", delta=1 / 40)
    dp.release((31, 9), dp.BetaBinomial(), 1, delta=0.026)  # which lattice does not spend
    dp.plan(dp.BetaBinomial(), 40, epsilon=1, mechanism="gaussian", delta=0.025)
    assert not recwarn.list  # where n is private, nothing is said of it
    with pytest.warns(PrivacyWarning, match=r"delta = 0.1 is above 1/n: .* one of the 40 records"):
        dp.plan(dp.BetaBinomial(), 40, epsilon=1, mechanism="gaussian", delta=0.1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "delta must be given for 'gaussian', a small number above 0"),
        ({"delta": 1}, "delta must lie strictly between 0 and 1, got 1"),
        ({"delta": 1.5}, "delta must lie strictly between 0 and 1, got 3/2"),
        ({"delta": -1e-6}, "delta must lie strictly between 0 and 1, got -1/1000000"),
        ({"delta": "x"}, "delta must be a number, got 'x'"),
        ({"delta": math.nan}, "delta must be finite, got nan"),
        ({"mechanism": None, "delta": 1}, "delta must lie strictly between 0 and 1, got 1"),
        ({"delta": 1e-6, "postprocess": "remap"}, "postprocess must be one of"),
        ({"delta": 1e-6, "max_per_unit": 3}, "max_per_unit must be 1 under substitution"),
        ({"mechanism": None, "delta": 1e-6, "max_per_unit": "x"}, "max_per_unit must"),
        ({"delta": 1e-6, "loss": "hellinger"}, "loss is not an option of gaussian"),
        (
            {"delta": 1e-12, "epsilon": 1e-9, "adjacency": "add-remove", "max_per_unit": 10**6},
            "epsilon must be larger: the noise would not fit",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_charges_nothing(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=3, delta=0.5)
    given: dict[str, Any] = {
        "epsilon": 1,
        "mechanism": "gaussian",
        "ledger": ledger,
        "dataset": "d",
    } | options
    with pytest.raises(dp.InputError) as refused:
        dp.release((3, 4, 2), THREE, **given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert ledger.datasets() == ()


def test_the_family_says_which_it_takes() -> None:
    family = families.of_model(THREE)
    assert family.choose is not None
    asked = family.choice("ehds", THREE, 9, Fraction(1), dp.Adjacency.SUBSTITUTE, {})
    assert asked == ("ehds", "")
