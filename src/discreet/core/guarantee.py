"""What a release promises: (ε, δ), for which neighbours, and why."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from discreet import check
from discreet.check import Number
from discreet.core import curves
from discreet.core.adjacency import Adjacency
from discreet.core.curves import Curve, Known, Pure
from discreet.errors import InputError, PrivacyWarning
from discreet.exact import balls
from discreet.exact.balls import ball

if TYPE_CHECKING:
    from discreet.core.certificate import Certificate

LARGE_DELTA = Fraction(1, 100)  # beyond, it is too large whatever n is


@dataclass(frozen=True)
class Theorem:
    """A proof on paper: what it says and where it is written.

    Args:
        statement: what is private, in a few words.
        reference: authors and year.

    Example:
        >>> import discreet as dp
        >>> print(dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1).guarantee.basis)
        weights exp(−ε·½‖z − c‖₁) with a constant normaliser (Hardt and Talwar 2010)
    """

    statement: str
    reference: str

    def __str__(self) -> str:
        return f"{self.statement} ({self.reference})"


@dataclass(frozen=True)
class Derivation:
    """A proof by the checker of `discreet.language`, and of which program it is."""

    program: str
    budget: str
    source: str  # SHA-256 of its source and its declarations

    def __str__(self) -> str:
        return f"checked derivation: {self.program} spends {self.budget}"


def _group_factor(epsilon: Fraction, size: int) -> arb:
    """1 + e^ε + … + e^{(size−1)ε}."""
    if epsilon == 0:
        return arb(size)
    return (ball(epsilon) * size).expm1() / ball(epsilon).expm1()


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy for one unit, and its basis.

    For all neighbouring data x, x' and all sets of outputs A,
    P(M(x) ∈ A) ≤ e^ε·P(M(x') ∈ A) + δ.

    Args:
        epsilon: ε, exactly; infinite where nothing is promised.
        delta: δ.
        adjacency: which data are neighbours.
        unit: who is protected.
        max_per_unit: how many records one may have.
        basis: the proof, without which nothing is promised.
        curve: what is known of the privacy loss besides: `rho`, `epsilon_at` and `delta_at` read
            it. Where it is None, what is ε-private has the curve of randomised response.
        replacing: under add-remove, the curve for a record that is replaced.

    Example:
        >>> import discreet as dp
        >>> guarantee = dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=0.5).guarantee
        >>> print(guarantee)
        ε = 0.5, δ = 0 for replacing one record
        >>> print(guarantee.for_group(3))
        ε = 1.5, δ = 0 for replacing one group of 3 records
        >>> float(guarantee.rho), float(guarantee.epsilon_at(delta=0.01))
        (0.122459331201855, 0.48380424737477)
    """

    epsilon: Fraction | float
    delta: Fraction
    adjacency: Adjacency
    unit: str = "record"
    max_per_unit: int = 1
    basis: Theorem | Certificate | Derivation | None = None
    curve: Curve | None = field(default=None, repr=False)
    replacing: Curve | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        if self.private != (self.basis is not None):
            raise InputError("basis must be given exactly when epsilon is finite", "basis")

    @property
    def private(self) -> bool:
        """Whether anything is promised at all."""
        return not (isinstance(self.epsilon, float) and math.isinf(self.epsilon))

    @property
    def known(self) -> Curve | None:
        """The curve of the privacy loss; None where only an ε with a δ above 0 is known."""
        if self.curve is None and isinstance(self.epsilon, Fraction) and self.delta == 0:
            return Pure(self.epsilon)
        return self.curve

    @property
    def rho(self) -> Fraction | float:
        """The ρ of zero-concentrated differential privacy, rounded up; ∞ where none is known.

        D_α ≤ ρ·α for the Rényi divergences of all orders α > 1 (Bun and Steinke 2016). The ρ of
        releases add up, also where later ones are chosen by what earlier ones said.
        """
        return math.inf if self.known is None else curves.rho(self.known)

    def epsilon_at(self, delta: Number) -> Fraction | float:
        """The least ε that is proved at a δ, rounded up; ∞ where none is.

        Args:
            delta: the δ, at least 0 and below 1.
        """
        slack = check.rational("delta", delta)
        if not 0 <= slack < 1:
            raise InputError(
                f"delta must be at least 0 and below 1, got {check.brief(delta)}", "delta"
            )
        stated = self.epsilon if slack >= self.delta else math.inf
        if self.known is None or slack == 0:
            return stated
        return min(stated, curves.epsilon_at(self.known, slack))

    def delta_at(self, epsilon: Number) -> Fraction:
        """The least δ that is proved at an ε, rounded up; 1 where none is.

        Args:
            epsilon: the ε, at least 0.
        """
        loss = check.rational("epsilon", epsilon)
        if loss < 0:
            raise InputError(f"epsilon must be at least 0, got {check.brief(epsilon)}", "epsilon")
        stated = self.delta if loss >= self.epsilon else Fraction(1)
        known = self.known
        if known is None or stated == 0:
            return stated
        if known.epsilon is not None and loss >= known.epsilon:
            return Fraction(0)
        return min(stated, balls.rounded_up(lambda: known.delta(loss)))

    def for_group(self, m: int) -> Guarantee:
        """The promise to m units together: m·ε and δ·(1 + e^ε + … + e^{(m−1)ε}).

        From P(x) ≤ e^ε P(x') + δ applied m times (Dwork and Roth 2014, Theorem 2.2).
        """
        m = check.whole("m", m, least=1)
        if m == 1 or not isinstance(self.epsilon, Fraction):
            return self
        members = "records" if self.unit == "record" else f"units ({self.unit})"
        return replace(
            self,
            epsilon=m * self.epsilon,
            delta=self._scaled_delta(m),
            unit=f"group of {m} {members}",
            curve=self.known and self.known.grouped(m),
            replacing=self.replacing and self.replacing.grouped(m),
        )

    def under(self, adjacency: Adjacency | str) -> Guarantee:
        """The same promise said for another adjacency, where it implies one.

        Replacing a record is removing one and adding one, so an add-remove guarantee holds for
        substitution as for a group of two. Changing an attribute is a way of replacing a record.
        Nothing else follows.
        """
        target = Adjacency(adjacency)
        if target is self.adjacency or not isinstance(self.epsilon, Fraction):
            return replace(self, adjacency=target)
        if self.adjacency is Adjacency.SUBSTITUTE and target is Adjacency.ATTRIBUTE:
            return replace(self, adjacency=target)
        if self.adjacency is Adjacency.ADD_REMOVE:
            return replace(
                self,
                epsilon=2 * self.epsilon,
                delta=self._scaled_delta(2),
                adjacency=target,
                curve=self.replacing or (self.known and self.known.grouped(2)),
                replacing=None,
            )
        raise InputError(
            f"adjacency {target.value!r} does not follow from a guarantee under "
            f"{self.adjacency.value!r}",
            "adjacency",
        )

    def stated(self) -> Curve | None:
        """The curve that the numbers of `to_document` say; None where ρ is not known."""
        if not isinstance(self.rho, Fraction):
            return None
        return Known(self.rho, Fraction(self.epsilon) if self.delta == 0 else None)

    def failing(self) -> Curve:
        """The curve that holds with probability 1 − δ."""
        # A law that is (ε, δ)-private to another is, but for a part of weight δ, ε-private to it
        # (Kairouz, Oh and Viswanath 2015, Theorem 3.4).
        return Pure(Fraction(self.epsilon))

    def to_document(self, version: int) -> dict[str, Any]:
        """The promise as JSON can hold it, as documents of a version have it; without its basis."""
        document: dict[str, Any] = {
            "epsilon": str(self.epsilon) if self.private else None,
            "delta": str(self.delta),
            "adjacency": self.adjacency.value,
            "unit": self.unit,
            "max_per_unit": self.max_per_unit,
        }
        if version < 3:
            return document
        return document | {"rho": self._rhos(), "curve": self.curve and self.curve.document()}

    def _rhos(self) -> dict[str, str]:
        """What ρ is for each adjacency, where it is known."""
        rhos = {self.adjacency: self.rho}
        if self.adjacency is Adjacency.ADD_REMOVE and self.known is not None:
            rhos[Adjacency.SUBSTITUTE] = self.under(Adjacency.SUBSTITUTE).rho
        return {name.value: str(rho) for name, rho in rhos.items() if isinstance(rho, Fraction)}

    def _scaled_delta(self, m: int) -> Fraction:
        if self.delta == 0:
            return self.delta
        epsilon = Fraction(self.epsilon)
        scaled = balls.rounded_up(lambda: ball(self.delta) * _group_factor(epsilon, m))
        return min(Fraction(1), scaled)

    def __str__(self) -> str:
        if not self.private:
            return "not private: no guarantee at all"
        most = self.max_per_unit
        held = f" (a unit has at most {most} records)" if most > 1 else ""
        return (
            f"{check.equation('ε', self.epsilon)}, {check.equation('δ', self.delta)} "
            f"for {self.adjacency.change} one {self.unit}{held}"
        )


def warn_of_large(delta: Fraction, n: int | None, stacklevel: int = 4) -> None:
    """Warn of a δ above 1/n or, where n is private, of one that no number of records allows."""
    shown = f"delta = {check.show(delta)}"
    if n is not None and delta < 1 < delta * n:
        why = (
            f"is above 1/n: it allows a release that publishes one of the {n} records as it is, "
            "chosen at random; take a much smaller one"
        )
    elif n is None and 1 > delta > LARGE_DELTA:
        why = (
            "is large for any number of records: it allows a release that publishes each of them, "
            "as it is, with that probability"
        )
    else:
        return
    warnings.warn(f"{shown} {why}", PrivacyWarning, stacklevel=stacklevel)
