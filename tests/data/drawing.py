"""Data sets drawn for awkwardness, a question about each, and the answer by the reference.

A seed gives a case. Values come from small pools, so that a row group is often full of NaN but for
one record, and that one more record changes its statistics.
"""

from __future__ import annotations

import datetime
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.core.counts import AVERAGED
from discreet.data import conditions, kinds, reference
from discreet.data.moments import Scaled, averaging
from discreet.data.scaled import Steps
from discreet.data.units import Owners

NAN, INF = math.nan, math.inf
UTC, EAST = datetime.UTC, datetime.timezone(datetime.timedelta(hours=5, minutes=30))
DAYS = [datetime.date(2024, 1, 31), datetime.date(1969, 12, 31), datetime.date(2024, 2, 1)]
MOMENTS = [
    datetime.datetime(2024, 1, 31, 20, 30),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 5000),
]
LONG = "ü" * 70 + "z"

POOLS: dict[str, list[Any]] = {
    kinds.TEXT: [
        "a",
        "b",
        "A",
        " a",
        "",
        "it's",
        'q"q',
        "ä",
        "a\u0308",
        "nan",
        LONG,
        "1",
        "1.0",
        "x,y",
    ],
    kinds.BOOLEANS: [True, False],
    kinds.INTEGERS: [0, 1, 2, 7, -1, 30, 70, 100],
    kinds.FLOATS: [NAN, NAN, 30.0, 70.0, 0.0, -0.0, 1.0, 2.5, INF, -INF, 1e300, 5e-324],
    kinds.SINGLES: [np.float32(x) for x in (NAN, NAN, 30.0, 70.0, -0.0, 0.1, 1.0, INF)],
    kinds.DECIMALS: [Decimal(x) for x in ("0.00", "1.00", "2.50", "-1.00", "30.00", "70.25")],
    kinds.DATES: DAYS,
    kinds.TIMES: MOMENTS,
    kinds.ZONED: [moment.replace(tzinfo=zone) for moment in MOMENTS for zone in (UTC, EAST)],
}
NUMERALS = [
    "0",
    "1",
    "0.0",
    "1.0",
    "1e0",
    "10E-1",
    "5e-01",
    "0e7",
    "1e",
    "01",
    "+1",
    "-1",
    "1.",
    ".5",
    "0.50",
    "1e0",
    "true",
    "False",
    "",
    "x",
]
LABELS: dict[str, list[tuple[Any, ...]]] = {
    kinds.TEXT: [("a", "b"), ("a", "it's", "ä"), ("1", "1.0", "nan"), ("A", " a", LONG), ("", "a")],
    "numerals": [("0", "1"), (0, 1), (True, False), ("1", "0.5"), ("-1", "0", "1", "00.50")],
    kinds.BOOLEANS: [(True, False), ("0", "1"), ("true", "false"), (1, 0)],
    kinds.INTEGERS: [(0, 1), ("0", "1", "2"), (30, 70), ("7", "other", "1"), (True, False)],
    kinds.FLOATS: [(0, 1), ("0", "2.5"), (30, 70), ("30", "other"), (True, False)],
    kinds.SINGLES: [("0.1", "1"), (30, 70), (0, 1)],
    kinds.DECIMALS: [("0", "1", "2.5"), (1, 30), ("70.25", "other")],
}
NUMBERS = {
    kinds.TEXT: ["'a'", "'b'", "''", "'nan'", "'it''s'"],
    kinds.BOOLEANS: ["true", "false"],
    kinds.DATES: ["'2024-01-31'", "'1970-01-01'"],
    kinds.TIMES: ["'2024-01-31'", "'2024-01-31T20:30'"],
    kinds.ZONED: ["'2024-01-31T15:00'", "'2024-01-31T20:30+05:30'"],
}
CONSTANTS = ["0", "1", "30", "50", "2.5", "-1", "9007199254740993", "0.1"]
BOUNDS = (Fraction(-5), Fraction(60))


