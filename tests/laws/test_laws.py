from __future__ import annotations

import math
import pickle
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np
import pytest
from flint import arb

from discreet import InputError, NotEnumerable
from discreet.core import Law, PointMass
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.laws.exponential import ExponentialLaw
from discreet.laws.lattice import (
    LatticeLaw,
    PostprocessedLattice,
    clip,
    points,
    project,
    shell_size,
)
from discreet.laws.mapped import MappedLaw
from discreet.laws.noise import NoiseLaw, remainder
from discreet.laws.table import TableLaw
from tests.statistics import pearson


@pytest.mark.parametrize("shape", ["two-sided", "floored"])
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(2)])
def test_clamped_noise_is_the_sum_over_what_is_clamped(
    shape: Literal["two-sided", "floored"], rate: Fraction
) -> None:
    raw = NoiseLaw((2,), rate, shape)
    clamped = NoiseLaw((2,), rate, shape, 0, 5)
    reach = int(60 / rate)
    masses = np.zeros(6)
    for z in range(-reach, reach + 1):
        masses[min(max(z, 0), 5)] += raw.probability((z,))
    np.testing.assert_allclose(np.exp(clamped.log_p), masses, rtol=1e-12)
    for z, mass in enumerate(masses):
        assert clamped.probability((z,)) == pytest.approx(mass, rel=1e-12)
    assert clamped.probability((6,)) == clamped.probability((-1,)) == 0


def test_printed_atoms_of_the_floored_law() -> None:
    """P(0|c), P(n|c) of the clipped law, in closed form."""
    b, n = 2.0, 7
    for c in range(n + 1):
        law = NoiseLaw((c,), Fraction(1, 2), "floored", 0, n)
        at_zero = 0.5 * math.exp((1 - c) / b) if c else 1 - 0.5 * math.exp(-1 / b)
        at_n = 0.5 * math.exp(-(n - c) / b) if c < n else 0.5
        assert law.probability((0,)) == pytest.approx(at_zero, rel=1e-14)
        assert law.probability((n,)) == pytest.approx(at_n, rel=1e-14)


def test_the_remainder_is_determined() -> None:
    law = NoiseLaw((2, 1), Fraction(1), "floored", 0, 4, 4)
    assert law.dimension == 3
    assert law.probability((2, 1, 1)) > 0
    assert law.probability((2, 1, 2)) == 0
    assert law.probability((4, 4, 0)) > 0  # the sum may exceed n, the remainder is then zero
    assert np.exp(law.log_p).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_lattice_normaliser_is_the_sum(k: int, epsilon: str) -> None:
    law = LatticeLaw((0,) * k, Fraction(epsilon))
    total = math.fsum(
        shell_size(k, s) * math.exp(-float(Fraction(epsilon)) * s) for s in range(400)
    )
    assert math.exp(law.log_normaliser) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(("k", "radius"), [(2, 5), (3, 4), (4, 3), (5, 2)])
def test_lattice_ball_is_complete(k: int, radius: int) -> None:
    ball = points(k, 0, radius)
    assert (ball.sum(axis=1) == 0).all()
    half = np.abs(ball).sum(axis=1) // 2
    assert len(np.unique(ball, axis=0)) == len(ball)
    assert np.bincount(half).tolist() == [shell_size(k, s) for s in range(radius + 1)]


@pytest.mark.slow
def test_the_two_lattice_samplers_agree(rng: np.random.Generator) -> None:
    """Splitting, used for many categories, against the law that rejection is tested on."""
    law = LatticeLaw((0, 0, 0), Fraction(1))
    draws = np.array([law._split(rng.bytes) for _ in range(8_000)])
    ball = points(3, 0, 3)
    observed = np.array([(draws == point).all(axis=1).sum() for point in ball])
    p = np.array([law.probability(point) for point in ball])
    observed, p = np.append(observed, len(draws) - observed.sum()), np.append(p, 1 - p.sum())
    statistic, limit = pearson(observed, p)
    assert statistic < limit
    steeper = LatticeLaw((0, 0, 0), Fraction(3, 2))
    wrong = np.array([steeper.probability(point) for point in ball])
    assert pearson(observed, np.append(wrong, 1 - wrong.sum()))[0] > limit


