"""The same counts from every engine, and none of them fetches more than counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest

import discreet as dp
from discreet.data import Rules, tabulate
from tests.data import engines

OUTCOME = "out \"come' ü"
LABELS = ("cured", "improved", "größer ‘x’", "it's")
FRAME = engines.records()
MODEL = dp.DirichletMultinomial(LABELS)


@pytest.fixture(scope="module", params=engines.ENGINES)
def source(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, dict[str, Any]]:
    place = tmp_path_factory.mktemp("records")
    return engines.open_with(request.param, FRAME, place)


def plain(frame: pd.DataFrame, *columns: str) -> dict[Any, int]:
    return Counter(frame[list(columns)].itertuples(index=False, name=None))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
def test_every_engine_counts_the_same(source: tuple[Any, dict[str, Any]]) -> None:
    data, options = source
    counted = plain(FRAME, OUTCOME)
    assert MODEL.count(data, OUTCOME, **options).values == tuple(counted[x,] for x in LABELS)
    dose = dp.DirichletMultinomial((0, 1, 2)).count(data, "dose", **options)
    assert dose.values == tuple(plain(FRAME, "dose")[x,] for x in range(3))
    relapse = dp.BetaBinomial().count(data, "relapse", **options)
    assert relapse.values == tuple(plain(FRAME, "relapse")[x,] for x in (True, False))
    # a joint table in one pass
    joint = MODEL.count(data, OUTCOME, by="therapy", groups=("b", "a"), **options)
    both = plain(FRAME, "therapy", OUTCOME)
    assert joint.values == tuple(both[group, x] for group in ("b", "a") for x in LABELS)
    # conditions
    some = MODEL.count(
        data, OUTCOME, where="age between 30 and 60 and not (therapy = 'a' or relapse)", **options
    )
    kept = FRAME[FRAME.age.between(30, 60) & (FRAME.therapy != "a") & ~FRAME.relapse]
    assert some.values == tuple(plain(kept, OUTCOME)[x,] for x in LABELS)
    # missing values
    known = plain(FRAME[FRAME.holes.notna()], "holes")
    dropped = MODEL.count(data, "holes", unknown="drop", **options)
    assert dropped.values == tuple(known[x,] for x in LABELS)
    other = MODEL.count(data, "holes", unknown="other", other="it's", **options)
    assert other.values[:3] == dropped.values[:3]
    assert other.n_records == len(FRAME)
    with pytest.raises(dp.UnknownValuesError) as caught:
        MODEL.count(data, "holes", **options)
    assert caught.value.values == (None,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
def test_every_engine_bounds_units_the_same(source: tuple[Any, dict[str, Any]]) -> None:
    data, options = source
    for most in (1, 5):
        rules = Rules(unit="patient", max_per_unit=most, **options)
        counts = tabulate(data, {OUTCOME: LABELS}, rules).values
        again = Rules(unit="patient", max_per_unit=most)
        assert counts == tabulate(FRAME, {OUTCOME: LABELS}, again).values
        sizes = FRAME.groupby("patient").size()
        assert sum(counts) == sizes.clip(upper=most).sum()
