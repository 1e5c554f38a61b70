"""The expected width of noise-aware credible intervals as a function of epsilon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.core import CategoricalModel, Mechanism
from discreet.core.law import Outcome
from discreet.exact import Floats
from discreet.laws import predictive
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import infer
from discreet.planning.errors import quantiles
from discreet.planning.places import Places
from discreet.posteriors.mixture import DirichletMixture

_MOST_CASES, _LEAST_CASES = 64, 8  # simulated outputs
_SEVERAL_CASES = 32  # where an output is more than one noisy count, and its posterior large
_NEGLIGIBLE = 1e-6  # weight of a component, relative to the largest, that a width does without
_WORST = 4  # counts at which a worst case is looked for


@dataclass(frozen=True)
class Case:
    """A simulated output: counts, a point of the unit interval for the noise, and a weight."""

    counts: Outcome
    point: float
    weight: float


@dataclass(frozen=True)
class Widths:
    """Widths of the widest category's interval, at the places of a plan, for any epsilon.

    A few outputs are simulated, the same for every epsilon. How much wider than the exact
    posterior's interval theirs are is averaged and added to the expected width of the exact
    posterior, which is known well. The worst case is looked for where that is widest.
    """

    make: Callable[[Fraction], Mechanism]
    model: CategoricalModel
    places: Places
    level: float

    def mean(self, epsilon: Fraction) -> float:
        """The expected width, averaged or worst."""
        mechanism = self.make(epsilon)
        return max(exact + self._excess(mechanism, cases) for exact, cases in self._groups)

    @cached_property
    def without_noise(self) -> float:
        """What it would be without privacy."""
        return self.places.combine(map(self._exact, self.places.counts))

    @cached_property
    def _groups(self) -> list[tuple[float, list[Case]]]:
        """Exact widths, and the cases that tell how much wider it gets."""
        n, k = sum(self.places.counts[0]), len(self.model.prior)
        # with two categories a posterior as wide as twice the exact one has about 36·√n components
        most = _MOST_CASES if self.make(Fraction(1)).config.n is not None else _SEVERAL_CASES
        size = max(_LEAST_CASES, min(most, int(2**19 / (36 * n**0.5)) if k == 2 else 0))
        if self.places.worst:
            widest = sorted(self.places.counts, key=self._exact)[-_WORST:]
            return [(self._exact(c), _repeated(c, size // _WORST)) for c in widest]
        if len(self.places.counts) == 1:
            return [(self.without_noise, _repeated(self.places.counts[0], min(size, 16)))]
        rows, weights = predictive.spread_out(self.model.prior, n, size)
        columns = map(tuple, rows.tolist()), predictive.spread(size, 1)[:, 0], weights.tolist()
        return [(self.without_noise, [Case(*entry) for entry in zip(*columns, strict=True)])]

    def _excess(self, mechanism: Mechanism, cases: list[Case]) -> float:
        total = 0.0
        for seed, case in enumerate(cases):
            raw = _output(mechanism, case, np.random.default_rng(seed))
            posterior = infer(mechanism, raw, rng=np.random.default_rng(seed))
            total += case.weight * (_width(posterior, self.level) - self._exact(case.counts))
        return total

    def _exact(self, counts: Outcome) -> float:
        return _widest(self.model.posterior(counts).interval(self.level))


def _repeated(counts: Outcome, size: int) -> list[Case]:
    return [Case(counts, float(u), 1 / size) for u in (np.arange(size) + 0.5) / size]


def _widest(interval: Floats) -> float:
    return float((interval[:, 1] - interval[:, 0]).max())


def _width(posterior: DirichletMixture, level: float) -> float:
    """Of the widest interval; those of two categories mirror each other."""
    if len(posterior.categories) > 2:
        return _widest(posterior.interval(level))
    weights = posterior.weights
    kept = weights > _NEGLIGIBLE * weights.max()
    likely = DirichletMixture(posterior.categories, posterior.parameters[kept], weights[kept])
    low, high = likely.marginal().ppf([(1 - level) / 2, (1 + level) / 2])
    return float(high - low)


def _output(mechanism: Mechanism, case: Case, rng: np.random.Generator) -> Outcome:
    """A simulated raw output; with one noisy count a quantile, so that it moves with epsilon."""
    law = mechanism.raw_law(case.counts)
    if isinstance(law, NoiseLaw) and len(law.center) == 1:
        noise = quantiles(float(law.rate), law.shape, np.array([case.point]))
        noisy = law.center[0] + int(noise[0])
        return (noisy,) if law.total is None else (noisy, law.total - noisy)
    return law.sample(rng=rng)
