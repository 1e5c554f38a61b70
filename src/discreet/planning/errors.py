"""The law of the error at many counts as a function of epsilon: deterministic and fast.

The same points of noise serve every epsilon and every vector of counts, so that the result varies
smoothly. Listed exactly where the likely noise is short; else runs of values share their middle
(two categories), or an evenly spread sequence of points takes their place (more).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from discreet import divergence
from discreet.core import CategoricalModel, Law, Mechanism
from discreet.core.law import Outcome
from discreet.divergence.shifts import shifted
from discreet.errors import InputError
from discreet.exact import Floats, Ints, balls, compositions
from discreet.laws import windows
from discreet.laws.exponential import ExponentialLaw
from discreet.laws.gaussian import DiscreteGaussianLaw
from discreet.laws.lattice import LatticeLaw, points, shell_size
from discreet.laws.noise import NoiseLaw
from discreet.laws.predictive import MOST_DIMENSIONS, spread
from discreet.laws.response import ResponseLaw
from discreet.planning import responses
from discreet.planning.places import Places

_POINTS = 2048  # of noise
_BLOCKS = 500  # values of noise on either side, for two categories
_WIDE = 1e4  # σ, beyond which rounded normal numbers are as good as discrete ones
_NEGLECTED = 1e-5  # the share of the errors that a listing leaves out
MOST_CELLS = 6_000_000  # distances that are kept for an exponential mechanism
_NEAR = 64  # substitutions within which candidates are taken one by one
_GROWTH = 1 / 48  # length of a run of candidates, relative to their distance


@dataclass(frozen=True)
class Errors:
    """Error laws at the places of a plan, for any epsilon."""

    make: Callable[[Fraction], Mechanism]
    model: CategoricalModel
    places: Places
    distance: str
    _found: dict[Outcome, tuple[Floats, Floats, Floats]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return self.__dict__ | {"_found": {}}

    def any_law(self) -> Law:
        """The law of the raw output at one place of the plan."""
        return self.make(Fraction(1)).raw_law(self.places.counts[0])

    def mean(self, epsilon: Fraction) -> float:
        """The expected error, averaged or worst."""
        return self.places.combine(float(d @ p) for d, p in self._laws(epsilon))

    def quantile(self, epsilon: Fraction, q: float) -> float:
        """The error that is not exceeded with probability q, places included, or at the worst."""
        laws = list(self._laws(epsilon))
        if self.places.worst:
            return max(_quantile(d, p, q) for d, p in laws)
        weighted = [p * w for (_, p), w in zip(laws, self.places.weights, strict=True)]
        return _quantile(np.concatenate([d for d, _ in laws]), np.concatenate(weighted), q)

    def _laws(self, epsilon: Fraction) -> Iterator[tuple[Floats, Floats]]:
        mechanism = self.make(epsilon)
        for counts in self.places.counts:
            law = mechanism.raw_law(counts)
            if isinstance(law, ExponentialLaw):
                yield self._exponential(law, counts)
            else:
                rows, p = _released(mechanism, law, counts)
                yield distances_in_floats(self.distance, self.model.prior, counts, rows), p

    def _exponential(self, law: ExponentialLaw, counts: Outcome) -> tuple[Floats, Floats]:
        if counts not in self._found:
            rows, sizes = _candidates(counts, len(self.places.counts))
            own = distances_in_floats(law.distance, self.model.prior, counts, rows)
            wanted = (
                distances_in_floats(self.distance, self.model.prior, counts, rows)
                if self.distance != law.distance
                else own
            )
            self._found[counts] = own, wanted, np.log(sizes)
        own, wanted, log_sizes = self._found[counts]
        return wanted, _normalised(log_sizes - balls.nearest(law.exponent) * own)


def most_places(mechanism: Mechanism, n: int) -> int:
    """At how many counts to judge a mechanism: fewer where every one is expensive."""
    k = len(mechanism.config.model.prior)
    law = mechanism.raw_law((n, *[0] * (k - 1)))
    if isinstance(law, ExponentialLaw):
        return 96 if k == 2 else int(min(max(MOST_CELLS // law.candidates, 8), 64))
    if isinstance(law, (LatticeLaw, DiscreteGaussianLaw)):
        return max(768 // k, 32)
    if isinstance(law, ResponseLaw):
        return 64
    return 128


def distances_in_floats(
    kind: str, prior: tuple[Fraction, ...], counts: Outcome, rows: Ints
) -> Floats:
    """As `shifted`; total variation within 1e-12 only, which is enough for a plan."""
    if kind != "total_variation":
        return shifted(kind, prior, counts, rows)
    a, b = (float(alpha + c) for alpha, c in zip(prior, counts, strict=True))
    step = (rows[:, 0] - counts[0]).astype(np.float64)
    here = np.full_like(step, a), np.full_like(step, b)
    return divergence.float_total_variation(*here, here[0] + step, here[1] - step)[0]


def _normalised(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _quantile(errors: Floats, p: Floats, q: float) -> float:
    order = np.argsort(errors, kind="stable")
    place = int(np.searchsorted(np.cumsum(p[order]), q - 1e-12))
    return float(errors[order[min(place, len(order) - 1)]])


def _released(mechanism: Mechanism, law: Law, counts: Outcome) -> tuple[Ints, Floats]:
    """Released counts and their probabilities."""
    if isinstance(law, (NoiseLaw, LatticeLaw, DiscreteGaussianLaw)):
        noise, p = raw_noise(law, sum(counts))
        center = np.array(law.center, dtype=np.int64)
        raw = center + noise
        if isinstance(law, NoiseLaw) and law.total is not None:
            raw = np.column_stack([raw, law.total - raw.sum(axis=1)])
        return mechanism.make_released(raw), p
    if isinstance(law, ResponseLaw):
        reports, p = responses.likely(law)
        return mechanism.make_released(reports), p
    listed = windows.likely(mechanism.law(counts))
    if listed is None:
        raise InputError(f"mechanism {mechanism.name!r} has too many outcomes to plan", "mechanism")
    return listed


def raw_noise(law: NoiseLaw | LatticeLaw | DiscreteGaussianLaw, n: int) -> tuple[Ints, Floats]:
    """Points of noise, one a row, and their probabilities; the same for all counts."""
    if isinstance(law, DiscreteGaussianLaw):
        return _normal_noise(law.variances[0], len(law.center))
    if isinstance(law, LatticeLaw):
        return _lattice_noise(law.epsilon, law.dimension)
    return _independent_noise(law.rate, law.shape, len(law.center), n)


@lru_cache(maxsize=4)
def _independent_noise(rate: Fraction, shape: str, d: int, n: int) -> tuple[Ints, Floats]:
    r = float(rate)
    far = min(windows.reach(r, 1e-13), n + 1)
    if d == 1:
        values, p = windows.noise(r, shape, far, far, _BLOCKS)
        return values[:, None], p
    radius = _short_radius(r, partial(_l1_shell, d)) if shape == "two-sided" else None
    if radius is not None:
        t = _l1_ball(d, radius)
        return t, _normalised(-r * np.abs(t).sum(axis=1))
    size = _POINTS // 4
    return quantiles(r, shape, spread(size, d)), np.full(size, 1 / size)


@lru_cache(maxsize=4)
def _normal_noise(variance: Fraction, d: int) -> tuple[Ints, Floats]:
    """Independent discrete Gaussian numbers: evenly spread points, or draws of very many."""
    size = _POINTS if d <= 64 else _POINTS // 8
    p = np.full(size, 1 / size)
    if d > MOST_DIMENSIONS:
        law = DiscreteGaussianLaw((0,) * d, (variance,) * d)
        return law.sample(size, np.random.default_rng(0)), p
    sigma, u = math.sqrt(variance), spread(size, d)
    if sigma > _WIDE:
        from scipy import special

        return np.rint(sigma * special.ndtri(u)).astype(np.int64), p
    far = math.ceil(9 * sigma) + 1
    z = np.arange(-far, far + 1)
    cumulative = np.cumsum(np.exp(-(z.astype(np.float64) ** 2) / (2 * float(variance))))
    places = np.searchsorted(cumulative, u.ravel() * cumulative[-1]).reshape(u.shape)
    return z[np.minimum(places, len(z) - 1)], p


@lru_cache(maxsize=4)
def _lattice_noise(epsilon: Fraction, k: int) -> tuple[Ints, Floats]:
    """P(z) ∝ e^{−ε·½‖z‖₁}, Σz = 0: a ball if it is small, else weighted points.

    k − 1 independent discrete Laplace(ε/2) numbers have that law once weighted by e^{−(ε/2)|last|},
    last = −their sum.
    """
    e = float(epsilon)
    radius = _short_radius(e, partial(shell_size, k))
    if radius is not None:
        z = points(k, 0, radius)
        return z, _normalised(-e * np.abs(z).sum(axis=1) / 2)
    if k > MOST_DIMENSIONS:
        law = LatticeLaw((0,) * k, epsilon)
        size = _POINTS if k <= 64 else _POINTS // 8
        return law.sample(size, np.random.default_rng(0)), np.full(size, 1 / size)
    free = quantiles(e / 2, "two-sided", spread(_POINTS, k - 1))
    last = -free.sum(axis=1)
    return np.column_stack([free, last]), _normalised(-e * np.abs(last) / 2)


def _short_radius(rate: float, shell: Callable[[int], int]) -> int | None:
    """The radius beyond which a negligible share of all changed outcomes lies; None if too far.

    P(s) ∝ shell(s)·e^{−rate·s}, whose ratios fall.
    """
    size, changed, s = 1, 0.0, 1
    while size + shell(s) <= _POINTS:
        size, changed = size + shell(s), changed + shell(s) * math.exp(rate * (1 - s))
        ratio = shell(s + 2) / shell(s + 1) * math.exp(-rate)
        if ratio < 1 and shell(s + 1) * math.exp(-rate * s) / (1 - ratio) <= _NEGLECTED * changed:
            return s
        s += 1
    return None


def _l1_shell(d: int, s: int) -> int:
    """How many t ∈ Z^d have ‖t‖₁ = s ≥ 1: by the number of entries that are not zero."""
    return sum(2**i * math.comb(d, i) * math.comb(s - 1, i - 1) for i in range(1, min(d, s) + 1))


def _l1_ball(d: int, radius: int) -> Ints:
    """All t ∈ Z^d with ‖t‖₁ ≤ radius, one a row."""
    side = np.arange(-radius, radius + 1)
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(d):
        parents = np.repeat(np.arange(len(rows)), len(side))
        rows = np.column_stack([rows[parents], np.tile(side, len(rows))])
        rows = rows[np.abs(rows).sum(axis=1) <= radius]
    return rows


def quantiles(rate: float, shape: str, u: Floats) -> Ints:
    """Integer noise from uniform numbers."""
    lower = np.minimum(u, 1 - u)
    if shape == "floored":
        y = np.log(2 * lower) / rate
        return np.asarray(np.floor(np.where(u < 0.5, y, -y))).astype(np.int64)
    t = np.maximum(np.floor(-np.log(lower * (1 + math.exp(-rate))) / rate), 0)
    return np.where(u < 0.5, -t, t).astype(np.int64)


def _candidates(counts: Outcome, places: int) -> tuple[Ints, Floats]:
    """The candidates of an exponential mechanism; for two categories runs of them, with lengths."""
    n, k = sum(counts), len(counts)
    if k == 2:
        ones, sizes = _runs(counts[0], n)
        return np.column_stack([ones, n - ones]), sizes
    if compositions.count(n, k) * places > MOST_CELLS:
        raise InputError(
            f"n = {n} with {k} categories gives exponential mechanisms too many candidates to "
            "plan with; use mechanism 'lattice', or `at` for one vector of counts",
            "n",
        )
    rows = compositions.rows(n, k)
    return rows, np.ones(len(rows))


def _runs(center: int, n: int) -> tuple[Ints, Floats]:
    """Ones from 0 to n, in runs that grow with their distance from the center: middle, length."""
    parts = []
    for far, sign in ((center, -1), (n - center, 1)):
        firsts = [*range(1, min(far, _NEAR) + 1)]
        t = _NEAR + 1
        while t <= far:
            firsts.append(t)
            t += max(1, int(t * _GROWTH))
        edges = np.array([*firsts, far + 1], dtype=np.int64)
        length = np.diff(edges)
        parts.append((center + sign * (edges[:-1] + (length - 1) // 2), length.astype(np.float64)))
    (down, fewer), (up, more) = parts
    return np.concatenate([down, [center], up]), np.concatenate([fewer, [1.0], more])
