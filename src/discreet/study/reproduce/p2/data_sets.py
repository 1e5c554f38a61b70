"""Real records for naive Bayes. Titanic is a table of 32 counts; the others are read from files."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from discreet.exact import Ints
from discreet.models.network import BayesNet
from discreet.study.reproduce.p2.simulating import network

DATA_SETS = {
    "votes84": "votes84: party, from 16 votes",
    "spect": "spect: diagnosis, from 22 findings",
    "titanic2201": "titanic2201: survival, from 3 features",
}
FOLDER = Path(__file__).resolve().parents[6] / "shared" / "data"

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

    @property
    def majority(self) -> float:
        """The share of the commonest class."""
        return float(np.bincount(self.labels).max() / len(self.labels))


def read(name: str, folder: Path = FOLDER) -> Records | None:
    """A data set by name; None if its file is not here."""
    if name == "titanic2201":
        cells = np.array(list(product(range(4), range(2), range(2), range(2))))
        records = np.repeat(cells, TITANIC, axis=0)
        return Records(network((4, 2, 2)), records[:, 3], records[:, :3])
    try:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            _, *lines = csv.reader(file)
    except OSError:
        return None
    if name == "spect":
        table = np.array([line[1:] for line in lines], dtype=np.int64)
        return Records(network((2,) * 22), table[:, 0], table[:, 1:])
    votes = np.array(lines)
    labels = (votes[:, 0] == "democrat").astype(np.int64)
    return Records(network((2,) * 16), labels, (votes[:, 1:] == "y").astype(np.int64))
