"""What an audit of finite laws found, and its privacy profile."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet import check, plots
from discreet.auditing.spaces import space
from discreet.check import Number
from discreet.core import Certificate, Mechanism, Witness
from discreet.core.mechanism import require_categories
from discreet.errors import InputError
from discreet.exact import Floats, floats
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Profile(NamedTuple):
    """δ as a function of ε: for every pair of neighbours the mechanism is (ε, δ)-private."""

    epsilon: Floats
    delta: Floats


@dataclass(frozen=True)
class Audit:
    """The privacy loss of a mechanism: the largest |ln(P(z|c)/P(z|c'))| over all neighbours c, c'.

    `epsilon` is a rigorous upper bound, `epsilon_lower` a rigorous lower bound, `witness` the
    neighbouring counts and the output that attain it. It is about the released counts (the raw
    output that a release also carries is covered by the guarantee). No data enter. `width` bounds
    how far the losses of one pair of neighbours lie apart, over all outputs: the bounded range.

    Guarantee:
        Of the audit, not of a release: the loss lies between the two bounds, rounded outward.

    Example:
        >>> import discreet as dp
        >>> found = dp.audit(dp.mechanism("lattice", dp.BetaBinomial(), n=5, epsilon=1))
        >>> round(found.epsilon, 9), found.witness.counts
        (1.0, (1, 4))
    """

    mechanism: Mechanism = field(repr=False)
    epsilon: float
    epsilon_lower: float
    witness: Witness | None
    total: int | None = None
    width: float = math.inf

    def delta(self, epsilon: Number) -> float:
        """The least δ for which the mechanism is (ε, δ)-private, rounded up.

        δ(ε) = max over neighbours of Σ_z max(0, P(z|c) − e^ε·P(z|c')), the hockey-stick divergence.
        """
        target = check.rational("epsilon", epsilon)
        if target < 0:
            raise InputError(f"epsilon must not be negative, got {check.brief(epsilon)}", "epsilon")
        if isinstance(epsilon, float):
            target = Fraction(epsilon)  # such as `epsilon` itself, to the last bit
        # a smaller ε has a larger δ, so rounding down is safe
        below = float(min(target, Fraction(10**6)))
        if Fraction(below) > target:
            below = math.nextafter(below, 0.0)
        return float(self._deltas(np.array([below]))[0])

    def profile(self, epsilons: npt.ArrayLike | None = None) -> Profile:
        """δ(ε) at the given ε, or at 101 values from 0 to the privacy loss."""
        if epsilons is None:
            grid = np.linspace(0.0, self.epsilon if math.isfinite(self.epsilon) else 10.0, 101)
        else:
            try:
                grid = np.asarray(epsilons, dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                grid = np.array(np.nan)
            if grid.ndim != 1 or not (grid >= 0).all():
                raise InputError(
                    "epsilons must be a sequence of numbers, none negative", "epsilons"
                )
        return Profile(grid, self._deltas(grid))

    def _deltas(self, grid: Floats) -> Floats:
        """In one pass over all neighbours; 0 from the privacy loss on."""
        require_categories(self.mechanism)
        result = np.zeros(len(grid))
        wanted = grid < self.epsilon
        if self.witness is None or not wanted.any():
            return result
        where = space(self.mechanism, self.total)
        best = np.zeros(int(wanted.sum()))
        for c, d in track(where.pairs(), "privacy profile", where.size):
            best = np.maximum(best, hockey_sticks(where.row(c), where.row(d), grid[wanted]))
        result[wanted] = np.minimum(best, 1.0)
        return result

    def plot(self, ax: Axes | None = None) -> Axes:
        """The privacy profile δ(ε), beside what is guaranteed."""
        made = self.mechanism
        claimed, config = float(made.guarantee.epsilon), made.config
        return plots.plot_profile(*self.profile(), config.label, claimed, ax, config.title)

    def __str__(self) -> str:
        claim = self.mechanism.guarantee
        claimed = f"guaranteed: {claim}" if claim.private else "guaranteed: nothing"
        lines = [f"{self.mechanism.config}", f"  {claimed}", f"  exact loss  {self.epsilon:.9g}"]
        if self.witness is not None:
            counts, neighbour, output = self.witness
            lines.append(f"  attained between counts {counts} and {neighbour} at output {output}")
        return "\n".join(lines)

    @property
    def certificate(self) -> Certificate:
        """What was found, with all that is needed to find it again: `dp.verify`."""
        if not math.isfinite(self.epsilon):
            raise InputError("mechanism has an infinite privacy loss: nothing to certify", "audit")
        return certify(self, None)


def certify(audit: Audit, scale: Fraction | None) -> Certificate:
    """A certificate of an audit, of a calibrated mechanism with its scale."""
    basis = audit.mechanism.guarantee.basis
    if scale is None and isinstance(basis, Certificate):
        scale = basis.scale
    return Certificate(
        audit.mechanism.config,
        Fraction(audit.epsilon),
        Fraction(audit.epsilon_lower),
        audit.witness,
        scale,
        audit.total,
        Fraction(audit.width) if math.isfinite(audit.width) else None,
    )


class PairLoss(NamedTuple):
    """The loss between two rows, its error, the output, whether the first is the likelier there.

    `width` is how far the logs of the ratios lie apart: the largest minus the smallest.
    """

    loss: float
    error: float
    place: int
    forward: bool
    width: float


def pair_loss(first: tuple[Floats, float], second: tuple[Floats, float]) -> PairLoss:
    """What the outputs tell of two neighbours."""
    with np.errstate(invalid="ignore"):
        ratio = first[0] - second[0]
    unknown = np.isnan(ratio)
    if unknown.any():
        impossible = (first[0] == -math.inf) & (second[0] == -math.inf)
        ratio = np.where(unknown, np.where(impossible, 0.0, math.inf), ratio)
    high, low = int(ratio.argmax()), int(ratio.argmin())
    forward = ratio[high] >= -ratio[low]
    place = high if forward else low
    loss = abs(float(ratio[place]))
    error = first[1] + second[1] + 2 * floats.U * loss
    return PairLoss(loss, error, place, bool(forward), float(ratio[high] - ratio[low]))


def hockey_sticks(
    first: tuple[Floats, float], second: tuple[Floats, float], grid: Floats
) -> Floats:
    """Upper bounds on δ at every ε of the grid, for two neighbours in both directions.

    Where P > e^ε·Q, an error of ρ in both logs moves the difference by at most 2ρ·P(1+ρ) and
    adding m terms loses m·u·(P + e^ε·Q): at most 2(ρ + EXP_ERROR + m·u) in all, rounded up.
    """
    p, q = floats.exp(first[0]), floats.exp(second[0])
    with np.errstate(invalid="ignore"):
        ratio = first[0] - second[0]
    error = 3 * (first[1] + second[1] + floats.EXP_ERROR + (len(p) + 2) * floats.U)
    growth = floats.exp(np.minimum(grid, 700.0))  # a smaller e^ε only makes δ larger
    result = np.zeros(len(grid))
    for likelier, other, logs in ((p, q, ratio), (q, p, -ratio)):
        order = np.argsort(-logs)
        sums = np.cumsum(likelier[order])
        others = np.cumsum(other[order])
        above = np.searchsorted(-logs[order], -grid, side="left")
        tops, bottoms = np.append(0.0, sums)[above], np.append(0.0, others)[above]
        value = tops - growth * bottoms
        result = np.maximum(result, np.where(above > 0, value + error, error))
    return result


def rounded(number: Fraction, towards: float) -> float:
    """A float that is not on the other side of the number."""
    near = float(number)
    wrong = Fraction(near) < number if towards > 0 else Fraction(near) > number
    return math.nextafter(near, towards) if wrong else near
