"""P2 Figure 2: error of private linear regression against the precision of its prior, and its ε."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.exact import Floats
from discreet.families.regression.model import LinearRegression
from discreet.plots.labels import label_lines
from discreet.progress import track
from discreet.releases.releasing import release
from discreet_papers.drawing import heading, note_synthetic, panels
from discreet_papers.p2.census import CENSUS
from discreet_papers.p2.survey import FEATURES, RECORDS, Survey
from discreet_papers.parts import Cell, Part, Scale, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXACT, SAMPLE = "exact", "sample"
TEMPERED, STATISTICS, NOTHING = "sample, ε = 1", "statistics, ε = 1", "no features"
PROVED, ATTAINED, PRINTED = "proved", "worst case", "as printed"
COLUMNS = "panel mechanism b epsilon runs median low high"
ERROR, SYNTHETIC_ERROR, LOSS = "error", "error, synthetic", "loss"
_NAMES = {
    EXACT: "not private",
    SAMPLE: "one sample, ε as on the right",
    TEMPERED: "one sample at ε = 1",
    STATISTICS: "noisy statistics at ε = 1",
    PROVED: "(1 + 10/√b)², proved",
    ATTAINED: "worst case: 40/√b for b > 100",
}
_COLOURS = {
    EXACT: "#000000",
    SAMPLE: "#CC79A7",
    TEMPERED: "#D55E00",
    STATISTICS: "#0072B2",
    PROVED: "#CC79A7",
    ATTAINED: "#000000",
    PRINTED: "#7F7F7F",
}


def norm_of(b: Fraction) -> Fraction:
    """P2's bound on the weights' norm, 10/√b, to twelve digits."""
    return Fraction(f"{10 / float(b) ** 0.5:.12g}")


def cost(b: Fraction, variance: Fraction = Fraction(1)) -> Fraction:
    """What a sample of the posterior is proved to lose: (1 + B)²/σ², where B = 10/√b.

    A residual lies in [−(1 + B), 1 + B] if ‖x‖ ≤ 1, |y| ≤ 1 and ‖w‖ ≤ B, so a record's
    log-likelihood in an interval of length (1 + B)²/(2σ²); the normaliser doubles it.
    """
    return (1 + norm_of(b)) ** 2 / variance


def worst_loss(norm: float, variance: float = 1.0) -> float:
    """The loss of a sample in the worst case: (1 + B)²/σ², for a norm B below 1 only 4B/σ².

    Between weights v and w a record adds (y − v·x)²/2 − (y − w·x)²/2 to the loss and the one that
    it replaces the same from w to v. For B ≤ 1 that is at most ((1 + B)² − (1 − B)²)/2 = 2B, at
    v·x = −B, w·x = B, y = 1. It is approached where the other records leave the weights no choice;
    for B > 1 if there are two weights or more, with v·w = −B.
    """
    return (4 * norm if norm <= 1 else (1 + norm) ** 2) / variance


def printed_cost(norm: float, n: int, weights: int, variance: float = 1.0) -> float:
    """2L = n(1 + 2‖w‖₁ + d‖w‖₂)/σ², at the largest ‖w‖₁ of a norm (Appendix D)."""
    return n / variance * (1 + 2 * math.sqrt(weights) * norm + weights * norm)


def weights(
    label: str, model: LinearRegression, stats: Any, b: Fraction, rng: np.random.Generator
) -> Floats:
    """What predicts, in the unit ball: the posterior mean, or a sample."""
    if label == EXACT:
        found = model.posterior(stats).mean()
    elif label == STATISTICS:
        found = release(stats, model, 1, "statistics", rng=rng).noise_aware().mean()
    else:
        budget = cost(b) if label == SAMPLE else 1
        found = release(stats, model, budget, "sample", rng=rng, norm=norm_of(b)).posterior.mean()
    return np.asarray(found * math.sqrt(model.rows - 1))  # the largest norm of the features


def errors(
    survey: Survey, precisions: Sequence[Fraction], splits: int, scale: Scale
) -> Iterator[list[Cell]]:
    """Errors on the records that were not trained with, all on the same splits."""
    rng = scale.rng("splits")
    cuts = [survey.split(rng.permutation(len(survey.records))) for _ in range(splits)]
    panel = SYNTHETIC_ERROR if survey.synthetic else ERROR
    for b in track(precisions, "P2 Figure 2"):
        model = survey.model(b)
        for label in (EXACT, SAMPLE, TEMPERED, STATISTICS):
            draws = scale.rng(label, float(b))
            found = [test.error(weights(label, model, stats, b, draws)) for stats, test in cuts]
            epsilon = {EXACT: None, SAMPLE: float(cost(b))}.get(label, 1.0)
            low, middle, high = np.quantile(found, [0.1, 0.5, 0.9]).tolist()
            yield [panel, label, float(b), epsilon, splits, middle, low, high]
    nothing = float(np.median([test.error(np.zeros(survey.weights)) for _, test in cuts]))
    yield [panel, NOTHING, None, None, splits, nothing, None, None]


def losses(survey: Survey, precisions: Sequence[Fraction]) -> Iterator[list[Cell]]:
    """What a sample loses, and what P2 says of so many records and weights."""
    for b in precisions:
        norm = float(norm_of(b))
        found = {
            PROVED: float(cost(b)),
            ATTAINED: worst_loss(norm),
            f"{PRINTED}, n = {survey.trained:,}": printed_cost(
                norm, survey.trained, survey.weights
            ),
        }
        for label, value in found.items():
            yield [LOSS, label, float(b), value, *[None] * 4]


def _figure_2(scale: Scale) -> Table:
    survey = CENSUS.records(scale.data)
    step = 2 if scale.quick else 1
    precisions = [Fraction(f"{10 ** (k / 2):.6g}") for k in range(-6, 9, step)]
    splits = 5 if scale.quick or survey.synthetic else 25
    return Table.of(
        COLUMNS, [*losses(survey, precisions), *errors(survey, precisions, splits, scale)]
    )


def _draw(table: Table) -> Figure:
    figure, (left, right) = panels(2, 5.2, 4.2)
    if (synthetic := table.where(panel=SYNTHETIC_ERROR)).rows:
        note_synthetic(figure, [CENSUS.file])
        _errors(left, synthetic)
        heading(left, f"Test error, {RECORDS:,} synthetic records, 10 % to train with")
    else:
        _errors(left, table.where(panel=ERROR))
        heading(left, "Test error, weekly income (log), 10 % to train with")
    lines = {}
    for name in table.where(panel=LOSS).values("mechanism"):
        label = str(name).partition(",")[0]
        part = table.where(panel=LOSS, mechanism=name)
        (lines[_NAMES.get(label, f"2L {name}")],) = right.plot(
            part.numbers("b"),
            part.numbers("epsilon"),
            color=_COLOURS[label],
            linewidth=1.6,
            linestyle=(0, (1, 1.2)) if label == ATTAINED else "-",
        )
    right.set_yscale("log")
    right.axhline(1, color="#AAAAAA", linewidth=1)
    _prior(right, table.where(panel=LOSS).numbers("b"))
    right.set_ylabel("ε of one sample")
    heading(right, "What one sample costs, not tempered, σ = 1")
    label_lines(right, lines)
    return figure


def _errors(ax: Axes, table: Table) -> None:
    """The curve that leaves the frame is that of the tempered sample."""
    constant = table.where(mechanism=NOTHING).numbers("median")[0]
    ends = table.where(mechanism=EXACT).numbers("b")[[0, -1]]
    lines = {}
    for label in (EXACT, SAMPLE, STATISTICS, TEMPERED):
        part = table.where(mechanism=label)
        b, middle, low, high = (part.numbers(c) for c in ("b", "median", "low", "high"))
        ax.fill_between(b, low, high, color=_COLOURS[label], alpha=0.15, linewidth=0)
        ours = label == STATISTICS
        (lines[_NAMES[label]],) = ax.plot(
            b,
            middle,
            color=_COLOURS[label],
            linewidth=2.0 if ours else 1.2,
            marker="D" if ours else "o",
            markersize=4.0 if ours else 3.0,
        )
    (lines[NOTHING],) = ax.plot(ends, [constant] * 2, color="#777777", linewidth=1, linestyle=":")
    best = table.where(mechanism=EXACT).numbers("median").min()
    ax.set_ylim(best - 0.2 * (constant - best), constant + 1.5 * (constant - best))
    _prior(ax, ends)
    ax.set_ylabel("mean squared error")
    label_lines(ax, lines)


def _prior(ax: Axes, b: Floats) -> None:
    ax.set_xscale("log")
    ax.set_xlim(b.min(), b.max())
    ax.set_xlabel("b, prior precision of the weights")


PARTS: tuple[Part, ...] = (
    Part(
        "p2-figure-2",
        "Figure 2",
        "Left: squared error of linear regression on the records not trained with, against the "
        "precision b of the prior N(0, 1/b) of the weights, whose norm is at most 10/√b; ‖x‖ ≤ 1, "
        "|y| ≤ 1 and σ = 1 as in Appendix D; 10 % of the records to train with. Medians of several "
        "splits, with bands from the tenth to the ninetieth percentile. P2 had 370,000 records "
        "with 14 features and annual income, of IPUMS, and names neither the features nor their "
        "bounds. With census2000.csv in the folder of --data (the columns educ, exper, expersq "
        "and lweekinc of 29,501 records of the census of 2000) log weekly income is explained by "
        "schooling, experience and its square, in 25 splits. Without it there are 370,000 "
        f"synthetic records with {FEATURES} features, always the same: seven yes/no and seven "
        "numbers with a common factor, and a y in [−1, 1] that is linear in them with normal "
        "noise; 5 splits. They show how a figure of P2's size looks, not what P2's data would. "
        "The claims about Figure 2 are measured on sums over the census that are kept in the code, "
        "whatever is drawn here. P2 says neither how many samples predict nor at what ε: here it "
        "is one, which is as accurate as P2 says as long as the ball of norm 10/√b has room for "
        "the weights, and costs the ε on the right, 121 at b = 1, 17 at b = 10 and 4 at b = 100. "
        "On the census, tempered to ε = 1, it comes down to 0.50 at best, and is out of the frame "
        "for b < 10 (5 at b = 0.1, 700 at b = 0.001); noisy statistics at ε = 1, noise-aware, have "
        "the error of the sample that is not tempered, or less, where 1 ≤ b ≤ 100; a weaker prior "
        "allows what the noise hides, as experience and its square are nearly collinear. "
        "Right: 2L is a loss for a unit of distance between records, too large here by its factor "
        "n, and for few records not a bound at all. A quick run has 5 splits and every other b.",
        _figure_2,
        _draw,
        (CENSUS,),
    ),
)
