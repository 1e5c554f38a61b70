"""What a release promises: (ε, δ), for which neighbours, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from discreet import check
from discreet.core.adjacency import Adjacency
from discreet.errors import InputError
from discreet.exact import balls
from discreet.exact.balls import ball

if TYPE_CHECKING:
    from discreet.core.certificate import Certificate


@dataclass(frozen=True)
class Theorem:
    """A proof on paper: what it says and where it is written.

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
    return (ball(epsilon) * size).expm1() / ball(epsilon).expm1()


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy for one unit, and its basis.

    For all neighbouring data x, x' and all sets of outputs A,
    P(M(x) ∈ A) ≤ e^ε·P(M(x') ∈ A) + δ. Without a basis nothing is promised and ε is infinite.

    Example:
        >>> import discreet as dp
        >>> guarantee = dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=0.5).guarantee
        >>> print(guarantee)
        ε = 0.5, δ = 0 for replacing one record
        >>> print(guarantee.for_group(3))
        ε = 1.5, δ = 0 for replacing one group of 3 records
    """

    epsilon: Fraction | float
    delta: Fraction
    adjacency: Adjacency
    unit: str = "record"
    max_per_unit: int = 1
    basis: Theorem | Certificate | Derivation | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        if self.private != (self.basis is not None):
            raise InputError("basis must be given exactly when epsilon is finite", "basis")

    @property
    def private(self) -> bool:
        """Whether anything is promised at all."""
        return not (isinstance(self.epsilon, float) and math.isinf(self.epsilon))

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
                self, epsilon=2 * self.epsilon, delta=self._scaled_delta(2), adjacency=target
            )
        raise InputError(
            f"adjacency {target.value!r} does not follow from a guarantee under "
            f"{self.adjacency.value!r}",
            "adjacency",
        )

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
