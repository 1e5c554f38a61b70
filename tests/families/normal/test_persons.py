"""Means of persons with several records: cut to m of them, or averaged."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet import InputError, PrivacyRefusedError
from discreet.core.curves import Laplace
from discreet.families.normal.model import NormalMean
from discreet.noise_aware import infer

MODEL = NormalMean(1, 4, 2.25, bounds=(-3, 7), grid=10)
ADDED: dict[str, Any] = {"adjacency": "add-remove"}
AVERAGE: dict[str, Any] = {"unit": "patient", "per_unit": "average"}
NOISE: dict[str, dict[str, Any]] = {"laplace": {}, "gaussian": {"delta": 1e-5}}
RECORDS = MODEL.count([1.0, 2.0, 6.0, -3.0, 4.5])
names = pytest.mark.parametrize("name", NOISE)


def cut(m: int) -> dict[str, Any]:
    return {"unit": "patient", "max_per_unit": m}


def made(name: str, epsilon: object = 1, model: NormalMean = MODEL, **unit: Any) -> dp.Mechanism:
    return dp.mechanism(name, model, epsilon=epsilon, **ADDED, **NOISE[name], **unit)  # type: ignore[arg-type]


def persons(grid: int, most: int) -> Iterator[tuple[int, int]]:
    """The number and the sum of all up to `most` records on a grid."""
    for size in range(most + 1):
        for records in itertools.combinations_with_replacement(range(-grid, grid + 1), size):
            yield size, sum(records)


@pytest.mark.parametrize("grid", [2, 4])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_person_moves_both_sums_by_m_widths(grid: int, most: int) -> None:
    """Over all persons with up to m records: jointly m·2·grid, in l1 and in l2, and no further."""
    model = NormalMean(bounds=(0, 1), grid=grid)
    laplace, gaussian = (made(name, model=model, **cut(most)) for name in NOISE)
    start = np.array(laplace.make_raw_law((5, 3)).center)  # type: ignore[attr-defined]
    moved = [
        np.subtract(laplace.make_raw_law((5 + n, 3 + total)).center, start)  # type: ignore[attr-defined]
        for n, total in persons(grid, most)
    ]
    assert max(np.abs(change).sum() for change in moved) == most * 2 * grid
    assert max(np.square(change).sum() for change in moved) == (most * 2 * grid) ** 2
    law: Any = laplace.make_raw_law((0, 0))
    assert law.rate * most * 2 * grid == 1
    assert laplace.guarantee.curve == Laplace(Fraction(1), most * 2 * grid)
    curve: Any = gaussian.guarantee.curve
    assert curve.sensitivity_squared == (most * 2 * grid) ** 2
    variance = gaussian.make_raw_law((0, 0)).variances[0]  # type: ignore[attr-defined]
    assert curve.variance == variance
    # a person who is replaced: the curve for that has the largest difference of two of these
    replaced: Any = gaussian.guarantee.replacing
    apart = max(int(np.square(a - b).sum()) for a, b in itertools.combinations(moved, 2))
    assert replaced.sensitivity_squared == apart == 2 * (most * 2 * grid) ** 2
    assert replaced.variance == variance
    both: Any = laplace.guarantee.replacing
    assert max(np.abs(a - b).sum() for a, b in itertools.combinations(moved, 2)) * law.rate == 2
    assert both.epsilon == 2


@names
def test_the_mean_of_a_person_moves_them_as_a_record_does(name: str) -> None:
    """Over all whole means of up to three records on the grid."""
    mechanism, plain = made(name, **AVERAGE), made(name)
    law: Any = mechanism.make_raw_law((0, 0))
    assert law == plain.make_raw_law((0, 0))
    assert mechanism.guarantee.curve == plain.guarantee.curve
    assert mechanism.guarantee.replacing == plain.guarantee.replacing
    means = {total // n for n, total in persons(10, 3) if n and total % n == 0}
    assert means == set(range(-10, 11))
    for mean in means:
        low, high = mechanism.make_raw_law((1, mean)).center  # type: ignore[attr-defined]
        assert low + high == 20
        assert min(low, high) >= 0


@names
@pytest.mark.parametrize("most", [2, 3])
def test_audits_find_out_noise_for_fewer_records(name: str, most: int) -> None:
    epsilon = 1
    right = made(name, epsilon, **cut(most))
    found = dp.audit(right)
    assert found.epsilon <= epsilon * (1 + 1e-9)
    assert found.epsilon > 0.97 * epsilon
    fewer = made(name, epsilon, **cut(most - 1))
    wrong = dp.audit(replace(right, make_raw_law=fewer.make_raw_law))
    assert wrong.epsilon_lower > epsilon * (1.1 if NOISE[name] else most / (most - 1) - 1e-9)
    averaged = made(name, epsilon, **AVERAGE)
    assert 0.97 * epsilon < dp.audit(averaged).epsilon <= epsilon * (1 + 1e-9)


def test_a_certificate_for_persons_is_verified() -> None:
    certificate = dp.audit(made("laplace", **cut(2))).certificate
    assert dp.verify(certificate).epsilon == 1


@names
def test_what_is_released_says_whom_it_protects(name: str, tmp_path: Any) -> None:
    rng = np.random.default_rng(1)
    for rule, said, counted in (
        (cut(2), "at most m = 2 records", "at most 2 records of every patient"),
        (cut(1), "has at most one record", "at most one record of every patient"),
        (AVERAGE, "the records of one patient weigh one together", "every patient weighs one"),
    ):
        counts = replace(RECORDS, **rule)
        release = dp.release(counts, MODEL, 1, name, rng=rng, **ADDED, **NOISE[name])
        guarantee = release.guarantee
        assert (guarantee.unit, guarantee.max_per_unit) == ("patient", rule.get("max_per_unit", 1))
        assert "adding or removing one patient" in str(guarantee)
        assert said in str(guarantee.basis)
        assert counted in release.title
        assert counted in str(release.summary())
        release.save(tmp_path / "r.json", overwrite=True)
        again = dp.Release.load(tmp_path / "r.json")
        assert again == release
        assert again.mechanism == made(name, **rule)
    alone = dp.release(replace(RECORDS, **cut(1)), MODEL, 1, name, rng=rng, **NOISE[name])
    assert str(alone.guarantee).endswith("for replacing one patient")
    assert "at most one record" in str(alone.guarantee.basis)


def test_what_cannot_be_released_is_refused() -> None:
    several, averages = replace(RECORDS, **cut(2)), replace(RECORDS, **AVERAGE)
    for name in ("laplace", "gaussian"):
        for counts in (several, averages):
            with pytest.raises(PrivacyRefusedError, match="under adjacency 'add-remove' only"):
                dp.release(counts, MODEL, 1, name, **NOISE[name])
        with pytest.raises(InputError, match="max_per_unit must be 1 under substitution, got 2"):
            dp.mechanism(name, MODEL, 5, epsilon=1, **NOISE[name], **cut(2))
        with pytest.raises(InputError, match="per_unit must be 'cut' under substitution"):
            dp.mechanism(name, MODEL, 5, epsilon=1, **NOISE[name], **AVERAGE)
        with pytest.raises(InputError, match="max_per_unit is known from the counts"):
            dp.release(several, MODEL, 1, name, max_per_unit=1, **ADDED, **NOISE[name])
    alone = replace(RECORDS, **cut(1))
    for name in ("input", "hellinger"):
        with pytest.raises(PrivacyRefusedError, match="'laplace' or 'gaussian' only"):
            dp.release(alone, MODEL, 1, name)
        with pytest.raises(InputError, match=f"max_per_unit is not an option of {name}"):
            dp.mechanism(name, MODEL, 5, epsilon=1, max_per_unit=2)
    fine = NormalMean(bounds=(0, 1), grid=2**20)
    with pytest.raises(InputError, match=r"at least .* for max_per_unit = 1000000"):
        made("laplace", 1e-9, fine, **cut(10**6))
    with pytest.raises(InputError, match="max_per_unit = 1000000 on a grid of 1048576"):
        made("gaussian", 1e-3, fine, **cut(10**6))


@names
def test_errors_and_plans_count_the_records_of_a_person(name: str) -> None:
    single, double, averaged = (
        MODEL.expected_error(500, 1, name, **ADDED, **NOISE[name], **unit)
        for unit in ({}, cut(2), AVERAGE)
    )
    assert double.error == pytest.approx(2 * single.error, rel=1e-3)
    assert averaged == single
    plans = [
        dp.plan(MODEL, 500, error=0.05, mechanism=name, **ADDED, **NOISE[name], **unit)
        for unit in ({}, cut(2), AVERAGE)
    ]
    assert plans[1].epsilon > 1.7 * plans[0].epsilon
    assert plans[2].epsilon == plans[0].epsilon


@names
def test_the_noise_aware_posterior_sees_the_noise(name: str) -> None:
    """Of m records the noise of ε/m; of averages that of records, and the same posterior."""
    raw = (73, 47) if name == "laplace" else (7300, 4700)
    plain, double, averaged = (infer(made(name, **u), raw) for u in ({}, cut(2), AVERAGE))
    assert double.sd() > 1.2 * plain.sd()
    assert (averaged.mean(), averaged.sd()) == (plain.mean(), plain.sd())
    if name == "laplace":
        half = infer(made(name, Fraction(1, 2)), raw)
        assert (double.mean(), double.sd()) == (half.mean(), half.sd())


@names
def test_averages_of_one_record_each_are_the_records(name: str) -> None:
    """The same draws, values and posteriors: only the words and the unit differ."""
    seed = np.random.default_rng
    plain, averaged = (
        dp.release(counts, MODEL, 1, name, rng=seed(3), **ADDED, **NOISE[name])
        for counts in (RECORDS, replace(RECORDS, **AVERAGE))
    )
    assert averaged.raw == plain.raw
    assert averaged.value == plain.value
    assert averaged.posterior == plain.posterior
    laws = averaged.noise_aware(), plain.noise_aware()
    assert laws[0].interval().tolist() == laws[1].interval().tolist()
