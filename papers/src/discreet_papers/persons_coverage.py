"""Do 95 % intervals cover 95 % where a person has several records?

Every person has two records that are kept, or three that weigh one together. Their errors are
independent, or share a part of their variance, which belongs to the person. Parameters come from
the prior, records are hardly ever clipped, n is private, and every data set is released by
"laplace" or "gaussian" (of a mean), or by "statistics" (of a regression on three features). Run all
settings by `python -m discreet_papers.persons_coverage --out DIR`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from discreet.core.counts import AVERAGED
from discreet.core.statistics import Statistics
from discreet.exact import Floats
from discreet.families.normal.model import NormalMean
from discreet.families.regression.model import replace_fields
from discreet.progress import track
from discreet.releases.releasing import release
from discreet_papers import files, weights_coverage

if TYPE_CHECKING:
    from rich.table import Table

MEAN = NormalMean(0, 1, 1, bounds=(-6, 6))
FEATURES = 3
LINE = weights_coverage.model_of(FEATURES).of("y")
CHECKS = 5_000
SEED = 20260201
KEPT, AVERAGES = 2, 3  # records of a person


class Setting(NamedTuple):
    """What is released of whom; `alike` is the share of an error's variance that is a person's."""

    model: str
    rule: str
    alike: float
    persons: int
    epsilon: float
    delta: float


SETTINGS = tuple(
    Setting(model, rule, alike, persons, epsilon, delta)
    for rule, alike, model, persons, epsilon in (
        ("cut", 0.0, "mean", 30, 2.0),
        ("cut", 0.0, "mean", 300, 1.0),
        ("cut", 0.0, "regression", 500, 1.0),
        ("cut", 0.0, "regression", 5_000, 0.5),
        ("average", 0.0, "mean", 300, 1.0),
        ("average", 0.0, "regression", 2_000, 1.0),
        ("average", 1.0, "mean", 300, 1.0),
        ("average", 1.0, "regression", 2_000, 1.0),
        ("cut", 1.0, "mean", 300, 10.0),
        ("cut", 1.0, "regression", 2_000, 10.0),
    )
    for delta in (0.0, 1e-6)
)


@dataclass(frozen=True)
class Coverage:
    """The share of intervals with the truth inside, among so many, and their mean width."""

    model: str
    rule: str
    alike: float
    persons: int
    epsilon: float
    delta: float
    checks: int
    inside: float
    width: float


def coverage(setting: Setting, checks: int, seed: int = SEED) -> Coverage:
    """Over data sets, each with parameters of its own, until so many intervals were checked."""
    rng = np.random.default_rng([seed, *map(ord, "".join(map(str, setting)))])
    mean = setting.model == "mean"
    name = ("gaussian" if setting.delta else "laplace") if mean else "statistics"
    model: Any = MEAN if mean else LINE
    given: dict[str, Any] = {"adjacency": "add-remove", "delta": setting.delta, "rng": rng}
    inside, widths = [], []
    times = math.ceil(checks / (1 if mean else FEATURES + 1))
    for _ in track(range(times), f"{setting.model}, {setting.rule}", times):
        truth, stats = _mean(setting, rng) if mean else _line(setting, rng)
        made = release(stats, model, setting.epsilon, name, **given)
        low, high = np.atleast_2d(made.noise_aware().interval()).T
        inside.append((low <= truth) & (truth <= high))
        widths.append(high - low)
    share, width = float(np.mean(inside)), float(np.mean(widths))
    return Coverage(*setting, times * len(truth), share, width)


def _errors(setting: Setting, each: int, rng: np.random.Generator) -> Floats:
    """Of all records, a row for every person: of variance 1."""
    own = rng.normal(size=(setting.persons, each))
    common = rng.normal(size=(setting.persons, 1))
    return math.sqrt(setting.alike) * common + math.sqrt(1 - setting.alike) * own


def _mean(setting: Setting, rng: np.random.Generator) -> tuple[Floats, Statistics]:
    truth = rng.normal(size=1)
    each = KEPT if setting.rule == "cut" else AVERAGES
    return truth, mean_of(setting.rule, truth + _errors(setting, each, rng))


def _line(setting: Setting, rng: np.random.Generator) -> tuple[Floats, Statistics]:
    truth = rng.normal(size=FEATURES + 1)
    each = KEPT if setting.rule == "cut" else AVERAGES
    x = rng.uniform(-1, 1, size=(setting.persons, each, FEATURES))
    return truth, line_of(setting.rule, x, truth[0] + x @ truth[1:] + _errors(setting, each, rng))


def mean_of(rule: str, x: Floats) -> Statistics:
    """Of as many records of every person, a row each."""
    if rule == "cut":
        return replace(MEAN.count(x.ravel()), unit="person", max_per_unit=x.shape[1])
    parts = math.isqrt(AVERAGED)
    coarse = NormalMean(0, 1, 1, bounds=MEAN.bounds, grid=MEAN.grid // parts)
    found, total = MEAN.count([]), coarse.count(x.ravel()).values[1]
    values = len(x), total * parts // x.shape[1]
    return replace(found, values=values, unit="person", per_unit="average")


def line_of(rule: str, x: Floats, y: Floats) -> Statistics:
    """Likewise, x with the features along its last axis."""
    records = x.reshape(-1, FEATURES), y.ravel()
    if rule == "cut":
        return replace(LINE.count(*records), unit="person", max_per_unit=x.shape[1])
    coarse = replace_fields(LINE, grid=LINE.grid // math.isqrt(AVERAGED))
    found = coarse.count(*records)
    weighted = (entry * AVERAGED // x.shape[1] for entry in found.values[1:])
    values = len(x), *weighted
    return replace(found, values=values, reading=LINE.reading, unit="person", per_unit="average")


def table(results: Sequence[Coverage]) -> Table:
    """For the terminal."""
    from rich.table import Table

    found = Table(title="95 % intervals, noise-aware")
    for name in ("model", "rule", "alike", "persons", "ε", "δ", "checks", "inside", "width"):
        found.add_column(name, justify="right")
    for row in results:
        found.add_row(
            *(row.model, row.rule, f"{row.alike:g}", str(row.persons), f"{row.epsilon:g}"),
            *(f"{row.delta:g}", str(row.checks), f"{100 * row.inside:.1f} %", f"{row.width:.3g}"),
        )
    return found


@click.command()
@click.option("--checks", default=CHECKS, show_default=True, help="Intervals in every setting.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write a CSV file here."
)
@files.force_option
@click.option("--seed", default=SEED, show_default=True)
def main(checks: int, out: Path | None, force: bool, seed: int) -> None:
    """Coverage of noise-aware intervals where a person has several records."""
    from rich.console import Console

    places = files.places(out, ("persons_coverage.csv",), force)
    results = [coverage(setting, checks, seed) for setting in SETTINGS]
    Console(width=120).print(table(results))
    for place in places:
        files.write_csv([asdict(row) for row in results], place, force)


if __name__ == "__main__":
    main()