@dataclass(frozen=True)
class Case:
    """Records with the kinds of their columns, and a question: counts, tables or sums."""

    seed: int
    kinds: Mapping[str, str]  # "numerals" is text
    records: tuple[Mapping[str, Any], ...]
    question: str
    labels: Mapping[str, tuple[Any, ...]]
    rules: Mapping[str, Any]
    steps: Steps
    tables: tuple[tuple[str, ...], ...]

    @property
    def types(self) -> dict[str, str]:
        """The kinds of the columns, as an engine has them."""
        return {name: kinds.TEXT if k == "numerals" else k for name, k in self.kinds.items()}

    @property
    def owners(self) -> Owners | None:
        """Whose the records are, if that was asked."""
        rules = self.rules
        return Owners.of(rules.get("unit"), rules.get("max_per_unit"), rules.get("per_unit", "cut"))

    def with_records(self, records: Sequence[Mapping[str, Any]]) -> Case:
        return replace(self, records=tuple(records))


def drawn(seed: int) -> Case:
    """The case of a seed."""
    draw = random.Random(seed)
    of = {
        "o": draw.choice([*LABELS]),
        "g": draw.choice([*LABELS]),
        "x": draw.choice([kinds.FLOATS, kinds.FLOATS, *POOLS]),
        "y": draw.choice([kinds.FLOATS, kinds.INTEGERS, kinds.SINGLES]),
        "u": draw.choice([kinds.TEXT, kinds.INTEGERS, kinds.FLOATS, kinds.FLOATS, kinds.TIMES]),
        "f": draw.choice(
            [kinds.FLOATS, kinds.FLOATS, kinds.INTEGERS, kinds.BOOLEANS, kinds.SINGLES]
        ),
    }
    gaps = draw.choice([0.0, 0.1, 0.5])
    pools = {name: _pool(draw, kind) for name, kind in of.items()}
    records = [
        {name: None if draw.random() < gaps else draw.choice(pool) for name, pool in pools.items()}
        for _ in range(draw.randrange(1, 14))
    ]
    question = draw.choice(["counts", "counts", "counts", "units", "tables", "sums"])
    labels = {"o": draw.choice(LABELS[of["o"]])}
    if question == "tables" or draw.random() < 0.3:
        labels = {"g": draw.choice(LABELS[of["g"]]), **labels}
    rules: dict[str, Any] = {"unknown": draw.choice(["drop", "drop", "error", "other"])}
    if question == "sums":
        rules["unknown"] = draw.choice(["drop", "middle", "error"])
    elif rules["unknown"] == "other":
        if question == "tables":
            rules["unknown"] = "drop"
        else:
            rules["other"] = draw.choice(labels["o"])
    grid = draw.choice([10, 2**16])
    if question == "units" or (question in ("tables", "sums") and draw.random() < 0.6):
        rules |= {"unit": "u", "max_per_unit": draw.choice([1, 2, 3])}
        if draw.random() < 0.4:
            rules |= {"max_per_unit": None, "per_unit": "average"}
            grid = draw.choice([600, 60 * 2**14])
    if draw.random() < 0.6:
        rules["where"] = _condition(draw, of)
    columns = [Scaled("f", *BOUNDS)]
    radius = draw.choice([None, Fraction(4, 5)])
    if radius is not None:
        columns = [Scaled("y", *BOUNDS), *columns]
    steps = Steps(tuple(columns), grid, radius, True, rules["unknown"])
    tables = (("g", "o"), ("o",), ("g",)) if question == "tables" else ()
    return Case(seed, of, tuple(records), question, labels, rules, steps, tables)


def _pool(draw: random.Random, kind: str) -> list[Any]:
    """A few of the values of a kind, so that they meet often."""
    values = NUMERALS if kind == "numerals" else POOLS[kind]
    return draw.sample(values, min(len(values), draw.choice([1, 2, 3, 12])))


