"""A release of every mechanism and of every kind of model, seeded or paid for."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

import discreet as dp
from discreet.core.documents import digest
from discreet.core.tables import Tables
from discreet.errors import AccuracyWarning
from tests.programs.attacks import ADDED, BOOLS, with_params, written

ABC = dp.DirichletMultinomial(("a", "b", "c"), prior=(0.5, 1, 2))
AB = dp.BetaBinomial(categories=("a", "b"))
NET = dp.BayesNet({"a": (), "c": ("a",)}, {"a": ("y", "n"), "c": (1, 2, 3)})
MANY = dp.BayesNet({"c": ()}, {"c": range(8)})
CUT = {"omega": "cut"}
FLAGS = dp.BayesNet({"a": (), "b": ("a",)}, {"a": ("y", "n"), "b": (True, False)})
TABLES = tuple(family.columns for family in NET.families)
PERSONS = Tables(TABLES, ((2, 2), (1, 0, 1, 0, 1, 1)), unit="unit", max_per_unit=2)
SINGLE = Tables(TABLES, ((2, 1), (1, 0, 1, 0, 0, 1)), unit="unit")
AVERAGES = Tables(
    TABLES, ((6000, 4800), (2400, 0, 3600, 0, 1200, 3600)), unit="unit", per_unit="average"
)
MEAN = dp.NormalMean(Fraction(1, 3), 4, 9, bounds=(-5, 5))
PLAIN_MEAN = dp.NormalMean(bounds=(0, 4))
LINE = dp.LinearRegression((1, 2), 1, {"x": (0, 4), "z": (-1, 1), "y": (0, 9)}, radius=1)
BARE = dp.LinearRegression(2, (3, 1), {"x": (0, 4), "y": (0, 9)}, intercept=False)
FRAME = pl.DataFrame(
    {
        "a": ["y", "n", "y", "y", "n"],
        "b": [True, True, False, True, False],
        "c": [1, 2, 1, 3, 3],
        "unit": [1, 1, 1, 2, 3],
        "age": [20, 30, 40, 50, 60],
        "x": [1.0, 2.5, 3.0, 0.0, 4.0],
        "z": [0.5, -1.0, 1.0, 0.0, 0.0],
        "y": [2.0, 4.25, 7.0, 1.0, 9.0],
    }
)
OUTCOME = dp.DirichletMultinomial(("y", "n"))
REST = dp.DirichletMultinomial(("y", "rest"))
PRIVATE_N = {"adjacency": "add-remove"}
OLD = {"shares": "sizes", "reconcile": None}
TABLES_OF = {"shares": "sizes", "reconcile": "tables"}
AGREED = {"reconcile": None}
COUNTS = 4, 2, 1
NUMBERS = MEAN.count(FRAME, "x")
ROWS = LINE.count(FRAME, "y", ["x", "z"])
ONE: dict[str, Any] = {"unit": "patient"}
TWO = ONE | {"max_per_unit": 2}
AVERAGE = ONE | {"per_unit": "average"}
CASES: dict[str, tuple[Any, Any, Any, str, dict[str, Any]]] = {
    "ls_dim": (COUNTS, ABC, 1, "ls_dim", {}),
    "ls_hist": (COUNTS, ABC, 1, "ls_hist", {}),
    "ehd": (COUNTS, ABC, 1, "ehd", {}),
    "ehd calibrated": (COUNTS, ABC, 1, "ehd", {"calibrate": True}),
    "ehds": (COUNTS, ABC, 1, "ehds", {"gamma": 2}),
    "ehdl": (COUNTS, ABC, 1, "ehdl", {"allow_nonprivate": True}),
    "smooth_hellinger": (
        *((4, 3), AB, 1, "smooth_hellinger"),
        {"delta": 1e-5, "calibrate": True},
    ),
    "lattice": (COUNTS, ABC, 1, "lattice", {"n": 7}),
    "lattice clipped": (COUNTS, ABC, 1, "lattice", {"postprocess": "clip"}),
    "lattice remapped": ((4, 3), AB, 1, "lattice", {"postprocess": "remap"}),
    "lattice raw": (COUNTS, ABC, 1, "lattice", {"postprocess": None}),
    "lattice remapped, weighted": (
        *((2, 1), AB, 1, "lattice"),
        {"postprocess": "remap", "loss": "total_variation", "weights": "prior_predictive"},
    ),
    "lattice add-remove, clipped": (COUNTS, ABC, 1, "lattice", PRIVATE_N | {"postprocess": "clip"}),
    "lattice add-remove, raw": (COUNTS, ABC, 1, "lattice", PRIVATE_N | {"postprocess": None}),
    "gaussian": (COUNTS, ABC, 1, "gaussian", {"delta": 1e-6}),
    "gaussian clipped": ((4, 3), AB, 2, "gaussian", {"delta": 0.01, "postprocess": "clip"}),
    "gaussian raw": (COUNTS, ABC, 1, "gaussian", {"delta": 1e-6, "postprocess": None}),
    "gaussian add-remove": (COUNTS, ABC, 1, "gaussian", PRIVATE_N | {"delta": 1e-6}),
    "gaussian of units": (
        OUTCOME.count(FRAME, "a", unit="unit", max_per_unit=2),
        *(OUTCOME, 1, "gaussian", PRIVATE_N | {"delta": 1e-6}),
    ),
    "ls_hist add-remove": (COUNTS, ABC, 1, "ls_hist", PRIVATE_N),
    "ls_hist of units": (
        OUTCOME.count(FRAME, "a", unit="unit", max_per_unit=2),
        *(OUTCOME, 1, "ls_hist", PRIVATE_N),
    ),
    **{
        f"{name} of averages": (
            OUTCOME.count(FRAME, "a", unit="unit", per_unit="average"),
            *(OUTCOME, 1, name, PRIVATE_N | options),
        )
        for name, options in (("lattice", {}), ("gaussian", {"delta": 1e-6}), ("ls_hist", {}))
    },
    "ehd by total variation": ((4, 3), AB, 1, "ehd", {"distance": "total_variation"}),
    "ehds as it is": ((4, 3), AB, Fraction(1, 3), "ehds", {}),
    "ehds calibrated": ((4, 3), AB, 1, "ehds", {"gamma": 0.5, "calibrate": True}),
    "ehdl calibrated": ((4, 3), AB, 1, "ehdl", {"calibrate": True}),
    "smooth_hellinger in three": (
        *(COUNTS, ABC, 1, "smooth_hellinger"),
        {"delta": 1e-5, "calibrate": True},
    ),
    "optimal for a loss": (
        *((2, 1), AB, 1, "optimal"),
        {"loss": "squared_error", "weights": (0.1, 0.2, 0.3, 0.4)},
    ),
    "nobody": ((0, 0, 0), ABC, 1, "lattice", {}),
    "optimal": (COUNTS, ABC, 1, "optimal", {}),
    "optimal geometric": ((4, 3), AB, 1, "optimal", {}),
    "randomized_response": (COUNTS, ABC, 1, "randomized_response", {}),
    "randomized_response raw": ((4, 3), AB, 1, "randomized_response", {"postprocess": None}),
    "dropped": (
        OUTCOME.count(FRAME, "a", where="age > 20", unknown="drop"),
        *(OUTCOME, 1, "lattice", PRIVATE_N),
    ),
    "other": (REST.count(FRAME, "a", unknown="other", other="rest"), REST, 1, "lattice", {}),
    "units": (
        OUTCOME.count(FRAME, "a", unit="unit", max_per_unit=2),
        *(OUTCOME, 1, "lattice", PRIVATE_N),
    ),
    "groups": (OUTCOME.count(FRAME, "a", by="c", groups=(1, 2, 3)), OUTCOME, 1, "lattice", {}),
    "network lattice": (NET.count(FRAME), NET, 2, "lattice", AGREED | {"shares": "equal"}),
    "network lattice as it is": (NET.count(FRAME), NET, 2, "lattice", OLD),
    "network lattice, optimal": (NET.count(FRAME), NET, 2, "lattice", AGREED),
    "network laplace_updates": (NET.count(FRAME), NET, 2, "laplace_updates", {}),
    "network add-remove": (NET.count(FRAME), NET, 2, "laplace_updates", PRIVATE_N),
    "network lattice, add-remove": (NET.count(FRAME), NET, 2, "lattice", PRIVATE_N | OLD),
    "network lattice of persons": (
        PERSONS,
        NET,
        2,
        "lattice",
        PRIVATE_N | AGREED | {"shares": (0.3, 0.6)},
    ),
    "network lattice of averages": (AVERAGES, NET, 2, "lattice", PRIVATE_N | OLD),
    "network lattice, one record each": (SINGLE, NET, 2, "lattice", OLD),
    "network lattice, optimal, add-remove": (
        *(NET.count(FRAME), NET, 2, "lattice"),
        PRIVATE_N | AGREED,
    ),
    "network gaussian": (NET.count(FRAME), NET, 2, "gaussian", AGREED | {"delta": 1e-6}),
    "network gaussian, equal": (
        *(NET.count(FRAME), NET, 2, "gaussian"),
        AGREED | {"delta": 1e-6, "shares": "equal"},
    ),
    "network gaussian, add-remove": (
        *(NET.count(FRAME), NET, 2, "gaussian"),
        PRIVATE_N | AGREED | {"delta": 1e-6, "shares": (0.3, 0.6)},
    ),
    "network gaussian of persons": (
        PERSONS,
        NET,
        2,
        "gaussian",
        PRIVATE_N | AGREED | {"delta": 1e-6},
    ),
    "network gaussian of averages": (
        AVERAGES,
        NET,
        2,
        "gaussian",
        PRIVATE_N | AGREED | {"delta": 1e-6},
    ),
    "network laplace_updates of persons": (PERSONS, NET, 2, "laplace_updates", PRIVATE_N),
    "network laplace_updates of averages": (AVERAGES, NET, 2, "laplace_updates", PRIVATE_N),
    "network fourier": (FLAGS.count(FRAME), FLAGS, 2, "fourier", {"t": Fraction(1, 2)}),
    "network fourier as it is": (FLAGS.count(FRAME), FLAGS, 2, "fourier", {}),
    "network fourier, three states": (NET.count(FRAME), NET, 2, "fourier", {"t": 1}),
    "network lattice, tables": (NET.count(FRAME), NET, 2, "lattice", TABLES_OF),
    "network lattice of averages, tables": (AVERAGES, NET, 2, "lattice", PRIVATE_N | TABLES_OF),
    "network laplace_updates, tables": (
        NET.count(FRAME),
        NET,
        2,
        "laplace_updates",
        {"reconcile": "tables"},
    ),
    "network lattice, model": (NET.count(FRAME), NET, 2, "lattice", OLD | {"reconcile": "model"}),
    "network fourier, tables": (FLAGS.count(FRAME), FLAGS, 2, "fourier", {"reconcile": "tables"}),
    "network posterior_sample, coarse": (
        *(NET.count(FRAME), NET, 30, "posterior_sample"),
        {"grid": 64, "omega": 0.05},
    ),
    "network posterior_sample": (
        NET.count(FRAME),
        NET,
        30,
        "posterior_sample",
        CUT | {"samples": 2},
    ),
    "network posterior_sample, tempered": (NET.count(FRAME), NET, 30, "posterior_sample", {}),
    "network posterior_sample, many states": (MANY.count(FRAME), MANY, 3, "posterior_sample", {}),
    "network attribute": (
        *(NET.count(FRAME), NET, 30, "posterior_sample"),
        {"adjacency": "attribute", "omega": 0.05},
    ),
    "network map": (NET.count(FRAME), NET, 2, "map", {"points": 7, "score": "mass"}),
    "network map by distance": (NET.count(FRAME), NET, 2, "map", {}),
    "mean laplace": (MEAN.count(FRAME, "x"), MEAN, 1, "laplace", {}),
    "mean add-remove": (MEAN.count(FRAME, "x", where="z >= 0"), MEAN, 1, "laplace", PRIVATE_N),
    "mean gaussian, add-remove": (
        *(MEAN.count(FRAME, "x", unknown="drop"), MEAN, 1, "gaussian"),
        {"delta": 1e-6} | PRIVATE_N,
    ),
    "mean from its bounds": (PLAIN_MEAN.count(FRAME, "x"), PLAIN_MEAN, 1, "laplace", {}),
    "mean gaussian": (MEAN.count(FRAME, "x"), MEAN, 1, "gaussian", {"delta": 1e-6}),
    "mean input": (MEAN.count(FRAME, "x"), MEAN, 1, "input", {"delta": 1e-6}),
    "mean hellinger": (MEAN.count([1, 2]), MEAN, 1, "hellinger", {"points": 11}),
    "line statistics": (LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "statistics", {}),
    "line normal": (
        *(LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "statistics"),
        {"delta": 1e-6},
    ),
    "line weighted": (LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "statistics", {"weight": 3}),
    "line sample, coarse": (
        *(LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "sample"),
        {"steps": 64},
    ),
    "line add-remove": (
        *(LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "statistics"),
        {"delta": 1e-6, "weight": 2} | PRIVATE_N,
    ),
    "line sample": (
        *(LINE.count(FRAME, "y", ["x", "z"]), LINE, 1, "sample"),
        {"samples": 2, "norm": 0.5},
    ),
    "line bare": (BARE.count(FRAME, "y", ["x"]), BARE, 1, "statistics", {}),
    "mean of one record each": (replace(NUMBERS, **ONE), MEAN, 1, "laplace", {}),
    "mean of persons": (replace(NUMBERS, **TWO), MEAN, 1, "laplace", PRIVATE_N),
    "mean of averages": (replace(NUMBERS, **AVERAGE), MEAN, 1, "laplace", PRIVATE_N),
    "mean of persons, gaussian": (
        *(replace(NUMBERS, **TWO), MEAN, 1, "gaussian"),
        {"delta": 1e-6} | PRIVATE_N,
    ),
    "mean of averages, gaussian": (
        *(replace(NUMBERS, **AVERAGE), MEAN, 1, "gaussian"),
        {"delta": 1e-6} | PRIVATE_N,
    ),
    "line of one record each": (replace(ROWS, **ONE), LINE, 1, "statistics", {}),
    "line of persons": (replace(ROWS, **TWO), LINE, 1, "statistics", PRIVATE_N),
    "line of averages": (replace(ROWS, **AVERAGE), LINE, 1, "statistics", PRIVATE_N),
    "line of persons, normal": (
        *(replace(ROWS, **TWO), LINE, 1, "statistics"),
        {"delta": 1e-6, "weight": 2} | PRIVATE_N,
    ),
    "line of averages, normal": (
        *(replace(ROWS, **AVERAGE), LINE, 1, "statistics"),
        {"delta": 1e-6} | PRIVATE_N,
    ),
}
FLAT = "x = sample(laplace(eps, sum(data), grid=1))\nreturn "
PROGRAMS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "program of a number": (BOOLS, "data, eps", f"{FLAT}x", {"eps": 1}),
    "program of a posterior": (
        f"{BOOLS}, n=5",
        "data, eps",
        f"{FLAT}Beta(max(x, 1/2), max(5 - x, 1/2))",
        {"eps": Fraction(1, 2)},
    ),
    "program of many parameters": (
        with_params('"b": Pos, "a": Pos'),
        "data, a, eps, b",
        f"{FLAT}(x, x + a, b)",
        {"eps": 1, "a": 2, "b": 3},
    ),
    "program of a normal": (
        *(ADDED, "data, eps", f"{FLAT}Normal(x, 4)"),
        {"eps": 1},
    ),
}
NAMES = (*CASES, *PROGRAMS)


def made(name: str, **who: Any) -> dp.Release[Any, Any, Any]:
    """The release of that name: seeded, or paid for by a ledger."""
    who = who or {"rng": np.random.default_rng(1)}
    if name in CASES:
        counts, model, epsilon, mechanism, options = CASES[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            return dp.release(counts, model, epsilon, mechanism, **options, **who)
    declared, arguments, body, given = PROGRAMS[name]
    program = written(declared, arguments, body)
    release: dp.Release[Any, Any, Any] = program.run(
        [True, False, True, True, False], **given, **who
    )
    return release


def signed(document: dict[str, Any]) -> dict[str, Any]:
    """A forgery with the right digests."""
    document = copy.deepcopy(document)
    del document["sha256"]
    held: Any = document
    for step in ("guarantee", "basis", "certificate"):
        held = held.get(step) if isinstance(held, dict) else None
    if isinstance(held, dict):
        held.pop("sha256", None)
        held["sha256"] = digest(held)
    return document | {"sha256": digest(document)}


Place = tuple[str | int, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """All parts of a document; of a long list the first, the second and the last."""
    if place:
        yield place
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*place, key))
    elif isinstance(value, list):
        for i in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            yield from places(value[i], (*place, i))


def at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def changed(document: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """The document with another part."""
    document = copy.deepcopy(document)
    at(document, place[:-1])[place[-1]] = value
    return document


def without(document: dict[str, Any], place: Place) -> dict[str, Any]:
    """The document without a part."""
    document = copy.deepcopy(document)
    del at(document, place[:-1])[place[-1]]
    return document
