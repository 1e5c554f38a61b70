"""Record what a release reads and does, replay it on a neighbour (dp-recorder, arXiv 2602.17454).

A run on some records is recorded: the questions that its engine is asked, what is charged, which
law is drawn from, what comes out. The same run on a neighbour is then given the same outcome of the
noise. It has to ask the same questions and to publish the same bytes: whatever else depends on the
records would show. And the two laws must give that outcome by odds of e^ε at most.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core import Adjacency, families
from discreet.data.relations import RelationSource
from discreet.releases import releasing
from tests.cli.cases import done

SUBSTITUTE, ADD_REMOVE = Adjacency.SUBSTITUTE.value, Adjacency.ADD_REMOVE.value
HEADER = "outcome,smoker,age,pay,patient\n"
ROWS = [
    f"{'cured' if i % 3 else 'ill'},{'yes' if i % 2 else 'no'},{20 + i},{3 * i % 11},p{i % 9}\n"
    for i in range(30)
]
STRANGE = "unheard of,,nan,inf,p99\n"  # which is left out
CATEGORIES = dp.DirichletMultinomial(("cured", "ill"))
NET = dp.BayesNet(
    {"outcome": ["smoker"], "smoker": []},
    {"outcome": ("cured", "ill"), "smoker": ("yes", "no")},
)
MEAN = dp.NormalMean(bounds=(0, 100))
LINE = dp.LinearRegression(bounds={"age": (0, 100), "pay": (0, 10)}, noise_variance=4)

READ: dict[Any, Callable[..., Any]] = {
    CATEGORIES: lambda data, **rules: CATEGORIES.count(data, "outcome", **rules),
    NET: lambda data, **rules: NET.count(data, **rules),
    MEAN: lambda data, **rules: MEAN.count(data, "age", **rules),
    LINE: lambda data, **rules: LINE.count(data, "pay", ["age"], **rules),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "smooth_hellinger": {"delta": 1e-6, "calibrate": True},
    "gaussian": {"delta": 1e-6},
    "input": {"delta": 1e-6},
    "map": {},
}


def cases() -> list[Any]:
    found = []
    for model in READ:
        for name in families.of_model(model).mechanisms:
            if name == "ehdl":  # which is not private
                continue
            for adjacency in (SUBSTITUTE, ADD_REMOVE):
                options = {"adjacency": adjacency, **OPTIONS.get(name, {})}
                n = 30 if adjacency == SUBSTITUTE else None
                chosen = model.of("pay", ["age"]) if model is LINE else model
                try:
                    dp.mechanism(name, chosen, n, epsilon=50, **options)
                except dp.DiscreetError:
                    assert adjacency == ADD_REMOVE, name
                else:
                    kind = type(model).__name__
                    found.append(
                        pytest.param(model, name, options, id=f"{kind}-{name}-{adjacency}")
                    )
    return found


class Recorder:
    """What a run asks, charges and draws; a second run gets the outcome of the first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.did: list[Any] = []
        self.laws: list[Any] = []
        self.tape: list[Any] = []
        rows, carried_out, charge = RelationSource.rows, releasing.carry_out, dp.Ledger.charge

        def asking(source: RelationSource, sql: str) -> Any:
            self.did.append(("asks", sql))
            return rows(source, sql)

        def charging(ledger: Any, dataset: str, guarantee: Any, about: Any, *rest: Any) -> Any:
            self.did.append(("charges", dataset, guarantee, dict(about), rest))
            return charge(ledger, dataset, guarantee, about, *rest)

        def drawing(made: Any, law: Any, n_source: Any, records: Any, *rest: Any) -> Any:
            self.did.append(
                ("draws from", made.config.document(), made.guarantee, n_source, records)
            )
            self.laws.append(law)
            taped: Any = Taped(law, self.tape)
            return carried_out(made, taped, n_source, records, *rest)

        monkeypatch.setattr(RelationSource, "rows", asking)
        monkeypatch.setattr(dp.Ledger, "charge", charging)
        monkeypatch.setattr(releasing, "carry_out", drawing)