@pytest.mark.parametrize("released", [partial(project, 6), partial(clip, 6)])
def test_postprocessed_lattice(released: partial[np.ndarray]) -> None:
    law = PostprocessedLattice(LatticeLaw((3, 2, 1), Fraction(1)), released)
    p = np.exp(law.log_p)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    for index in (0, len(p) // 2, len(p) - 1):
        outcome = tuple(law.support[index].tolist())
        with balls.precision(128):
            enclosure = law.log_weight(outcome)
        assert float(enclosure.lower()) - 1e-9 <= law.log_p[index]
        assert law.log_p[index] <= float(enclosure.upper()) + 1e-9
        assert law.probability(outcome) == pytest.approx(p[index])
    assert law.probability((7, 0, -1)) == 0


def kappa() -> arb:
    return ball(Fraction(5))


def test_remainders_do_not_wrap() -> None:
    rows = [[2**62, 2**62, 2**62, 5], [0, 0, 0, 1], [2**61, 0, 2**61, 0]]
    exact = [max(2**62 - sum(row), -1 - 2**62) for row in rows]
    assert remainder(2**62, np.array(rows)).tolist() == exact
    assert remainder(9, np.array([[1, 2], [9, 9]])).tolist() == [6, -9]


@pytest.mark.parametrize("center", [(4, 0), (2, 2), (1, 2, 1), (0, 0, 4)])
def test_exponential_law_is_its_definition(center: tuple[int, ...]) -> None:
    from discreet import hellinger

    prior = (Fraction(1, 2),) * len(center)
    law = ExponentialLaw(center, prior, kappa)
    distances = hellinger(law.support + 0.5, np.array(center) + 0.5)
    weights = np.exp(-5 * np.asarray(distances))
    np.testing.assert_allclose(np.exp(law.log_p), weights / weights.sum(), rtol=1e-12)
    for outcome, log_p in zip(law.support, law.log_p, strict=True):
        assert law.probability(outcome) == pytest.approx(math.exp(log_p), rel=1e-12)
    assert law.probability((5, *[0] * (len(center) - 1))) == 0


LAWS = [
    PointMass((1, 2)),
    NoiseLaw((3,), Fraction(1), "two-sided", total=5),
    NoiseLaw((3, 1), Fraction(1), "floored", 0, 5, 5),
    LatticeLaw((1, 2, 3), Fraction(1)),
    LatticeLaw((1,) * 70, Fraction(1)),
    ExponentialLaw((1, 2, 3), (Fraction(1),) * 3, kappa),
    ExponentialLaw((1, 2), (Fraction(1),) * 2, kappa, "total_variation"),
    TableLaw(3, 2, (10**30, 2, 0, 10**29)),
    MappedLaw(NoiseLaw((3,), Fraction(1), "two-sided", 0, 5, 5), partial(clip, 4)),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_drawing(law: Law, rng: np.random.Generator) -> None:
    one = law.sample(rng=rng)
    assert isinstance(one, tuple)
    assert all(type(x) is int for x in one)
    assert law.probability(one) > 0
    many = law.sample(7, rng=rng)
    assert isinstance(many, np.ndarray)
    assert many.shape == (7, law.dimension)
    assert np.asarray(law.sample(0, rng=rng)).shape == (0, law.dimension)
    again = [np.asarray(law.sample(5, rng=np.random.default_rng(3))).tolist() for _ in range(2)]
    assert again[0] == again[1]
    if law.candidates is not None:
        law.log_p  # noqa: B018 - fills the cache
    copy = pickle.loads(pickle.dumps(law))
    assert copy.sample(3, np.random.default_rng(1)).tolist() == (
        law.sample(3, np.random.default_rng(1)).tolist()
    )
    assert "_listed" not in copy.__dict__


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_repr_does_not_show_the_counts(law: Law) -> None:
    assert "center" not in repr(law)
    assert "point" not in repr(law)
    numbers = np.asarray(law.sample(rng=np.random.default_rng(1)))
    assert law.probability(numbers) == law.probability(list(numbers))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_bad_outcomes_and_sources(law: Law) -> None:
    for z in ((1,), (1.5,) * law.dimension, "xy", (1,) * (law.dimension + 1)):
        with pytest.raises(InputError, match="z must be"):
            law.probability(z)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rng must be"):
        law.sample(rng=5)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="size must be"):
        law.sample(1.5)  # type: ignore[call-overload]


def test_infinite_and_huge_laws_say_so() -> None:
    with pytest.raises(NotEnumerable) as infinite:
        LatticeLaw((1, 2, 3), Fraction(1)).support  # noqa: B018
    assert infinite.value.candidates is None
    huge = ExponentialLaw((10**6,) * 3, (Fraction(1),) * 3, kappa)
    outcome = (0, 0, 3 * 10**6)
    for use in (lambda: huge.support, lambda: huge.sample(), lambda: huge.probability(outcome)):
        with pytest.raises(NotEnumerable, match="4500004500001"):
            use()


def test_operating_system_randomness_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(size: int) -> bytes:
        asked.append(size)
        return b"\x5a" * size

    monkeypatch.setattr("os.urandom", counted)
    NoiseLaw((3,), Fraction(1), "two-sided").sample()
    assert asked
