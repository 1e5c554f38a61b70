"""The likely outcomes of a law, listed: exactly where it is finite, else all but a tiny tail."""

from __future__ import annotations

import math

import numpy as np

from discreet.core import Law
from discreet.errors import NotEnumerable
from discreet.exact import Floats, Ints
from discreet.laws.lattice import PostprocessedLattice
from discreet.laws.noise import NoiseLaw

TAIL = 1e-16  # probability beyond the window on either side of a count
MOST = 3_000_000  # outcomes that are listed


def likely(law: Law, most: int = MOST) -> tuple[Ints, Floats] | None:
    """Outcomes, one a row, and their probabilities; None if they are more than `most`."""
    if isinstance(law, NoiseLaw):
        return _near(law, most)
    if isinstance(law, PostprocessedLattice) and _lattice_points(law) > most:
        return None
    try:
        if law.candidates is None or law.candidates > most:
            return None
        return law.support, np.exp(law.log_p)
    except NotEnumerable:
        return None


def noise(
    rate: float, shape: str, below: int, above: int, blocks: int | None = None
) -> tuple[Ints, Floats]:
    """Integer noise in [−below, above] and its probabilities; what lies beyond is at the ends.

    With `blocks`, runs of neighbouring values on each side share their middle, so that about so
    many values remain.
    """
    floored = shape == "floored"
    # P(≥ t) = scale·e^{−rate·t} for t ≥ 1; below zero the floored law is shifted by one
    scale = 0.5 if floored else 1 / (1 + math.exp(-rate))
    zero = 0.5 * -math.expm1(-rate) if floored else math.tanh(rate / 2)
    down, p_down = _side(rate, scale, int(floored), below, blocks)
    up, p_up = _side(rate, scale, 0, above, blocks)
    if below == 0:
        zero += scale * math.exp(-rate * (1 - floored))
    if above == 0:
        zero += scale * math.exp(-rate)
    return np.concatenate([-down[::-1], [0], up]), np.concatenate([p_down[::-1], [zero], p_up])


def reach(rate: float, tail: float = TAIL) -> int:
    """Noise of this rate is at least as far from zero with probability at most about `tail`."""
    return 1 + math.ceil(-math.log(tail) / rate)


def _side(
    rate: float, scale: float, shift: int, far: int, blocks: int | None
) -> tuple[Ints, Floats]:
    """1 … far with P(≥ t) = scale·e^{−rate·(t − shift)}; the last one has all the rest."""
    if far == 0:
        return np.empty(0, dtype=np.int64), np.empty(0)
    step = 1 if blocks is None else -(-far // blocks)
    first = np.append(np.arange(1, far, step, dtype=np.int64), far)
    length = np.diff(first)
    p = scale * np.exp(-rate * (first - shift))
    p[:-1] *= -np.expm1(-rate * length)
    first[:-1] += (length - 1) // 2
    return first, p


def _near(law: NoiseLaw, most: int) -> tuple[Ints, Floats] | None:
    rate = float(law.rate)
    far = reach(rate)
    sides = [
        (
            far if law.low is None else min(far, center - law.low),
            far if law.high is None else min(far, law.high - center),
        )
        for center in law.center
    ]
    if math.prod(below + above + 1 for below, above in sides) > most:
        return None
    columns = [noise(rate, law.shape, below, above) for below, above in sides]
    rows, p = grid([(c + t, q) for c, (t, q) in zip(law.center, columns, strict=True)])
    if law.total is not None:
        rest = law.total - rows.sum(axis=1)
        rows = np.column_stack([rows, rest if law.low is None else np.maximum(rest, law.low)])
    return rows, p


def grid(columns: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """Independent coordinates together: every combination and its probability."""
    values = np.meshgrid(*(t for t, _ in columns), indexing="ij")
    p = np.ones(())
    for _, q in columns:
        p = p[..., None] * q
    return np.stack([v.ravel() for v in values], axis=1), np.asarray(p.ravel())


def _lattice_points(law: PostprocessedLattice) -> float:
    """About how many raw outcomes the listing sums over: the volume of a ball of the lattice.

    {z : Σz = 0, ½‖z‖₁ ≤ R} has about C(2d, d)·R^d/d! points, d = k − 1 (its Ehrhart polynomial).
    """
    d, epsilon = law.dimension - 1, float(law.raw.epsilon)
    radius = (32 + d * math.log(2 + 32 / epsilon)) / epsilon + 1
    log_points = math.log(math.comb(2 * d, d)) - math.lgamma(d + 1) + d * math.log(radius)
    return math.exp(min(log_points, 700.0))
