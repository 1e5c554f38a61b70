"""Bayesian networks at size, and naive Bayes beside diffprivlib and scikit-learn."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dp
from benchmarks.timing import best, milliseconds, show

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = {"votes84": "class", "spect": "diagnosis", "titanic2201": "Survived"}
EPSILONS = (0.1, 0.5, 1, 2, 5)
RUNS = 50


def alarm() -> None:
    """37 nodes, a million records in a Parquet file."""
    path = DATA / "bif" / "alarm.bif"
    if not path.exists():
        return
    net = dp.BayesNet.from_bif(path)
    records = net.sample(1_000_000, np.random.default_rng(1))
    start = time.perf_counter()
    tables = net.count(records)
    counted = time.perf_counter() - start
    rows = [["count all families in one pass", milliseconds(counted)]]
    for name in ("lattice", "laplace_updates", "fourier", "map", "posterior_sample"):
        start = time.perf_counter()
        dp.release(tables, net, 1, name)
        rows.append([f"release by {name}", milliseconds(time.perf_counter() - start)])
    show(
        "alarm network, 1,000,000 records (aim: counting and lattice under 15 s)",
        ["job", "time"],
        rows,
    )


def private_number() -> None:
    """Under add-remove: what the noise costs all tables, negative cells taken for 0."""
    if not (DATA / "bif" / "asia.bif").exists():
        return
    rows = []
    for name in ("asia", "child"):
        net = dp.BayesNet.from_bif(DATA / "bif" / f"{name}.bif")
        tables = net.count(net.sample(5_000, np.random.default_rng(1)))
        for epsilon in (0.5, 1, 2):
            errors = [_l1(net, tables, epsilon, way) for way in ("laplace_updates", "lattice")]
            ratio = errors[1] / errors[0]
            rows.append([name, str(epsilon), *(f"{e:.0f}" for e in errors), f"{ratio:.2f}"])
    show(
        f"Private n: mean l1 error of all family tables, 5,000 records, {RUNS} releases\n"
        "(aim: lattice below laplace_updates)",
        ["network", "ε", "laplace_updates", "lattice", "ratio"],
        rows,
    )


def _l1(net: dp.BayesNet, tables: Any, epsilon: float, name: str) -> float:
    made = dp.mechanism(name, net, epsilon=epsilon, adjacency="add-remove")
    drawn = made.raw_law(tables).sample(RUNS, np.random.default_rng(2))
    values = np.array([made.postprocess(raw) for raw in drawn], dtype=float)
    truth = np.array(net.to_vector(tables), dtype=float)
    return float(np.abs(np.maximum(values, 0) - truth).sum(axis=1).mean())


def wide_naive_bayes() -> None:
    """500 binary features, 100,000 rows."""
    from sklearn.naive_bayes import BernoulliNB

    from discreet.learn import PrivateNaiveBayes

    rng = np.random.default_rng(1)
    features = rng.integers(0, 2, (100_000, 500))
    labels = rng.integers(0, 2, 100_000)
    model = PrivateNaiveBayes(1.0, categories=[0, 1], classes=[0, 1])
    private = best(lambda: model.fit(features, labels), 2)
    plain = best(lambda: BernoulliNB().fit(features, labels), 2)
    show(
        "Naive Bayes, 500 binary features, 100,000 rows (aim: under 10 s)",
        ["job", "time", "relative"],
        [
            ["PrivateNaiveBayes, counting and release", milliseconds(private), "1"],
            [
                "scikit-learn BernoulliNB, not private",
                milliseconds(plain),
                f"{plain / private:.2f}",
            ],
        ],
    )


def _read(name: str, label: str) -> tuple[Any, Any]:
    import csv

    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [column for column in rows[0] if column not in (label, "split")]
    columns = [[row[column] for row in rows] for column in names]
    return np.array(columns, dtype=object).T, np.array([row[label] for row in rows], dtype=object)


def _numbers(features: Any, states: list[list[str]]) -> Any:
    """For a peer that knows only numbers: the places of the states."""
    places = [
        [own.index(x) for x in column] for own, column in zip(states, features.T, strict=True)
    ]
    return np.array(places, dtype=float).T


def accuracies(name: str, epsilon: float, theirs: bool = True) -> dict[str, list[float]]:
    """On the other half of a data set, 50 random splits, the same for all; theirs: diffprivlib."""
    from sklearn.naive_bayes import CategoricalNB

    from discreet.learn import PrivateNaiveBayes

    features, labels = _read(name, SETS[name])
    states = [sorted(set(column)) for column in features.T]
    numbers = _numbers(features, states)
    found: dict[str, list[float]] = {}
    for run in range(RUNS):
        order = np.random.default_rng([run, 7]).permutation(len(labels))
        train, test = np.array_split(order, 2)
        plain = CategoricalNB(min_categories=[len(s) for s in states])
        plain.fit(numbers[train], labels[train])
        scores = {"not private": plain.score(numbers[test], labels[test])}
        for mechanism in ("lattice", "laplace_updates"):
            ours = PrivateNaiveBayes(
                epsilon,
                mechanism=mechanism,
                categories=states,
                classes=sorted(set(labels)),
                random_state=run,
            ).fit(features[train], labels[train])
            scores[mechanism] = ours.score(features[test], labels[test])
        if theirs:
            scores["diffprivlib"] = _diffprivlib(
                epsilon, run, numbers[train], labels[train], numbers[test], labels[test], states
            )
        for key, score in scores.items():
            found.setdefault(key, []).append(score)
    return found


def classification() -> None:
    """Naive Bayes on three data sets."""
    if not (DATA / "spect.csv").exists():
        return
    rows = [
        [name, str(epsilon), *_summary(accuracies(name, epsilon))]
        for name in SETS
        for epsilon in EPSILONS
    ]
    show(
        f"Naive Bayes: median accuracy over {RUNS} splits; paired differences ± standard error\n"
        "(aim: lattice below neither diffprivlib nor laplace_updates beyond the noise)",
        [
            "data",
            "ε",
            "not private",
            "lattice",
            "laplace_updates",
            "diffprivlib",
            "lattice − laplace_updates",
            "lattice − diffprivlib",
        ],
        rows,
    )


def _summary(found: dict[str, list[float]]) -> list[str]:
    medians = [f"{np.median(found[key]):.3f}" for key in found]
    for other in ("laplace_updates", "diffprivlib"):
        gap = np.subtract(found["lattice"], found[other])
        medians.append(f"{gap.mean():+.3f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.3f}")
    return medians


def _diffprivlib(
    epsilon: float, seed: int, x: Any, y: Any, other: Any, truth: Any, states: list[list[str]]
) -> float:
    from diffprivlib.models import GaussianNB

    bounds = (np.zeros(len(states)), np.array([len(own) - 1.0 for own in states]))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model = GaussianNB(epsilon=epsilon, bounds=bounds, random_state=seed).fit(x, y)
        return float(np.mean(model.predict(other) == truth))
