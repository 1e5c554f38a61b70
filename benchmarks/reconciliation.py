"""Noisy tables made into tables, beside mbi (Private-PGM) on the same noise.

mbi wants an environment of its own, whose Python `DISCREET_MBI` names: `make bench` makes it.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import polars as pl

import discreet as dp
from benchmarks.timing import milliseconds, show
from discreet.families.network.mechanisms.noisy_tables import variance

DATA = Path(__file__).parents[2] / "shared" / "data"
WAYS = (None, "tables", "model")
EPSILONS = (0.1, 0.5, 1, 2)
RECORDS = 5_000
SEEDS = 3
# What was looked at to choose the default, and what was not.
CHOSEN_ON, CONFIRMED_ON = ("alarm", "votes"), ("insurance", "sachs", "child", "pums")


class Problem(NamedTuple):
    """A network, the counts of records to learn from and of others."""

    net: dp.BayesNet
    tables: Any
    others: Any


class Found(NamedTuple):
    """Mean total variation of the families' tables, log-likelihood of a new record, seconds."""

    distance: float
    log_likelihood: float
    seconds: float


def problem(name: str) -> Problem:
    """Sampled from a known network, or a real table: two thirds to learn from."""
    if name in ("votes", "pums"):
        rows, states, parents = _votes() if name == "votes" else _pums()
        net = dp.BayesNet(parents, states)
        order = np.random.default_rng(1).permutation(len(rows))
        cut = 2 * len(rows) // 3
        learnt, others = ([rows[i] for i in part] for part in (order[:cut], order[cut:]))
        return Problem(net, net.count(pl.DataFrame(learnt)), net.count(pl.DataFrame(others)))
    net = dp.BayesNet.from_bif(DATA / "bif" / f"{name}.bif")
    rng = np.random.default_rng(1)
    sampled, fresh = (net.count(net.sample(size, rng)) for size in (RECORDS, 4 * RECORDS))
    return Problem(net, sampled, fresh)


