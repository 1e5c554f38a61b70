"""Persons with several records, cut or averaged: every small data set, other ways in, bad input.

tests/data/test_agreement.py compares every engine with the reference on drawn data.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dp
from discreet.core.counts import AVERAGED
from discreet.data import Rules, reference, tabulate, tabulate_several
from discreet.data.moments import SIDE, NumberRules, Scaled, averaging, moments
from discreet.data.scaled import Steps
from discreet.data.units import Owners
from discreet.data.weights import weights
from tests.data import engines

BITS = ((0, 0), (0, 1), (1, 0), (1, 1))
NAMES = ("ab7", "12", "x")
TABLES = (("a",), ("b", "a"), ("a", "b"))
RULES: tuple[Mapping[str, Any], ...] = (
    {"max_per_unit": 1},
    {"max_per_unit": 2},
    {"per_unit": "average"},
)
Rows = Sequence[tuple[str, tuple[int, ...]]]


def data_sets(contents: Sequence[tuple[int, ...]], most: int) -> Iterator[list[Any]]:
    """All data sets of up to so many records of three persons."""
    for size in range(1, most + 1):
        kinds = itertools.product(NAMES, contents)
        yield from map(list, itertools.combinations_with_replacement(kinds, size))


def owners(rules: Mapping[str, Any]) -> Owners:
    found = Owners.of("u", rules.get("max_per_unit"), rules.get("per_unit", "cut"))
    assert found is not None
    return found


def tables(rows: Rows, rules: Mapping[str, Any]) -> list[Any]:
    """The tables by numpy, which has to agree with the reference."""
    held = [np.array([x[j] for _, x in rows]) for j in range(2)]
    names = [NAMES.index(u) for u, _ in rows]
    digits = np.array([7, 12, 0])[names]
    weight = weights(np.array(names), digits, held, (2, 2), owners(rules))
    assert weight.tolist() == reference.weights(rows, owners(rules))
    codes = (held[0], 2 * held[1] + held[0], 2 * held[0] + held[1])
    found = [
        np.bincount(code, weight, minlength=size).astype(np.int64)
        for code, size in zip(codes, (2, 4, 4), strict=True)
    ]
    one = reference.kept([(u, x[0]) for u, x in rows], [0, 1], owners(rules))
    return [*found, np.array([one[0], one[1]])]


@pytest.mark.parametrize("rules", RULES)
def test_tables_of_all_small_data_sets(rules: Mapping[str, Any]) -> None:
    """A person adds a summand that is a function of the own rows: at most m, or exactly 3600."""
    alone: dict[Any, list[Any]] = {}
    for name in NAMES:
        for size in range(1, 5):
            for held in itertools.combinations_with_replacement(BITS, size):
                alone[name, held] = tables([(name, bits) for bits in held], rules)
    most = rules.get("max_per_unit", AVERAGED)
    for (_, held), found in alone.items():
        for table in found:
            total = AVERAGED if "per_unit" in rules else min(len(held), most)
            assert (table >= 0).all()
            assert table.sum() == total
            assert math.sqrt((table**2).sum()) <= most
        assert (found[1].reshape(2, 2).sum(axis=0) == found[0]).all()  # they agree
        assert (found[2].reshape(2, 2).sum(axis=1) == found[0]).all()
    for number, rows in enumerate(data_sets(BITS, 4)):
        whole = tables(rows, rules)
        persons = {u: tuple(x for v, x in rows if v == u) for u, _ in rows}
        for place, table in enumerate(whole):
            assert (table == sum(alone[u, held][place] for u, held in persons.items())).all()
        if number % 100 == 50:
            counted = public(rows, rules)
            assert all((a == b).all() for a, b in zip(whole, counted, strict=True))


def public(rows: Rows, rules: Mapping[str, Any]) -> list[Any]:
    """The same tables of a frame."""
    frame = pl.DataFrame(
        {"u": [u for u, _ in rows], "a": [x[0] for _, x in rows], "b": [x[1] for _, x in rows]},
        schema={"u": pl.String, "a": pl.Int8, "b": pl.Int8},
    )
    labels = {"a": (0, 1), "b": (0, 1)}
    found = tabulate_several(frame, labels, TABLES, Rules(unit="u", **rules)).values
    one = tabulate(frame, {"a": (0, 1)}, Rules(unit="u", **rules)).values
    return [np.array(table) for table in (*found, one)]


SCALED = (Scaled("a", Fraction(-1), Fraction(1)), Scaled("b", Fraction(-1), Fraction(1)))
POINTS = tuple(itertools.product((-5, 2, 5), repeat=2))  # fifths of the bounds


def sums(
    rows: Rows, rules: Mapping[str, Any], columns: int, radius: Fraction | None, squares: bool
) -> tuple[int, ...]:
    data = {c.name: [x[j] / 5 for _, x in rows] for j, c in enumerate(SCALED[:columns])}
    found = moments(
        data | {"u": [u for u, _ in rows]},
        SCALED[:columns],
        600,
        NumberRules(unit="u", **rules),
        radius=radius,
        squares=squares,
    )
    return (found.n, *found.sums, *found.products)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("columns", "radius", "squares"),
    [(1, None, False), (2, None, True), (2, Fraction(4, 5), True)],
)
def test_sums_of_all_small_data_sets(
    rules: Mapping[str, Any], columns: int, radius: Fraction | None, squares: bool
) -> None:
    """A person moves sums by m of one record's bounds at most, or by one of them."""
    alone: dict[Any, tuple[int, ...]] = {}
    most = rules.get("max_per_unit", 1)
    points = sorted({point[:columns] for point in POINTS})
    for name in NAMES:
        for size in range(1, 5 - columns // 2):
            for held in itertools.combinations_with_replacement(points, size):
                rows = [(name, x) for x in held]
                alone[name, held] = sums(rows, rules, columns, radius, squares)
    parts = 60 if "per_unit" in rules and squares else 1  # of a step, in sums
    for (_, held), (n, *found) in alone.items():
        assert n == (1 if "per_unit" in rules else min(len(held), most))
        for total in found[:columns]:
            assert abs(total) <= most * 600 * parts
        if squares:
            # Σ w·s·sᵀ of s = (grid, U), whose norms are those of one record's s·sᵀ at most
            matrix = np.diag([n * 600.0**2, 0.0, 0.0])
            matrix[0, 1:] = matrix[1:, 0] = np.array(found[:columns]) * 600 / parts
            matrix[1, 1], matrix[1, 2], matrix[2, 2] = found[columns:]
            matrix[2, 1] = matrix[1, 2]
            within = 600.0 if radius is None else float(radius) * 600 + 0.75
            assert abs(found[columns]) <= most * within**2
            assert np.linalg.norm(matrix) <= most * (600**2 * 2 + within**2) * (1 + 1e-12)
            assert np.abs(matrix).sum() <= most * (600 * 2 + within) ** 2 * (1 + 1e-12)
            assert np.linalg.eigvalsh(matrix)[0] >= -1e-6 * 600**2  # a mean of s·sᵀ
    pairs = itertools.combinations(alone.items(), 2)
    for ((u, first), one), ((v, second), two) in itertools.islice(pairs, 0, None, 97):
        if u != v:
            rows = [(u, x) for x in first] + [(v, x) for x in second]
            together = sums(rows, rules, columns, radius, squares)
            assert together == tuple(a + b for a, b in zip(one, two, strict=True))


def test_weights_are_within_one_of_the_share() -> None:
    rng = np.random.default_rng(8)
    whose = rng.integers(0, 300, 5000)
    held = [rng.integers(0, size, 5000) for size in (3, 2000, 2**21, 2**21, 5)]
    for owners in (Owners("u", 4, 4), Owners("u", 60, 0), Owners("u", 3600, 0)):
        found = weights(whose, whose % 100, held, (3, 2000, 2**21, 2**21, 5), owners)
        records = np.bincount(whose)[whose]
        totals = np.bincount(whose, found)
        assert set(totals[totals > 0]) == {owners.total}
        assert (np.abs(found - owners.total / records) < 1).all()
        rows = [(int(u), row) for u, row in zip(whose, np.transpose(held).tolist(), strict=True)]
        assert found.tolist() == reference.weights(rows, owners)


def test_one_column_weighs_as_a_table_of_it() -> None:
    """In `tabulate` and in `tabulate_several`, where units have one record of each category."""
    frame = engines.records(500)
    for rules in ({"max_per_unit": 2}, {"per_unit": "average"}):
        every = Rules(unit="patient", **rules)
        one = tabulate(frame, {"dose": (0, 1, 2)}, every).values
        [several] = tabulate_several(frame, {"dose": (0, 1, 2)}, [("dose",)], every).values
        assert one == several


def test_averages_are_means_over_persons() -> None:
    frame = engines.records()
    model = dp.DirichletMultinomial((0, 1, 2))
    counts = model.count(frame, "dose", unit="patient", per_unit="average")
    shares = pd.crosstab(frame.patient, frame.dose, normalize="index")
    assert counts.n_records == len(shares)
    assert np.abs(np.array(counts.values) / AVERAGED - shares.sum()).max() < len(shares) / AVERAGED
    mean = dp.NormalMean(bounds=(18, 90))
    found = mean.count(frame, "age", unit="patient", per_unit="average")
    wanted = frame.groupby("patient").age.mean()
    assert found.n_records == len(wanted)
    centred = found.values[1] / len(wanted) * 36 / mean.grid + 54
    # records are read on a grid of 36/840, and a weight is within 1 of 60/T
    assert abs(centred - wanted.mean()) < 36 / 840
    regression = dp.LinearRegression(bounds={"age": (18, 90), "dose": (0, 2)})
    stats = regression.count(frame, "dose", ["age"], unit="patient", per_unit="average")
    u, t = (frame.age - 54) / 36, frame.dose - 1.0
    for value, product in zip(stats.values[1:], (u, t, u * t, u * u, t * t), strict=True):
        wanted = product.groupby(frame.patient).mean().sum()
        assert abs(value / regression.grid**2 - wanted) < len(shares) / 400


def test_the_ball_is_that_of_one_record() -> None:
    """Rounding on the coarser grid adds more, so that records are drawn into a smaller ball."""
    columns = (*SCALED, Scaled("y", Fraction(-1), Fraction(1)))
    rng = np.random.default_rng(4)
    for grid, radius in ((600, Fraction(1)), (50400, Fraction(4, 5)), (60 * 2**14, Fraction(1))):
        steps = Steps(columns, grid, radius, True, "error", Owners("u", AVERAGED, 0))
        coarse = averaging(steps, AVERAGED)
        bound = float(radius) * grid + math.sqrt(2) / 2 + 1 / 4
        for angle in rng.random(500) * 2 * math.pi:
            record = {"a": math.cos(angle), "b": math.sin(angle), "y": 0.0}
            found = reference.steps(record, coarse)
            assert found is not None
            assert SIDE * math.hypot(*found[:2]) <= bound


NET = dp.BayesNet({"b": ["a"]}, {"a": ("0", "1"), "b": ("0", "1")})
FRAME = pl.DataFrame(
    {"u": ["1", None, "2"], "a": [0, 1, 1], "b": [0, 0, 1], "x": [0.5, 1.0, math.inf]}
)


@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "pandas", "relation"])
def test_bad_units(kind: str) -> None:
    as_kind: Any = {
        "polars": FRAME,
        "lazy": FRAME.lazy(),
        "arrow": FRAME.to_arrow(),
        "pandas": FRAME.to_pandas(),
        "relation": duckdb.connect().from_arrow(FRAME.to_arrow()),
    }[kind]
    mean = dp.NormalMean(bounds=(0, 1), grid=600)
    for rules in RULES:
        with pytest.raises(dp.InputError, match=r"^unit 'u' must tell for every record whose it"):
            NET.count(as_kind, unit="u", **rules)
        with pytest.raises(dp.InputError, match=r"^unit 'u' must tell for every record whose it"):
            mean.count(as_kind, "x", unit="u", **rules)
        tables = NET.count(as_kind, unit="u", unknown="drop", **rules)
        assert (tables.n_records, tables.unknown, tables.unit) == (2, 1, "u")
        sums = mean.count(as_kind, "x", unit="u", unknown="drop", **rules)
        assert (sums.n_records, sums.unknown, sums.unit) == (1, 2, "u")
    with pytest.raises(dp.UnknownValuesError, match="'x' must hold finite"):
        mean.count(as_kind, "x", unit="a", max_per_unit=1)
    with pytest.raises(dp.InputError, match=r"holds floats from 2\*\*53 on"):
        mean.count(as_kind, "a", unit="x", max_per_unit=1)
    with pytest.raises(dp.InputError, match=r"holds floats from 2\*\*53 on"):
        NET.count(as_kind, unit="x", max_per_unit=1)


