from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet import InputError, NotEnumerable
from discreet.auditing.pairs import ContinuousAudit, audit_pairs
from discreet.core import Mechanism, PointMass
from discreet.families.normal.model import NormalMean
from discreet.families.regression import neighbours as of_regression
from discreet.families.regression.model import LinearRegression

SMALL = NormalMean(0, 4, 1, bounds=(-3, 3), grid=4)
FINE = NormalMean(0, 4, 1, bounds=(-3, 3))
CASES: list[tuple[str, dict[str, Any]]] = [
    ("laplace", {}),
    ("gaussian", {"delta": 1e-5}),
    ("input", {"delta": 1e-5}),
    ("hellinger", {"points": 15}),
]


def regression(grid: int = 2, intercept: bool = False, radius: Any = None) -> LinearRegression:
    bounds = {"x": (-1, 1), "y": (-1, 1)}
    return LinearRegression(1, 1, bounds, radius, intercept, grid).of("y", ["x"])


def weaker(mechanism: Mechanism, other: Mechanism) -> Mechanism:
    """One that claims the guarantee of the first and draws from the laws of the other."""
    return replace(mechanism, make_raw_law=other.make_raw_law, make_law=other.make_law)


@pytest.mark.parametrize("model", [SMALL, FINE], ids=["small", "fine"])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_claims_hold(model: NormalMean, name: str, options: dict[str, Any]) -> None:
    made = dp.mechanism(name, model, 4, epsilon=1, **options)
    if name == "hellinger" and model is FINE:
        with pytest.raises(NotEnumerable, match="choose a smaller grid"):
            dp.audit(made)
        return
    found = dp.audit(made)
    assert isinstance(found, ContinuousAudit)
    assert found.epsilon_lower <= found.epsilon <= 1
    assert found.epsilon - found.epsilon_lower < 1e-9
    assert found.delta(1) <= made.guarantee.delta
    if name != "hellinger":  # these use all that they may
        assert found.epsilon_lower > 0.999
        assert found.delta(0.9) > made.guarantee.delta
    assert dp.audit(made).epsilon == found.epsilon
    assert pickle.loads(pickle.dumps(found)).delta(Fraction(1, 2)) == found.delta(0.5)
    assert "guaranteed: ε = 1" in str(found)
    assert "exact loss" in str(found)


