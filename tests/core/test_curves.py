"""Curves against brute force: Rényi divergences, ρ and δ(ε) of laws that are listed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core import Adjacency, Guarantee, Theorem, curves
from discreet.core.curves import Composed, Curve, Known, Laplace, Lattice, Normal, Pure, Range
from discreet.exact import Floats, balls

ORDERS = [Fraction(x) for x in ("1.001", "1.1", "1.5", "2", "3", "7.5", "30", "500")]
EPSILONS = [Fraction(x) for x in ("0.1", "0.5", "1", "2.5", "6")]


def upper(number: Any) -> float:
    with balls.precision(balls.PRECISION):
        return float(number().upper())


def divergence(p: Floats, q: Floats, alpha: float) -> float:
    inside = p > 0
    logs = alpha * np.log(p[inside]) + (1 - alpha) * np.log(q[inside])
    top = logs.max()
    return float(top + math.log(np.exp(logs - top).sum())) / (alpha - 1)


def hockey(p: Floats, q: Floats, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def normalised(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())


def response(epsilon: float) -> tuple[Floats, Floats]:
    p = normalised(np.array([math.exp(epsilon), 1.0]))
    return p, p[::-1].copy()


def laplace(epsilon: float, steps: int) -> tuple[Floats, Floats]:
    z = np.arange(-int(60 * steps / epsilon) - 60, int(60 * steps / epsilon) + 61)
    rate = epsilon / steps
    return normalised(np.exp(-rate * abs(z))), normalised(np.exp(-rate * abs(z - steps)))


def lattice(epsilon: float, cells: int) -> tuple[Floats, Floats]:
    side = np.arange(-int(50 / epsilon) - 12, int(50 / epsilon) + 13)
    free = np.array(list(itertools.product(side, repeat=cells - 1)))
    z = np.column_stack([free, -free.sum(axis=1)])
    moved = z - np.array([1, -1] + [0] * (cells - 2))
    first, second = (np.exp(-epsilon / 2 * abs(each).sum(axis=1)) for each in (z, moved))
    return normalised(first), normalised(second)


def normal(shift: tuple[int, ...], variance: float) -> tuple[Floats, Floats]:
    side = np.arange(-int(12 * math.sqrt(variance)) - 9, int(12 * math.sqrt(variance)) + 10)
    z = np.array(list(itertools.product(side, repeat=len(shift))))
    squares = [((z - np.array(move)) ** 2).sum(axis=1) for move in ((0,) * len(shift), shift)]
    first, second = (np.exp(-square / (2 * variance)) for square in squares)
    return normalised(first), normalised(second)


def product(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return np.outer(one[0], other[0]).ravel(), np.outer(one[1], other[1]).ravel()


def ranged(width: float, top: float) -> tuple[Floats, Floats]:
    """Two outputs whose losses are `top` and `top` − `width`."""
    p = (math.exp(width) - math.exp(top)) / (math.exp(width) - 1)
    first = np.array([p, 1 - p])
    return first, first * np.exp([-top, width - top])


EXACT: dict[str, tuple[Curve, Callable[[], tuple[Floats, Floats]]]] = {
    **{f"pure {e}": (Pure(e), partial(response, float(e))) for e in EPSILONS},
    **{
        f"laplace {e} {m}": (Laplace(e, m), partial(laplace, float(e), m))
        for e in EPSILONS
        for m in (1, 2, 5)
    },
    **{
        f"lattice {e} {k}": (Lattice(e, k), partial(lattice, float(e), k))
        for e, k in ((Fraction(1, 2), 3), (Fraction(3), 3), (Fraction(7), 3), (Fraction(4), 4))
    },
    **{
        f"pair {v}": (Normal(Fraction(2), v, 2, pair=True), partial(normal, (1, -1), float(v)))
        for v in (Fraction(1), Fraction(9, 2), Fraction(40))
    },
    "composed": (
        Composed(((Pure(Fraction(1)), 1), (Laplace(Fraction(1, 2), 2), 1))),
        lambda: product(response(1), laplace(0.5, 2)),
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_curves_are_those_of_the_laws(name: str) -> None:
    curve, make = EXACT[name]
    p, q = make()
    exact_delta = type(curve).delta is not Curve.delta
    ratios = []
    for alpha in ORDERS:
        found, true = upper(lambda a=alpha: curve.renyi(a)), divergence(p, q, float(alpha))
        assert found >= true * (1 - 1e-7)
        if name.startswith(("pure", "laplace", "lattice", "composed")):
            assert found == pytest.approx(true, rel=1e-5, abs=1e-12)
        ratios.append(divergence(p, q, float(alpha)) / float(alpha))
    rho = float(curves.rho(curve))
    assert rho >= max(ratios) * (1 - 1e-7)
    assert rho == pytest.approx(ratios[0], rel=2e-2)  # not more than it has to be
    for epsilon in (0.0, 0.3, 0.9, 2.0):
        found, true = upper(lambda e=epsilon: curve.delta(Fraction(e))), hockey(p, q, epsilon)
        assert found >= true - 1e-9
        if exact_delta:
            assert found == pytest.approx(true, rel=1e-6, abs=1e-9)


def test_continuous_laplace_noise_is_the_limit() -> None:
    for alpha in ORDERS:
        fine, limit = (
            upper(lambda s=s, a=alpha: Laplace(Fraction(2), s).renyi(a)) for s in (10**6, None)
        )
        assert fine == pytest.approx(limit, rel=1e-5)
    epsilon = Fraction(1, 3)
    fine, limit = (upper(lambda s=s: Laplace(Fraction(2), s).delta(epsilon)) for s in (10**6, None))
    assert fine == pytest.approx(limit, rel=1e-5)


@pytest.mark.parametrize("width", [0.5, 1.0, 3.0])
def test_no_law_of_bounded_range_is_above_the_curve(width: float) -> None:
    curve = Range(Fraction(width), Fraction(width))
    worst = 0.0
    for top in np.linspace(0.01, width - 0.01, 41):
        p, q = ranged(width, float(top))
        for alpha in ORDERS:
            assert divergence(p, q, float(alpha)) <= upper(lambda a=alpha: curve.renyi(a)) + 1e-12
        worst = max(worst, hockey(p, q, width / 3))
        assert hockey(p, q, width / 3) <= upper(lambda: curve.delta(Fraction(width / 3))) + 1e-12
    assert worst == pytest.approx(upper(lambda: curve.delta(Fraction(width / 3))), rel=1e-2)


def test_rho_is_the_least_that_is_known() -> None:
    found = {
        k: float(dp.mechanism("lattice", model, n=40, epsilon=1).guarantee.rho)
        for k in (2, 3, 20, 1000)
        if (model := dp.DirichletMultinomial(tuple(range(k))))
    }
    assert found[2] == pytest.approx(math.tanh(0.5), rel=1e-12)
    assert found[3] == pytest.approx(0.332, abs=5e-4)
    assert found[20] == pytest.approx(0.252, abs=5e-4)
    assert math.tanh(0.25) < found[1000] < found[20]
    assert dp.mechanism("ehds", dp.BetaBinomial(), n=40, epsilon=1).guarantee.rho == Fraction(1, 8)
    calibrated = dp.mechanism("ehds", dp.BetaBinomial(), n=40, epsilon=1, calibrate=True)
    assert float(calibrated.guarantee.rho) == pytest.approx(1.73378**2 / 8, rel=1e-5)
    mean = dp.mechanism("gaussian", dp.NormalMean(bounds=(0, 1)), n=9, epsilon=1, delta=1e-6)
    law: Any = mean.raw_law((9, 0))
    assert mean.guarantee.rho == Fraction(2 * mean.config.model.grid) ** 2 / (2 * law.variances[0])


def test_what_is_calibrated_has_a_larger_range_than_its_epsilon() -> None:
    """Whoever takes ε²/8 for the ρ of a calibrated mechanism promises too much."""
    made = dp.mechanism("ehds", dp.BetaBinomial(), n=40, epsilon=1, calibrate=True)
    law = {c: np.exp(made.law((c, 40 - c)).log_p) for c in range(41)}
    true = max(divergence(law[c], law[c + 1], 1.001) / 1.001 for c in range(40))
    assert 1 / 8 < true <= made.guarantee.rho


def promise(epsilon: Any, delta: Any, curve: Curve | None, adjacency: str = "substitute") -> Any:
    numbers, basis = (Fraction(epsilon), Fraction(delta)), Theorem("a", "test")
    return Guarantee(*numbers, Adjacency(adjacency), basis=basis, curve=curve)


def test_epsilon_at_a_delta_and_back() -> None:
    noise = dp.mechanism("gaussian", dp.NormalMean(bounds=(0, 1)), n=9, epsilon=1, delta=1e-6)
    guarantee = noise.guarantee
    assert guarantee.epsilon_at(1e-6) <= 1
    assert float(guarantee.epsilon_at(1e-6)) == pytest.approx(1, rel=1e-6)
    assert guarantee.epsilon_at(1e-3) < guarantee.epsilon_at(1e-5) < 1
    assert guarantee.epsilon_at(0) == math.inf
    assert guarantee.delta_at(guarantee.epsilon_at(1e-3)) <= Fraction(1, 1000)
    assert guarantee.delta_at(1) <= Fraction(1, 10**6)
    pure = promise(1, 0, None)
    assert pure.epsilon_at(0) == 1
    assert pure.delta_at(1) == 0
    assert float(pure.delta_at(0)) == pytest.approx(math.tanh(0.5), rel=1e-9)
    nothing = Guarantee(math.inf, Fraction(0), Adjacency.SUBSTITUTE)
    assert [nothing.rho, nothing.epsilon_at(0.1)] == [math.inf] * 2
    assert nothing.delta_at(3) == 1
    bare = promise(1, Fraction(1, 10), None)
    assert [bare.rho, bare.epsilon_at(0.1), bare.epsilon_at(0.01)] == [math.inf, 1, math.inf]
    for delta in (-0.1, 1, 2):
        with pytest.raises(dp.InputError, match="delta must be at least 0 and below 1"):
            pure.epsilon_at(delta)
    with pytest.raises(dp.InputError, match="epsilon must be at least 0"):
        pure.delta_at(-1)


def test_plain_zcdp_is_not_converted_as_if_it_were_normal() -> None:
    """ρ = 0.25 at ε = 1: some mechanism has δ = 0.0489, where normal noise has 0.0396."""
    assert upper(lambda: Known(Fraction(1, 4)).delta(Fraction(1))) > 0.0489
    assert upper(lambda: Normal(Fraction(1), Fraction(2)).delta(Fraction(1))) < 0.06


def test_groups_and_other_adjacencies() -> None:
    model = dp.BetaBinomial()
    one = dp.mechanism("lattice", model, epsilon=0.5, adjacency="add-remove").guarantee
    both = one.under("substitute")
    assert both.rho == pytest.approx(2 * one.rho, rel=1e-12)
    p, q = product(laplace(0.5, 1), laplace(0.5, 1))
    assert divergence(p, q, 1.001) / 1.001 <= both.rho
    assert one.for_group(3).rho == curves.rho(Pure(Fraction(3, 2))) < 9 * one.rho
    p, q = laplace(1.5, 3)
    assert divergence(p, q, 1.001) / 1.001 <= one.for_group(3).rho
    wide = dp.mechanism(
        "lattice", model, epsilon=1, adjacency="add-remove", unit="patient", max_per_unit=3
    ).guarantee
    p, q = laplace(1, 3)
    assert float(wide.rho) == pytest.approx(divergence(p, q, 1.00001), rel=1e-4)
    noise = dp.mechanism("gaussian", dp.NormalMean(bounds=(0, 1)), n=9, epsilon=1, delta=1e-6)
    assert noise.guarantee.for_group(2).rho == 4 * noise.guarantee.rho


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_networks_lose_less_than_randomised_response(epsilon: float) -> None:
    net = dp.BayesNet({"a": (), "b": ("a",)}, {"a": ("y", "n"), "b": (True, False)})
    most = epsilon * math.tanh(epsilon / 2)
    for name in ("lattice", "laplace_updates", "fourier", "map", "posterior_sample"):
        options: dict[str, Any] = {"samples": 2} if name == "posterior_sample" else {}
        made = dp.mechanism(name, net, n=9, epsilon=epsilon, **options)
        assert made.guarantee.rho < most, name
    twice = dp.mechanism("posterior_sample", net, n=9, epsilon=epsilon, samples=2)
    assert twice.guarantee.rho == Fraction(str(epsilon)) ** 2 / 16
