"""What a reproduction consists of: tables and figures, claims, and printed numbers."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet_papers.data import DataSet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPERS = {
    "p0": "Exploring the Design Space of Differentially Private Bayesian Inference under "
    "Hellinger Distance (anonymous submission)",
    "p1": "Accuracy Analysis For Three Mechanisms (draft, apparently of the same group)",
    "p2": "On the Differential Privacy of Bayesian Inference (Zhang, Rubinstein and Dimitrakakis, "
    "AAAI 2016)",
    "p3": "Notes of DP - Bayesian Inference (draft, apparently of the same group)",
    "p4": "Differentially Private Bayesian Programming (Barthe et al., CCS 2016), its examples",
    "ours": "Findings of our own",
}

Cell: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True)
class Scale:
    """How much work to do, the seed of all that is drawn at random, and where real records are."""

    quick: bool = False
    seed: int = 0
    data: Path | None = None  # a folder with real records

    @property
    def runs(self) -> int:
        """Releases behind a box plot; the papers have 1,000."""
        return 200 if self.quick else 1000

    def rng(self, *name: object) -> np.random.Generator:
        """A generator of its own for every name: what else is drawn does not matter."""
        return np.random.default_rng([self.seed, zlib.crc32(repr(name).encode())])


@dataclass(frozen=True)
class Table:
    """The numbers of a figure, in long form: a row for every point."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, columns: str, rows: Iterator[Sequence[Cell]] | Sequence[Sequence[Cell]]) -> Table:
        """From column names separated by spaces, and rows; numpy's numbers become Python's."""
        names = tuple(columns.split())
        plain = tuple(tuple(_plain(cell) for cell in row) for row in rows)
        assert all(len(row) == len(names) for row in plain)
        return cls(names, plain)

    def where(self, **values: Cell) -> Table:
        """The rows with these values."""
        places = {self.columns.index(name): value for name, value in values.items()}
        rows = (row for row in self.rows if all(row[i] == v for i, v in places.items()))
        return Table(self.columns, tuple(rows))

    def __getitem__(self, column: str) -> list[Cell]:
        place = self.columns.index(column)
        return [row[place] for row in self.rows]

    def numbers(self, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """A column of numbers."""
        return np.array([float(str(cell)) for cell in self[column]])

    def values(self, column: str) -> list[Cell]:
        """The different values of a column, in order of appearance."""
        return list(dict.fromkeys(self[column]))

    def csv(self) -> str:
        """As text; floats in the fewest digits that give them back."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()


def _plain(cell: object) -> Cell:
    value = cell.item() if isinstance(cell, np.generic) else cell
    assert value is None or isinstance(value, (str, int, float, bool)), type(value)
    return value


@dataclass(frozen=True)
class Part:
    """A table or a figure of a paper, by our mechanisms.

    `draw` sees the table alone, so that the CSV holds all that is plotted.
    """

    name: str  # such as "p0-figure-2"
    label: str  # as the paper calls it, or what we add
    caption: str  # in our words, with what differs from the paper
    compute: Callable[[Scale], Table]
    draw: Callable[[Table], Figure]
    data: tuple[DataSet, ...] = ()

    @property
    def paper(self) -> str:
        """The paper it belongs to."""
        return self.name.split("-")[0]

    def synthetic(self, scale: Scale) -> list[str]:
        """The files that synthetic records stand in for."""
        return [one.file for one in self.data if not one.here(scale.data)]


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"

    @classmethod
    def of(cls, stated: bool, conditioned: bool = False) -> Verdict:
        """Whether it is true as stated, or else under the condition that the finding names."""
        if stated:
            return cls.HOLDS
        return cls.CONDITION if conditioned else cls.FAILS

    def of_several(self, number: int) -> str:
        """1 holds, 2 hold."""
        plain = {"holds": "hold", "does": "do"}
        first, *rest = self.value.split()
        return " ".join([str(number), first if number == 1 else plain[first], *rest])


@dataclass(frozen=True)
class Finding:
    """What was measured of a claim: the verdict, one or two sentences, and the numbers."""

    verdict: Verdict
    words: str
    measured: Mapping[str, Cell]


@dataclass(frozen=True)
class Claim:
    """Something that a paper says, in our words, and how it is measured.

    `erratum` is its number in docs/bibliography.md, if it is one of the errors listed there.
    `implied` marks what a paper does not say in so many words.
    """

    id: str  # such as "p0-ehd-is-private"
    section: str
    statement: str
    measure: Callable[[], Finding] = field(repr=False)
    erratum: str | None = None
    implied: bool = False

    @property
    def paper(self) -> str:
        """The paper that says it."""
        return self.id.split("-")[0]

    @property
    def place(self) -> str:
        """Where it stands: paper, section, erratum."""
        if self.paper == "ours":
            return f"ours, {self.section}"
        remarks = [text for text in (self.erratum, "implied" if self.implied else None) if text]
        return f"{self.paper.upper()} {self.section}" + (
            f" ({', '.join(remarks)})" if remarks else ""
        )


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it, and ours.

    `reason` says why they differ; None promises that they agree to every printed digit.
    """

    paper: str
    place: str  # such as "Table 1, LSDim, c(0)"
    text: str
    ours: Callable[[], float] = field(repr=False)
    reason: str | None = None

    def agrees(self, ours: float) -> bool:
        """Whether ours, rounded or cut off at the last printed digit, is what is printed."""
        mantissa, _, exponent = self.text.lower().partition("e")
        digits = len(mantissa.partition(".")[2])
        unit = 10.0 ** (int(exponent or 0) - digits)
        return -0.5 * unit <= ours - float(self.text) < unit


def come_out(printed: Iterable[tuple[Printed, float]]) -> tuple[int, int]:
    """How many different printed numbers agree with ours in some reading, of how many."""
    found: dict[tuple[str, str], bool] = {}
    for number, ours in printed:
        key = number.paper, number.text
        found[key] = found.get(key, False) or number.agrees(ours)
    return sum(found.values()), len(found)
