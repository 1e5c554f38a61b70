"""The tables of several sets of columns, in one pass, the same from every engine."""

from __future__ import annotations

from typing import Any

import pytest

import discreet as dp
from discreet.data import Rules, tabulate_several
from tests.data import engines
from tests.data.test_engines import FRAME, LABELS, OUTCOME, plain

COLUMNS: dict[str, Any] = {
    "therapy": ("b", "a"),
    OUTCOME: LABELS,
    "dose": (2, 0, 1),
    "relapse": (True, False),
    "holes": LABELS,
}
TABLES = [(OUTCOME,), ("therapy", OUTCOME), ("dose", "relapse", "therapy"), ("holes",)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_the_same(
    engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data, options = engines.open_with(engine, FRAME, tmp_path_factory.mktemp("records"))
    full = {name: labels for name, labels in COLUMNS.items() if name != "holes"}
    found = tabulate_several(data, full, TABLES[:3], Rules(**options)).values
    assert found == [expected(FRAME, table) for table in TABLES[:3]]
    kept = FRAME[FRAME.holes.notna() & (FRAME.age >= 40)]
    rules = Rules(where="age >= 40", unknown="drop", **options)
    found = tabulate_several(data, COLUMNS, TABLES, rules).values
    assert found == [expected(kept, table) for table in TABLES]
    with pytest.raises(dp.UnknownValuesError) as caught:
        tabulate_several(data, COLUMNS, TABLES, Rules(**options))
    assert caught.value.values
    assert len(caught.value.values) <= 5
    assert str(caught.value).startswith("column 'holes' must hold declared categories")


def expected(frame: Any, table: tuple[str, ...]) -> tuple[int, ...]:
    from itertools import product

    counted = plain(frame, *table)
    return tuple(counted[cell] for cell in product(*(COLUMNS[name] for name in table)))