def _read(name: str) -> list[dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _votes() -> tuple[list[dict[str, str]], dict[str, Any], dict[str, Any]]:
    """Naive Bayes."""
    rows = _read("votes84")
    states = {name: sorted({row[name] for row in rows}) for name in rows[0]}
    return rows, states, {name: ["class"] for name in states if name != "class"}


def _pums() -> tuple[list[dict[str, str]], dict[str, Any], dict[str, Any]]:
    """A structure that seemed natural before anybody looked at the data."""

    def binned(value: str, *edges: float) -> str:
        return str(sum(float(value) >= edge for edge in edges))

    rows = [
        {
            "age": binned(row["age"], 30, 45, 65),
            "sex": row["sex"],
            "educ": binned(row["educ"], 9, 10, 13),
            "race": binned(row["race"], 2, 3, 4),
            "income": binned(row["income"], 1, 15_000, 30_000, 60_000),
            "married": row["married"],
        }
        for row in _read("pums_ca_1000")
    ]
    states = {name: sorted({row[name] for row in rows}) for name in rows[0]}
    parents = {
        "educ": ["age", "race"],
        "married": ["age"],
        "income": ["age", "sex", "educ"],
    }
    return rows, states, parents


def measure(found: Problem, released: Any, seconds: float) -> Found:
    """How near released tables are, and what they say of other records, with a prior of 1."""
    net, n = found.net, found.tables.n_records
    truth = np.array(net.to_vector(found.tables), dtype=float)
    values = np.maximum(np.array(released, dtype=float), 0)
    distance = np.abs(values - truth).sum() / (2 * n * len(net.nodes))
    likelihood = net.released(tuple(values.tolist())).log_likelihood(found.others)
    return Found(distance, likelihood / found.others.n_records, seconds)


def ours(found: Problem, epsilon: float, raw: Any, way: str | None) -> Found:
    """By one way to reconcile."""
    made = dp.mechanism("lattice", found.net, _n(found), epsilon=epsilon, reconcile=way)
    start = time.perf_counter()
    value = made.postprocess(raw)
    return measure(found, value, time.perf_counter() - start)


def _n(found: Problem) -> int:
    return int(found.tables.n_records)


def noise(found: Problem, epsilon: float, seed: int) -> tuple[Any, list[float]]:
    """One raw output of `lattice`, and the standard deviation of every table's cells."""
    made = dp.mechanism("lattice", found.net, _n(found), epsilon=epsilon)
    raw = made.raw_law(found.tables).sample(rng=np.random.default_rng(seed))
    shares = dict(made.config.options)["shares"]
    families = zip(found.net.families, shares, strict=True)
    return raw, [float(variance(f.cells, made.config.epsilon * s)) ** 0.5 for f, s in families]


@contextmanager
def mbi_worker() -> Iterator[Any]:
    """A function that mbi answers: (problem, raw, deviations) to tables; None without mbi."""
    python = os.environ.get("DISCREET_MBI")
    if not python:
        yield None
        return
    worker = Path(__file__).with_name("mbi_worker.py")
    process = subprocess.Popen(
        [python, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    process.stdout.readline()
    try:
        yield partial(_ask, process.stdin, process.stdout)
    finally:
        process.stdin.close()
        process.wait()


def _ask(tasks: IO[str], answers: IO[str], found: Problem, raw: Any, deviations: Any) -> Found:
    net = found.net
    ends = np.cumsum([family.cells for family in net.families])[:-1]
    task = {
        "states": {name: len(states) for name, states in net.states.items()},
        "scopes": [family.columns for family in net.families],
        "tables": [part.tolist() for part in np.split(np.array(raw), ends)],
        "deviations": deviations,
        "n": _n(found),
    }
    tasks.write(json.dumps(task) + "\n")
    tasks.flush()
    answer = json.loads(answers.readline())
    flat = [x for table in answer["tables"] for x in table]
    return measure(found, flat, answer["seconds"])


def compare(
    names: tuple[str, ...], epsilons: tuple[float, ...], seeds: int, ask: Any
) -> Iterator[tuple[str, float, dict[str, Found]]]:
    """The means over seeds of every way, all of them on the same noise and in turn."""
    for name in names:
        found = problem(name)
        for epsilon in epsilons:
            results: dict[str, list[Found]] = {}
            for seed in range(seeds):
                raw, deviations = noise(found, epsilon, seed)
                for way in WAYS:
                    results.setdefault(str(way), []).append(ours(found, epsilon, raw, way))
                if ask is not None:
                    results.setdefault("mbi", []).append(ask(found, raw, deviations))
            yield (
                name,
                epsilon,
                {
                    way: Found(*np.mean(several, axis=0).tolist())
                    for way, several in results.items()
                },
            )


def reconciliation() -> None:
    """Ratios of table error, differences of log-likelihood and ratios of time."""
    if not (DATA / "bif" / "alarm.bif").exists():
        return
    with mbi_worker() as ask:
        rows = [
            [name, str(epsilon), *_row(found)]
            for name, epsilon, found in compare(CHOSEN_ON + CONFIRMED_ON, EPSILONS, SEEDS, ask)
        ]
    show(
        f"Tables of `lattice` reconciled, mean of {SEEDS} draws; ratios of total variation (TV) and"
        "\ndifferences of log-likelihood per record (ℓ) to mbi on the same noise, or to None\n"
        "(aim: TV at most 1.02 times mbi's, ℓ not below it, 20 times sooner)",
        [
            *("data", "ε", "TV None", "tables", "model", "ℓ None", "tables", "model"),
            *("time, tables", "model", "mbi : model"),
        ],
        rows,
    )


def _row(found: dict[str, Found]) -> list[str]:
    base = found.get("mbi", found["None"])
    ratios = [f"{found[str(way)].distance / base.distance:.3f}" for way in WAYS]
    gaps = [f"{found[str(way)].log_likelihood - base.log_likelihood:+.3f}" for way in WAYS]
    times = [milliseconds(found[way].seconds) for way in ("tables", "model")]
    slower = f"{found['mbi'].seconds / found['model'].seconds:.0f}" if "mbi" in found else "–"
    return [*ratios, *gaps, *times, slower]


if __name__ == "__main__":
    reconciliation()
