"""Do 95 % intervals of regression weights cover 95 %? And what do the predictions explain?

Features are uniform on [−1, 1], weights come from the prior N(0, 1), the noise variance is 1, and y
is clipped at ±3·√(d + 3), which one record in 20,000 reaches. (At ±2·√(d + 3), which one in 170
reaches, the bias of clipping brings even the intervals without privacy down to 91 % at d = 3 and
n = 10,000.) Every data set is released by "statistics". Run all settings by
`python -m discreet_papers.weights_coverage --out DIR`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from discreet.exact import Floats
from discreet.families.regression.model import LinearRegression
from discreet.progress import track
from discreet.releases.releasing import release
from discreet_papers import files

if TYPE_CHECKING:
    from rich.table import Table

SIZES, FEATURES, EPSILONS, DELTAS = (1_000, 10_000), (3, 10), (0.5, 2.0), (0.0, 1e-6)
DATA_SETS = 1_000
SEED = 20260101


@dataclass(frozen=True)
class Coverage:
    """Shares of weights inside their intervals, and median R² for records that were not seen.

    `plain` takes the noisy statistics for the true ones, `exact` has the true ones; `seconds` is a
    release with its noise-aware posterior and intervals.
    """

    delta: float
    features: int
    n: int
    epsilon: float
    data_sets: int
    noise_aware: float
    plain: float
    exact: float
    r2_noise_aware: float
    r2_plain: float
    r2_exact: float
    seconds: float


def model_of(features: int, unknown_variance: bool = False) -> LinearRegression:
    """The model of the study; an unknown noise variance has mean 1 and a wide prior."""
    bounds = {f"x{j}": (-1, 1) for j in range(features)}
    height = Fraction(3 * (features + 3) ** 0.5).limit_denominator(10)
    noise = (3, 2) if unknown_variance else 1
    return LinearRegression(1, noise, bounds | {"y": (-height, height)})


def simulate(
    features: int, n: int, variance: float, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Weights, the intercept first, and records: features, target."""
    weights = rng.normal(size=features + 1)
    x = rng.uniform(-1, 1, size=(n, features))
    y = weights[0] + x @ weights[1:] + np.sqrt(variance) * rng.normal(size=n)
    return weights, x, y


def r_squared(weights: Floats, estimate: Floats) -> float:
    """Of predictions for new records: 1 − (error + noise)/(signal + noise), in expectation."""
    spread = np.append(1.0, np.full(len(weights) - 1, 1 / 3))
    error = np.square(weights - estimate) @ spread
    return float(1 - (error + 1) / (np.square(weights[1:]).sum() / 3 + 1))


def coverage(
    delta: float, features: int, n: int, epsilon: float, data_sets: int, seed: int = SEED
) -> Coverage:
    """Over so many data sets, each with weights of its own."""
    rng = np.random.default_rng([seed, n, features, round(10 * epsilon), int(delta > 0)])
    model = model_of(features)
    inside = np.zeros((data_sets, 3, features + 1))
    scores = np.zeros((data_sets, 3))
    seconds = 0.0
    for place in track(range(data_sets), f"d = {features}, n = {n}, ε = {epsilon:g}", data_sets):
        weights, x, y = simulate(features, n, 1.0, rng)
        stats = model.count(x, y)
        start = time.perf_counter()
        made = release(stats, model, epsilon, "statistics", delta=delta, rng=rng)
        laws = made.noise_aware(), made.posterior
        intervals = [law.interval() for law in laws]
        seconds += time.perf_counter() - start
        exact = model.posterior(stats)
        ends = (interval.T for interval in (*intervals, exact.interval()))
        inside[place] = [(low <= weights) & (weights <= high) for low, high in ends]
        estimates = [law.mean() for law in (*laws, exact)]
        scores[place] = [r_squared(weights, estimate) for estimate in estimates]
    shares: list[float] = inside.mean(axis=(0, 2)).tolist()
    medians: list[float] = np.median(scores, axis=0).tolist()
    figures = (*shares, *medians, seconds / data_sets)
    return Coverage(delta, features, n, epsilon, data_sets, *figures)


def study(data_sets: int, seed: int) -> list[Coverage]:
    """All settings."""
    settings = itertools.product(DELTAS, FEATURES, SIZES, EPSILONS)
    return [coverage(*setting, data_sets, seed) for setting in settings]


def table(results: Sequence[Coverage]) -> Table:
    """For the terminal."""
    from rich.table import Table

    found = Table(title=f"{results[0].data_sets} data sets per setting, 95 % intervals")
    kinds = "noise-aware", "plain", "exact"
    scored = (f"R² {kind}" for kind in kinds)
    for name in ("δ", "d", "n", "ε", *kinds, *scored, "seconds"):
        found.add_column(name, justify="right")
    for row in results:
        shares = (f"{100 * share:.1f} %" for share in (row.noise_aware, row.plain, row.exact))
        scores = (f"{score:.3f}" for score in (row.r2_noise_aware, row.r2_plain, row.r2_exact))
        setting = f"{row.delta:g}", str(row.features), str(row.n), f"{row.epsilon:g}"
        found.add_row(*setting, *shares, *scores, f"{row.seconds:.2f}")
    return found


@click.command()
@click.option("--data-sets", default=DATA_SETS, show_default=True, help="Per setting.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write a CSV file here."
)
@files.force_option
@click.option("--seed", default=SEED, show_default=True)
def main(data_sets: int, out: Path | None, force: bool, seed: int) -> None:
    """Coverage of the intervals of regression weights in sixteen settings."""
    from rich.console import Console

    places = files.places(out, ("weights_coverage.csv",), force)
    results = study(data_sets, seed)
    Console().print(table(results))
    for place in places:
        files.write_csv([asdict(row) for row in results], place, force)


if __name__ == "__main__":
    main()
