"""Do 95 % intervals cover 95 %? Noise-aware ones, and those that take the noisy counts for true.

θ is drawn from the prior, the counts from θ, the output from the mechanism; then an interval for
θ_i covers θ_i with exactly its nominal probability if the posterior is the right one. Run all
settings by `python -m discreet_papers.coverage --draws 20000 --out DIR`, those of other mechanisms
with `--mechanism gaussian` or `ls_hist`. A private n is drawn from its prior too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click
import numpy as np

from discreet import check, plots
from discreet.core import CategoricalModel, Mechanism, families
from discreet.core.files import write_file
from discreet.exact import Floats, Ints
from discreet.families.dirichlet.model import DirichletMultinomial
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.progress import track
from discreet_papers import files
from discreet_papers.marginals import marginal_cdfs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

DRAWS = 20_000
SEED = 20260101


class Setting(NamedTuple):
    """A prior, a number of records, or if it is private from which to which it is, and a budget."""

    prior: tuple[float, ...]
    n: int | tuple[int, int]
    epsilon: float

    @property
    def model(self) -> DirichletMultinomial:
        """The model; its categories are numbered."""
        return DirichletMultinomial(range(len(self.prior)), self.prior)

    def __str__(self) -> str:
        prior = ", ".join(f"{a:g}" for a in self.prior)
        return f"prior ({prior})  n = {self.records}  ε = {self.epsilon:g}"

    @property
    def records(self) -> str:
        """How many."""
        return str(self.n) if isinstance(self.n, int) else "{}–{}, private".format(*self.n)


SETTINGS = (
    Setting((1, 1), 20, 1),
    Setting((1, 1), 100, 0.1),
    Setting((1, 1), 1000, 0.02),
    Setting((1, 1), 10_000, 2),
    Setting((0.5, 0.5), 50, 0.5),
    Setting((0.5, 0.5), 1000, 0.1),
    Setting((2, 5), 200, 0.2),
    Setting((2, 5), 10_000, 0.05),
    Setting((1, 1, 1), 50, 1),
    Setting((0.5, 0.5, 0.5), 200, 0.3),
    Setting((1, 2, 5), 1000, 0.1),
    Setting((1, 1, 1), 10_000, 0.05),
)

# of other mechanisms than lattice: public n, and private ones
STUDIES: dict[str, tuple[Setting, ...]] = {
    "lattice": SETTINGS,
    "gaussian": (
        Setting((1, 1), 50, 1),
        Setting((1, 1), 1000, 0.1),
        Setting((0.5, 0.5), 200, 0.5),
        Setting((2, 5), 5000, 0.2),
        Setting((1, 1, 1), 50, 2),
        Setting((0.5, 0.5, 0.5), 100, 1),
        Setting((1, 1), (20, 80), 1),
        Setting((0.5, 0.5), (0, 40), 2),
        Setting((1, 2, 1), (10, 30), 3),
    ),
    "ls_hist": (
        Setting((1, 1), (20, 80), 1),
        Setting((1, 1), (0, 30), 0.5),
        Setting((0.5, 0.5), (0, 40), 2),
        Setting((2, 5), (50, 100), 0.5),
        Setting((1, 1, 1), (20, 40), 2),
        Setting((1, 2, 1), (10, 30), 3),
    ),
}
OPTIONS: dict[str, dict[str, Any]] = {"gaussian": {"delta": 1e-6}}


@dataclass(frozen=True)
class Coverage:
    """How often intervals contain the truth, per component, out of `draws` simulated releases."""

    setting: Setting
    mechanism: str
    level: float
    draws: int
    noise_aware: tuple[float, ...]
    naive: tuple[float, ...]

    @property
    def error(self) -> float:
        """The standard error of a coverage at the nominal level."""
        return float(np.sqrt(self.level * (1 - self.level) / self.draws))

    def __str__(self) -> str:
        aware, naive = (
            ", ".join(f"{100 * share:.2f} %" for share in shares)
            for shares in (self.noise_aware, self.naive)
        )
        return f"{self.setting}: noise-aware {aware}; naive {naive}"


def coverage(
    model: CategoricalModel,
    n: int | tuple[int, int],
    epsilon: float,
    mechanism: str = "lattice",
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    **options: Any,
) -> Coverage:
    """How often equal-tailed credible intervals of a mechanism's posteriors cover the truth.

    Args:
        model: its prior is what θ is drawn from.
        n: the public number of records; or where it is private, under add-remove, from which to
            which number it is uniform.
        epsilon: the budget of the mechanism.
        mechanism: its name, as for `dp.mechanism`.
        draws: how many releases are simulated.
        level: of the intervals.
        rng: a numpy Generator.
        options: of the mechanism.

    Returns:
        A `Coverage` with one share per component, noise-aware and naive.
    """
    public, n_prior = (None, n) if isinstance(n, tuple) else (n, None)
    if n_prior is not None:
        options = {"adjacency": "add-remove"} | options
    made = families.mechanism(mechanism, model, public, epsilon=epsilon, **options)
    size, mass = check.size(draws), float(check.share("level", level))
    source = np.random.default_rng() if rng is None else check.generator(rng)
    theta = source.dirichlet([float(a) for a in model.prior], size)
    records = n if n_prior is None else source.integers(n_prior[0], n_prior[1] + 1, size)
    raws = _simulate(made, source.multinomial(records, theta), source)
    aware = marginal_cdfs(made, raws, theta, source, n_prior)
    tail = (1 - mass) / 2
    shares = [
        tuple(((f >= tail) & (f <= 1 - tail)).mean(axis=0).tolist())
        for f in (aware, _naive(made, raws, theta))
    ]
    setting = Setting(tuple(float(a) for a in model.prior), n, float(epsilon))
    return Coverage(setting, mechanism, mass, size, shares[0], shares[1])


def _simulate(mechanism: Mechanism, counts: Ints, rng: np.random.Generator) -> Ints:
    """One raw output per row of counts. Additive noise is drawn at once, and shifted."""
    law = mechanism.raw_law(counts[0])
    if isinstance(law, (LatticeLaw, NoiseLaw, DiscreteGaussianLaw)):
        raws = law.sample(len(counts), rng)
        return np.asarray(raws + (counts - counts[0])[:, : raws.shape[1]])
    distinct, places = np.unique(counts, axis=0, return_inverse=True)
    raws = np.empty((len(counts), law.dimension), dtype=np.int64)
    for i in track(range(len(distinct)), "draws"):
        rows = np.flatnonzero(places.ravel() == i)
        raws[rows] = mechanism.raw_law(distinct[i]).sample(len(rows), rng)
    return raws


def _naive(mechanism: Mechanism, raws: Ints, theta: Floats) -> Floats:
    """The distribution functions of the posteriors that take the released counts for true."""
    from scipy import special

    alpha = np.array([float(a) for a in mechanism.config.model.prior])
    released = mechanism.make_released(raws) + alpha
    rest = released.sum(axis=1, keepdims=True) - released
    return np.asarray(special.betainc(released, rest, theta))


def study(draws: int = DRAWS, seed: int = SEED, mechanism: str = "lattice") -> list[Coverage]:
    """The coverage in all settings of a mechanism; each has random numbers of its own."""
    settings = SETTINGS if mechanism == "lattice" else STUDIES[mechanism]
    seeds, options = np.random.SeedSequence(seed).spawn(len(settings)), OPTIONS.get(mechanism, {})
    return [
        coverage(
            *(s.model, s.n, s.epsilon, mechanism, draws), rng=np.random.default_rng(own), **options
        )
        for s, own in track(list(zip(settings, seeds, strict=True)), "settings")
    ]


def table(results: Sequence[Coverage]) -> Table:
    """The results for a terminal."""
    from rich.table import Table

    shown = Table(title="Coverage of nominal 95 % intervals, per component")
    for name in ("prior", "n", "ε", "noise-aware %", "naive %"):
        shown.add_column(name)
    for row in results:
        shares = (" ".join(f"{100 * s:.1f}" for s in part) for part in (row.noise_aware, row.naive))
        prior, _, epsilon = row.setting
        shown.add_row(
            *(", ".join(f"{a:g}" for a in prior), row.setting.records, f"{epsilon:g}"), *shares
        )
    return shown


def lines(results: Sequence[Coverage]) -> list[dict[str, Any]]:
    """One line per setting and component."""
    return [
        {
            "prior": " ".join(f"{a:g}" for a in row.setting.prior),
            "n": row.setting.records,
            "epsilon": f"{row.setting.epsilon:g}",
            "mechanism": row.mechanism,
            "level": row.level,
            "draws": row.draws,
            "component": i,
            "noise_aware": f"{aware:.6g}",
            "naive": f"{naive:.6g}",
            "standard_error": f"{row.error:.2g}",
        }
        for row in results
        for i, (aware, naive) in enumerate(zip(row.noise_aware, row.naive, strict=True))
    ]


def plot(results: Sequence[Coverage], ax: Axes | None = None) -> Axes:
    """Naive and noise-aware coverage in every setting, beside the nominal level."""
    ax = plots.new_axes(ax)
    for name, colour, marker in (("naive", "#D55E00", "s"), ("noise_aware", "#0072B2", "o")):
        points = [
            (100 * share, len(results) - place)
            for place, row in enumerate(results)
            for share in getattr(row, name)
        ]
        label = name.replace("_", "-")
        ax.plot(*zip(*points, strict=True), marker, color=colour, label=label, markersize=4)
    level, top = 100 * results[0].level, len(results) + 1.2
    ax.axvline(level, color="#000000", linewidth=0.8)
    ax.text(level, top, f"{level:g} % ", ha="right", va="top", fontsize=9)
    ax.set_ylim(0.5, top)
    ax.set_yticks(range(len(results), 0, -1), [str(row.setting) for row in results])
    ax.set_xlabel("coverage, %")
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    first = results[0]
    words = f"{first.mechanism}, {first.draws} simulated releases per setting"
    return plots.titled(ax, words)


@click.command()
@click.option("--draws", default=DRAWS, show_default=True, help="Simulated releases per setting.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write a CSV and a plot here."
)
@files.force_option
@click.option("--seed", default=SEED, show_default=True)
@click.option("--mechanism", default="lattice", show_default=True, type=click.Choice([*STUDIES]))
def main(draws: int, out: Path | None, force: bool, seed: int, mechanism: str) -> None:
    """Coverage of noise-aware and naive intervals in several settings."""
    from rich.console import Console

    places = files.places(out, ("coverage.csv", "coverage.png"), force)
    results = study(draws, seed, mechanism)
    Console().print(table(results))
    if places:
        files.write_csv(lines(results), places[0], force)
        picture = BytesIO()
        cast("Figure", plot(results).figure).savefig(picture, dpi=150)
        write_file(places[1], picture.getvalue(), force)


if __name__ == "__main__":
    main()