def _condition(draw: random.Random, of: Mapping[str, str]) -> str:
    """A condition on x, y and o that fits their kinds."""
    if draw.random() < 0.25:
        parts = [_condition(draw, of) for _ in range(2)]
        return f"({parts[0]} {draw.choice(['and', 'or'])} not {parts[1]})"
    sign = draw.choice(["<", "<=", ">", ">=", "=", "<>"])
    if of["x"] in kinds.NUMBERS and draw.random() < 0.25:
        return f"x {sign} y"
    constants = NUMBERS.get(of["x"], CONSTANTS)
    form = draw.randrange(5)
    if form == 0:
        return f"x is {draw.choice(['', 'not '])}null"
    if form == 1:
        return f"x in ({', '.join(draw.choices(constants, k=2))})"
    if form == 2 and of["x"] != kinds.BOOLEANS:
        return f"x between {draw.choice(constants)} and {draw.choice(constants)}"
    return f"x {sign} {draw.choice(constants)}"


def answer(case: Case, records: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> Any:
    """What the reference says of records as a file or an engine has them; a word if it refuses."""
    where = case.rules.get("where")
    if where is not None:
        condition = conditions.typed(conditions.parse(where), types)
        records = [record for record in records if reference.satisfies(record, condition)]
    return _ANSWERS[case.question](case, records)


def _counts(case: Case, records: Sequence[Mapping[str, Any]]) -> Any:
    found = Counter(reference.cell(record, case.labels) for record in records)
    return _settled(case, found)


def _units(case: Case, records: Sequence[Mapping[str, Any]]) -> Any:
    rows = _told(case, [(r, reference.cell(r, case.labels)) for r in records])
    if isinstance(rows, str):
        return rows
    places: list[list[Any]] = [list(range(len(labels))) for labels in case.labels.values()]
    if case.rules["unknown"] == "other":
        places[-1].append(None)
    cells = _product(places)
    if any(cell not in cells for _, cell in rows):
        return "undeclared"
    assert case.owners is not None
    return _settled(case, reference.kept(rows, cells, case.owners))


def _told(case: Case, records: Sequence[tuple[Mapping[str, Any], Any]]) -> Any:
    """Units with what their records hold, None or a part of it being unknown, as the rules say."""
    rows = [(reference.unit(record["u"]), held) for record, held in records]
    if any(unit != unit for unit, _ in rows):
        return "floats"
    if case.rules["unknown"] == "drop":
        known = [(unit, held) for unit, held in rows if held is not None and None not in held]
        rows = [(unit, held) for unit, held in known if unit is not None]
    return "unit" if any(unit is None for unit, _ in rows) else rows


def _product(places: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    cells: list[tuple[Any, ...]] = [()]
    for some in places:
        cells = [(*cell, place) for cell in cells for place in some]
    return cells


def _settled(case: Case, found: Mapping[tuple[int | None, ...], int]) -> Any:
    sizes = [len(labels) for labels in case.labels.values()]
    table = dict.fromkeys(_product([range(size) for size in sizes]), 0)
    for cell, number in found.items():
        full = cell
        if case.rules["unknown"] == "other" and cell[-1] is None:
            full = (*cell[:-1], case.labels["o"].index(case.rules["other"]))
        if None not in full:
            table[full] += number
        elif number and case.rules["unknown"] != "drop":
            return "undeclared"
    return tuple(table.values())


def _tables(case: Case, records: Sequence[Mapping[str, Any]]) -> Any:
    cells = [reference.cell(record, case.labels) for record in records]
    if case.owners is not None:
        rows = _told(case, list(zip(records, cells, strict=True)))
        if isinstance(rows, str):
            return rows
        cells = [cell for _, cell in rows]
    known = [cell for cell in cells if None not in cell]
    if len(known) < len(cells) and case.rules["unknown"] != "drop":
        return "undeclared"
    weights = [1] * len(known) if case.owners is None else reference.weights(rows, case.owners)
    names = [*case.labels]
    result = []
    for table in case.tables:
        places = [names.index(name) for name in table]
        found: Counter[Any] = Counter()
        for weight, cell in zip(weights, known, strict=True):
            found[tuple(cell[i] for i in places)] += weight
        every = _product([range(len(case.labels[name])) for name in table])
        result.append(tuple(found[cell] for cell in every))
    return result


def _sums(case: Case, records: Sequence[Mapping[str, Any]]) -> Any:
    steps = replace(case.steps, owners=case.owners)
    averaged = case.rules.get("per_unit") == "average"
    if averaged:
        steps = averaging(steps, AVERAGED)
    rows = [reference.steps(record, steps) for record in records]
    owned = None
    if steps.owners is not None:
        owned = _told(case, list(zip(records, rows, strict=True)))
        if isinstance(owned, str):
            return owned
        rows = [row for _, row in owned]
    known = [row for row in rows if row is not None]
    if len(known) < len(rows) and case.rules["unknown"] == "error":
        return "undeclared"
    weights = [1] * len(known)
    if owned is not None:
        assert steps.owners is not None
        weights = reference.weights(_held(owned, steps.grid), steps.owners)
    each = list(zip(weights, known, strict=True))
    sums = [sum(w * row[j] for w, row in each) for j in range(len(steps.columns))]
    products = [sum(w * row[j] * row[k] for w, row in each) for j, k in steps.pairs]
    return sum(weights) // (AVERAGED if averaged else 1), tuple(sums), tuple(products)


def _held(rows: Sequence[tuple[Any, list[int]]], grid: int) -> list[tuple[Any, list[int]]]:
    """Grid steps as whole numbers from 0 on."""
    return [(unit, [step + grid for step in row]) for unit, row in rows]


_ANSWERS: dict[str, Callable[[Case, Sequence[Mapping[str, Any]]], Any]] = {
    "counts": _counts,
    "units": _units,
    "tables": _tables,
    "sums": _sums,
}


def neighbour(case: Case) -> Case:
    """The case with a record, or perhaps a whole unit, added, removed or replaced."""
    draw = random.Random(~case.seed)
    records = list(case.records)
    if case.owners is not None and draw.random() < 0.5:
        units = [reference.unit(record["u"]) for record in records]
        gone = draw.choice(units)
        rest = [r for r, unit in zip(records, units, strict=True) if unit != gone or unit is None]
        return case.with_records(rest or records)
    fresh = {name: draw.choice([None, *_everything(kind)]) for name, kind in case.kinds.items()}
    place = draw.randrange(len(records))
    change = draw.choice(["add", "remove", "replace"])
    if change == "add":
        return case.with_records([*records[:place], fresh, *records[place:]])
    rest = records[:place] + records[place + 1 :]
    return case.with_records(rest if change == "remove" and rest else [*rest, fresh])


def _everything(kind: str) -> list[Any]:
    return NUMERALS if kind == "numerals" else POOLS[kind]


def promise(case: Case, before: Sequence[Any], after: Sequence[Any]) -> int:
    """By how much the answer may change, in l1, between the records of a case and its neighbour."""
    owners, averaged = case.owners, case.rules.get("per_unit") == "average"
    if case.question == "sums":
        d, grid = len(case.steps.columns), case.steps.grid
        one = 1 + d * grid * (60 if averaged else 1) + len(case.steps.pairs) * grid**2
        most = 1 if averaged or owners is None else owners.total
    else:
        one, most = max(1, len(case.tables)), 1 if owners is None else owners.total
    return one * most * (2 if owners is None else _moved(before, after))


def _moved(before: Sequence[Any], after: Sequence[Any]) -> int:
    """How many units are added or removed; one with other records is both."""
    units: list[dict[Any, Counter[str]]] = [{}, {}]
    for whose, records in zip(units, (before, after), strict=True):
        for record in records:
            unit = reference.unit(record["u"])
            whose.setdefault(unit, Counter())[repr(record)] += 1
    old, new = units
    different = [unit for unit in old.keys() | new.keys() if old.get(unit) != new.get(unit)]
    return sum((unit in old) + (unit in new) for unit in different if unit is not None)
