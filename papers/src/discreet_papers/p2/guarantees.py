"""P2 Table 1 with numbers: what the bounds promise in the setting of Figure 1, and what is so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import divergence
from discreet.exact import Floats
from discreet.families.network import bounds
from discreet.families.network.mechanisms import fourier
from discreet.families.network.smoothness import beta_smoothness
from discreet.progress import track
from discreet_papers.drawing import typeset
from discreet_papers.p2.accuracy import FEATURES, NET, TRAINED, made_up
from discreet_papers.p2.claims_laplace import some_exceeds
from discreet_papers.p2.claims_sampler import worst_loss
from discreet_papers.p2.simulating import (
    FOURIER,
    LAPLACE,
    LATTICE,
    LEAST,
    MAP,
    POINTS,
    SAMPLER,
    Split,
    network,
    probabilities,
    released,
)
from discreet_papers.parts import Cell, Part, Scale, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELTA = 0.05
EPSILONS = (1.0, 2.0, 5.0)
NAMES = {
    LAPLACE: "Laplace",
    FOURIER: "Fourier",
    SAMPLER: "sampler",
    MAP: "MAP",
    LATTICE: "lattice (ours)",
}
GUARANTEES = {
    LAPLACE: "ε",
    FOURIER: "ε",
    SAMPLER: "2L for each family",
    MAP: "ε, with masses",
    LATTICE: "ε",
}
_PAIR = ("bound", "reached")
_COLUMNS = "mechanism guarantee quantity epsilon bound reached remark"
_PRIOR_2 = network((2,) * FEATURES, prior=2)


class Row(NamedTuple):
    """A statement at one ε; None where there is none."""

    mechanism: str
    quantity: str
    bound: float | None
    reached: float | None
    remark: str


def _quantile(values: Floats) -> float:
    return float(np.quantile(values, 1 - DELTA))


def _says(bound: float, most: float, what: str) -> str:
    return f"vacuous: {what}" if bound >= most else "says something"


def _laplace(epsilon: float, splits: list[Split], rng: np.random.Generator) -> Iterator[Row]:
    bound = bounds.largest_update_error(NET, epsilon, DELTA)
    rate = epsilon / (2 * len(NET.nodes))
    exact = next(z for z in range(bound + 1) if some_exceeds(rate, z, NET.size) <= DELTA)
    says = _says(bound, TRAINED, f"n = {TRAINED}")
    yield Row(LAPLACE, "largest error before cutting, Prop. 1", bound, exact, says)
    likely = bounds.probable_divergence(_PRIOR_2, TRAINED, DELTA)
    sure = bounds.largest_divergence(_PRIOR_2, TRAINED)
    counts = np.array([one.counts for one in splits])
    values = released(LAPLACE, NET, splits, epsilon, rng)
    found = divergence.kl(
        counts.reshape(-1, 2) + 2.0, values.astype(np.float64).reshape(-1, 2) + 2.0
    )
    total = np.asarray(found).reshape(len(counts), -1).sum(axis=1)
    says = _says(likely, sure, f"never above {sure:,.0f}")
    yield Row(LAPLACE, "divergence, prior 2, Theorem 1 corrected", likely, _quantile(total), says)


def _fourier(epsilon: float, splits: list[Split], rng: np.random.Generator) -> Iterator[Row]:
    values = released(FOURIER, NET, splits, epsilon, rng).astype(np.float64)
    errors = np.abs(values - [one.counts for one in splits])
    table = errors[:, 2:6].sum(axis=1)
    for words, bound in (
        ("Theorem 3", bounds.marginal_error_as_printed(NET, "x1", epsilon, DELTA)),
        ("ours", bounds.largest_marginal_error(NET, "x1", epsilon, DELTA)),
    ):
        says = _says(bound, 2 * TRAINED, f"2n = {2 * TRAINED}")
        yield Row(FOURIER, f"l1 error of a table, t = 0, {words}", bound, _quantile(table), says)
    cells = np.concatenate([np.full(f.cells, f.cells) for f in NET.families])
    needed = (-values * cells).max(axis=1)
    raised = math.ceil(4 * math.log(10) * len(fourier.closure(NET)) ** 2 / epsilon)
    share = float((needed <= raised).mean())
    remark = f"adds {raised:,} records"
    yield Row(FOURIER, "no negative cell, t = ln 10, Cor. 3", 0.9, share, remark)


def _sampler(epsilon: float, splits: list[Split], rng: np.random.Generator) -> Iterator[Row]:
    loss = worst_loss(math.exp(-epsilon / 2)) if epsilon > LEAST else None
    remark = "false for records" if loss else "nothing is left"
    yield Row(SAMPLER, "loss of a sample with ω = e^(−ε/2), App. C.2", epsilon, loss, remark)
    smooth = beta_smoothness(NET)
    remark = f"does not apply: c = {smooth.rate:.2f} < ρ = {smooth.distance}"
    bound = smooth.value if math.isfinite(smooth.value) else None
    yield Row(SAMPLER, "δ of a (0, δ) guarantee, Theorem 4", bound, None, remark)
    values = released(SAMPLER, NET, splits, epsilon, rng)
    mean = probabilities(NET, np.array([one.counts for one in splits]))
    error = _quantile(np.abs(values.astype(np.float64) - mean)[:, ::2].ravel())
    bound = math.sqrt(math.log(1 / DELTA))  # N = 1, constants left out
    yield Row(SAMPLER, "error of a mean, one sample", bound, error, _says(bound, 1, "above 1"))


def _map(epsilon: float) -> Iterator[Row]:
    from scipy.special import betainc

    sensitivity = math.exp(-1)  # of a mass, uniform prior
    budget = epsilon / (2 * len(NET.nodes))  # for a record in a row
    ends = betainc(13, 13, np.linspace(0, 1, POINTS + 1))  # 12 and 12 records in the row
    mass = np.diff(ends)
    t = float(mass.max() - np.sort(mass)[-2]) / 2
    weight = np.exp(budget * mass / (2 * sensitivity))
    missed = float(weight[mass <= mass.max() - 2 * t + 1e-12].sum() / weight.sum())
    bound = bounds.map_miss(budget, t, sensitivity, 1 / POINTS)
    yield Row(MAP, "P(not the best point), Lemma 4", bound, missed, _says(bound, 1, "above 1"))


def _lattice(epsilon: float, splits: list[Split], rng: np.random.Generator) -> Iterator[Row]:
    values = released(LATTICE, NET, splits, epsilon, rng).astype(np.float64)
    errors = np.abs(values - [one.counts for one in splits])
    yield Row(LATTICE, "largest error of a cell", None, _quantile(errors.max(axis=1)), "")
    table = errors[:, 2:6].sum(axis=1)
    yield Row(LATTICE, "l1 error of a table", None, _quantile(table), "")


def _compute(scale: Scale) -> Table:
    splits = made_up(100 if scale.quick else 400, scale.rng("splits"))
    few = splits[: 10 if scale.quick else 40]
    rows: list[list[Cell]] = []
    for epsilon in track(EPSILONS, "P2 Table 1"):
        rng = scale.rng("guarantees", epsilon)
        for row in (
            *_laplace(epsilon, splits, rng),
            *_fourier(epsilon, splits, rng),
            *_sampler(epsilon, few, rng),
            *_map(epsilon),
            *_lattice(epsilon, splits, rng),
        ):
            kind = GUARANTEES[row.mechanism]
            rows.append([row.mechanism, kind, row.quantity, epsilon, *row[2:]])
    return Table.of(_COLUMNS, rows)


def _draw(table: Table) -> Figure:
    lines: list[list[str]] = []
    ours: list[int] = []
    for mechanism in table.values("mechanism"):
        part = table.where(mechanism=mechanism)
        if mechanism == LATTICE:
            ours = list(range(len(lines), len(lines) + 1 + len(part.values("quantity"))))
        name = NAMES[str(mechanism)]
        lines.append([f"{name}: private with {part['guarantee'][0]}", *[""] * 7])
        for quantity in part.values("quantity"):
            found = part.where(quantity=quantity)
            cells = [_text(found.where(epsilon=e)[c][0]) for e in EPSILONS for c in _PAIR]
            lines.append([f"    {quantity}", *cells, str(found["remark"][-1])])
    heads = [text for e in EPSILONS for text in (f"ε = {e:g}", "reached")]
    return typeset(["", *heads, "the bound at ε = 5"], lines, ours)


def _text(value: Cell) -> str:
    if value is None:
        return "–"
    number = float(value)
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


PARTS: tuple[Part, ...] = (
    Part(
        "p2-table-1",
        "Table 1",
        "P2's guarantees and utility bounds with numbers: 16 binary features and 50 records as in "
        "Figure 1, δ = 0.05. For each ε the bound, then what is reached: 95 % quantiles of 400 "
        "simulated releases (100 in a quick run; 40 and 10 for the sampler), exact values for "
        "Proposition 1, the loss of a sample, and Lemma 4, which is for a row with 12 and 12 "
        "records. The last column, for ε = 5, says where a bound is vacuous, that is, as large as "
        "what no data or release can exceed. Theorem 1 holds for priors of at least 2 only and is "
        "corrected (E15). P2 has no lattice; it has no bound of its own here.",
        _compute,
        _draw,
    ),
)
