"""The four studies that P1 announces and does not contain: size, dimension, prior, variance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from discreet.exact import Floats
from discreet.plots import new_axes
from discreet.progress import track
from discreet_papers.drawing import curves
from discreet_papers.p1.laws import usual
from discreet_papers.parts import Part, Scale, Table
from discreet_papers.settings import CALIBRATED, LIMIT, law_of_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (
    *("ls_dim", "ls_hist", "ehd", "ehdl", "smooth_hellinger", "ehds"),
    *("lattice", CALIBRATED, LIMIT),
)
GOOD = 3  # steps that P1 still calls a good answer
_COLUMNS = "panel mechanism x mean_error within_three_steps"
_MOST = 90  # records of a calibration for three categories

Point = tuple[str, float, float, tuple[int, ...]]  # panel, x, prior, counts


def measured(label: str, counts: Sequence[int], prior: float = 1) -> tuple[float, float]:
    """The mean Hellinger error, and the probability of at most three steps."""
    law = law_of_error(usual(label, counts, prior), tuple(counts))
    return law.mean, sum(p for steps, p in law.by_steps().items() if steps <= GOOD)


def _possible(label: str, counts: Sequence[int], quick: bool) -> bool:
    k, n = len(counts), sum(counts)
    if label == LIMIT:
        return k == 2
    if label == CALIBRATED:
        return n <= 400 or not quick if k == 2 else k == 3 and n <= _MOST and not quick
    return True


def _study(points: Iterable[Point], name: str, quick: bool) -> Table:
    tasks = [
        (*point, label) for point in points for label in LABELS if _possible(label, point[3], quick)
    ]
    rows = [
        (panel, label, x, *measured(label, counts, prior))
        for panel, x, prior, counts, label in track(tasks, name)
    ]
    return Table.of(_COLUMNS, rows)


def _sizes(scale: Scale) -> Table:
    two = (8, 20, 40, 100, 200, 400, 800, 1600)
    three = (9, 30, 60, 90, 150, 300, 600)
    points: list[Point] = [("two categories", n, 1, (n // 2,) * 2) for n in two]
    points += [("three categories", n, 1, (n // 3,) * 3) for n in three]
    return _study(points, "P1 study of data size", scale.quick)


def _dimensions(scale: Scale) -> Table:
    most = 3 if scale.quick else 4
    points: list[Point] = [("", k, 1, (20,) * k) for k in range(2, most + 1)]
    found = _study(points, "P1 study of dimension", scale.quick)
    return Table(found.columns, tuple(row for row in found.rows if row[1] != LIMIT))


def _priors(scale: Scale) -> Table:
    strengths = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)
    points: list[Point] = [
        (f"counts {counts}", a, a, counts) for counts in ((20, 20), (30, 10)) for a in strengths
    ]
    return _study(points, "P1 study of the prior", scale.quick)


def _variances(scale: Scale) -> Table:
    ones = range(0, 21, 4) if scale.quick else range(21)
    points: list[Point] = [("", x, 1, (x, 40 - x)) for x in ones]
    return _study(points, "P1 study of data variance", scale.quick)


def _draw(
    table: Table, what: str, log: str, ticks: Sequence[float], room: float | None = None
) -> Figure:
    """A row for every panel: on the left the mean error, on the right good answers.

    `room` is what a linear axis has on the right for names, as a share of its range.
    """
    from matplotlib.figure import Figure

    names = table.values("panel")
    figure = Figure(figsize=(10.4, 4.9 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), 2, squeeze=False, gridspec_kw={"wspace": 0.06})
    for row, panel in zip(axes, names, strict=True):
        part = table.where(panel=panel)
        errors, good = (_curves(part, name) for name in ("mean_error", "within_three_steps"))
        left, right = (new_axes(ax) for ax in row)
        first, last = min(part.numbers("x")), max(part.numbers("x"))
        marks = [x for x in ticks if first <= x <= last]
        low = 0.8 * float(min(part.numbers("mean_error"))) if "y" in log else 0.0
        ends = None if room is None else (first - 0.05, last + room * (last - first))
        words = (what, "mean Hellinger error")
        curves(left, errors, words, str(panel), log, limits=(ends, (low, 1)))
        words = (what, "probability of at most three steps")
        curves(right, good, words, str(panel), log.replace("y", ""), limits=(ends, (0, 1)))
        if "y" in log:
            shares = [y for y in (0.02, 0.05, 0.1, 0.2, 0.5, 1) if y >= low]
            left.set_yticks(shares, [f"{y:g}" for y in shares])
        for ax in (left, right):
            ax.set_xticks(marks, [f"{x:g}" for x in marks])
            ax.minorticks_off()
    return figure


def _curves(part: Table, column: str) -> dict[str, tuple[Floats, Floats]]:
    """By label, the two longest first: they need the most room beside their curves."""
    labels = sorted(map(str, part.values("mechanism")), key=lambda x: x not in ("ehdl", CALIBRATED))
    found = {label: part.where(mechanism=label) for label in labels}
    return {label: (rows.numbers("x"), rows.numbers(column)) for label, rows in found.items()}


PARTS: tuple[Part, ...] = (
    Part(
        "p1-study-size",
        "Announced in §3.4.1: data size",
        "Accuracy against the number of records, balanced counts, prior 1, ε = δ = 0.8. P1 expects "
        "good answers of its mechanism to become rare like 1/n (two categories) and 1/n² (three). "
        "That is what EHD does; M_H loses at first and then recovers, because its sensitivity "
        "falls with n. The Laplace mechanisms and the lattice stay where they are. For two "
        "categories the limit coincides with the lattice; for three it cannot be computed, and "
        f"the calibration only up to {_MOST} records. EHDL, with the local sensitivity, is M_H but "
        "for small data. The quick run leaves out the calibrated EHDS for three categories "
        "and above 400 records.",
        _sizes,
        lambda table: _draw(table, "number of records", "xy", (10, 30, 100, 300, 1000)),
    ),
    Part(
        "p1-study-dimension",
        "Announced in §3.4.1: dimension",
        "Accuracy against the number of categories with 20 records in each, prior 1, ε = δ = 0.8. "
        "P1 expects its mechanism to suffer and Laplace noise hardly to change; all of them "
        "suffer, the exponential mechanisms most. The limit could be computed for two categories "
        "only, the calibration for two and three; the quick run leaves out four categories, and "
        "the calibration for three.",
        _dimensions,
        lambda table: _draw(table, "number of categories", "", range(2, 5), 0.3),
    ),
    Part(
        "p1-study-prior",
        "Announced in §3.4.2: prior",
        "Accuracy against the strength a of the prior Beta(a, a), 40 records, ε = δ = 0.8. "
        "A stronger prior makes every mechanism more accurate, Laplace noise too: its scale stays "
        "the same, but it moves a strong posterior less. The probability of few steps does not "
        "change for additive noise. EHDL, with the local sensitivity, coincides with M_H but for "
        "weak priors at (30, 10).",
        _priors,
        lambda table: _draw(table, "prior strength a", "xy", (0.5, 1, 2, 5, 10, 20, 50, 100, 200)),
    ),
    Part(
        "p1-study-variance",
        "Announced in §3.4.3: data variance",
        "Accuracy against the number of ones among 40 records, prior Beta(1, 1), ε = δ = 0.8. The "
        "exponential mechanisms profit from balanced data, as P1 says (it calls them data of small "
        "variance; for zeros and ones balanced is the largest variance). Additive noise is best "
        "at the very edge, where half of it is clipped away. The limit is the least error on "
        "average over all counts, so that another mechanism can be better at some. The quick "
        "run has every fourth number of ones only.",
        _variances,
        lambda table: _draw(table, "number of ones among 40 records", "", range(0, 21, 5)),
    ),
)