class Taped:
    """A law that gives the outcome that it gave before."""

    def __init__(self, law: Any, tape: list[Any]) -> None:
        self.law, self.tape = law, tape

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        if not self.tape:
            self.tape.append(self.law.sample(size, rng))
        return self.tape[0]


def neighbours(adjacency: str, place: Path) -> list[Path]:
    """Two files that differ in one record."""
    other = [*ROWS[:7], "ill,no,99,10,p7\n", *ROWS[8:]]
    if adjacency == ADD_REMOVE:
        other = ROWS[:7] + ROWS[8:] + [STRANGE]
    paths = []
    for name, rows in (("one", ROWS), ("other", other)):
        (place / name).mkdir()
        paths.append(place / name / "records.csv")
        paths[-1].write_text(HEADER + "".join(rows))
    return paths


@pytest.mark.parametrize(("model", "mechanism", "options"), cases())
def test_a_neighbour_does_the_same(
    model: Any,
    mechanism: str,
    options: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = Recorder(monkeypatch)
    rules = {"unknown": "drop", "where": "age < 60"} if options["adjacency"] == ADD_REMOVE else {}
    chosen = model.of("pay", ["age"]) if model is LINE else model
    done_before: list[Any] = []
    published: list[Any] = []
    for path in neighbours(options["adjacency"], tmp_path):
        recorder.did.clear()
        counts = READ[model](path, **rules)
        release = dp.release(counts, chosen, 50, mechanism, **options)
        said = [str(path.parent), repr(counts), repr(release), str(release.guarantee)]
        published.append([release.to_json(), *said[1:]])
        done_before.append(json.dumps(recorder.did, default=str).replace(said[0], ""))
    assert published[0] == published[1]
    assert done_before[0] == done_before[1]
    before, after = recorder.laws
    if options.get("delta") is None and mechanism != "sample":  # which has no odds to list
        assert abs(_log_odds(before, after, recorder.tape[0])) <= 50 * (1 + 1e-9)


def _log_odds(before: Any, after: Any, raw: Any) -> float:
    """How much likelier an outcome is by one law than by the other."""
    try:
        ratio = before.probability(raw), after.probability(raw)
    except (dp.NotEnumerable, NotImplementedError, AttributeError):
        return float(before.log_weight(raw) - after.log_weight(raw))
    return math.log(ratio[0]) - math.log(ratio[1])


def test_the_attack_finds_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that tells the number of records, and a reader that asks by what it saw."""
    recorder = Recorder(monkeypatch)
    did, published = [], []
    for path in neighbours(ADD_REMOVE, tmp_path):
        recorder.did.clear()
        counts = CATEGORIES.count(path, "outcome", unknown="drop")
        if counts.n_records < 30:
            CATEGORIES.count(path, "outcome", unknown="drop")
        leaky = replace(counts, column=f"outcome of {counts.n_records}")
        published.append(dp.release(leaky, CATEGORIES, 50, adjacency=ADD_REMOVE).to_json())
        did.append([what for what, *_ in recorder.did])
    assert published[0] != published[1]
    assert did[0] != did[1]


@pytest.mark.parametrize("out", ["", "--json"])
def test_a_neighbour_prints_the_same(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the command line, with a ledger and a record that is left out, through a pipe."""
    recorder = Recorder(monkeypatch)
    printed = []
    for path in neighbours(ADD_REMOVE, tmp_path):
        recorder.did.clear()
        monkeypatch.chdir(path.parent)
        done("ledger", "init", "budget.db", "--budget", "100")
        words = "--column outcome --categories cured,ill --unknown drop --epsilon 50"
        paid = "--adjacency add-remove --ledger budget.db --dataset trial"
        result = done("release", "records.csv", *words.split(), *paid.split(), *out.split())
        text = result.out
        if out:
            document = json.loads(text)
            del document["receipt"], document["sha256"]  # they have a time
            text = json.dumps(document)
        printed.append((text, result.err))
    assert printed[0] == printed[1]
    assert "records with missing" not in printed[0][0]
