"""The numbers that P1 prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from discreet.core.law import Outcome
from discreet_papers.p1.laws import (
    EIGHT,
    FORTY,
    SIXTY,
    chance,
    orders,
    over_local,
    truncated_chance,
    usual,
)
from discreet_papers.p1.tables import ANSWERS, distance
from discreet_papers.parts import Printed
from discreet_papers.settings import law_of_error

# answer: distance, exponential column, Laplace column
TABLE_1 = {
    "4 steps": ("0.83737258593", "0.0431193490585", "0.066561234758"),
    "3 steps": ("0.662174391701", "0.0785621424847", "0.0992976939175"),
    "2 steps": ("0.457635865026", "0.158265808563", "0.148134752205"),
    "1 step": ("0.233629480709", "0.340809715054", "0.220991081918"),
    "0 steps": ("0.0", "0.37924298484", "0.329679953964"),
}
TABLE_2 = {
    "farthest": ("0.999999984481", "0.000149705644585", "3.05988187701e-09"),
    "2 steps, a": ("0.187421762881", "0.0548161224677", "0.0285774941516"),
    "1 step": ("0.110122822057", "0.192227323562", "0.170131188571"),
    "0 steps": ("0.0", "0.0713016293602", "0.108688872046"),
}


def exponential(counts: Outcome, candidate: Outcome) -> float:
    """The exponential columns, ∝ exp(−ε·H/LS), summed over all orders of the candidate."""
    return chance(over_local(counts).law(counts), orders(candidate))


def laplace(counts: Outcome, candidate: Outcome) -> float:
    """The Laplace columns: rounded towards zero, not clipped, summed over all orders."""
    return sum(truncated_chance(counts, one) for one in orders(candidate))


def _table(
    number: int, counts: Outcome, texts: dict[str, tuple[str, str, str]]
) -> Iterator[Printed]:
    ways = {"distance": distance, "exponential": exponential, "Laplace": laplace}
    for answer, row in texts.items():
        candidate = ANSWERS[counts][answer]
        for (column, way), text in zip(ways.items(), row, strict=True):
            place = f"Table {number}, {answer}, {column}"
            yield Printed("p1", place, text, partial(way, counts, candidate))


def _distances() -> float:
    return float(len(law_of_error(over_local(EIGHT), EIGHT).distances))


def _defined(label: str, counts: Outcome) -> float:
    return usual(label, counts).law(counts).probability(counts)


_LOCAL = "the column is exp(−ε·H/LS); M_H as P1 defines it has exp(−ε·H/(2S)) (E7, E9)"
_FLOOR = "the column rounds the noise towards zero; rounded down, as the text says, it is this"
_CAPTION = "the caption's setting, Beta(1, 1) with counts (20, 20); the table has another (E8)"

PRINTED: tuple[Printed, ...] = (
    *_table(1, EIGHT, TABLE_1),
    Printed("p1", "§3.4.1, kinds of steps at n = 8", "5", _distances),
    Printed(
        "p1",
        "Table 1, 0 steps, exponential, M_H as defined",
        TABLE_1["0 steps"][1],
        partial(_defined, "smooth_hellinger", EIGHT),
        _LOCAL,
    ),
    Printed(
        "p1",
        "Table 1, 0 steps, Laplace, as defined",
        TABLE_1["0 steps"][2],
        partial(_defined, "ls_dim", EIGHT),
        _FLOOR,
    ),
    *_table(2, SIXTY, TABLE_2),
    Printed(
        "p1",
        "Table 2, caption, data size",
        "40",
        lambda: float(sum(SIXTY)),
        "the numbers of the table come out for counts (20, 20, 20) and prior Dir(1, 1, 1) (E8)",
    ),
    Printed(
        "p1",
        "Table 2, 0 steps, exponential, as captioned",
        TABLE_2["0 steps"][1],
        partial(exponential, FORTY, FORTY),
        _CAPTION,
    ),
    Printed(
        "p1",
        "Table 2, 0 steps, Laplace, as captioned",
        TABLE_2["0 steps"][2],
        partial(laplace, FORTY, FORTY),
        _CAPTION,
    ),
    Printed(
        "p1",
        "Table 2, 0 steps, exponential, M_H as defined",
        TABLE_2["0 steps"][1],
        partial(_defined, "smooth_hellinger", SIXTY),
        _LOCAL,
    ),
)