@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "pandas", "relation", "mapping"])
def test_names_that_differ_by_nul_are_two_units(kind: str) -> None:
    frame = pl.DataFrame({"u": ["a", "a\0", "a\0\0"], "a": [0, 0, 0], "b": [0, 0, 0]})
    as_kind: Any = {
        "polars": frame,
        "lazy": frame.lazy(),
        "arrow": frame.to_arrow(),
        "pandas": frame.to_pandas(),
        "relation": duckdb.connect().from_arrow(frame.to_arrow()),
        "mapping": frame.to_dict(as_series=False),
    }[kind]
    mean = dp.NormalMean(bounds=(0, 1), grid=600)
    assert mean.count(as_kind, "a", unit="u", max_per_unit=1).n_records == 3
    if kind != "mapping":
        assert NET.count(as_kind, unit="u", max_per_unit=1).n_records == 3


def test_a_unit_may_be_what_is_counted() -> None:
    frame = FRAME.drop_nulls("u").with_columns(pl.lit(0.0).alias("x"))
    assert NET.count(frame, unit="a", max_per_unit=1).n_records == 2
    mean = dp.NormalMean(bounds=(0, 1), grid=600)
    assert mean.count(frame, "b", unit="b", max_per_unit=1).n_records == 2


def test_units_of_a_mapping() -> None:
    regression = dp.LinearRegression(bounds={"x": (0, 1), "y": (0, 1)}, grid=600)
    x, y = np.linspace(0, 1, 9), np.linspace(0, 1, 9) ** 2
    wanted: Any = None
    for units in ([1, 2, 3] * 3, np.array([1, 2, 3] * 3), np.array([1.0, 2.0, 3.0] * 3)):
        found = regression.count({"x": x, "y": y, "u": units}, "y", unit="u", max_per_unit=2)
        wanted = wanted or found
        assert found == wanted
        assert found.n_records == 6
    frame = pl.DataFrame({"x": x, "y": y, "u": [1, 2, 3] * 3})
    assert regression.count(frame, "y", unit="u", max_per_unit=2) == wanted
    bad: list[tuple[Any, str]] = [
        ([1, "2", 3] * 3, "all of one type, got values of several types"),
        ([b"1"] * 9, "all of one type, got other values"),
        ([(1, 2)] * 9, "all of one type, got other values"),
        ([1, None, 3] * 3, "must tell for every record"),
        ([1.0, math.nan, 3.0] * 3, "must tell for every record"),
        ([1.0, 2.0**53, 3.0] * 3, "holds floats from"),
        ([1] * 8, "columns of the same length"),
    ]
    for units, said in bad:
        with pytest.raises(dp.InputError, match=said):
            regression.count({"x": x, "y": y, "u": units}, "y", unit="u", max_per_unit=2)
    with pytest.raises(dp.InputError, match="'u' does not exist"):
        regression.count({"x": x, "y": y}, "y", unit="u", max_per_unit=2)


