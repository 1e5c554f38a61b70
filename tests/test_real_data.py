"""The seven real data sets of the papers, read from ../shared/data."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import discreet as dp
from discreet import examples

TABLES = [
    ("bike_day.csv", "workingday", ("1", "0"), (500, 231)),
    ("bike_day.csv", "weathersit", ("1", "2", "3"), (463, 247, 21)),
    ("cryotherapy.csv", "Result_of_Treatment", ("1", "0"), (48, 42)),
    ("cryotherapy.csv", "Type", ("1", "2", "3"), (54, 9, 27)),
    ("immunotherapy.csv", "Result_of_Treatment", ("1", "0"), (71, 19)),
    ("immunotherapy.csv", "Type", ("1", "2", "3"), (47, 22, 21)),
    ("badges.csv", "label", ("+", "-"), (210, 84)),
]


def column(path: Path, name: str) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


@pytest.mark.parametrize(("file", "name", "categories", "expected"), TABLES)
def test_releases_from_real_records(
    file: str,
    name: str,
    categories: tuple[str, ...],
    expected: tuple[int, ...],
    shared_data: Path,
) -> None:
    model = dp.DirichletMultinomial(categories)
    counts = model.count(column(shared_data / file, name))
    assert counts.values == expected
    release = dp.release(counts, model, epsilon=1.0)
    assert sum(release.value) == sum(expected)
    assert release.posterior.hellinger(model.posterior(counts)) < 0.9


@pytest.mark.parametrize("therapy", ["cryotherapy", "immunotherapy"])
def test_the_bundled_example_is_the_published_table(therapy: str, shared_data: Path) -> None:
    path = shared_data / f"{therapy}.csv"
    cured, kind = column(path, "Result_of_Treatment"), column(path, "Type")
    published = sorted(
        ("cured" if c == "1" else "not cured", examples.TYPES[int(k) - 1])
        for c, k in zip(cured, kind, strict=True)
    )
    assert sorted(examples.wart_therapy(therapy)) == published


def test_lattice_halves_the_error_on_bike_weather() -> None:
    counts = np.array([463, 247, 21])
    model = dp.DirichletMultinomial(range(3))
    errors = {}
    for name in ("ls_hist", "lattice"):
        law = dp.mechanism(name, model, n=731, epsilon=1).law(counts)
        near = law.log_p > -30
        distance = np.asarray(dp.hellinger(law.support[near] + 1.0, counts + 1.0))
        errors[name] = distance @ np.exp(law.log_p[near])
    assert errors["lattice"] <= 0.5 * errors["ls_hist"]