@pytest.mark.parametrize("model", [SMALL, FINE], ids=["small", "fine"])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_half_the_noise_is_caught(model: NormalMean, name: str, options: dict[str, Any]) -> None:
    """As if the sensitivity were half of what it is; a quarter for "hellinger", which has slack."""
    if name == "hellinger" and model is FINE:
        model = NormalMean(0, 4, 1, (-3, 3), grid=8)
    made, n = dp.mechanism(name, model, 4, epsilon=1, **options), 4
    law: Any = made.make_raw_law((n, 0))
    if name == "laplace":
        changes = {"rate": 2 * law.rate}
    elif name == "gaussian":
        changes = {"variances": (law.variances[0] / 4,)}
    else:
        changes = {"variance": law.variance / 4} if name == "input" else {"shift": law.shift // 4}

    def wrong(values: tuple[int, ...]) -> Any:
        return replace(made.make_raw_law(values), **changes)

    found = dp.audit(replace(made, make_raw_law=wrong))
    assert found.epsilon_lower > 1
    assert found.delta(1) > made.guarantee.delta
    if name == "laplace":
        assert found.epsilon == 2


@pytest.mark.parametrize("epsilon", [0, 0.3, 0.9])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_delta_is_the_hockey_stick(name: str, options: dict[str, Any], epsilon: float) -> None:
    """By its definition, in floats, over all sums and shifts."""
    n = 2
    made = dp.mechanism(name, SMALL, n, epsilon=1, **options)
    found = dp.audit(made)
    reach, worst, loss = n * SMALL.grid, 0.0, 0.0
    laws = {}
    for total in range(-reach, reach + 1):
        law: Any = made.make_raw_law((n, total))
        if name == "input":  # the noisy record that changes
            law = dp.mechanism("gaussian", SMALL, n, epsilon=1, **options).make_raw_law((n, total))
        support = range(15) if name == "hellinger" else range(-220, 221)
        laws[total] = np.array([law.probability((z,)) for z in support])
    for one, other in itertools.permutations(laws, 2):
        if abs(one - other) <= 2 * SMALL.grid:
            p, q = laws[one], laws[other]
            worst = max(worst, float(np.maximum(p - math.exp(epsilon) * q, 0).sum()))
            if name in ("laplace", "hellinger"):
                loss = max(loss, float(np.log(p / q).max()))
    assert found.delta(epsilon) == pytest.approx(worst, rel=1e-8, abs=1e-9)
    if loss:
        assert found.epsilon == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_witness_attains_the_loss(name: str, options: dict[str, Any]) -> None:
    made = dp.mechanism(name, SMALL, 3, epsilon=1, **options)
    found = dp.audit(made)
    assert found.witness is not None
    first, second, output = found.witness
    assert abs(first[1] - second[1]) <= 2 * SMALL.grid
    if made.guarantee.delta == 0:
        here, there = (made.make_raw_law(values) for values in (first, second))
        ratio = math.log(here.probability(output) / there.probability(output))
        assert ratio == pytest.approx(found.epsilon, rel=1e-12)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_profiles_and_certificates(name: str, options: dict[str, Any]) -> None:
    pytest.importorskip("matplotlib")
    made = dp.mechanism(name, SMALL, 2, epsilon=1, **options)
    found = dp.audit(made)
    profile = found.profile([0, 0.5, 1])
    assert profile.delta[0] == found.delta(0)
    assert (np.diff(profile.delta) < 0).all()
    assert found.plot().get_ylabel() == "δ(ε)"
    if made.guarantee.delta:
        with pytest.raises(InputError, match="certificates"):
            found.certificate  # noqa: B018
    else:
        assert dp.verify(found.certificate).epsilon == found.epsilon


@pytest.mark.parametrize(
    "model", [SMALL, FINE, NormalMean(bounds=(0, 1), grid=2)], ids=["small", "fine", "two"]
)
@pytest.mark.parametrize(("name", "options"), CASES[:2])
def test_means_with_a_private_n(model: NormalMean, name: str, options: dict[str, Any]) -> None:
    """Claims hold and use nearly all that they may; half the noise, and none for none, are seen."""
    made = dp.mechanism(name, model, epsilon=1, adjacency="add-remove", **options)
    found = dp.audit(made)
    assert found.epsilon_lower <= found.epsilon <= 1
    assert found.epsilon_lower > (0.9 if model.grid == 2 else 0.999)
    assert found.delta(1) <= made.guarantee.delta
    assert found.delta(0.5) > made.guarantee.delta
    assert found.witness is not None
    (n, total), (m, other), _ = found.witness
    assert (n - m, abs(total - other) <= model.grid) == (1, True)
    if made.guarantee.delta == 0:
        assert found.epsilon_lower == found.epsilon == 1
        assert dp.verify(found.certificate).epsilon == 1
    law: Any = made.make_raw_law((0, 0))
    changes = (
        {"rate": 2 * law.rate}
        if name == "laplace"
        else {"variances": tuple(variance / 4 for variance in law.variances)}
    )

    def weak(values: tuple[int, ...]) -> Any:
        return replace(made.make_raw_law(values), **changes)

    def bare(values: tuple[int, ...]) -> Any:
        law: Any = made.make_raw_law(values)
        return law if values[0] else PointMass(law.center)

    assert dp.audit(replace(made, make_raw_law=weak)).epsilon_lower > 1
    with pytest.raises(NotEnumerable, match="infinitely many"):  # no law of added noise
        dp.audit(replace(made, make_raw_law=bare))


@pytest.mark.parametrize(("name", "options"), CASES[:2])
def test_delta_with_a_private_n_bounds_the_hockey_stick(name: str, options: dict[str, Any]) -> None:
    """By its definition, in floats, over all records; of two numbers it is bounded."""
    made = dp.mechanism(name, SMALL, epsilon=1, adjacency="add-remove", **options)
    found, z = dp.audit(made), np.arange(-400, 401)
    law: Any = made.make_raw_law((0, 0))

    def column(shift: int) -> np.ndarray:
        if name == "laplace":
            weights = np.exp(-float(law.rate) * np.abs(z - shift))
        else:
            weights = np.exp(-((z - shift) ** 2) / (2 * float(law.variances[0])))
        return np.asarray(weights / weights.sum())

    for epsilon in (0, 0.3, 0.9):
        worst = max(
            float(np.maximum(p - math.exp(epsilon) * np.outer(column(0), column(0)), 0).sum())
            for step in range(-SMALL.grid, SMALL.grid + 1)
            for p in [np.outer(column(SMALL.grid + step), column(SMALL.grid - step))]
        )
        assert worst <= found.delta(epsilon) <= (1.5 if name == "laplace" else 1.01) * worst


def test_of_no_records_nothing_is_lost() -> None:
    found = dp.audit(dp.mechanism("laplace", SMALL, 0, epsilon=1))
    assert (found.epsilon, found.witness, found.delta(0)) == (0, None, 0)


def test_gaussian_noise_that_claims_no_delta_has_no_loss() -> None:
    pure = dp.mechanism("laplace", SMALL, 3, epsilon=1)
    gaussian = dp.mechanism("gaussian", SMALL, 3, epsilon=1, delta=1e-5)
    assert dp.audit(weaker(pure, gaussian)).epsilon == math.inf


def test_no_noise_at_all_is_caught() -> None:
    made = dp.mechanism("laplace", SMALL, 3, epsilon=1)
    bare = replace(made, make_raw_law=lambda values: PointMass(values[1:]))
    found = dp.audit(bare)
    assert found.epsilon == found.epsilon_lower == math.inf
    assert found.delta(50) == 1


def test_noise_that_depends_on_the_data_is_caught() -> None:
    made = dp.mechanism("gaussian", SMALL, 3, epsilon=1, delta=1e-5)

    def wrong(values: tuple[int, ...]) -> Any:
        law: Any = made.make_raw_law(values)
        return replace(law, variances=(law.variances[0] + (values[1] > 0),))

    assert dp.audit(replace(made, make_raw_law=wrong)).epsilon == math.inf


def test_wrong_arguments() -> None:
    made = dp.mechanism("laplace", SMALL, 3, epsilon=1)
    with pytest.raises(InputError, match="total"):
        dp.audit(made, 5)
    found = dp.audit(made)
    with pytest.raises(InputError, match="epsilon must not be negative"):
        found.delta(-1)
    many = dp.mechanism("hellinger", SMALL, 10**5, epsilon=1)
    with pytest.raises(NotEnumerable, match="pairs of data sets"):
        dp.audit(many)


STATISTICS = [
    (intercept, radius, options)
    for intercept in (False, True)
    for radius in (None, Fraction(1, 2))
    for options in (
        {"n": 9},
        {"n": 9, "delta": 1e-5},
        {"adjacency": "add-remove"},
        {"adjacency": "add-remove", "delta": 1e-5},
    )
]


@pytest.mark.parametrize(("intercept", "radius", "options"), STATISTICS)
def test_statistics_of_a_regression(
    intercept: bool, radius: object, options: dict[str, Any]
) -> None:
    model = regression(2, intercept, radius)
    made = dp.mechanism("statistics", model, epsilon=1, **options)
    found = dp.audit(made)
    assert 0.2 < found.epsilon_lower <= found.epsilon <= 1
    assert found.delta(1) <= made.guarantee.delta
    # four times the budget is more than any slack of the proof leaves
    wrong = dp.mechanism("statistics", model, **options, epsilon=5)
    assert dp.audit(weaker(made, wrong)).epsilon_lower > 1
    if radius is None and not intercept and "n" in options:  # where the sensitivity is tight
        half = dp.mechanism("statistics", model, **options, epsilon=1.1)
        assert dp.audit(weaker(made, half)).epsilon_lower > 1


def test_shifts_of_statistics_are_those_of_the_records() -> None:
    """Against all data sets of two records, by brute force."""
    model = regression(2)
    made = dp.mechanism("statistics", model, 2, epsilon=1)
    everything = audit_pairs(made, of_regression.neighbours(made, added=False))
    assert everything.epsilon == dp.audit(made).epsilon
    records = list(itertools.product(range(-2, 3), repeat=2))
    laws: Any = made.make_raw_law((2, 0, 0, 0)).parts  # type: ignore[attr-defined]
    c = 1
    while made.make_raw_law((2, 1, 0, 0)).parts[1].center[0] > c:  # type: ignore[attr-defined]
        c += 1
    worst = Fraction(0)
    for (x, y), (u, v) in itertools.combinations(records, 2):
        loss = laws[1].rate * abs(c * (x * y - u * v))
        loss += laws[2].rate * (abs(x * x - u * u) + abs(c * c * (y * y - v * v)))
        worst = max(worst, loss)
    assert everything.epsilon == pytest.approx(float(worst), rel=1e-15)


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_samples_of_a_weight(n: int) -> None:
    model = regression(2)
    made = dp.mechanism("sample", model, n, epsilon=1, steps=4)
    found = dp.audit(made)
    assert 0.3 < found.epsilon_lower <= found.epsilon <= 1
    assert found.epsilon - found.epsilon_lower < 1e-9
    assert found.delta(1) == 0
    assert found.delta(0) > 0.1
    wrong = dp.mechanism("sample", model, n, epsilon=3, steps=4)
    caught = dp.audit(weaker(made, wrong))
    assert caught.epsilon_lower > 1
    assert caught.delta(1) > 0


def test_too_many_outputs_are_refused() -> None:
    made = dp.mechanism("sample", regression(2), 1, epsilon=1)
    with pytest.raises(NotEnumerable, match="at most 20000 outputs"):
        dp.audit(made)
