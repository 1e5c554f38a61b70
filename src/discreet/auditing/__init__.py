"""`dp.audit`: the exact privacy loss of a finite mechanism.

The laws of all counts are computed in floats with a proved bound on their error (`exact.floats`),
neighbours are compared output by output, and the worst case is computed again in balls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from discreet import check, plots
from discreet.auditing import networks
from discreet.auditing.continuous import audit_continuous
from discreet.auditing.spaces import Space, space
from discreet.core import Certificate, Mechanism, Witness
from discreet.core.law import Outcome
from discreet.core.mechanism import require_categories
from discreet.errors import InputError
from discreet.exact import Floats, balls, floats
from discreet.families.network.model import BayesNet
from discreet.families.normal.model import NormalMean
from discreet.families.regression.model import LinearRegression
from discreet.laws.keeping_total import clip, project
from discreet.laws.lattice import LatticeLaw, PostprocessedLattice
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Losses: TypeAlias = dict[tuple[Outcome, Outcome], float]


class Profile(NamedTuple):
    """δ as a function of ε: for every pair of neighbours the mechanism is (ε, δ)-private."""

    epsilon: Floats
    delta: Floats


@dataclass(frozen=True)
class Audit:
    """The privacy loss of a mechanism: the largest |ln(P(z|c)/P(z|c'))| over all neighbours c, c'.

    `epsilon` is a rigorous upper bound, `epsilon_lower` a rigorous lower bound, `witness` the
    neighbouring counts and the output that attain it. It is about the released counts (the raw
    output that a release also carries is covered by the guarantee). No data enter.
    """

    mechanism: Mechanism = field(repr=False)
    epsilon: float
    epsilon_lower: float
    witness: Witness | None
    total: int | None = None

    def delta(self, epsilon: object) -> float:
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

    def profile(self, epsilons: object = None) -> Profile:
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
    )


def audit(mechanism: Mechanism, total: int | None = None) -> Audit:
    """The exact privacy loss of a finite mechanism, as rigorous bounds.

    They are at most 1e-9·max(1, ε) apart at ordinary settings.

    Args:
        mechanism: made by `dp.mechanism`, with finitely many released outcomes. Two categories
            to n = 10,000 and beyond, three to n = 60 and beyond, about 250 with an equal prior.
            Of a network: two or three binary nodes and a few records; the raw output is audited.
        total: under add-remove, the largest number of records that is covered.

    Returns:
        An `Audit`: `epsilon`, `epsilon_lower`, `witness`, `delta(epsilon)`, `profile()`,
        `certificate`.

    Raises:
        InputError: the mechanism has infinitely many outputs, or total is missing.
        NotEnumerable: there are too many; the message says how large is possible.

    Example:
        >>> import discreet as dp
        >>> found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=100, epsilon=1))
        >>> round(found.epsilon, 3)  # it claims 1
        0.4
    """
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"mechanism must be a Mechanism, got {check.brief(mechanism)}", "mechanism"
        )
    if isinstance(mechanism.config.model, BayesNet):
        return _audit_network(mechanism, total)
    if isinstance(mechanism.config.model, (NormalMean, LinearRegression)):
        return audit_continuous(mechanism, total)
    require_categories(mechanism)
    if mechanism.config.n is not None and total is not None:
        raise InputError(f"total is for add-remove only, got {check.brief(total)}", "total")
    return examine(mechanism, total)


def _audit_network(mechanism: Mechanism, total: int | None) -> Audit:
    """Of the raw output, over all data sets of n records of a small network."""
    if mechanism.config.n is None or total is not None:
        raise InputError("mechanism of a network is audited with a public n only", "mechanism")
    if mechanism.config.n == 0:
        return Audit(mechanism, 0.0, 0.0, None)
    lower, upper, witness = networks.worst_pair(mechanism, mechanism.config.n)
    return Audit(mechanism, _rounded(upper, math.inf), _rounded(lower, 0), witness)


def examine(mechanism: Mechanism, total: int | None = None, losses: Losses | None = None) -> Audit:
    """The audit; `losses` collects the losses of all pairs of neighbours that are compared."""
    if (known := by_its_raw_law(mechanism)) is not None:
        return known
    if mechanism.config.n == 0:
        return Audit(mechanism, 0.0, 0.0, None, total)
    where = space(mechanism, total)
    upper, witness = worst(where, losses)
    assert witness is not None
    return Audit(mechanism, upper, loss_at(mechanism, where, witness), witness, total)


def worst(where: Space, losses: Losses | None = None) -> tuple[float, Witness | None]:
    """An upper bound on the loss, and where it is attained."""
    upper, highest, witness = 0.0, -1.0, None
    for c, d in track(where.pairs(), "audit", where.size):
        loss, error, place, forward = pair_loss(where.row(c), where.row(d))
        bound = floats.up(loss + error)
        upper = max(upper, bound) if bound <= math.inf else math.inf  # unknown is unbounded
        if losses is not None:
            losses[c, d] = loss
        if loss > highest:
            output = tuple(where.outputs[place].tolist())
            highest, witness = loss, Witness(*((c, d) if forward else (d, c)), output)
    return upper, witness


def pair_loss(
    first: tuple[Floats, float], second: tuple[Floats, float]
) -> tuple[float, float, int, bool]:
    """The loss between two rows, its error, the output, and whether the first is the likelier."""
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
    return loss, first[1] + second[1] + 2 * floats.U * loss, place, bool(forward)


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


def loss_at(mechanism: Mechanism, where: Space, witness: Witness) -> float:
    """The loss at one output of two neighbours, rounded down: by balls where the law has them."""
    laws = [mechanism.make_law(counts) for counts in (witness.counts, witness.neighbour)]
    if any(isinstance(law, PostprocessedLattice) or law.candidates is None for law in laws):
        place = np.flatnonzero((where.outputs == np.array(witness.output)).all(axis=1))
        rows = [where.row(counts) for counts in (witness.counts, witness.neighbour)]
        here, there = (float(logs[place].sum()) for logs, _ in rows)
        return max(0.0, here - there - floats.up(rows[0][1] + rows[1][1])) if len(place) else 0.0
    with balls.precision(balls.PRECISION):
        first, second = (law.log_weight(witness.output) - law.log_total() for law in laws)
        if second == balls.NEVER and first > balls.NEVER:
            return math.inf
        lowest = (first - second).lower()
        return max(0.0, math.nextafter(float(lowest), -math.inf)) if lowest.is_finite() else 0.0


def by_its_raw_law(mechanism: Mechanism) -> Audit | None:
    """The lattice law, projected or clipped, three or more categories and n ≥ k: exactly ε.

    Its raw weights are exp(−ε·½‖z − c‖₁) with one normaliser for all c, so the raw loss is ε, and
    post-processing adds nothing. An output with all counts positive comes from one raw outcome
    only, itself; seen from itself and from a neighbour its ratio is e^ε. So the loss is ε.
    """
    n, k = mechanism.config.n, len(mechanism.config.model.categories)
    if mechanism.name != "lattice" or n is None or n < k or k < 3:
        return None
    law = mechanism.make_law((n, *[0] * (k - 1)))
    if not isinstance(law, PostprocessedLattice) or not isinstance(law.raw, LatticeLaw):
        return None
    if getattr(law.released, "func", None) not in (project, clip):
        return None
    output = (n - k + 1, *[1] * (k - 1))
    neighbour = (n - k + 2, 0, *[1] * (k - 2))
    epsilon = law.raw.epsilon
    bounds = _rounded(epsilon, math.inf), _rounded(epsilon, 0)
    return Audit(mechanism, *bounds, Witness(output, neighbour, output))


def _rounded(number: Fraction, towards: float) -> float:
    """A float that is not on the other side of the number."""
    near = float(number)
    wrong = Fraction(near) < number if towards > 0 else Fraction(near) > number
    return math.nextafter(near, towards) if wrong else near
