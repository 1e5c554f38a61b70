"""P(θ_i ≤ x_i | z) for many raw outputs at once: what a study of coverage needs, and no more.

One window of counts per row, a table of the prior that all rows share, and the incomplete betas of
a window by their recurrence. For more than two categories the law of one count is its own factor
times the convolution of the others, by Fourier transforms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from discreet.core import Mechanism
from discreet.exact import Floats, Ints
from discreet.laws.lattice import LatticeLaw
from discreet.laws.noise import NoiseLaw
from discreet.noise_aware import infer
from discreet.noise_aware.kernels import LaplaceKernel
from discreet.noise_aware.prior import log_steps
from discreet.progress import track

_REACH = 32.0  # windows end where the noise has fallen by e^-32
_MOST_RECORDS = 1_000_000
_MOST_CELLS = 1 << 21  # rows times counts at once
_LONGEST = 1 << 15  # counts in a window


def marginal_cdfs(
    mechanism: Mechanism,
    raws: Ints,
    points: Floats,
    rng: np.random.Generator,
    n_prior: object = None,
) -> Floats:
    """The marginal distribution functions of the noise-aware posteriors, at one point each.

    Args:
        mechanism: of which noise-aware posteriors are looked at.
        raws: raw outputs, one a row.
        points: a value of θ for each, one a row.
        rng: for outputs whose counts are too many to list.
        n_prior: of a private n.

    Returns:
        One row per output, one column per category.
    """
    n, k = mechanism.config.n, len(mechanism.config.model.categories)
    law = mechanism.make_raw_law((n or 0, *(0,) * (k - 1)))
    if n and n <= _MOST_RECORDS and isinstance(law, (LatticeLaw, NoiseLaw)):
        floored = isinstance(law, NoiseLaw) and law.shape == "floored"
        rate = float(law.rate if isinstance(law, NoiseLaw) else law.epsilon / 2)
        width = min(2 * math.ceil(_REACH / rate) + 1, n + 1)
        if width * (k - 1) <= _LONGEST and (k == 2 or isinstance(law, LatticeLaw)):
            return _additive(mechanism, n, raws, points, (rate, floored, width))
    return _one_by_one(mechanism, raws, points, rng, n_prior)


def _one_by_one(
    mechanism: Mechanism,
    raws: Ints,
    points: Floats,
    rng: np.random.Generator,
    n_prior: object,
) -> Floats:
    """Equal outputs together."""
    result = np.empty(points.shape)
    distinct, places = np.unique(raws, axis=0, return_inverse=True)
    order = np.argsort(places.ravel(), kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(places.ravel()[order])) + 1)
    for raw, rows in track(zip(distinct.tolist(), groups, strict=True), "posteriors", len(groups)):
        posterior = infer(mechanism, tuple(raw), n_prior=n_prior, rng=rng)
        for i, category in enumerate(posterior.categories):
            result[rows, i] = posterior.cdf(points[rows, i], category)
    return result


def _additive(
    mechanism: Mechanism, n: int, raws: Ints, points: Floats, noise: tuple[float, bool, int]
) -> Floats:
    rate, floored, width = noise
    kernel = LaplaceKernel(rate, floored)
    prior = mechanism.config.model.prior
    k = len(prior)
    tables = [log_steps(alpha, 0, n + 1) for alpha in prior]
    ladders = [_ladder(float(alpha), float(sum(prior) - alpha), n) for alpha in prior]
    result = np.empty(points.shape)
    for rows in _blocks(len(raws), width * k):
        z = raws[rows]
        seen = z[:, :1] if k == 2 else z
        lows = np.clip(seen - width // 2, 0, n + 1 - width)
        counts = lows[:, :, None] + np.arange(width)
        logs = kernel.log((seen[:, :, None] - counts).astype(np.float64))
        if k == 2:
            logs += (tables[0] + tables[1][::-1])[counts]
            weights = [_normalised(logs[:, 0])]
        else:
            for i, table in enumerate(tables):
                logs[:, i] += table[counts[:, i]]
            factors = np.exp(logs - logs.max(axis=2, keepdims=True))
            weights = _shares(factors, n - lows.sum(axis=1))
        for i, (share, ladder) in enumerate(zip(weights, ladders, strict=False)):
            result[rows, i] = _cdf(ladder, lows[:, i], share, points[rows, i])
    if k == 2:
        result[:, 1] = 1 - result[:, 0]
    return result


def _blocks(rows: int, cells: int) -> Iterator[slice]:
    step = max(1, _MOST_CELLS // cells)
    starts = range(0, rows, step)
    for start in track(starts, "posteriors"):
        yield slice(start, start + step)


def _normalised(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _shares(factors: Floats, total: Ints) -> list[Floats]:
    """The law of every count, given that what they have above the low ends sums to `total`."""
    from scipy import fft

    rows, k, width = factors.shape
    length = fft.next_fast_len((k - 1) * (width - 1) + 1, real=True)
    spectra = fft.rfft(factors, length, axis=2)
    result = []
    for i in range(k):
        others = np.delete(spectra, i, axis=1).prod(axis=1)
        sums = np.maximum(fft.irfft(others, length, axis=1), 0.0)
        place = total[:, None] - np.arange(width)
        inside = (place >= 0) & (place <= (k - 1) * (width - 1))
        rest = sums[np.arange(rows)[:, None], np.where(inside, place, 0)]
        weights = factors[:, i] * np.where(inside, rest, 0.0)
        result.append(weights / weights.sum(axis=1, keepdims=True))
    return result


def _ladder(a: float, b: float, n: int) -> tuple[float, float, Floats]:
    """ln of 1/((a+c)·B(a+c, b+n−c)) for c = 0 … n."""
    from scipy import special

    c = np.arange(n + 1.0)
    return a, b, -np.log(a + c) - special.betaln(a + c, b + n - c)


def _cdf(ladder: tuple[float, float, Floats], lows: Ints, weights: Floats, x: Floats) -> Floats:
    """Σ_c weights_c·I_x(a + c, b + n − c) by I(a, b) = I(a+1, b−1) + x^a(1−x)^{b−1}/(a·B(a, b))."""
    from scipy import special

    a, b, table = ladder
    n, width = len(table) - 1, weights.shape[1]
    last = lows + width - 1
    counts = lows[:, None] + np.arange(width - 1)
    logs = table[counts] + (a + counts) * np.log(x)[:, None]
    logs += (b + n - counts - 1) * np.log1p(-x)[:, None]
    steps = (np.exp(logs) * np.cumsum(weights, axis=1)[:, :-1]).sum(axis=1)
    return np.asarray(steps + special.betainc(a + last, b + (n - last), x))
