from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet import divergence
from discreet.divergence import sensitivity
from discreet.divergence.sensitivity import DISTANCES, KINDS, Distance, Kind
from discreet.exact import balls, compositions
from discreet.exact.balls import ball

Counts = tuple[int, ...]
alphas = st.sampled_from(["1/1000", "1/10", "1/2", "1", "17/10", "3", "30"]).map(Fraction)


def ball_distance(prior: tuple[Fraction, ...], c: Counts, d: Counts, distance: Distance) -> float:
    a = [p + x for p, x in zip(prior, c, strict=True)]
    b = [p + x for p, x in zip(prior, d, strict=True)]
    measure = (
        divergence.hellinger_ball if distance == "hellinger" else divergence.total_variation_ball
    )
    return balls.nearest(lambda: measure(a, b))


def l1(c: Counts, d: Counts) -> int:
    return sum(abs(x - y) for x, y in zip(c, d, strict=True))


def brute_local(prior: tuple[Fraction, ...], n: int, distance: Distance) -> dict[Counts, float]:
    """LS(c) by its definition: the farthest neighbour."""
    rows = [tuple(row) for row in compositions.rows(n, len(prior)).tolist()]
    neighbours = {c: [d for d in rows if l1(c, d) == 2] for c in rows}
    known: dict[frozenset[Counts], float] = {}
    for c in rows:
        for d in neighbours[c]:
            key = frozenset((c, d))
            if key not in known:
                known[key] = ball_distance(prior, c, d, distance)
    return {c: max(known[frozenset((c, d))] for d in neighbours[c]) for c in rows}


def brute_smooth(local: dict[Counts, float], c: Counts, gamma: float, kind: Kind) -> float:
    values = []
    for d, reach in local.items():
        cost = gamma * l1(c, d) / 2
        reciprocal = 1 / (1 / reach + cost)
        values.append(reciprocal if kind == "reciprocal" else reach * math.exp(-cost))
    return max(values)


@settings(max_examples=40)
@given(
    st.data(),
    st.sampled_from([(2, 9), (3, 6), (4, 4)]),
    st.sampled_from(["1/50", "3/10", "1", "6"]).map(Fraction),
)
def test_closed_forms_equal_brute_force(
    data: st.DataObject, shape: tuple[int, int], gamma: Fraction
) -> None:
    k, most = shape
    n = data.draw(st.integers(1, most))
    prior = tuple(data.draw(alphas) for _ in range(k))
    distances: tuple[Distance, ...] = DISTANCES if k == 2 else ("hellinger",)
    for distance in distances:
        local = brute_local(prior, n, distance)
        with balls.precision(128):
            overall = float(sensitivity.overall(prior, n, distance).mid())
            assert overall == pytest.approx(max(local.values()), rel=1e-12)
            for kind in KINDS:
                smallest = math.inf
                for c, reach in local.items():
                    value = float(
                        sensitivity.smooth(prior, c, partial(ball, gamma), kind, distance).mid()
                    )
                    smallest = min(smallest, value)
                    assert float(sensitivity.local(prior, c, distance).mid()) == pytest.approx(
                        reach, rel=1e-12
                    )
                    assert value == pytest.approx(
                        brute_smooth(local, c, float(gamma), kind), rel=1e-12
                    )
                if kind == "exponential":
                    bound = sensitivity.least_smooth(prior, n, partial(ball, gamma), distance)
                    assert 0 < float(bound.mid()) <= smallest * (1 + 1e-12)


def test_least_smooth_is_nearly_attained_for_equal_priors() -> None:
    prior, gamma = (Fraction(1),) * 3, partial(ball, Fraction(1, 10))
    with balls.precision(128):
        bound = float(sensitivity.least_smooth(prior, 30, gamma).mid())
        attained = float(sensitivity.smooth(prior, (10, 10, 10), gamma, "exponential").mid())
    assert bound <= attained <= 1.1 * bound


@pytest.mark.parametrize("kind", KINDS)
def test_smoothness(kind: Literal["reciprocal", "exponential"]) -> None:
    """1/S, or ln S, changes by at most gamma per substitution: what privacy rests on."""
    model = dp.DirichletMultinomial(("a", "b", "c"), prior=(0.2, 1, 4))
    gamma, n = 0.3, 12
    for c in compositions.rows(n, 3).tolist():
        here = dp.smooth_sensitivity(model, c, gamma=gamma, kind=kind)
        assert here >= dp.local_sensitivity(model, c) * (1 - 1e-12)
        for i, j in ((0, 1), (1, 2), (2, 0), (1, 0)):
            if c[j]:
                d = list(c)
                d[i], d[j] = d[i] + 1, d[j] - 1
                there = dp.smooth_sensitivity(model, d, gamma=gamma, kind=kind)
                if kind == "reciprocal":
                    change = abs(1 / here - 1 / there)
                else:
                    change = abs(math.log(here / there))
                assert change <= gamma * (1 + 1e-9)


def test_known_values() -> None:
    beta = dp.BetaBinomial()
    assert dp.global_sensitivity(beta, 10**12) == pytest.approx(0.3373, abs=5e-5)
    assert dp.global_sensitivity(beta, 1) == pytest.approx(math.sqrt(1 - math.pi / 4), rel=1e-14)
    jeffreys = dp.BetaBinomial(prior="jeffreys")
    assert dp.global_sensitivity(jeffreys, 1) == pytest.approx(0.6028, abs=5e-5)
    three = dp.DirichletMultinomial(("a", "b", "c"), prior=(7, 4, 5))
    assert dp.global_sensitivity(three, 100) == pytest.approx(0.23363, abs=5e-6)
    assert dp.global_sensitivity(beta, 100, distance="total_variation") < 0.5


def test_huge_counts_are_no_work() -> None:
    k = 1000
    model = dp.DirichletMultinomial(range(k), prior=[1 + (i % 7) / 10 for i in range(k)])
    counts = [10**6] * k
    assert 0 < dp.local_sensitivity(model, counts) < 1e-3
    for kind in KINDS:
        assert 0 < dp.smooth_sensitivity(model, counts, kind=kind) < 0.3


def test_without_records_there_are_no_neighbours() -> None:
    for k in (2, 3):
        model = dp.DirichletMultinomial(range(k))
        assert dp.local_sensitivity(model, (0,) * k) == 0
        assert dp.global_sensitivity(model, 0) == 0
        assert dp.smooth_sensitivity(model, (0,) * k) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: dp.smooth_sensitivity(m, (1, 1, 1), gamma=0), "gamma must be greater than 0"),
        (lambda m: dp.smooth_sensitivity(m, (1, 1, 1), gamma=math.nan), "gamma must be finite"),
        (lambda m: dp.smooth_sensitivity(m, (1, 1, 1), kind="smooth"), "kind must be one of"),
        (lambda m: dp.local_sensitivity(m, (1, 1)), "counts must have 3 entries"),
        (
            lambda m: dp.local_sensitivity(m, (1, 1, 1), distance="total_variation"),
            "two categories",
        ),
        (lambda m: dp.global_sensitivity(m, -1), "n must lie between"),
        (
            lambda m: dp.global_sensitivity(m, 2.5),  # type: ignore[arg-type]
            "n must be a whole number",
        ),
    ],
)
def test_bad_input(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(dp.InputError, match=message):
        call(dp.DirichletMultinomial(("a", "b", "c")))
