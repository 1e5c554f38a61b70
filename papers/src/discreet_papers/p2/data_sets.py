"""Records for naive Bayes. Titanic is a table of 32 counts; the others are read from files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from discreet.exact import Ints
from discreet.families.network.model import BayesNet
from discreet_papers.data import DataSet, broken, cells
from discreet_papers.p2.simulating import network

# class (1st, 2nd, 3rd, crew) × sex (male, female) × age (child, adult) × survived (no, yes):
# the data set Titanic of R
TITANIC = (
    *(0, 5, 118, 57, 0, 1, 4, 140),
    *(0, 11, 154, 14, 0, 13, 13, 80),
    *(35, 13, 387, 75, 17, 14, 89, 76),
    *(0, 0, 670, 192, 0, 0, 3, 20),
)


@dataclass(frozen=True, eq=False)
class Records:
    """Records with a class, as places of states."""

    net: BayesNet
    labels: Ints
    places: Ints  # a row per record, a column per feature
    synthetic: bool = False

    @property
    def majority(self) -> float:
        """The share of the commonest class."""
        return float(np.bincount(self.labels).max() / len(self.labels))


def titanic() -> Records:
    """The passengers and the crew."""
    states = np.array(list(product(range(4), range(2), range(2), range(2))))
    records = np.repeat(states, TITANIC, axis=0)
    return Records(network((4, 2, 2)), records[:, 3], records[:, :3])


def _votes(path: Path) -> Records:
    """Any other vote than y, such as one that is not known, counts as no."""
    return _binary(path, cells(path, ["class"], 16), ("republican", "democrat"), ("n", "y", "?"))


def _spect(path: Path) -> Records:
    names = ["diagnosis", *(f"F{i}" for i in range(1, 23))]
    return _binary(path, cells(path, names), ("0", "1"), ("0", "1"))


def _binary(
    path: Path, table: list[list[str]], classes: tuple[str, str], states: tuple[str, ...]
) -> Records:
    """The second name of a class is 1, and so is the second of a state."""
    for number, (label, *row) in enumerate(table, 1):
        if label not in classes:
            raise broken(path, f"have a class {' or '.join(classes)} in record {number}")
        if not set(row) <= set(states):
            raise broken(path, f"have no features but {', '.join(states)} in record {number}")
    found = np.array(table)
    labels, places = found[:, 0] == classes[1], found[:, 1:] == states[1]
    if labels.all() or not labels.any():
        raise broken(path, "have records of both classes")
    net = network((2,) * places.shape[1])
    return Records(net, labels.astype(np.int64), places.astype(np.int64))


def _made_up(records: int, ones: int, features: int) -> Records:
    """So many records of class 1; P(feature | class) is uniform on [0.2, 0.8]."""
    rng = np.random.default_rng([2016, records])
    labels = (np.arange(records) < ones).astype(np.int64)
    chances = rng.uniform(0.2, 0.8, (2, features))[labels]
    places = (rng.random((records, features)) < chances).astype(np.int64)
    return Records(network((2,) * features), labels, places, synthetic=True)


VOTES = DataSet("votes84.csv", _votes, partial(_made_up, 435, 267, 16))
SPECT = DataSet("spect.csv", _spect, partial(_made_up, 267, 212, 22))
