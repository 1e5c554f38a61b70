"""Tables 1 and 2 of P1: its columns as printed, the mechanisms as defined, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discreet.auditing import audit
from discreet.core import Mechanism
from discreet.core.law import Outcome
from discreet.divergence import hellinger
from discreet.progress import track
from discreet_papers.drawing import NAMES, typeset
from discreet_papers.p1.laws import (
    EIGHT,
    FORTY,
    SIXTY,
    chance,
    orders,
    over_local,
    truncated_chance,
    truncated_loss,
    usual,
)
from discreet_papers.parts import Cell, Part, Scale, Table
from discreet_papers.settings import CALIBRATED, LIMIT, OURS, law_of_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPONENTIAL, LAPLACE = "P1's exponential column", "P1's Laplace column"
_DEFINED = ("smooth_hellinger", "ls_dim", "ls_hist", "ehd", "ehdl", "ehds")
_COLUMNS = "counts mechanism answer candidates distance probability mean_error privacy_loss"

# answers by the number of steps, each with a candidate that stands for all its orders
ANSWERS: dict[Outcome, dict[str, Outcome]] = {
    EIGHT: {
        "0 steps": EIGHT,
        "1 step": (5, 3),
        "2 steps": (6, 2),
        "3 steps": (7, 1),
        "4 steps": (8, 0),
    },
    SIXTY: {
        "0 steps": SIXTY,
        "1 step": (21, 19, 20),
        "2 steps, a": (22, 19, 19),
        "2 steps, b": (21, 21, 18),
        "2 steps, c": (22, 18, 20),
        "farthest": (60, 0, 0),
    },
    FORTY: {"0 steps": FORTY, "1 step": (21, 19), "2 steps, c": (22, 18), "farthest": (40, 0)},
}


def distance(counts: Sequence[int], candidate: Sequence[int]) -> float:
    """Hellinger, prior 1."""
    return float(hellinger([1 + c for c in candidate], [1 + c for c in counts]))


def _made(label: str, counts: tuple[int, ...]) -> Mechanism | None:
    if label == LAPLACE:
        return None
    return over_local(counts) if label == EXPONENTIAL else usual(label, counts)


def _rows(counts: tuple[int, ...], label: str, audited: bool) -> Iterator[list[Cell]]:
    mechanism = _made(label, counts)
    mean = loss = None
    if mechanism is not None:
        law, mean = mechanism.law(counts), law_of_error(mechanism, counts).mean
    if audited:
        loss = truncated_loss(len(counts)) if mechanism is None else audit(mechanism).epsilon
    for answer, candidate in ANSWERS[counts].items():
        those = orders(candidate)
        if mechanism is None:
            p = sum(truncated_chance(counts, one) for one in those)
        else:
            p = chance(law, those)
        far = distance(counts, candidate)
        yield [str(counts), label, answer, len(those), far, p, mean, loss]


def _table_1(scale: Scale) -> Table:
    labels = (EXPONENTIAL, LAPLACE, *_DEFINED, *OURS)
    rows = [row for label in labels for row in _rows(EIGHT, label, audited=True)]
    return Table.of(_COLUMNS, rows)


def _table_2(scale: Scale) -> Table:
    labels = [(SIXTY, label) for label in (EXPONENTIAL, LAPLACE, *_DEFINED, "lattice")]
    if not scale.quick:
        labels.append((SIXTY, CALIBRATED))
    labels += [(FORTY, label) for label in (EXPONENTIAL, LAPLACE, *_DEFINED, "lattice")]
    labels += [(FORTY, CALIBRATED), (FORTY, LIMIT)]
    rows = [
        row
        for counts, label in track(labels, "P1 Table 2")
        for row in _rows(counts, label, audited=not scale.quick or len(counts) == 2)
    ]
    return Table.of(_COLUMNS, rows)


def _draw(table: Table) -> Figure:
    answers = [str(answer) for answer in table.values("answer")]
    lines: list[list[str]] = []
    ours: list[int] = []
    for counts in table.values("counts"):
        part = table.where(counts=counts)
        first = part.where(mechanism=part["mechanism"][0])
        head = f"Counts {counts}: distance"
        lines.append([head, *_cells(first, "distance", answers), "", ""])
        for label in part.values("mechanism"):
            found = part.where(mechanism=label)
            if label in OURS:
                ours.append(len(lines))
            ends = [_text(found[name][0]) for name in ("mean_error", "privacy_loss")]
            name = NAMES.get(str(label), str(label))
            lines.append([f"    {name}", *_cells(found, "probability", answers), *ends])
    return typeset(["", *answers, "mean error", "privacy loss"], lines, ours)


def _cells(found: Table, column: str, answers: list[str]) -> list[str]:
    values = dict(zip(found["answer"], found[column], strict=True))
    return [_text(values.get(answer)) for answer in answers]


def _text(value: Cell) -> str:
    if value is None:
        return "–"
    number = float(value)
    return f"{number:.5f}" if number >= 1e-5 or number == 0 else f"{number:.1e}"


PARTS: tuple[Part, ...] = (
    Part(
        "p1-table-1",
        "Table 1",
        "Probability of releasing a posterior 0 to 4 steps from the true one; eight records, "
        "counts (4, 4), prior Beta(1, 1), ε = δ = 0.8 (P1 does not print ε; this value gives every "
        "digit). The first two lines are P1's columns: its exponential one is exp(−ε·H/LS), not "
        "its own definition of M_H, and its Laplace one is noise rounded towards zero and not "
        "clipped, so that it sums to 0.865. The last column is the exact privacy loss: both lose "
        "more than 0.8. Below them the mechanisms as defined (EHDL, with the local sensitivity, "
        "has no proof of privacy) and, on grey, ours.",
        _table_1,
        _draw,
    ),
    Part(
        "p1-table-2",
        "Table 2",
        "P1's second table, ε = δ = 0.8. Its caption says Beta(1, 1) and 40 records, but the "
        "numbers are those of Dir(1, 1, 1) with counts (20, 20, 20); they come first, the case of "
        "the caption below. Two steps lie at three different distances for three categories: "
        "a such as (22, 19, 19), which is all that P1 shows, b such as (21, 21, 18), c such as "
        "(22, 18, 20), which is the distance of two steps for two categories too. The farthest "
        "posteriors are those with all records in one category. The limit cannot be computed for "
        "three categories here; the quick run leaves out the privacy loss and the calibration for "
        "them.",
        _table_2,
        _draw,
    ),
)