def test_rules_that_do_not_fit() -> None:
    mean, data = dp.NormalMean(bounds=(0, 1), grid=601), FRAME.drop_nulls("u")
    for model, arguments in ((NET, ()), (mean, ("x",))):
        for rules, said in (
            ({"unit": "u"}, "^unit and max_per_unit belong together"),
            ({"max_per_unit": 2}, "^unit and max_per_unit belong together"),
            ({"per_unit": "average"}, "^per_unit='average' needs unit="),
            ({"unit": "u", "per_unit": "mean"}, "^per_unit must be"),
            (
                {"unit": "u", "per_unit": "average", "max_per_unit": 1},
                "^max_per_unit must be None with per_unit='average'",
            ),
        ):
            counted: Any = model
            with pytest.raises(dp.InputError, match=said):
                counted.count(data, *arguments, **rules)
    with pytest.raises(dp.InputError, match=r"^grid must be a multiple of 60 with .*, got 601"):
        mean.count(data, "x", unit="u", per_unit="average")
    with pytest.raises(dp.InputError, match=r"^unit needs data with columns"):
        mean.count([1.0], unit="u", max_per_unit=1)
    regression = dp.LinearRegression(bounds={"x": (0, 1), "y": (0, 1)}, radius=0.1, grid=60)
    with pytest.raises(dp.InputError, match=r"^grid must be finer for this radius"):
        regression.count({"x": [1], "y": [1], "u": [1]}, "y", unit="u", per_unit="average")
    nested = pl.DataFrame({"u": [[1], [2]], "a": [0, 1], "b": [0, 1]})
    for frame in (nested, nested.lazy(), duckdb.connect().from_arrow(nested.to_arrow())):
        with pytest.raises(dp.InputError, match=r"^unit 'u' must hold text"):
            NET.count(frame, unit="u", max_per_unit=1)
        with pytest.raises(dp.InputError, match=r"^unit 'u' must hold text"):
            dp.NormalMean(bounds=(0, 1)).count(frame, "a", unit="u", max_per_unit=1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_weighs_the_same(
    engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frame = engines.records(900)
    data, options = engines.open_with(engine, frame, tmp_path_factory.mktemp("records"))
    labels = {"therapy": ("b", "a"), "dose": (0, 1, 2), "relapse": (True, False)}
    places = [
        [labels[name].index(value) for name, value in zip(labels, row, strict=True)]
        for row in frame[[*labels]].itertuples(index=False, name=None)
    ]
    columns = [Scaled("age", Fraction(30), Fraction(60)), Scaled("dose", Fraction(0), Fraction(2))]
    steps = Steps(tuple(columns), 600, Fraction(4, 5), True, "error")
    for rules in RULES:
        every = Rules(unit="patient", **rules, **options)
        assert every.owners is not None
        weight = reference.weights(list(zip(frame.patient, places, strict=True)), every.owners)
        wanted = np.zeros((2, 3, 2), dtype=int)
        np.add.at(wanted, tuple(np.transpose(places)), weight)
        found = tabulate_several(data, labels, [("dose",), tuple(labels)], every).values
        assert found == [tuple(wanted.sum(axis=(0, 2))), tuple(wanted.ravel())]
        read = replace(steps, owners=every.owners)
        read = averaging(read, AVERAGED) if "per_unit" in rules else read
        rows = [reference.steps(record, read) for record in frame.to_dict("records")]
        held = [[step + read.grid for step in row or ()] for row in rows]
        weight = reference.weights(list(zip(frame.patient, held, strict=True)), every.owners)
        u = np.array(rows)
        w = np.array(weight)[:, None]
        summed = moments(
            *(data, columns, 600, NumberRules(unit="patient", **rules, **options)),
            radius=Fraction(4, 5),
        )
        assert summed.sums == tuple((w * u).sum(axis=0))
        product = (w * u).T @ u
        assert summed.products == (product[0, 0], product[0, 1], product[1, 1])
